"""Check certificates in exact arithmetic: doubles are taken as the dyadic rationals that they are.

This file only verifies. It shares no code with the search, so that a mistake there cannot hide a mistake here.
Rows are counted from 0; the second of the two sorted labels is the positive class.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from linsep.types import Array

_TINY = 2.0**-1000  # times a unit roundoff it still exceeds every error that underflow can make
_PRIMES = (2**31 - 1, 2**31 - 19, 2**31 - 61)


class CertificateError(ValueError):
    """A certificate that does not prove what it says: the message names the row or the column."""


def _signs(y: Any) -> Array:
    labels, codes = np.unique(np.asarray(y), return_inverse=True)
    if labels.size != 2:
        raise CertificateError(f"a certificate is about two classes, these labels have {labels.size}")
    return 2 * codes.reshape(-1) - 1


def _row(X: Any, i: int, columns: Array) -> list[Any]:
    row = X[[i]].toarray()[0] if hasattr(X, "toarray") else np.asarray(X)[i]
    return list(row[columns].tolist())


def _integers(values: Sequence[Any]) -> list[int]:
    """The rational numbers `values` times their least common denominator."""
    ratios = [value.as_integer_ratio() for value in values]
    common = lcm(*(q for _, q in ratios))
    return [p * (common // q) for p, q in ratios]


def _filtered(A: Any, w: Array, b: float, exact: bool) -> tuple[Array, Array]:
    """A w + b in float64 and a bound on its error; entries that are not `exact` are off by half a last place."""
    with np.errstate(all="ignore"):
        z, size = A @ w + b, abs(A) @ (abs(w) + _TINY) + (_TINY * (abs(w).sum() + 1) + abs(b))
        error = 2.0**-52 * (w.size + 8) * size
        whole = A.data if hasattr(A, "toarray") else A
        if exact and size.size and size.max() < 2**53 and all(np.array_equal(v, np.rint(v)) for v in (w, b, whole)):
            error = np.zeros_like(size)  # sums of integers below 2^53 are exact
    return z, error


def value_signs(X: Any, w: Any, b: Any = 0) -> Array:
    """Sign (-1, 0 or 1) of w.x_i + b for every row, exact whatever the entries are (floats, ints, Fractions)."""
    w = np.asarray(w)
    columns = np.flatnonzero(w != 0)
    exact = [*w[columns].tolist(), b.item() if isinstance(b, np.generic) else b]
    unit = Fraction(2) ** max(0, *(abs(Fraction(value)).__ceil__().bit_length() - 500 for value in exact))
    rounded = np.array([float(Fraction(value) / unit) for value in exact])
    whole = unit == 1 and [Fraction(value) for value in exact] == [Fraction(value) for value in rounded.tolist()]
    out = np.zeros(X.shape[0], dtype=np.int8)
    weights = _integers(exact)
    for start in range(0, X.shape[0], 8192):
        part = X[start : start + 8192][:, columns]
        known = whole and np.can_cast(part.dtype, np.float64)
        try:
            z, error = _filtered(part.astype(np.float64), rounded[:-1], rounded[-1], known)
        except OverflowError:  # integers too large for a double
            z = error = np.full(part.shape[0], np.inf)
        sure = np.isfinite(z) & np.isfinite(error) & ((abs(z) > error) | ((error == 0) & known))
        out[start : start + 8192] = np.where(sure, np.sign(np.where(sure, z, 0)), 0)
        for i in np.flatnonzero(~sure) + start:
            row = _integers([*_row(X, int(i), columns), 1])
            total = sum(p * q for p, q in zip(row, weights, strict=True))
            out[i] = (total > 0) - (total < 0)
    return out


def verify_hyperplane(X: Any, y: Any, w: Any, b: Any = 0) -> None:
    """Raise unless y_i (w.x_i + b) > 0 for every row."""
    wrong = np.flatnonzero(_signs(y) * value_signs(X, w, b) <= 0)
    if wrong.size:
        raise CertificateError(f"the hyperplane does not separate row {wrong[0]} ({wrong.size} rows in all)")


def verify_direction(X: Any, y: Any, w: Any, b: Any, rows_left: Sequence[int]) -> None:
    """Raise unless y_i (w.x_i + b) is 0 on exactly the `rows_left` and > 0 on all others, of which there are some."""
    found = _signs(y) * value_signs(X, w, b)
    if (found < 0).any():
        raise CertificateError(f"the direction has a negative margin at row {np.flatnonzero(found < 0)[0]}")
    if not found.any() or np.flatnonzero(found == 0).tolist() != sorted(rows_left):
        raise CertificateError("the rows with margin 0 are not the rows named, or they are all rows")


def _signed(X: Any, y: Any, rows: Sequence[int], fit_intercept: bool) -> list[list[Any]]:
    if len(set(rows)) != len(rows) or any(not 0 <= i < X.shape[0] for i in rows):
        raise CertificateError(f"rows must differ and lie in 0..{X.shape[0] - 1}")
    s, everything = _signs(y), np.arange(X.shape[1])
    return [[int(s[i]) * value for value in [*_row(X, i, everything), *[1] * fit_intercept]] for i in rows]


def verify_witness(X: Any, y: Any, rows: Sequence[int], weights: Sequence[int], *, fit_intercept: bool = True) -> None:
    """Raise unless the weights are integers >= 0, not all 0, and bring the signed rows, constant included, to 0."""
    if len(rows) != len(weights) or any(type(k) is not int or k < 0 for k in weights) or not any(weights):
        raise CertificateError("weights must be non-negative integers, one a row, not all 0")
    for j, column in enumerate(zip(*_signed(X, y, rows, fit_intercept), strict=True)):
        if sum(k * v for k, v in zip(weights, _integers(column), strict=True)):
            raise CertificateError(f"the weighted signed rows do not add up to 0 in column {j}")


def _rank_below(rows: list[list[int]]) -> int:
    """Rank modulo a prime: never more than the rank of the integer matrix."""
    best = 0
    for prime in _PRIMES:
        M, rank = np.array([[v % prime for v in row] for row in rows], dtype=np.int64), 0
        for column in range(M.shape[1] if rows else 0):
            pivots = np.flatnonzero(M[rank:, column])
            if pivots.size:
                M[[rank, rank + pivots[0]]] = M[[rank + pivots[0], rank]]
                M[rank] = M[rank] * pow(int(M[rank, column]), -1, prime) % prime
                M[rank + 1 :] = (M[rank + 1 :] - M[rank + 1 :, column, None] * M[rank]) % prime
                rank += 1
            if rank == len(rows):
                return rank
        best = max(best, rank)
    return best


def verify_overlap(
    X: Any,
    y: Any,
    rows: Sequence[int],
    weights: Sequence[int],
    null: Sequence[Sequence[int]],
    *,
    fit_intercept: bool = True,
) -> None:
    """Raise unless strictly positive weights combine the signed rows to 0 and these rows span all rows.

    Independent integer vectors `null` that every row is orthogonal to bound the rank of all rows from above.
    """
    verify_witness(X, y, rows, weights, fit_intercept=fit_intercept)
    if not all(weights):
        raise CertificateError("an overlap proof needs strictly positive weights")
    p = X.shape[1]
    for k, vector in enumerate(null):
        if len(vector) != p + fit_intercept or value_signs(X, np.array(vector[:p], object), sum(vector[p:])).any():
            raise CertificateError(f"null vector {k} is not orthogonal to every row")
    if _rank_below([list(v) for v in null]) < len(null):
        raise CertificateError("the null vectors are not independent")
    if _rank_below([_integers(row) for row in _signed(X, y, rows, fit_intercept)]) < p + fit_intercept - len(null):
        raise CertificateError("the rows of the overlap do not span all rows")
