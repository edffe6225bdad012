"""Is there a separator? A verdict that is proved, or `undecided`.

The search goes face by face. (1) The point of conv{z_i} nearest 0, z_i = y_i (x_i, 1): if it is not 0 it is a
direction with d.z_i > 0 for all i, a separator. (2) If it is 0, its convex weights are a witness on independent rows; a
direction with d.z >= 0 everywhere then vanishes on the rows of the witness, so on all rows in their span: set those
aside and look again modulo that span. Rows left and a direction found: quasi-separable. No rows left: the witnesses
add up to strictly positive weights on rows that span everything, an overlap proof. At most as many rounds as the rank.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from linsep.theory.bracket import Bias, MarginBracket, max_margin
from linsep.theory.certificate import Combination, Separability
from linsep.theory.cone import solve_cone
from linsep.theory.exact import CertificateError, verify_hyperplane
from linsep.theory.margin import geometric_margin, signs
from linsep.theory.signed import SignedRows, check_rows
from linsep.theory.witness import (
    OutOfTimeError,
)
from linsep.types import Array, Hyperplane

__all__ = ["CertificateError", "MarginBracket", "Separability", "max_margin", "separability"]

_GOOD_ENOUGH = 0.95  # a twentieth of the best margin is far above rounding, and enough to prove that a separator exists
_UNSURE = 1e-9  # scores this near 0 (unit direction, rows near unit size) are asked exactly
_NEAR_SPAN = 1e-6  # rows this close to a span are asked exactly whether they are in it


def separability(X: Any, y: Any, *, fit_intercept: bool = True, time_limit: float | None = None) -> Separability:
    """Decide whether some w, b have y_i (w.x_i + b) > 0 for all i, and prove it in exact arithmetic.

    Parameters
    ----------
    X : array or SciPy CSR matrix of shape (n_samples, n_features)
        Taken as it is: floats are the dyadic rationals that they store. Decimal text is exact as an object array of
        Python integers or Fractions.
    y : array-like of shape (n_samples,)
        Two labels; the second in sorted order is the positive class.
    fit_intercept : bool
        Whether b may differ from 0.
    time_limit : float, optional
        Seconds after which the answer is `undecided`, looked at between steps of the search.

    Returns
    -------
    Separability
        `.verdict` is "separable", "quasi-separable", "inseparable" or "undecided"; the parts that prove it have
        passed `.verify(X, y)` before the verdict is given.

    Raises
    ------
    DataError
        Wrong shapes, a number that is not finite, or not two classes.

    Notes
    -----
    Witness: Gordan 1873 and Caratheodory, at most r + 1 rows. Overlap proof: Stiemke 1915, at most 2 r rows; r is the
    rank of the signed rows. Nearest points: Wolfe 1976.

    Examples
    --------
    >>> square = [[0, 0], [1, 1], [0, 1], [1, 0]]
    >>> found = separability(square, ["same", "same", "other", "other"])
    >>> found.verdict, found.witness.rows, found.witness.weights
    ('inseparable', (0, 1, 2, 3), (1, 1, 1, 1))
    >>> separability([[0], [1], [1], [2]], [0, 0, 1, 1]).verdict
    'quasi-separable'
    """
    deadline = np.inf if time_limit is None else time.perf_counter() + time_limit
    X = check_rows(X, y)
    search = _Search(X, np.asarray(y), signs(y), fit_intercept, deadline)
    try:
        result = search.run()
    except OutOfTimeError:
        result = search.undecided(f"the time limit of {time_limit:g} s ended the search")
    try:
        result.verify(X, y)
    except CertificateError as error:
        # Nothing found by floating point is believed without its proof.
        return search.undecided(f"a proof was found but failed its check: {error}")
    return result


@dataclass
class _Search:
    X: Any
    y: Array
    s: Array
    fit_intercept: bool
    deadline: float
    witness: Combination | None = None

    def undecided(self, reason: str) -> Separability:
        known = "; not separable, a witness proves" if self.witness else ""
        return self._result("undecided", witness=self.witness, reason=reason + known)

    def run(self) -> Separability:
        twins = _contradiction(self.X, self.s)
        if twins is not None:
            self.witness = Combination(twins, (1, 1))
        end = solve_cone(SignedRows(self.X, self.s, constant=self.fit_intercept), deadline=self.deadline)
        if end.witness and (self.witness is None or len(end.witness) == 1):
            self.witness = Combination.of(end.witness)
        if not end.decided:
            raise OutOfTimeError
        if not end.directions:
            overlap = Combination.of(end.overlap) if end.overlap else self.witness
            null = tuple(tuple(v) for v in end.null)
            return self._result("inseparable", witness=self.witness, overlap=overlap, null=null)
        whole = end.directions[0]
        plane = Hyperplane(np.array(whole[: self.X.shape[1]], dtype=object), sum(whole[self.X.shape[1] :]))
        if self.witness is None:
            plane = self._rounded(whole) or plane
            return self._result("separable", hyperplane=plane, margin=self._bracket(plane))
        left = tuple(end.rows_left.tolist())
        return self._result("quasi-separable", direction=plane, rows_left=left, witness=self.witness)

    def _result(self, verdict: Any, **parts: Any) -> Separability:
        return Separability(verdict, self.X.shape[0], self.X.shape[1], self.fit_intercept, **parts)

    def _rounded(self, whole: list[int]) -> Hyperplane | None:
        """The direction in doubles near unit size, if they are in range and it separates exactly."""
        p = self.X.shape[1]
        shift = max(abs(v) for v in whole).bit_length()
        v = np.array([value / (1 << shift) for value in whole])
        plane = Hyperplane(v[:p], float(v[p]) if self.fit_intercept else 0.0)
        try:
            verify_hyperplane(self.X, self.y, plane.w, plane.b)
        except CertificateError:
            return None
        return plane

    def _bracket(self, plane: Hyperplane) -> MarginBracket | None:
        """A first bracket of the geometric margin: the plane found, and the distance of the class means."""
        if plane.w.dtype == object or self.X.dtype == object:
            return None
        lower = geometric_margin(self.X, self.y, plane.w, plane.b)
        sizes = {sign: int((self.s == sign).sum()) for sign in (-1.0, 1.0)}
        share = (
            np.array([0.5 / sizes[sign] for sign in self.s])
            if self.fit_intercept
            else np.full(len(self.s), 1 / len(self.s))
        )
        upper = float(np.linalg.norm((share * self.s) @ self.X.astype(np.float64)))
        bias: Bias = "free" if self.fit_intercept else None
        return MarginBracket(lower, upper, plane, dict(enumerate(share.tolist())), bias)


def _contradiction(X: Any, s: Array) -> tuple[int, int] | None:
    """Two equal rows with opposite labels, found by hashing; the first such pair."""
    seen: dict[bytes | tuple[Any, ...], dict[float, int]] = {}
    for i in range(X.shape[0]):
        if hasattr(X, "toarray"):
            a, b = X.indptr[i], X.indptr[i + 1]
            at = X.data[a:b] != 0
            order = np.argsort(X.indices[a:b][at], kind="stable")
            key: Any = (X.indices[a:b][at][order].tobytes(), (X.data[a:b][at][order] + 0).tobytes())
        else:
            key = tuple(X[i].tolist()) if X.dtype == object else (X[i] + 0).tobytes()  # + 0: minus zero is zero
        other = seen.setdefault(key, {})
        other.setdefault(float(s[i]), i)
        if len(other) == 2:
            return (min(other.values()), max(other.values()))
    return None
