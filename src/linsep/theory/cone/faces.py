"""Which rows can a direction put strictly on their side while no other row is on the wrong one? Proved, no labels.

For rows z_i (and equalities e_b, on which d.e_b must be 0) the cone {d : d.z_i >= 0, d.e_b = 0} has one largest set
of rows with d.z_i > 0 for some d of it; every other row is 0 under all of them. The search goes face by face. (1) The
point of conv{z_i} nearest 0: if it is not 0 it is a direction with d.z_i > 0 for all i. (2) If it is 0, its convex
weights are a witness on independent rows; a direction of the cone then vanishes on the rows of the witness, so on all
rows in their span: set those aside and look again modulo that span. When no rows are left the witnesses add up to
strictly positive weights on rows that span everything set aside. At most as many rounds as the rank.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import gcd

import numpy as np
import scipy.linalg

from linsep.theory.cone.by_perceptron import clean_pass
from linsep.theory.cone.exact_nearest import ExactEnd, exact_nearest
from linsep.theory.cone.one_face import WorkingSet, prove_direction, prove_overlap
from linsep.theory.cone.opposite_rows import are_opposite, opposite_pairs
from linsep.theory.cone.peel import peel
from linsep.theory.margin.wolfe import nearest_point
from linsep.theory.rows.deadline import OutOfTimeError, check_deadline
from linsep.theory.rows.exact_signs import as_floats, row_signs
from linsep.theory.rows.integers import of_rows, primitive, whole_numbers
from linsep.theory.rows.signed import SignedRows
from linsep.theory.rows.span import Span, independent_rows
from linsep.types import Array

_GOOD_ENOUGH = 0.95  # a twentieth of the best margin is far above rounding, and enough to prove that a separator exists
_MANY_PAIRS = 0.1  # opposite rows are set aside first if there is a pair for every ten columns
_SMALL = 100_000  # entries of a table on which looking for opposite rows costs more than it saves
_WIDE = 500  # columns from which on the perceptron tries first, if the rows are sparse and not much more
_PASSES = 200
_FEW = 32  # rows asked exactly at a time: the first wrong one ends it
_UNSURE = 1e-9  # scores this near 0 (unit direction, rows near unit size) are asked exactly


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
    pivots : list of int, or None
        As many columns on which the basis is a regular matrix.
    pairs : ndarray of int, shape (n_pairs, 2), or None
        Rows that are each other's opposite, as far as hashes tell; None if they were not looked for.
    decided : bool
        False: the deadline passed; every part that is there holds nevertheless.
    """

    rows: SignedRows = field(repr=False)
    directions: list[list[int]]
    rows_left: Array
    witness: dict[int, int] | None
    overlap: dict[int, int] | None
    basis: list[int]
    pivots: list[int] | None = None
    pairs: Array | None = None
    decided: bool = True

    @cached_property
    def null(self) -> list[list[int]]:
        """Integer basis, in the units of X, of the vectors orthogonal to the rows left and the equalities."""
        return [[v.get(j, 0) for j in range(self.rows.width)] for v in self._spanned.null_vectors()]

    @cached_property
    def _spanned(self) -> Span:
        return Span(self.rows, self.basis, self.pivots)

    @cached_property
    def null_entries(self) -> list[dict[int, int]]:
        """`null`, each vector as column -> entry, without the columns of X that are 0 on all those rows."""
        return [v for v in self._spanned.null_vectors() if len(v) > 1 or self.rows.p in v]

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
    peeled, left = peel(rows.X, rows.s, constant=rows.constant, equal=rows.equal)
    directions = [direction.tolist() for direction in peeled]
    core, ids, columns = _core(rows, left)
    search, decided = _Faces(core, deadline), True
    if left.any():
        try:
            search.run()
        except OutOfTimeError:
            decided = False
    if search.direction is not None:
        whole = [0] * rows.width
        for j, v in zip(columns.tolist(), core.original(search.direction), strict=True):
            whole[j] = v
        directions.append(primitive(whole))
    aside = ~core.active if decided else np.ones(core.n, dtype=bool)
    overlap = (search.overlap or search.witness) if decided else None
    return ConeEnd(
        rows,
        directions,
        ids[aside & ~core.equal],
        _renamed(search.witness, ids),
        _renamed(overlap, ids),
        ids[search.basis].tolist(),
        None if search.pivots is None else columns[search.pivots].tolist(),
        None if search.pairs is None else ids[search.pairs],
        decided,
    )


def _renamed(weights: dict[int, int] | None, ids: Array) -> dict[int, int] | None:
    return None if weights is None else {int(ids[i]): weights[i] for i in sorted(weights)}


def _core(rows: SignedRows, left: Array) -> tuple[SignedRows, Array, Array]:
    """The rows left, without columns that are 0 on them; which rows and columns (the constant included) these are."""
    ids = np.flatnonzero(left)
    if ids.size == rows.n:
        return rows, ids, np.arange(rows.width)
    X = rows.X[ids]
    used = np.zeros(rows.p, dtype=bool)
    if rows.sparse:
        used[X.indices[X.data != 0]] = True
    else:
        used = np.asarray((X != 0).any(axis=0), dtype=bool)
    columns = np.flatnonzero(used) if used.any() else np.arange(1)
    core = SignedRows(X[:, columns], rows.s[ids], constant=rows.constant)
    core.equal = rows.equal[ids]
    return core, ids, np.append(columns, rows.p) if rows.constant else columns


@dataclass
class _Faces:
    """The search of rows that no column separates alone."""

    rows: SignedRows
    deadline: float
    basis: list[int] = field(default_factory=list)  # independent rows that span all rows set aside
    overlap: dict[int, int] = field(default_factory=dict)  # positive weights on rows of that span, adding to 0
    witness: dict[int, int] | None = None
    direction: list[int] | None = None
    pivots: list[int] | None = None  # columns on which the basis is regular, where known
    pairs: Array | None = None  # opposite rows, as far as hashes tell, where looked for

    def run(self) -> None:
        """Go face by face until no row is left or a direction separates all that are; may raise OutOfTimeError."""
        rows = self.rows
        rows.active = ~rows.zero & ~rows.equal
        zero = rows.zero & ~rows.equal
        if zero.any():
            # Rows of zeros are in every span: alone they refute strict separation, and they decide nothing else.
            self.witness = {int(zero.argmax()): 1}
        if rows.equal.any():
            self.basis = independent_rows(rows, np.flatnonzero(rows.equal & ~rows.zero), (), self.deadline)
            span = Span(rows, self.basis)
            self.pivots = span.pivots
            self._drop(span)
        self._learned()
        if self.direction is None:
            self._paired()
        while rows.active.any() and self.direction is None:
            check_deadline(self.deadline)
            if not self._guessed():
                self._searched()
        if self.witness is None and self.overlap and not rows.equal.any():
            self._find_witness()

    def _learned(self) -> None:
        """A few passes of the perceptron, where the table is so wide that nothing else is as fast."""
        rows = self.rows
        if self.basis or rows.width < max(_WIDE, rows.n / 20) or 10 * rows.stored > rows.n * rows.width:
            return
        if rows.zero.any() or rows.whole or (rows.constant and rows.column_exps[-1]):
            return
        d = clean_pass(rows.scaled_columns, rows.s, rows.constant, _PASSES, self.deadline)
        check_deadline(self.deadline)
        if d is not None and np.isfinite(d).all() and self._price(whole := whole_numbers(d)) is None:
            self.direction = whole

    def _paired(self) -> None:
        """Rows with an opposite are 0 under every direction: where they are many, their span goes at once."""
        rows = self.rows
        if rows.n * rows.width < _SMALL:
            return
        check_deadline(self.deadline)
        pairs = opposite_pairs(rows.X, rows.s, constant=rows.constant)
        check_deadline(self.deadline)
        pairs = self.pairs = pairs[rows.active[pairs].all(axis=1)]
        if len(pairs) < _MANY_PAIRS * (rows.width - len(self.basis)):
            return
        basis = independent_rows(rows, pairs[:, 0], self.basis, self.deadline)
        check_deadline(self.deadline)
        partner = dict(pairs.tolist())
        added = [i for i in basis[len(self.basis) :] if are_opposite(rows.X, rows.s, i, partner[i])]
        if added:
            self.witness = self.witness or {added[0]: 1, partner[added[0]]: 1}
            self._set_aside({row: 1 for i in added for row in (i, partner[i])}, [*self.basis, *added], None)

    def _guessed(self) -> bool:
        """One face by interior points; False if what they say cannot be proved."""
        rows = self.rows
        guess = WorkingSet(rows, self.basis, self.deadline).guess()
        check_deadline(self.deadline)
        if guess is None:
            return False
        span = None
        if guess.ids:
            want = self.witness is None
            found = prove_overlap(rows, guess, self.basis, self.deadline, want_witness=want)
            if found is None:
                return False
            span = found.span
            if want and found.witness is not None:
                self.witness = of_rows(rows, found.witness)
            self._set_aside(of_rows(rows, found.weights), span.ids, span)
            if not rows.active.any():
                return True
        d = prove_direction(span or Span(rows, self.basis), guess.d, self.deadline)
        if self._price(d) is None:
            self.direction = d
        return self.direction is not None or bool(guess.ids)

    def _searched(self) -> None:
        """One face by the nearest point."""
        end = self._nearest(self.basis)
        if end.direction is not None:
            self.direction = end.direction
            return
        if self.witness is None:
            self.witness = {**end.weights, **{i: v for i, v in end.free.items() if v}}
        # Affinely independent with 0 in the hull: all but one are a basis.
        self._set_aside({**end.weights, **end.free}, [*self.basis, *list(end.weights)[:-1]], None)

    def _find_witness(self) -> None:
        """Few rows among those of the overlap, which bring 0 about, that do so too."""
        active = self.rows.active.copy()
        self.rows.active[:] = False
        self.rows.active[list(self.overlap)] = True
        self.witness = dict(self._nearest([]).weights)
        self.rows.active[:] = active

    def _nearest(self, basis: list[int]) -> ExactEnd:
        """The point nearest 0 of the hull modulo the basis: floats as far as they lead, then exact arithmetic."""
        rows = self.rows
        rows.basis = scipy.linalg.qr(rows.dense(basis).T, mode="economic")[0] if basis else None
        start = int(np.flatnonzero(rows.active)[0])
        found = nearest_point(rows, start, tol=_GOOD_ENOUGH, floor=1e-13, deadline=self.deadline)
        if found.why == "deadline":
            raise OutOfTimeError
        end = exact_nearest(rows, found.keys, found.weights.tolist(), basis, self._price, self.deadline)
        rows.basis = None
        return end

    def _price(self, d: list[int]) -> int | None:
        """A row still in play with d.z <= 0: the worst by floats, confirmed exactly; None if there is none."""
        check_deadline(self.deadline)
        low, lowest = self.rows.lowest(v := as_floats(d))
        if low < -_UNSURE:
            return lowest
        if low >= _UNSURE:
            return None
        # The verifier looks at every row again: here only those need exact signs that rounding could have changed.
        z = np.where(self.rows.active, self.rows.scores(v), np.inf)
        unsure = np.flatnonzero(z < _UNSURE)
        unsure = unsure[np.argsort(z[unsure], kind="stable")]
        for start in range(0, unsure.size, _FEW):
            some = unsure[start : start + _FEW]
            wrong = some[self.rows.s[some] * row_signs(self.rows.X[some], self.rows.original(d)) <= 0]
            if wrong.size:
                return int(wrong[0])
        return None

    def _set_aside(self, weights: dict[int, int], basis: list[int], span: Span | None) -> None:
        """Take the weights of a face into the overlap and drop the rows in the span."""
        old = set(self.basis)
        # Rows of faces before come with any sign: as much of the old overlap as makes them positive.
        factor = max([1, *(1 - (v // self.overlap[i]) for i, v in weights.items() if i in self.overlap)])
        whole = {i: factor * v for i, v in self.overlap.items()}
        for i, v in weights.items():
            whole[i] = whole.get(i, 0) + v
        if any(v < 0 and not self.rows.equal[i] for i, v in whole.items()):
            raise AssertionError(f"a row of {sorted(old)} has a negative weight")
        common = gcd(*whole.values())
        self.overlap = {i: v // common for i, v in whole.items() if v}
        self.basis = basis
        span = span or Span(self.rows, basis)
        self.pivots = span.pivots
        self._drop(span)

    def _drop(self, span: Span) -> None:
        rows = self.rows
        if len(span.ids) == rows.rank_bound:
            rows.active[:] = False
        elif span.ids:
            rows.active &= ~span.inside(rows.active, self.deadline)
