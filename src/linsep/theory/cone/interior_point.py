"""Which rows can be strictly positive, guessed by an interior-point method in floating point.

For rows Z the systems {y >= 0, Z'y = 0} and {s >= 0, s = Z d} have s.y = 0 between them, and some pair has
y_i + s_i > 0 for every i (Goldman and Tucker 1956): rows with s_i > 0 can be separated, the others carry an overlap.
The path Z'y = mu Z'1, s - Z d = mu 1, y_i s_i = mu starts at y = s = 1, d = 0 and leads to such a pair as mu goes to
0; it is followed by Mehrotra's predictor and corrector, each step one p x p Cholesky factorisation.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
from scipy.linalg import blas, lapack

from linsep.theory.rows.deadline import Deadline
from linsep.types import Array

_STEPS = 80
_LAST_MU = 1e-13
# Where y_i and s_i differ by a factor of 30 on every row and steps are long, it is clear which of them vanishes.
_APART = float(np.log(30.0))


class Pair(NamedTuple):
    """`y`, `s` and `d` of the last step; `clear`: every row shows which of y and s goes to 0; `late`: no time left."""

    y: Array
    s: Array
    d: Array
    clear: bool
    late: bool


def complementary_pair(Z: Array, deadline: Deadline) -> Pair:
    """Follow the path until each row shows on which side it is, or to the end of what doubles can tell.

    Parameters
    ----------
    Z : ndarray of float64, shape (n, p)
    deadline : Deadline
        No step is begun after it, nor one that would end after it if it took as long as the last one. The last pair
        is given.

    Examples
    --------
    >>> pair = complementary_pair(np.array([[1.0, 0.0], [-1.0, 0.0], [1.0, 1.0]]), Deadline())
    >>> (pair.y > pair.s).tolist(), bool(pair.d[1] > 0), pair.clear
    ([True, True, False], True, True)
    """
    n, p = Z.shape
    y, s, d = np.ones(n), np.ones(n), np.zeros(p)
    long_steps, clear, late, took = 0, False, False, 0.0
    for _ in range(_STEPS):
        mu = float(y @ s) / n
        began = time.perf_counter()
        late = began + took > deadline.at
        if mu < _LAST_MU or late:
            break
        step = _Newton(Z, y, s, d, mu)
        if step.factor is None:
            break
        dd, ds, dy = step.direction(0.0, 0.0)
        a = min(_longest(y, dy), _longest(s, ds))
        sigma = min(1.0, max((float((y + a * dy) @ (s + a * ds)) / n / mu) ** 3, 1e-6))
        dd, ds, dy = step.direction(sigma, dy * ds)
        a = min(1.0, 0.95 * _longest(y, dy), 0.95 * _longest(s, ds))
        if not np.isfinite(a) or a < 1e-8:
            break
        y, s, d = y + a * dy, s + a * ds, d + a * dd
        took = time.perf_counter() - began
        long_steps = long_steps + 1 if a > 0.9 else 0
        clear = long_steps >= 2 and float(abs(np.log(y / s)).min()) > _APART
        if clear or (long_steps and bool((Z @ d > 0.5 * s).all())):
            clear = True
            break
    return Pair(y, s, d, clear, late)


class _Newton:
    """Newton's equations of the path at one point: Z'(y/s)Z dd = ..., the other two parts follow."""

    def __init__(self, Z: Array, y: Array, s: Array, d: Array, mu: float) -> None:
        self.Z, self.y, self.s, self.mu = Z, y, s, mu
        self.off_y, self.off_s = y @ Z, s - Z @ d
        self.factor: Array | None = None
        H = blas.dsyrk(1.0, (Z * np.sqrt(y / s)[:, None]).T)
        diagonal = H.reshape(-1, order="F")[:: len(H) + 1]  # a view
        size = float(diagonal.sum()) / len(H)
        for ridge in (1e-14, 1e-11, 1e-8):
            # Directions orthogonal to all rows stay where they are; rounding makes H slightly indefinite on them.
            diagonal += ridge * size + 1e-300
            factor, info = lapack.dpotrf(H, lower=0)
            if info == 0:
                self.factor = factor
                break

    def direction(self, sigma: float, curved: Array | float) -> tuple[Array, Array, Array]:
        """Change of (d, s, y) towards y s = sigma mu with both residuals 1 - sigma times smaller."""
        left = 1.0 - sigma
        r = sigma * self.mu - self.y * self.s - curved
        rhs = left * self.off_y + ((r + left * self.y * self.off_s) / self.s) @ self.Z
        dd = lapack.dpotrs(self.factor, rhs, lower=0)[0]
        ds = self.Z @ dd - left * self.off_s
        return dd, ds, (r - self.y * ds) / self.s


def _longest(v: Array, dv: Array) -> float:
    """The step, at most 1, that keeps v + step dv >= 0."""
    return 1.0 / max(1.0, -float((dv / v).min()))
