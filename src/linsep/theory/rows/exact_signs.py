"""Exact signs of w.x_i + b for the search: doubles where a bound on their error allows it, integers for the others.

The search believes these; what it finds is checked again by `theory/verify`, which shares no code with this file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import lcm
from typing import Any

import numpy as np

from linsep.types import Array

_ENTRIES = 2**19  # of a table looked at together: what is written on the way stays in the cache
_TINY = 2.0**-1000  # times a unit roundoff it still exceeds every error that underflow can make
_PRIMES = (2**31 - 1, 2**31 - 19)  # products of two residues stay below 2^62


def as_floats(d: Sequence[int]) -> Array:
    """The direction of an integer vector, each entry correctly rounded, at about unit length."""
    shift = max(1, *(abs(v) for v in d)).bit_length()
    v: Any = np.array([value / (1 << shift) for value in d])
    return np.asarray(v / np.linalg.norm(v))


def row_signs(X: Any, d: Sequence[int]) -> Array:
    """Signs (-1, 0 or 1) of x_i.w + b for d = (w, b), or of x_i.w for d = w.

    Parameters
    ----------
    X : array or SciPy CSR matrix of shape (n, p)
        Doubles, integers, Fractions: taken exactly.
    d : sequence of p or p + 1 integers

    Examples
    --------
    >>> row_signs(np.array([[0.1, 0.2], [0.5, 1.0], [3.0, 0.0]]), [2, -1]).tolist()
    [0, 0, 1]
    """
    out = np.zeros(X.shape[0], dtype=np.int8)
    for at, part, z, unsure in _approximate(X, d):
        found = np.where(unsure, 0, np.sign(z)).astype(np.int8)
        open_rows = np.flatnonzero(unsure)
        found[open_rows] = [(v > 0) - (v < 0) for v in _whole_products(part[open_rows], d)]
        out[at] = found
    return out


def vanishing(X: Any, d: Sequence[int]) -> Array:
    """Which x_i.w + b are 0: a mask. One in about 2^62 of those that are very near 0 may be taken for 0.

    Good for many rows that are 0: they are asked modulo primes, which needs no long integers.

    Examples
    --------
    >>> vanishing(np.array([[0.1, 0.2], [0.5, 1.0], [3.0, 0.0]]), [2, -1]).tolist()
    [True, True, False]
    """
    out = np.zeros(X.shape[0], dtype=bool)
    p = X.shape[1]
    used = [j for j, v in enumerate(d[:p]) if v]
    if 2 * len(used) <= p:
        X, p, d = X[:, used], len(used), [*(d[j] for j in used), *d[p:]]
    if _sums_are_exact(X, d):
        return np.asarray(X @ np.array(d[:p], dtype=np.float64) + sum(d[p:]) == 0)
    for at, part, _, unsure in _approximate(X, d):
        open_rows = np.flatnonzero(unsure)
        if not open_rows.size:
            continue
        some = part[open_rows]
        if _holds_doubles(some):
            zero = ~_residues(some, d).any(axis=0)
        else:
            zero = np.array([v == 0 for v in _whole_products(some, d)], dtype=bool)
        out[at.start + open_rows] = zero
    return out


def _approximate(X: Any, d: Sequence[int]) -> Iterator[tuple[slice, Any, Array, Array]]:
    """Slices of rows, those rows, their products with d at unit length in doubles, and which signs these leave open."""
    n, p = X.shape
    v = as_floats(d) if any(d) else np.zeros(len(d))
    w, b = v[:p], float(v[p:].sum())
    step = max(1, _ENTRIES * n // max(1, X.size if isinstance(X, np.ndarray) else X.nnz))
    for start in range(0, n, step):
        at = slice(start, start + step)
        part = X if step >= n else X[at]
        if X.dtype == object:
            yield at, part, np.zeros(part.shape[0]), np.ones(part.shape[0], dtype=bool)
            continue
        doubles = part.astype(np.float64, copy=False)
        with np.errstate(all="ignore"):
            z = doubles @ w + b
            size = abs(doubles) @ (abs(w) + _TINY) + abs(b) + _TINY
            yield at, part, z, ~(abs(z) > 2.0**-52 * (p + 9) * size)


def _whole_products(X: Any, d: Sequence[int]) -> list[int]:
    """x_i.w + b of a few rows, each times a positive integer."""
    p = X.shape[1]
    w, b = d[:p], sum(d[p:])
    out = []
    for row in (X if isinstance(X, np.ndarray) else X.toarray()).tolist():
        ratios = [(*v.as_integer_ratio(), k) for v, k in zip(row, w, strict=True) if v and k]
        common = lcm(*(q for _, q, _ in ratios))
        out.append(sum(m * (common // q) * k for m, q, k in ratios) + b * common)
    return out


def _holds_doubles(X: Any) -> bool:
    """Whether every entry is a double."""
    if X.dtype == object:
        return False
    values = X if isinstance(X, np.ndarray) else X.data
    return X.dtype.kind == "f" or X.dtype.itemsize < 8 or bool(abs(values).max(initial=0) <= 2**53)


def _sums_are_exact(X: Any, d: Sequence[int]) -> bool:
    """Whether x_i.w + b are sums of integers so small that doubles hold them."""
    values, longest = X if isinstance(X, np.ndarray) else X.data, max(map(abs, d), default=0)
    if X.dtype.kind != "f" or longest >= 2**53:
        return False
    size = float(abs(values).max(initial=1.0)) * longest * len(d)
    return size < 2.0**53 and np.array_equal(values, np.rint(values))


def _residues(X: Any, d: Sequence[int]) -> Array:
    """x_i.w + b times a power of two, one for all rows, modulo each of the primes: a row a prime."""
    n, p = X.shape
    sparse = not isinstance(X, np.ndarray)
    mantissas, exps = np.frexp((X.data if sparse else X).astype(np.float64))
    whole = np.ldexp(mantissas, 53).astype(np.int64)
    lowest = int(np.where(whole == 0, 0, exps).min(initial=0)) - 53
    exps = np.where(whole == 0, 0, exps - 53 - lowest)
    out = np.empty((len(_PRIMES), n), dtype=np.int64)
    for k, prime in enumerate(_PRIMES):
        w, b = np.array([v % prime for v in d[:p]], dtype=np.int64), sum(d[p:]) * pow(2, -lowest, prime) % prime
        powers = np.array([pow(2, e, prime) for e in range(int(exps.max(initial=0)) + 1)], dtype=np.int64)
        terms = whole % prime * powers[exps] % prime
        terms = terms * (w[X.indices] if sparse else w) % prime
        if sparse:
            total = np.append(0, np.cumsum(terms))
            sums = total[X.indptr[1:]] - total[X.indptr[:-1]]
        else:
            sums = terms.sum(axis=1)
        out[k] = (sums + b) % prime
    return out
