"""Sparse tables: flights and Census-Income (many short rows), SpamAssassin and 20 Newsgroups (words)."""

from __future__ import annotations

from functools import partial
from statistics import median
from typing import Any

import numpy as np
from sklearn.linear_model import Perceptron as ScikitPerceptron
from sklearn.linear_model import SGDClassifier

from benchmarks.data import Split, accuracies, loaders, mnist, newsgroups
from benchmarks.limits import gathers, multiply_adds, products
from benchmarks.parts import parts_of
from benchmarks.timing import RUNS, Report, seconds, show, spread
from linsep.kernels.linear.epoch import plain_epoch
from linsep.learners import AveragedPerceptron, Perceptron
from linsep.learners.base.loop import shuffled_order
from linsep.passes import NO_ORDER, NO_WEIGHTS
from linsep.types import OnesCSR

PARTS: dict[str, tuple[Any, str]] = {
    "rows and labels checked": (Perceptron, "rows_to_fit"),
    "are all 1": (Perceptron, "prepare"),
    "orders": (Perceptron, "visiting_order"),
    "passes": (Perceptron, "run"),
}


def flights(report: Report) -> None:
    """Three million rows of six ones each, too many to stay in any cache; Census-Income, 40 entries a row."""
    rows, late = loaders().flights_3m()
    _in_both_orders(report, "flights", rows, late, 3, (2.5, 12.0))
    _parts_of_flights(report, rows, late)
    census, income, _, _ = loaders().census_kdd_sparse()
    _in_both_orders(report, "Census-Income", census, income, 10, (2.5, None))


def _in_both_orders(
    report: Report, name: str, X: Any, y: Any, passes: int, wanted: tuple[float | None, float | None]
) -> None:
    for shuffle, least in zip((False, True), wanted, strict=True):
        ours = Perceptron(max_iter=passes, shuffle=shuffle, random_state=0)
        theirs = ScikitPerceptron(max_iter=passes, tol=None, shuffle=shuffle, random_state=0)
        report.compare(
            f"{name} {X.shape[0]:,} x {X.shape[1]} CSR, {passes} epochs, {'shuffled' if shuffle else 'in order'}",
            partial(ours.fit, X, y),
            "scikit-learn",
            partial(theirs.fit, X, y),
            least,
            limit=products(X, passes, 0.0, 1, shuffle=shuffle),
            limit_is=f"{passes} passes of products, {'shuffled' if shuffle else 'in order'}",
        )


def _parts_of_flights(report: Report, X: Any, y: Any) -> None:
    """What a fit consists of, and what a pass would take that makes no mistake: with the labels that w gives."""
    for shuffle in (False, True):
        learner = Perceptron(max_iter=3, shuffle=shuffle, random_state=0).fit(X, y)
        found = parts_of(partial(learner.fit, X, y), PARTS)
        b = learner.intercept_ - 0.5  # no decision value is 0, as all of these are whole numbers
        signs = np.where(learner.decision_function(X) - 0.5 > 0, 1.0, -1.0)
        order = shuffled_order(X.shape[0], np.random.RandomState(0)) if shuffle else NO_ORDER
        given = (OnesCSR(X.indices, X.indptr), signs, NO_WEIGHTS, order, 0.0, learner.coef_[0], b, 1.0, None, 0)
        assert plain_epoch(*given)[0] == 0
        clean = median(seconds(partial(plain_epoch, *given)) for _ in range(RUNS))
        cells = {
            "rows": "shuffled" if shuffle else "in order",
            **{name: show(part) for name, part in found.items()},
            "a pass without mistakes": show(clean),
            "mistakes of a pass": f"{learner.n_mistakes_ // learner.n_iter_:,}",
        }
        report.row(
            "Parts of a fit of flights, 3 epochs", cells, {"rows": cells["rows"], "seconds": found, "clean_s": clean}
        )


def text(report: Report) -> None:
    """SpamAssassin to its clean pass, 20 Newsgroups averaged; classes moved together beside each against the rest."""
    mails, y = loaders().spamassassin()
    X = loaders().bow(mails, min_df=2).astype(np.float64)
    ours = Perceptron(max_iter=None).fit(X, y)
    theirs = ScikitPerceptron(shuffle=False, tol=None, max_iter=ours.n_iter_)
    report.compare(
        f"SpamAssassin {X.shape[0]:,} x {X.shape[1]:,} to a clean pass ({ours.n_iter_} epochs)",
        lambda: ours.fit(X, y),
        "scikit-learn, the same epochs",
        lambda: theirs.fit(X, y),
        2,
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
        10,
        limit=gathers(data.X, 10, 20),
        limit_is="10 passes of gathers for 20 classes",
        note=lambda: f"test accuracy of five seeds {_five(averaged, data)}, peer {_five(sgd, data)}",
    )
    for split, intercept in ((data, False), (mnist(), True)):
        ways = [
            AveragedPerceptron(multi_class=way, max_iter=10, random_state=0, fit_intercept=intercept)
            for way in ("multiclass", "ovr")
        ]
        report.compare(
            f"{split.name} {split.size}, averaged, 10 epochs, classes moved together",
            partial(ways[0].fit, split.X, split.y),
            "each against the rest",
            partial(ways[1].fit, split.X, split.y),
            1,
            limit=gathers(data.X, 10, 20) if split is data else multiply_adds(split.X, 10, 10),
            limit_is="10 passes of gathers for 20 classes"
            if split is data
            else "the same multiply-adds in one BLAS product",
        )


def _five(learner: Any, data: Split) -> str:
    return spread(accuracies((learner.set_params(random_state=seed).fit(data.X, data.y) for seed in range(5)), data))
