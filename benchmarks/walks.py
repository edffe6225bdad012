"""How far a reader walks: the calls behind one use of the library, the files they lie in, and the moves between files.

Counted with `sys.setprofile` in the second of two runs, so that neither imports nor compilation count. A call is a
Python-level call of a function with a name of its own that is written in the package; a generator resumed is called
again, while comprehensions, generator expressions and lambdas belong to whoever wrote them. A move is a call in
another file than the call before it, and the first call; a return is none.

`make bench SUITES=walks` or `python -m benchmarks.walks` prints the counts, `python -m benchmarks.walks --who` also the
walk itself: one line for each move, with the functions called in that file before the next.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
from itertools import groupby
from pathlib import Path
from types import FrameType
from typing import NamedTuple
from unittest.mock import patch

import numpy as np

import linsep
from benchmarks.timing import Report, Work
from linsep.app.cli import main as command

PACKAGE = os.path.dirname(linsep.__file__) + os.sep


class Count(NamedTuple):
    """What is counted of one walk."""

    calls: int
    files: int
    moves: int

    def __str__(self) -> str:
        return f"{self.calls:,} calls, {self.files} files, {self.moves} moves"


class Subject(NamedTuple):
    """One use of the library; what it counted before the files were regrouped, and the most that is wanted now."""

    name: str
    work: Work
    before: Count
    wanted: str = ""


class Call(NamedTuple):
    """One call: the file, within the package, and the function."""

    file: str
    function: str


def walk(work: Work) -> list[Call]:
    """The calls of the second of two runs, in order."""
    calls: list[Call] = []

    def see(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(PACKAGE) and not code.co_name.startswith("<"):
            calls.append(Call(code.co_filename.removeprefix(PACKAGE), code.co_qualname))

    work()
    sys.setprofile(see)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


def count(calls: list[Call]) -> Count:
    """Calls, files and moves of a walk."""
    return Count(len(calls), len({call.file for call in calls}), sum(1 for _ in groupby(calls, lambda call: call.file)))


def told(calls: list[Call]) -> str:
    """A line for each move: the file, and the functions called there in the order of their first call."""
    lines = []
    for number, (file, stay) in enumerate(groupby(calls, lambda call: call.file), 1):
        times: dict[str, int] = {}
        for call in stay:
            times[call.function] = times.get(call.function, 0) + 1
        names = ", ".join(name if n == 1 else f"{name} ({n})" for name, n in times.items())
        lines.append(f"{number:4}  {file}: {names}")
    return "\n".join(lines)


def run_command(*arguments: str) -> None:
    """Run the command line in this process and keep what it prints to itself."""
    quiet = io.StringIO()
    with contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet), patch.object(sys, "argv", ["linsep"]):
        sys.argv += arguments
        try:
            command()
        except SystemExit as end:
            if end.code:
                raise RuntimeError(f"linsep {' '.join(arguments)}: {quiet.getvalue()}") from end


def subjects(folder: Path) -> list[Subject]:
    """What is walked: a proof, a fit, and the command that does both and writes a model."""
    square = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    table = str(folder / "rows.csv")
    run_command("synth", "200", "5", "--output", table)
    fit = ("fit", table, "--target", "label", "--model", str(folder / "model.linsep"))
    return [
        Subject(
            "`separability` on exclusive or",
            lambda: linsep.separability(square, [0, 1, 1, 0]),
            Count(207, 18, 72),
            "24 moves",
        ),
        Subject(
            "`Perceptron().fit` on or: three passes",
            lambda: linsep.Perceptron().fit(square, [0, 1, 1, 1]),
            Count(100, 14, 75),
            "50 calls",
        ),
        Subject("`linsep fit` on 200 rows, 5 columns", lambda: run_command(*fit), Count(1022, 49, 322)),
    ]


def walks(report: Report, who: bool = False) -> None:
    """Count each walk, and tell it where that is asked for."""
    with tempfile.TemporaryDirectory() as folder:
        told_of = []
        for name, work, before, wanted in subjects(Path(folder)):
            calls = walk(work)
            now = count(calls)
            told_of.append(f"\n#### {name}\n\n{told(calls)}")
            cells = {"work": name, "now": str(now), "before regrouping": str(before), "at most": wanted}
            figures = {"work": name, **now._asdict(), "before": before._asdict(), "wanted": wanted}
            report.row("Walks through the source", cells, figures)
    if who:
        print("\n".join(told_of))


if __name__ == "__main__":
    walks(Report(), "--who" in sys.argv[1:])
