"""Sums of rows by class, and products of sparse rows with several weight vectors at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from linsep.kernels.optional import weight_at
from linsep.kernels.rows import FASTMATH, row_axpy, row_count


@njit(cache=True, nogil=True, fastmath=FASTMATH)
def add_class_sums(X: Any, c: Any, weight: Any, sums: Any, totals: Any) -> None:
    """sums[c_i] += weight_i x_i, totals[c_i] += weight_i, row by row (the prototypes of Rocchio 1971 before division).

    Changes `sums` (n_classes, n_features) and `totals` (n_classes,), both float64.
    """
    for i in range(row_count(X)):
        a = weight_at(weight, i)
        row_axpy(X, i, a, sums[c[i]])
        totals[c[i]] += a


@njit(cache=True, nogil=True, fastmath=FASTMATH)
def add_products(data: Any, indices: Any, indptr: Any, W: Any, Z: Any) -> None:
    """Z_i += sum_k data_k W[indices_k], k from indptr_i to indptr_{i+1}: Z += X W for X in CSR.

    `W` is (n_features, n_planes), so that each entry of X reads one row of it. Changes `Z` (n_rows, n_planes).
    """
    for i in range(Z.shape[0]):
        for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            j = np.uint64(indices[k])
            for c in range(np.uint64(Z.shape[1])):
                Z[i, c] += data[k] * W[j, c]
