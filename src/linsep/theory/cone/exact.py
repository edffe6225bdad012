"""A few independent rows as integers, and what follows of them exactly: weights, orthogonal vectors, what they span.

Systems are solved by FLINT; those of large sparse tables by digits modulo a prime, in `digits.py`. Vectors and weights
leave this file in the units of X, so that nothing else has to know of the scales.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from fractions import Fraction
from math import gcd, lcm

import numpy as np
import scipy as sp
from flint import fmpz_mat, nmod_mat

from linsep.clock import clock
from linsep.theory.rows.deadline import NEVER, Deadline, OutOfTimeError, time_left
from linsep.theory.rows.exact_signs import as_floats, vanishing
from linsep.theory.rows.integers import exact_rows, of_rows, primitive, solve, whole_numbers
from linsep.theory.rows.signed import SignedRows
from linsep.types import Array

# Products of two residues fit 62 bits. 2^31 - 1, which stands for "missing" in some tables, comes last.
PRIMES = (2**31 - 19, 2**31 - 61, 2**31 - 1)
TINY = 2.0**-900  # of entries scaled to 1 at most: what is below may have lost bits
ROUNDED = 1e-9  # of a unit vector: less counts as 0, or is asked exactly; what comes of it is verified
_LOWEST = 2.0**12  # the least bound of a weight in an overlap: integers, so rounding it loses little
_REFRESH = 600  # changes of the basis between two fresh inverses
MOST_DENSE = 100_000_000  # entries of rows that are made dense at a time, 800 MB
_SINGULAR = 1e-14  # of the largest diagonal entry of a triangle: less is rounding alone
CLEAR = 1e-6  # of the largest, or of a unit vector: rounding has not made this much of 0
Vector = dict[int, int]


class Span:
    """Independent rows `ids` and as many columns, `pivots`, on which they form a regular matrix.

    A vector orthogonal to the rows is fixed by its entries on the other columns, `others`; any will do.
    """

    def __init__(self, rows: SignedRows, ids: Sequence[int], pivots: Sequence[int]) -> None:
        self.rows, self.ids, self.pivots = rows, list(ids), list(pivots)
        chosen = set(self.pivots)
        self.others = [j for j in range(rows.width) if j not in chosen]

    def normals(self, given: Sequence[Vector], deadline: Deadline) -> list[Vector]:
        """For each of these entries on `others` the vector orthogonal to the rows, in the scaled columns."""
        if self.ids:
            raise NotImplementedError
        return [dict(v) for v in given]

    def normal(self, entries: Sequence[int], deadline: Deadline) -> list[int]:
        """The same of entries in the order of `others`, as a list without a common factor."""
        given = {j: v for j, v in zip(self.others, entries, strict=True) if v}
        found = self.normals([given], deadline)[0] if given else {}
        return primitive([found.get(j, 0) for j in range(self.rows.width)])

    def direction_near(self, d: Array, deadline: Deadline) -> list[int]:
        """Integers near d, in the scaled columns, that are exactly 0 on the rows."""
        return self.normal(whole_numbers(d[self.others]), deadline)

    def inside(self, among: Array, deadline: Deadline) -> Array:
        """Which rows of the mask `among` are in the span: a mask.

        Those orthogonal to a random vector orthogonal to the span; a row outside is so with probability below 2^-20:
        good enough to search with, what is found is verified.
        """
        if not self.others or not among.any():
            return among.copy()
        draw = np.random.default_rng(len(self.ids)).integers(-(2**20), 2**20, len(self.others)).tolist()
        normal = self.normal(draw, deadline)
        which = np.flatnonzero(among)
        near = which[~(np.abs(self.rows.scores(as_floats(normal))[which]) > CLEAR)]
        inside = np.zeros(self.rows.n, dtype=bool)
        inside[near] = vanishing(self.rows.X[near], self.rows.original(normal))
        return inside

    def null_vectors(self, deadline: Deadline = NEVER) -> list[Vector]:
        """Integer basis, in the units of X, of the vectors orthogonal to the rows: column -> entry, without zeros.

        One for each column of `others`, in which only it has an entry; first those of columns that are 0 on the rows.
        """
        used = self._used() if self.ids else np.zeros(self.rows.width, dtype=bool)
        alone: list[Vector] = [{j: 1} for j in self.others if not used[j]]
        found = self.normals([{j: 1} for j in self.others if used[j]], deadline)
        units = self.rows.units
        return alone + [without_factor({j: k * units[j] for j, k in v.items()}) for v in found]

    def _used(self) -> Array:
        """Which columns have an entry in some row."""
        raise NotImplementedError

    def balanced(self, outside: dict[int, int]) -> dict[int, int] | None:
        """Weights of rows in the units of X that bring them to 0, or None if there are none.

        These of the rows z_i `outside`, times one number, and exact ones of `ids`.
        """
        raise NotImplementedError


def without_factor(vector: Vector) -> Vector:
    """The vector without a common factor."""
    common = gcd(*vector.values())
    return {j: v // common for j, v in vector.items()} if common > 1 else vector


class DenseSpan(Span):
    """Systems are solved by FLINT."""

    def __init__(self, rows: SignedRows, ids: Sequence[int], pivots: Sequence[int], deadline: Deadline) -> None:
        super().__init__(rows, ids, pivots)
        self.deadline = deadline
        self.entries, self.factors = whole_entries(rows, self.ids)
        k = len(self.ids)
        self.square = fmpz_mat(k, k, [row[j] for row in self.entries for j in self.pivots])

    def normals(self, given: Sequence[Vector], deadline: Deadline) -> list[Vector]:
        if not given or not self.ids:
            return super().normals(given, deadline) if given else []
        goal = [[-sum([row[j] * k for j, k in v.items()]) for v in given] for row in self.entries]
        found, q = solve(self.square, fmpz_mat(goal), deadline)
        columns = zip(*found.tolist(), strict=True)
        return [
            {j: int(x) for j, x in zip(self.pivots, column, strict=True) if x} | {j: q * k for j, k in v.items()}
            for column, v in zip(columns, given, strict=True)
        ]

    def _used(self) -> Array:
        return np.array([any(column) for column in zip(*self.entries, strict=True)], dtype=bool)

    def balanced(self, outside: dict[int, int]) -> dict[int, int] | None:
        rest, factors = whole_entries(self.rows, list(outside))
        # z_i = row / factor: the rows outside, with their weights, as one row of integers over one denominator.
        ratios = [w / f for w, f in zip(outside.values(), factors, strict=True)]
        unit = lcm(*(r.denominator for r in ratios))
        whole = [r.numerator * (unit // r.denominator) for r in ratios]
        total = (fmpz_mat([whole]) * fmpz_mat(rest)).entries() if rest else [0] * self.rows.width
        try:
            solution, q = solve(self.square.transpose(), fmpz_mat([[-total[j]] for j in self.pivots]), self.deadline)
        except ZeroDivisionError:
            return None
        found = [int(v) for v in solution.entries()]
        if self.others:
            beside = fmpz_mat([[row[j] for j in self.others] for row in self.entries])
            sums = (fmpz_mat([found]) * beside).entries()
            if any(v + q * total[j] for v, j in zip(sums, self.others, strict=True)):
                return None
        # In all: sum found_i row_i + q sum whole_i row_i = 0, and z_i = row_i / factor_i.
        of_z: dict[int, tuple[int, int]] = {i: (w * q * unit, 1) for i, w in outside.items()}
        for i, v, f in zip(self.ids, found, self.factors, strict=True):
            above, below = of_z.get(i, (0, 1))[0] + v * f, 1
            of_z[i] = above.as_integer_ratio() if isinstance(above, Fraction) else (above, below)
        return of_rows(self.rows, of_z)


def whole_entries(rows: SignedRows, ids: Sequence[int]) -> tuple[list[list[int]], list[Fraction]]:
    """For each row integers without a common factor and the factor > 0 with which they are z_i times it."""
    if not ids:
        return [], []
    found = None if rows.whole else _from_doubles(rows, list(ids))
    if found is not None:
        return found
    exact = exact_rows(rows, ids)
    common = [gcd(*m) or 1 for m, _ in exact]
    entries = [[v // g for v in m] for (m, _), g in zip(exact, common, strict=True)]
    return entries, [Fraction(1 << q, g) for (_, q), g in zip(exact, common, strict=True)]


def _from_doubles(rows: SignedRows, ids: list[int]) -> tuple[list[list[int]], list[Fraction]] | None:
    """The same without a loop over entries; None if one of them lost bits when it was scaled."""
    Z, part = rows.Z[ids], rows.X[ids]
    stored = np.count_nonzero(part.data) if rows.sparse else np.count_nonzero(part)
    if np.count_nonzero(np.abs(Z) > TINY) != stored + len(ids) * rows.constant:
        return None
    whole, exps = odd_parts(Z)
    at = whole != 0
    lowest = np.where(at, exps, 10**6).min(axis=1, initial=10**6)
    lowest[~at.any(axis=1)] = 0
    shift = np.where(at, exps - lowest[:, None], 0)
    if (np.frexp(abs(whole).astype(np.float64))[1] + shift).max(initial=0) > 62:
        whole, shift = whole.astype(object), shift.astype(object)  # Python's integers
    out = whole << shift
    divisors = np.gcd.reduce(out, axis=1)
    divisors[divisors == 0] = 1
    entries: list[list[int]] = (out // divisors[:, None]).tolist()
    pairs = zip(lowest.tolist(), divisors.tolist(), strict=True)
    return entries, [Fraction(1, g << e) if e > 0 else Fraction(1 << -e, g) for e, g in pairs]


def odd_parts(values: Array) -> tuple[Array, Array]:
    """Odd integers m and exponents e with values = m 2^e; 0 and 0 of zeros."""
    mantissas, exps = np.frexp(values)
    whole = np.ldexp(mantissas, 53).astype(np.int64)
    zeros = np.where(whole != 0, np.frexp((whole & -whole).astype(np.float64))[1] - 1, 0)
    whole >>= zeros
    return whole, np.where(whole != 0, exps - 53 + zeros, 0).astype(np.int64)


def spanning(rows: SignedRows, first: Sequence[int], among: Array, deadline: Deadline) -> DenseSpan:
    """The span of the independent rows `first` and of the rows `among`."""
    open_rows, ids = np.asarray(among, dtype=np.int64), list(first)
    while True:  # each turn settles some of the open rows
        some = open_rows[:: max(1, open_rows.size // (2 * rows.width))]  # from all over the table: neighbours are alike
        block = [*ids, *some.tolist()]
        # A prime that hides that rows are independent divides a minor of theirs.
        for prime in PRIMES:
            kept, columns = _independent(rows, block, prime, deadline)
            if kept[: len(ids)] == list(range(len(ids))):
                break
        span = DenseSpan(rows, [block[k] for k in kept], columns, deadline)
        mask = np.zeros(rows.n, dtype=bool)
        mask[open_rows] = True
        mask[some] = False
        ids, open_rows = span.ids, np.flatnonzero(mask)
        if open_rows.size:
            open_rows = open_rows[~span.inside(mask, deadline)[open_rows]]
        if not open_rows.size:
            return span


def _independent(rows: SignedRows, ids: list[int], prime: int, deadline: Deadline) -> tuple[list[int], list[int]]:
    """Places of independent rows among `ids`, the first preferred, and pivot columns, modulo a prime."""
    entries = whole_entries(rows, ids)[0]
    time_left(deadline)
    kept = pivots(nmod_mat(fmpz_mat(entries).transpose(), prime))
    return kept, pivots(nmod_mat(fmpz_mat([entries[k] for k in kept]), prime)) if kept else []


def pivots(M: nmod_mat) -> list[int]:
    """The first columns that are independent, as many as the rank."""
    echelon, rank = M.rref()
    found, j = [], 0
    for k in range(rank):
        while not int(echelon[k, j]):
            j += 1
        found.append(j)
        j += 1
    return found


class Support:
    """Weights `y` of the rows A, of which `basis` are independent on the `columns` and span all.

    As a_j = T_j A[basis], lowering a weight y_j by t changes the basic weights by t T_j; when one of those would fall
    below its bound it leaves the basis and j enters, as in the simplex method. In the end every row outside the basis
    has its weight at its bound, an integer: the basic weights then follow from one exact system. With the bounds at 0
    and one row left where it is, few rows have a weight: a witness. If no basic weight is 0 these few span everything.

    LinAlgError where rounding hides the rank.
    """

    def __init__(self, A: Array, y: Array) -> None:
        weighted = A * y[:, None]
        # Of their rank small weights may hide more than half of the digits, and not all.
        R = sp.linalg.qr(A * np.sqrt(y)[:, None], mode="r", check_finite=False)[0][: A.shape[1]]
        columns = np.arange(A.shape[1])
        if not is_regular(R):
            R, pivots = sp.linalg.qr(R, mode="r", pivoting=True, check_finite=False)
            size = np.abs(np.diagonal(R))
            columns = pivots[: int((size > ROUNDED * size[0]).sum())] if size.size and size[0] > 0 else columns[:0]
        if not columns.size:
            raise np.linalg.LinAlgError("no rank")
        order = np.arange(len(A))
        for k, other in enumerate(sp.linalg.lu_factor(weighted[:, columns], check_finite=False)[1].tolist()):
            order[[k, other]] = order[[other, k]]
        self.A, self.y, self.columns = A[:, columns], y.astype(np.float64), columns.tolist()
        self.basis = order[: columns.size]
        self.low = np.zeros(len(A))
        self._refresh()
        if not (self.y > 0).all():
            raise np.linalg.LinAlgError("not positive")
        self.y *= 2 * _LOWEST / self.y[self.basis].min()
        self.low[self.basis] = np.floor(self.y[self.basis] / 2)

    def _refresh(self) -> None:
        """A fresh inverse, and basic weights that bring the sum to 0 again."""
        self.inverse = np.asfortranarray(np.linalg.inv(self.A[self.basis]))
        rest = self.y.copy()
        rest[self.basis] = 0.0
        self.y[self.basis] = -(rest @ self.A) @ self.inverse
        self.changes = 0

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

    def outside(self) -> Array:
        """The rows outside the basis that have a weight."""
        return np.setdiff1d(np.flatnonzero(self.y), self.basis)

    def weighty(self) -> Array:
        """The rows of the basis whose weights are clearly above 0."""
        weights = self.y[self.basis]
        return np.asarray(self.basis[weights > CLEAR * weights.max(initial=0.0)])

    def lower(self, deadline: Deadline, keep: int | None = None) -> None:
        """Bring every weight outside the basis to its bound, smallest first; row `keep` is left where it is.

        Raises
        ------
        OutOfTimeError
        """
        # Plain numbers for the weights outside the basis, arrays for those in it: a call costs more than the sums.
        outside, low = self.y.tolist(), self.low.tolist()
        basic = set(self.basis.tolist())
        weights, least = self.y[self.basis], self.low[self.basis]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            for j in np.argsort(self.y, kind="stable").tolist():
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
        self.inverse = sp.linalg.blas.dger(-1.0, column, other, a=self.inverse, overwrite_a=1)
        self.inverse[:, k] = column
        return False


def is_regular(R: Array) -> bool:
    """Whether an upper triangular matrix is far from singular: then pivoting, which takes long, has nothing to find."""
    if not R.size or R.shape[0] != R.shape[1]:
        return False
    # R as the factors of itself, L = I and U = R: SciPy before 1.15 has no condition number of triangles alone.
    condition, info = sp.linalg.lapack.dgecon(R, np.abs(R).sum(axis=0).max())
    return bool(info == 0 and condition > 1e3 * ROUNDED)


def triangle_of(Z: Array) -> Array | None:
    """R of Z = Q R; None where it is singular to rounding, as of fewer rows than columns."""
    R = sp.linalg.qr(Z, mode="r", check_finite=False)[0][: Z.shape[1]]
    size = np.abs(np.diagonal(R))
    return R if len(Z) >= Z.shape[1] and size.min() > _SINGULAR * size.max() else None
