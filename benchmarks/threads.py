"""Two threads against one: the same weights, and how much of the second core turns into time saved.

The processor time is told as well: two threads that need twice that of one save nothing however free the cores are.
"""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np

from benchmarks.data import Split, mnist, newsgroups
from benchmarks.timing import Report, Work, show
from linsep.learners import AveragedPerceptron, Perceptron


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
