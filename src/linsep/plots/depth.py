"""Concepts over the depth of a network: where they are separable, how well they are told, how wide the margin is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator, PercentFormatter

from linsep.markup import count
from linsep.plots.style import GREY, INK, legend, look, new_axes, note, shorten
from linsep.types import Array, DataError

Show = Literal["accuracy", "margin", "separable"]
_MOST = 8  # concepts of one picture, as there are so many looks
_FEW = 3  # concepts whose intervals can be told apart
_ROOM, _TICKS = 30, 16  # letters, and names, that fit under the axis


def plot_probe(
    probe: Any, show: Show = "accuracy", *, concepts: Sequence[str] | None = None, ax: Axes | None = None
) -> Axes:
    """Draw what a probe found of each concept, layer by layer.

    - "accuracy": on rows held out, of up to three concepts with its interval of 95 %; a marker is filled where all rows
      are proved separable. Thin grey lines are of shuffled labels (dashed) and of the control task (dotted), if known;
    - "margin": the lower end of the bracket of the largest margin, over the radius of the rows; 0 without a separator;
    - "separable": how many of the concepts are separable.

    Parameters
    ----------
    probe : Probe
        What `linsep.probe` found.
    show : {"accuracy", "margin", "separable"}, default="accuracy"
        What to draw, as above.
    concepts : sequence of str, optional
        The concepts to draw; without it all, of "accuracy" and "margin" the first eight.
    ax : Axes, optional
        Where to draw; without it, in a new figure.

    Returns
    -------
    Axes
        The axes with the picture.

    Raises
    ------
    DataError
        There are no rows, or none of such a concept, or `show` is something else.

    Examples
    --------
    >>> from linsep import probe
    >>> rows = [[0.0, 1.0], [1.0, 0.0], [0.0, 0.0], [1.0, 1.0]]
    >>> found = probe({"first": rows}, [0, 0, 1, 1], controls=0)
    >>> plot_probe(found, "separable").lines[0].get_ydata().tolist()
    [0]
    """
    if show not in ("accuracy", "margin", "separable"):
        raise DataError(f'show is "accuracy", "margin" or "separable", not {show!r}')
    known = list(dict.fromkeys(row.concept for row in probe.rows))
    if not known:
        raise DataError("the probe has no rows to draw")
    strange = [name for name in concepts or () if name not in known]
    if strange:
        raise DataError(f"no row is about {strange[0]!r}; there are {', '.join(map(repr, known[:8]))}")
    layers = list(dict.fromkeys(row.layer for row in probe.rows))
    wanted = list(known if concepts is None else concepts)
    drawn = wanted if show == "separable" else wanted[:_MOST]
    by_place = {(row.layer, row.concept): row for row in probe.rows}
    rows = {concept: [by_place.get((layer, concept)) for layer in layers] for concept in drawn}
    ax = new_axes(ax)
    {"accuracy": _accuracy, "margin": _margin, "separable": _separable}[show](ax, rows)
    _name_layers(ax, layers)
    if len(drawn) < len(wanted):
        note(ax, f"{len(drawn)} of {len(wanted)} concepts shown")
    return ax


def _name_layers(ax: Axes, layers: list[str]) -> None:
    """Ticks with the names of the layers, of many layers some."""
    step = 1 + (len(layers) - 1) // _TICKS
    shown = shorten(layers, 16)[::step]
    ax.set_xticks(range(0, len(layers), step), shown)
    if sum(map(len, shown)) > _ROOM:
        ax.tick_params(axis="x", labelrotation=45, labelsize="small")
    ax.set_xlim(-0.4, len(layers) - 0.6)


def _values(rows: list[Any], name: str) -> Array:
    """One number of each layer; not a number where it is not known."""
    return np.array([np.nan if getattr(row, name, None) is None else getattr(row, name) for row in rows], dtype=float)


def _draw(ax: Axes, k: int, concept: str, rows: list[Any], y: Array) -> Line2D:
    """A line, its markers filled where the rows are separable, and its entry of the legend."""
    style = look(k)
    ax.plot(range(len(rows)), y, color=style.colour, lw=1.4)
    size = 7 if len(rows) <= _TICKS else 4
    for at, row in enumerate(rows):
        if row is not None and np.isfinite(y[at]):
            face, edge = (style.colour, INK) if row.verdict == "separable" else ("white", style.colour)
            ax.plot(at, y[at], marker=style.marker, ms=size, mfc=face, mec=edge, ls="", zorder=3, clip_on=False)
    return Line2D([], [], color=style.colour, marker=style.marker, mec=INK, label=shorten([concept])[0])


def _accuracy(ax: Axes, rows: dict[str, list[Any]]) -> None:
    handles = []
    for k, (concept, own) in enumerate(rows.items()):
        if len(rows) <= _FEW:
            low, high = _values(own, "low"), _values(own, "high")
            ax.fill_between(range(len(own)), low, high, color=look(k).colour, alpha=0.18, lw=0)
        handles.append(_draw(ax, k, concept, own, _values(own, "accuracy")))
    for name, line, words in (("shuffled", "--", "shuffled labels"), ("control", ":", "control task")):
        lines = [y for own in rows.values() if np.isfinite(y := _values(own, name)).any()]
        for y in lines:
            ax.plot(range(len(y)), y, color=GREY, ls=line, lw=0.8, zorder=1)
        handles += [Line2D([], [], color=GREY, ls=line, lw=1.0, label=words)] * bool(lines)
    ax.yaxis.set_major_formatter(PercentFormatter(1))
    ax.set(ylabel="accuracy on rows held out", xlabel="filled: separable, proved")
    legend(ax, handles=handles, ncols=2, columnspacing=1.0)


def _margin(ax: Axes, rows: dict[str, list[Any]]) -> None:
    margins = {concept: np.nan_to_num(_values(own, "margin_low")) for concept, own in rows.items()}
    handles = [_draw(ax, k, concept, rows[concept], y) for k, (concept, y) in enumerate(margins.items())]
    ax.set(ylabel="margin / radius", xlabel="filled: separable, proved")
    ax.set_ylim(bottom=0)
    legend(ax, handles=handles, ncols=2, columnspacing=1.0)


def _separable(ax: Axes, rows: dict[str, list[Any]]) -> None:
    counts = [
        sum(getattr(row, "verdict", "") == "separable" for row in line) for line in zip(*rows.values(), strict=True)
    ]
    style = look(0)
    ax.plot(range(len(counts)), counts, color=style.colour, marker=style.marker, ms=7, mec=INK, lw=1.4)
    ax.axhline(len(rows), color=GREY, lw=1, ls="--")
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_ylim(0, 1.05 * len(rows))
    ax.set_ylabel(f"separable, of {count(len(rows), 'concept')}")
