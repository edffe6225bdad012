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
from math import gcd
from typing import Any

import numpy as np
import scipy.linalg

from linsep.clock import clock
from linsep.theory.cone.by_perceptron import clean_pass
from linsep.theory.cone.exact_nearest import ExactEnd, exact_nearest
from linsep.theory.cone.exact_overlap import prove_overlap
from linsep.theory.cone.near_weights import Near, near_weights
from linsep.theory.cone.one_face import WorkingSet
from linsep.theory.cone.opposite_rows import are_opposite, opposite_pairs
from linsep.theory.cone.peel import peel
from linsep.theory.margin.wolfe import RowHull, nearest_point
from linsep.theory.rows.deadline import NEVER, Deadline, OutOfTimeError
from linsep.theory.rows.exact_signs import as_floats, row_signs
from linsep.theory.rows.integers import primitive, whole_numbers
from linsep.theory.rows.powers_of_two import times_columns
from linsep.theory.rows.signed import SignedRows
from linsep.theory.rows.span import Span, independent_rows
from linsep.types import Array

_GOOD_ENOUGH = 0.95  # a twentieth of the best margin is far above rounding, and enough to prove that a separator exists
_MANY_PAIRS = 0.1  # opposite rows are set aside first if there is a pair for every ten columns
_SMALL = 5_000  # entries of a table on which looking for opposite rows first costs more than it saves
_WIDE = 500  # columns from which on the perceptron tries first, if the rows are sparse and not much more
_MANY_COLUMNS = 100  # of a dense table, from which on long integers take longer than proving that they exist
_PER_COLUMN = 4  # rows whose weights are looked for then, where there are more than twice as many
_PASSES = 200
_FEW = 32  # rows asked exactly at a time: the first wrong one ends it
_UNSURE = 1e-9  # scores (of a unit direction) up to this part of the row's largest entry are asked exactly
_UNDERFLOW = 2.0**-1000


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
    near : Near or None
        Instead of an overlap: positive weights near exact ones that are one.
    basis : list of int
        Independent rows that span the rows left and the equalities.
    pairs : ndarray of int, shape (n_pairs, 2), or None
        Rows that are each other's opposite, as far as hashes tell; None if they were not looked for.
    decided : bool
        False: the deadline passed; every part that is there holds nevertheless.
    separated : ndarray of bool, shape (n,)
        Whether a direction took the row away (equalities: False).
    """

    directions: list[list[int]]
    rows_left: Array
    witness: dict[int, int] | None
    overlap: dict[int, int] | None
    near: Near | None
    basis: list[int]
    pairs: Array | None
    decided: bool
    separated: Array
    span: Span | None = field(repr=False)  # of the basis, among the rows and columns that the search was about
    columns: Array = field(repr=False)  # which columns these are, the constant's included
    width: int = field(repr=False)
    constant: bool = field(repr=False)

    def null_vectors(self, deadline: Deadline = NEVER) -> list[dict[int, int]]:
        """Integer basis, in the units of X, of the vectors orthogonal to the rows left and the equalities.

        Column -> entry. First those of columns that are 0 on all those rows.
        """
        names = [] if self.span is None else self.columns.tolist()
        if self.near is not None:
            known = self.near.null
        else:
            found = [] if self.span is None else self.span.null_vectors(deadline)
            known = [{names[j]: value for j, value in v.items()} for v in found]
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
    n, width = X.shape[0], X.shape[1] + constant
    equal = np.zeros(n, dtype=bool) if equal is None else np.asarray(equal, dtype=bool)
    peeled, left = peel(X, s, constant=constant, equal=equal)
    directions = [direction.tolist() for direction in peeled]
    separated = ~equal
    if not left.any():
        nobody = np.zeros(0, dtype=np.int64)
        return ConeEnd(directions, nobody, None, None, None, [], None, True, separated, None, nobody, width, constant)
    ids, columns = np.flatnonzero(left), np.arange(width)
    if ids.size < n:
        X, columns = _core(X[ids], columns)
    rows, equal_left = SignedRows(X, s[ids], constant=constant), equal[ids]
    search, decided = _Faces(rows, equal_left, deadline, want_witness, may_be_near), True
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
    overlap = (search.overlap or search.witness) if decided and search.near is None else None
    separated[ids[aside]] = False
    names = ids.tolist()
    return ConeEnd(
        directions,
        ids[aside & ~equal_left],
        None if search.witness is None else {names[i]: search.witness[i] for i in sorted(search.witness)},
        None if overlap is None else {names[i]: overlap[i] for i in sorted(overlap)},
        None if search.near is None else search.near.renamed(names, columns.tolist()),
        ids[search.basis].tolist(),
        None if search.pairs is None else ids[search.pairs],
        decided,
        separated,
        search.span or Span(rows, []),
        columns,
        width,
        constant,
    )


def _core(X: Any, columns: Array) -> tuple[Any, Array]:
    """X without columns that are all 0, and which these `columns` are, of X and the constant's."""
    if not isinstance(X, np.ndarray):
        used = np.zeros(X.shape[1], dtype=bool)
        used[X.indices[X.data != 0]] = True
    else:
        used = np.asarray((X != 0).any(axis=0), dtype=bool)
    kept = np.flatnonzero(used) if used.any() else np.arange(1)
    return X[:, kept], np.append(kept, columns[X.shape[1] :])


@dataclass
class _Faces:
    """The search of rows that no column separates alone."""

    rows: SignedRows
    equal: Array
    deadline: Deadline
    want_witness: bool
    may_be_near: bool
    basis: list[int] = field(default_factory=list)  # independent rows that span all rows set aside
    overlap: dict[int, int] = field(default_factory=dict)  # positive weights on rows of that span, adding to 0
    witness: dict[int, int] | None = None
    direction: list[int] | None = None
    span: Span | None = None  # of the basis
    pairs: Array | None = None  # opposite rows, as far as hashes tell, if looked for
    near: Near | None = None

    def run(self) -> None:
        """Go face by face until no row is left or a direction separates all that are; may raise OutOfTimeError."""
        rows = self.rows
        zero = np.zeros(rows.n, dtype=bool)
        if not rows.constant:
            zero = np.asarray((rows.X != 0).sum(axis=1)).reshape(-1) == 0
        self.active = ~zero & ~self.equal  # the rows that are still asked about
        if (zero & ~self.equal).any():
            # Rows of zeros are in every span: alone they refute strict separation, and they decide nothing else.
            self.witness = {int((zero & ~self.equal).argmax()): 1}
        if self.equal.any():
            self._drop(independent_rows(rows, np.flatnonzero(self.equal & ~zero), (), self.deadline), None)
        self._learned(zero)
        if self.direction is None:
            self._paired()
        self._near()
        # A turn that finds no direction sets rows aside that were active, by `_drop`: so there are fewer than n turns.
        while self.active.any() and self.direction is None:
            self._ask_the_clock()
            if not self._guessed():
                self._searched()
        if self.want_witness and self.witness is None and self.overlap and not self.equal.any():
            try:
                self._find_witness()
            except OutOfTimeError:  # all is decided: the overlap is a witness, of more rows than need be
                self.witness = dict(self.overlap)

    def _learned(self, zero: Array) -> None:
        """A few passes of the perceptron, where the table is so wide that nothing else is as fast."""
        rows = self.rows
        if self.basis or rows.width < max(_WIDE, rows.n / 20) or 10 * rows.stored > rows.n * rows.width:
            return
        if zero.any() or rows.whole or (rows.constant and rows.column_exps[-1]):
            return
        table = times_columns(rows.X, rows.column_exps[: rows.p])
        d = clean_pass(table, rows.s, rows.constant, _PASSES, self.deadline)
        self._ask_the_clock()
        if d is not None and self._price(whole := whole_numbers(d)) is None:
            self.direction = whole

    def _paired(self) -> None:
        """Rows with an opposite are 0 under every direction: where they are many, their span goes at once."""
        rows, self.asked = self.rows, self.active
        if rows.n * rows.width < _SMALL:
            return
        pairs = self._opposites()
        if len(pairs) < _MANY_PAIRS * (rows.width - len(self.basis)):
            return
        basis = independent_rows(rows, pairs[:, 0], self.basis, self.deadline)
        self._ask_the_clock()
        partner = dict(pairs.tolist())
        added = [i for i in basis[len(self.basis) :] if are_opposite(rows.X, rows.s, i, partner[i])]
        if added:
            self.witness = self.witness or {added[0]: 1, partner[added[0]]: 1}
            self._set_aside({row: 1 for i in added for row in (i, partner[i])}, [*self.basis, *added], None)

    def _opposites(self) -> Array:
        """Pairs of opposite rows, as far as hashes tell, looked for once."""
        if self.pairs is None:
            self._ask_the_clock()
            pairs = opposite_pairs(self.rows.X, self.rows.s, constant=self.rows.constant)
            self._ask_the_clock()
            self.pairs = pairs[self.asked[pairs].all(axis=1)]
        return self.pairs

    def _near(self, among: Array | None = None, y: Array | None = None) -> bool:
        """Whether weights near exact ones decide all, those of the rows `among` near y if given."""
        rows, ids = self.rows, np.flatnonzero(self.active) if among is None else among
        dense = self.may_be_near and not (rows.sparse or rows.whole or self.equal.any() or self.basis)
        if not dense or rows.width < _MANY_COLUMNS or ids.size <= rows.width:
            return False
        if among is None and ids.size > 2 * _PER_COLUMN * rows.width:
            ids = np.sort(np.random.default_rng(0).choice(ids, _PER_COLUMN * rows.width, replace=False))
        self._ask_the_clock()
        self.near = near_weights(rows, ids, self.deadline, y)
        if self.near is None:
            return False
        self.basis, self.active = list(self.near.weights.basis), np.zeros(rows.n, dtype=bool)
        return True

    def _guessed(self) -> bool:
        """One face by interior points; False if what they say cannot be proved."""
        rows = self.rows
        working = WorkingSet(rows, self.active, self.basis, self.deadline)
        rough, guess = working.sparse, working.guess()
        if rough and (guess is None or guess.ids):  # weights that can be proved take more digits than a direction
            guess = WorkingSet(rows, self.active, self.basis, self.deadline, dense=True).guess()
        if guess is None:
            return False
        if guess.ids and rows.width >= _MANY_COLUMNS and self._near(np.array(guess.ids), guess.y):
            return True
        if guess.ids:
            want = self.want_witness and self.witness is None
            opposites = self._opposites if want else None
            found = prove_overlap(rows, guess.ids, guess.y, self.basis, self.deadline, opposites=opposites)
            if found is None:
                return False
            if want and found.witness is not None:
                self.witness = found.witness
            self._set_aside(found.weights, found.span.ids, found.span)
            if not self.active.any():
                return True
        d = (self.span or Span(rows, [])).direction_near(guess.d, self.deadline)
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
        active = self.active
        self.active = np.zeros(self.rows.n, dtype=bool)
        self.active[list(self.overlap)] = True
        self.witness = dict(self._nearest([]).weights)
        self.active = active

    def _nearest(self, basis: list[int]) -> ExactEnd:
        """The point nearest 0 of the hull modulo the basis: floats as far as they lead, then exact arithmetic."""
        rows = self.rows
        away = scipy.linalg.qr(rows.Z[basis].T, mode="economic")[0] if basis else None
        hull = RowHull(rows.doubles, rows.k if rows.constant else None, self.active, away)
        start = int(np.flatnonzero(self.active)[0])
        found = nearest_point(hull, start, tol=_GOOD_ENOUGH, floor=1e-13, deadline=self.deadline)
        if found.why == "deadline":
            raise OutOfTimeError
        return exact_nearest(rows, found.keys, found.weights.tolist(), basis, self._price, self.deadline)

    def _price(self, d: list[int]) -> int | None:
        """A row still in play with d.z <= 0 by its exact sign, of those the worst in doubles; None if there is none."""
        self._ask_the_clock()
        rows = self.rows
        z = np.where(self.active, rows.scores(as_floats(d)), np.inf)
        # Doubles say in which order to ask, and leave out what rounding and underflow cannot turn. Never a row.
        unsure = np.flatnonzero(~(z > _UNSURE * rows.largest + _UNDERFLOW))
        unsure = unsure[np.argsort(z[unsure], kind="stable")]
        for start in range(0, unsure.size, _FEW):
            some = unsure[start : start + _FEW]
            wrong = some[rows.s[some] * row_signs(rows.X[some], rows.original(d)) <= 0]
            if wrong.size:
                return int(wrong[0])
        return None

    def _set_aside(self, weights: dict[int, int], basis: list[int], span: Span | None) -> None:
        """Take the weights of a face into the overlap and drop the rows in the span."""
        # Rows of faces before come with any sign: as much of the old overlap as makes them positive.
        factor = max([1, *(1 - (v // self.overlap[i]) for i, v in weights.items() if i in self.overlap)])
        whole = {i: factor * v for i, v in self.overlap.items()}
        for i, v in weights.items():
            whole[i] = whole.get(i, 0) + v
        if any(v < 0 and not self.equal[i] for i, v in whole.items()):
            raise AssertionError(f"a row of {sorted(set(self.basis))} has a negative weight")
        common = gcd(*whole.values())
        self.overlap = {i: v // common for i, v in whole.items() if v}
        self.active[list(weights)] = False
        self._drop(basis, span)

    def _drop(self, basis: list[int], span: Span | None) -> None:
        """Take a new basis, and ask no more about the rows that it spans."""
        self.basis = basis
        self.span = span = span or Span(self.rows, basis)
        if len(basis) == self.rows.rank_bound:
            self.active = np.zeros(self.rows.n, dtype=bool)
        elif basis:
            self.active = self.active & ~span.inside(self.active, self.deadline)

    def _ask_the_clock(self) -> None:
        if clock() > self.deadline.at:
            raise OutOfTimeError
