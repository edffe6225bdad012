"""How many rows have to go, at least, before the rest is separable? A lower and an upper bound with their proofs."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from linsep.as_given import labels_of
from linsep.clock import clock
from linsep.tables import bounded_doubles, labelled_table
from linsep.theory.cone.opposite_rows import disjoint_pairs, row_hashes
from linsep.theory.cone.search import ConeEnd, solve_cone
from linsep.theory.explanation.certificate import FewestRows
from linsep.theory.explanation.programmes import (
    Alternative,
    Branching,
    by_least_squares,
    cover,
    directions,
    hitting_set,
    packed,
    sum_of,
)
from linsep.theory.margin.geometry import signs
from linsep.theory.proof import Combination
from linsep.theory.rows.deadline import Deadline, OutOfTimeError, deadline_of, time_left
from linsep.theory.rows.exact_signs import row_signs
from linsep.theory.rows.integers import whole_row
from linsep.theory.separability.decide import separability, separable_by
from linsep.types import Array, DataError

_SHARE, _LONGER = 0.3, 0.5  # of the time that is left, for one way to look for rows or witnesses
_FEWEST, _A_COLUMN = 300, 30  # rows of a sample, at least and for each column
_AT_ONCE = 20  # witnesses asked for with one cover, all but the first with some noise
_NOISE = 1e-3  # of a cost: other witnesses come, which are nearly as cheap
_STAYS = "that keeps its rows"


def fewest_rows(
    X: Any, y: Any, *, keep: Any = None, fit_intercept: bool = True, time_limit: float | None = None
) -> FewestRows:
    """Enclose the least number of rows whose removal leaves rows that a hyperplane separates strictly.

    L <= min |R| <= U, over all sets R of rows such that some w, b have y_i (w.x_i + b) > 0 for all other rows and each
    class keeps a row. U rows are named and the rest is proved separable. L is proved by witnesses: sets of rows that no
    hyperplane separates, each of which has to lose a row. With `keep` no row of one class may go: then it is the least
    number of rows of the other class in a half-space that has all rows of this one.

    Parameters
    ----------
    X : array or SciPy CSR matrix of shape (n_samples, n_features)
        Taken exactly, as by `separability`.
    y : array-like of shape (n_samples,)
        Two labels.
    keep : label, optional
        The class that keeps all its rows, as `y` has it.
    fit_intercept : bool
        Whether b may differ from 0.
    time_limit : float, optional
        Seconds after which the bracket is what is proved by then. Without it the search goes on until L = U, which may
        take very long: the problem is NP-hard. L < U then only where a class is about to lose its last row: the
        witnesses do not know that it keeps one.

    Returns
    -------
    FewestRows
        `.lower`, `.upper` and the rows `.removed`; both proofs have been checked.

    Raises
    ------
    DataError
        As `separability`; or no two rows that may be left are separable.

    Notes
    -----
    The search for hitting sets of witnesses is that of Parker and Ryan, "Finding the minimum weight IIS cover of an
    infeasible system of linear inequalities", Annals of Mathematics and Artificial Intelligence 17 (1996).

    Examples
    --------
    >>> found = fewest_rows([[0], [1], [2], [3], [4], [5]], [0, 0, 1, 0, 1, 1])
    >>> found.lower, found.upper
    (1, 1)
    >>> fewest_rows([[0], [1], [2], [3], [4], [5]], [0, 0, 1, 0, 1, 1], keep=0).removed
    (2,)
    """
    deadline = deadline_of(time_limit)
    X = labelled_table(X, y)
    fit_intercept = bool(fit_intercept)
    s = signs(y)
    kept_class = 0 if keep is None else _sign_of(keep, labels_of(y), s)
    search = _Search(X, s, fit_intercept, deadline, kept_class)
    search.run()
    gone = search.removed
    kept = np.setdiff1d(np.arange(X.shape[0]), gone)
    labels = labels_of(y)[kept]
    if search.direction is None:
        rest = separability(X[kept], labels, fit_intercept=fit_intercept)
    else:  # a search of its own might take longer than all before
        rest = separable_by(X[kept], labels, search.direction, fit_intercept=fit_intercept)
    found = FewestRows(
        removed=tuple(sorted(gone)),
        rest=rest,
        witnesses=tuple(Combination.of(witness) for witness in search.witnesses),
        proof=search.proof,
        about=(X, search.s),
        n_rows=X.shape[0],
        fit_intercept=fit_intercept,
        kept_class=kept_class,
    )
    found.verify(X, y)
    return found


def _sign_of(label: Any, labels: Array, s: Array) -> int:
    """The sign of the rows of a class."""
    is_of_class = np.asarray(labels == label)
    if not is_of_class.any():
        raise DataError(f"keep is {label!r}, and no row has this label")
    return int(s[is_of_class][0])


class _Search:
    """The bounds so far: `removed` leaves separable rows, `proof` of `witnesses` shows that `lower` rows have to go."""

    def __init__(self, X: Any, s: Array, constant: bool, deadline: Deadline, keep: int) -> None:
        self.X, self.s, self.constant, self.deadline, self.keep = X, s, constant, deadline, keep
        self.rng = np.random.default_rng(0)
        self.witnesses: list[dict[int, int]] = []
        self.losing: list[dict[int, int]] = []  # the same without the rows of a class that keeps all
        self.known: set[frozenset[int]] = set()  # the rows of each
        self.proof: dict[str, Any] = {"unit": 1, "weights": {}}
        self.lower = 0
        self.inside = np.arange(s.size)  # the rows that are in some witness are among these
        classes = {side: frozenset(np.flatnonzero(s == side).tolist()) for side in (1, -1)}
        # So many of a class may go.
        self.most = {rows: 0 if side == keep else len(rows) - 1 for side, rows in classes.items()}
        self.removed = list(range(s.size)) if keep else self._all_but_one()
        self.direction: list[int] | None = None  # that separates the others, if one is known

    @np.errstate(all="ignore")  # doubles only suggest; `_offer` takes none that is not finite
    def run(self) -> None:
        """Bring the two bounds together until they meet or the time is over."""
        self._offer(by_least_squares(self.X, self.s, constant=self.constant, keep=self.keep))
        if len(self.removed) == self.s.size:
            self._leave_one()
        try:
            with self.deadline.share(_LONGER):
                end = self._solved(self.inside)
            if end is not None and not end.rows_left.size:
                self.removed, self.direction = [], None
                return
            self.inside = self.inside if end is None else end.rows_left
            with self.deadline.share(_SHARE):
                self._guess()
            self._pairs()
            with suppress(OutOfTimeError), self.deadline.share(_LONGER):
                self._one_each()
            self._prove(False)
            rows = self.inside
            time_left(self.deadline)  # the programme of a large table takes seconds to write down
            self.programme = Alternative(self.X[rows], self.s[rows], constant=self.constant)
            self._priced()
            self._exact()
        except OutOfTimeError:
            pass
        self._prove(False)
        with suppress(OutOfTimeError):
            self._prove(True)

    def _solved(self, rows: Array) -> ConeEnd | None:
        """What the cone of some rows is, with a witness; None if the time was too short for it."""
        end = solve_cone(self.X[rows], self.s[rows], constant=self.constant, deadline=self.deadline)
        if not end.decided and end.witness is None:
            return None
        return end

    def _witness(self, rows: Array) -> dict[int, int] | None:
        """A witness among some rows, kept unless one of the same rows is; None if they are separable.

        So the witnesses are sets of rows, each once: a search that ends when none is added comes to an end.
        """
        end = self._solved(rows)
        if end is None:
            raise OutOfTimeError
        if end.witness is None:
            return None
        names = rows.tolist()
        found = {names[i]: v for i, v in end.witness.items()}
        self._add(found)
        return found

    def _add(self, found: dict[int, int]) -> None:
        if (members := frozenset(found)) not in self.known:
            self.known.add(members)
            self.witnesses.append(found)
            self.losing.append(self._without_kept(found))

    def _without_kept(self, found: dict[int, int]) -> dict[int, int]:
        return {i: v for i, v in found.items() if self.s[i] != self.keep}

    def _guess(self) -> None:
        """Directions that leave few rows on the wrong side."""
        for d in directions(self.X, self.s, constant=self.constant, keep=self.keep, deadline=self.deadline):
            self._offer(d)
            if clock() > self.deadline.at:
                return

    def _offer(self, d: Array) -> None:
        """Take the rows that a direction gets wrong for the rows removed, if they are fewer and can go."""
        if not np.isfinite(d).all() or not d.any():
            return
        direction = whole_row(d.tolist())  # exactly: a constant is far larger than weights of large integers
        wrong = np.flatnonzero(self.s * row_signs(self.X, direction) <= 0)
        self._take(wrong.tolist(), direction)

    def _take(self, rows: list[int], direction: list[int] | None = None) -> None:
        gone = set(rows)
        if len(rows) < len(self.removed) and all(len(gone & of) <= most for of, most in self.most.items()):
            self.removed, self.direction = rows, direction

    def _pairs(self) -> None:
        """Equal rows of two classes: the shortest witnesses."""
        rows = self.inside
        pairs = rows[disjoint_pairs(self.X[rows], self.s[rows], constant=self.constant)]
        for i, j in pairs.tolist():
            self._add({i: 1, j: 1})

    def _one_each(self) -> None:
        """For each row removed a witness of it and rows that stay, which no other such witness has.

        Where rows are many and columns few, there is one for nearly every row that has to go.
        """
        free = np.isin(np.arange(self.s.size), np.setdiff1d(self.inside, self.removed))
        taken = {i for witness in self.losing for i in witness}
        free[list(taken)] = False
        sample = max(_FEWEST, _A_COLUMN * (self.X.shape[1] + 1))
        for i in self.removed:
            if i in taken:
                continue
            pool = np.flatnonzero(free)
            for size in sorted({min(sample, pool.size), pool.size}):
                if clock() > self.deadline.at:
                    return
                some = np.sort(self.rng.choice(pool, size, replace=False)) if size < pool.size else pool
                if (found := self._witness(np.append(some, i))) is not None:
                    free[list(self._without_kept(found))] = False
                    break

    def _priced(self) -> None:
        """Witnesses that the present lower bound does not take into account, the cheapest first."""
        rows = self.inside
        programme, rng = self.programme, self.rng
        place = {row: k for k, row in enumerate(rows.tolist())}
        while self.lower < len(self.removed):  # each turn but the last finds a further set of rows
            share = np.zeros(rows.size)
            covered = cover(self.losing)
            for row, value in covered.items():
                share[place[row]] = value
            known = len(self.witnesses)
            for k in range(_AT_ONCE):
                cost = share + (k > 0) * _NOISE * rng.random(rows.size)
                vertex = programme.cheapest(cost, self.deadline)
                if vertex is None:
                    return
                self._offer(vertex.direction)
                names = rows[vertex.rows]
                if names.size and sum(covered.get(i, 0.0) for i in names.tolist()) < 1 - _NOISE:
                    self._witness(names)
            if len(self.witnesses) == known:
                return
            self._prove(False)

    def _exact(self) -> None:
        """Hit all witnesses with as few rows as possible; what is left is separable, or has a further witness."""
        while self.lower < len(self.removed):  # as above
            hit = hitting_set(self.losing, self.most, self.deadline)
            if hit.exact and hit.least > self.lower:
                self._prove(True)
            left = np.setdiff1d(self.inside, np.array(hit.members, dtype=np.int64))
            known = len(self.witnesses)
            for _ in range(_AT_ONCE):
                cost = self.rng.random(self.inside.size)
                cost[np.isin(self.inside, hit.members)] = 1 / _NOISE
                vertex = self.programme.cheapest(cost, self.deadline)
                if vertex is None or not set(names := self.inside[vertex.rows].tolist()).isdisjoint(hit.members):
                    break
                self._witness(np.array(names))
            if len(self.witnesses) > known:
                continue
            if self._witness(left) is None:
                self._take(hit.members)
                if hit.exact:
                    return
                raise OutOfTimeError
            if len(self.witnesses) == known:  # rounding: what was to hit all witnesses does not
                return

    def _prove(self, branch: bool) -> None:
        """The lower bound that the witnesses show, by weights alone or with branches."""
        if not self.witnesses or self.lower >= len(self.removed):
            return
        if not branch:
            shown = packed(self.losing)
            if sum_of(shown) > self.lower:
                self.lower, self.proof = sum_of(shown), shown
            return
        while self.lower < len(self.removed):  # each turn but the last raises the one side
            proof = Branching(self.losing, self.deadline).prove(self.lower + 1)
            if proof is None:
                return
            self.lower, self.proof = self.lower + 1, proof

    def _all_but_one(self) -> list[int]:
        """All rows but one of each class that are separable from each other: what is always found.

        Equal rows need no second try, nor rows of zeros where there is no constant. If no row of one class is separable
        from the first of the other, and this one from none of the first, all rows lie on one ray: there is no pair.
        """
        plus, minus = (self._different(np.flatnonzero(self.s == side)) for side in (1, -1))
        for i, j in [(i, j) for i in plus[:1] for j in minus] + [(i, j) for j in minus[:1] for i in plus[1:]]:
            end = solve_cone(self.X[[i, j]], self.s[[i, j]], constant=self.constant)
            if not end.rows_left.size:
                return [k for k in range(self.s.size) if k not in (i, j)]
        raise DataError("no row of one class can be separated from any row of the other")

    def _leave_one(self) -> None:
        """Leave one row beside the class that keeps all, those first that seem to lie furthest from it."""
        kept = np.flatnonzero(self.s == self.keep)
        others = np.array(self._different(np.flatnonzero(self.s != self.keep)), dtype=np.int64)
        d = by_least_squares(self.X, self.s, constant=self.constant)[: self.X.shape[1]]
        sides = self.keep * np.asarray(bounded_doubles(self.X[others]) @ d, dtype=np.float64)
        for j in others[np.argsort(sides, kind="stable")].tolist():
            rows = np.sort(np.append(kept, j))
            end = self._solved(rows)
            if end is None:
                raise DataError(f"the time limit ended before a row was found beside the class {_STAYS}: give more")
            if not end.rows_left.size:
                self.removed = np.setdiff1d(np.arange(self.s.size), rows).tolist()
                return
        raise DataError(f"no row of the other class can be separated from all rows of the class {_STAYS}")

    def _different(self, rows: Array) -> list[int]:
        """The first of each set of equal rows, as far as hashes tell; without a constant none of zeros."""
        if not self.constant:
            rows = rows[np.asarray((self.X[rows] != 0).sum(axis=1)).ravel() > 0]
        first = np.unique(row_hashes(self.X[rows]), return_index=True)[1]
        return [int(i) for i in np.sort(rows[first])]
