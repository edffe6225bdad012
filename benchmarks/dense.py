"""Dense tables: breast cancer to its clean pass, MNIST with two and with ten classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import Perceptron as ScikitPerceptron
from sklearn.preprocessing import StandardScaler

from benchmarks.data import loaders
from benchmarks.limits import compare_all, multiply_adds, reads
from benchmarks.timing import Report
from linsep.kernels.linear.epoch import plain_epochs
from linsep.learners import Perceptron
from linsep.passes import RECORD, Rows


def plain_run(X: Any, codes: Any, epochs: int) -> None:
    """The plain loop of the perceptron, without skipping."""
    w, b = np.zeros(X.shape[1], X.dtype), np.zeros(1, X.dtype)
    record = np.zeros((epochs, len(RECORD)))
    plain_epochs(Rows(X, codes), 0.0, w, b, 1.0, None, 0, np.empty(0), record, 0)


def breast_cancer(report: Report) -> None:
    """The run of the README: 217,171 epochs, most rows skipped."""
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    ours = Perceptron(max_iter=None).fit(X, y)
    saved = ours.n_iter_ * len(X) / ours.trace_.total_dots
    report.compare(
        f"breast cancer to its clean pass ({ours.n_iter_:,} epochs)",
        lambda: ours.fit(X, y),
        "our plain loop",
        lambda: plain_run(X, 2.0 * y - 1.0, ours.n_iter_),
        3,
        limit=lambda: compare_all(np.linspace(1.0, 2.0, len(X)), 0.5, ours.n_iter_),
        limit_is="a comparison for each row of each pass",
        note=lambda: f"{saved:.1f} times fewer dot products (10 wanted)",
    )


def mnist(report: Report) -> None:
    """The same epochs in the same order as scikit-learn, so the weights are the same as well."""
    X, y = loaders().mnist()
    X = X.astype(np.float32)
    even = (y % 2 == 0).astype(int)
    codes = 2.0 * even - 1.0
    ours, theirs = Perceptron(max_iter=10), ScikitPerceptron(shuffle=False, tol=None, max_iter=10)
    many, their_many = Perceptron(max_iter=10), ScikitPerceptron(shuffle=False, tol=None, max_iter=10)
    report.compare(
        "MNIST even/odd, 10 epochs, in order",
        lambda: ours.fit(X, even),
        "scikit-learn",
        lambda: theirs.fit(X, even),
        6,
        limit=reads(X, 10),
        limit_is="10 plain reads of X",
        note=lambda: f"{np.mean(ours.coef_ == theirs.coef_):.0%} of the weights identical",
    )
    noise = np.random.default_rng(0).integers(0, 2, len(y))
    report.compare(
        "MNIST with random labels, 10 epochs, in order",
        lambda: ours.fit(X, noise),
        "scikit-learn",
        lambda: theirs.fit(X, noise),
        5,
        limit=reads(X, 10),
        limit_is="10 plain reads of X",
        note=lambda: (
            f"{ours.n_mistakes_ / (10 * len(y)):.0%} of the visits are mistakes; "
            f"{np.mean(ours.coef_ == theirs.coef_):.0%} of the weights identical"
        ),
    )
    report.compare(
        "MNIST even/odd, the passes alone",
        lambda: plain_run(X, codes, 10),
        "10 plain reads of X",
        reads(X, 10),
        1 / 1.3,
    )
    report.compare(
        "MNIST, 10 classes one-vs-rest, 10 epochs, in order",
        lambda: many.fit(X, y),
        "scikit-learn",
        lambda: their_many.fit(X, y),
        20,
        limit=multiply_adds(X, 10, 10),
        limit_is="the same multiply-adds in one BLAS product",
        note=lambda: f"{np.mean(many.coef_ == their_many.coef_):.0%} of the weights identical",
    )
