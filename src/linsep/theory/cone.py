"""Which rows can a direction put strictly on their side while no other row is on the wrong one? Proved, no labels.

For rows z_i (and equalities e_b, on which d.e_b must be 0) the cone {d : d.z_i >= 0, d.e_b = 0} has one largest set
of rows with d.z_i > 0 for some d of it; every other row is 0 under all of them. The search goes face by face. (1) The
point of conv{z_i} nearest 0: if it is not 0 it is a direction with d.z_i > 0 for all i. (2) If it is 0, its convex
weights are a witness on independent rows; a direction of the cone then vanishes on the rows of the witness, so on all
rows in their span: set those aside and look again modulo that span. When no rows are left the witnesses add up to
strictly positive weights on rows that span everything set aside. At most as many rounds as the rank.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import gcd

import numpy as np
import scipy.linalg
from flint import nmod_mat

from linsep.theory.exact import value_signs
from linsep.theory.nearest import nearest_point
from linsep.theory.signed import SignedRows
from linsep.theory.witness import (
    ExactEnd,
    OutOfTimeError,
    as_floats,
    exact_matrix,
    exact_nearest,
    null_vectors,
    random_normal,
)
from linsep.types import Array

_GOOD_ENOUGH = 0.95  # a twentieth of the best margin is far above rounding, and enough to prove that a separator exists
_UNSURE = 1e-9  # scores this near 0 (unit direction, rows near unit size) are asked exactly
_NEAR_SPAN = 1e-6  # rows this close to a span are asked exactly whether they are in it


@dataclass(frozen=True)
class ConeEnd:
    """What the search of the cone found; combinations are of the rows s_i (x_i, 1) in the units of X.

    Attributes
    ----------
    directions : list of integer vectors of length `rows.width`, in the units of X
        Checked in turn: each is >= 0 on the rows that those before it left (0 on the equalities), > 0 on some, which
        it takes away. What the last one leaves are `rows_left`, on which all of them are 0.
    rows_left : ndarray of int
        Rows, in ascending order, that are 0 under every direction of the cone (equalities not counted). If `decided`
        is False: rows that no direction has taken away yet.
    witness : dict row -> int, or None
        Weights that bring some rows left to 0: positive, but of any sign on equalities. None if no rows are left.
    overlap : dict row -> int, or None
        The same on rows that, with the equalities, span all rows left: proves that they are 0 throughout the cone.
    basis : list of int
        Independent rows that span the rows left and the equalities.
    decided : bool
        False: the deadline passed; every part that is there holds nevertheless.
    """

    rows: SignedRows = field(repr=False)
    directions: list[list[int]]
    rows_left: Array
    witness: dict[int, int] | None
    overlap: dict[int, int] | None
    basis: list[int]
    decided: bool = True

    @cached_property
    def null(self) -> list[list[int]]:
        """Integer basis, in the units of X, of the vectors orthogonal to the rows left and the equalities."""
        return null_vectors(self.rows, self.basis)

    @property
    def separated(self) -> Array:
        """Whether a direction took the row away (equalities: False), as booleans of shape (n,)."""
        out = ~self.rows.equal
        out[self.rows_left] = False
        return out


def solve_cone(rows: SignedRows, *, equal: Array | None = None, deadline: float = np.inf) -> ConeEnd:
    """Find the largest set of rows with d.z_i > 0 for some d that has d.z >= 0 on all rows and 0 on `equal` ones.

    Parameters
    ----------
    rows : SignedRows
        `SignedRows(X, np.ones(n), constant=False)` for rows without labels and constant.
    equal : ndarray of bool, shape (n,), optional
        The rows that are equalities.
    deadline : float
        Of `time.perf_counter`.

    Returns
    -------
    ConeEnd

    Examples
    --------
    >>> Z = np.array([[1.0, -1.0, -1.0], [-1.0, 1.0, 1.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> end = solve_cone(SignedRows(Z, np.ones(4), constant=False))
    >>> end.rows_left.tolist(), end.witness, len(end.null)
    ([0, 1], {0: 1, 1: 1}, 2)
    """
    rows.equal = np.zeros(rows.n, dtype=bool) if equal is None else np.asarray(equal, dtype=bool)
    search = _Faces(rows, deadline)
    try:
        return search.run()
    except OutOfTimeError:
        return search.end([], decided=False)


@dataclass
class _Faces:
    rows: SignedRows
    deadline: float
    basis: list[int] = field(default_factory=list)  # independent rows that span all rows set aside
    overlap: dict[int, int] = field(default_factory=dict)  # positive weights on rows of that span, adding to 0
    witness: dict[int, int] | None = None

    def end(self, directions: list[list[int]], *, decided: bool = True) -> ConeEnd:
        aside = ~self.rows.active if decided else np.ones(self.rows.n, dtype=bool)
        left = np.flatnonzero(aside & ~self.rows.equal)
        overlap = (self.overlap or self.witness) if decided else None
        return ConeEnd(self.rows, directions, left, self.witness, overlap, self.basis, decided)

    def run(self) -> ConeEnd:
        rows = self.rows
        rows.basis = None
        rows.active = ~rows.zero & ~rows.equal
        zero = rows.zero & ~rows.equal
        if zero.any():
            # Rows of zeros are in every span: alone they refute strict separation, and they decide nothing else.
            self.witness = {int(zero.argmax()): 1}
        if rows.equal.any():
            self.basis = independent_rows(rows, np.flatnonzero(rows.equal & ~rows.zero))
            self._drop_span()
        while rows.active.any():
            end = self._nearest()
            if end.direction is not None:
                return self.end([rows.original(end.direction)])
            self._set_aside(end)
        return self.end([])

    def _nearest(self) -> ExactEnd:
        """One face: floats as far as they lead, then exact arithmetic from there."""
        rows = self.rows
        if self.basis:
            B = np.array([_raw(rows, i) for i in self.basis])
            rows.basis = scipy.linalg.qr(B.T, mode="economic")[0]
        start = int(np.flatnonzero(rows.active)[0])
        found = nearest_point(rows, start, tol=_GOOD_ENOUGH, floor=1e-13, deadline=self.deadline)
        if found.why == "deadline":
            raise OutOfTimeError
        if found.lower > 0 and not self.basis:
            d = whole_numbers(found.best)
            if self._price(d) is None:
                return ExactEnd(d, {}, {})
        return exact_nearest(rows, found.keys, found.weights.tolist(), self.basis, self._price, self.deadline)

    def _price(self, d: list[int]) -> int | None:
        """A row still in play with d.z <= 0: the worst by floats, confirmed exactly; None if there is none."""
        if time.perf_counter() > self.deadline:
            raise OutOfTimeError
        active = np.flatnonzero(self.rows.active)
        z = self.rows.scores(as_floats(d))[active]
        order = np.argsort(z, kind="stable")
        active, z = active[order], z[order]
        if z[0] < -_UNSURE:
            return int(active[0])
        # The verifier looks at every row again: here only those need exact signs that rounding could have changed.
        unsure = active[z < _UNSURE]
        wrong = unsure[exact_signs(self.rows, unsure, d) <= 0]
        return int(wrong[0]) if wrong.size else None

    def _set_aside(self, end: ExactEnd) -> None:
        """Take a witness of the face into the overlap and drop the rows in the span."""
        if self.witness is None:
            self.witness = {**end.weights, **{i: v for i, v in end.free.items() if v}}
        # The free rows come with any sign: as much of the old overlap as makes them positive.
        factor = max([1, *(1 - (v // self.overlap[i]) for i, v in end.free.items() if not self.rows.equal[i])])
        whole = {i: factor * v for i, v in self.overlap.items()}
        for i, v in {**end.weights, **end.free}.items():
            whole[i] = whole.get(i, 0) + v
        common = gcd(*whole.values())
        self.overlap = {i: v // common for i, v in whole.items() if v}
        self.basis += list(end.weights)[:-1]  # affinely independent with 0 in the hull: all but one
        self._drop_span()

    def _drop_span(self) -> None:
        rows = self.rows
        if len(self.basis) == rows.rank_bound:
            rows.active[:] = False
        elif self.basis:
            rows.active &= ~in_span(rows, self.basis, rows.active)


def exact_signs(rows: SignedRows, which: Array, d: list[int]) -> Array:
    """Signs of d.z_i on the rows `which`, for integers d of the scaled columns."""
    whole = rows.original(d)
    p = rows.p
    return rows.s[which] * value_signs(rows.X[which], np.array(whole[:p], dtype=object), sum(whole[p:]))


def in_span(rows: SignedRows, basis: Sequence[int], among: Array) -> Array:
    """Whether a row of the mask `among` lies in the span of the independent rows `basis`: a mask."""
    Q = scipy.linalg.qr(np.array([_raw(rows, i) for i in basis]).T, mode="economic")[0]
    norms2 = rows.norms2()
    outside = np.maximum(norms2 - sum(rows.scores(q) ** 2 for q in Q.T), 0.0)
    near = np.flatnonzero(among & (outside <= _NEAR_SPAN * norms2))
    normal = random_normal(rows, basis, seed=len(basis))
    inside = np.zeros(rows.n, dtype=bool)
    inside[near] = exact_signs(rows, near, normal) == 0
    return inside


def independent_rows(rows: SignedRows, ids: Sequence[int] | Array) -> list[int]:
    """Choose a largest independent subset of the rows `ids`."""
    basis: list[int] = []
    open_rows = np.asarray(ids, dtype=np.int64)
    while open_rows.size:
        block = [*basis, *open_rows[: 2 * rows.width].tolist()]
        echelon, rank = nmod_mat(exact_matrix(rows, block).transpose(), 2**61 - 1).rref()
        pivots = [next(j for j in range(len(block)) if int(echelon[k, j])) for k in range(rank)]
        basis = [block[j] for j in pivots]
        open_rows = open_rows[2 * rows.width :]
        if open_rows.size:
            among = np.zeros(rows.n, dtype=bool)
            among[open_rows] = True
            open_rows = np.flatnonzero(among & ~in_span(rows, basis, among))
    return basis


def whole_numbers(v: Array) -> list[int]:
    """The doubles of a vector, scaled by one power of two, as integers of at most 53 bits."""
    top = int(np.frexp(np.abs(v).max())[1])
    return [int(value) for value in np.rint(np.ldexp(v, 53 - top)).tolist()]


def _raw(rows: SignedRows, i: int) -> Array:
    basis, rows.basis = rows.basis, None
    z = rows.point(i)
    rows.basis = basis
    return z
