"""A few rows as integers, and their span: what lies in it, and the vectors orthogonal to it."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from fractions import Fraction
from functools import cached_property
from math import gcd
from typing import Any

import numpy as np
import scipy.linalg
from flint import fmpz_mat, nmod_mat

from linsep.theory.rows.deadline import NEVER, Deadline
from linsep.theory.rows.exact_signs import as_floats, vanishing
from linsep.theory.rows.integers import PRIME, exact_rows, primitive, whole_numbers
from linsep.theory.rows.signed import SignedRows
from linsep.theory.rows.square import Square
from linsep.types import Array

_TINY = 2.0**-900
_SMALL = 1_000  # entries of a table whose echelon form is soon found without a prime
_NEAR_SPAN = 1e-6  # rows this close to a span are asked exactly whether they are in it


class IntegerRows:
    """`entries[k]` = `factors[k]` z_i for i = ids[k]: integers without a common factor, factors > 0.

    `doubles` holds the same rows in floating point.
    """

    def __init__(self, rows: SignedRows, ids: Sequence[int] | Array) -> None:
        self.ids = [int(i) for i in ids]
        self.doubles = rows.Z[self.ids]
        found = None if rows.whole else _from_doubles(rows, self.ids, self.doubles)
        self.from_doubles = found is not None
        if found is None:
            entries = exact_rows(rows, self.ids)
            common = [gcd(*m) or 1 for m, _ in entries]
            self.entries: list[list[int]] = [[v // g for v in m] for (m, _), g in zip(entries, common, strict=True)]
            self.factors = [Fraction(1 << q, g) for (_, q), g in zip(entries, common, strict=True)]
        else:
            self.entries, self.factors = found

    def among(self, ids: Sequence[int]) -> IntegerRows:
        """Some of these rows, which are not made again."""
        out, places = copy(self), {i: k for k, i in enumerate(self.ids)}
        at = [places[i] for i in ids]
        out.ids, out.doubles = list(ids), self.doubles[at]
        out.entries, out.factors = [self.entries[k] for k in at], [self.factors[k] for k in at]
        return out

    @property
    def filled(self) -> Array:
        """Where entries are not 0."""
        if self.from_doubles:
            return np.asarray(self.doubles != 0)
        return np.array([[v != 0 for v in row] for row in self.entries], dtype=bool)


def _from_doubles(rows: SignedRows, ids: list[int], Z: Array) -> tuple[list[list[int]], list[Fraction]] | None:
    """The same from doubles, without a loop over entries where those of each row span less than 62 bits."""
    if rows.scaled:
        part = rows.X[ids]
        stored = np.count_nonzero(part.data) if rows.sparse else np.count_nonzero(part)
        if np.count_nonzero(np.abs(Z) > _TINY) != stored + len(ids) * rows.constant:
            return None  # an entry underflowed, or lost bits
    mantissas, exps = np.frexp(Z)
    whole = np.ldexp(mantissas, 53).astype(np.int64)
    at = whole != 0
    # Without its trailing zero bits each entry is an odd number times 2^exps.
    zeros = np.where(at, np.frexp((whole & -whole).astype(np.float64))[1] - 1, 0)
    whole >>= zeros
    exps = exps - 53 + zeros
    lowest = np.where(at, exps, 10**6).min(axis=1, initial=10**6)
    lowest[~at.any(axis=1)] = 0
    shift = np.where(at, exps - lowest[:, None], 0)
    if (np.frexp(abs(whole).astype(np.float64))[1] + shift).max(initial=0) <= 62:
        out = whole << shift
        divisors = np.maximum(np.gcd.reduce(out, axis=1), 1)
        entries: list[list[int]] = (out // divisors[:, None]).tolist()
        common: list[int] = divisors.tolist()
    else:
        entries = [[0] * Z.shape[1] for _ in ids]
        i, j = np.nonzero(at)
        for row, column, v, up in zip(i.tolist(), j.tolist(), whole[at].tolist(), shift[at].tolist(), strict=True):
            entries[row][column] = v << up
        common = [gcd(*row) or 1 for row in entries]
        entries = [[v // g for v in row] if g > 1 else row for row, g in zip(entries, common, strict=True)]
    exponents = lowest.tolist()
    factors = [Fraction(1, g << e) if e > 0 else Fraction(1 << -e, g) for e, g in zip(exponents, common, strict=True)]
    return entries, factors


class Span:
    """Independent rows `ids` and as many columns, `pivots`, on which they form a regular matrix.

    A vector orthogonal to the rows is fixed by its entries on the other columns, `others`; any will do.
    """

    def __init__(
        self,
        rows: SignedRows,
        ids: Sequence[int],
        pivots: Sequence[int] | None = None,
        whole: IntegerRows | None = None,
    ) -> None:
        self.rows, self.ids = rows, list(ids)
        self._alone: dict[int, tuple[list[int], int]] = {}
        if whole is not None:
            self.whole = whole
        self.pivots = list(pivots) if pivots is not None else self._choose() if self.ids else []
        chosen = set(self.pivots)
        self.others = [j for j in range(rows.width) if j not in chosen]

    @cached_property
    def whole(self) -> IntegerRows:
        """The rows as integers."""
        return IntegerRows(self.rows, self.ids)

    @cached_property
    def square(self) -> Square:
        """The regular matrix."""
        return Square([[row[j] for j in self.pivots] for row in self.whole.entries], self.whole.filled[:, self.pivots])

    def _choose(self) -> list[int]:
        """Columns: those that pivoting prefers, or, where rounding misled it, the first that do, modulo a prime."""
        self.pivots = scipy.linalg.qr(self.whole.doubles, mode="r", pivoting=True)[1][: len(self.ids)].tolist()
        if nmod_mat(self.square.core, PRIME).rank() == self.square.core.nrows():
            return self.pivots
        del self.square
        found = _pivots(fmpz_mat(self.whole.entries))
        if len(found) < len(self.ids):
            raise ZeroDivisionError("the rows are not independent")
        return found

    def _solved(self, columns: Sequence[int], deadline: Deadline) -> tuple[list[list[int]], int]:
        """The entries on the pivots, with a denominator, of vectors with a 1 in one of these columns; one is kept."""
        if len(columns) == 1 and columns[0] in self._alone:
            found, q = self._alone[columns[0]]
            return [found], q
        table, q = self.square.columns_to([[-row[j] for row in self.whole.entries] for j in columns], deadline)
        if len(columns) == 1:
            self._alone[columns[0]] = table[0], q
        return table, q

    def normal(self, entries: Sequence[int], deadline: Deadline = NEVER) -> list[int]:
        """Return the vector orthogonal to the rows with these `entries` on `others`, times a positive integer."""
        out = [0] * self.rows.width
        q = 1
        used = [(j, v) for j, v in zip(self.others, entries, strict=True) if v]
        rhs = [-sum(row[j] * v for j, v in used) for row in self.whole.entries]
        if any(rhs):
            if len(used) == 1:
                (found,), q = self._solved([used[0][0]], deadline)
                found = [v * used[0][1] for v in found]
            else:
                (found,), q = self.square.columns_to([rhs], deadline)
            for j, v in zip(self.pivots, found, strict=True):
                out[j] = v
        for j, v in zip(self.others, entries, strict=True):
            out[j] = v * q
        return primitive(out)

    def inside(self, among: Array, deadline: Deadline = NEVER) -> Array:
        """Which rows of the mask `among` are in the span: a mask.

        Those orthogonal to a random vector orthogonal to the span; a row outside is so with probability below 2^-20:
        good enough to search with, what is found is verified.
        """
        if not self.others:
            return among.copy()
        draw = np.random.default_rng(len(self.ids)).integers(-(2**20), 2**20, len(self.others)).tolist()
        normal = self.normal(draw, deadline)
        which = np.flatnonzero(among)
        z = self.rows.scores(as_floats(normal))[which]
        near = which[np.abs(z) <= _NEAR_SPAN]
        inside = np.zeros(self.rows.n, dtype=bool)
        inside[near] = vanishing(self.rows.X[near], self.rows.original(normal))
        return inside

    def direction_near(self, d: Array, deadline: Deadline) -> list[int]:
        """Integers near d that are exactly 0 on the rows."""
        return self.normal(whole_numbers(d[self.others]), deadline) if self.ids else whole_numbers(d)

    def null_vectors(self, deadline: Deadline = NEVER) -> list[dict[int, int]]:
        """Integer basis, in the units of X, of the vectors orthogonal to the rows: column -> entry, without zeros.

        One for each column of `others`, in which only it has an entry; first those of columns that are 0 on the rows.
        """
        if not self.others:
            return []
        units, used = self.rows.units, np.zeros(self.rows.width, dtype=bool)
        if self.ids:
            used |= self.whole.filled.any(axis=0)
        vectors = [{j: 1} for j in self.others if not used[j]]
        rest = [j for j in self.others if used[j]]
        if rest:
            table, q = self._solved(rest, deadline)
            for j, found in zip(rest, table, strict=True):
                kept = {at: v * units[at] for at, v in zip(self.pivots, found, strict=True) if v} | {j: q * units[j]}
                vectors.append(dict(zip(kept, primitive(list(kept.values())), strict=True)))
        return vectors


def independent_rows(
    rows: SignedRows, ids: Sequence[int] | Array, basis: Sequence[int] = (), deadline: Deadline = NEVER
) -> list[int]:
    """Choose a largest independent subset of the rows `ids`, beyond the independent rows `basis`, which come first."""
    basis = list(basis)
    open_rows = np.asarray(ids, dtype=np.int64)
    while open_rows.size:  # each turn settles some of them
        # Rows from all over the table: neighbours may be alike.
        some = open_rows[:: max(1, open_rows.size // (2 * rows.width))]
        block = [*basis, *some.tolist()]
        basis = [block[j] for j in _pivots(fmpz_mat(IntegerRows(rows, block).entries).transpose())]
        among = np.zeros(rows.n, dtype=bool)
        among[open_rows] = True
        among[some] = False
        open_rows = np.flatnonzero(among)
        if open_rows.size:
            open_rows = np.flatnonzero(among & ~Span(rows, basis).inside(among, deadline))
    return basis


def _pivots(M: fmpz_mat) -> list[int]:
    """The first columns that are independent and span all, modulo a prime; in small tables, whatever it divides."""
    form: Any = nmod_mat(M, PRIME).rref()
    if form[-1] < min(M.nrows(), M.ncols()) and M.nrows() * M.ncols() <= _SMALL:
        form = M.rref()
    echelon, rank = form[0], form[-1]
    found: list[int] = []
    j = -1
    for k in range(rank):
        j = next(i for i in range(j + 1, M.ncols()) if int(echelon[k, i]))
        found.append(j)
    return found
