"""Numbers that are rounded to the safe side, so that a bound that is printed is never below the one that is proved.

Orthonormal rows attain (R/gamma)^2: there one rounding to the wrong side prints 2.9999999999999996 for 3 mistakes. So
the rows that decide a bound are computed as fractions, without rounding. Two facts tell which rows these can be, and
make all other numbers safe, u = 2^-53:

- A sum of k products, added in any order, fused or not, differs from the exact one by at most k u / (1 - k u) times the
  sum of their absolute values, and by 2^-1075 for each product that underflows (Higham, Accuracy and Stability of
  Numerical Algorithms, 2002, section 3.1). Below twice k u is taken, which covers the rounding of the bound itself.
- A single operation on doubles is correctly rounded, so the next double after its result is beyond the exact one.

What remains are a few numbers; they are put together as fractions, without rounding, and rounded up once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from linsep.tables import is_sparse
from linsep.theory.margin.geometry import row_norms2
from linsep.types import Array

_UNIT = 2.0**-53
_TINY = 2.0**-1074
_FEW = 20_000  # products that are computed as fractions: a tenth of a second


def above(value: Fraction) -> float:
    """The least double that is not below a fraction; infinity if there is none.

    Examples
    --------
    >>> above(Fraction(1, 3)) >= Fraction(1, 3), above(Fraction(3))
    (True, 3.0)
    """
    try:
        near = float(value)
    except OverflowError:
        return math.inf
    return near if near >= value else math.nextafter(near, math.inf)


def safely(exact: Callable[[], Fraction]) -> float:
    """What `exact` gives, rounded up; infinity where a number on the way is not finite or too large for a double.

    Examples
    --------
    >>> safely(lambda: Fraction(7, 2)), safely(lambda: Fraction(math.inf))
    (3.5, inf)
    """
    try:
        return above(exact())
    except (OverflowError, ValueError):  # what Fraction raises for infinity, and for NaN
        return math.inf


def root_above(value: Fraction) -> Fraction:
    """A double, as a fraction, that is not below the square root of a finite fraction.

    Examples
    --------
    >>> float(root_above(Fraction(9))), root_above(Fraction(2)) ** 2 >= 2
    (3.0, True)
    """
    root = math.sqrt(above(value))
    exact = Fraction(root)
    return exact if exact * exact >= value else Fraction(math.nextafter(root, math.inf))


def length_above(norm2: float) -> float:
    """||w|| from ||w||^2, rounded up; what rounding has made negative counts as 0.

    Examples
    --------
    >>> length_above(9.0), length_above(2.0) ** 2 >= 2
    (3.0, True)
    """
    return float(root_above(Fraction(max(norm2, 0.0)))) if math.isfinite(norm2) else math.inf


def short_sums(margins: Array, s: float) -> tuple[Fraction, Fraction]:
    """The sums of short and of short^2, short = max(0, 1 - margin / s): exactly for few rows, else rounded up.

    Examples
    --------
    >>> [float(total) for total in short_sums(np.array([2.0, -1.0, 4.0]), 4.0)]
    [1.75, 1.8125]
    """
    below = margins[margins < s]
    if below.size <= _FEW:
        missing = [Fraction(s) - Fraction(margin) for margin in below.tolist()]
        return sum(missing, Fraction(0)) / Fraction(s), exact_square(missing) / Fraction(s) ** 2
    short = np.nextafter(1 - np.nextafter(below / s, -np.inf), np.inf)
    # math.fsum rounds once, correctly.
    first, second = (math.fsum(terms.tolist()) for terms in (short, np.nextafter(short * short, np.inf)))
    return Fraction(math.nextafter(first, math.inf)), Fraction(math.nextafter(second, math.inf))


def largest_square(X: Any) -> Fraction | float:
    """max_i ||x_i||^2, exactly where few entries can decide it, else rounded up; infinity if it is too large."""
    norms2 = row_norms2(X)
    k = X.shape[1] + 1
    high = norms2 * (1 + 2 * k * _UNIT) + k * _TINY
    open_rows = np.flatnonzero(high >= norms2.max() * (1 - 2 * k * _UNIT) - k * _TINY)
    if not np.isfinite(high.max()) or open_rows.size * X.shape[1] > _FEW:
        return math.nextafter(float(high.max()), math.inf)
    return max(exact_square(list(_entries(X, i).values())) for i in open_rows.tolist())


def exact_square(w: Any) -> Fraction:
    """The sum of all w_j^2, without rounding."""
    return sum((Fraction(v) ** 2 for v in w if v), Fraction(0))


def length2(w: Any) -> Fraction | float:
    """||w||^2, exactly unless w is long, else rounded up; infinity if it is too large."""
    w = np.asarray(w, dtype=np.float64)
    norm2 = float(w @ w)
    if not math.isfinite(norm2) or not norm2:
        return norm2
    k = w.size + 1
    return (
        exact_square(w.tolist())
        if w.size <= _FEW
        else math.nextafter(norm2 * (1 + 2 * k * _UNIT), math.inf) + k * _TINY
    )


def error_of_products(X: Any, w: Array, b: float) -> Array:
    """How far the computed w.x_i + b may be from the exact ones, for each row."""
    k = X.shape[1] + 2
    size = abs(X.astype(np.float64)) @ np.abs(w) + abs(b)
    return np.asarray(size * (2 * k * _UNIT) + k * _TINY)


def margins_below(X: Any, margins: Array, w: Array, b: float, signs: Array) -> Array:
    """Numbers that are not above the exact y_i (w.x_i + b); `margins` are those computed in floating point.

    The least ones are exact, or rounded down once, where few entries can decide them. So are, of a separator with a
    narrow margin, all that rounding may have made positive.
    """
    error = error_of_products(X, w, b)
    low = np.nextafter(margins - error, -np.inf)
    open_rows = np.flatnonzero(low <= (margins + error).min())
    if open_rows.size * X.shape[1] > _FEW:
        open_rows = np.flatnonzero(low <= 0) if (margins > 0).all() else open_rows[:0]
    if np.isfinite(margins).all():
        for i in open_rows.tolist():
            products = (Fraction(w[j].item()) * Fraction(v) for j, v in _entries(X, i).items())
            low[i] = -above(-int(signs[i]) * (Fraction(b) + sum(products, Fraction(0))))
    return np.asarray(low)


def _entries(X: Any, i: int) -> dict[int, Any]:
    """The entries of a row that are not 0, by their columns."""
    if not is_sparse(X):
        return {j: v for j, v in enumerate(X[i].tolist()) if v}
    row = X[i].tocoo()
    return dict(zip(row.coords[-1].tolist(), row.data.tolist(), strict=True))
