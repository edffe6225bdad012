"""How many rows keep a table from being separable, as far as a receipt knows after a short search without a clock."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from linsep.theory.cone.opposite_rows import disjoint_pairs
from linsep.theory.cone.search import solve_cone
from linsep.theory.rows.exact_signs import row_signs
from linsep.theory.rows.integers import whole_row
from linsep.theory.verify.fewest_rows import verify_fewest_rows
from linsep.theory.verify.separability import CertificateError
from linsep.types import Array, Hyperplane

_MOST_WITNESSES = 5  # that are looked for; each takes a few hundredths of a second
_MOST_COLUMNS, _MOST_ENTRIES = 20, 10_000  # of the rows among which they are


class InTheWay(NamedTuple):
    """Two bounds on the fewest rows that have to go before a hyperplane separates the others.

    Attributes
    ----------
    lower : int
    upper : int or None
        None if no plane at hand has rows of both classes on their side.
    n_rows : int
    """

    lower: int
    upper: int | None
    n_rows: int

    def summary(self) -> str:
        """The words of a receipt.

        Examples
        --------
        >>> InTheWay(2, 5, 40).summary()
        'at least 2 and at most 5 of 40 rows have to go: `linsep check --explain`'
        """
        most = "" if self.upper is None else f" and at most {self.upper:,}"
        bounds = f"exactly {self.lower:,}" if self.lower == self.upper else f"at least {self.lower:,}{most}"
        have = "has" if self.lower == 1 and self.upper in (1, None) else "have"
        return f"{bounds} of {self.n_rows:,} rows {have} to go: `linsep check --explain`"

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data."""
        return {"at_least": self.lower, "at_most": self.upper}


def rows_in_the_way(X: Any, side: Array, planes: Sequence[Hyperplane], *, fit_intercept: bool) -> InTheWay:
    """Bound the fewest rows that have to go, of rows that are proved not to be separable.

    One row has to go of each pair of equal rows of two classes (opposite rows of one class, without an intercept). Of
    tables with up to 20 columns up to five further sets of rows are found, among 10,000 numbers, each of which has to
    lose a row and none of which has a row in common. The rows that a plane has on the wrong side, or on it, are enough.
    All are counted exactly.

    Parameters
    ----------
    X : array or CSR matrix, shape (n, p)
    side : ndarray of int, shape (n,)
        1 for the positive class, else 0.
    planes : sequence of Hyperplane
        Planes at hand, such as that of the model.
    fit_intercept : bool

    Examples
    --------
    >>> X, side = np.array([[0.0], [1.0], [1.0], [2.0]]), np.array([0, 1, 0, 1])
    >>> found = rows_in_the_way(X, side, [Hyperplane(np.array([2.0]), -3.0)], fit_intercept=True)
    >>> found.lower, found.upper
    (1, 1)
    """
    s = np.where(side > 0, 1.0, -1.0)
    lower = max(1, _disjoint_sets(X, s, fit_intercept))
    found = []
    for w, b in planes:
        d = np.append(w, b) if fit_intercept else np.asarray(w)
        if not np.isfinite(d.astype(np.float64)).all():
            continue
        kept = s * row_signs(X, whole_row(d.tolist())) > 0
        if np.unique(s[kept]).size == 2:
            found.append(int((~kept).sum()))
    return InTheWay(lower, min(found, default=None), s.size)


def _disjoint_sets(X: Any, s: Array, constant: bool) -> int:
    """The number of sets of rows found that are not separable, of which no row is in two; proved."""
    pairs = disjoint_pairs(X, s, constant=constant)
    n, p = X.shape
    if p > _MOST_COLUMNS:
        return len(pairs)
    left = np.setdiff1d(np.arange(n), pairs)
    most = _MOST_ENTRIES // max(1, p)
    if left.size > most:
        left = np.sort(np.random.default_rng(0).choice(left, most, replace=False))
    witnesses: list[dict[int, int]] = []
    while left.size and len(witnesses) < _MOST_WITNESSES:
        found = solve_cone(X[left], s[left], constant=constant).witness
        if found is None:
            break
        witnesses.append({int(left[i]): weight for i, weight in found.items()})
        left = np.delete(left, list(found))
    proof = {"unit": 1, "weights": dict.fromkeys(range(len(witnesses)), 1)}
    try:
        verify_fewest_rows(X, s, len(witnesses), witnesses, proof, fit_intercept=constant)
    except CertificateError:
        return len(pairs)
    return len(pairs) + len(witnesses)
