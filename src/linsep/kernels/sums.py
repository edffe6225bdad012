"""Sums of the rows of each class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from linsep.kernels.optional import weight_at
from linsep.kernels.rows import FASTMATH, row_axpy, row_count


@njit(cache=True, nogil=True, fastmath=FASTMATH)
def add_class_sums(X: Any, c: Any, weight: Any, sums: Any, totals: Any) -> None:
    """sums[c_i] += weight_i x_i, totals[c_i] += weight_i, row by row.

    Changes `sums` (n_classes, n_features) and `totals` (n_classes,), both float64.
    """
    for i in range(row_count(X)):
        a = weight_at(weight, i)
        row_axpy(X, i, a, sums[c[i]])
        totals[c[i]] += a


@njit(cache=True, nogil=True, fastmath=FASTMATH)
def add_products(data: Any, indices: Any, indptr: Any, W: Any, Z: Any) -> None:
    """Z_i += sum_k data_k W[indices_k], k from indptr_i to indptr_{i+1}. Changes `Z` (n_rows, n_planes)."""
    for i in range(Z.shape[0]):
        for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            j = np.uint64(indices[k])
            for c in range(np.uint64(Z.shape[1])):
                Z[i, c] += data[k] * W[j, c]


@njit(cache=True, nogil=True)
def largest_bits(patterns: Any, sign: Any) -> Any:
    """The largest of the bit patterns without their `sign` bit: that of the largest |x|, or of a NaN."""
    most = patterns.dtype.type(0)
    for k in range(np.uint64(patterns.shape[0])):
        most = max(most, patterns[k] & ~sign)
    return most


@njit(cache=True, nogil=True)
def has_duplicates(indices: Any, indptr: Any, n_columns: int) -> bool:
    """Whether a row names a column twice; in any order of columns, which sorting is not needed for."""
    last = np.full(n_columns, -1, np.int64)
    for i in range(indptr.shape[0] - 1):
        for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            j = np.uint64(indices[k])
            if last[j] == i:
                return True
            last[j] = i
    return False
