"""Could chance do it? Cover's bound for the rows of a layer, or for their groups."""

from __future__ import annotations

from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from linsep.theory.bounds.cover import cover_odds, cover_rows
from linsep.theory.rows.rank import proved_rank
from linsep.types import Array

_CHANCE = 0.001


class Chance(NamedTuple):
    """What Cover's bound says of labels drawn at random; the odds are log10, None where groups hold both labels.

    `units` is what is counted, rows, distinct rows or groups. `shuffled` is about labels of the same class
    sizes, `fair` about labels drawn one by one. From `even_rows` units on the chance of fair labels is at most 1/2,
    from `rare_rows` on 1/1000; None where there are no odds.
    """

    units: int
    shuffled: float | None
    fair: float | None
    even_rows: int | None
    rare_rows: int | None


def chance(rank: int, positive: Array, groups: Array | None = None, of_more: int | None = None) -> Chance:
    """Cover's bound for rows of a rank, or a number above it; `of_more` is what the rank of more rows may be.

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
    of_more = rank if of_more is None else of_more
    units = positive
    if groups is not None:
        first, code = np.unique(groups, return_index=True, return_inverse=True)[1:]
        units = positive[first]
        if (units[code] != positive).any():
            return Chance(len(units), None, None, None, None)
    n = len(units)
    needed = cover_rows(of_more), cover_rows(of_more, _CHANCE)
    return Chance(n, cover_odds(n, rank, int(units.sum())), cover_odds(n, rank), *needed)


def same_rows(X: Array) -> Array:
    """For each row the first one that is equal to it, known by a digest of 128 bits of its numbers.

    Examples
    --------
    >>> same_rows(np.array([[1.0, 0.0], [2.0, 0.0], [1.0, -0.0]])).tolist()
    [0, 1, 0]
    """
    first: dict[bytes, int] = {}
    signed = X.dtype.kind == "f"  # 0 and -0 are equal, and differ in a bit
    found = np.empty(len(X), dtype=np.int64)
    for i, row in enumerate(X):
        digest = blake2b((row + 0 if signed else row).tobytes(), digest_size=16).digest()
        found[i] = first.setdefault(digest, i)
    return found


def counted_once(same: Array, positive: Array) -> Array | None:
    """Rows that are equal as groups, for `chance`; None where there are none, or equal rows have both labels.

    Labels that belong to what a row is about, such as a word or a sentence, are the same wherever it occurs again. So
    a label for each distinct row is what chance would draw, and Cover's bound counts m distinct rows: 2 S / 2^m is
    larger than the 2 S / 2^n of n rows with a label each. Where equal rows have both labels they are no copies of one
    example, the rows count as they are, and no hyperplane separates them.

    Examples
    --------
    >>> same = np.array([0, 1, 0])
    >>> counted_once(same, np.array([True, False, True])).tolist()
    [0, 1, 0]
    >>> counted_once(same, np.array([True, False, False])) is None
    True
    """
    copies = (same != np.arange(len(same))).any()
    return same if copies and (positive[same] == positive).all() else None


class Rank(NamedTuple):
    """The rank of the rows (x, 1) if `exact`; otherwise a number that it does not exceed.

    `of_more` is what the rank of more such rows may be: where these are independent, that of the columns is not known
    from them, and it is 1 and the distinct columns that are not constant.
    """

    value: int
    exact: bool
    of_more: int


def rank_bound(X: Array) -> Rank:
    """The rank of the rows (x, 1), computed exactly where that takes seconds at most.

    Otherwise the lesser one of the distinct rows, and of 1 and the distinct columns that are not constant.

    Examples
    --------
    >>> rank_bound(np.array([[1.0, 0.0, 0.0], [1.0, 2.0, 4.0], [1.0, 3.0, 6.0]]))
    Rank(value=2, exact=True, of_more=2)
    >>> rank_bound(np.array([[1.0, 0.0, 0.0, 5.0], [1.0, 2.0, 4.0, 2.0]]))  # two rows of three columns that vary
    Rank(value=2, exact=True, of_more=4)
    """
    varying = np.flatnonzero((X[0] != X).any(axis=0))
    distinct = list({X[:, j].tobytes(): j for j in varying.tolist()}.values())
    X = np.column_stack([np.ones(len(X), dtype=X.dtype), X[:, distinct]])
    X = X[list({row.tobytes(): i for i, row in enumerate(X)}.values())]
    most = min(X.shape)
    proved = proved_rank(X, most)
    value = most if proved is None else proved
    return Rank(value, proved is not None, value if value < len(X) else X.shape[1])
