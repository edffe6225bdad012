"""One face of the cone, guessed in floating point: which rows a direction can separate, and which overlap.

Interior points on a working set: some of the rows at first, then also those that the guess gets wrong. Rows that nearly
lie in a plane are turned: Z = Q R, and Q stands for Z, as far as doubles tell.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy as sp

from linsep.clock import clock
from linsep.theory.cone.exact import CLEAR, MOST_DENSE, ROUNDED, is_regular, triangle_of
from linsep.theory.cone.interior_point import Pair, complementary_pair
from linsep.theory.rows.deadline import Deadline, OutOfTimeError
from linsep.theory.rows.signed import SignedRows
from linsep.types import Array

LARGE = 300  # columns of a sparse table from which rows are too many to choose some, and systems to be made dense
ALL_AT_ONCE = 8  # up to so many rows a column no working set is chosen
_SPARSE = 0.125  # of the entries of a large sparse table: with more the squares of dense rows take less time


class Asked:
    """The rows that one face is about: those still asked about, and equalities, which stand for two opposite rows.

    Attributes
    ----------
    which, way : ndarray of int
        The k-th is `way[k]` times the row `which[k]`.
    """

    def __init__(self, rows: SignedRows, active: Array, equal: Array) -> None:
        self.rows = rows
        plus, minus = np.flatnonzero(active | equal), np.flatnonzero(equal)
        self.which = np.concatenate([plus, minus])
        self.way = np.repeat([1.0, -1.0], [plus.size, minus.size])
        self.every = plus.size == rows.n and not minus.size
        self.n, self.width = self.which.size, rows.width
        self.R: Array | None = None

    def table(self, ids: Array, *, sparse: bool = False) -> Any:
        """Rows as an array, turned if that helps, or as they are in a CSR table."""
        way = self.way[ids]
        if sparse:
            part = self.rows.compressed(self.which[ids])
            return (
                sp.sparse.csr_array(part) if (way > 0).all() else sp.sparse.csr_array(sp.sparse.diags_array(way) @ part)
            )
        Z = self.rows.Z if self.every and ids.size == self.n and not self.rows.sparse else self.rows.Z[self.which[ids]]
        Z = Z if (way > 0).all() else Z * way[:, None]
        if self.R is None:
            return Z
        return np.ascontiguousarray(sp.linalg.solve_triangular(self.R, Z.T, trans="T", check_finite=False).T)

    def scores(self, d: Array) -> Array:
        """Products of all rows with a direction of the rows as they are in the table."""
        z = self.rows.scores(self.back(d))
        return z if self.every else z[self.which] * self.way

    def back(self, d: Array) -> Array:
        """The direction of the scaled columns."""
        return d if self.R is None else np.asarray(sp.linalg.solve_triangular(self.R, d, check_finite=False))

    def turn(self, some: Array) -> None:
        """Turn the rows, unless these are wholly dependent."""
        self.R = triangle_of(self.table(some))


@dataclass
class Guess:
    """Rows `ids` of those asked with positive weights `y` that bring them to 0, and d > 0 on all others."""

    ids: Array
    y: Array
    d: Array


class WorkingSet:
    """The rows that a guess is made from. Those of a sparse table stay `sparse` where that is faster.

    `again`: what came of a guess could not be proved; then no table stays sparse, and rows are turned.
    """

    def __init__(self, asked: Asked, deadline: Deadline, *, again: bool = False) -> None:
        self.asked, self.deadline, self.again = asked, deadline, again
        rows = asked.rows
        large = rows.sparse and rows.width >= LARGE
        self.sparse = large and not again and rows.stored <= _SPARSE * rows.width * rows.n
        self.rng = np.random.default_rng(0)
        self.ids = self._some()
        if again:
            asked.turn(self.ids)

    def otherwise(self) -> WorkingSet | None:
        """With rows that are turned, or no longer sparse; None if that changes nothing."""
        if self.again:
            return None
        other = WorkingSet(self.asked, self.deadline, again=True)
        return other if self.sparse or self.asked.R is not None else None

    def _some(self) -> Array:
        """Rows to begin with: all, unless they are many; what is made dense has to fit into memory."""
        n, width = self.asked.n, self.asked.width
        if n > ALL_AT_ONCE * width and n > 1000 and not self.sparse:
            return np.sort(self.rng.choice(n, max(ALL_AT_ONCE * width // 2, 500), replace=False))
        if n * width > MOST_DENSE and not self.sparse:
            return np.sort(self.rng.choice(n, min(n, max(300, MOST_DENSE // width)), replace=False))
        return np.arange(n)

    def guess(self) -> Guess:
        """Add wrong rows until none is left.

        Raises
        ------
        OutOfTimeError
        """
        while True:  # each turn adds rows
            pair, aside = self._pair()
            if not pair.clear and pair.late:
                raise OutOfTimeError
            d, spanned = pair.d, None
            everything = self.ids.size == self.asked.n
            if aside.any() and not (everything and aside.all()) and not (self.sparse and everything):
                table = self.asked.table(self.ids[aside])
                spanned = row_space(table * pair.y[aside][:, None], self.deadline)
                d = off_span(d, spanned)
            wrong = self.ids[:0] if everything else self._wrong(aside, d, spanned)
            if not wrong.size:
                return Guess(self.ids[aside], pair.y[aside], self.asked.back(d))
            self.ids = np.union1d(self.ids, wrong)

    def _pair(self) -> tuple[Pair, Array]:
        """The end of the path for the rows `ids`, and which are set aside."""
        Z, Q = self.asked.table(self.ids, sparse=self.sparse), None
        if not self.sparse and Z.shape[0] < Z.shape[1]:  # as few coordinates as there are rows
            Q, R = sp.linalg.qr(Z.T, mode="economic", check_finite=False)
            Z = np.ascontiguousarray(R.T)
        pair = complementary_pair(Z, self.deadline)
        aside = (pair.y > pair.s) & (not (Z @ pair.d > 0).all())
        return (pair if Q is None else pair._replace(d=Q @ pair.d)), aside

    def _wrong(self, aside: Array, d: Array, spanned: Array | None) -> Array:
        """Rows outside the span of those set aside that d gets wrong, the worst first."""
        asked = self.asked
        outside = np.ones(asked.n, dtype=bool)
        outside[self.ids] = False
        if spanned is not None:
            if spanned.shape[1] == asked.width:
                return self.ids[:0]
            u = off_span(self.rng.normal(size=d.size), spanned)
            outside &= np.abs(asked.scores(u)) > CLEAR * max(1.0, float(np.linalg.norm(u)))
        length = float(np.linalg.norm(d))
        which = np.flatnonzero(outside)
        most = max(2 * min(asked.width, self.ids.size), 50)
        if aside.all():
            return which[:: max(1, which.size // most)][:most]
        if length == 0:
            return which[:most]
        z = asked.scores(d / length)[which]
        count = int(np.count_nonzero(z <= ROUNDED))
        if count:  # rows near those are wrong the next time, and cost little
            count = max(count, asked.width)
        return which[_least(z, min(count, most))]


def _least(z: Array, k: int) -> Array:
    """Where the k least are, or all, in ascending order and of equal ones the first: not all need to be sorted."""
    if not 0 < k < z.size:
        return np.argsort(z, kind="stable")[:k]
    near = np.flatnonzero(z <= np.partition(z, k - 1)[k - 1])
    return near[np.argsort(z[near], kind="stable")[:k]]


def row_space(Z: Array, deadline: Deadline) -> Array:
    """An orthonormal basis, in columns, of the span of the rows of Z, to rounding; may raise OutOfTimeError."""
    if clock() > deadline.at:
        raise OutOfTimeError
    R = Z
    if Z.shape[0] > Z.shape[1]:
        R = sp.linalg.qr(Z, mode="r", check_finite=False)[0][: Z.shape[1]]
        if is_regular(R):
            return np.eye(len(R))
    Q, R, _ = sp.linalg.qr(R.T, mode="economic", pivoting=True, check_finite=False)
    size = np.abs(np.diagonal(R))
    return np.asarray(Q[:, : int((size > ROUNDED * size[0]).sum())])


def off_span(v: Array, spanned: Array) -> Array:
    """v without its part in the span of orthonormal columns, twice: the second time takes away what rounding left."""
    for _ in range(2):
        v = v - spanned @ (spanned.T @ v)
    return v
