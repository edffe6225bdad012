"""Two threads or processes against one: the same results, and how much of the second core turns into time saved.

The processor time is told as well: two threads that need twice that of one save nothing however free the cores are.
"""

from __future__ import annotations

import os
import time
from functools import partial
from typing import Any

import numpy as np

from benchmarks.data import Split, mnist, mnist_pixels, newsgroups
from benchmarks.separation import factors
from benchmarks.timing import Report, Work, show
from linsep import separability_one_vs_rest, separation_scan
from linsep.learners import AveragedPerceptron, Perceptron

_ROWS = 10_000


def threads(report: Report) -> None:
    """Fit and predict with n_jobs=1 and n_jobs=2."""
    _both(report, mnist(), Perceptron, {"max_iter": 10}, 1.8)
    _both(report, newsgroups(), AveragedPerceptron, {"max_iter": 10, "random_state": 0, "fit_intercept": False}, 1.7)


def _both(report: Report, data: Split, kind: Any, parameters: dict[str, Any], wanted: float) -> None:
    one, two = kind(n_jobs=1, **parameters), kind(n_jobs=2, **parameters)
    work = f"{data.name}, {len(np.unique(data.y))} classes, {kind.__name__}, 10 epochs, n_jobs=2"
    cores = len(os.sched_getaffinity(0))
    report.compare(
        work,
        lambda: two.fit(data.X, data.y),
        "n_jobs=1",
        lambda: one.fit(data.X, data.y),
        wanted,
        note=lambda: (
            f"identical weights: {np.array_equal(one.coef_, two.coef_)}; {cores} cores allowed; processor time "
            f"{show(_busy(lambda: two.fit(data.X, data.y)))} against {show(_busy(lambda: one.fit(data.X, data.y)))}"
        ),
    )
    report.compare(
        f"{data.name}, predict {data.X_test.shape[0]:,} rows, n_jobs=2",
        lambda: two.predict(data.X_test),
        "n_jobs=1",
        lambda: one.predict(data.X_test),
        note=lambda: f"identical: {np.array_equal(one.predict(data.X_test), two.predict(data.X_test))}",
    )


def _busy(work: Work) -> float:
    """Seconds of processor time, of all threads together."""
    began = time.process_time()
    work()
    return time.process_time() - began


def processes(report: Report) -> None:
    """Several questions with n_jobs=1 and n_jobs=2, whose processes have been started before."""
    pixels = mnist_pixels()
    X, y = pixels.X[:_ROWS], pixels.y[:_ROWS]
    _questions(report, f"{pixels.name}-{_ROWS:,}, separability of 10 classes", separability_one_vs_rest, X, y)
    drawn = [factors(100_000, (5_000, 5_000), 2, seed=k) for k in range(10)]
    apart, y = [X for X, _ in drawn], drawn[0][1]
    _questions(
        report,
        "separation_scan, 10 of 100,000 x 10,000, two factors and 2 numbers each",
        separation_scan,
        apart,
        y,
    )
    rng = np.random.default_rng(9)
    base = rng.normal(size=(20_000, 20))
    y = (rng.random(20_000) < 1 / (1 + np.exp(-base[:, 0]))).astype(int)
    alike = [np.column_stack([base, rng.integers(0, 3, 20_000)]) for _ in range(50)]
    _questions(report, "separation_scan, 50 of 20,000 x 21, all but one in common", separation_scan, alike, y)


def _questions(report: Report, work: str, ask: Any, rows: Any, y: Any) -> None:
    def same() -> str:
        one, two = ask(rows, y), ask(rows, y, n_jobs=2)
        verdicts = all(one[k].verdict == two[k].verdict for k in one)
        proofs = all(one[k].to_json() == two[k].to_json() for k in one)
        return f"same verdicts: {verdicts}; same certificates: {proofs}"

    two = partial(ask, rows, y, n_jobs=2)
    report.compare(f"{work}, n_jobs=2", two, "n_jobs=1", partial(ask, rows, y), 1.8, note=same)
