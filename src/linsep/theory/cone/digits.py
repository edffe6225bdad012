"""Independent rows of a large sparse table, and linear systems of them solved exactly: by digits modulo a prime.

A system is solved modulo a prime P, what is left is divided by P and solved again: so come the digits of the solution
to the base P (Dixon 1982), until a common denominator and numerators of half their length fit them all.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import scipy as sp
from flint import fmpz, fmpz_mat

from linsep.theory.cone.exact import PRIMES, Span, Vector, odd_parts, without_factor
from linsep.theory.rows.deadline import Deadline, time_left, until
from linsep.theory.rows.signed import SignedRows
from linsep.types import Array

_PRIME, _OTHER = PRIMES[:2]  # what is found modulo the first is tried modulo the other before it is believed
_BITS = 15  # of a part of an entry: times a digit of 30 bits, 2^17 of them add up below 2^63
_MOST_DIGITS = 400  # of a solution: numerators of 6,000 bits, which nobody would want to verify


class WholeColumns:
    """A sparse table of doubles whose columns are multiplied by powers of two until they are integers.

    Attributes
    ----------
    parts
        int64 tables: the integers are the sum of parts[k] 2^(15 k). All but the first are nearly empty as a rule.
    exps
        Column j was multiplied by 2^exps[j].
    often
        How many entries each column has.
    """

    def __init__(self, Z: Any, deadline: Deadline) -> None:
        self.often = np.bincount(Z.indices, minlength=Z.shape[1]).astype(np.int64)
        whole, exps = odd_parts(Z.data)
        time_left(deadline)
        lowest = np.full(Z.shape[1], 10**6)
        np.minimum.at(lowest, Z.indices[whole != 0], exps[whole != 0])
        lowest[lowest == 10**6] = 0
        self.shape, self.exps = Z.shape, -lowest
        shift = np.where(whole != 0, exps - lowest[Z.indices], 0)
        self.parts: list[Any] = []
        rest = np.abs(whole)
        sign = np.sign(whole)
        # What lies in bits 15 k to 15 k + 14 of rest << shift.
        while (rest != 0).any() or not self.parts:
            time_left(deadline)
            within = np.minimum(shift, _BITS)
            digit = np.where(shift < _BITS, (rest << within) & (2**_BITS - 1), 0)
            self.parts.append(_with(Z, sign * digit))
            rest = np.where(shift < _BITS, rest >> (_BITS - within), rest)
            shift = np.maximum(shift - _BITS, 0)

    def combined(self, ids: Array, weights: Array) -> list[int]:
        """The sum of the rows `ids` times int64 weights below 2^29, in units of the integers."""
        total = [0] * self.shape[1]
        for k, part in enumerate(self.parts if ids.size else ()):
            total = [t + (v << (_BITS * k)) for t, v in zip(total, (part[ids].T @ weights).tolist(), strict=True)]
        return total

    @cached_property
    def residues(self) -> tuple[Array, Array, Array]:
        """The integers modulo the prime: where each row begins, columns and values."""
        total: Any = sp.sparse.csr_matrix(self.shape, dtype=np.int64)
        for k, part in enumerate(self.parts):
            total = total + part * pow(2, _BITS * k, _PRIME)  # each entry of one part stays below 2^46
            total.data %= _PRIME
        total.eliminate_zeros()
        return total.indptr.astype(np.int64), total.indices.astype(np.int64), total.data.astype(np.int64)


def _with(Z: Any, values: Array) -> Any:
    table = sp.sparse.csr_matrix((values, Z.indices.copy(), Z.indptr.copy()), shape=Z.shape)
    table.eliminate_zeros()
    return table


class SparseFactors:
    """The independent rows among `order`, those that come first preferred, of a table given as its whole columns.

    Attributes
    ----------
    ids : ndarray of int
        The independent rows, in that order.
    pivots : ndarray of int
        As many columns, on which they form a regular matrix; the first k of both belong together.
    """

    def __init__(self, whole: WholeColumns, order: Array, deadline: Deadline) -> None:
        from linsep.kernels.elimination import Factors, eliminate

        self.whole = whole
        time_left(deadline)
        asked = whole.residues, whole.shape[1], order.astype(np.int64), whole.often, _PRIME
        found = until(deadline, lambda stop: eliminate(*asked, stop))
        self.factors = Factors(*found)
        self.ids, self.pivots = self.factors.rows, self.factors.pivots
        self.basis = [part[self.ids] for part in self.whole.parts]

    def weights(self, k: int, goal: list[int], deadline: Deadline) -> tuple[list[int], int] | None:
        """Integers u and q > 0 with sum u_i (row i, of the first k kept) = q goal in their pivot columns.

        `goal` is by column, in the units of `whole`.
        """
        from linsep.kernels.elimination import solve_rows

        pivots = self.pivots[:k]
        rows = [part[:k].T.tocsr()[pivots] for part in self.basis]
        system = _System(rows, [goal[j] for j in pivots.tolist()])

        def digit(residue: Array) -> Array:
            every = np.zeros(self.whole.shape[1], dtype=np.int64)
            every[pivots] = residue
            return np.asarray(solve_rows(tuple(self.factors), k, every, _PRIME))

        return system.solve(digit, deadline)

    def entries(self, k: int, goal: list[int], deadline: Deadline) -> tuple[list[int], int] | None:
        """Integers x, by pivot column, and q > 0 with which the first k rows kept have the products q goal."""
        from linsep.kernels.elimination import solve_columns

        rows = [part[:k].tocsc()[:, self.pivots[:k]].tocsr() for part in self.basis]
        system = _System(rows, goal)

        def digit(residue: Array) -> Array:
            return np.asarray(solve_columns(tuple(self.factors), k, residue, _PRIME))

        return system.solve(digit, deadline)

    def completed(self, k: int, vector: dict[int, int], deadline: Deadline) -> dict[int, int] | None:
        """The vector orthogonal to the first k rows kept with these entries, times some integer, besides the pivots."""
        pivots = set(self.pivots[:k].tolist())
        given = {j: v for j, v in vector.items() if j not in pivots}
        columns = sorted(given)
        goal = [0] * k
        for n, part in enumerate(self.basis):
            table = part[:k][:, columns].tocoo()
            for i, j, v in zip(table.row.tolist(), table.col.tolist(), table.data.tolist(), strict=True):
                goal[i] -= (v * given[columns[j]]) << (_BITS * n)
        found = self.entries(k, goal, deadline)
        if found is None:
            return None
        entries, q = found
        named = {int(j): v for j, v in zip(self.pivots[:k], entries, strict=True) if v}
        return self.in_units({**named, **{j: q * v for j, v in given.items() if v}})

    def in_units(self, vector: dict[int, int]) -> dict[int, int]:
        """A vector of the whole columns in the units of Z, times a power of two.

        The whole column is that of Z times 2^exp, so an entry for it is one of Z's column times as much.
        """
        exps = {j: int(self.whole.exps[j]) for j in vector}
        low = min(exps.values(), default=0)
        return {j: v << (exps[j] - low) for j, v in vector.items()}


class SparseSpan(Span):
    """The first k rows kept of a sparse table of doubles: systems are solved by digits."""

    def __init__(self, rows: SignedRows, factors: SparseFactors, k: int) -> None:
        super().__init__(rows, factors.ids[:k].tolist(), factors.pivots[:k].tolist())
        self.factors, self.k = factors, k
        # An entry for a whole column, X's times 2^exps, is one for the scaled column, X's over 2^column_exps, times 2^-
        # the sum of both.
        self.to_whole = (-rows.column_exps - factors.whole.exps).tolist()
        self.to_scaled = rows.column_exps.tolist()

    def normals(self, given: Sequence[Vector], deadline: Deadline) -> list[Vector]:
        return [self._normal(v, deadline) for v in given]

    def _normal(self, given: Vector, deadline: Deadline) -> Vector:
        found = self.factors.completed(self.k, _shifted(given, self.to_whole), deadline)
        if found is None:
            raise ZeroDivisionError("the digits do not end")
        return _shifted(found, self.to_scaled)

    def balanced_near(
        self, among: Array, weights: Array, equal: Array, bits: int, deadline: Deadline
    ) -> dict[int, int] | None:
        """Weights of the rows `among`, in the units of X, that bring them to 0; positive but for `equal` rows.

        They are near `weights`, which holds one for each row. Those outside the basis are rounded to so many bits.
        """
        outside = np.ones(weights.size, dtype=bool)
        outside[self.ids] = False
        ids = among[outside[among]]
        basic, w = weights[self.ids], weights[ids]
        free = equal[self.ids]
        least = float(np.abs(basic[~free]).min(initial=np.inf))
        scale = min(max(2.0 ** (bits - 4) / least, 2.0**bits), 2.0**56 / float(np.abs(w).max(initial=1.0)))
        rounded = np.rint(w * scale)
        rounded = np.where(equal[ids], rounded, np.maximum(1, rounded)).astype(np.int64)
        high, low = (self.factors.whole.combined(ids, part) for part in (rounded >> 28, rounded & (2**28 - 1)))
        found = self.factors.weights(self.k, [-((a << 28) + b) for a, b in zip(high, low, strict=True)], deadline)
        if found is None or any(v <= 0 and not any_sign for v, any_sign in zip(found[0], free.tolist(), strict=True)):
            return None
        every = dict(zip(self.ids, found[0], strict=True))
        every |= dict(zip(ids.tolist(), [found[1] * v for v in rounded.tolist()], strict=True))
        return without_factor({i: v for i, v in every.items() if v})

    def _used(self) -> Array:
        return np.asarray(
            np.any([np.diff(part[: self.k].tocsc().indptr) > 0 for part in self.factors.basis], axis=0), dtype=bool
        )


def _shifted(vector: Vector, exps: list[int]) -> Vector:
    """Entries times powers of two, all over the least of them."""
    least = min((exps[j] for j in vector), default=0)
    return {j: v << (exps[j] - least) for j, v in vector.items()}


class _System:
    """A regular system A x = goal; A is the sum of parts[k] 2^(15 k)."""

    def __init__(self, parts: list[Any], goal: list[int]) -> None:
        self.parts, self.goal = parts, goal
        many = np.zeros(len(goal), dtype=bool)  # rows of which 64 bits may not hold the products
        for part in parts[1:]:
            many |= np.diff(part.indptr) > 0
        many |= np.array([abs(v) >= 2**62 for v in goal], dtype=bool)
        self.long = np.flatnonzero(many)
        self.long_parts = [part[self.long] for part in parts]

    def solve(self, digit: Any, deadline: Deadline) -> tuple[list[int], int] | None:
        """Numerators and a denominator > 0, or None if they are too long."""
        rest = np.array([0 if abs(v) >= 2**62 else v for v in self.goal], dtype=np.int64)
        rest[self.long] = 0
        long = [self.goal[i] for i in self.long.tolist()]
        x, base, tried = [0] * len(self.goal), 1, 1
        for k in range(1, _MOST_DIGITS + 1):
            time_left(deadline)
            residue = rest % _PRIME
            residue[self.long] = [v % _PRIME for v in long]
            found = digit(residue)
            found = np.where(found > _PRIME // 2, found - _PRIME, found)
            rest = (rest - self.parts[0] @ found) // _PRIME
            rest[self.long] = 0
            products = [(part @ found).tolist() for part in self.long_parts]
            sums = [sum(v << (_BITS * n) for n, v in enumerate(vs)) for vs in zip(*products, strict=True)]
            long = [(v - s) // _PRIME for v, s in zip(long, sums, strict=True)]
            x = [a + d * base for a, d in zip(x, found.tolist(), strict=True)]
            base *= _PRIME
            if not rest.any() and not any(long):
                return x, 1
            if k >= tried:
                tried = max(k + 1, int(1.3 * k))
                answer = common_fractions(x, base)
                if answer is not None and self._fits(*answer):
                    return answer
        return None

    def _fits(self, x: list[int], q: int) -> bool:
        """Whether A x = q goal modulo another prime."""
        residues = np.array([v % _OTHER for v in x], dtype=np.int64)
        low, high = residues & 0xFFFF, residues >> 16
        total = np.zeros(len(self.goal), dtype=np.int64)
        for n, part in enumerate(self.parts):
            power = pow(2, _BITS * n, _OTHER)
            product = ((part @ low) % _OTHER + (part @ high) % _OTHER * 2**16) % _OTHER
            total = (total + product * power) % _OTHER
        goal = np.array([v * q % _OTHER for v in self.goal], dtype=np.int64)
        return bool(np.array_equal(total, goal))


def common_fractions(x: Sequence[int], base: int) -> tuple[list[int], int] | None:
    """Numerators and one denominator, each about half as long as the base, of numbers modulo it; None if none are.

    Examples
    --------
    >>> common_fractions([5 * pow(3, -1, 10**9 + 7), pow(6, -1, 10**9 + 7)], 10**9 + 7)
    ([10, 1], 6)
    """
    numerators: list[int] = []
    limit, half = base.bit_length() // 2, base // 2
    # The denominator of a sum of all, each some times, is nearly always common to them: one search in place of many.
    times = np.random.default_rng(0).integers(1, 16, len(x)).tolist()
    q = _denominator(sum(v * k for v, k in zip(x, times, strict=True)) % base, base)
    for v in x:
        value = _between(v * q, base, half)
        if value.bit_length() >= limit - 8:
            more = _denominator(value % base, base)
            q, value = q * more, _between(value * more, base, half)
            if q.bit_length() > limit:
                return None
            numerators = [v * more for v in numerators] if more > 1 else numerators
        numerators.append(value)
    return numerators, q


def _between(value: int, base: int, half: int) -> int:
    """The value modulo the base that is nearest to 0."""
    value = int(fmpz(value) % base)
    return value - base if value > half else value


def _denominator(value: int, base: int) -> int:
    """The denominator b of a fraction a / b = value modulo the base, with a and b well below its root.

    (a, b) is the shortest vector of the lattice of all (a, b) with a = b value modulo the base. Wang 1981 finds the
    same by Euclid's algorithm, which takes longer.
    """
    return abs(int(fmpz_mat([[base, 0], [value, 1]]).lll()[0, 1]))
