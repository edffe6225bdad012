"""How time and memory grow with rows, columns, stored entries, classes and epochs: slopes on log-log axes.

All rows are made on the fly. A series ends where one call takes longer than its share of patience, so that the suite
ends after some minutes on any machine; the slope is that of the larger half of what was measured, where constant costs
no longer count.
"""

from __future__ import annotations

import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from benchmarks.growth_picture import draw
from benchmarks.timing import Report, seconds, show
from linsep import AveragedPerceptron, Perceptron, fit_stream, max_margin, separability, separation

PATIENCE = 6.0  # seconds that one call may take; the next larger one is not made then
MOST_RUNS, ENOUGH = 5, 1.0  # a call is repeated so often, or until it has had so many seconds
Work = Callable[[], Any]
Make = Callable[[int], Work]


class Series(NamedTuple):
    """What is done, what grows, its values, what makes the work of a value, and what the growth means for a table."""

    work: str
    axis: str
    values: Sequence[int]
    make: Make
    meaning: str


class Point(NamedTuple):
    """A value, the median seconds of the work, and the most memory that it took beside its input, in bytes."""

    value: int
    seconds: float
    peak: int


# ------------------------------------------------------------------------- rows
def dense(n: int, p: int = 10, classes: int = 2, seed: int = 0) -> tuple[Any, Any]:
    """Rows of numbers whose classes a plane separates but for a tenth of the rows."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p), dtype=np.float32)
    if classes > 2:
        return X, rng.integers(0, classes, n)
    y = np.where(X[:, 0] > 0, 1, -1)
    return X, np.where(rng.random(n) < 0.1, -y, y)


def sparse(n: int, p: int, each: int = 20) -> tuple[Any, Any]:
    """Rows of `each` ones in places drawn at random."""
    rng = np.random.default_rng(0)
    indices = rng.integers(0, p, n * each, dtype=np.int32)
    X = sp.csr_matrix((np.ones(n * each, np.float32), indices, np.arange(0, n * each + 1, each)), shape=(n, p))
    return X, np.where(indices[::each] < p // 2, 1, -1)


def parted(n: int, gap: float, p: int = 10) -> tuple[Any, Any]:
    """Rows on both sides of a plane, with a gap between them (0.0: some rows touch it from both sides)."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    y = np.where(X[:, 0] > 0, 1, -1)
    X[:, 0] += gap * y
    if gap == 0.0:
        X[:10, 0] = 0.0
        y[:10] = [-1, 1] * 5
    return X, y


# --------------------------------------------------------------------- the works
def fitted(rows: tuple[Any, Any], **options: Any) -> Work:
    """Five epochs unless asked for others."""
    learner = AveragedPerceptron(**{"max_iter": 5, "shuffle": False, **options})
    return partial(learner.fit, *rows)


def predicted(n: int) -> Work:
    """Labels of n rows."""
    X, y = dense(n)
    return partial(Perceptron(max_iter=1).fit(X[:1000], y[:1000]).predict, X)


def streamed(n: int, folder: Path) -> Work:
    """One pass over a CSV file of n rows of ten numbers."""
    X, y = dense(n)
    path = folder / f"{n}.csv"
    np.savetxt(path, np.column_stack([X, y]), delimiter=",", fmt="%.4g", header=",".join("abcdefghijy"), comments="")
    return partial(fit_stream, str(path), target="y")


def dummies(n: int) -> Work:
    """A logistic regression on three numbers and a factor of a hundred levels."""
    rng = np.random.default_rng(0)
    level = rng.integers(0, 100, n)
    numbers = sp.csr_matrix(rng.standard_normal((n, 3)))
    X = sp.hstack([numbers, sp.csr_matrix((np.ones(n), (np.arange(n), level)))], format="csr")
    y = (rng.random(n) < 0.5).astype(int)
    y[level == 7] = 1
    return partial(separation, X, y)


def _decided(gap: float, n: int) -> Work:
    return partial(separability, *parted(n, gap))


def powers(low: float, high: float) -> list[int]:
    """1, 3, 10, 30, ..."""
    every = [int(d * 10**e) for e in range(8) for d in (1, 3)]
    return [value for value in every if low <= value <= high]


def all_series(folder: Path) -> Iterator[Series]:
    """What is measured."""
    linear = "an epoch reads each stored number once"
    yield Series("fit, dense", "rows, 10 columns", powers(1e3, 1e7), lambda n: fitted(dense(n)), linear)
    yield Series("fit, dense", "columns, 1,000 rows", powers(10, 1e5), lambda p: fitted(dense(1000, p)), linear)
    yield Series(
        "fit, sparse", "stored entries, 20 a row", powers(2e4, 2e8), lambda e: fitted(sparse(e // 20, 10_000)), linear
    )
    yield Series(
        "fit, sparse",
        "columns, 100,000 rows of 20 entries",
        powers(1e3, 1e6),
        lambda p: fitted(sparse(100_000, p)),
        "columns without entries cost nothing; more of them miss the cache",
    )
    yield Series(
        "fit, one-vs-rest",
        "classes, 20,000 x 50",
        powers(2, 1000),
        lambda k: fitted(dense(20_000, 50, k)),
        "each class has a plane of its own",
    )
    yield Series(
        "fit, all epochs", "epochs, 10,000 x 10", powers(1, 3000), lambda e: fitted(dense(10_000), max_iter=e), linear
    )
    yield Series("predict", "rows, 10 columns", powers(1e3, 1e7), predicted, "one product with the weights")
    yield Series(
        "fit --stream of CSV",
        "rows, 10 columns",
        powers(1e3, 1e6),
        lambda n: streamed(n, folder),
        "memory does not grow: a stream may be endless",
    )
    for name, gap in (("separable", 0.05), ("quasi-separable", 0.0)):
        yield Series(
            f"separability, {name}",
            "rows, 10 columns",
            powers(1e3, 3e6),
            partial(_decided, gap),
            "a search, and a check of every row in whole numbers",
        )
    yield Series(
        "separability, inseparable",
        "rows, 10 columns",
        powers(1e3, 3e6),
        lambda n: partial(separability, *dense(n)),
        "a witness of a few rows is enough",
    )
    yield Series(
        "max_margin",
        "rows, 10 columns",
        powers(1e3, 1e6),
        lambda n: partial(max_margin, *parted(n, 0.3)),
        "few rows lie on the margin, the others are looked at to find them",
    )
    yield Series(
        "separation",
        "rows, 3 numbers and a factor of 100 levels",
        powers(1e3, 1e6),
        dummies,
        "what a regression needs to know before it is fitted",
    )


# --------------------------------------------------------------------- measured
def measured(series: Series) -> list[Point]:
    """Points until a call takes longer than the patience allows."""
    points: list[Point] = []
    for value in series.values:
        work = series.make(value)
        if not points:
            work()  # compiled here
        times = [seconds(work)]
        while len(times) < MOST_RUNS and sum(times) < ENOUGH:
            times.append(seconds(work))
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        work()
        peak = tracemalloc.get_traced_memory()[1] - before
        tracemalloc.stop()
        points.append(Point(value, median(times), peak))
        if times[0] > PATIENCE:
            break
    return points


def slope(points: Sequence[Point], of: Callable[[Point], float]) -> float:
    """That of log(seconds), or bytes, against log(value), by least squares over the larger half of the values."""
    large = points[len(points) // 2 :] if len(points) > 3 else points
    logs = np.log([[point.value, max(of(point), 1e-9)] for point in large])
    return float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0])


def growth(report: Report) -> None:
    """All series, with their slopes."""
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        for series in all_series(Path(folder)):
            points = measured(series)
            first, last = points[0], points[-1]
            cells = {
                "work": series.work,
                "what grows": series.axis,
                "from": f"{first.value:,}: {show(first.seconds)}",
                "to": f"{last.value:,}: {show(last.seconds)}",
                "slope of time": f"{slope(points, lambda point: point.seconds):.2f}",
                "memory beside the rows": f"{last.peak / 1e6:,.1f} MB",
                "slope of memory": f"{slope(points, lambda point: point.peak):.2f}",
                "why": series.meaning,
            }
            figures = {"work": series.work, "axis": series.axis, "points": [point._asdict() for point in points]}
            report.row("How cost grows", cells, figures)
    report.pictures.append(draw)
    report.say(f"\nMeasured in {show(time.perf_counter() - began)}; a slope of 1 is linear.")
