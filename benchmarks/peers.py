"""Test accuracy and time to fit, side by side with scikit-learn and LIBLINEAR, each with what its makers chose.

Every online learner makes ten shuffled epochs (Voted and Rocchio one pass), scikit-learn's as well; nothing is tuned
for a data set. Each timed run has a seed of its own, so that the accuracies tell what the order of the rows does.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Self

import numpy as np
from liblinear.liblinearutil import predict as liblinear_predict
from liblinear.liblinearutil import train as liblinear_train
from sklearn.linear_model import Perceptron as ScikitPerceptron
from sklearn.linear_model import SGDClassifier
from sklearn.svm import LinearSVC

from benchmarks.data import Split, accuracies, mnist, newsgroups, spamassassin, sparse
from benchmarks.last import Ratio
from benchmarks.timing import Report, in_turn, seconds, show, show_median, spread
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
# The peer whose time to fit stands in the ratios: it makes as many epochs.
PEER = "scikit-learn Perceptron"


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


def learners(intercept: bool) -> dict[str, Callable[[int], Any]]:
    """The field, by the names of the table; each is made from a seed."""
    ours: dict[str, Any] = {"max_iter": 10, "fit_intercept": intercept}
    theirs: dict[str, Any] = {"max_iter": 10, "tol": None}
    averaged = {"loss": "perceptron", "average": True, "learning_rate": "constant", "eta0": 1.0, "penalty": None}
    return {
        "linsep Perceptron": lambda seed: Perceptron(shuffle=True, random_state=seed, **ours),
        "linsep AveragedPerceptron": lambda seed: AveragedPerceptron(random_state=seed, **ours),
        "linsep MarginPerceptron": lambda seed: MarginPerceptron(random_state=seed, **ours),
        "linsep PassiveAggressive, pa": lambda seed: PassiveAggressive(variant="pa", random_state=seed, **ours),
        "linsep PassiveAggressive, pa1": lambda seed: PassiveAggressive(variant="pa1", random_state=seed, **ours),
        "linsep PassiveAggressive, pa2": lambda seed: PassiveAggressive(variant="pa2", random_state=seed, **ours),
        "linsep VotedPerceptron, 1 epoch": lambda seed: VotedPerceptron(fit_intercept=intercept, random_state=seed),
        "linsep Rocchio": lambda seed: Rocchio(fit_intercept=intercept),
        PEER: lambda seed: ScikitPerceptron(random_state=seed, **theirs),
        "scikit-learn SGDClassifier, averaged perceptron": lambda seed: SGDClassifier(
            random_state=seed, **averaged, **theirs
        ),
        "scikit-learn LinearSVC": lambda seed: LinearSVC(random_state=seed),
        "LIBLINEAR -s 1 (its default)": lambda seed: Liblinear("-s 1"),
        "LIBLINEAR -s 2 (primal)": lambda seed: Liblinear("-s 2"),
    }


def peers(report: Report) -> None:
    """Fit and judge the field on SpamAssassin, 20 Newsgroups and MNIST."""
    for read, text in ((spamassassin, True), (newsgroups, True), (mnist, False)):
        _field(report, read(), text)


def _field(report: Report, data: Split, text: bool) -> None:
    """On text ours are judged without an intercept and with one; the times are those without."""
    field = learners(intercept=not text)
    few = slice(None, None, max(1, len(data.y) // 500))
    for make in field.values():
        make(0).fit(data.X[few], data.y[few])  # compiles what is to be compiled
    fitted: dict[str, list[Any]] = {name: [] for name in field}

    def fit_next(name: str) -> None:
        fitted[name].append(field[name](len(fitted[name])).fit(data.X, data.y))

    times = in_turn([partial(fit_next, name) for name in field], PATIENCE)
    title = f"{data.name} {data.size}, {data.X_test.shape[0]:,} test rows, {len(np.unique(data.y))} classes"
    theirs = times[list(field).index(PEER)]
    for (name, models), took in zip(fitted.items(), times, strict=True):
        predict_s = seconds(partial(models[0].predict, data.X_test))
        judged = _judge(name, models, data, text)
        cells: dict[str, object] = {
            "learner": name,
            "fit": show_median(took),
            "ratio": Ratio(took, theirs) if name.startswith("linsep") else "",
            "predict": show(predict_s),
        }
        cells |= {column: spread(scores) if scores else "" for column, scores in judged.items()}
        report.row(title, cells, {"learner": name, "fit_s": took, "predict_s": predict_s, **judged})


def _judge(name: str, models: list[Any], data: Split, text: bool) -> dict[str, list[float]]:
    """Accuracies by column; on text a peer stands in that of its default: only LIBLINEAR has no intercept."""
    scores = accuracies(models, data)
    if not text:
        return {"test accuracy": scores}
    without, with_one = "test accuracy, no intercept", "with an intercept"
    if name.startswith("linsep"):
        others = [learners(intercept=True)[name](seed).fit(data.X, data.y) for seed in range(len(models))]
        return {without: scores, with_one: accuracies(others, data)}
    return {without: scores, with_one: []} if name.startswith("LIBLINEAR") else {without: [], with_one: scores}
