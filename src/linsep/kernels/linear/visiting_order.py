"""The order in which a shuffled epoch visits its rows: chunks of neighbours, shuffled a group at a time.

Source: Fisher and Yates's shuffle in the form of Durstenfeld 1964 (CACM 7, algorithm 235) within each group, with the
generator xorshift64* of Vigna 2016 (ACM Transactions on Mathematical Software 42).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep.kernels.memory import uncounted

# Chunks that are shuffled as one group: 1,024 rows of 128 a chunk, whose order and rows stay in the cache.
GROUP = 8


@uncounted(cache=True, nogil=True)
def fill_order(order: Any, starts: Any, chunk: int, seed: Any) -> None:
    """order = the rows of chunk starts[0], starts[1], ..., each group of `GROUP` chunks shuffled. Changes `order`.

    Chunk s is the rows s to s + chunk - 1 that exist: the first may begin below 0. `order` (n_rows,) is 32-bit or
    64-bit whole numbers; `seed` is not 0. A number below 2^32 times k + 1, without its lower 32 bits, is one from 0 to
    k; that some of them are likelier than others by k / 2^32 does not matter here.
    """
    n = order.shape[0]
    state = seed
    filled = np.uint64(0)  # unsigned subscripts, as in `row_dot`
    for first in range(0, starts.shape[0], GROUP):
        begin = filled
        for s in starts[first : first + GROUP]:
            low = max(s, 0)
            size = np.uint64(min(s + chunk, n) - low)
            for i in range(size):
                order[filled + np.uint64(i)] = low + i
            filled += size
        for done in range(np.uint64(1), filled - begin):
            state ^= state >> np.uint64(12)  # shifts and factor: those of xorshift64*
            state ^= state << np.uint64(25)
            state ^= state >> np.uint64(27)
            high = (state * np.uint64(2685821657736338717)) >> np.uint64(32)
            last = filled - done
            j = begin + ((high * (last - begin + np.uint64(1))) >> np.uint64(32))
            order[last], order[j] = order[j], order[last]
