"""The search of rows that no column separates alone: guess and prove, and where that fails the exact nearest point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy as sp
from flint import fmpz_mat

from linsep.clock import clock
from linsep.theory.cone.digits import SparseFactors, SparseSpan, WholeColumns
from linsep.theory.cone.exact import (
    MOST_DENSE,
    ROUNDED,
    TINY,
    DenseSpan,
    Span,
    Support,
    Vector,
    spanning,
    without_factor,
)
from linsep.theory.cone.exact_nearest import Price, exact_nearest
from linsep.theory.cone.guess import ALL_AT_ONCE, LARGE, Asked, Guess, WorkingSet
from linsep.theory.cone.interior_point import DenseSquare, SparseSquare
from linsep.theory.cone.near_weights import near_weights
from linsep.theory.cone.opposite_rows import disjoint_pairs
from linsep.theory.margin.nearest import RowHull, nearest_point
from linsep.theory.rows.deadline import Deadline, OutOfTimeError
from linsep.theory.rows.exact_signs import as_floats, row_signs
from linsep.theory.rows.integers import common_matrix, exact_rows
from linsep.theory.rows.signed import SignedRows
from linsep.types import Array, DataError

_GOOD_ENOUGH = 0.95  # a twentieth of the best margin is far above rounding, and enough to prove that a separator exists
_MANY_COLUMNS = 100  # of a dense table, from which on long integers take longer than proving that they exist
FEW_NUMBERS = 100  # of a table: its exact search takes milliseconds, and needs no SciPy, which takes 0.4 s to load


class Faces:
    """The search of rows that no column separates alone.

    Attributes
    ----------
    active
        The rows that are still asked about.
    span
        Of all rows set aside, and in the end of the equalities.
    overlap
        Positive weights on rows of that span, which bring them to 0; of any sign on equalities.
    """

    def __init__(
        self, rows: SignedRows, equal: Array, deadline: Deadline, want_witness: bool, may_be_near: bool
    ) -> None:
        self.rows, self.equal, self.deadline = rows, equal, deadline
        self.want_witness, self.may_be_near = want_witness, may_be_near
        self.span = Span(rows, [], [])
        self.overlap: dict[int, int] = {}
        self.witness: dict[int, int] | None = None
        self.direction: list[int] | None = None
        self.pairs: Array | None = None
        self.within, self.null = 0.0, list[Vector]()  # of weights near exact ones, and vectors orthogonal to all rows
        self.whole: WholeColumns | None = None
        self.has_few_numbers = rows.n * rows.width <= FEW_NUMBERS
        zero = np.zeros(rows.n, dtype=bool)
        if not rows.constant:
            zero = np.asarray((rows.X != 0).sum(axis=1)).reshape(-1) == 0
        self.active = ~zero & ~equal
        if (zero & ~equal).any():
            # Rows of zeros are in every span: alone they refute strict separation, and they decide nothing else.
            self.witness = {int((zero & ~equal).argmax()): 1}
        self.equal = equal & ~zero

    def run(self) -> None:
        """Go face by face until no row is left or a direction separates all that are; may raise OutOfTimeError."""
        self._nearly()
        # A turn that finds no direction sets rows aside that were active: so there are fewer than n turns.
        while self.active.any() and self.direction is None:
            self._ask_the_clock()
            if self.has_few_numbers or not self._guessed():
                self._searched()
        if not self.within and self.equal.any():
            self._spans(np.flatnonzero(self.equal))
        if self.want_witness and self.witness is None and self.overlap and not (self.within or self.equal.any()):
            try:
                self._find_witness()
            except OutOfTimeError:  # all is decided: the overlap is a witness, of more rows than need be
                self.witness = dict(self.overlap)

    # ---------------------------------------------------------------- near
    def _nearly(self, among: Array | None = None, y: Array | None = None) -> bool:
        """Whether weights near exact ones decide all, those of the rows `among` near y if given."""
        rows, ids = self.rows, np.flatnonzero(self.active) if among is None else among
        dense = self.may_be_near and not (rows.sparse or rows.whole or self.equal.any() or self.span.ids)
        if not dense or rows.width < _MANY_COLUMNS or ids.size <= rows.width:
            return False
        if among is None and ids.size > ALL_AT_ONCE * rows.width:
            ids = np.sort(np.random.default_rng(0).choice(ids, ALL_AT_ONCE * rows.width // 2, replace=False))
        self._ask_the_clock()
        found = near_weights(rows, ids, self.deadline, y)
        if found is None:
            return False
        self.overlap, self.within, self.null = found.weights, found.within, found.null
        self.span = Span(rows, found.basis, [])
        self.active = np.zeros(rows.n, dtype=bool)
        return True

    # --------------------------------------------------- guess and prove
    def _guessed(self) -> bool:
        """One face by interior points; False if what they say cannot be proved."""
        held = self.equal.copy()
        held[self.span.ids] = True
        asked = Asked(self.rows, self.active, held)
        working: WorkingSet | None = WorkingSet(asked, self.deadline)
        while working is not None:
            guess = working.guess()
            if self._proved(asked, held, guess):
                return True
            working = working.otherwise()
        return False

    def _proved(self, asked: Asked, held: Array, guess: Guess) -> bool:
        """Whether a direction comes of the guess, or rows are set aside."""
        free, before = not held[asked.which[guess.ids]].all(), int(self.active.sum())  # rows still asked about overlap
        if free and self._nearly(asked.which[guess.ids], guess.y):
            return True
        if free:
            try:
                if not (self._by_digits if is_large(self.rows) else self._by_few)(asked, held, guess):
                    return False
            except (np.linalg.LinAlgError, ZeroDivisionError):  # rounding, or a prime, hides the rank
                return False
            if not self.active.any():
                return True
        elif self.equal.any():
            self._spans(np.flatnonzero(self.equal))
        d = self.span.direction_near(guess.d, self.deadline)
        if self._price(d) is None:
            self.direction = d
        return self.direction is not None or int(self.active.sum()) < before

    def _by_few(self, asked: Asked, held: Array, guess: Guess) -> bool:
        """Exact weights of at most twice as many rows as their rank."""
        names = asked.which[guess.ids].tolist()
        table, y = asked.table(guess.ids), guess.y / guess.y.max()
        try:
            support = Support(table, y)
        except np.linalg.LinAlgError:  # so little is left of the sum of the rows that it hides small weights
            support = Support(table, _refined(table, y, self.deadline))
        first = support.basis.copy()
        support.lower(self.deadline)
        few = None
        if self.want_witness and self.witness is None:
            few = support.emptied(self.deadline)
            if few.weighty().size == few.basis.size:
                span, weights = self._weights(asked, names, few)
                if weights is not None and all(weights.get(i, 0) > 0 for i in span.ids):
                    self.witness = weights
                    return self._set_aside(weights, span)
        span, weights = self._weights(asked, names, support)
        # Every row that spans must have a weight: it is what makes later weights of it positive.
        if weights is None or not all(held[names[k]] or weights.get(names[k], 0) > 0 for k in first.tolist()):
            return False
        if not all(held[i] or weights.get(i, 0) > 0 for i in span.ids):
            # Of two rows whose weights ran out together one is left in the basis without any.
            span = DenseSpan(self.rows, [names[k] for k in first.tolist()], support.columns, self.deadline)
            if span.square.rank() < len(span.ids):
                return False
        if few is not None:
            self._witness(asked, names, few)
        return self._set_aside(weights, span)

    def _weights(self, asked: Asked, names: list[int], support: Support) -> tuple[DenseSpan, dict[int, int] | None]:
        """The span of the basis, and exact weights of all rows that have one, those outside the basis as they are."""
        span = DenseSpan(self.rows, [names[k] for k in support.basis.tolist()], support.columns, self.deadline)
        if not np.isfinite(support.y).all():
            return span, None
        outside: dict[int, int] = {}
        for k in support.outside().tolist():
            outside[names[k]] = outside.get(names[k], 0) + int(support.y[k])
        return span, self._positive(span.balanced(outside))

    def _positive(self, weights: dict[int, int] | None) -> dict[int, int] | None:
        """The weights if they are, but for those of equalities and of rows set aside."""
        if weights is None:
            return None
        negative = [i for i, v in weights.items() if v < 0]
        return None if self.active[negative].any() else weights

    def _witness(self, asked: Asked, names: list[int], few: Support) -> None:
        """Two opposite rows, for which no system is solved, or the rows that have a weight if all others have none."""
        self.witness = self._pair()
        if self.witness is not None:
            return
        kept = few.weighty()
        pivots = sp.linalg.qr(few.A[kept], mode="r", pivoting=True, check_finite=False)[1][: kept.size]
        span = DenseSpan(
            self.rows, [names[k] for k in kept.tolist()], [few.columns[j] for j in pivots.tolist()], self.deadline
        )
        outside = {names[k]: int(few.y[k]) for k in few.outside().tolist()}
        self.witness = self._positive(span.balanced(outside)) or None  # none has a weight where rounding hid them

    def _pair(self) -> dict[int, int] | None:
        """Weights of two opposite rows that were asked about, the shortest witness."""
        rows = self.rows
        if self.pairs is None:
            self._ask_the_clock()
            pairs = disjoint_pairs(rows.X, rows.s, constant=rows.constant, one=True)
            self.pairs = pairs[~self.equal[pairs].any(axis=1)]
        return dict.fromkeys(self.pairs[0].tolist(), 1) if len(self.pairs) else None

    def _by_digits(self, asked: Asked, held: Array, guess: Guess) -> bool:
        """Exact weights of all rows of the guess, on a basis that elimination modulo a prime chooses."""
        rows = self.rows
        if self.whole is None:
            self.whole = WholeColumns(_in_units(rows), self.deadline)
        names = asked.which[guess.ids]
        # Short rows first, then heavy ones: what elimination fills in stays small. An equality stands here twice.
        order = names[np.lexsort((-guess.y, np.diff(rows.X.indptr)[names]))]
        if held.any():
            order = order[np.sort(np.unique(order, return_index=True)[1])]
        factors = SparseFactors(self.whole, order, self.deadline)
        span = SparseSpan(rows, factors, len(factors.ids))
        y, table = guess.y, asked.table(guess.ids, sparse=True)
        for bits in (20, 46):
            y = _refined(table, y, self.deadline)
            in_rows = asked.way[guess.ids] * y * np.ldexp(1.0, -rows.row_exps[names])
            total = np.bincount(names, in_rows / np.median(abs(in_rows)), minlength=rows.n)
            weights = self._positive(span.balanced_near(order, total, held, bits, self.deadline))
            if weights is not None:
                return self._set_aside(weights, span)
        return False

    # ------------------------------------------------- the exact nearest point
    def _searched(self) -> None:
        """One face by the nearest point; DataError where that would fill the memory."""
        _refuse_large(self.rows)
        if self.equal.any():
            self._spans(np.flatnonzero(self.equal))
        rows, free = self.rows, self.span.ids
        if self.has_few_numbers:
            end = exact_nearest(rows, [int(self.active.argmax())], [1.0], free, self._nearly_widest(), self.deadline)
        else:
            away = sp.linalg.qr(rows.Z[free].T, mode="economic")[0] if free else None
            found = self._nearest(RowHull(rows.doubles, rows.k if rows.constant else None, self.active, away))
            end = exact_nearest(rows, found.keys, found.weights.tolist(), free, self._price, self.deadline)
        if end.direction is not None:
            self.direction = end.direction
            return
        if self.witness is None:
            self.witness = {**end.weights, **{i: v for i, v in end.free.items() if v}}
        # Affinely independent with 0 in the hull: all but one are a basis.
        span = spanning(rows, [*free, *list(end.weights)[:-1]], np.zeros(0, dtype=np.int64), self.deadline)
        self._set_aside({**end.weights, **end.free}, span)

    def _nearest(self, hull: RowHull) -> Any:
        start = int(np.flatnonzero(self.active)[0])
        found = nearest_point(hull, start, tol=_GOOD_ENOUGH, floor=1e-13, deadline=self.deadline)
        if found.why == "deadline":
            raise OutOfTimeError
        return found

    def _find_witness(self) -> None:
        """Few rows among those of the overlap, which bring 0 about, that do so too."""
        self.witness = self._pair()
        if self.witness is not None:
            return
        active, rows = self.active, self.rows
        self.active = np.zeros(rows.n, dtype=bool)
        self.active[list(self.overlap)] = True
        found = self._nearest(RowHull(rows.doubles, rows.k if rows.constant else None, self.active))
        end = exact_nearest(rows, found.keys, found.weights.tolist(), [], self._price, self.deadline)
        self.witness, self.active = dict(end.weights), active

    def _ask_the_clock(self) -> None:
        if clock() > self.deadline.at:
            raise OutOfTimeError

    def _nearly_widest(self) -> Price:
        """A price that goes on until each d.z is nearly that of the rows of the nearest point, the largest least one.

        A row that it names is on the near side of those, which is all that the proof of the end needs.
        """
        ids = np.flatnonzero(self.active).tolist()
        entries = common_matrix(exact_rows(self.rows, ids))

        def price(d: list[int], on: int) -> int | None:
            scores = (entries * fmpz_mat([[v] for v in d])).entries()
            least = min(scores)
            return ids[scores.index(least)] if least <= 0 or 20 * least < 19 * scores[ids.index(on)] else None

        return price

    def _price(self, d: list[int], _on: int = 0) -> int | None:
        """A row still in play with d.z <= 0 by its exact sign, of those the worst in doubles; None if there is none."""
        self._ask_the_clock()
        rows = self.rows
        if not any(d):
            return int(self.active.argmax())
        z = np.where(self.active, rows.scores(as_floats(d)), np.inf)
        # Doubles say in which order to ask, and leave out what rounding and underflow cannot turn. Never a row.
        unsure = np.flatnonzero(~(z > ROUNDED * rows.largest + TINY))
        unsure = unsure[np.argsort(z[unsure], kind="stable")]
        wrong = unsure[rows.s[unsure] * row_signs(rows.X[unsure], rows.original(d)) <= 0]
        return int(wrong[0]) if wrong.size else None

    def _set_aside(self, weights: dict[int, int], span: Span) -> bool:
        """Take the weights of a face into the overlap and drop the rows in the span; True."""
        if self.overlap:
            # Rows of faces before come with any sign: as much of the old overlap as makes them positive.
            factor = max([1, *(1 - (v // self.overlap[i]) for i, v in weights.items() if self.overlap.get(i, 0) > 0)])
            whole = {i: factor * v for i, v in self.overlap.items()}
            for i, v in weights.items():
                whole[i] = whole.get(i, 0) + v
            if any(v < 0 and not self.equal[i] for i, v in whole.items()):
                raise AssertionError("a row has a negative weight")
            self.overlap = without_factor({i: v for i, v in whole.items() if v})
        else:
            self.overlap = {i: v for i, v in weights.items() if v}
        self.active[list(weights)] = False
        before = self.span.ids
        self.span = span
        # Doubles may have hidden that rows with weights are independent.
        known = [] if is_large(self.rows) else list(weights)
        self._spans(np.array([*before, *np.flatnonzero(self.equal).tolist(), *known], dtype=np.int64))
        if len(self.span.ids) == self.rows.rank_bound:
            self.active = np.zeros(self.rows.n, dtype=bool)
        else:
            self.active = self.active & ~self.span.inside(self.active, self.deadline)
        return True

    def _spans(self, ids: Array) -> None:
        """Let the span hold these rows too."""
        if len(self.span.ids) == self.rows.rank_bound or not ids.size:
            return
        mask = np.zeros(self.rows.n, dtype=bool)
        mask[ids] = True
        outside = mask & ~self.span.inside(mask, self.deadline) if self.span.ids else mask
        if outside.any():
            self.span = span_of(self.rows, self.span.ids, np.flatnonzero(outside), self.deadline, self.whole)


def span_of(
    rows: SignedRows, first: Sequence[int], among: Array, deadline: Deadline, whole: WholeColumns | None = None
) -> Span:
    """The span of the independent rows `first` and of the rows `among`."""
    if is_large(rows):
        whole = whole or WholeColumns(_in_units(rows), deadline)
        factors = SparseFactors(whole, np.concatenate([np.array(first, dtype=np.int64), among]), deadline)
        return SparseSpan(rows, factors, len(factors.ids))
    return spanning(rows, first, among, deadline)


def _refuse_large(rows: SignedRows) -> None:
    entries = min(rows.n, rows.width) * rows.width
    if rows.sparse and entries > MOST_DENSE:
        raise DataError(
            f"the search for sparse tables found no proof about {rows.n:,} rows and {rows.width:,} coefficients, and "
            f"the one for all others would take {8 * entries / 1e9:,.0f} GB: leave columns out, or join rare levels"
        )


def is_large(rows: SignedRows) -> bool:
    """Whether systems of these rows are solved by digits."""
    return rows.sparse and not rows.whole and rows.width >= LARGE


def _in_units(rows: SignedRows) -> Any:
    """The rows z_i of a sparse table of doubles in the units of X, as CSR."""
    Z: Any = sp.sparse.csr_matrix(rows.X, dtype=np.float64, copy=True)  # what follows is done in place
    if rows.constant:
        Z = sp.sparse.csr_matrix(sp.sparse.hstack([Z, sp.sparse.csr_matrix(np.ones((rows.n, 1)))]))
    if (rows.s != 1).any():
        Z = sp.sparse.csr_matrix(sp.sparse.diags_array(rows.s.astype(np.float64)) @ Z)
    Z.eliminate_zeros()
    return Z


def _refined(Z: Any, y: Array, deadline: Deadline) -> Array:
    """Weights nearer to those that bring the rows to 0: the least change relative to each, where they stay above 0."""
    try:
        square = (SparseSquare if sp.sparse.issparse(Z) else DenseSquare)(Z, deadline)
        square.lossy = True
        better = np.asarray(y - y * y * (Z @ square.solver(y * y)(Z.T @ y)))
    except np.linalg.LinAlgError:
        return y
    return better if better.min() > 0 else y
