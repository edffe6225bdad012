"""Two threads or processes against one: the same results, and how much of the second core turns into time saved.

The processor time is told as well: two threads that need twice that of one save nothing however free the cores are.
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from statistics import median
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.parallel import Parallel, delayed

from benchmarks.data import Split, mnist, mnist_pixels, newsgroups
from benchmarks.limits import reads, second_core
from benchmarks.separation import factors
from benchmarks.timing import RUNS, Report, Work, seconds, show
from linsep import separability, separability_one_vs_rest, separation_scan
from linsep.kernels.linear.sums import products
from linsep.learners import AveragedPerceptron, Perceptron

_ROWS = 10_000


def threads(report: Report) -> None:
    """Fit and predict with n_jobs=1 and n_jobs=2; dense predictions are one BLAS product, whose threads are its own."""
    pixels, text = mnist(), newsgroups()
    read = reads(pixels.X, 10)

    def twice() -> str:
        return f"two threads read X at once in {1 / second_core(read, read, read):.2f} times the time of one"

    _both(report, pixels, Perceptron, {"max_iter": 10}, 1.8, twice)
    ten, twenty = _products(text.X, 10), _products(text.X, 20)

    def shared() -> str:
        return f"products alone, 10 classes in each thread: {second_core(twenty, ten, ten):.2f} x"

    parameters = {"max_iter": 10, "random_state": 0, "fit_intercept": False}
    learners = _both(report, text, AveragedPerceptron, parameters, 1.7, shared)
    _predictions(report, text.name, learners, text.X_test)
    _predictions(report, f"{text.name}, the test ten times over", learners, sp.vstack([text.X_test] * 10, format="csr"))


def _predictions(report: Report, name: str, learners: tuple[Any, Any], X: Any) -> None:
    one, two = (partial(learner.predict, X) for learner in learners)
    middle = X.shape[0] // 2
    n_classes = len(learners[0].classes_)
    whole, halves = _products(X, n_classes, 1), [_products(half, n_classes, 1) for half in (X[:middle], X[middle:])]
    report.compare(
        f"{name}, predict {X.shape[0]:,} rows, n_jobs=2",
        two,
        "n_jobs=1",
        one,
        1.7,
        limit=partial(learners[0].predict, X[:middle]),
        limit_is="half of the rows, one thread",
        note=lambda: (
            f"identical: {np.array_equal(one(), two())}; "
            f"products alone, half in each thread: {second_core(whole, *halves):.2f} x"
        ),
    )


def _products(X: Any, n_classes: int, times: int = 10) -> Work:
    """x W of every sparse row, ten times as a fit does: one may be over before a second core is awake."""
    planes, Z = np.ones((X.shape[1], n_classes), X.dtype).T, np.empty((X.shape[0], n_classes), X.dtype)

    def work() -> None:
        for _ in range(times):
            products(X.data, X.indices, X.indptr, planes, Z)

    return work


def _both(
    report: Report, data: Split, kind: Any, parameters: dict[str, Any], wanted: float, machine: Callable[[], str]
) -> tuple[Any, Any]:
    one, two, few = kind(n_jobs=1, **parameters), kind(n_jobs=2, **parameters), kind(n_jobs=1, **parameters)
    n_classes = len(np.unique(data.y))
    halved = np.minimum(data.y, n_classes // 2 - 1)  # classes are numbered from 0; the last of the half has the rest
    report.compare(
        f"{data.name}, {n_classes} classes, {kind.__name__}, 10 epochs, n_jobs=2",
        lambda: two.fit(data.X, data.y),
        "n_jobs=1",
        lambda: one.fit(data.X, data.y),
        wanted,
        limit=lambda: few.fit(data.X, halved),
        limit_is=f"{n_classes // 2} classes, one thread",
        note=lambda: (
            f"identical weights: {np.array_equal(one.coef_, two.coef_)}; processor time "
            f"{show(_busy(lambda: two.fit(data.X, data.y)))} against {show(_busy(lambda: one.fit(data.X, data.y)))}; "
            f"{machine()}"
        ),
    )
    return one, two


def _busy(work: Work) -> float:
    """Seconds of processor time, of all threads together."""
    began = time.process_time()
    work()
    return time.process_time() - began


def processes(report: Report) -> None:
    """Several questions with n_jobs=1 and n_jobs=2, whose processes have been started before."""
    pixels = mnist_pixels()
    X, y = pixels.X[:_ROWS], pixels.y[:_ROWS]
    classes = np.unique(y)
    _questions(
        report,
        f"{pixels.name}-{_ROWS:,}, separability of {len(classes)} classes",
        partial(separability_one_vs_rest, X, y),
        lambda: [separability(X, y == k) for k in classes[: len(classes) // 2]],
    )
    for name in ("screens", "folds"):
        what, designs, response = _scan(name)
        _questions(
            report,
            f"separation_scan, {what}",
            partial(separation_scan, designs, response),
            partial(_seconds_of_half, name, 0),
            partial(_without_sending, name),
        )


@cache
def _scan(name: str) -> tuple[str, dict[int, Any], Any]:
    """What is asked, the designs, and the response or responses; kept in every process that asks."""
    drawn = [factors(100_000, (5_000, 5_000), 2, seed=k) for k in range(10)]
    X, y = drawn[0]
    if name == "screens":
        designs = {k: design for k, (design, _) in enumerate(drawn)}
        return "10 of 100,000 x 10,000, two factors and 2 numbers each", designs, y
    kept = {k: np.arange(100_000) % 10 != k for k in range(10)}
    responses = {k: y[rows] for k, rows in kept.items()}
    return "10 folds of one of these, 90,000 rows each", {k: X[rows] for k, rows in kept.items()}, responses


def _seconds_of_half(name: str, half: int) -> float:
    """How long the first half of the designs, or the second, takes in this process, which has them already."""
    _, designs, y = _scan(name)
    names = list(designs)[half * len(designs) // 2 : (half + 1) * len(designs) // 2]
    return seconds(lambda: separation_scan({k: designs[k] for k in names}, y))


def _without_sending(name: str) -> str:
    """What two processes take that send nothing, and what packing what is sent takes."""
    halves = [delayed(_seconds_of_half)(name, half) for half in (0, 1)]
    Parallel(n_jobs=2)(halves)
    at_once = median(max(Parallel(n_jobs=2)(halves)) for _ in range(RUNS))
    _, designs, y = _scan(name)
    found = separation_scan(designs, y)
    answers = [replace(one, about=None) for one in found.values() if not isinstance(one, str)]
    there, back = (seconds(partial(_packed, sent)) for sent in (designs, answers))
    return (
        f"; both halves at once, nothing sent: {show(at_once)}; "
        f"packed and unpacked in one process: designs {show(there)}, answers {show(back)}"
    )


def _packed(sent: Any) -> Any:
    return pickle.loads(pickle.dumps(sent))


def _questions(report: Report, work: str, ask: Any, half: Work, more: Callable[[], str] = str) -> None:
    def same() -> str:
        one, two = ask(), ask(n_jobs=2)
        verdicts = all(one[k].verdict == two[k].verdict for k in one)
        proofs = all(one[k].to_json() == two[k].to_json() for k in one)
        return f"same verdicts: {verdicts}; same certificates: {proofs}{more()}"

    two = partial(ask, n_jobs=2)
    half_is = "the first half, one process"
    report.compare(f"{work}, n_jobs=2", two, "n_jobs=1", ask, 1.8, limit=half, limit_is=half_is, note=same)
