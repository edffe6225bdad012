"""How pictures look: colours that differ for colour-blind readers and in grey, and the shared parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.lines import Line2D

from linsep.types import Array

# Okabe and Ito's colours, in an order whose neighbours also differ in grey.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#F0E442", "#CC79A7", "#56B4E9", "#D55E00", "#999999")
MARKERS = ("o", "^", "s", "D", "v", "P", "X", "*")
HATCHES = ("", "///", "...", "xx", "\\\\\\", "++", "oo", "--")
INK, GREY = "#222222", "#777777"
# Blue to orange through white, and at the same time from darker to lighter: the order of values survives in grey.
VALUES = LinearSegmentedColormap.from_list("linsep", ["#5b9bc8", "#a9cbe3", "#e9edf0", "#fbe9c6", "#ffe08a"])
SMALL = "small"
_MOST_NAMED = 12
# The outline that tells points apart where they lie on each other, and on a ground of their own colour.
EDGE: dict[str, Any] = {"edgecolors": INK, "linewidths": 0.4}


class Look(NamedTuple):
    """How a class is drawn."""

    colour: str
    marker: str
    hatch: str


def look(k: int) -> Look:
    """The look of class k; after eight classes the colours repeat with other markers."""
    return Look(COLOURS[k % 8], MARKERS[(k + k // 8) % 8], HATCHES[(k + k // 8) % 8])


def new_axes(ax: Axes | None) -> Axes:
    """The axes given, or those of a new figure, legible at half the width of a page."""
    return plt.subplots(figsize=(4.4, 3.5), layout="constrained")[1] if ax is None else ax


def note(ax: Axes, text: str) -> None:
    """Write a line under the x axis, where it covers nothing."""
    ax.set_xlabel(f"{ax.get_xlabel()}\n{text}".lstrip("\n"))


def legend(ax: Axes, **options: Any) -> None:
    """A legend in small type, if there is anything to name; of many entries it shows the first."""
    handles = options.pop("handles", None) or ax.get_legend_handles_labels()[0]
    if len(handles) > _MOST_NAMED:
        rest = Line2D([], [], ls="", label=f"and {len(handles) - _MOST_NAMED + 1} more")
        handles = [*handles[: _MOST_NAMED - 1], rest]
    if handles:
        options["handles"] = handles
        ax.legend(fontsize=SMALL, framealpha=0.85, handlelength=1.6, borderpad=0.3, labelspacing=0.3, **options)


def thinned(n: int, limit: int, keep: Array | None = None) -> Array:
    """At most `limit` of the rows 0 .. n-1 in ascending order, the same at each call; rows to `keep` come first.

    Examples
    --------
    >>> len(thinned(1000, 10)), thinned(1000, 3, np.array([7, 999])).tolist()[0]
    (10, 7)
    """
    if n <= limit:
        return np.arange(n)
    rng = np.random.default_rng(0)
    first = np.empty(0, dtype=np.int64) if keep is None else np.asarray(keep, dtype=np.int64)
    if len(first) > limit:
        first = rng.choice(first, limit, replace=False)
    # Rows already kept are drawn again now and then; a few points less than the limit do no harm.
    rest = rng.choice(n, limit - len(first), replace=False)
    return np.union1d(first, rest)


def name_points(ax: Axes, points: Array, names: Array) -> None:
    """Write the name of each point beside it, legible on any ground."""
    ground = {"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 0.5}
    how: dict[str, Any] = {"textcoords": "offset points", "fontsize": SMALL, "zorder": 6, "bbox": ground}
    for name, (x, y) in zip(names.tolist(), points.tolist(), strict=True):
        ax.annotate(str(name), (x, y), xytext=(5, 5), **how)


def say_thinned(ax: Axes, shown: int, n: int, what: str = "rows") -> None:
    """Note that not everything is drawn."""
    if shown < n:
        note(ax, f"{shown:,} of {n:,} {what} shown")


def padded(values: Array, share: float = 0.08) -> tuple[float, float]:
    """Limits of an axis that holds all values, with room at both ends."""
    low, high = float(values.min()), float(values.max())
    room = share * (high - low) or max(1.0, abs(low) * share)
    return low - room, high + room


def shorten(names: Sequence[Any], length: int = 24) -> list[str]:
    """Names cut to what fits beside an axis, in the middle where only their ends differ; `$` would start a formula.

    Examples
    --------
    >>> shorten(["a long name", "short"], 6), shorten(["level=low", "level=high"], 6)
    (['a lon…', 'short'], ['le…low', 'le…igh'])
    """
    texts = [str(name) for name in names]
    cut = [text if len(text) <= length else f"{text[: length - 1]}…" for text in texts]
    if len(set(cut)) < len(set(texts)):
        end = length // 2
        cut = [text if len(text) <= length else f"{text[: length - end - 1]}…{text[-end:]}" for text in texts]
    return [text.replace("$", r"\$") for text in cut]
