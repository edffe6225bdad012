"""Could chance do it? Cover's bound for the rows of a layer, or for their groups."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linsep.theory.bounds.cover import cover_odds, cover_rows
from linsep.theory.rows.rank import proved_rank
from linsep.types import Array

_CHANCE = 0.001


class Chance(NamedTuple):
    """What Cover's bound says of labels drawn at random; the odds are log10, None where groups hold both labels.

    `units` is what is counted, rows or groups. `shuffled` is about labels of the same class sizes, `fair` about labels
    drawn one by one. From `even_rows` units on the chance of fair labels is at most 1/2, from `rare_rows` on 1/1000.
    """

    units: int
    shuffled: float | None
    fair: float | None
    even_rows: int
    rare_rows: int


def chance(rank: int, positive: Array, groups: Array | None = None) -> Chance:
    """Cover's bound for rows of a rank, or a number above it.

    One row of each group stands for it: a hyperplane that separates all rows separates those, and their rank is no
    larger. So the bound counts groups where each group has one label.

    Examples
    --------
    >>> found = chance(3, np.array([True] * 4 + [False] * 16))
    >>> found.units, round(10**found.fair, 6), found.even_rows
    (20, 0.000364, 6)
    >>> chance(3, np.array([True, False]), np.array([0, 0])).fair is None
    True
    """
    needed = cover_rows(rank), cover_rows(rank, _CHANCE)
    units = positive
    if groups is not None:
        first, code = np.unique(groups, return_index=True, return_inverse=True)[1:]
        units = positive[first]
        if (units[code] != positive).any():
            return Chance(len(units), None, None, *needed)
    n = len(units)
    return Chance(n, cover_odds(n, rank, int(units.sum())), cover_odds(n, rank), *needed)


class Rank(NamedTuple):
    """The rank of the rows (x, 1) if `exact`; otherwise a number that it does not exceed."""

    value: int
    exact: bool


def rank_bound(X: Array) -> Rank:
    """The rank of the rows (x, 1), computed exactly where that takes seconds at most.

    Otherwise the lesser one of the distinct rows, and of 1 and the distinct columns that are not constant.

    Examples
    --------
    >>> rank_bound(np.array([[1.0, 0.0, 0.0], [1.0, 2.0, 4.0], [1.0, 3.0, 6.0]]))
    Rank(value=2, exact=True)
    """
    varying = np.flatnonzero((X[0] != X).any(axis=0))
    distinct = list({X[:, j].tobytes(): j for j in varying.tolist()}.values())
    X = np.column_stack([np.ones(len(X), dtype=X.dtype), X[:, distinct]])
    X = X[list({row.tobytes(): i for i, row in enumerate(X)}.values())]
    most = min(X.shape)
    proved = proved_rank(X, most)
    return Rank(most, False) if proved is None else Rank(proved, True)
