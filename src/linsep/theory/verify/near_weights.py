"""Check that exact positive weights exist near given ones, without computing them: products of integers in doubles.

Theorem. Columns J determine the others, u > 0 are weights of signed rows z_i (on J), rho = sum u_i z_i, the columns of
B are as many of these rows as J has columns, and R is any matrix. Let |v| = max |v_k| / u_k over the rows of B, and
theta the norm of I - R B that belongs to it. If theta < 1 and |R rho| <= within (1 - theta) with within < 1, then some
u* has sum u*_i z_i = 0 and |u*_i - u_i| <= within u_i, so u* > 0, and the rows have full rank. Proof: theta < 1 makes
R B, hence B, regular; v = B^-1 rho = (R B)^-1 R rho has |v| <= |R rho| / (1 - theta), and u* = u - v on the rows of B.

This file only verifies: see `linsep.theory.verify.separability`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linsep.theory.verify.separability import CertificateError, label_signs, orthogonal, small
from linsep.types import Array

__all__ = ["NearWeights", "verify_near_weights"]
# Rows at a time, bits of a digit of weights and of entries: sums stay below 2^53.
_ROWS, _WEIGHT, _ENTRY = 2**10, 21, 22
_MOST = 2**19  # rows
_FAR = 900  # powers of two: beyond them doubles might underflow
_UP = 1.0 + 2.0**-20  # more than the rounding of a sum of so many positive doubles


@dataclass(frozen=True, eq=False)
class NearWeights:
    """Positive weights that bring signed rows nearly to 0, and what proves that exact ones are near.

    Attributes
    ----------
    rows, weights : tuple of int
        Rows, counted from 0, in ascending order, and a positive integer for each. Exact weights exist, each of which
        differs from the given one by at most `within` times that.
    basis : tuple of int
        Some of these rows: the columns of B, as many as `columns`.
    columns : tuple of int
        Columns (the constant's is that after the last) that determine all others.
    inverse : ndarray of int64, shape (len(basis), len(columns))
        R: entry (k, j) counts 2^-(row_shifts[k] + column_shifts[j]).
    row_shifts, column_shifts : tuple of int
        Entries of column j are at most 2^column_shifts[j].
    within : float
        Between 0 and 1.
    """

    rows: tuple[int, ...]
    weights: tuple[int, ...]
    basis: tuple[int, ...]
    columns: tuple[int, ...]
    inverse: Array
    row_shifts: tuple[int, ...]
    column_shifts: tuple[int, ...]
    within: float


def verify_near_weights(
    X: Any,
    y: Any,
    near: NearWeights,
    null: Sequence[Mapping[int, int]],
    among: Sequence[int] | Array,
    *,
    fit_intercept: bool = True,
) -> None:
    """Raise unless positive weights exist near those given that combine signed rows of `among` to 0 and span them all.

    Without labels y the rows are signed already.
    `null` are vectors (column -> integer) that all rows of `among` are orthogonal to: each has an entry in one column
    that is none of `near.columns`, a column of its own, and so gives that column as a combination of these.
    """
    if hasattr(X, "toarray") or not small(X) or X.dtype.itemsize > 8:
        raise CertificateError("weights near exact ones are of dense rows of doubles")
    among = np.flatnonzero(np.bincount(among, minlength=X.shape[0]))
    _check_form(near, X.shape[0])
    if not set(near.rows) <= set(among.tolist()):
        raise CertificateError("the weights are of rows that a direction separates")
    given = set(orthogonal(X, null, among, fit_intercept=fit_intercept)[1])
    others = [[j for j, v in vector.items() if v and j not in set(near.columns)] for vector in null]
    own = {j for some in others for j in some}
    if any(len(some) != 1 for some in others) or len(own) < len(null):
        raise CertificateError("a null vector has not exactly one column of its own beside those of the inverse")
    if own | set(near.columns) != given:
        raise CertificateError("the columns of the inverse and those of the null vectors are not all columns")
    table = _Table(X, np.ones(X.shape[0], dtype=np.int64) if y is None else label_signs(y), near)
    theta, change = _bounds(table, near)
    if not theta < 1.0:
        raise CertificateError(f"the inverse is none of these rows: |I - R B| may be {theta:.3g}")
    if not change * _UP <= near.within * (1.0 - theta):
        raise CertificateError(f"the weights would change by {change / (1.0 - theta):.3g}, more than it says")


def _check_form(near: NearWeights, n: int) -> None:
    """Raise unless the parts have the types, sizes and ranges that the proof counts on."""
    rows, p = list(near.rows), len(near.columns)
    whole = (*near.rows, *near.weights, *near.basis, *near.columns, *near.row_shifts, *near.column_shifts)
    if any(type(v) is not int for v in whole) or type(near.within) is not float or not 0.0 < near.within < 1.0:
        raise CertificateError("a number of the weights, or of what proves them, is of the wrong kind")
    if not rows or sorted(set(rows)) != rows or rows[0] < 0 or rows[-1] >= n or len(rows) > _MOST:
        raise CertificateError(f"rows must be different ones in 0..{n - 1}, in order, {_MOST:,} at most")
    if len(near.weights) != len(rows) or min(near.weights) <= 0 or max(near.weights).bit_length() > _FAR // 2:
        raise CertificateError("weights must be positive integers, one a row, and not too long")
    if not 0 < p == len(near.basis) == len(set(near.basis)) == len(set(near.columns)):
        raise CertificateError("the inverse needs as many rows as columns, each of them once")
    if not set(near.basis) <= set(rows):
        raise CertificateError("a row of the inverse has no weight")
    if near.inverse.dtype != np.int64 or near.inverse.shape != (p, p):
        raise CertificateError(f"the inverse must be {p} x {p} integers")
    if not len(near.row_shifts) == len(near.column_shifts) == p or max(map(abs, whole[-2 * p :])) > _FAR:
        raise CertificateError(f"shifts must be one a row and one a column, {_FAR} at most")


class _Table:
    """Signed rows, on the columns of the inverse over their powers of two."""

    def __init__(self, X: Any, s: Array, near: NearWeights) -> None:
        self.X, self.s = X, s
        columns = np.array(near.columns)
        self.inside = np.flatnonzero(columns < X.shape[1])
        self.features = columns[self.inside]
        self.every = np.array_equal(self.features, np.arange(X.shape[1]))
        self.exps = np.array(near.column_shifts)

    def __getitem__(self, ids: Sequence[int]) -> Array:
        """Rows as doubles, at most 1 and exact."""
        at = np.array(ids)
        out = np.ones((at.size, self.exps.size))
        out[:, self.inside] = self.X[at] if self.every else self.X[np.ix_(at, self.features)]
        filled = np.count_nonzero(out)
        out = np.ldexp(out, -self.exps) * self.s[at][:, None]
        size = np.abs(out)
        if not size.max() <= 1.0 or np.count_nonzero(size >= 2.0**-_FAR) < filled:
            raise CertificateError("a shift of a column leaves entries above 1, or far below")
        return np.asarray(out)


def _residual(table: _Table, near: NearWeights) -> Array:
    """Bounds of |rho|, the weights over the power of two above them all: exact sums, rounded once."""
    n, top = len(near.rows), max(near.weights).bit_length()
    lengths = range(0, top, _WEIGHT)
    u = np.array([[(w >> k) & (2**_WEIGHT - 1) for w in near.weights] for k in lengths], dtype=np.float64)
    sums: list[Array] = []
    for start in range(0, n, _ROWS):
        part = slice(start, start + _ROWS)
        for e, digit in enumerate(_digits(table[near.rows[part]])):
            if e == len(sums):
                sums.append(np.zeros((len(u), table.exps.size), dtype=np.int64))
            sums[e] += (u[:, part] @ digit).astype(np.int64)
    total = [0] * table.exps.size
    for e, of_weights in enumerate(reversed(sums)):
        for k, values in zip(lengths, of_weights.tolist(), strict=True):
            total = [have + (v << (k + e * _ENTRY)) for have, v in zip(total, values, strict=True)]
    unit = 1 << (len(sums) * _ENTRY + top)
    return np.array([abs(v) / unit for v in total]) + 2.0**-_FAR


def _digits(rest: Array) -> Iterator[Array]:
    """Doubles below 1 in size as integers of `_ENTRY` bits, the leading ones first."""
    while rest.any():
        rest = rest * 2.0**_ENTRY
        digit = np.trunc(rest)
        rest = rest - digit
        yield digit


def _bounds(table: _Table, near: NearWeights) -> tuple[float, float]:
    """Bounds of the norms of I - R B and of R rho."""
    p, top = len(near.basis), max(near.weights).bit_length()
    of_row = dict(zip(near.rows, near.weights, strict=True))
    u = np.array([of_row[i] / (1 << top) for i in near.basis])
    rho = _residual(table, near)
    bits = (52 - (p - 1).bit_length()) // 2
    product = _Product(table, near, bits)
    theta, change = np.zeros(p), np.zeros(p)
    shifts = np.array(near.row_shifts)
    for start in range(0, p, 256):
        at = slice(start, min(start + 256, p))
        size = np.abs(near.inverse[at]).astype(np.float64)
        with np.errstate(over="ignore"):
            off = product.off_identity(at, size) @ np.ldexp(u, product.exps)
            theta[at] = np.ldexp(off, -shifts[at] - bits) / u[at]
            change[at] = np.ldexp(size @ rho, -shifts[at]) / u[at]
    return float(theta.max()) * _UP, float(change.max()) * _UP


class _Product:
    """R B, R and B in one or two digits of `bits` bits each: every product of digits is a sum below 2^53."""

    def __init__(self, table: _Table, near: NearWeights, bits: int) -> None:
        rows = table[near.basis]
        self.bits, self.exps = bits, np.frexp(np.abs(rows).max(axis=1))[1]
        self.inverse, self.shifts = near.inverse, np.array(near.row_shifts)
        largest = max(int(near.inverse.max()), -int(near.inverse.min()))
        self.two = largest > 2**bits
        if largest > 2 ** (2 * bits) - 2**bits:
            raise CertificateError(f"entries of the inverse have more than {2 * bits} bits")
        rows = np.ldexp(rows, bits - self.exps[:, None]).T
        self.high = np.rint(rows)
        rows -= self.high
        if self.two:
            rows *= 2.0**bits
            self.low = np.rint(rows)
            rows -= self.low
        self.rounded = bool(rows.any())

    def off_identity(self, at: slice, size: Array) -> Array:
        """Bounds of some rows of |R B - I|, of which column l counts 2^(exps_l - bits - shift); `size` is |R|."""
        k, R, b = np.arange(at.start, at.stop), self.inverse[at], self.bits
        lost = self.rounded * size.sum(axis=1) / 2
        one = self.shifts[at] - self.exps[at]  # the power of two that stands for 1, less the bits
        if not self.two:
            out = R.astype(np.float64) @ self.high
            with np.errstate(over="ignore"):
                out[k - at.start, k] -= np.ldexp(1.0, one + b)
            return np.asarray(np.abs(out) + lost[:, None])
        first = (R + 2 ** (b - 1)) >> b
        second = (R - (first << b)).astype(np.float64)
        first = first.astype(np.float64)
        if one.min() < 0 or one.max() > 60:
            raise CertificateError("a row of the inverse is too large or too small for its row")
        whole = (first @ self.high).astype(np.int64)
        whole[k - at.start, k] -= np.left_shift(np.int64(1), one)
        if np.abs(whole).max() >= 2 ** (61 - b):
            raise CertificateError("the inverse is none of these rows")
        between = (first @ self.low + second @ self.high).astype(np.int64)
        least = (second @ self.low).astype(np.int64) >> b
        out = np.abs((whole << b) + between + least).astype(np.float64)
        return np.asarray(out + (1.0 + lost * 2.0**-b)[:, None])
