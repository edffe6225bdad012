"""What a piece of work consists of: each part timed where it happens, less the parts within it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from statistics import median
from time import perf_counter
from typing import Any
from unittest.mock import patch

from benchmarks.timing import RUNS, Report, Work, show

# A part: who has the function, and its name.
Places = Mapping[str, tuple[Any, str]]


def row_of_parts(report: Report, title: str, what: tuple[str, str], work: Work, places: Places) -> None:
    """A row of a table of parts; `what` are the head and the cell of the first column."""
    work()
    found = parts_of(work, places)
    cells = {what[0]: what[1], **{name: show(part) for name, part in found.items()}}
    report.row(title, cells, {what[0]: what[1], "seconds": found})


def parts_of(work: Work, places: Places) -> dict[str, float]:
    """Median seconds of each part, of all else and of the whole."""
    runs = list[dict[str, float]]()
    within = list[float]()  # of each part that is at work, the seconds of the parts within it
    with ExitStack() as patches:
        for name, (owner, attribute) in places.items():
            timed = _timed(getattr(owner, attribute), name, runs, within)
            patches.enter_context(patch.object(owner, attribute, timed))
        for _ in range(RUNS):
            runs.append(dict.fromkeys(places, 0.0))
            began = perf_counter()
            work()
            whole = perf_counter() - began
            runs[-1] |= {"all else": whole - sum(runs[-1].values()), "in all": whole}
    return {name: median(run[name] for run in runs) for name in runs[0]}


def _timed(
    part: Callable[..., Any], name: str, runs: list[dict[str, float]], within: list[float]
) -> Callable[..., Any]:
    """`part`, whose seconds are added to those of this name in the last run."""

    def timed(*given: Any, **named: Any) -> Any:
        within.append(0.0)
        began = perf_counter()
        try:
            return part(*given, **named)
        finally:
            took = perf_counter() - began
            runs[-1][name] += took - within.pop()
            if within:
                within[-1] += took

    return timed
