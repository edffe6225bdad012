"""From positive weights in floating point to few rows with exact integer weights that bring them to 0.

Rows A = (free rows, the others), weights y with y'A = 0 to rounding, positive on the others. Independent rows `basis`
span all: z_j = T_j A[basis]. Lowering a weight y_j by t changes the basic weights by t T_j; when one of those would
fall below its bound it leaves the basis and j enters, as in the simplex method. In the end every row outside the basis
has its weight at its bound, an integer: the basic weights then follow from one exact linear system.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np
import scipy.linalg
import scipy.linalg.blas as blas
from flint import fmpz_mat

from linsep.theory.rows.deadline import check_deadline
from linsep.theory.rows.integers import IntegerRows, solve
from linsep.theory.rows.signed import SignedRows
from linsep.types import Array

_RANK = 1e-9  # a column this close to the span of those before it counts as inside; what comes of it is verified
_REFRESH = 600  # changes of the basis between two fresh inverses


@dataclass
class Support:
    """Float weights `y` of the rows A on `columns`; `basis` holds positions of rows, the first `free` of any sign."""

    A: Array
    y: Array
    free: int
    basis: Array
    columns: list[int]

    def __post_init__(self) -> None:
        self.low = np.zeros(self.y.size)
        self._refresh()

    def _refresh(self) -> None:
        """A fresh inverse, and basic weights that bring the sum to 0 again."""
        self.inverse = np.asfortranarray(np.linalg.inv(self.A[self.basis]))
        rest = self.y.copy()
        rest[self.basis] = 0.0
        self.y[self.basis] = -(rest @ self.A) @ self.inverse
        self.changes = 0

    def positive(self) -> bool:
        """Whether no weight is below its bound."""
        return bool((self.y[self.free :] >= self.low[self.free :]).all())

    def lower(self, deadline: float, keep: int | None = None) -> None:
        """Bring every weight outside the basis to its bound, smallest first; row `keep` is left where it is.

        Raises
        ------
        OutOfTimeError
        """
        basic = np.zeros(self.y.size, dtype=bool)
        basic[self.basis] = True
        for j in np.argsort(self.y, kind="stable").tolist():
            amount = self.y[j] - self.low[j]
            if basic[j] or amount <= 0 or j == keep:
                continue
            check_deadline(deadline)
            T = self.A[j] @ self.inverse
            slack = np.where(self.basis < self.free, np.inf, self.y[self.basis] - self.low[self.basis])
            with np.errstate(divide="ignore", invalid="ignore"):
                ratio = np.where(T < -1e-10, np.maximum(slack, 0.0) / -T, np.inf)
            k = int(ratio.argmin())
            step = min(amount, float(ratio[k]))
            self.y[self.basis] += step * T
            self.y[j] -= step
            if step == amount:
                self.y[j] = self.low[j]
                continue
            gone = int(self.basis[k])
            self.y[gone] = self.low[gone]
            basic[gone], basic[j] = False, True
            self.basis[k] = j
            self._change(T, k)

    def _change(self, T: Array, k: int) -> None:
        """The inverse after row k of A[basis] has become T A[basis]."""
        self.changes += 1
        if self.changes > _REFRESH:
            self._refresh()
            return
        column = self.inverse[:, k] / T[k]
        other = T.copy()
        other[k] = 0.0
        self.inverse = blas.dger(-1.0, column, other, a=self.inverse, overwrite_a=1)
        self.inverse[:, k] = column


def make_support(A: Array, y: Array, free: int) -> Support | None:
    """Choose the basis among rows of large weight; None where rounding hides the rank."""
    columns: Array = np.arange(A.shape[1])
    first: Array = np.zeros(0, dtype=np.int64)
    fixed: Array = first
    rest = A[free:]
    if free:
        fixed = scipy.linalg.qr(A[:free], mode="r", pivoting=True)[1][:free]
        first, columns = np.arange(free), np.setdiff1d(columns, fixed)
        rest = rest[:, columns] - rest[:, fixed] @ np.linalg.solve(A[:free][:, fixed], A[:free][:, columns])
    weighted = rest * y[free:, None]
    R = scipy.linalg.qr(weighted, mode="r", check_finite=False)[0][: weighted.shape[1]]
    if is_regular(R):
        chosen: Array = np.arange(len(R))
    else:
        R, pivots = scipy.linalg.qr(R, mode="r", pivoting=True, check_finite=False)
        size = np.abs(np.diagonal(R))
        chosen = pivots[: int((size > _RANK * size[0]).sum())] if size.size and size[0] > 0 else first[:0]
    if not chosen.size:
        return None
    rows = _pivot_rows(weighted[:, chosen])
    every = [*fixed.tolist(), *columns[chosen].tolist()]
    return Support(A[:, every], y.astype(np.float64), free, np.append(first, rows + free), every)


def is_regular(R: Array) -> bool:
    """Whether an upper triangular matrix is far from singular: then pivoting, which takes long, has nothing to find."""
    if not R.size or R.shape[0] != R.shape[1]:
        return False
    condition, info = scipy.linalg.lapack.dtrcon(R)
    return bool(info == 0 and condition > 1e3 * _RANK)


def _pivot_rows(M: Array) -> Array:
    """Rows that Gaussian elimination with partial pivoting chooses: as many as M has columns."""
    swaps = scipy.linalg.lu_factor(M, check_finite=False)[1]
    order = np.arange(M.shape[0])
    for k, other in enumerate(swaps.tolist()):
        order[[k, other]] = order[[other, k]]
    return order[: M.shape[1]]


def exact_weights(
    rows: SignedRows, ids: Sequence[int], support: Support, deadline: float
) -> dict[int, Fraction] | None:
    """Weights of z_i, exact: those outside the basis as they are, the basic ones solved for.

    None if the matrix is singular, a basic weight is negative, or some column does not add up to 0.
    """
    basis = support.basis.tolist()
    outside = [j for j in np.flatnonzero(support.y).tolist() if j not in set(basis)]
    whole = IntegerRows(rows, [ids[j] for j in [*basis, *outside]])
    n = len(basis)
    # The rows outside, with their weights, as one row of integers.
    given = [Fraction(support.y[j]) / f for j, f in zip(outside, whole.factors[n:], strict=True)]
    unit = lcm(*(g.denominator for g in given))
    given_whole = [int(g * unit) for g in given]
    total = fmpz_mat([given_whole]) * fmpz_mat(whole.entries[n:]) if outside else fmpz_mat(1, rows.width)
    square = fmpz_mat([[row[j] for j in support.columns] for row in whole.entries[:n]]).transpose()
    try:
        numerators, q = solve(square, fmpz_mat([[-total[0, j]] for j in support.columns]), deadline)
    except ZeroDivisionError:
        return None
    found = [int(v) for v in numerators.entries()]
    if any(v < 0 for v, k in zip(found, basis, strict=True) if k >= support.free):
        return None
    check = fmpz_mat([found]) * fmpz_mat(whole.entries[:n]) + q * total
    if any(int(v) for v in check.entries()):
        return None
    weights = {ids[k]: Fraction(v, q * unit) * f for k, v, f in zip(basis, found, whole.factors, strict=False)}
    return weights | {ids[j]: Fraction(support.y[j]) for j in outside}
