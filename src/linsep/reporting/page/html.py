"""One HTML file with everything in it: nothing is loaded from elsewhere, and the only script sorts tables."""

from __future__ import annotations

import hashlib
import os
from base64 import b64encode
from dataclasses import dataclass, field
from html import escape
from importlib.metadata import version
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from linsep.files import write_whole

if TYPE_CHECKING:
    from linsep.reporting.page.draw import Picture
    from linsep.reporting.page.tables import Table

_PARTS = files("linsep.reporting.page") / "template"


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
        # In a frame of its own, so that neither style sheet reaches the other's page.
        look = 'style="width:100%;height:42rem;border:1px solid #8886;border-radius:8px"'
        return f'<iframe title="linsep report" {look} sandbox="allow-scripts" srcdoc="{escape(self.html)}"></iframe>'


def render(page: Page) -> Report:
    """Fill the template; every text is escaped."""
    environment = _environment()
    script = (_PARTS / "sort.js").read_text(encoding="utf-8").strip()
    return Report(
        environment.from_string((_PARTS / "page.html").read_text(encoding="utf-8")).render(
            page=page,
            style=(_PARTS / "page.css").read_text(encoding="utf-8").strip(),
            script=script,
            # The page's own policy: a script that is not this one, to the letter, is not run.
            script_hash=b64encode(hashlib.sha256(script.encode()).digest()).decode(),
            version=version("linsep"),
        )
    )


def _environment() -> Any:
    try:
        from jinja2 import Environment, StrictUndefined
    except ImportError as error:
        raise ImportError(
            "reports are written with Jinja2, which is not installed: pip install 'linsep[report]'"
        ) from error
    return Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


def check_extras() -> None:
    """Raise ImportError now if something that a report needs is not installed."""
    _environment()
    import linsep.plots  # noqa: F401
