"""Check that exact positive weights exist near given ones, without computing them.

Theorem. Let u_i > 0 be weights of signed rows z_i with p columns, the columns of C be p of the rows u_k z_k, r = sum
u_i z_i, and R any matrix. (The norm of a vector is its largest entry in size, that of a matrix its largest sum of sizes
along a row.) If |I - R C| <= 1/2 and 2 |R r| <= within < 1, then some u* has sum u*_i z_i = 0 exactly and |u*_i - u_i|
<= within u_i, so u* > 0; and the rows have rank p. Proof: R C x = 0 gives |x| = |(I - R C) x| <= |x| / 2, so x = 0 and
C is regular: p rows are independent. Let C t = r. Then t = R r + (I - R C) t, so |t| <= |R r| + |t| / 2, |t| <= 2 |R r|
<= within. Take u*_k = u_k (1 - t_k) for the p rows and u*_i = u_i for the others: the sum is r - C t = 0.

Nothing is asked of R, so `inv` is not believed. r is computed in integers. What stays are rounded products: however a
sum of p products is added up, it is off by at most p / (1 - p / 2^53) / 2^53 times the sum of the sizes of these
products (Higham 2002, section 3.1), and by less than `_TINY` where products underflow.

This file only verifies: see `linsep.theory.verify.separability`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linsep.theory.verify.pauses import pause
from linsep.theory.verify.separability import CertificateError, digit_sums, label_signs, orthogonal, small
from linsep.types import Array

__all__ = ["NearWeights", "verify_near_weights"]
_ENTRIES = 2**22  # of rows that are added up together
_FAR = 500  # powers of two between entries of a column of C: products of two stay far above what underflows
_TINY = 2.0**-900
_UP = 1.0 + 2.0**-20  # more than the rounding of a sum of so few positive doubles


@dataclass(frozen=True)
class NearWeights:
    """Positive weights that bring signed rows nearly to 0, and the rows that show that exact ones are near.

    Attributes
    ----------
    rows, weights : tuple of int
        Rows, counted from 0, in ascending order, and a positive integer for each. Exact weights exist, each of which
        differs from the given one by at most `within` times that.
    basis : tuple of int
        Some of these rows, as many as their rank: they are independent.
    within : float
        Between 0 and 1.
    """

    rows: tuple[int, ...]
    weights: tuple[int, ...]
    basis: tuple[int, ...]
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
    `null` are vectors (column -> integer) that all rows of `among` are orthogonal to: each has an entry in a column of
    its own, and so gives that column as a combination of others. What is 0 in all other columns is 0 in these too.
    """
    if hasattr(X, "toarray") or not small(X) or X.dtype.itemsize > 8:
        raise CertificateError("weights near exact ones are of dense rows of doubles")
    among = np.flatnonzero(np.bincount(among, minlength=X.shape[0]))
    _check_form(near, X.shape[0])
    if not set(near.rows) <= set(among.tolist()):
        raise CertificateError("the weights are of rows that a direction separates")
    columns = _other_columns(orthogonal(X, null, among, fit_intercept=fit_intercept)[1], null)
    if not 0 < len(columns) == len(near.basis):
        raise CertificateError("the basis needs as many rows as there are columns that no null vector gives")
    s = np.ones(X.shape[0], dtype=np.int64) if y is None else label_signs(y)
    C, exps = _weighted_basis(X, s, near, columns)
    theta, change = _bounds(C, _residual(X, s, near, columns, exps))
    if not theta <= 0.5:
        raise CertificateError(f"rounding leaves open whether the rows of the basis are independent ({theta:.3g})")
    if not 2.0 * change <= near.within:
        raise CertificateError(f"the weights would change by {2 * change:.3g}, more than it says")


def _check_form(near: NearWeights, n: int) -> None:
    """Raise unless the parts have the types, sizes and ranges that the proof counts on."""
    rows = list(near.rows)
    if any(type(v) is not int for v in (*near.rows, *near.weights, *near.basis)) or type(near.within) is not float:
        raise CertificateError("a number of the weights, or of what proves them, is of the wrong kind")
    if not 0.0 < near.within < 1.0:
        raise CertificateError(f"weights within {near.within} of those given need not be positive")
    if not rows or sorted(set(rows)) != rows or rows[0] < 0 or rows[-1] >= n:
        raise CertificateError(f"rows must be different ones in 0..{n - 1}, in order")
    if len(near.weights) != len(rows) or min(near.weights) <= 0:
        raise CertificateError("weights must be positive integers, one a row")
    if len(set(near.basis)) < len(near.basis) or not set(near.basis) <= set(rows):
        raise CertificateError("a row of the basis stands twice, or has no weight")


def _other_columns(given: Sequence[int], null: Sequence[Mapping[int, int]]) -> list[int]:
    """The columns given without one for each null vector, which no other null vector has an entry in."""
    often = Counter(j for vector in null for j, v in vector.items() if v)
    own = {next(j for j, v in vector.items() if v and often[j] == 1) for vector in null}
    return [j for j in given if j not in own]


def _rows(X: Any, s: Array, ids: Sequence[int], columns: Sequence[int]) -> Array:
    """Signed rows as doubles, exactly; the column after the last is that of the constant."""
    features = [j for j in columns if j < X.shape[1]]
    out = np.ones((len(ids), len(columns)))
    out[:, : len(features)] = X[np.ix_(ids, features)]
    return np.asarray(out * s[list(ids)][:, None])


def _weighted_basis(X: Any, s: Array, near: NearWeights, columns: Sequence[int]) -> tuple[Array, Array]:
    """Return C and exponents e: its row j counts 2^e_j and has a largest entry from 1/4 to 1.

    An entry is rounded twice, as a weight and as a product; powers of two change no digit, for none is far below 1.
    """
    of_row = dict(zip(near.rows, near.weights, strict=True))
    lengths = [of_row[i].bit_length() for i in near.basis]
    u = np.array([of_row[i] / (1 << k) for i, k in zip(near.basis, lengths, strict=True)])
    m, e = np.frexp(_rows(X, s, near.basis, columns))
    e = e + np.array(lengths)[:, None]
    top = np.where(m == 0.0, -(2**62), e).max(axis=0)
    e = np.where(m == 0.0, 0, e - top)
    if not m.any(axis=0).all() or e.min() < -_FAR:
        raise CertificateError("a column of the basis has no entry, or one that is far below the others")
    return np.ldexp(m * u[:, None], e).T, top


def _residual(X: Any, s: Array, near: NearWeights, columns: Sequence[int], exps: Array) -> Array:
    """|r| in the units of C: sums of integers, each rounded once."""
    signed = zip(near.weights, s[list(near.rows)].tolist(), strict=True)
    weights, out = [w if sign > 0 else -w for w, sign in signed], list[float]()
    ones, step = np.ones(X.shape[0], dtype=np.int64), max(1, _ENTRIES // len(weights))
    for start in range(0, len(columns), step):
        pause()
        found = digit_sums(_rows(X, ones, near.rows, columns[start : start + step]).T, [weights])
        if found is None:
            raise CertificateError("the weights, or entries of a row, are too far apart")
        total, least = found
        for sums in total[:, 0].tolist():
            r, e = abs(sum(v << (16 * k) for k, v in enumerate(sums))), int(exps[len(out)])
            k = r.bit_length()
            with np.errstate(over="ignore"):
                out.append(np.ldexp(r / (1 << k), max(k + least - e, -900)))
    return np.array(out)


def _bounds(C: Array, r: Array) -> tuple[float, float]:
    """Bounds of |I - R C| and of |R r|, where R is an inverse of C as well as it goes; inf or nan if there is none."""
    p = len(C)
    try:
        R = np.linalg.inv(C)
    except np.linalg.LinAlgError:
        return np.inf, np.inf
    with np.errstate(all="ignore"):
        size = np.abs(R)
        rounding = (p + 8) * 2.0**-52 * (size @ np.abs(C).sum(axis=1))  # of a product, and of the entries of C
        theta = np.abs(R @ C - np.eye(p)).sum(axis=1) + rounding + _TINY
        return float(theta.max()) * _UP, float((size @ r).max()) * _UP + _TINY
