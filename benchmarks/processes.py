"""Two processes against one: the same results, and how much of the second core turns into time saved."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from statistics import median
from typing import Any

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from benchmarks.data import mnist_pixels
from benchmarks.separation import factors
from benchmarks.timing import RUNS, Report, Work, seconds, show
from linsep import separability, separability_one_vs_rest, separation_scan

_ROWS = 10_000


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
