"""One face of the cone, guessed in floating point: which rows a direction can separate, and which overlap."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.linalg

from linsep.theory.cone.exact_overlap import off_span, row_space
from linsep.theory.cone.interior_point import Pair, complementary_pair
from linsep.theory.rows.deadline import Deadline, OutOfTimeError
from linsep.theory.rows.signed import SignedRows
from linsep.types import Array

_ROUNDS = 60
_ALL_AT_ONCE = 8  # up to so many rows a column no working set is chosen
# Sparse rows stay so where they hold an eighth of their entries at most, and where so many products with them and a
# vector, for all steps, take less time than the squares of dense rows.
_SPARSE, _PRODUCTS = 0.125, 1500
_MOST_DENSE = 30_000_000  # entries of rows that are made dense at a time, 240 MB
_TOUCH = 1e-9  # scores this near 0 (unit direction) are not yet on the right side
_OUTSIDE = 1e-7  # a row this far from a span is outside it


@dataclass
class Guess:
    """Rows `ids` with positive weights `y` that bring them to 0 modulo the free rows, and d > 0 on all others."""

    ids: list[int]
    y: Array
    d: Array


class WorkingSet:
    """The rows that a guess is made from: some of the `active` at first, then those that the guess gets wrong.

    Those of a sparse table stay `sparse` where that is faster, unless they are to be made `dense` for more digits.
    """

    def __init__(
        self, rows: SignedRows, active: Array, free: list[int], deadline: Deadline, *, dense: bool = False
    ) -> None:
        self.rows, self.active, self.deadline = rows, active, deadline
        self.free = rows.Z[free] if free else None
        # Directions that are 0 on the free rows: coordinates for all others.
        self.room = scipy.linalg.qr(self.free.T)[0][:, len(free) :] if self.free is not None else None
        self.table: Array | None = None  # the rows `ids` where they are dense
        self.choices = np.flatnonzero(active)
        most = min(_SPARSE * rows.width, rows.width**2 / _PRODUCTS)
        self.sparse = rows.sparse and not (dense or free) and rows.stored <= most * rows.n
        self.ids = self._some()

    def _some(self) -> Array:
        """Rows to begin with: all, unless they are many; what is made dense has to fit into memory."""
        ids, width = self.choices, self.rows.width - (0 if self.free is None else len(self.free))
        if ids.size > _ALL_AT_ONCE * width and ids.size > 1000:
            return np.sort(self.rng.choice(ids, max(4 * width, 500), replace=False))
        if ids.size * width > _MOST_DENSE and not self.sparse:
            return np.sort(self.rng.choice(ids, max(300, _MOST_DENSE // width), replace=False))
        return ids

    @cached_property
    def rng(self) -> np.random.Generator:
        return np.random.default_rng(0)

    def guess(self) -> Guess | None:
        """Add wrong rows until none is left; None if that does not come to an end.

        Raises
        ------
        OutOfTimeError
        """
        for _ in range(_ROUNDS):
            pair, aside = self._pair()
            # The systems are too hard for conjugate gradients, or the rows set aside are too many to be made dense.
            many = self.sparse and np.count_nonzero(aside) * self.rows.width > _MOST_DENSE
            if self.sparse and not pair.late and (many or not pair.clear):
                self.sparse = False  # before rows are chosen: that asks
                self.ids = self._some()
                pair, aside = self._pair()
            if not pair.clear and pair.late:
                raise OutOfTimeError
            d, spanned = pair.d, None
            if aside.all() and self.ids.size == self.choices.size:
                return Guess(self.ids.tolist(), pair.y, d)  # no row is left that d has to separate
            if aside.any():
                table = self.rows.Z[self.ids[aside]] if self.table is None else self.table[aside]
                spanned = row_space(table * pair.y[aside][:, None], self.free, self.deadline)
                d = off_span(d, spanned)
            if self.ids.size == self.choices.size:
                return Guess(self.ids[aside].tolist(), pair.y[aside], d)
            wrong = self._wrong(aside, d, spanned)
            if not wrong.size:
                return Guess(self.ids[aside].tolist(), pair.y[aside], d)
            self.ids = np.union1d(self.ids, wrong)
        return None

    def _pair(self) -> tuple[Pair, Array]:
        """The end of the path for the rows `ids`, d in the coordinates of all columns, and which are set aside."""
        Z, back = self._coordinates()
        pair = complementary_pair(Z, self.deadline)
        aside = (pair.y > pair.s) & (not (Z @ pair.d > 0).all())
        d = pair.d if back is None else back @ pair.d
        return pair._replace(d=d if self.room is None else self.room @ d), aside

    def _coordinates(self) -> tuple[Any, Array | None]:
        """The rows `ids` in the room left, in as few coordinates as there are rows, and what leads back if need be."""
        self.table = None if self.sparse else self.rows.Z[self.ids]  # made once, which takes as long as a step
        if self.table is None:
            return self.rows.compressed(self.ids), None
        Z = self.table if self.room is None else self.table @ self.room
        if Z.shape[0] >= Z.shape[1]:
            return Z, None
        Q, R = scipy.linalg.qr(Z.T, mode="economic", check_finite=False)
        return np.ascontiguousarray(R.T), Q

    def _wrong(self, aside: Array, d: Array, spanned: Array | None) -> Array:
        """Rows outside the span of those set aside that d gets wrong, the worst first."""
        rows = self.rows
        outside = self.active.copy()
        outside[self.ids] = False
        if spanned is not None:
            u = off_span(self.rng.normal(size=d.size), spanned)
            outside &= np.abs(rows.scores(u)) > _OUTSIDE * max(1.0, float(np.linalg.norm(u)))
        length = float(np.linalg.norm(d))
        which = np.flatnonzero(outside)
        most = max(2 * min(rows.width, self.ids.size), 50)
        if aside.all():
            return which[:: max(1, which.size // most)][:most]
        if length == 0:
            return which[:most]
        z = rows.scores(d / length)[which]
        count = int(np.count_nonzero(z <= _TOUCH))
        if self.sparse and count:  # rows near those are wrong the next time, and cost little
            count = max(count, rows.width)
        return which[_least(z, min(count, most))]


def _least(z: Array, k: int) -> Array:
    """Where the k least are, or all, in ascending order and of equal ones the first: not all need to be sorted."""
    if not 0 < k < z.size:
        return np.argsort(z, kind="stable")[:k]
    near = np.flatnonzero(z <= np.partition(z, k - 1)[k - 1])
    return near[np.argsort(z[near], kind="stable")[:k]]
