"""Novikoff's theorem with and without an intercept, in whole numbers, at every update of 1,000 runs each.

With ε the least product of a vector u with what an update may add, and S the largest squared length of that, after k
updates k ε <= w.u, ||w||^2 <= k S, and so k <= S ||u||^2 / ε^2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest

from linsep import Perceptron

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # few passes are meant

Whole = list[int]
RUNS = 1_000


def dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    return sum(v * w for v, w in zip(a, b, strict=True))


def apart(rng: Random, u: Whole, constant: int) -> list[Whole]:
    """Rows with their signs, all on one side of u. The last entry is the constant, if there is one."""
    out: list[Whole] = []
    most = rng.choice((1, 1, 4))
    while len(out) < rng.randint(4, 9):
        z = [rng.randint(-most, most) for _ in u]
        z[-1] = constant or z[-1]
        if side := dot(u, z):
            out.append(z if side > 0 else [-v for v in z])
    return out


def run(rows: list[Whole], w: Whole, passes: int) -> Iterator[tuple[int, Whole]]:
    """The vector after each update, and how many there were."""
    k = 0
    for _ in range(passes):
        for z in rows:
            if dot(w, z) <= 0:
                w, k = [a + b for a, b in zip(w, z, strict=True)], k + 1
                yield k, w


def holds(k: Any, w: Whole, u: Whole, eps: int, S: int) -> float:
    """That all three inequalities hold; how near the third is."""
    assert k * eps <= dot(w, u)
    assert dot(w, w) <= k * S
    assert k * eps**2 <= S * dot(u, u)
    return float(Fraction(k) * eps**2 / (S * dot(u, u)))


def planes(seed: int, constant: int) -> tuple[Random, Whole]:
    """A vector that is not 0, of one to three numbers and, if there is a constant, one more."""
    rng = Random(seed)
    u = [rng.randint(-3, 3) for _ in range(rng.randint(1, 3) + bool(constant))]
    u[0] = u[0] or 1
    return rng, u


@pytest.mark.parametrize("constant", [0, 1, 3])
def test_mistakes_with_and_without_an_intercept(constant: int) -> None:
    """(R / γ)^2, and (R^2 + c^2) (||w||^2 + b^2 / c^2) / ε^2: rows are (x, c), and u is (w, b / c)."""
    nearest = 0.0
    for seed in range(RUNS):
        rng, u = planes(seed, constant)
        rows = apart(rng, u, constant)
        eps, S = min(dot(u, z) for z in rows), max(dot(z, z) for z in rows)
        k, w = 0, [0] * len(u)
        for k, w in run(rows, [0] * len(u), 5):
            nearest = max(nearest, holds(k, w, u, eps, S))
        if seed < 50:  # the library makes the same run
            y = np.where(np.arange(len(rows)) % 2, 1, -1)
            X = np.array(rows, dtype=float) * y[:, None]
            learner = Perceptron(max_iter=5, fit_intercept=False, shuffle=False).fit(X, y)
            assert (learner.n_mistakes_, learner.coef_[0].tolist()) == (k, w)
    assert nearest == 1.0
