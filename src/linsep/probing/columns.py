"""How few columns still separate: a set that does, found greedily and proved; for few columns the smallest one."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import Any, NamedTuple

import numpy as np

from linsep.tables import check_length, dense, exact_table
from linsep.theory.margin.max_margin import max_margin
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


def few_columns(X: Any, y: Any) -> FewColumns:
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
    X = dense(exact_table(X))
    check_length(X, y)
    proof = separability(X, y)
    if proof.verdict != "separable":
        raise DataError(f"the rows are {proof.verdict} with all {X.shape[1]:,} columns, so with fewer, too")
    chosen = np.arange(X.shape[1])
    while True:
        ranked = chosen[np.argsort(-_weights(X[:, chosen], y), kind="stable")]
        shorter, found = _beginning(X, y, ranked, proof)
        if len(shorter) == len(chosen):
            break
        chosen, proof = shorter, found
    chosen, proof = _thinned(X, y, ranked, proof)
    return _smallest(X, y, chosen, proof)


def _weights(X: Array, y: Any) -> Array:
    """|w_j| times the standard deviation of column j."""
    plane = max_margin(X, y, tol=1e-2, max_steps=_STEPS).hyperplane
    return np.asarray(np.abs(plane.w) * X.astype(np.float64).std(axis=0))


def _beginning(X: Array, y: Any, ranked: Array, proof: Separability) -> tuple[Array, Separability]:
    """The shortest beginning of a list that halving finds separable; all of it is, by `proof`."""
    low, high = 0, len(ranked)
    while high - low > 1:
        middle = (low + high) // 2
        found = separability(X[:, ranked[:middle]], y)
        if found.verdict == "separable":
            high, proof = middle, found
        else:
            low = middle
    return ranked[:high], proof


def _thinned(X: Array, y: Any, ranked: Array, proof: Separability) -> tuple[Array, Separability]:
    """Leave columns out, the lightest first, where the others still separate; a proof for them in ascending order."""
    kept = list(ranked)
    for column in reversed(ranked.tolist()):
        others = [other for other in kept if other != column]
        if others and separability(X[:, others], y).verdict == "separable":
            kept = others
    chosen = np.sort(np.array(kept))
    return chosen, separability(X[:, chosen], y)


def _smallest(X: Array, y: Any, chosen: Array, proof: Separability) -> FewColumns:
    """Ask all smaller sets, if there are few enough."""
    p, k = X.shape[1], len(chosen)
    if sum(comb(p, size) for size in range(1, k)) > _SUBSETS:
        return FewColumns(tuple(chosen.tolist()), proof, False)
    for size in range(1, k):
        for some in combinations(range(p), size):
            found = separability(X[:, list(some)], y)
            if found.verdict == "separable":
                return FewColumns(some, found, True)
    return FewColumns(tuple(chosen.tolist()), proof, True)
