"""Sparse tables: flights (many short rows), SpamAssassin and 20 Newsgroups (words)."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.linear_model import Perceptron as ScikitPerceptron
from sklearn.linear_model import SGDClassifier

from benchmarks.data import Split, accuracies, loaders, newsgroups
from benchmarks.limits import gathers
from benchmarks.timing import Report, spread
from linsep.learners import AveragedPerceptron, Perceptron


def flights(report: Report) -> None:
    """Three million rows of six ones each, too many to stay in any cache."""
    X, y = loaders().flights_3m()
    for shuffle, wanted in ((False, 2.0), (True, 10.0)):
        ours = Perceptron(max_iter=3, shuffle=shuffle, random_state=0)
        theirs = ScikitPerceptron(max_iter=3, tol=None, shuffle=shuffle, random_state=0)
        report.compare(
            f"flights {X.shape[0]:,} x {X.shape[1]} CSR, 3 epochs, {'shuffled' if shuffle else 'in order'}",
            partial(ours.fit, X, y),
            "scikit-learn",
            partial(theirs.fit, X, y),
            wanted,
            limit=gathers(X, 3),
            limit_is="3 passes of gathers in order",
        )


def text(report: Report) -> None:
    """SpamAssassin to its clean pass, 20 Newsgroups averaged."""
    mails, y = loaders().spamassassin()
    X = loaders().bow(mails, min_df=2).astype(np.float64)
    ours = Perceptron(max_iter=None).fit(X, y)
    theirs = ScikitPerceptron(shuffle=False, tol=None, max_iter=ours.n_iter_)
    report.compare(
        f"SpamAssassin {X.shape[0]:,} x {X.shape[1]:,} to a clean pass ({ours.n_iter_} epochs)",
        lambda: ours.fit(X, y),
        "scikit-learn, the same epochs",
        lambda: theirs.fit(X, y),
        1.5,
        limit=gathers(X, ours.n_iter_),
        limit_is=f"{ours.n_iter_} passes of gathers",
    )
    data = newsgroups()
    averaged = AveragedPerceptron(max_iter=10, random_state=0, fit_intercept=False)
    sgd = SGDClassifier(
        loss="perceptron",
        average=True,
        learning_rate="constant",
        eta0=1.0,
        penalty=None,
        max_iter=10,
        tol=None,
        random_state=0,
        fit_intercept=False,
    )
    report.compare(
        f"20 Newsgroups tf-idf {data.size}, 20 classes, averaged, no intercept, 10 epochs",
        lambda: averaged.fit(data.X, data.y),
        "SGDClassifier",
        lambda: sgd.fit(data.X, data.y),
        8,
        limit=gathers(data.X, 10, 20),
        limit_is="10 passes of gathers for 20 classes",
        note=lambda: f"test accuracy of five seeds {_five(averaged, data)}, peer {_five(sgd, data)}",
    )


def _five(learner: Any, data: Split) -> str:
    return spread(accuracies((learner.set_params(random_state=seed).fit(data.X, data.y) for seed in range(5)), data))
