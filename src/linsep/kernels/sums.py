"""Sums of the rows of each class."""

from __future__ import annotations

from typing import Any

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
