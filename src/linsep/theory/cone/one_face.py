"""One face of the cone: a working set of rows decides it in floating point, integers prove what it says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import scipy.linalg

from linsep.theory.cone.exact_overlap import exact_weights, is_regular, make_support
from linsep.theory.cone.interior_point import complementary_pair
from linsep.theory.rows.deadline import OutOfTimeError, check_deadline
from linsep.theory.rows.integers import whole_numbers
from linsep.theory.rows.signed import SignedRows
from linsep.theory.rows.span import Span, independent_rows
from linsep.types import Array

_ROUNDS = 60
_ALL_AT_ONCE = 8  # up to so many rows a column no working set is chosen
_TOUCH = 1e-9  # scores this near 0 (unit direction) are not yet on the right side
_OUTSIDE = 1e-7  # a row this far from a span is outside it
_LOWEST_WEIGHT = 2.0**12  # the least bound of a weight in an overlap: integers, so rounding it loses little


@dataclass
class Guess:
    """Rows `ids` with positive weights `y` that bring them to 0 modulo the free rows, and d > 0 on all others."""

    ids: list[int]
    y: Array
    d: Array


@dataclass
class Overlap:
    """Exact weights of rows z_i that bring them to 0, those of free rows of any sign; `span` holds them all."""

    weights: dict[int, Fraction]
    witness: dict[int, Fraction] | None
    span: Span


class WorkingSet:
    """The rows that a guess is made from: some at first, then those that the guess gets wrong."""

    def __init__(self, rows: SignedRows, free: list[int], deadline: float) -> None:
        self.rows, self.deadline = rows, deadline
        self.free = rows.dense(free) if free else None
        # Directions that are 0 on the free rows: coordinates for all others.
        self.room = scipy.linalg.qr(self.free.T)[0][:, len(free) :] if self.free is not None else None
        self.rng = np.random.default_rng(0)
        ids = np.flatnonzero(rows.active)
        width = rows.width - len(free)
        if ids.size > _ALL_AT_ONCE * width and ids.size > 1000:
            ids = np.sort(self.rng.choice(ids, max(4 * width, 500), replace=False))
        elif ids.size * width > 3e7:
            ids = np.sort(self.rng.choice(ids, max(300, int(3e7 / width)), replace=False))
        self.ids = ids

    def guess(self) -> Guess | None:
        """Add wrong rows until none is left; None if that does not come to an end."""
        for _ in range(_ROUNDS):
            Z, lift = self._coordinates()
            pair = complementary_pair(Z, self.deadline)
            if not pair.clear and pair.late:
                raise OutOfTimeError
            aside = (pair.y > pair.s) & ~((Z @ pair.d > 0).all() if pair.d.any() else False)
            d = lift(pair.d)
            if aside.any() or self.ids.size < np.count_nonzero(self.rows.active):
                wrong, d = self._wrong(aside, d, pair.y)
            else:
                wrong = self.ids[:0]
            if not wrong.size:
                return Guess(self.ids[aside].tolist(), pair.y[aside], d)
            self.ids = np.union1d(self.ids, wrong)
        return None

    def _coordinates(self) -> tuple[Array, Callable[[Array], Array]]:
        """Rows in as few coordinates as they need, and how a direction of those is one of all columns."""
        Z = self.rows.dense(self.ids)
        if self.room is not None:
            Z = Z @ self.room
        n, p = Z.shape
        Q = None
        if n < p:
            Q, R = scipy.linalg.qr(Z.T, mode="economic", check_finite=False)
            Z = np.ascontiguousarray(R.T)

        def lift(d: Array) -> Array:
            d = Q @ d if Q is not None else d
            return self.room @ d if self.room is not None else d

        return Z, lift

    def _wrong(self, aside: Array, d: Array, y: Array) -> tuple[Array, Array]:
        """Rows outside the span of those set aside that d gets wrong, the worst first; d without that span."""
        rows = self.rows
        outside = rows.active.copy()
        outside[self.ids] = False
        if aside.any():
            u = self.rng.normal(size=d.size)
            Q = self._row_space(self.ids[aside], y[aside])
            d, u = d - Q @ (Q.T @ d), u - Q @ (Q.T @ u)
            d, u = d - Q @ (Q.T @ d), u - Q @ (Q.T @ u)
            length = float(np.linalg.norm(u))
            outside &= np.abs(rows.scores(u)) > _OUTSIDE * max(1.0, length)
        length = float(np.linalg.norm(d))
        which = np.flatnonzero(outside)
        if not aside.all() and length > 0:
            z = rows.scores(d / length)[which]
            order = np.argsort(z, kind="stable")
            which = which[order[: np.searchsorted(z[order], _TOUCH, side="right")]]
        most = max(2 * min(rows.width, self.ids.size), 50)
        return which[:most] if not aside.all() else which[:: max(1, which.size // most)][:most], d

    def _row_space(self, ids: Array, y: Array) -> Array:
        check_deadline(self.deadline)
        Z = self.rows.dense(ids) * y[:, None]
        if self.free is not None:
            Z = np.vstack([self.free, Z])
        R = Z
        if Z.shape[0] > Z.shape[1]:
            R = scipy.linalg.qr(Z, mode="r", check_finite=False)[0][: Z.shape[1]]
            if is_regular(R):
                return np.eye(len(R))
        Q, R, _ = scipy.linalg.qr(R.T, mode="economic", pivoting=True, check_finite=False)
        size = np.abs(np.diagonal(R))
        return np.asarray(Q[:, : int((size > _TOUCH * size[0]).sum())])


def prove_overlap(
    rows: SignedRows, guess: Guess, free: list[int], deadline: float, *, want_witness: bool
) -> Overlap | None:
    """Exact weights for the rows of a guess, on at most twice their rank many; None if they are not there."""
    try:
        return _prove_overlap(rows, guess, free, deadline, want_witness)
    except np.linalg.LinAlgError:  # rounding hides the rank
        return None


def _prove_overlap(
    rows: SignedRows, guess: Guess, free: list[int], deadline: float, want_witness: bool
) -> Overlap | None:
    ids = [*free, *guess.ids]
    check_deadline(deadline)
    y = np.concatenate([np.zeros(len(free)), guess.y / guess.y.max()])
    support = make_support(rows.dense(ids), y, len(free))
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


def prove_direction(span: Span, d: Array, deadline: float) -> list[int]:
    """Integers near d that are exactly 0 on the span."""
    if not span.ids:
        return whole_numbers(d)
    return span.normal(whole_numbers(d[span.others]), deadline)
