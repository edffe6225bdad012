"""Sums of rows by class, and products of sparse rows with several weight vectors at once."""

from __future__ import annotations

from typing import Any

from linsep.kernels.memory import uncounted
from linsep.kernels.optional import weight_at
from linsep.kernels.planes import sum_planes
from linsep.kernels.rows import FASTMATH, row_axpy, row_count


@uncounted(cache=True, nogil=True, fastmath=FASTMATH)
def add_class_sums(X: Any, c: Any, weight: Any, sums: Any, totals: Any) -> None:
    """sums[c_i] += weight_i x_i, totals[c_i] += weight_i, row by row (the prototypes of Rocchio 1971 before division).

    Changes `sums` (n_classes, n_features) and `totals` (n_classes,), both float64.
    """
    for i in range(row_count(X)):
        a = weight_at(weight, i)
        row_axpy(X, i, a, sums[c[i]])
        totals[c[i]] += a


@uncounted(cache=True, nogil=True)
def products(data: Any, indices: Any, indptr: Any, W: Any, Z: Any) -> None:
    """Z_i = sum_k data_k W[:, indices_k], k from indptr_i to indptr_{i+1}: Z = X W^T for X in CSR.

    `W` is (n_planes, n_features), best in Fortran's order: each entry of X then reads weights that stand side by side.
    Changes `Z` (n_rows, n_planes).
    """
    for i in range(Z.shape[0]):
        sum_planes(data, indices, indptr[i], indptr[i + 1], W, Z, i)
