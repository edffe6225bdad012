"""Speed of the family beside its peers: `make bench` prints the table of docs/performance.md and writes JSON.

Every row is a ratio of medians taken in turn in one process on one core. Real data: DATA_PKGS names their folder and
DATA_LOADERS that of the module `loaders` which reads them.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numba
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import Perceptron as ScikitPerceptron
from sklearn.linear_model import SGDClassifier
from sklearn.preprocessing import StandardScaler

from linsep.kernels.epoch import RECORD, Rows, plain_epochs
from linsep.kernels.steps import PerceptronStep
from linsep.learners import AveragedPerceptron, Perceptron

RUNS = 5
Work = Callable[[], Any]


def seconds(work: Work) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def compare(name: str, ours: Work, theirs: Work, wanted: float, note: Callable[[], str] = str) -> dict[str, Any]:
    """Time both in turn after a warm-up; the ratio is theirs / ours."""
    ours(), theirs()
    pairs = [(seconds(ours), seconds(theirs)) for _ in range(RUNS)]
    a, b = median(p[0] for p in pairs), median(p[1] for p in pairs)
    print(f"| {name} | {a:.3f} s | {b:.3f} s | {b / a:.2f} x | {wanted:.2f} x | {note()} |", flush=True)
    return {"work": name, "linsep_s": a, "peer_s": b, "ratio": b / a, "wanted": wanted, "note": note()}


def loaders() -> Any:
    """The module that reads the real data."""
    sys.path.insert(0, os.environ.get("DATA_LOADERS", "../shared/data"))
    return importlib.import_module("loaders")


@numba.njit(fastmath=True)
def read_all(X: Any) -> Any:
    """One plain read of X."""
    s = X[0, 0]
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            s += X[i, j]
    return s


def plain_run(X: Any, codes: Any, epochs: int) -> None:
    """The plain loop of the perceptron, without skipping."""
    w, b = np.zeros(X.shape[1], X.dtype), np.zeros(1, X.dtype)
    record = np.zeros((epochs, len(RECORD)))
    plain_epochs(Rows(X, codes), PerceptronStep(0.0), w, b, 1.0, None, 0, np.empty(0), record)


def mnist() -> list[dict[str, Any]]:
    X, y = loaders().mnist()
    X = X.astype(np.float32)
    even = (y % 2 == 0).astype(int)
    codes = 2.0 * even - 1.0
    ours, theirs = Perceptron(max_iter=10), ScikitPerceptron(shuffle=False, tol=None, max_iter=10)
    many, their_many = Perceptron(max_iter=10), ScikitPerceptron(shuffle=False, tol=None, max_iter=10)

    def reads() -> None:
        for _ in range(10):
            read_all(X)

    return [
        compare("MNIST even/odd, 10 epochs, in order", lambda: ours.fit(X, even), lambda: theirs.fit(X, even), 5),
        compare("its passes against plain reads of X", lambda: plain_run(X, codes, 10), reads, 1 / 1.3),
        compare(
            "MNIST, 10 classes one-vs-rest, 10 epochs, in order",
            lambda: many.fit(X, y),
            lambda: their_many.fit(X, y),
            15,
            lambda: f"identical weights: {np.array_equal(many.coef_, their_many.coef_)}",
        ),
    ]


def flights() -> list[dict[str, Any]]:
    X, y = loaders().flights_3m()
    rows = []
    for shuffle, wanted in ((False, 2.0), (True, 10.0)):
        ours = Perceptron(max_iter=3, shuffle=shuffle, random_state=0)
        theirs = ScikitPerceptron(max_iter=3, tol=None, shuffle=shuffle, random_state=0)
        name = f"flights {X.shape[0]:,} x {X.shape[1]} CSR, 3 epochs, {'shuffled' if shuffle else 'in order'}"
        rows.append(compare(name, partial(ours.fit, X, y), partial(theirs.fit, X, y), wanted))
    return rows


def text() -> list[dict[str, Any]]:
    data = loaders()
    mails, y = data.spamassassin()
    X = data.bow(mails, min_df=2).astype(np.float64)
    ours = Perceptron(max_iter=None).fit(X, y)
    theirs = ScikitPerceptron(shuffle=False, tol=None, max_iter=ours.n_iter_)
    name = f"SpamAssassin {X.shape[0]:,} x {X.shape[1]:,} to a clean pass ({ours.n_iter_} epochs)"
    rows = [compare(name, lambda: ours.fit(X, y), lambda: theirs.fit(X, y), 1.5)]

    train, labels = data.orange_text("20newsgroups-train")
    test, test_labels = data.orange_text("20newsgroups-test")
    vectorizer = TfidfVectorizer(sublinear_tf=True)
    T, S = vectorizer.fit_transform(train), vectorizer.transform(test)
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

    def accuracy() -> str:
        return f"test accuracy {averaged.score(S, test_labels):.4f}, peer {sgd.score(S, test_labels):.4f}"

    name = f"20 Newsgroups tf-idf {T.shape[0]:,} x {T.shape[1]:,}, 20 classes, averaged, no intercept, 10 epochs"
    rows.append(compare(name, lambda: averaged.fit(T, labels), lambda: sgd.fit(T, labels), 8, accuracy))
    return rows


def breast_cancer() -> list[dict[str, Any]]:
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    ours = Perceptron(max_iter=None).fit(X, y)
    saved = ours.n_iter_ * len(X) / ours.trace_.total_dots
    return [
        compare(
            "breast cancer to its clean pass, against the plain loop",
            lambda: ours.fit(X, y),
            lambda: plain_run(X, 2.0 * y - 1.0, ours.n_iter_),
            3,
            lambda: f"{saved:.1f} times fewer dot products (10 wanted)",
        )
    ]


def imports() -> list[dict[str, Any]]:
    def load(module: str) -> Work:
        return lambda: subprocess.run([sys.executable, "-c", f"import {module}"], check=True)

    return [
        compare("import linsep, against sklearn.linear_model", load("linsep"), load("sklearn.linear_model"), 1 / 1.3)
    ]


SUITES = {"breast_cancer": breast_cancer, "mnist": mnist, "flights": flights, "text": text, "imports": imports}


def main() -> None:
    """Run the suites named on the command line, or all."""
    warnings.simplefilter("ignore")  # budgets end on purpose here
    print("| work | linsep | peer | ratio | wanted | note |\n|---|---|---|---|---|---|")
    rows = [row for name in sys.argv[1:] or SUITES for row in SUITES[name]()]
    Path("benchmarks/results.json").write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
