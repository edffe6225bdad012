"""The order in which a shuffled epoch visits its rows: chunks of neighbours, shuffled a group at a time.

Source: Fisher and Yates's shuffle in the form of Durstenfeld 1964 (CACM 7, algorithm 235) within each group, with the
generator xorshift64* of Vigna 2016 (ACM Transactions on Mathematical Software 42).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep.kernels.memory import uncounted


@uncounted(cache=True, nogil=True)
def fill_order(order: Any, starts: Any, chunk: int, group: int, seed: Any) -> None:
    """order = the rows of chunk starts[0], starts[1], ..., each `group` chunks shuffled. Changes `order` and `starts`.

    Chunk s is the rows s to s + chunk - 1 that exist: the first may begin below 0. Chunks of more than one group are
    put in random order before. `order` (n_rows,) is 32-bit or 64-bit whole numbers; `seed` is not 0.
    """
    state = seed if starts.shape[0] <= group else _shuffle(starts, seed)
    filled = 0
    for first in range(0, starts.shape[0], group):
        begin = filled
        for s in starts[first : first + group]:
            for row in range(max(s, 0), min(s + chunk, order.shape[0])):
                order[filled] = row
                filled += 1
        state = _shuffle(order[begin:filled], state)


@uncounted(cache=True, nogil=True)
def _shuffle(part: Any, state: Any) -> Any:
    """Shuffle `part`; return the state of the generator after it. Changes `part`."""
    for last in range(part.shape[0] - 1, 0, -1):
        state, j = _below(state, last + 1)
        part[last], part[j] = part[j], part[last]
    return state


@uncounted(cache=True, nogil=True)
def _below(state: Any, n: int) -> Any:
    """The next state of the generator, and a whole number from 0 to n - 1 that it gives.

    A number below 2^32 times n without its lower 32 bits: that some are likelier than others by n / 2^32 does not
    matter here.
    """
    state ^= state >> np.uint64(12)  # shifts and factor: those of xorshift64*
    state ^= state << np.uint64(25)
    state ^= state >> np.uint64(27)
    high = (state * np.uint64(2685821657736338717)) >> np.uint64(32)
    return state, np.int64((high * np.uint64(n)) >> np.uint64(32))
