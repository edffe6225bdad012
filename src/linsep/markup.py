"""Text for other readers: HTML for notebooks (no scripts, all text escaped), and names as a command line takes them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from html import escape

_CELL = "text-align:left;vertical-align:top;padding:0.15em 0.8em 0.15em 0"
_NEEDS_NO_QUOTES = re.compile(r"[\w@%+=:,./-]+")


def table_html(title: str, rows: Iterable[tuple[object, ...]], figure: str = "") -> str:
    """A caption, `figure` (HTML), and one table row for each tuple, its first cell a heading.

    Examples
    --------
    >>> "<th" in table_html("run", [("a < b", 3)]), "a &lt; b" in table_html("run", [("a < b", 3)])
    (True, True)
    """
    body = []
    for head, *cells in rows:
        rest = "".join(f'<td style="{_CELL}">{escape(str(cell))}</td>' for cell in cells)
        body.append(f'<tr><th scope="row" style="{_CELL}">{escape(str(head))}</th>{rest}</tr>')
    caption = f'<caption style="text-align:left;font-weight:bold">{escape(title)}</caption>'
    return f'<div>{figure}<table style="border-collapse:collapse">{caption}<tbody>{"".join(body)}</tbody></table></div>'


def frame_html(title: str, page: str, height: str) -> str:
    """A page in a frame of its own, so that neither style sheet reaches the other's page."""
    look = f'style="width:100%;height:{height};border:1px solid #8886;border-radius:8px"'
    return f'<iframe title="{title}" {look} sandbox="allow-scripts allow-downloads" srcdoc="{escape(page)}"></iframe>'


def rounded_down(value: float, digits: int = 6) -> str:
    """The number with so many digits, rounded down: what a lower bound may be printed as.

    Examples
    --------
    >>> rounded_down(1.1180339887), rounded_down(0.5), rounded_down(-1.1180339887)
    ('1.11803', '0.5', '-1.11804')
    """
    return _rounded(value, ROUND_FLOOR, digits)


def rounded_up(value: float, digits: int = 6) -> str:
    """The number with so many digits, rounded up: what an upper bound may be printed as.

    Examples
    --------
    >>> rounded_up(1.1180339887), rounded_up(0.5)
    ('1.11804', '0.5')
    """
    return _rounded(value, ROUND_CEILING, digits)


def _rounded(value: float, way: str, digits: int) -> str:
    return f"{float(Context(prec=digits, rounding=way).create_decimal_from_float(value)):.{digits}g}"


def between(low: float, high: float) -> str:
    """A number from `low` on and below `high`, with six digits or as few more as it needs.

    Examples
    --------
    >>> between(1.0, 2.0), between(1234567.0, 1234568.0)
    ('1.5', '1234567.5')
    """
    middle = low / 2 + high / 2
    texts = (f"{middle:.{digits}g}" for digits in range(6, 18))
    return next((text for text in texts if low <= float(text) < high), repr(float(low)))


def quote(name: str) -> str:
    """A name as it is typed on a command line, on one line here.

    Examples
    --------
    >>> print(quote("age"), quote("sent on"), quote("<1,0"))
    age 'sent on' '<1,0'
    """
    if not name.isprintable():
        return repr(name)
    if _NEEDS_NO_QUOTES.fullmatch(name):
        return name
    return shlex.quote(name) if "'" in name else f"'{name}'"


def listed(said: Sequence[str], most: int = 4) -> str:
    """The first few of what is said.

    Examples
    --------
    >>> listed(["a", "b"]), listed(["a", "b", "c"], 2)
    ('a, b', 'a, b, ...')
    """
    return ", ".join(said[:most]) + (", ..." if len(said) > most else "")


def count(n: int, noun: str) -> str:
    """A number of things in words.

    Examples
    --------
    >>> count(1, "row"), count(2000, "row")
    ('1 row', '2,000 rows')
    """
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
