"""How results, messages, warnings and tables are written: in colour on a terminal."""

from __future__ import annotations

import json
import os
import sys
from typing import IO, TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    import pyarrow as pa

    from linsep.app.result import Result

_BOLD, _RED, _YELLOW = "1", "31", "33"


def _styled(text: str, style: str, stream: Any) -> str:
    """The text in a style of terminals, where the stream is one."""
    return f"\x1b[{style}m{text}\x1b[0m" if stream.isatty() and not os.environ.get("NO_COLOR") else text


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
    sys.stderr.write(printable(message) + "\n")


def warn(message: str) -> None:
    """Print a warning on standard error."""
    sys.stderr.write(f"{_styled('warning:', _YELLOW, sys.stderr)} {printable(message)}\n")


def fail(message: str) -> None:
    """Print on standard error why a command ends."""
    sys.stderr.write(f"{_styled('linsep: error:', _RED, sys.stderr)} {printable(message)}\n")


def print_lines(rows: list[tuple[str, str]], data: dict[str, Any], as_json: bool) -> None:
    """Print lines of (label, text), or the data as one JSON object."""
    if as_json:
        sys.stdout.write(json.dumps(data, allow_nan=False) + "\n")
        return
    width = max(len(label) for label, _ in rows)
    for label, text in rows:
        name = _styled(printable(label).ljust(width), _BOLD, sys.stdout)
        sys.stdout.write(f"{name}  {printable(text)}\n")


def finish(result: Result, as_json: bool, details: bool = False) -> NoReturn:
    """Print a result and end with its exit status; `details` has the further lines printed too."""
    for message in result.warnings:
        warn(message)
    lines = [*result.lines, *result.details] if details else result.lines
    print_lines(lines, {**result.data, "warnings": result.warnings}, as_json)
    raise SystemExit(130 if result.interrupted else result.exit_status)


def write_csv(table: pa.Table, stream: IO[str], *, header: bool = True) -> None:
    """Write a table as CSV; numbers have enough digits to be read back unchanged."""
    import pyarrow as pa
    import pyarrow.csv

    sink = pa.BufferOutputStream()
    pyarrow.csv.write_csv(table, sink, pyarrow.csv.WriteOptions(include_header=header, quoting_style="needed"))
    stream.write(sink.getvalue().to_pybytes().decode())
