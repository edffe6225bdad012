"""Columns whose non-zero entries all have one sign separate every row that they touch: take those rows away, repeat."""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep.theory.rows.deadline import NEVER, Deadline, time_left
from linsep.types import Array

# Entries, and dense rows, that are counted at once: they stay in the cache, and sums of so many rows fit 16 bits.
_TOGETHER, _ROWS = 2**18, 4096


def peel(X: Any, s: Array, *, constant: bool, equal: Array, deadline: Deadline = NEVER) -> tuple[list[Array], Array]:
    """Take rows away while some column of the rows s_i (x_i, constant) that are left has one sign.

    A column counts only where no row of `equal` has an entry. The sum of the one-signed columns, each with its sign, is
    >= 0 on all rows left and > 0 on those that it touches, which go.

    Returns
    -------
    directions : list of ndarrays of int, shape (n_features + 1,), or (n_features,) without a constant
        Entries 0, 1 and -1; one a round, checked in turn.
    left : ndarray of bool, shape (n_samples,)
        Rows that no round took away; equalities always stay.

    Examples
    --------
    >>> X = np.array([[1, 5], [0, 2], [0, -3]])
    >>> directions, left = peel(X, np.array([1.0, 1.0, -1.0]), constant=True, equal=np.zeros(3, dtype=bool))
    >>> [direction.tolist() for direction in directions], left.tolist()
    ([[1, 1, 0]], [False, False, False])
    """
    entries: _Sparse | _Dense = _Sparse(X, s) if hasattr(X, "indptr") else _Dense(X, s)
    left = np.ones(X.shape[0], dtype=bool)
    touched = entries.touched(equal) if equal.any() else np.zeros(X.shape[1], dtype=bool)
    directions: list[Array] = []
    while True:  # each turn takes rows away
        if deadline is not NEVER:
            time_left(deadline)
        above, below = entries.counts(left)
        sign = (above > 0).astype(np.int8) - (below > 0)
        sign[((above > 0) & (below > 0)) | touched] = 0
        hit = entries.hit(sign != 0) & left
        direction = np.append(sign, np.zeros(int(constant), dtype=np.int8)).astype(np.int64)
        if constant and not equal.any() and left.any() and (s[left] == s[left.argmax()]).all():
            direction[-1] = int(s[left.argmax()])
            hit = left.copy()
        if not hit.any():
            return directions, left
        directions.append(direction)
        left &= ~hit


class _Sparse:
    """Signs of the stored entries; those of rows that went are forgotten once they are half of them."""

    def __init__(self, X: Any, s: Array) -> None:
        self.n, self.p = X.shape
        self.row = np.repeat(np.arange(self.n, dtype=np.int32), np.diff(X.indptr))
        self.column = X.indices
        self.sign = np.subtract(X.data > 0, X.data < 0, dtype=np.int8) * s.astype(np.int8)[self.row]
        self._keep(self.sign != 0)
        self.above, self.below = self._count(self.sign > 0), self._count(self.sign < 0)
        self.known = np.ones(self.n, dtype=bool)

    def _count(self, which: Array) -> Array:
        """How many of these entries each column has."""
        out, step = np.zeros(self.p, dtype=np.int64), max(_TOGETHER, self.p)
        for start in range(0, which.size, step):
            part = slice(start, start + step)
            out += np.bincount(self.column[part][which[part]], minlength=self.p)
        return out

    def _keep(self, which: Array) -> None:
        if not which.all():
            self.row, self.column, self.sign = self.row[which], self.column[which], self.sign[which]

    def counts(self, left: Array) -> tuple[Array, Array]:
        gone = self.known & ~left
        if gone.any():
            at = gone[self.row]
            self.above -= self._count(at & (self.sign > 0))
            self.below -= self._count(at & (self.sign < 0))
            self.known &= left
            if at.sum() * 8 > at.size:
                self._keep(~at & left[self.row])
        return self.above, self.below

    def hit(self, columns: Array) -> Array:
        out = np.zeros(self.n, dtype=bool)
        if columns.any():
            out[self.row[columns[self.column]]] = True
        return out

    def touched(self, rows: Array) -> Array:
        out = np.zeros(self.p, dtype=bool)
        out[self.column[rows[self.row]]] = True
        return out


class _Dense:
    def __init__(self, X: Array, s: Array) -> None:
        self.X, self.plus = X, s > 0
        self.above, self.below = self._count(np.ones(X.shape[0], dtype=bool))
        self.known = np.ones(X.shape[0], dtype=bool)

    def _count(self, which: Array) -> tuple[Array, Array]:
        above, below = np.zeros((2, self.X.shape[1]), dtype=np.int64)
        ids, every = np.flatnonzero(which), bool(which.all())
        step = min(_ROWS, max(1, ids.size))
        width = max(1, _TOGETHER // step)
        for start in range(0, ids.size, step):
            at = slice(start, start + step) if every else ids[start : start + step]
            plus = self.plus[at]
            for first in range(0, self.X.shape[1], width):
                columns = slice(first, first + width)
                part = self.X[at, columns]
                high, low = np.asarray(part > 0, dtype=bool), np.asarray(part < 0, dtype=bool)
                above[columns] += high[plus].sum(axis=0, dtype=np.uint16) + low[~plus].sum(axis=0, dtype=np.uint16)
                below[columns] += low[plus].sum(axis=0, dtype=np.uint16) + high[~plus].sum(axis=0, dtype=np.uint16)
        return above, below

    def counts(self, left: Array) -> tuple[Array, Array]:
        if not left.any():  # nothing is left of what was counted
            self.above, self.below = np.zeros_like(self.above), np.zeros_like(self.below)
        elif (gone := self.known & ~left).any():
            above, below = self._count(gone)
            self.above, self.below = self.above - above, self.below - below
        self.known = left.copy()
        return self.above, self.below

    def hit(self, columns: Array) -> Array:
        if not columns.any():
            return np.zeros(self.X.shape[0], dtype=bool)
        return np.asarray((self.X[:, columns] != 0).any(axis=1), dtype=bool)

    def touched(self, rows: Array) -> Array:
        return np.asarray((self.X[rows] != 0).any(axis=0), dtype=bool)
