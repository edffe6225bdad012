"""The order in which a shuffled epoch visits its rows: chunks of neighbours, shuffled a group at a time.

Source: Fisher and Yates's shuffle in the form of Durstenfeld 1964 (CACM 7, algorithm 235) within each group, with the
generator xorshift64* of Vigna 2016 (ACM Transactions on Mathematical Software 42).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep.kernels.memory import uncounted


@uncounted(cache=True, nogil=True)
def fill_order(order: Any, chunks: Any, chunk: int, group: int, seed: Any) -> None:
    """order = all rows once, as `shuffled_order` says. Changes `order` and `chunks`.

    `chunks` are the numbers of the chunks in any order; `order` (n_rows,) is 32-bit or 64-bit whole numbers; `seed` is
    not 0. The chunks lie on a circle of the rows, cut at a random row, and are written into the circle of the steps
    from a random step on. So every step is equally likely for every row: that turn adds one random number to all steps.
    Groups are shuffled after it, which leaves all steps of a group equally likely.
    """
    n = order.shape[0]
    state = _shuffle(chunks, seed)
    state, cut = _below(state, n)
    state, step = _below(state, n)
    for k in chunks:
        row = (cut + k * chunk) % n
        for _ in range(min(chunk, n - k * chunk)):
            order[step] = row
            row = row + 1 if row + 1 < n else 0
            step = step + 1 if step + 1 < n else 0
    for first in range(0, n, group):
        state = _shuffle(order[first : first + group], state)


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
