"""The span of a few rows, exactly: what lies in it, and the vectors orthogonal to it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import scipy.linalg
from flint import fmpz_mat, nmod_mat

from linsep.theory.rows.exact_signs import as_floats, vanishing
from linsep.theory.rows.integers import PRIME, IntegerRows, primitive, rank_mod, solve
from linsep.theory.rows.signed import SignedRows
from linsep.types import Array

_NEAR_SPAN = 1e-6  # rows this close to a span are asked exactly whether they are in it


class Span:
    """Independent rows `ids` and as many columns, `pivots`, on which they form a regular matrix.

    A vector orthogonal to the rows is fixed by its entries on the other columns, `others`; any will do.
    """

    def __init__(self, rows: SignedRows, ids: Sequence[int], pivots: Sequence[int] | None = None) -> None:
        self.rows, self.ids = rows, list(ids)
        self.pivots = list(pivots) if pivots is not None else self._choose()
        chosen = set(self.pivots)
        self.others = [j for j in range(rows.width) if j not in chosen]

    @cached_property
    def whole(self) -> IntegerRows:
        """The rows as integers."""
        return IntegerRows(self.rows, self.ids)

    @cached_property
    def square(self) -> fmpz_mat:
        """The regular matrix."""
        return self.whole.matrix(self.pivots)

    def _choose(self) -> list[int]:
        """Columns: those that pivoting prefers, or, where rounding misled it, the first that do, modulo a prime."""
        if not self.ids:
            return []
        Z = self.rows.dense(self.ids)
        pivots = [int(j) for j in scipy.linalg.qr(Z, mode="r", pivoting=True)[1][: len(self.ids)]]
        if rank_mod(self.whole.matrix(pivots)) == len(self.ids):
            return pivots
        echelon, rank = nmod_mat(self.whole.matrix(), PRIME).rref()
        if rank < len(self.ids):
            raise ZeroDivisionError("the rows are not independent")
        return [next(j for j in range(self.rows.width) if int(echelon[k, j])) for k in range(rank)]

    def normal(self, entries: Sequence[int], deadline: float = np.inf) -> list[int]:
        """Return the vector orthogonal to the rows with these `entries` on `others`, times a positive integer."""
        out = [0] * self.rows.width
        q = 1
        used = [(j, v) for j, v in zip(self.others, entries, strict=True) if v]
        rhs = [-sum(row[j] * v for j, v in used) for row in self.whole.entries]
        if any(rhs):
            numerators, q = solve(self.square, fmpz_mat([[v] for v in rhs]), deadline)
            for k, j in enumerate(self.pivots):
                out[j] = int(numerators[k, 0])
        for j, v in zip(self.others, entries, strict=True):
            out[j] = v * q
        return primitive(out)

    def inside(self, among: Array, deadline: float = np.inf) -> Array:
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

    def null_vectors(self) -> list[dict[int, int]]:
        """Integer basis, in the units of X, of the vectors orthogonal to the rows: column -> entry, without zeros.

        One for each column of `others`, in which only it has an entry.
        """
        rows, units = self.rows, self.rows.units
        used = np.zeros(rows.width, dtype=bool)
        if self.ids:
            used[np.flatnonzero((rows.dense(self.ids) != 0).any(axis=0))] = True
        vectors = [{j: 1} for j in self.others if not used[j]]
        rest = [j for j in self.others if used[j]]
        if rest:
            numerators, q = solve(self.square, -self.whole.matrix(rest))
            table = numerators.tolist()
            for k, j in enumerate(rest):
                entries = {at: int(table[i][k]) * units[at] for i, at in enumerate(self.pivots)} | {j: q * units[j]}
                kept = {at: v for at, v in entries.items() if v}
                vectors.append(dict(zip(kept, primitive(list(kept.values())), strict=True)))
        return vectors


def null_vectors(rows: SignedRows, ids: Sequence[int]) -> list[list[int]]:
    """Integer basis, in the units of X, of the vectors orthogonal to the independent rows `ids`."""
    return [[vector.get(j, 0) for j in range(rows.width)] for vector in Span(rows, ids).null_vectors()]


def independent_rows(
    rows: SignedRows, ids: Sequence[int] | Array, basis: Sequence[int] = (), deadline: float = np.inf
) -> list[int]:
    """Choose a largest independent subset of the rows `ids`, beyond the independent rows `basis`, which come first."""
    basis = list(basis)
    open_rows = np.asarray(ids, dtype=np.int64)
    while open_rows.size:
        # Rows from all over the table: neighbours may be alike.
        some = open_rows[:: max(1, open_rows.size // (2 * rows.width))]
        block = [*basis, *some.tolist()]
        echelon, rank = nmod_mat(IntegerRows(rows, block).matrix().transpose(), PRIME).rref()
        basis = [block[next(j for j in range(len(block)) if int(echelon[k, j]))] for k in range(rank)]
        among = np.zeros(rows.n, dtype=bool)
        among[open_rows] = True
        among[some] = False
        open_rows = np.flatnonzero(among)
        if open_rows.size:
            open_rows = np.flatnonzero(among & ~Span(rows, basis).inside(among, deadline))
    return basis
