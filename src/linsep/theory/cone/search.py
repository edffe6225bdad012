"""Which rows can a direction put strictly on their side while no other row is on the wrong one? Proved, no labels.

For rows z_i (and equalities e_b, on which d.e_b must be 0) the cone {d : d.z_i >= 0, d.e_b = 0} has one largest set
of rows with d.z_i > 0 for some d of it; every other row is 0 under all of them. The search peels, scales, guesses and
proves. (1) Columns of one sign take rows away. (2) The others are scaled by powers of two. (3) Interior points guess
which rows overlap, their weights, and a direction that separates all others. (4) Weights of independent rows among
them are solved for exactly, and so is a direction that is 0 on these: with positive weights, and a direction > 0 on all
rows that these do not span, nothing is left to ask. Where the guess cannot be proved the exact nearest point answers,
face by face: if the point of conv{z_i} nearest 0 is not 0, it is a direction with d.z_i > 0 for all i; else its
weights bring 0 about, and a direction vanishes on these rows and on all that they span, which are set aside.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from linsep.theory.cone.exact import Span, Vector
from linsep.theory.cone.faces import Faces
from linsep.theory.rows.deadline import NEVER, Deadline, OutOfTimeError
from linsep.theory.rows.exact_signs import vanishing
from linsep.theory.rows.integers import primitive
from linsep.theory.rows.signed import SignedRows
from linsep.types import Array

_MANY = 50_000  # rows, from which on a sample of a tenth at most is asked first
_DEPENDENT = 8  # columns that others give: each costs a look at all rows in whole numbers, as a search may


@dataclass(frozen=True)
class ConeEnd:
    """What the search of the cone found; combinations are of the rows s_i (x_i, 1) in the units of X.

    Attributes
    ----------
    directions : list of integer vectors, one entry a column of X and one for the constant, in the units of X
        Checked in turn: each is >= 0 on the rows that those before it left (0 on the equalities), > 0 on some, which
        it takes away. What the last one leaves are `rows_left`, on which all of them are 0.
    rows_left : ndarray of int
        Rows, in ascending order, that are 0 under every direction of the cone (equalities not counted). If `decided`
        is False: rows that no direction has taken away yet.
    witness : dict row -> int, or None
        Weights that bring some rows left to 0, in ascending order of rows: positive, but of any sign on equalities.
        None if no rows are left.
    overlap : dict row -> int, or None
        The same on rows that, with the equalities, span all rows left: proves that they are 0 throughout the cone.
    within : float
        Not 0: the overlap is not exact, exact weights differ from these by at most this share.
    basis : list of int
        Independent rows that span the rows left and the equalities.
    decided : bool
        False: the deadline passed; every part that is there holds nevertheless.
    separated : ndarray of bool, shape (n,)
        Whether a direction took the row away (equalities: False).
    """

    directions: list[list[int]]
    rows_left: Array
    witness: dict[int, int] | None
    overlap: dict[int, int] | None
    within: float
    basis: list[int]
    decided: bool
    separated: Array
    null: list[Vector] = field(repr=False)  # of weights that are not exact, in the columns of the search
    span: Span | None = field(repr=False)  # of the basis, among the rows and columns that the search was about
    columns: Array = field(repr=False)  # which columns these are, the constant's included
    width: int = field(repr=False)
    constant: bool = field(repr=False)

    def null_vectors(self, deadline: Deadline = NEVER) -> list[dict[int, int]]:
        """Integer basis, in the units of X, of the vectors orthogonal to the rows left and the equalities.

        Column -> entry. First those of columns that are 0 on all those rows.
        """
        names = [] if self.span is None else self.columns.tolist()
        given = self.null if self.within or self.span is None else self.span.null_vectors(deadline)
        known = [{names[j]: value for j, value in v.items()} for v in given]
        alone = {next(iter(v)) for v in known if len(v) == 1} | set(range(self.width)).difference(names)
        return [{j: 1} for j in sorted(alone)] + [v for v in known if len(v) > 1]


@np.errstate(all="ignore")  # doubles only suggest; what is not finite stops where it would become exact
def solve_cone(
    X: Any,
    s: Array,
    *,
    constant: bool,
    equal: Array | None = None,
    deadline: Deadline = NEVER,
    want_witness: bool = True,
    may_be_near: bool = False,
) -> ConeEnd:
    """Find the largest set of rows with d.z_i > 0 for some d that has d.z >= 0 on all rows and 0 on `equal` ones.

    Parameters
    ----------
    X : array or SciPy CSR matrix, as `linsep.tables.exact_table` returns it
    s : ndarray of shape (n,)
        z_i = s_i (x_i, 1); 1 and no constant for rows without labels.
    constant : bool
        Whether z_i has the 1.
    equal : ndarray of bool, shape (n,), optional
        The rows that are equalities.
    deadline : Deadline
    want_witness : bool, default=True
        Whether few rows that add up to 0 are asked for beside those that span. Where these few span they are both;
        elsewhere they cost as much again.
    may_be_near : bool, default=False
        Whether weights near exact ones will do instead of an overlap and a witness.

    Returns
    -------
    ConeEnd

    Examples
    --------
    >>> Z = np.array([[1.0, -1.0, -1.0], [-1.0, 1.0, 1.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> end = solve_cone(Z, np.ones(4), constant=False)
    >>> end.rows_left.tolist(), end.witness, len(end.null_vectors())
    ([0, 1], {0: 1, 1: 1}, 2)
    """
    if not isinstance(X, np.ndarray) and not X.has_sorted_indices:
        X = X.sorted_indices()  # tables of one pattern share its arrays: none may sort them in place
    if equal is None or not equal.any():
        equal, found = np.zeros(s.size, dtype=bool), _of_sample(X, s, constant, deadline, want_witness, may_be_near)
        if found is not None:
            return found
    return _solved(X, s, constant, np.asarray(equal, dtype=bool), deadline, want_witness, may_be_near)


def _of_sample(
    X: Any, s: Array, constant: bool, deadline: Deadline, want_witness: bool, may_be_near: bool
) -> ConeEnd | None:
    """What a sample of many rows proves of all, or None.

    If no direction of its cone is above 0 on any row of the sample, these rows are 0 under every direction of the cone
    of all rows too, as that is a part of it; so is every row that they span.
    """
    n, width = s.size, X.shape[1] + constant
    size = max(n // 100, 5_000, 50 * width)
    if n < _MANY or 10 * size > n:
        return None
    rng, sides = np.random.default_rng(0), (np.flatnonzero(s > 0), np.flatnonzero(s < 0))
    few = np.sort(np.concatenate([rng.choice(i, min(i.size, size // 2), replace=False) for i in sides]))
    equal = np.zeros(few.size, dtype=bool)
    end = _solved(X[few], s[few], constant, equal, deadline, want_witness, may_be_near)
    if not end.decided or end.directions or width - len(end.basis) > _DEPENDENT:
        return None
    try:
        null = end.null_vectors(deadline)
    except OutOfTimeError:
        return None
    if len(null) != width - len(end.basis):
        return None
    if not all(vanishing(X, [v.get(j, 0) for j in range(width)]).all() for v in null):
        return None
    names = few.tolist()
    witness, overlap = ({names[i]: v for i, v in w.items()} if w else None for w in (end.witness, end.overlap))
    return replace(
        end,
        rows_left=np.arange(n),
        witness=witness,
        overlap=overlap,
        basis=[names[i] for i in end.basis],
        separated=np.zeros(n, dtype=bool),
    )


def _solved(
    X: Any, s: Array, constant: bool, equal: Array, deadline: Deadline, want_witness: bool, may_be_near: bool
) -> ConeEnd:
    n, width = X.shape[0], X.shape[1] + constant
    peeled, left = peel(X, s, constant=constant, equal=equal)
    directions = [direction.tolist() for direction in peeled]
    separated = ~equal
    if not left.any():
        nobody = np.zeros(0, dtype=np.int64)
        return ConeEnd(directions, nobody, None, None, 0.0, [], True, separated, [], None, nobody, width, constant)
    ids = np.flatnonzero(left)
    X, columns = _core(X[ids] if ids.size < n else X, constant)
    rows, equal_left = SignedRows(X, s[ids], constant=constant), equal[ids]
    search, decided = Faces(rows, equal_left, deadline, want_witness, may_be_near), True
    try:
        search.run()
    except OutOfTimeError:
        decided = False
    if search.direction is not None:
        whole = [0] * width
        for j, v in zip(columns.tolist(), rows.original(search.direction), strict=True):
            whole[j] = v
        directions.append(primitive(whole))
    aside = ~search.active if decided else np.ones(ids.size, dtype=bool)
    overlap = (search.overlap or search.witness) if decided else None
    separated[ids[aside]] = False
    names = ids.tolist()
    return ConeEnd(
        directions,
        ids[aside & ~equal_left],
        None if search.witness is None else {names[i]: search.witness[i] for i in sorted(search.witness)},
        None if overlap is None else {names[i]: overlap[i] for i in sorted(overlap)},
        search.within,
        [names[i] for i in search.span.ids],
        decided,
        separated,
        search.null,
        search.span,
        columns,
        width,
        constant,
    )


def _core(X: Any, constant: bool) -> tuple[Any, Array]:
    """X without columns that are all 0, and which the others are, the constant's included."""
    every = np.arange(X.shape[1] + constant)
    if not isinstance(X, np.ndarray):
        used = np.zeros(X.shape[1], dtype=bool)
        used[X.indices[X.data != 0]] = True
    else:
        used = np.asarray((X != 0).any(axis=0), dtype=bool)
    if used.all():
        return X, every
    kept = np.flatnonzero(used) if used.any() else np.arange(1)
    return X[:, kept], np.append(kept, every[X.shape[1] :])


def peel(X: Any, s: Array, *, constant: bool, equal: Array) -> tuple[list[Array], Array]:
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
        above, below = entries.above_and_below(left)
        sign = np.subtract(above, below, dtype=np.int8)  # 0 where a column has both
        sign[touched] = 0
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
    """Signs of the stored entries; those of rows that went are forgotten."""

    def __init__(self, X: Any, s: Array) -> None:
        self.n, self.p = X.shape
        self.row = np.repeat(np.arange(self.n, dtype=np.int32), np.diff(X.indptr))
        self.column = X.indices
        self.sign = np.subtract(X.data > 0, X.data < 0, dtype=np.int8) * s.astype(np.int8)[self.row]
        self._keep(self.sign != 0)

    def _keep(self, which: Array) -> None:
        if not which.all():
            self.row, self.column, self.sign = self.row[which], self.column[which], self.sign[which]

    def above_and_below(self, left: Array) -> tuple[Array, Array]:
        """Which columns have an entry above 0, and which one below, in the rows left."""
        self._keep(left[self.row])
        above, below = np.zeros((2, self.p), dtype=bool)
        above[self.column[self.sign > 0]] = below[self.column[self.sign < 0]] = True
        return above, below

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
        above, below = (np.asarray(which, dtype=bool) for which in (X > 0, X < 0))
        self.sign = np.subtract(above, below, dtype=np.int8)
        self.sign *= s.astype(np.int8)[:, None]

    def above_and_below(self, left: Array) -> tuple[Array, Array]:
        rows = self.sign if left.all() else self.sign[left]
        return rows.max(axis=0, initial=0) > 0, rows.min(axis=0, initial=0) < 0

    def hit(self, columns: Array) -> Array:
        return np.asarray(self.sign[:, columns].any(axis=1))

    def touched(self, rows: Array) -> Array:
        return np.asarray(self.sign[rows].any(axis=0))
