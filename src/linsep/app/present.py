"""The result of a command, and how it, messages, tables and how far a training is are shown on a terminal."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from time import perf_counter
from typing import IO, TYPE_CHECKING, Any, Self

if TYPE_CHECKING:  # the types alone: importing them would bring the learners along
    import pyarrow as pa

    from linsep.streaming.result import StreamState

_BOLD, _RED, _YELLOW = "1", "31", "33"
_EVERY = 0.1  # seconds between two looks at the training


@dataclass
class Result:
    """Lines of (label, text) for people, `data` for programs, and what else the command line needs to know.

    `details` are further lines, for those who ask; `then` is called when all is printed.
    """

    lines: list[tuple[str, str]]
    data: dict[str, Any]
    warnings: list[str] = field(default_factory=list)
    interrupted: bool = False
    exit_status: int = 0
    details: list[tuple[str, str]] = field(default_factory=list)
    then: Callable[[], None] = lambda: None


def command_line() -> str:
    """The command as it could be typed again."""
    return shlex.join(["linsep", *sys.argv[1:]])


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
    """Print a message as it is on standard error, in the place of a line that is shown."""
    _clear()
    sys.stderr.write(printable(message) + "\n")


def fail(message: str) -> None:
    """Print on standard error why a command ends."""
    sys.stderr.write(f"{_styled('linsep: error:', _RED, sys.stderr)} {printable(message)}\n")


def print_result(result: Result, stream: IO[str], *, as_json: bool, details: bool) -> None:
    """Print warnings on standard error, then the lines, the `details` if they are asked for, or one JSON object.

    `stream` is standard output, or standard error if something else went to standard output.
    """
    for message in result.warnings:
        sys.stderr.write(f"{_styled('warning:', _YELLOW, sys.stderr)} {printable(message)}\n")
    rows = [*result.lines, *(result.details if details else ())]
    if as_json:
        stream.write(json.dumps({**result.data, "warnings": result.warnings}, allow_nan=False) + "\n")
        return
    width = max((len(label) for label, _ in rows), default=0)
    for label, text in rows:
        name = _styled(printable(label).ljust(width), _BOLD, stream)
        stream.write(f"{name}  {printable(text)}\n")


def write_csv(table: pa.Table, stream: IO[str], *, header: bool = True) -> None:
    """Write a table as CSV; numbers have enough digits to be read back unchanged."""
    import pyarrow as pa
    import pyarrow.csv

    sink = pa.BufferOutputStream()
    pyarrow.csv.write_csv(table, sink, pyarrow.csv.WriteOptions(include_header=header, quoting_style="needed"))
    stream.write(sink.getvalue().to_pybytes().decode())


def until_ctrl_c(search: Callable[[Any], Result]) -> Callable[[Any], Result]:
    """A command that searches: Ctrl-C ends its search, and what is known by then is printed; a second one ends it."""

    @wraps(search)
    def run(asked: Any) -> Result:
        from linsep.theory.rows.deadline import ended_by_ctrl_c

        try:
            with ended_by_ctrl_c() as ending:
                result = search(asked)
        except KeyboardInterrupt:
            raise KeyboardInterrupt("interrupted before there was an answer") from None
        if ending.came:
            result.warnings.insert(0, "interrupted; this is what was known by then")
            result.interrupted = True
        return result

    return run


class Line:
    """A line on standard error, on terminals only: how far the training is."""

    _shown = 0.0  # when it was written last

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """Remove the line."""
        _clear()

    def epochs(self, max_iter: int | None, time_limit: float | None) -> Callable[[int, int, float], None]:
        """What a learner calls: it shows epochs, mistakes of the last pass and how much of the limit is over."""

        def show(epochs: int, mistakes: int, seconds: float) -> None:
            done, total = (seconds, time_limit) if time_limit else (epochs, max_iter)
            self._show(f"epoch {epochs:,}: {mistakes:,} mistakes", done, total)

        return show

    def rows(self, state: StreamState) -> None:
        """What a stream calls: it shows rows, rows a second and the mistakes so far."""
        rows, rate = state.counters.rows, state.new_rows / max(state.seconds, 1e-9)
        words = f"{rows:,} rows, {rate:,.0f} a second: {state.counters.summary()}"
        self._show(words, state.counters.position.offset, state.total_bytes)

    def _show(self, words: str, done: float = 0, total: float | None = None) -> None:
        if sys.stderr.isatty() and perf_counter() - self._shown > _EVERY:
            self._shown = perf_counter()
            share = f"{min(1.0, done / total):4.0%}  " if total else ""
            _clear()
            sys.stderr.write(f"{share}{printable(words)}"[: shutil.get_terminal_size().columns - 1])
            sys.stderr.flush()


def _clear() -> None:
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
