"""How few columns still separate: a set that does, found greedily and proved; for few columns the smallest one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb
from typing import Any, NamedTuple

import numpy as np

from linsep.tables import check_length, dense, exact_table
from linsep.theory.margin.max_margin import max_margin
from linsep.theory.rows.deadline import Deadline, OutOfTimeError, deadline_of, time_left
from linsep.theory.separability.certificate import Separability
from linsep.theory.separability.decide import separability
from linsep.types import Array, DataError

_SUBSETS = 1000  # smaller sets that are all asked, if there are no more of them
_STEPS = 2000  # of the margin's search: its direction only ranks the columns


class FewColumns(NamedTuple):
    """Columns on which the rows are separable.

    Attributes
    ----------
    columns : tuple of int
        Their positions in X, in ascending order.
    proof : Separability
        The certificate for X[:, columns].
    smallest : bool
        Whether every smaller set of columns was asked and is not separable. Otherwise there may be fewer.
    """

    columns: tuple[int, ...]
    proof: Separability
    smallest: bool


def few_columns(X: Any, y: Any, *, time_limit: float | None = None) -> FewColumns:
    """A small set J such that some w, b have y_i (sum_{j in J} w_j x_ij + b) > 0 for all i: an upper bound, proved.

    Columns are ranked by |w_j| times their standard deviation, w the direction of the largest margin. The shortest
    beginning of this list that is separable is found by halving; the columns of this set are ranked anew, as long as it
    gets smaller. Then columns are left out one by one where the others still separate. Each answer on the way is that
    of `separability`. Where at most 1,000 sets are smaller than what was found, all are asked.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows that are separable.
    y : array-like of shape (n_samples,)
        Two labels.
    time_limit : float, optional
        Seconds after which the set is the smallest one found by then.

    Returns
    -------
    FewColumns
        `columns`, `proof`, `smallest`.

    Raises
    ------
    DataError
        The rows are not separable, or are refused by `separability`.

    References
    ----------
    Guyon, Weston, Barnhill and Vapnik, "Gene selection for cancer classification using support vector machines",
    Machine Learning 46 (2002), rank columns by the weights of the largest margin.

    Examples
    --------
    >>> X = [[0, 5, 1], [1, 4, 0], [0, 3, 2], [1, 9, 3]]
    >>> found = few_columns(X, [0, 0, 1, 1])
    >>> found.columns, found.smallest, found.proof.verdict
    ((2,), True, 'separable')
    """
    deadline = deadline_of(time_limit)
    X = dense(exact_table(X))
    check_length(X, y)
    proof = separability(X, y, time_limit=time_limit)
    if proof.verdict != "separable":
        raise DataError(f"the rows are {proof.verdict} with all {X.shape[1]:,} columns, so with fewer, too")
    return fewer_columns(X, y, proof, deadline)


def fewer_columns(X: Array, y: Any, proof: Separability, deadline: Deadline) -> FewColumns:
    """The same for dense rows that `proof` says are separable; at the deadline the smallest set so far."""
    search = _Search(X, y, proof, deadline)
    try:
        smallest = search.run()
    except OutOfTimeError:
        smallest = False
    return FewColumns(tuple(search.columns), search.proof, smallest)


class _Search:
    """`columns`, in ascending order, separate by `proof`; no other set that was asked and does is smaller."""

    def __init__(self, X: Array, y: Any, proof: Separability, deadline: Deadline) -> None:
        self.X, self.y, self.deadline = X, y, deadline
        self.columns, self.proof = list(range(X.shape[1])), proof

    def run(self) -> bool:
        """Make the set smaller; say whether no set is smaller."""
        while True:  # each turn but the last leaves fewer columns
            ranked = self._ranked()
            self._shorten(ranked)
            if len(self.columns) == len(ranked):
                break
        self._thin(ranked)
        return self._try_smaller()

    def _separate(self, columns: Sequence[int]) -> bool:
        """Whether these columns, fewer than the best ones so far, separate; they are the best ones then."""
        chosen = sorted(columns)
        found = separability(self.X[:, chosen], self.y, time_limit=time_left(self.deadline))
        if found.verdict == "undecided":
            raise OutOfTimeError
        if found.verdict == "separable":
            self.columns, self.proof = chosen, found
        return found.verdict == "separable"

    def _ranked(self) -> list[int]:
        """The columns, by |w_j| times the standard deviation of column j, the largest first."""
        part = self.X[:, self.columns]
        limit = time_left(self.deadline)
        plane = max_margin(part, self.y, tol=1e-2, max_steps=_STEPS, time_limit=limit).hyperplane
        weights = np.abs(plane.w) * part.astype(np.float64).std(axis=0)
        return [self.columns[k] for k in np.argsort(-weights, kind="stable").tolist()]

    def _shorten(self, ranked: list[int]) -> None:
        """The shortest beginning of the list that halving finds separable; all of it is."""
        low, high = 0, len(ranked)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._separate(ranked[:middle]) else (middle, high)

    def _thin(self, ranked: list[int]) -> None:
        """Leave columns out, the lightest first, where the others still separate."""
        for column in reversed(ranked):
            others = [other for other in self.columns if other != column]
            if others:
                self._separate(others)

    def _try_smaller(self) -> bool:
        """Ask all smaller sets, if there are few enough; say whether that was so."""
        p, k = self.X.shape[1], len(self.columns)
        if sum(comb(p, size) for size in range(1, k)) > _SUBSETS:
            return False
        sets = (some for size in range(1, k) for some in combinations(range(p), size))
        next((some for some in sets if self._separate(some)), None)
        return True
