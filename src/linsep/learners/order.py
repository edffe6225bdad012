"""The order in which a shuffled epoch visits its rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Rows a block: small enough that a block of wide rows stays in a second-level cache while it is visited.
BLOCK = 256


def shuffled_order(n_rows: int, rng: np.random.RandomState) -> NDArray[np.int64]:
    """Return a fresh visiting order: blocks of `BLOCK` neighbouring rows in random order, each shuffled inside.

    Memory is then read a block at a time, at near the speed of reading in order. The grid of blocks starts at
    a random offset, so that which rows are neighbours changes from epoch to epoch. The order depends only on
    the number of rows and the state of `rng`.

    Examples
    --------
    >>> import numpy as np
    >>> order = shuffled_order(1000, np.random.RandomState(0))
    >>> int(np.unique(order).size)
    1000
    """
    offset = int(rng.randint(BLOCK))
    starts = np.arange(offset - BLOCK, n_rows, BLOCK) if offset else np.arange(0, n_rows, BLOCK)
    order = np.arange(n_rows, dtype=np.int64)
    parts = [order[max(s, 0) : s + BLOCK] for s in rng.permutation(starts)]
    for part in parts:
        rng.shuffle(part)
    return np.concatenate(parts)
