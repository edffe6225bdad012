"""Novikoff's theorem and its five other forms, in whole numbers, at every update of 1,000 runs each.

With ε the least product of a vector u with what an update may add, and S the largest squared length of that, after k
updates k ε <= w.u, ||w||^2 <= k S, and so k <= S ||u||^2 / ε^2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import chain
from random import Random
from typing import Any

import numpy as np
import pytest

from linsep import Perceptron

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # few passes are meant

Whole = list[Any]  # integers, or fractions of a mix
RUNS = 1_000


def dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    return sum(v * w for v, w in zip(a, b, strict=True))


def apart(rng: Random, u: Whole, length: int = 0, constant: int = 0) -> list[Whole]:
    """Rows with their signs, all on one side of u; of this length if one is given. The last entry is the constant."""
    out: list[Whole] = []
    most = rng.choice((1, 1, 4))
    while len(out) < rng.randint(4, 9):
        x = [rng.choice((0, 3, 4, 5)) * rng.choice((-1, 1)) if length else rng.randint(-most, most) for _ in u]
        z = [*x[: len(u) - bool(constant)], *[constant] * bool(constant)]
        if (side := dot(u, z)) and (not length or dot(z, z) == length**2 + constant**2):
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


def planes(seed: int, constant: int = 0) -> tuple[Random, Whole]:
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
        rows = apart(rng, u, constant=constant)
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


def test_mistakes_with_a_small_bias_and_on_the_sphere() -> None:
    """If |b| <= c ||w||: 2 (R^2 + c^2) / γ^2 mistakes; 4 / γ^2 where ||x|| = c, as x / c is then on the sphere."""
    nearest = [0.0, 0.0]
    for seed, on_sphere in ((seed, sphere) for seed in range(RUNS) for sphere in (False, True)):
        rng, c = Random(seed), 5
        u = [rng.randint(1, 4), rng.randint(-4, 4), rng.randint(-1, 1)]
        rows = apart(rng, u, length=c * on_sphere, constant=c)
        eps, R2, w2 = min(dot(u, z) for z in rows), max(dot(z[:-1], z[:-1]) for z in rows), dot(u[:-1], u[:-1])
        for k, w in run(rows, [0] * len(u), 5):
            holds(k, w, u, eps, R2 + c**2)
            bound = 4 * c**2 * w2 if on_sphere else 2 * (R2 + c**2) * w2
            assert k * eps**2 <= bound
            nearest[on_sphere] = max(nearest[on_sphere], k * eps**2 / bound)
    assert min(nearest) > 0.3


def test_updates_of_a_plane_for_each_class() -> None:
    """2 (R / γ)^2 for ||U|| = 1: the update adds x to the right class and takes it from the best other one."""
    nearest = 0.0
    for seed in range(RUNS):
        rng = Random(seed)
        classes, p, most = rng.randint(3, 4), rng.randint(1, 3), rng.choice((1, 3))
        U = [[rng.randint(-3, 3) for _ in range(p)] for _ in range(classes)]
        rows: list[tuple[Whole, int, int]] = []
        for _ in range(10):
            x = [rng.randint(-most, most) for _ in range(p)]
            scores = [dot(row, x) for row in U]
            best, second = sorted(scores)[:-3:-1]
            rows += [(x, scores.index(best), best - second)] * (best > second)
        W, k = [[0] * p for _ in U], 0
        for x, y, _ in rows * 4:
            scores = [dot(row, x) for row in W]
            other = max((s for s in range(classes) if s != y), key=scores.__getitem__)
            if scores[y] <= scores[other]:
                k += 1
                for s, sign in ((y, 1), (other, -1)):
                    W[s] = [a + sign * v for a, v in zip(W[s], x, strict=True)]
                R2, eps = max(dot(x, x) for x, *_ in rows), min(margin for *_, margin in rows)
                nearest = max(nearest, holds(k, [*chain(*W)], [*chain(*U)], eps, 2 * R2))
    assert nearest > 0.3


def test_updates_on_shards_that_are_mixed() -> None:
    """Σ μ k <= (R / γ)^2: in a shard, after earlier epochs with m = Σ μ k, it is m and its own updates that count."""
    nearest = 0.0
    for seed in range(RUNS):
        rng, u = planes(seed)
        shards = [apart(rng, u) for _ in range(rng.randint(2, 3))]
        every = [*chain(*shards)]
        eps, S = min(dot(u, z) for z in every), max(dot(z, z) for z in every)
        start: Whole = [Fraction(0)] * len(u)
        m = Fraction(0)
        for _ in range(3):
            parts = [rng.randint(0, 4) for _ in shards]
            parts[0] += 1
            shares, ends = [Fraction(v, sum(parts)) for v in parts], []
            for rows in shards:
                k, w = 0, start
                for k, w in run(rows, start, 1):
                    holds(m + k, w, u, eps, S)
                ends.append((k, w))
            m += sum(share * k for share, (k, _) in zip(shares, ends, strict=True))
            start = [sum(share * w[j] for share, (_, w) in zip(shares, ends, strict=True)) for j in range(len(u))]
            nearest = max(nearest, holds(m, start, u, eps, S)) if m else nearest
    assert nearest > 0.9
