"""Two processes against one: the same results, and how much of the second core turns into time saved."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.data import mnist_pixels
from benchmarks.timing import Report, Work
from linsep import separability, separability_one_vs_rest

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


def _questions(report: Report, work: str, ask: Any, half: Work) -> None:
    def same() -> str:
        one, two = ask(), ask(n_jobs=2)
        verdicts = all(one[k].verdict == two[k].verdict for k in one)
        proofs = all(one[k].to_json() == two[k].to_json() for k in one)
        return f"same verdicts: {verdicts}; same certificates: {proofs}"

    two = partial(ask, n_jobs=2)
    half_is = "the first half, one process"
    report.compare(f"{work}, n_jobs=2", two, "n_jobs=1", ask, 1.8, limit=half, limit_is=half_is, note=same)
