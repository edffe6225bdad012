"""Descent on the hinge loss beside scikit-learn's, on rows like text: what a step costs must not depend on the ball."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.linear_model import SGDClassifier as ScikitSGD

from benchmarks.timing import Report, Work
from linsep.data.synthetic.bulk import make_zipf_text
from linsep.learners import SGDClassifier

EPOCHS = 10


def convex(report: Report) -> None:
    """Plain, averaged and projected; scikit-learn has no ball."""
    X, y = make_zipf_text(20_000, 50_000, random_state=0)[:2]
    X.sort_indices()
    common: dict[str, Any] = {"max_iter": EPOCHS, "fit_intercept": False, "eta0": 0.1, "random_state": 0}
    peer: dict[str, Any] = {**common, "tol": None, "alpha": 0.0, "learning_rate": "constant"}
    shape = f"text-like {X.shape[0]:,} x {X.shape[1]:,}, {X.nnz / X.shape[0]:.0f} words a row, hinge, {EPOCHS} epochs"
    for words, ours, theirs in (
        ("", {"average": None}, {}),
        (", averaged", {"average": "uniform"}, {"average": True}),
        (
            ", averaged, eta0 = B / (G sqrt T), in the ball",
            {"average": "uniform", "projection_radius": 1.0, "eta0": "auto"},
            {"average": True},
        ),
    ):
        learner = SGDClassifier(**common | ours)
        report.compare(
            shape + words,
            _fit(learner, X, y),
            "SGDClassifier, no ball",
            _fit(ScikitSGD(**peer, **theirs), X, y),
            note=partial(_moved, learner),
        )


def _moved(learner: Any) -> str:
    return f"{learner.n_updates_ / learner.t_:.0%} of the steps move w"


def _fit(learner: Any, X: Any, y: Any) -> Work:
    return lambda: np.asarray(learner.fit(X, y).coef_)
