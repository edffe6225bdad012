"""Columns of a sparse table that share no row."""

from __future__ import annotations

import numpy as np
from numba import njit

from linsep.types import Array


@njit(cache=True, nogil=True)
def disjoint_columns(n_rows: int, starts: Array, rows: Array, order: Array) -> Array:
    """The column that each row is in, of columns taken in this order unless they share a row with one taken; or -1."""
    owner = np.full(n_rows, -1, np.int64)
    for j in order:
        column = rows[starts[j] : starts[j + 1]]
        free = True
        for i in column:
            if owner[i] >= 0:
                free = False
                break
        if free:
            for i in column:
                owner[i] = j
    return owner
