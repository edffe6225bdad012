"""One row at a time, 20 features: learn and predict, the way a stream comes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from river import linear_model
from sklearn.linear_model import Perceptron as ScikitPerceptron

from benchmarks.timing import Report, Work
from linsep.learners import Perceptron

N_FEATURES = 20
ROWS = 5_000
ROWS_FOR_SCIKIT = 1_000


def stream(n_rows: int) -> tuple[Any, list[dict[str, float]], list[int]]:
    """Normal rows with noisy labels, as an array and as dicts."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, N_FEATURES))
    y = (X @ rng.normal(size=N_FEATURES) + rng.normal(size=n_rows) > 0).astype(int)
    names = [f"feature_{j}" for j in range(N_FEATURES)]
    return X, [dict(zip(names, row, strict=True)) for row in X.tolist()], y.tolist()


def each(make: Callable[[], Any], rows: Any, y: list[int]) -> Work:
    """A fresh model that predicts every row and then learns it."""

    def work() -> None:
        model = make()
        predict, learn = model.predict_one, model.learn_one
        learn(rows[0], 0)
        learn(rows[0], 1)
        for x, label in zip(rows, y, strict=True):
            predict(x)
            learn(x, label)

    return work


def each_scikit(X: Any, y: list[int]) -> Work:
    """The same with scikit-learn: one `predict` and one `partial_fit` of one row each."""

    def work() -> None:
        model = ScikitPerceptron().partial_fit(X[:2], [0, 1], classes=[0, 1])
        for i, label in enumerate(y):
            model.predict(X[i : i + 1])
            model.partial_fit(X[i : i + 1], [label])

    return work


def online(report: Report) -> None:
    """Dicts against River, rows against scikit-learn."""
    X, dicts, y = stream(ROWS)
    report.compare(
        f"{ROWS:,} dicts of {N_FEATURES} features, predict_one and learn_one of each",
        each(Perceptron, dicts, y),
        "River",
        each(linear_model.Perceptron, dicts, y),
        1,
    )
    X, _, y = stream(ROWS_FOR_SCIKIT)
    report.compare(
        f"{ROWS_FOR_SCIKIT:,} rows of {N_FEATURES} features, predict_one and learn_one of each",
        each(Perceptron, list(X), y),
        "scikit-learn predict and partial_fit",
        each_scikit(X, y),
        50,
    )
