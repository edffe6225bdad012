"""Two threads against one: the same weights, sooner where the classes keep both busy."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from benchmarks.data import Split, mnist, newsgroups
from benchmarks.timing import Report
from linsep.learners import AveragedPerceptron, Perceptron


def threads(report: Report) -> None:
    """Fit and predict with n_jobs=1 and n_jobs=2."""
    _both(report, mnist(), Perceptron, {"max_iter": 10})
    _both(report, newsgroups(), AveragedPerceptron, {"max_iter": 10, "random_state": 0, "fit_intercept": False})


def _both(report: Report, data: Split, kind: Any, parameters: dict[str, Any]) -> None:
    one, two = kind(n_jobs=1, **parameters), kind(n_jobs=2, **parameters)
    work = f"{data.name}, {len(np.unique(data.y))} classes, {kind.__name__}, 10 epochs, n_jobs=2"
    cores = len(os.sched_getaffinity(0))
    report.compare(
        work,
        lambda: two.fit(data.X, data.y),
        "n_jobs=1",
        lambda: one.fit(data.X, data.y),
        note=lambda: f"identical weights: {np.array_equal(one.coef_, two.coef_)}; {cores} cores allowed",
    )
    report.compare(
        f"{data.name}, predict {data.X_test.shape[0]:,} rows, n_jobs=2",
        lambda: two.predict(data.X_test),
        "n_jobs=1",
        lambda: one.predict(data.X_test),
        note=lambda: f"identical: {np.array_equal(one.predict(data.X_test), two.predict(data.X_test))}",
    )
