"""How results, messages, warnings and tables are written. Rich is imported when something is printed."""

from __future__ import annotations

import json
import sys
from typing import IO, TYPE_CHECKING, Any, NoReturn

import typer

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import Console

    from linsep.app.result import Result


def console(*, stderr: bool = False) -> Console:
    """Standard output or standard error, in colour on a terminal."""
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, soft_wrap=True)


def printable(text: str) -> str:
    r"""The text with what a terminal would obey, such as escape codes in a name, written out.

    Examples
    --------
    >>> print(printable("a\x1b[2Jb"))
    a\x1b[2Jb
    """
    return "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in text)


def say(message: str) -> None:
    """Print a message as it is on standard error."""
    console(stderr=True).print(printable(message), markup=False)


def warn(message: str, screen: Console | None = None) -> None:
    """Print a warning on standard error, or where `screen` writes."""
    from rich.text import Text

    screen = screen or console(stderr=True)
    screen.print(Text.assemble(("warning:", "yellow"), " ", printable(message)))


def print_lines(rows: list[tuple[str, str]], data: dict[str, Any], as_json: bool) -> None:
    """Print lines of (label, text), or the data as one JSON object."""
    if as_json:
        sys.stdout.write(json.dumps(data, allow_nan=False) + "\n")
        return
    from rich.text import Text

    width = max(len(label) for label, _ in rows)
    out = console()
    for label, text in rows:
        out.print(Text.assemble((printable(label).ljust(width), "bold"), "  ", printable(text)))


def finish(result: Result, as_json: bool, details: bool = False) -> NoReturn:
    """Print a result and end with its exit status; `details` has the further lines printed too."""
    for message in result.warnings:
        warn(message)
    lines = [*result.lines, *result.details] if details else result.lines
    print_lines(lines, {**result.data, "warnings": [*result.told, *result.warnings]}, as_json)
    raise typer.Exit(130 if result.interrupted else result.exit_status)


def write_csv(table: pa.Table, stream: IO[str], *, header: bool = True) -> None:
    """Write a table as CSV; numbers have enough digits to be read back unchanged."""
    import pyarrow as pa
    import pyarrow.csv

    sink = pa.BufferOutputStream()
    pyarrow.csv.write_csv(table, sink, pyarrow.csv.WriteOptions(include_header=header, quoting_style="needed"))
    stream.write(sink.getvalue().to_pybytes().decode())
