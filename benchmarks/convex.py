"""Descent beside scikit-learn's, all five losses, on rows like text and on a dense table."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.linear_model import SGDClassifier as ScikitSGD

from benchmarks.limits import products
from benchmarks.parts import parts_of, row_of_parts
from benchmarks.timing import Report, Work, show
from linsep.learners import SGDClassifier
from linsep.learners.linear import sgd

EPOCHS = 10
WANTED = 2
TITLE = f"Parts of a fit of {EPOCHS} epochs"
PARTS: dict[str, tuple[Any, str]] = {
    "rows and labels checked": (SGDClassifier, "rows_to_fit"),
    "norms of rows, G": (SGDClassifier, "prepare"),
    "orders": (SGDClassifier, "visiting_order"),
    "passes": (sgd, "sgd_passes"),
    "mean, guarantee, trace": (SGDClassifier, "_end"),
}
# scikit-learn has all five losses, under names of its own; its squared error is half of ours.
LOSSES = {
    "perceptron": "perceptron",
    "hinge": "hinge",
    "logistic": "log_loss",
    "squared_hinge": "squared_hinge",
    "squared": "squared_error",
}
# What a step costs must not depend on the mean or the ball; scikit-learn has no ball.
RUNS: tuple[tuple[str, dict[str, Any], dict[str, Any]], ...] = (
    ("", {"average": None}, {}),
    (", averaged", {"average": "uniform"}, {"average": True}),
    (
        ", averaged, eta0 = B / (G sqrt T), in the ball",
        {"average": "uniform", "projection_radius": 1.0, "eta0": "auto"},
        {"average": True},
    ),
)


def _zipf_text(n: int, p: int) -> tuple[Any, Any]:
    """Counts of about 50 words a document, P(word j) proportional to 1 / j, and the sides of a random plane."""
    rng = np.random.default_rng(0)
    lengths = 1 + rng.poisson(49, n)
    frequency = 1 / np.arange(1.0, p + 1)
    drawn = rng.choice(p, size=int(lengths.sum()), p=frequency / frequency.sum())
    X = sparse.coo_matrix((np.ones(len(drawn)), (np.repeat(np.arange(n), lengths), drawn)), shape=(n, p)).tocsr()
    z = X @ rng.standard_normal(p)
    return X, np.where(z > np.median(np.asarray(z)), 1, -1)


def convex(report: Report) -> None:
    """Plain, averaged and projected."""
    X, y = _zipf_text(20_000, 50_000)
    # Steps this short, so that the squared losses do not diverge.
    shape = f"text-like {X.shape[0]:,} x {X.shape[1]:,}, {X.nnz / X.shape[0]:.0f} words a row"
    _compare(report, shape, X, y, 0.01)
    for loss in ("perceptron", "logistic"):
        for words, ours, _ in RUNS:
            learner = SGDClassifier(loss, **_common(0.01) | ours)
            row_of_parts(report, TITLE, ("descent on text", f"{loss}{words}"), _fit(learner, X, y), PARTS)
    X, y = table()
    _compare(report, f"dense {X.shape[0]:,} x {X.shape[1]}", X, y, 0.001)


def table(n: int = 100_000, p: int = 50) -> tuple[Any, Any]:
    """Normal rows with noisy labels."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    return X, (X @ rng.normal(size=p) + 3 * rng.normal(size=n) > 0).astype(int)


def _compare(report: Report, shape: str, X: Any, y: Any, eta0: float) -> None:
    common = _common(eta0)
    peer: dict[str, Any] = {**common, "tol": None, "alpha": 0.0, "learning_rate": "constant"}
    for loss, theirs in LOSSES.items():
        for words, ours, more in RUNS:
            learner = SGDClassifier(loss, **common | ours).fit(X, y)
            share, n_vectors = learner.n_updates_ / learner.t_, 1 if learner.average is None else 2
            report.compare(
                f"{shape}, {loss}, {EPOCHS} epochs{words}",
                _fit(learner, X, y),
                "SGDClassifier, no ball",
                _fit(ScikitSGD(loss=theirs, **peer, **more), X, y),
                WANTED,
                limit=products(X, EPOCHS, share, n_vectors),
                limit_is=f"products, and {share:.0%} of the rows added to {n_vectors} vector{'s' * (n_vectors - 1)}",
                note=partial(passes_alone, learner, X, y),
            )


def _common(eta0: float) -> dict[str, Any]:
    return {"max_iter": EPOCHS, "fit_intercept": False, "eta0": eta0, "random_state": 0}


def passes_alone(learner: Any, X: Any, y: Any) -> str:
    """What the passes of a fit take, in their kernel."""
    return f"the passes {show(parts_of(lambda: learner.fit(X, y), PARTS)['passes'])}"


def _fit(learner: Any, X: Any, y: Any) -> Work:
    return lambda: np.asarray(learner.fit(X, y).coef_)
