"""The order in which a shuffled epoch visits its rows, filled in one compiled pass."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

# Chunks that are shuffled as one group.
GROUP = 8


@njit(cache=True, nogil=True)
def fill_order(order: Any, starts: Any, chunk: int, seed: Any) -> None:
    """Lay the chunks out one after another and shuffle each group of them (Fisher and Yates, xorshift64*)."""
    n = order.shape[0]
    state = seed
    filled = 0
    for first in range(0, starts.shape[0], GROUP):
        begin = filled
        for s in starts[first : first + GROUP]:
            for i in range(max(s, 0), min(s + chunk, n)):
                order[filled] = i
                filled += 1
        for k in range(filled - 1, begin, -1):
            state ^= state >> np.uint64(12)
            state ^= state << np.uint64(25)
            state ^= state >> np.uint64(27)
            high = (state * np.uint64(2685821657736338717)) >> np.uint64(32)
            j = begin + np.int64((high * np.uint64(k - begin + 1)) >> np.uint64(32))
            order[k], order[j] = order[j], order[k]
