"""Concepts over the depth of a network: where they are separable, how well they are told, how wide the margin is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator, PercentFormatter

from linsep.plots.style import GREY, INK, Look, legend, look, new_axes, note, shorten
from linsep.types import Array, DataError

Show = Literal["accuracy", "margin", "separable"]
_MOST = 8  # concepts of one picture, as there are so many looks
_FEW = 3  # concepts whose intervals and controls can be told apart
_LINE = 0.08  # of the height, for a line of the legend
_ROOM, _TICKS = 30, 16  # letters, and names, that fit under the axis


def plot_probe(
    probe: Any, show: Show = "accuracy", *, concepts: Sequence[str] | None = None, ax: Axes | None = None
) -> Axes:
    """Draw what a probe found of each concept, layer by layer.

    - "accuracy": on rows held out, with its interval of 95 %; a marker is filled where all rows are proved separable.
      Thin lines of the same colour are of shuffled labels (dashed) and of the control task (dotted), if known. Of more
      than three concepts there are no intervals, and a grey band is where the lines of shuffled labels would be;
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
    ax = new_axes(ax)
    {"accuracy": _accuracy, "margin": _margin, "separable": _separable}[show](ax, by_place, layers, drawn)
    _name_layers(ax, layers)
    if len(drawn) < len(wanted):
        note(ax, f"{len(drawn)} of {len(wanted)} concepts shown")
    return ax


def _name_layers(ax: Axes, layers: list[str]) -> None:
    """Ticks with the names of the layers; what many have in common stands below them once."""
    names, common = shorten(layers, 16), ""
    if sum(map(len, names)) > _ROOM:
        names, common = _what_differs(layers)
        names = shorten(names, 16)
    step = 1 + (len(layers) - 1) // _TICKS
    shown = names[::step]
    ax.set_xticks(range(0, len(layers), step), shown)
    if sum(map(len, shown)) > _ROOM:
        ax.tick_params(axis="x", labelrotation=45, labelsize="small")
    ax.set_xlim(-0.4, len(layers) - 0.6)
    if common:
        note(ax, f"layers: {shorten([common], 40)[0]}")


def _what_differs(layers: list[str]) -> tuple[list[str], str]:
    """The part in which names of layers differ, and the rest of them, with * for that part.

    Examples
    --------
    >>> _what_differs(["h.9.out", "h.10.out", "h.11.out"])
    (['9', '10', '11'], 'h.*.out')
    >>> _what_differs(["first", "last"])[1], len(_what_differs(["a", "a1"])[0])
    ('', 2)
    """
    first = _shared(layers)
    last = _shared([name[len(first) :][::-1] for name in layers])[::-1]
    differ = [name[len(first) : len(name) - len(last)] for name in layers]
    return (differ, f"{first}*{last}") if first + last and all(differ) else (layers, "")


def _shared(names: list[str]) -> str:
    """The letters with which all names begin: whole words, and whole numbers."""
    alike = takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False))
    found = re.sub(r"\d+$", "", "".join(letters[0] for letters in alike))
    numbers = all(name[len(found) :][:1].isdigit() for name in names)
    return found if numbers else re.sub(r"[^\W_]+$", "", found)


def _values(by_place: dict[tuple[str, str], Any], layers: list[str], concept: str, name: str) -> Array:
    """One number of each layer; not a number where it is not known."""
    rows = [by_place.get((layer, concept)) for layer in layers]
    return np.array([np.nan if getattr(row, name, None) is None else getattr(row, name) for row in rows], dtype=float)


def _draw(
    ax: Axes, by_place: dict[tuple[str, str], Any], layers: list[str], concept: str, style: Look, y: Array
) -> None:
    """A line, its markers filled where the rows are separable."""
    ax.plot(range(len(layers)), y, color=style.colour, lw=1.4)
    size = 7 if len(layers) <= _TICKS else 4
    for k, layer in enumerate(layers):
        row = by_place.get((layer, concept))
        if row is not None and np.isfinite(y[k]):
            face = style.colour if row.verdict == "separable" else "white"
            edge = INK if row.verdict == "separable" else style.colour
            ax.plot(k, y[k], marker=style.marker, ms=size, mfc=face, mec=edge, ls="", zorder=3, clip_on=False)


def _accuracy(ax: Axes, by_place: dict[tuple[str, str], Any], layers: list[str], concepts: list[str]) -> None:
    handles: list[Line2D | Patch] = []
    for k, concept in enumerate(concepts):
        style = look(k)
        y = _values(by_place, layers, concept, "accuracy")
        if len(concepts) <= _FEW:
            low, high = (_values(by_place, layers, concept, name) for name in ("low", "high"))
            ax.fill_between(range(len(layers)), low, high, color=style.colour, alpha=0.18, lw=0)
        _draw(ax, by_place, layers, concept, style, y)
        handles.append(Line2D([], [], color=style.colour, marker=style.marker, mec=INK, label=shorten([concept])[0]))
    handles += _controls(ax, by_place, layers, concepts)
    ax.yaxis.set_major_formatter(PercentFormatter(1))
    ax.set_ylabel("accuracy on rows held out")
    ax.set_xlabel("filled: separable, proved")
    _legend_beside(ax, handles, "lower")


def _controls(
    ax: Axes, by_place: dict[tuple[str, str], Any], layers: list[str], concepts: list[str]
) -> list[Line2D | Patch]:
    """Lines of shuffled labels and of the control task; of many concepts the band in which those of labels lie."""
    handles: list[Line2D | Patch] = []
    for name, line, words in (("shuffled", "--", "shuffled labels"), ("control", ":", "control task")):
        lines = np.array([_values(by_place, layers, concept, name) for concept in concepts])
        known = np.isfinite(lines).any(axis=0)
        if not known.any():
            continue
        if len(concepts) <= _FEW:
            for k, y in enumerate(lines):
                ax.plot(range(len(layers)), y, color=look(k).colour, ls=line, lw=1.0, zorder=1)
            handles.append(Line2D([], [], color=GREY, ls=line, lw=1.0, label=words))
        elif name == "shuffled":
            at = np.flatnonzero(known)
            least, most = np.nanmin(lines[:, at], axis=0), np.nanmax(lines[:, at], axis=0)
            ax.fill_between(at, least, most, color=GREY, alpha=0.25, lw=0, zorder=0)
            handles.append(Patch(color=GREY, alpha=0.25, lw=0, label=f"{words}, all concepts"))
    return handles


def _legend_beside(ax: Axes, handles: Sequence[Line2D | Patch], place: Literal["lower", "upper"]) -> None:
    """A legend in two columns, with room below or above the lines, so that it covers none."""
    low, high = ax.get_ylim()
    share = 0.03 + _LINE * (1 + (len(handles) - 1) // 2)
    room = (high - low) * share / (1 - share)
    ax.set_ylim(low - room * (place == "lower"), high + room * (place == "upper"))
    legend(ax, handles=handles, ncols=2, loc=f"{place} left", columnspacing=1.0)


def _margin(ax: Axes, by_place: dict[tuple[str, str], Any], layers: list[str], concepts: list[str]) -> None:
    handles = []
    for k, concept in enumerate(concepts):
        style = look(k)
        _draw(ax, by_place, layers, concept, style, np.nan_to_num(_values(by_place, layers, concept, "margin_low")))
        handles.append(Line2D([], [], color=style.colour, marker=style.marker, mec=INK, label=shorten([concept])[0]))
    ax.set_ylabel("margin / radius")
    ax.set_xlabel("filled: separable, proved")
    ax.set_ylim(bottom=0)
    _legend_beside(ax, handles, "upper")


def _separable(ax: Axes, by_place: dict[tuple[str, str], Any], layers: list[str], concepts: list[str]) -> None:
    rows = [[by_place.get((layer, concept)) for concept in concepts] for layer in layers]
    counts = np.array([sum(getattr(row, "verdict", "") == "separable" for row in line) for line in rows])
    style = look(0)
    ax.plot(range(len(layers)), counts, color=style.colour, marker=style.marker, ms=7, mec=INK, lw=1.4)
    ax.axhline(len(concepts), color=GREY, lw=1, ls="--")
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_ylim(0, 1.05 * len(concepts))
    ax.set_ylabel(f"separable, of {len(concepts)} concept{'' if len(concepts) == 1 else 's'}")
