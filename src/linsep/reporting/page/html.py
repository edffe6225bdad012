"""One HTML file with everything in it: nothing is loaded from elsewhere, and the only script sorts tables.

Pictures are SVG: the axes of linsep.plots in figures that belong to no window.
"""

from __future__ import annotations

import hashlib
import io
import os
import warnings
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from importlib.resources import files
from typing import Any, NamedTuple

from linsep.files import write_whole
from linsep.markup import frame_html
from linsep.types import DataError

_PARTS = files("linsep.reporting") / "page" / "template"
_INCHES = (4.3, 3.4)
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


class Picture(NamedTuple):
    """A picture: `draw` is called with ax=...; `caption` is read beside it and `alt` instead of it.

    `source` is a data URL when it is drawn.
    """

    title: str
    caption: str
    alt: str
    draw: Callable[..., Any]
    source: str = ""
    width: int = round(_INCHES[0] * 96)  # pixels of CSS
    height: int = round(_INCHES[1] * 96)


class Cell(NamedTuple):
    """What is shown, and the number that it stands for; None where it is sorted as text."""

    text: str
    number: float | None = None


@dataclass(frozen=True)
class Table:
    """A caption, a sentence under it, the names of the columns and the rows."""

    title: str
    note: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]] = field(repr=False)

    @property
    def numeric(self) -> list[bool]:
        """Which columns hold nothing but numbers; these are set flush right."""
        return [all(row[j].number is not None for row in self.rows) for j in range(len(self.columns))]


@dataclass(frozen=True)
class Page:
    """The content of a report, in the order of the page."""

    title: str
    kicker: str
    lead: str
    lines: list[tuple[str, str]]
    command: str
    pictures: list[Picture] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


@dataclass(frozen=True, repr=False)
class Report:
    """A report as one HTML page; a notebook shows it.

    Attributes
    ----------
    html : str
        The text of the page.
    """

    html: str

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to one file; an earlier file there is replaced in one step.

        Parameters
        ----------
        path : str or PathLike
            Where to write.

        Raises
        ------
        OSError
            The path cannot be written; an earlier file there is unchanged.
        """
        write_whole(path, self.html.encode(), "the report")

    def __repr__(self) -> str:
        return f"<Report, {len(self.html) / 1024:,.0f} KiB of HTML: save(path) writes it>"

    def _repr_html_(self) -> str:
        return frame_html("linsep report", self.html, "42rem")


def check_extras() -> None:
    """Raise ImportError now if something that a report needs is not installed."""
    import linsep.plots  # noqa: F401

    try:
        import jinja2  # noqa: F401
    except ImportError as error:
        needed = "reports are written with Jinja2, which is not installed: pip install '.[report]'"
        raise ImportError(needed) from error


def render(page: Page) -> Report:
    """Draw the pictures and fill the template; every text is escaped. What cannot be drawn becomes a remark."""
    from jinja2 import Environment, StrictUndefined

    check_extras()
    pictures, remarks = [], list(page.remarks)
    for picture in page.pictures:
        try:
            pictures.append(picture._replace(source=_drawn(picture)))
        except DataError as error:
            remarks.append(f"No picture “{picture.title}”: {error}.")
    template, style, script = (
        (_PARTS / name).read_text(encoding="utf-8").strip() for name in ("page.html", "page.css", "sort.js")
    )
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    html = environment.from_string(template).render(
        page=page,
        pictures=pictures,
        remarks=remarks,
        style=style,
        script=script,
        # The page's own policy: a script that is not this one, to the letter, is not run.
        script_hash=b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        version=version("linsep"),
    )
    return Report(html)


def _drawn(picture: Picture) -> str:
    import matplotlib.pyplot as plt
    from matplotlib.collections import Collection
    from matplotlib.figure import Figure

    with plt.style.context([_STYLE], after_reset=True), warnings.catch_warnings():
        # The reader's fonts will have it.
        warnings.filterwarnings("ignore", message=r"Glyph \d+ .* missing from")
        figure = Figure(figsize=_INCHES, layout="constrained")
        ax = figure.add_subplot()
        picture.draw(ax=ax)
        for artist in ax.findobj(Collection):
            if _is_heavy(artist):
                artist.set_rasterized(True)
        file = io.BytesIO()
        figure.savefig(file, format="svg", dpi=_DPI, metadata={"Date": None})
    return f"data:image/svg+xml;base64,{b64encode(file.getvalue()).decode()}"


def _is_heavy(artist: Any) -> bool:
    paths = artist.get_paths()
    corners = sum(len(path.vertices) for path in paths)
    return len(artist.get_offsets()) > _MANY or len(paths) > 2 or corners > 10 * _MANY
