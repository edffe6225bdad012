"""From positive weights in floating point to few rows with exact integer weights that bring them to 0.

Rows A = (free rows, the others), weights y with y'A = 0 to rounding, positive on the others. Independent rows `basis`
span all: z_j = T_j A[basis]. Lowering a weight y_j by t changes the basic weights by t T_j; when one of those would
fall below its bound it leaves the basis and j enters, as in the simplex method. In the end every row outside the basis
has its weight at its bound, an integer: the basic weights then follow from one exact linear system. With the bounds at
0 and one row left where it is, few rows have a weight: the witness. If no basic weight is 0 these few span everything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np
import scipy.linalg
import scipy.linalg.blas as blas
from flint import fmpz_mat

from linsep.clock import clock
from linsep.theory.cone.opposite_rows import first_opposite
from linsep.theory.rows.deadline import Deadline, OutOfTimeError
from linsep.theory.rows.integers import of_rows
from linsep.theory.rows.signed import SignedRows
from linsep.theory.rows.span import IntegerRows, Span, independent_rows
from linsep.types import Array

Opposites = Callable[[], Array]  # pairs of rows that are each other's opposite, as far as hashes tell

_RANK = 1e-9  # a column this close to the span of those before it counts as inside; what comes of it is verified
_TOUCH = 1e-9  # rows whose part outside a span is this small count as inside
_LOWEST_WEIGHT = 2.0**12  # the least bound of a weight in an overlap: integers, so rounding it loses little
_REFRESH = 600  # changes of the basis between two fresh inverses
_CLEAR = 1e-6  # of the largest weight: rounding has not made this much of 0


@dataclass
class Overlap:
    """Whole weights of rows, in the units of X, that bring them to 0, those of free rows of any sign.

    `span` holds them all. `witness` has few rows; it is `weights` where these few span everything.
    """

    weights: dict[int, int]
    witness: dict[int, int] | None
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

    def emptied(self, deadline: Deadline) -> Support:
        """Return a copy in which all rows outside the basis but one, the one of largest weight, have the weight 0."""
        out = copy(self)
        out.y, out.basis, out.inverse = self.y.copy(), self.basis.copy(), self.inverse.copy(order="F")
        out.low = np.zeros(self.y.size)
        outside = np.ones(self.y.size, dtype=bool)
        outside[self.basis] = False
        keep = int(np.where(outside, self.y, -1.0).argmax())
        out.lower(deadline, keep)
        out.y[keep] = 1.0
        return out

    def spans(self) -> bool:
        """Whether all rows of the basis, the free ones aside, have weights clearly above 0."""
        basic = self.y[self.basis[self.basis >= self.free]]
        return bool((basic > _CLEAR * basic.max(initial=0.0)).all())

    def reduced(self) -> Support | None:
        """The rows of the basis that have a weight, on as many columns: a smaller system; None if all have one."""
        weights = self.y[self.basis]
        kept = self.basis[weights > _CLEAR * weights.max(initial=0.0)]
        if self.free or not 0 < kept.size < self.basis.size:
            return None
        pivots = scipy.linalg.qr(self.A[kept], mode="r", pivoting=True, check_finite=False)[1][: kept.size]
        out = copy(self)
        out.y, out.basis = np.where(np.isin(np.arange(self.y.size), self.basis), 0.0, self.y), kept
        out.columns = [self.columns[j] for j in pivots.tolist()]
        return out

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
                if clock() > deadline.at:
                    raise OutOfTimeError
                T = self.A[j] @ self.inverse
                ratio = (least - weights) / T
                ratio[T >= -1e-10] = np.inf
                k = int(ratio.argmin())
                step = min(amount, max(float(ratio[k]), 0.0))
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
    if clock() > deadline.at:
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
    rows: SignedRows, ids: Sequence[int], support: Support, deadline: Deadline, known: IntegerRows | None = None
) -> tuple[dict[int, int], Span] | None:
    """Weights of rows in the units of X, exact: those outside the basis as they are, the basic ones solved for.

    With them the span of the basis. None if the matrix is singular, a basic weight is negative, some column does not
    add up to 0, or weights are not finite. `known` holds these rows as integers, and may hold more.
    """
    if not np.isfinite(support.y).all():
        return None
    basis = support.basis.tolist()
    outside = sorted(set(np.flatnonzero(support.y).tolist()).difference(basis))
    names, others = [ids[j] for j in basis], [ids[j] for j in outside]
    known = known or IntegerRows(rows, [*names, *others])
    span, rest = Span(rows, names, support.columns, known.among(names)), known.among(others)
    # The rows outside, with their weights, as one row of integers.
    given = [Fraction(support.y[j]) / f for j, f in zip(outside, rest.factors, strict=True)]
    unit = lcm(*(g.denominator for g in given))
    given_whole = [int(g * unit) for g in given]
    total = (fmpz_mat([given_whole]) * fmpz_mat(rest.entries) if outside else fmpz_mat(1, rows.width)).entries()
    try:
        found, q = span.square.rows_to([-int(total[j]) for j in span.pivots], deadline)
    except ZeroDivisionError:
        return None
    if any(v < 0 for v, k in zip(found, basis, strict=True) if k >= support.free):
        return None
    beside = fmpz_mat(len(found), len(span.others), [row[j] for row in span.whole.entries for j in span.others])
    sums = (fmpz_mat([found]) * beside).entries()
    if any(v + q * total[j] for v, j in zip(sums, span.others, strict=True)):
        return None
    # All weights times the denominator of the basic ones.
    factors = [f.as_integer_ratio() for f in span.whole.factors]
    ratios = {i: (v * a, b) for i, v, (a, b) in zip(span.ids, found, factors, strict=True)}
    for j in outside:
        above, below = float(support.y[j]).as_integer_ratio()
        ratios[ids[j]] = above * q * unit, below
    return of_rows(rows, ratios), span


def prove_overlap(
    rows: SignedRows, ids: list[int], y: Array, free: list[int], deadline: Deadline, *, opposites: Opposites | None
) -> Overlap | None:
    """Exact weights for rows `ids` with float weights y, on at most twice their rank many; None if there are none.

    With a witness if `opposites` is given, which looks for opposite rows.
    """
    try:
        return _prove_overlap(rows, ids, y, free, deadline, opposites)
    except np.linalg.LinAlgError:  # rounding hides the rank
        return None


def _prove_overlap(
    rows: SignedRows, ids: list[int], y: Array, free: list[int], deadline: Deadline, opposites: Opposites | None
) -> Overlap | None:
    if clock() > deadline.at:
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
    few, witness = support.emptied(deadline) if opposites else None, None
    if few is not None and few.spans():
        witness = exact_weights(rows, ids, few, deadline)
        if witness is not None and _has_all(witness[0], ids, few.basis[few.basis >= len(free)]):
            return Overlap(witness[0], *witness)
    known = IntegerRows(rows, [ids[j] for j in np.union1d(np.flatnonzero(support.y), support.basis).tolist()])
    found = exact_weights(rows, ids, support, deadline, known)
    # Every row that spans must have a weight: it is what makes later weights of it positive.
    if found is None or not _has_all(found[0], ids, spanning):
        return None
    weights, span = found
    if not _has_all(weights, ids, support.basis[support.basis >= len(free)]):
        # Of two rows whose weights ran out together one is left in the basis without any.
        span = Span(rows, [ids[j] for j in first], support.columns)
        if len(independent_rows(rows, span.ids, (), deadline)) < len(first):
            return None
    if few is None or opposites is None or witness is not None:
        return Overlap(weights, None if witness is None else witness[0], span)
    # Two opposite rows, if there are any, are the shortest witness, and no system is solved for it.
    pair = first_opposite(rows.X, rows.s, opposites())
    return Overlap(weights, dict.fromkeys(pair, 1) if pair else _fewer_rows(rows, ids, few, deadline, known), span)


def _fewer_rows(
    rows: SignedRows, ids: list[int], few: Support, deadline: Deadline, known: IntegerRows
) -> dict[int, int] | None:
    """The weights of few rows, solved for by the rows that have a weight alone where that can be done."""
    for support in (few.reduced(), few):
        if support is not None and (found := exact_weights(rows, ids, support, deadline, known)) is not None:
            return found[0]
    return None


def _has_all(weights: dict[int, int], ids: list[int], positions: Array) -> bool:
    """Whether the rows at these positions have positive weights."""
    return all(weights.get(ids[j], 0) > 0 for j in positions.tolist())
