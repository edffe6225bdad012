"""The picture of how cost grows: seconds against what grows, on log-log axes: rows, columns, and the rest.

`python -m benchmarks.growth_picture docs/how-cost-grows.svg` draws it from build/bench.json, as the suite growth
does where it has a page to write to.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from linsep.plots.style import GREY, SMALL, look

# Apart from a name, as lines end close to each other.
_LEAST_APART = 0.052
_ROWS, _COLUMNS = "rows", ("columns", "levels", "numbers")


def draw(figures: Sequence[dict[str, Any]], path: Path) -> None:
    """Write the picture of these series as SVG, the same bytes for the same series."""
    series = [one for one in figures if "points" in one]
    with mpl.rc_context({"svg.hashsalt": "linsep", "svg.fonttype": "none", "font.family": "sans-serif"}):
        figure, (rows, columns, others) = plt.subplots(3, 1, figsize=(9, 13.5), layout="constrained")
        _panel(rows, [one for one in series if one["axis"].startswith(_ROWS)], with_axis=False)
        _panel(columns, [one for one in series if one["axis"].startswith(_COLUMNS)], with_axis=True)
        _panel(others, [one for one in series if not one["axis"].startswith((_ROWS, *_COLUMNS))], with_axis=True)
        rows.set(xlabel="rows", ylabel="seconds")
        columns.set(xlabel="columns, of as many rows as the line names", ylabel="seconds")
        others.set(xlabel="what the line names", ylabel="seconds")
        figure.savefig(path, metadata={"Date": None})
        plt.close(figure)


def _panel(ax: Axes, series: Sequence[dict[str, Any]], *, with_axis: bool) -> None:
    ends = []
    for k, one in enumerate(series):
        x, y = np.array([(point["value"], point["seconds"]) for point in one["points"]]).T
        ax.loglog(x, y, color=look(k).colour, marker=look(k).marker, markersize=4, linewidth=1.5)
        name = f"{one['work']}: {one['axis'].removeprefix('columns, ')}" if with_axis else one["work"]
        ends.append((x[-1], y[-1], name, look(k).colour))
    ax.set_ylim(5e-5, 100)
    low, high = ax.get_xlim()
    guide = np.array([low, low * 1e3])
    ax.loglog(guide, guide / low * 2e-4, color=GREY, linestyle="--", linewidth=1)
    ax.annotate("linear", (guide[0], 2e-4), (6, 0), textcoords="offset points", color=GREY, fontsize=SMALL)
    ax.set_xlim(low, high)
    place = -1.0
    scale = ax.transData + ax.transAxes.inverted()
    for x, y, name, colour in sorted(ends, key=lambda end: end[1]):
        own_x, own_y = scale.transform((x, y))
        place = max(own_y, place + _LEAST_APART)
        ax.annotate(
            name,
            (own_x, own_y),
            (1.04, place),
            xycoords="axes fraction",
            textcoords="axes fraction",
            color="black",
            fontsize=SMALL,
            va="center",
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.8, "relpos": (0, 0.5)},
            annotation_clip=False,
        )
    ax.grid(True, which="major", color="#dddddd", linewidth=0.6)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


if __name__ == "__main__":
    draw(json.loads(Path("build/bench.json").read_text(encoding="utf-8")), Path(sys.argv[1]))
