"""Pictures as SVG in the page: the axes of linsep.plots in figures that belong to no window."""

from __future__ import annotations

import io
import warnings
from base64 import b64encode
from collections.abc import Callable
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
from matplotlib.collections import Collection
from matplotlib.figure import Figure

from linsep.types import DataError

_INCHES = (4.3, 3.4)
_PIXELS = 96  # an inch of CSS
_DPI = 220  # of what is too much for vectors: grounds and clouds of points
_MANY = 200
# Text stays text: the reader's fonts have letters that Matplotlib's has not. Verdana is as wide as DejaVu Sans.
_STYLE: dict[str, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "linsep",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Geneva", "sans-serif"],
    "axes.spines.top": False,
    "axes.spines.right": False,
}


class Sketch(NamedTuple):
    """A picture to be drawn: `draw` is called with ax=...; `caption` is read beside it and `alt` instead of it."""

    title: str
    caption: str
    alt: str
    draw: Callable[..., Any]


class Picture(NamedTuple):
    """A picture of the page; `source` is a data URL."""

    title: str
    caption: str
    alt: str
    source: str
    width: int = round(_INCHES[0] * _PIXELS)
    height: int = round(_INCHES[1] * _PIXELS)


def draw_all(sketches: list[Sketch]) -> tuple[list[Picture], list[str]]:
    """The pictures, and a sentence for each that could not be drawn."""
    pictures, remarks = [], []
    for sketch in sketches:
        try:
            pictures.append(_draw(sketch))
        except DataError as error:
            remarks.append(f"No picture “{sketch.title}”: {error}.")
    return pictures, remarks


def _draw(sketch: Sketch) -> Picture:
    with plt.style.context([_STYLE], after_reset=True), warnings.catch_warnings():
        # The reader's fonts will have it.
        warnings.filterwarnings("ignore", message=r"Glyph \d+ .* missing from")
        figure = Figure(figsize=_INCHES, layout="constrained")
        ax = figure.add_subplot()
        sketch.draw(ax=ax)
        for artist in ax.findobj(Collection):
            if _is_heavy(artist):
                artist.set_rasterized(True)
        file = io.BytesIO()
        figure.savefig(file, format="svg", dpi=_DPI, metadata={"Date": None})
    source = f"data:image/svg+xml;base64,{b64encode(file.getvalue()).decode()}"
    return Picture(sketch.title, sketch.caption, sketch.alt, source)


def _is_heavy(artist: Any) -> bool:
    return (
        len(artist.get_offsets()) > _MANY
        or len(artist.get_paths()) > 2
        or sum(len(path.vertices) for path in artist.get_paths()) > 10 * _MANY
    )
