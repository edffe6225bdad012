"""Test accuracy and time to fit, side by side with scikit-learn and LIBLINEAR, each with what its makers chose.

Every online learner makes ten shuffled epochs (Voted and Rocchio one pass), scikit-learn's as well; nothing is tuned
for a data set. On text ours have no intercept: rows of length one move w by little and an intercept by 1.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Self

import numpy as np
from liblinear.liblinearutil import predict as liblinear_predict
from liblinear.liblinearutil import train as liblinear_train
from sklearn.linear_model import Perceptron as ScikitPerceptron
from sklearn.linear_model import SGDClassifier
from sklearn.svm import LinearSVC

from benchmarks.data import Split, mnist, newsgroups, spamassassin, sparse
from benchmarks.timing import Report, in_turn, seconds, show, show_median
from linsep.learners import (
    AveragedPerceptron,
    MarginPerceptron,
    PassiveAggressive,
    Perceptron,
    Rocchio,
    VotedPerceptron,
)

# Seconds of fitting after which a learner has had its share.
PATIENCE = 8.0


class Liblinear:
    """LIBLINEAR's own Python interface, as fit and predict; turning rows into its own form is part of the time."""

    def __init__(self, options: str) -> None:
        self.options = options

    def fit(self, X: Any, y: Any) -> Self:
        """Train on a copy in LIBLINEAR's own form, which it makes from CSR in float64."""
        self.model = liblinear_train(y.astype(float), sparse(X), f"{self.options} -q")
        return self

    def predict(self, X: Any) -> Any:
        """Labels of the rows."""
        return np.asarray(liblinear_predict([], sparse(X), self.model, "-q")[0]).astype(int)


def learners(intercept: bool) -> dict[str, Any]:
    """The field, by the names of the table."""
    ours: dict[str, Any] = {"max_iter": 10, "fit_intercept": intercept, "random_state": 0}
    theirs: dict[str, Any] = {"max_iter": 10, "tol": None, "random_state": 0}
    averaged = {"loss": "perceptron", "average": True, "learning_rate": "constant", "eta0": 1.0, "penalty": None}
    return {
        "linsep Perceptron": Perceptron(shuffle=True, **ours),
        "linsep AveragedPerceptron": AveragedPerceptron(**ours),
        "linsep MarginPerceptron": MarginPerceptron(**ours),
        "linsep PassiveAggressive, pa": PassiveAggressive(variant="pa", **ours),
        "linsep PassiveAggressive, pa1": PassiveAggressive(variant="pa1", **ours),
        "linsep PassiveAggressive, pa2": PassiveAggressive(variant="pa2", **ours),
        "linsep VotedPerceptron, 1 epoch": VotedPerceptron(fit_intercept=intercept, random_state=0),
        "linsep Rocchio": Rocchio(),
        "scikit-learn Perceptron": ScikitPerceptron(**theirs),
        "scikit-learn SGDClassifier, averaged perceptron": SGDClassifier(**averaged, **theirs),
        "scikit-learn LinearSVC": LinearSVC(random_state=0),
        "LIBLINEAR -s 1 (its default)": Liblinear("-s 1"),
        "LIBLINEAR -s 2 (primal)": Liblinear("-s 2"),
    }


def peers(report: Report) -> None:
    """Fit and judge the field on SpamAssassin, 20 Newsgroups and MNIST."""
    for read, intercept in ((spamassassin, False), (newsgroups, False), (mnist, True)):
        _field(report, read(), intercept)


def _field(report: Report, data: Split, intercept: bool) -> None:
    field = learners(intercept)
    few = slice(None, None, max(1, len(data.y) // 500))
    for learner in field.values():
        learner.fit(data.X[few], data.y[few])  # compiles what is to be compiled
    times = in_turn([partial(learner.fit, data.X, data.y) for learner in field.values()], PATIENCE)
    size = f"{data.name} {data.size}, {data.X_test.shape[0]:,} test rows"
    for (name, learner), took in zip(field.items(), times, strict=True):
        predict_s = seconds(partial(learner.predict, data.X_test))
        accuracy = float(np.mean(learner.predict(data.X_test) == data.y_test))
        report.row(
            f"{size}, {len(np.unique(data.y))} classes" + ("" if intercept else ", ours without an intercept"),
            {"learner": name, "fit": show_median(took), "predict": show(predict_s), "test accuracy": f"{accuracy:.4f}"},
            {"learner": name, "fit_s": took, "predict_s": predict_s, "accuracy": accuracy},
        )
