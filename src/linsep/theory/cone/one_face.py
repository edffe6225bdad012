"""One face of the cone, guessed in floating point: which rows a direction can separate, and which overlap."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.linalg

from linsep.theory.cone.exact_overlap import off_span, row_space
from linsep.theory.cone.interior_point import complementary_pair
from linsep.theory.rows.deadline import Deadline, OutOfTimeError
from linsep.theory.rows.signed import SignedRows
from linsep.types import Array

_ROUNDS = 60
_ALL_AT_ONCE = 8  # up to so many rows a column no working set is chosen
_TOUCH = 1e-9  # scores this near 0 (unit direction) are not yet on the right side
_OUTSIDE = 1e-7  # a row this far from a span is outside it


@dataclass
class Guess:
    """Rows `ids` with positive weights `y` that bring them to 0 modulo the free rows, and d > 0 on all others."""

    ids: list[int]
    y: Array
    d: Array


class WorkingSet:
    """The rows that a guess is made from: some of the `active` at first, then those that the guess gets wrong."""

    def __init__(self, rows: SignedRows, active: Array, free: list[int], deadline: Deadline) -> None:
        self.rows, self.active, self.deadline = rows, active, deadline
        self.free = rows.Z[free] if free else None
        # Directions that are 0 on the free rows: coordinates for all others.
        self.room = scipy.linalg.qr(self.free.T)[0][:, len(free) :] if self.free is not None else None
        ids = np.flatnonzero(active)
        self.n_active = ids.size
        width = rows.width - len(free)
        if ids.size > _ALL_AT_ONCE * width and ids.size > 1000:
            ids = np.sort(self.rng.choice(ids, max(4 * width, 500), replace=False))
        elif ids.size * width > 3e7:
            ids = np.sort(self.rng.choice(ids, max(300, int(3e7 / width)), replace=False))
        self.ids = ids

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
            table = self.rows.Z[self.ids]
            Z, Q = table if self.room is None else table @ self.room, None
            if Z.shape[0] < Z.shape[1]:  # as few coordinates as there are rows
                Q, R = scipy.linalg.qr(Z.T, mode="economic", check_finite=False)
                Z = np.ascontiguousarray(R.T)
            pair = complementary_pair(Z, self.deadline)
            if not pair.clear and pair.late:
                raise OutOfTimeError
            aside = (pair.y > pair.s) & ~((Z @ pair.d > 0).all() if pair.d.any() else False)
            d = pair.d if Q is None else Q @ pair.d
            d = d if self.room is None else self.room @ d
            spanned = None
            if aside.all() and self.ids.size == self.n_active:
                return Guess(self.ids.tolist(), pair.y, d)  # no row is left that d has to separate
            if aside.any():
                spanned = row_space(table[aside] * pair.y[aside][:, None], self.free, self.deadline)
                d = off_span(d, spanned)
            if self.ids.size == self.n_active:
                return Guess(self.ids[aside].tolist(), pair.y[aside], d)
            wrong = self._wrong(aside, d, spanned)
            if not wrong.size:
                return Guess(self.ids[aside].tolist(), pair.y[aside], d)
            self.ids = np.union1d(self.ids, wrong)
        return None

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
        if not aside.all() and length > 0:
            z = rows.scores(d / length)[which]
            order = np.argsort(z, kind="stable")
            which = which[order[: np.searchsorted(z[order], _TOUCH, side="right")]]
        most = max(2 * min(rows.width, self.ids.size), 50)
        return which[:most] if not aside.all() else which[:: max(1, which.size // most)][:most]
