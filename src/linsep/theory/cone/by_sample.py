"""What a sample of many rows proves of all of them.

If no direction of the cone of some rows is above 0 on any of them, they are 0 under every direction of the cone of all
rows too, as that is a part of it. So is every other row that they span: their witness and their overlap are those of
all rows. Of rows that overlap a hundredth nearly always does.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from linsep.theory.cone.faces import ConeEnd, solve_cone
from linsep.theory.rows.deadline import NEVER, Deadline, OutOfTimeError
from linsep.theory.rows.exact_signs import vanishing
from linsep.types import Array

MANY = 50_000  # rows, from which on a sample is asked first
_SHARE, _LEAST, _PER_COLUMN = 100, 5_000, 50  # the sample: one row of so many, and at least so many
_WORTH = 10  # the sample has to be so much smaller than the table
_DEPENDENT = 8  # columns that others give: each costs a look at all rows in whole numbers, as a search may


def solve_by_sample(X: Any, s: Array, *, constant: bool, equal: Array | None = None, **asked: Any) -> ConeEnd:
    """What `solve_cone` finds, asked the same: from a sample of the rows if it decides all and there are no equalities.

    Examples
    --------
    >>> X = np.arange(60_000.0).reshape(-1, 1)
    >>> end = solve_by_sample(X, np.where(X[:, 0] % 7, 1, -1), constant=True)
    >>> end.rows_left.size, len(end.witness)
    (60000, 3)
    """
    few = None if equal is not None and equal.any() else _sample(s, X.shape[1] + constant)
    if few is not None:
        end = solve_cone(X[few], s[few], constant=constant, **asked)
        if end.decided and not end.directions and _span_all(X, end, asked.get("deadline", NEVER)):
            return _of_all(end, few, X.shape[0])
    return solve_cone(X, s, constant=constant, equal=equal, **asked)


def _sample(s: Array, width: int) -> Array | None:
    """Rows of a sample, as many of each label as there are up to a half, in ascending order; None if of little use."""
    n = s.size
    size = max(n // _SHARE, _LEAST, _PER_COLUMN * width)
    if n < MANY or size * _WORTH > n:
        return None
    rng = np.random.default_rng(0)
    sides = (np.flatnonzero(s > 0), np.flatnonzero(s < 0))
    parts = [rows if rows.size <= size // 2 else rows[_places(rng, rows.size, size // 2)] for rows in sides]
    return np.sort(np.concatenate(parts))


def _places(rng: np.random.Generator, n: int, size: int) -> Array:
    """Distinct places below n, about `size`: one from each of so many stretches of equal length."""
    begins = np.linspace(0, n, size + 1).astype(np.int64)
    return begins[:-1] + (rng.random(size) * np.diff(begins)).astype(np.int64)


def _span_all(X: Any, end: ConeEnd, deadline: Deadline) -> bool:
    """Whether all rows are orthogonal to whatever the rows of the sample are orthogonal to."""
    missing = end.width - len(end.basis)
    if not missing:
        return True
    if len(end.columns) - len(end.basis) > _DEPENDENT:
        return False
    try:
        null = end.null_vectors(deadline)
    except OutOfTimeError:
        return False
    whole = ([v.get(j, 0) for j in range(end.width)] for v in null)
    return len(null) == missing and all(vanishing(X, v).all() for v in whole)


def _of_all(end: ConeEnd, few: Array, n: int) -> ConeEnd:
    """What was found, by the numbers of all rows. Opposite rows are looked for among all of them, where asked for."""
    names = few.tolist()
    return replace(
        end,
        rows_left=np.arange(n),
        witness=None if end.witness is None else {names[i]: v for i, v in end.witness.items()},
        overlap=None if end.overlap is None else {names[i]: v for i, v in end.overlap.items()},
        near=None if end.near is None else end.near.renamed(names, list(range(end.width))),
        basis=[names[i] for i in end.basis],
        pairs=None,
        separated=np.zeros(n, dtype=bool),
    )
