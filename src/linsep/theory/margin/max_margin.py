"""The best margin, between a lower and an upper bound."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import scipy as sp

from linsep.markup import table_html
from linsep.tables import (
    as_doubles,
    check_finite,
    dense,
    holds_doubles,
    is_sparse,
    labelled_table,
    stored,
)
from linsep.theory.margin.geometry import row_norms2, signs
from linsep.theory.margin.nearest import exchanged, nearest_point
from linsep.theory.rows.deadline import deadline_of
from linsep.theory.rows.signed import times_columns
from linsep.types import Array, DataError, Hyperplane

_MANY, _WIDE = 500_000, 300  # tables with at least so many entries and columns try the exchange of weight first
_SHORT = 100  # rows that each visit of all rows adds to the shortlist
_SQUARES = 400  # up to this power of two the squares of entries, and their sums, are finite doubles
Bias = Literal["free", "homogeneous"] | None


@dataclass(frozen=True)
class MarginBracket:
    """lower <= gamma* <= upper: a bracket around the best margin, to rounding of float64.

    Attributes
    ----------
    lower : float
        The margin of `hyperplane`.
    upper : float
        The length of the convex combination with `weights`.
    hyperplane : Hyperplane
        The best plane found.
    weights : dict
        Row -> weight.
    bias : {"free", "homogeneous"} or None
        Which margin it is, as in `max_margin`.
    """

    lower: float
    upper: float
    hyperplane: Hyperplane = field(repr=False)
    weights: dict[int, float] = field(repr=False)
    bias: Bias = "free"

    def _repr_html_(self) -> str:
        kind = {"free": "geometric, free intercept", "homogeneous": "of (x, 1)", None: "geometric, no intercept"}
        rows = [
            ("at least", f"{self.lower:.12g}"),
            ("at most", f"{self.upper:.12g}"),
            ("which margin", kind[self.bias]),
            ("rows that hold it", f"{sum(weight > 0 for weight in self.weights.values()):,}"),
        ]
        return table_html("The best margin", rows)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {"lower": self.lower, "upper": self.upper, "bias": self.bias}


class _Shortlist:
    """Rows that were among the lowest in some earlier step: few and dense, so they are tried before all other rows."""

    def __init__(self, width: int, rows: Callable[[Array], Array]) -> None:
        self.rows, self.ids, self.Z = rows, np.zeros(0, dtype=np.int64), np.empty((0, width))

    def note(self, z: Array, ids: Array) -> None:
        """Add those of the rows `ids` that have the lowest z."""
        if z.size > _SHORT:  # of equal ones the first: `argpartition` takes others on another processor
            level = np.partition(z, _SHORT)[_SHORT]
            low = np.flatnonzero(z < level)
            ids = ids[np.append(low, np.flatnonzero(z == level)[: _SHORT - low.size])]
        new = np.setdiff1d(ids, self.ids)
        self.ids, self.Z = np.append(self.ids, new), np.vstack([self.Z, self.rows(new)])

    def lowest(self, v: Array) -> tuple[float, int]:
        """Return the least v.z of the rows on the list, and which row has it."""
        if not self.ids.size:
            return np.inf, -1
        z = self.Z @ v
        k = int(z.argmin())
        return float(z[k]), int(self.ids[k])


class _SumOfHulls:
    """The sum of conv{s_i (x_i, 1)} of each group of rows, without the 1 unless `constant`; a key has a row of each."""

    def __init__(self, X: Any, s: Array, constant: bool, groups: list[Array]) -> None:
        self.X, self.s, self.constant, self.groups = X, s, constant, groups
        self.short = [_Shortlist(X.shape[1] + constant, self._signed) for _ in groups]

    def _signed(self, ids: Any) -> Array:
        rows, s = dense(self.X[ids]), self.s[ids, None]
        return np.hstack([rows * s, s]) if self.constant else rows * s

    def lowest(self, v: Array) -> tuple[float, tuple[int, ...]]:
        p = self.X.shape[1]
        z = self.X @ v[:p]
        z = self.s * (z + v[p] if self.constant else z)
        found = []
        for short, rows in zip(self.short, self.groups, strict=True):
            short.note(z[rows], rows)
            found.append(int(rows[z[rows].argmin()]))
        return float(sum(z[found])), tuple(found)

    def nearby(self, v: Array) -> tuple[float, tuple[int, ...]]:
        lows, found = zip(*(short.lowest(v) for short in self.short), strict=True)
        return sum(lows), found

    def point(self, key: tuple[int, ...]) -> Array:
        return np.asarray(self._signed(list(key)).sum(axis=0))


def max_margin(
    X: Any,
    y: Any,
    *,
    bias: Bias = "free",
    tol: float = 1e-6,
    max_steps: int = 100_000,
    time_limit: float | None = None,
) -> MarginBracket:
    """Bracket gamma* = max min_i y_i (w.x_i + b) / ||.|| between a hyperplane and a convex combination.

    For any (w, b), any weights p_i >= 0 with sum 1, and P = sum_i p_i y_i (x_i, 1):

    - homogeneous: min_i y_i (w.x_i + b) / ||(w, b)|| <= gamma* <= ||P||;
    - without a bias: min_i y_i w.x_i / ||w|| <= gamma* <= ||sum_i p_i y_i x_i||;
    - free bias, with p summing to 1/2 on each class: min_i y_i (w.x_i + b) / ||w|| <= gamma* <= ||sum_i p_i y_i x_i||,
      which is half the distance between a point of each convex hull.

    Both sides are computed in float64: on large tables of 300 columns or more by the algorithm of Mitchell, Demyanov
    and Malozemov, on other tables, and if that does not converge, by Wolfe's nearest-point algorithm.

    Parameters
    ----------
    X : array or SciPy CSR matrix of shape (n_samples, n_features)
        The rows.
    y : array-like of shape (n_samples,)
        Two labels; the second in sorted order is the positive class.
    bias : {"free", "homogeneous"} or None, default="free"
        Which margin: the geometric one of planes with a bias, the homogeneous one (that of the rows (x, 1)), or the
        geometric one of planes through the origin.
    tol : float, default=1e-6
        Stop when upper - lower <= tol * upper.
    max_steps : int, default=100_000
        Steps of Wolfe's algorithm after which the search ends and the bracket found so far is returned.
    time_limit : float, optional
        Seconds after which the search ends and the bracket found so far is returned.

    Returns
    -------
    MarginBracket
        In the units of X. If rounding makes the lower side larger than the upper one, both have the upper value. If no
        separator exists, `lower` is at most 0 and `upper` is 0 up to rounding.

    Raises
    ------
    DataError
        Wrong shapes, a number that is not finite, not two classes, or a time limit that is not a number of seconds.
    ValueError
        `bias` is not one of the three values.

    References
    ----------
    P. Wolfe, Finding the nearest point in a polytope, Mathematical Programming 11 (1976). B. Mitchell, V. Demyanov and
    V. Malozemov, Finding the point of a polyhedron closest to the origin, SIAM Journal on Control 12 (1974).

    Examples
    --------
    >>> found = max_margin([[0.0], [1.0], [4.0]], [0, 0, 1])
    >>> found.lower, found.upper, float(found.hyperplane.w[0]), found.hyperplane.b
    (1.5, 1.5, 3.0, -7.5)
    """
    if bias not in ("free", "homogeneous", None):
        raise ValueError(f'bias must be "free", "homogeneous" or None, not {bias!r}')
    X = labelled_table(X, y)
    s = signs(y)
    if X.dtype.kind in "iu" and not holds_doubles(X):
        raise DataError(
            "X holds integers beyond 2^53, which doubles round: subtract what the numbers of a column share"
        )
    if X.dtype != np.float64:
        X = as_doubles(X)
        check_finite(X)  # integers that are too large for a double
    deadline = deadline_of(time_limit)
    limits: dict[str, Any] = {"tol": tol, "max_steps": max_steps, "deadline": deadline}
    values = stored(X)
    e = int(np.frexp(max(values.max(initial=0.0), -values.min(initial=0.0)))[1])
    if -_SQUARES <= e <= _SQUARES or (e < 0 and bias == "homogeneous"):
        return _nearest(X, s, bias, limits)
    if bias == "homogeneous":
        one: Any = np.ones((len(s), 1))
        X = sp.sparse.csr_matrix(sp.sparse.hstack([X, one])) if is_sparse(X) else np.hstack([X, one])
    found = _nearest(times_columns(X, np.full(X.shape[1], e)), s, None if bias == "homogeneous" else bias, limits)
    w, b = found.hyperplane.w, float(np.ldexp(found.hyperplane.b, e))
    plane = Hyperplane(w[:-1], float(w[-1])) if bias == "homogeneous" else Hyperplane(w, b)
    lower, upper = (float(np.ldexp(side, e)) for side in (found.lower, found.upper))
    if np.ldexp(upper, -e) < found.upper:  # rounded where it is subnormal
        upper = float(np.nextafter(upper, np.inf))
    if np.ldexp(lower, -e) > found.lower:
        lower = float(np.nextafter(lower, 0.0))
    return MarginBracket(lower, upper, plane, found.weights, bias)


def _nearest(X: Any, s: Array, bias: Bias, limits: dict[str, Any]) -> MarginBracket:
    """The bracket of a table whose entries have squares that are finite doubles.

    With a free bias it is half the distance of the two convex hulls. The exchange of weight is tried first where the
    table is many rows by many columns: its moves grow with the rows, Wolfe's steps with the columns.
    """
    (n, p), free, constant = X.shape, bias == "free", bias == "homogeneous"
    v: Array
    quick = None
    if p >= _WIDE and n * p >= _MANY:
        quick = exchanged(X, s, constant=constant, free=free, tol=limits["tol"])
    if quick is not None:
        v, lower, upper = quick.v, quick.lower, quick.upper
        at = np.flatnonzero(quick.weights)
        shares = list(zip(quick.ids[at].tolist(), quick.weights[at].tolist(), strict=True))
    else:
        norms2 = row_norms2(X) + constant
        groups = [np.flatnonzero(s > 0), np.flatnonzero(s < 0)] if free else [np.arange(n)]
        hulls = _SumOfHulls(X, s, constant, groups)
        start = hulls.lowest(np.zeros(p))[1] if free else (int(norms2.argmin()),)
        floor = 1e-15 * float(np.sqrt(norms2.max()))
        found = nearest_point(hulls, start, floor=floor, nearby=hulls.nearby, **limits)
        v, lower, upper = found.best, found.lower, found.upper
        shares = [(i, w) for key, w in zip(found.keys, found.weights.tolist(), strict=True) for i in key]
    plane = Hyperplane(v[:p], float(v[p]) if constant else 0.0)
    if free:
        z = X @ v
        plane = Hyperplane(v, -0.5 * float(z[s > 0].min() + z[s < 0].max()))
    half = 0.5 if free else 1.0
    weights: dict[int, float] = {}
    for i, weight in shares:
        weights[i] = weights.get(i, 0.0) + half * weight
    return MarginBracket(half * min(lower, upper), half * upper, plane, weights, bias)


_ROUNDING = 2.0**-40, 2.0**-50  # of the size of what is added up, in all or for each term: more than rounding does
_LEAST = 2.0**-400  # of the largest entry
_SMALLEST = 2.0**-1000  # of an end: near the least doubles the last product with a power of two is rounded
_KNOWN = 2.0**-10  # an end that rounding may move by more than this share of it is not known


@np.errstate(all="ignore")  # what is not finite is not known
def first_bracket(X: Any, s: Array, plane: Hyperplane, fit_intercept: bool) -> MarginBracket | None:
    """The margin of a plane, and half the distance of the class means, above it; None where doubles do not tell."""
    if plane.w.dtype == object or X.dtype == object:
        return None
    share = _shares(s, fit_intercept)
    unit, ends = _ends(X, s, plane, share)
    (lower, below), (upper, above) = ends
    if not 0 < lower <= upper or not (below <= _KNOWN * lower and above <= _KNOWN * upper):
        return None
    lower, upper = (float(np.ldexp(value, unit)) for value in (lower - below, upper + above))
    if not _SMALLEST < lower <= upper < np.inf:
        return None
    return MarginBracket(lower, upper, plane, dict(enumerate(share.tolist())), "free" if fit_intercept else None)


def _shares(s: Array, fit_intercept: bool) -> Array:
    """The weight of each row: the class means with an intercept, else the mean of all."""
    plus = s > 0
    return np.where(plus, 0.5 / plus.sum(), 0.5 / (~plus).sum()) if fit_intercept else np.full(s.size, 1 / s.size)


def _ends(X: Any, s: Array, plane: Hyperplane, share: Array) -> tuple[int, list[tuple[float, float]]]:
    """k, and both ends of the bracket over 2^k, each with how far rounding may have moved it.

    The largest entry of X and that of the plane become about 1, so that what rounds to 0 is below the least slack.
    """
    doubles: Any = X.astype(np.float64, copy=False)
    unit, of_plane = (int(np.frexp(np.abs(values).max(initial=0.0))[1]) for values in (stored(doubles), plane.w))
    w, b = np.ldexp(plane.w, -of_plane), float(np.ldexp(plane.b, -of_plane - unit))
    scaled = np.ldexp(stored(doubles), -unit)
    doubles = (
        sp.sparse.csr_matrix((scaled, doubles.indices, doubles.indptr), doubles.shape) if is_sparse(doubles) else scaled
    )
    with np.errstate(over="ignore", invalid="ignore"):
        norm, upper = np.linalg.norm(w), float(np.linalg.norm((share * s) @ doubles))
        lower = float((s * (doubles @ w + b)).min() / norm)
        size = float((abs(doubles) @ abs(w) + abs(b)).max() / norm)
        sizes = float(np.linalg.norm(share @ abs(doubles)))
    n, p = doubles.shape
    least, each = _ROUNDING
    ends = ((lower, size, p), (upper, sizes, n + p))
    return unit, [(value, max(least, each * terms) * size + _LEAST) for value, size, terms in ends]
