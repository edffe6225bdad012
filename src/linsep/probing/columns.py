"""How few columns still separate: a set that does, found greedily and proved; for few columns the smallest one."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
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
    p, smallest = X.shape[1], False
    columns = list(range(p))

    def separate(some: Iterable[int]) -> bool:
        """Whether these columns separate; they are fewer than the best ones so far, and the best ones then."""
        nonlocal columns, proof
        found = separability(X[:, sorted(some)], y, time_limit=time_left(deadline))
        if found.verdict == "undecided":
            raise OutOfTimeError
        if found.verdict == "separable":
            columns, proof = sorted(some), found
        return found.verdict == "separable"

    with suppress(OutOfTimeError):
        ranked: list[int] = []
        while len(ranked) != len(columns):  # each turn but the last leaves fewer columns
            part, left = X[:, columns], time_left(deadline)
            plane = max_margin(part, y, tol=1e-2, max_steps=_STEPS, time_limit=left).hyperplane
            weights = np.abs(plane.w) * part.astype(np.float64).std(axis=0)
            ranked = [columns[k] for k in np.argsort(-weights, kind="stable").tolist()]
            low, high = 0, len(ranked)
            while high - low > 1:  # the shortest beginning that halving finds separable; all of it is
                middle = (low + high) // 2
                low, high = (low, middle) if separate(ranked[:middle]) else (middle, high)
        for column in reversed(ranked):
            if len(columns) > 1:
                separate([other for other in columns if other != column])
        sizes = range(1, len(columns))
        if sum(comb(p, size) for size in sizes) <= _SUBSETS:
            any(separate(some) for size in sizes for some in combinations(range(p), size))
            smallest = True
    return FewColumns(tuple(columns), proof, smallest)
