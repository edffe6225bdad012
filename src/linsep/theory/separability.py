"""Is there a separator? A verdict that is proved, or `undecided`.

The search goes face by face. (1) The point of conv{z_i} nearest 0, z_i = y_i (x_i, 1): if it is not 0 it is a
direction with d.z_i > 0 for all i, a separator. (2) If it is 0, its convex weights are a witness on independent rows; a
direction with d.z >= 0 everywhere then vanishes on the rows of the witness, so on all rows in their span: set those
aside and look again modulo that span. Rows left and a direction found: quasi-separable. No rows left: the witnesses
add up to strictly positive weights on rows that span everything, an overlap proof. At most as many rounds as the rank.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from math import gcd
from typing import Any

import numpy as np
import scipy.linalg

from linsep.theory.bracket import Bias, MarginBracket, max_margin
from linsep.theory.certificate import Combination, Separability
from linsep.theory.exact import CertificateError, value_signs, verify_hyperplane
from linsep.theory.margin import geometric_margin, signs
from linsep.theory.nearest import nearest_point
from linsep.theory.signed import SignedRows, check_rows
from linsep.theory.witness import (
    ExactEnd,
    OutOfTimeError,
    as_floats,
    exact_nearest,
    null_vectors,
    random_normal,
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
    basis: list[int] = field(default_factory=list)  # independent rows that span all rows set aside
    overlap: dict[int, int] = field(default_factory=dict)  # positive weights on rows of that span, adding to 0
    witness: Combination | None = None

    def undecided(self, reason: str) -> Separability:
        known = "; not separable, a witness proves" if self.witness else ""
        return self._result("undecided", witness=self.witness, reason=reason + known)

    def run(self) -> Separability:
        twins = _contradiction(self.X, self.s)
        if twins is not None:
            self.witness = Combination(twins, (1, 1))
        rows = self.rows = SignedRows(self.X, self.s, constant=self.fit_intercept)
        if rows.zero.any():
            # Rows of zeros are in every span: alone they refute strict separation, and they decide nothing else.
            self.witness = Combination((int(rows.zero.argmax()),), (1,))
        while rows.active.any():
            end = self._nearest()
            if isinstance(end, Hyperplane):
                return self._result("separable", hyperplane=end, margin=self._bracket(end))
            if end.direction is not None:
                return self._directed(end.direction)
            self._set_aside(end)
        null = tuple(tuple(v) for v in null_vectors(rows, self.basis))
        overlap = Combination.of(self.overlap) if self.overlap else self.witness
        return self._result("inseparable", witness=self.witness, overlap=overlap, null=null)

    def _result(self, verdict: Any, **parts: Any) -> Separability:
        return Separability(verdict, self.X.shape[0], self.X.shape[1], self.fit_intercept, **parts)

    def _nearest(self) -> Hyperplane | ExactEnd:
        """One face: floats as far as they lead, then exact arithmetic from there."""
        rows = self.rows
        if self.basis:
            B = np.array([_raw(rows, i) for i in self.basis])
            rows.basis = scipy.linalg.qr(B.T, mode="economic")[0]
        start = int(np.flatnonzero(rows.active)[0])
        found = nearest_point(rows, start, tol=_GOOD_ENOUGH, floor=1e-13, deadline=self.deadline)
        if found.why == "deadline":
            raise OutOfTimeError
        if found.lower > 0 and self.witness is None:
            plane = self._rounded(found.best)
            if plane is not None:
                return plane
        return exact_nearest(rows, found.keys, found.weights.tolist(), self.basis, self._price, self.deadline)

    def _rounded(self, v: Array) -> Hyperplane | None:
        """The float direction in the units of X, if it separates exactly."""
        rows, p = self.rows, self.X.shape[1]
        with np.errstate(over="ignore", under="ignore"):
            w = np.ldexp(v, -rows.column_exps) * np.array([*(float(m) for m in rows.multiples), 1.0][: rows.width])
        return self._proved(Hyperplane(w[:p], float(w[p]) if self.fit_intercept else 0.0))

    def _proved(self, plane: Hyperplane) -> Hyperplane | None:
        if not (np.isfinite(plane.w).all() and np.isfinite(plane.b)):
            return None
        try:
            verify_hyperplane(self.X, self.y, plane.w, plane.b)
        except CertificateError:
            return None
        return plane

    def _price(self, d: list[int]) -> int | None:
        """A row still in play with d.z <= 0: the worst by floats, confirmed exactly; None if there is none."""
        if time.perf_counter() > self.deadline:
            raise OutOfTimeError
        active = np.flatnonzero(self.rows.active)
        z = self.rows.scores(as_floats(d))[active]
        order = np.argsort(z, kind="stable")
        active, z = active[order], z[order]
        if z[0] < -_UNSURE:
            return int(active[0])
        # The verifier looks at every row again: here only those need exact signs that rounding could have changed.
        unsure = active[z < _UNSURE]
        wrong = unsure[self._exact_signs(unsure, d) <= 0]
        return int(wrong[0]) if wrong.size else None

    def _exact_signs(self, which: Array, d: list[int]) -> Array:
        """Signs of y_i d.z_i on some rows, for integers d of the scaled columns."""
        whole = self.rows.original(d)
        p = self.X.shape[1]
        return self.s[which] * value_signs(self.X[which], np.array(whole[:p], dtype=object), sum(whole[p:]))

    def _directed(self, d: list[int]) -> Separability:
        whole = self.rows.original(d)
        p = self.X.shape[1]
        plane = Hyperplane(np.array(whole[:p], dtype=object), sum(whole[p:]))
        if self.witness is None:
            plane = self._rounded(as_floats(d)) or plane
            return self._result("separable", hyperplane=plane, margin=self._bracket(plane))
        left = tuple(np.flatnonzero(~self.rows.active).tolist())
        return self._result("quasi-separable", direction=plane, rows_left=left, witness=self.witness)

    def _set_aside(self, end: ExactEnd) -> None:
        """Take a witness of the face into the overlap and drop the rows in the span."""
        if self.witness is None:
            self.witness = Combination.of(end.weights)
        # The free rows come with any sign: as much of the old overlap as makes them positive.
        factor = max([1, *(1 - (v // self.overlap[i]) for i, v in end.free.items())])
        for i in self.overlap:
            self.overlap[i] = factor * self.overlap[i] + end.free.get(i, 0)
        self.overlap.update(end.weights)
        common = gcd(*self.overlap.values())
        self.overlap = {i: v // common for i, v in self.overlap.items()}
        self.basis += list(end.weights)[:-1]  # affinely independent with 0 in the hull: all but one
        rows = self.rows
        if len(self.basis) == rows.rank_bound:
            rows.active[:] = False
        else:
            rows.active &= ~self._in_span()

    def _in_span(self) -> Array:
        rows = self.rows
        Q = scipy.linalg.qr(np.array([_raw(rows, i) for i in self.basis]).T, mode="economic")[0]
        norms2 = rows.norms2()
        outside = np.maximum(norms2 - sum(rows.scores(q) ** 2 for q in Q.T), 0.0)
        near = np.flatnonzero(rows.active & (outside <= _NEAR_SPAN * norms2))
        normal = random_normal(rows, self.basis, seed=len(self.basis))
        inside = np.zeros(rows.n, dtype=bool)
        inside[near] = self._exact_signs(near, normal) == 0
        return inside

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


def _raw(rows: SignedRows, i: int) -> Array:
    basis, rows.basis = rows.basis, None
    z = rows.point(i)
    rows.basis = basis
    return z


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
