"""Columns of numbers that separate all rows alone but for one or a few, whose labels may be wrong."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, log10
from typing import NamedTuple

import numpy as np

from linsep.theory.bounds.cover import cover_odds
from linsep.theory.separability.certificate import Separability
from linsep.theory.separability.decide import separability
from linsep.types import Array

_MOST_WRONG = 3
_CHANCE = -3.0  # log10 of the chance that labels without meaning have such a column


class Nearly(NamedTuple):
    """A column whose numbers separate all rows but some.

    Attributes
    ----------
    column : str
        The column.
    wrong : tuple of int
        The rows on the wrong side of the best threshold.
    removed : tuple of int
        The same rows as the certificate of all rows counts them.
    proof : Separability
        The certificate that the column separates the others.
    """

    column: str
    wrong: tuple[int, ...]
    removed: tuple[int, ...]
    proof: Separability

    def __str__(self) -> str:
        rows = f"row{'' if len(self.wrong) == 1 else 's'} {', '.join(map(str, self.wrong))}"
        return f"column {self.column!r:.40} alone separates all rows but {len(self.wrong)}: {rows}"


def nearly_alone(X: Array, y: Array, names: Sequence[str]) -> list[Nearly]:
    """Find the columns that separate all rows but one to three, those with the fewest first.

    Left out are those that chance could explain: Cover's bound for a column and the constant, times the number of
    columns, times (e + 1) C(n, e), which is no less than the number of ways to turn e labels or fewer of n, has to be
    below 1/1000. Each class keeps a row.

    Parameters
    ----------
    X : ndarray, shape (n, p)
        Columns of numbers, compared exactly.
    y : ndarray of int, shape (n,)
        1 for the positive class, else 0.
    names : sequence of str
        What the columns are called.

    Returns
    -------
    list of Nearly

    Examples
    --------
    >>> X, y = np.arange(40.0)[:, None], np.arange(40) > 19
    >>> y[7] = True
    >>> print(nearly_alone(X, y.astype(int), ["dose"])[0])
    column 'dose' alone separates all rows but 1: row 7
    """
    n, positives = len(y), int(y.sum())
    odds = cover_odds(n, 2, positives) + log10(max(1, X.shape[1]))
    found = []
    for j, name in enumerate(names):
        wrong = _fewest_wrong(X[:, j], y)
        e = len(wrong)
        few = 0 < e <= _MOST_WRONG and e < min(positives, n - positives)
        if few and odds + log10((e + 1) * comb(n, e)) <= _CHANCE:
            rows = tuple(np.sort(wrong).tolist())
            proof = separability(np.delete(X[:, [j]], rows, axis=0), np.delete(y, rows))
            found.append(Nearly(name, rows, rows, proof))
    return sorted(found, key=lambda one: len(one.wrong))


def _fewest_wrong(x: Array, y: Array) -> Array:
    """The rows on the wrong side of the threshold with the fewest; it lies between two numbers that differ."""
    order = np.argsort(x, kind="stable")
    ends = np.flatnonzero(x[order][1:] != x[order][:-1])  # the last row below each threshold
    if not ends.size:
        return order
    below = y[order].cumsum()[ends]  # positive rows below; above are the others
    wrong = below + (len(y) - 1 - ends) - (int(y.sum()) - below)
    upside = wrong.min() <= (len(y) - wrong).min()
    k = int(ends[(wrong if upside else -wrong).argmin()])
    told = np.arange(len(y)) > k
    return np.asarray(order[(told != (y[order] > 0)) == upside])
