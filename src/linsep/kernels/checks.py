"""Questions about the entries of a sparse table that NumPy would answer with a copy of it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from linsep.kernels.memory import uncounted

# Rows, or entries, that are looked at before the next question is asked.
_TOGETHER = 1024


@uncounted(cache=True, nogil=True)
def are_ones(values: Any) -> bool:
    """Whether all of these are 1; it ends soon after the first that is not."""
    for first in range(0, values.shape[0], _TOGETHER):
        others = 0
        for k in range(np.uint64(first), np.uint64(min(first + _TOGETHER, values.shape[0]))):
            others += values[k] != 1
        if others:
            return False
    return True


@uncounted(cache=True, nogil=True)
def is_rising(indices: Any, indptr: Any) -> bool:
    """Whether the columns of each row of a CSR matrix rise, as they nearly always do: then no row names one twice."""
    n = indptr.shape[0] - 1
    falls = 0
    for first in range(0, n, _TOGETHER):
        last = min(first + _TOGETHER, n)
        begin, end = indptr[first], indptr[last]
        # All neighbours at once, without a look at where rows end; then those across the end of a row do not count.
        for k in range(begin + 1, end):
            falls += indices[np.uint64(k)] <= indices[np.uint64(k - 1)]
        for i in range(np.uint64(first + 1), np.uint64(last)):  # unsigned, as in `row_dot`
            k = indptr[i]
            if begin < k < indptr[i + np.uint64(1)]:
                falls -= indices[np.uint64(k)] <= indices[np.uint64(k - 1)]
    return falls == 0


@njit(cache=True, nogil=True)
def has_duplicates(indices: Any, indptr: Any, n_columns: int) -> bool:
    """Whether some row of a CSR matrix names a column twice; its columns may be in any order."""
    last = np.full(n_columns, -1, np.int64)
    for i in range(indptr.shape[0] - 1):
        for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            j = np.uint64(indices[k])
            if last[j] == i:
                return True
            last[j] = i
    return False
