"""From positive weights in floating point to few rows with exact integer weights that bring them to 0.

Rows A = (free rows, the others), weights y with y'A = 0 to rounding, positive on the others. Independent rows `basis`
span all: z_j = T_j A[basis]. Lowering a weight y_j by t changes the basic weights by t T_j; when one of those would
fall below its bound it leaves the basis and j enters, as in the simplex method. In the end every row outside the basis
has its weight at its bound, an integer: the basic weights then follow from one exact linear system.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np
import scipy.linalg
import scipy.linalg.blas as blas
from flint import fmpz_mat

from linsep.theory.rows.deadline import Deadline, OutOfTimeError
from linsep.theory.rows.integers import solve
from linsep.theory.rows.signed import SignedRows
from linsep.theory.rows.span import IntegerRows, Span, independent_rows
from linsep.types import Array

_RANK = 1e-9  # a column this close to the span of those before it counts as inside; what comes of it is verified
_TOUCH = 1e-9  # rows whose part outside a span is this small count as inside
_LOWEST_WEIGHT = 2.0**12  # the least bound of a weight in an overlap: integers, so rounding it loses little
_REFRESH = 600  # changes of the basis between two fresh inverses


@dataclass
class Overlap:
    """Exact weights of rows z_i that bring them to 0, those of free rows of any sign; `span` holds them all."""

    weights: dict[int, Fraction]
    witness: dict[int, Fraction] | None
    span: Span


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

    def lower(self, deadline: Deadline, keep: int | None = None) -> None:
        """Bring every weight outside the basis to its bound, smallest first; row `keep` is left where it is.

        Raises
        ------
        OutOfTimeError
        """
        # Plain numbers for the weights outside the basis, arrays for those in it: a call costs more than the sums.
        outside, low = self.y.tolist(), self.low.tolist()
        order = np.argsort(self.y, kind="stable").tolist()
        basic = set(self.basis.tolist())
        weights = self.y[self.basis]
        least = np.where(self.basis < self.free, -np.inf, self.low[self.basis])
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            for j in order:
                amount = outside[j] - low[j]
                if j in basic or amount <= 0 or j == keep:
                    continue
                if time.perf_counter() > deadline.at:
                    raise OutOfTimeError
                T = self.A[j] @ self.inverse
                ratio = np.where(T < -1e-10, np.maximum(weights - least, 0.0) / -T, np.inf)
                k = int(ratio.argmin())
                step = min(amount, float(ratio[k]))
                weights += step * T
                if step == amount:
                    outside[j] = low[j]
                    continue
                gone = int(self.basis[k])
                outside[gone] = low[gone]
                basic ^= {gone, j}
                self.basis[k], weights[k], least[k] = j, outside[j] - step, low[j]
                if self._change(T, k):
                    self._keep(outside, weights)
                    self._refresh()
                    weights = self.y[self.basis]
        self._keep(outside, weights)

    def _keep(self, outside: list[float], weights: Array) -> None:
        """Enter the weights of all rows, then those of the basis."""
        self.y[:] = outside
        self.y[self.basis] = weights

    def _change(self, T: Array, k: int) -> bool:
        """The inverse after row k of A[basis] has become T A[basis]; whether it is time for a fresh one instead."""
        self.changes += 1
        if self.changes > _REFRESH:
            return True
        column = self.inverse[:, k] / T[k]
        other = T.copy()
        other[k] = 0.0
        self.inverse = blas.dger(-1.0, column, other, a=self.inverse, overwrite_a=1)
        self.inverse[:, k] = column
        return False


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
    # R as the factors of itself, L = I and U = R: SciPy before 1.15 has no condition number of triangles alone.
    condition, info = scipy.linalg.lapack.dgecon(R, np.abs(R).sum(axis=0).max())
    return bool(info == 0 and condition > 1e3 * _RANK)


def row_space(Z: Array, free: Array | None, deadline: Deadline) -> Array:
    """An orthonormal basis, in columns, of the span of the rows of Z and of the free ones, to rounding.

    Raises
    ------
    OutOfTimeError
    """
    if time.perf_counter() > deadline.at:
        raise OutOfTimeError
    R = Z = Z if free is None else np.vstack([free, Z])
    if Z.shape[0] > Z.shape[1]:
        R = scipy.linalg.qr(Z, mode="r", check_finite=False)[0][: Z.shape[1]]
        if is_regular(R):
            return np.eye(len(R))
    Q, R, _ = scipy.linalg.qr(R.T, mode="economic", pivoting=True, check_finite=False)
    size = np.abs(np.diagonal(R))
    return np.asarray(Q[:, : int((size > _TOUCH * size[0]).sum())])


def off_span(v: Array, spanned: Array) -> Array:
    """v without its part in the span of orthonormal columns, twice: the second time takes away what rounding left."""
    for _ in range(2):
        v = v - spanned @ (spanned.T @ v)
    return v


def _pivot_rows(M: Array) -> Array:
    """Rows that Gaussian elimination with partial pivoting chooses: as many as M has columns."""
    swaps = scipy.linalg.lu_factor(M, check_finite=False)[1]
    order = np.arange(M.shape[0])
    for k, other in enumerate(swaps.tolist()):
        order[[k, other]] = order[[other, k]]
    return order[: M.shape[1]]


def exact_weights(
    rows: SignedRows, ids: Sequence[int], support: Support, deadline: Deadline
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
    # One fraction for each, as each looks for a common factor of long integers.
    below = q * unit
    factors = [f.as_integer_ratio() for f in whole.factors[:n]]
    weights = {ids[k]: Fraction(v * a, below * b) for k, v, (a, b) in zip(basis, found, factors, strict=True)}
    return weights | {ids[j]: Fraction(support.y[j]) for j in outside}


def prove_overlap(
    rows: SignedRows, ids: list[int], y: Array, free: list[int], deadline: Deadline, *, want_witness: bool
) -> Overlap | None:
    """Exact weights for rows `ids` with float weights y, on at most twice their rank many; None if there are none."""
    try:
        return _prove_overlap(rows, ids, y, free, deadline, want_witness)
    except np.linalg.LinAlgError:  # rounding hides the rank
        return None


def _prove_overlap(
    rows: SignedRows, ids: list[int], y: Array, free: list[int], deadline: Deadline, want_witness: bool
) -> Overlap | None:
    if time.perf_counter() > deadline.at:
        raise OutOfTimeError
    ids = [*free, *ids]
    y = np.concatenate([np.zeros(len(free)), y / y.max()])
    support = make_support(rows.Z[ids], y, len(free))
    if support is None or not support.positive():
        return None
    first = support.basis.copy()
    spanning = first[first >= len(free)]
    if not (support.y[spanning] > 0).all():
        return None
    support.y *= _LOWEST_WEIGHT * 2 / support.y[spanning].min()
    support.low[spanning] = np.floor(support.y[spanning] / 2)
    support.lower(deadline)
    weights = exact_weights(rows, ids, support, deadline)
    # Every row that spans must have a weight: it is what makes later weights of it positive.
    if weights is None or not all(weights[ids[j]] > 0 for j in spanning):
        return None
    basis = [ids[j] for j in support.basis]
    if not all(weights.get(i, 0) > 0 for i in basis[len(free) :]):
        # Of two rows whose weights ran out together one is left in the basis without any.
        basis = [ids[j] for j in first]
        if len(independent_rows(rows, basis, (), deadline)) < len(basis):
            return None
    span = Span(rows, basis, support.columns)
    witness = None
    if want_witness:
        support.low[:] = 0.0
        outside = np.ones(support.y.size, dtype=bool)
        outside[support.basis] = False
        keep = int(np.where(outside, support.y, -1.0).argmax())
        support.lower(deadline, keep)
        support.y[keep] = 1.0
        witness = exact_weights(rows, ids, support, deadline)
    return Overlap(weights, witness, span)
