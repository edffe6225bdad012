"""How time and memory grow with rows, columns, stored entries, classes and epochs: slopes on log-log axes.

All rows are made on the fly. A series ends where the next call would take longer than the patience, judged by how the
last two grew; the slope is that of the larger half of what was measured, where constant costs no longer count, and the
last tenfold is what was measured there. What the figures mean for a table of a given size, and why a cost is more than
linear, is printed below them, beside what plain work alone takes.
"""

from __future__ import annotations

import tempfile
import time
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np

from benchmarks.growth_picture import draw
from benchmarks.growth_rows import Work
from benchmarks.growth_series import Series, all_series
from benchmarks.profiled import largest_parts
from benchmarks.timing import Report, seconds, show

PATIENCE = 25.0  # seconds that a call may be expected to take
# A call is repeated so often, or until it has had so many seconds, but one that is not long so often at least.
MOST_RUNS, ENOUGH, LEAST_RUNS, LONG = 5, 1.0, 3, 5.0
STEEP = 1.1  # slopes above this are explained, and times that grow tenfold by a tenfold to the power of this
# Sizes of which the page says what they mean, by what grows.
SIZES = {
    "rows": (100_000, 1_000_000, 10_000_000),
    "columns": (1_000, 100_000, 1_000_000),
    "stored": (1_000_000, 100_000_000),
    "classes": (10, 1_000),
    "epochs": (10, 1_000),
    "levels": (1_000, 100_000),
    "numbers": (10, 100),
}


class Point(NamedTuple):
    """A value, the median seconds of the work, and the most memory that it took beside its input, in bytes."""

    value: int
    seconds: float
    peak: int


# --------------------------------------------------------------------- measured
def measured(series: Series) -> list[Point]:
    """Points until the next call may be expected to take longer than the patience allows."""
    points: list[Point] = []
    for value in series.values:
        work = series.make(value)
        if not points:
            work()  # what is compiled is compiled here
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        work()  # the first call with this value also gets its memory from the system, and is not timed
        peak = tracemalloc.get_traced_memory()[1] - before
        tracemalloc.stop()
        points.append(Point(value, timed(work), peak))
        if expected(points) > PATIENCE:
            break
    return points


def timed(work: Work) -> float:
    """The median seconds of a few calls."""
    times = [seconds(work)]
    while len(times) < MOST_RUNS and (sum(times) < ENOUGH or (len(times) < LEAST_RUNS and times[0] < LONG)):
        times.append(seconds(work))
    return median(times)


def expected(points: Sequence[Point]) -> float:
    """Seconds of the next call: at least three times as many as the last, more if they grew more the time before."""
    last = points[-1].seconds
    return last * max(3.0, last / points[-2].seconds if len(points) > 1 else 0.0)


def slope(points: Sequence[Point], of: Callable[[Point], float]) -> float:
    """That of log(seconds), or bytes, against log(value), by least squares over the larger half of the values."""
    large = points[len(points) // 2 :] if len(points) > 3 else points
    logs = np.log([[point.value, max(of(point), 1e-9)] for point in large])
    return float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0])


def last_tenfold(points: Sequence[Point], of: Callable[[Point], float]) -> float:
    """How much more the largest value took than the one that is a tenth of it, or next above a tenth."""
    last = points[-1]
    tenth = next(point for point in points if 10 * point.value >= last.value)
    return of(last) / max(of(tenth), 1e-9)


def time_of(point: Point) -> float:
    """Its seconds."""
    return point.seconds


def is_steep(points: Sequence[Point]) -> bool:
    """Whether the time grows faster than linearly, by its slope or by its last tenfold."""
    return slope(points, time_of) > STEEP or last_tenfold(points, time_of) > 10**STEEP


# ------------------------------------------------------------------------- said
def row(report: Report, series: Series, points: Sequence[Point]) -> None:
    """The figures of a series as a row of the table."""
    first, last = points[0], points[-1]
    cells = {
        "work": series.work,
        "what grows": series.axis,
        "from": f"{first.value:,}: {show(first.seconds)}",
        "to": f"{last.value:,}: {show(last.seconds)}",
        "slope of time": f"{slope(points, time_of):.2f}",
        "last tenfold": f"{last_tenfold(points, time_of):.1f} x",
        "memory beside the rows": f"{last.peak / 1e6:,.1f} MB",
        "slope of memory": f"{slope(points, lambda point: point.peak):.2f}",
        "why": series.why,
    }
    figures = {"work": series.work, "axis": series.axis, "points": [point._asdict() for point in points]}
    report.row("How cost grows", cells, figures)


def meanings(found: Sequence[tuple[Series, list[Point]]]) -> list[str]:
    """What the figures mean for tables of given sizes: time and memory of all that was done with the same rows."""
    said: dict[tuple[str, int], list[str]] = {}
    for series, points in found:
        for point in points:
            if point.value in SIZES[series.axis.split(",")[0].split()[0]]:
                one = f"{series.work} {show(point.seconds)}, {point.peak / 1e6:,.1f} MB"
                said.setdefault((series.axis, point.value), []).append(one)
    axes = list(dict.fromkeys(series.axis for series, _ in found))
    sizes = sorted(said, key=lambda size: (axes.index(size[0]), size[1]))
    return [f"- **{value:,} {axis}**: {'; '.join(said[axis, value])}." for axis, value in sizes]


def steep(found: Sequence[tuple[Series, list[Point]]]) -> list[str]:
    """The series that cost more than linear: each with its reason, what plain work takes, and what most of it is."""
    return [
        f"- **{one.work}**, {one.axis}, slope {slope(points, time_of):.2f}, "
        f"last tenfold {last_tenfold(points, time_of):.1f} x: {one.steep}.{beside(one, points)}{parts(one, points)}"
        for one, points in found
        if is_steep(points)
    ]


def beside(series: Series, points: Sequence[Point]) -> str:
    """The seconds of the plain work alone, for the largest value and a tenth of it."""
    if series.alone is None:
        return ""
    tenth, last = ends_of_tenfold(points)
    few, many = (timed(series.alone.make(value)) for value in (tenth, last))
    return (
        f" {series.alone.what} alone: {show(few)} for {tenth:,}, {show(many)} for {last:,}, {many / few:.1f} x; "
        f"the whole is {points[-1].seconds / many:.1f} times that."
    )


def ends_of_tenfold(points: Sequence[Point]) -> tuple[int, int]:
    """The largest value, and the one that is a tenth of it, or next above a tenth."""
    last = points[-1].value
    return next(point.value for point in points if 10 * point.value >= last), last


def parts(series: Series, points: Sequence[Point]) -> str:
    """The functions that most of the last tenfold is spent in, by a profile of its two ends."""
    named = largest_parts(*(series.make(value) for value in ends_of_tenfold(points)))
    return f" Under a profiler: {named}." if named else ""


def ended(found: Sequence[tuple[Series, list[Point]]]) -> list[str]:
    """Which series ended before the value that they were meant to reach, and why the others ended where they did."""
    return [
        f"- **{series.work}**, {series.axis}, at {points[-1].value:,} of {series.values[-1]:,}: "
        f"the next call was expected to take {show(expected(points))} or more."
        if points[-1].value < series.values[-1]
        else f"- **{series.work}**, {series.axis}, at {points[-1].value:,}: {series.ends}."
        for series, points in found
        if points[-1].value < series.values[-1] or series.ends
    ]


def growth(report: Report) -> None:
    """All series with their slopes, and what they mean."""
    began = time.perf_counter()
    found: list[tuple[Series, list[Point]]] = []
    with tempfile.TemporaryDirectory() as folder:
        for series in all_series(Path(folder)):
            found.append((series, measured(series)))
            row(report, *found[-1])
        above = steep(found)  # by the same rows, some of them in files
    report.pictures.append(draw)
    for title, lines in (
        ("What it means for a table", meanings(found)),
        ("Where it is more than linear", above),
        ("Where a series ended sooner, and why", ended(found)),
    ):
        report.say(f"\n### {title}\n")
        report.say("\n".join(lines) or "Nowhere.")
    report.say(f"\nMeasured in {show(time.perf_counter() - began)}; a slope of 1 is linear.")
