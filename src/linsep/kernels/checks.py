"""Questions about the numbers of a table that NumPy would answer with a copy of it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def largest_bits(patterns: Any, sign: Any) -> Any:
    """max_k patterns[k] without the bit `sign`: the bit pattern of the largest |x_k|, or of a NaN where there is one.

    `patterns` (n,) are the bits of floats read as unsigned integers; without the sign they are in the order of |x|, and
    NaN is above infinity.
    """
    most = patterns.dtype.type(0)
    for k in range(np.uint64(patterns.shape[0])):
        most = max(most, patterns[k] & ~sign)
    return most


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
