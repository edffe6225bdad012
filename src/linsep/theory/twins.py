"""Two equal rows with opposite labels, found by hashing: the shortest witness."""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep.types import Array

_MIX = (np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53))  # odd constants, any would do


def contradiction(X: Any, s: Array) -> tuple[int, int] | None:
    """First pair (i, j), i < j, of equal rows with s_i != s_j, or None.

    Examples
    --------
    >>> contradiction(np.array([[1.0, 2.0], [0.0, 3.0], [1.0, 2.0]]), np.array([1.0, 1.0, -1.0]))
    (0, 2)
    """
    hashes = _row_hashes(X)
    order = np.lexsort((np.arange(s.size), hashes))
    starts = np.flatnonzero(np.append(True, hashes[order][1:] != hashes[order][:-1]))
    plus = np.add.reduceat((s[order] > 0).astype(np.int64), starts)
    sizes = np.diff(np.append(starts, s.size))
    mixed = np.flatnonzero((plus > 0) & (plus < sizes))
    # The group whose first row comes first; hashes that only happen to agree are passed over.
    for group in mixed[np.argsort(order[starts[mixed]], kind="stable")]:
        ids = order[starts[group] : starts[group] + sizes[group]]
        first: dict[tuple[Any, ...], int] = {}
        for i in ids.tolist():
            row = X[[i]].toarray()[0] if hasattr(X, "toarray") else X[i]
            other = first.setdefault(tuple(row.tolist()), i)
            if s[other] != s[i]:
                return (other, i)
    return None


def _row_hashes(X: Any) -> Array:
    """Sum over the entries that are not 0 of a mixture of value and column, modulo 2^64."""
    if hasattr(X, "toarray"):
        out = np.zeros(X.shape[0], dtype=np.uint64)
        total = np.append(np.uint64(0), np.cumsum(_mixed(X.data, X.indices)))
        out[:] = total[X.indptr[1:]] - total[X.indptr[:-1]]
        return out
    if X.dtype == object:
        return np.array([hash(tuple(row)) for row in X.tolist()], dtype=np.int64).view(np.uint64)
    out = np.empty(X.shape[0], dtype=np.uint64)
    columns = np.arange(X.shape[1])
    for start in range(0, X.shape[0], 4096):
        part = np.asarray(X[start : start + 4096])
        out[start : start + 4096] = _mixed(part, columns).sum(axis=1, dtype=np.uint64)
    return out


def _mixed(values: Array, columns: Array) -> Array:
    bits = (values.astype(np.float64) + 0.0).view(np.uint64)  # + 0: minus zero is zero
    key = (columns.astype(np.uint64) + np.uint64(1)) * _MIX[0]
    mixed = (bits ^ (bits >> np.uint64(29)) ^ key) * _MIX[1]
    mixed = (mixed ^ (mixed >> np.uint64(32))) * _MIX[0]
    return np.where(bits == 0, np.uint64(0), mixed)
