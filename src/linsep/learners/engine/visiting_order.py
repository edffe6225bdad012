"""The order in which a shuffled epoch visits its rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

# Neighbouring rows that stay together on the way to the cache, and rows whose order is mixed there: memory wants many
# of the one and few of the other, learning the contrary. The order of few rows is one permutation whatever the chunk.
CHUNK, GROUP, _CHUNK_OF_FEW = 16, 4096, 128


def shuffled_order(n_rows: int, rng: np.random.RandomState) -> NDArray[Any]:
    """Return a fresh visiting order, in which each row is equally likely at each step.

    Up to 3,968 rows are one random permutation. Of more, chunks of 16 neighbouring rows are put in random order, and
    then each 256 chunks in a line are shuffled together. So 4,096 rows at a time come from 256 places all over the
    table: it is read much faster than in one permutation of all rows, and a table sorted by class or by entity is mixed
    about as well. The grid of chunks begins at a random row, so that neighbours change from epoch to epoch. At last
    the whole order is turned by a random number of steps: that alone makes all steps equally likely for a row. The
    order depends only on the number of rows and the state of `rng`.

    Examples
    --------
    >>> import numpy as np
    >>> order = shuffled_order(1000, np.random.RandomState(0))
    >>> int(np.unique(order).size)
    1000
    """
    from linsep.kernels.linear.visiting_order import fill_order

    few = n_rows <= GROUP - _CHUNK_OF_FEW  # with an offset they are no more chunks than a group has
    chunk = _CHUNK_OF_FEW if few else CHUNK
    starts = np.arange(-int(rng.randint(chunk)), n_rows, chunk, dtype=np.int64)
    if few:
        starts = rng.permutation(starts)
    # 32 bits where they do: half as much to read.
    order: NDArray[Any] = np.empty(n_rows, dtype=np.int32 if n_rows < 2**31 else np.int64)
    fill_order(order, starts, chunk, GROUP // chunk, np.uint64(rng.randint(1, 2**31 - 1)))
    return order if few else np.roll(order, rng.randint(n_rows))


def drawn_order(n_rows: int, rng: np.random.RandomState) -> NDArray[np.int64]:
    """Return `n_rows` independent draws of rows, some of them more than once and some not at all.

    A table of up to 3,968 rows is drawn from as a whole. Of a larger one each 4,096 rows of `shuffled_order` are
    replaced by as many draws from among them, which keeps its speed.

    Examples
    --------
    >>> import numpy as np
    >>> drawn_order(5, np.random.RandomState(0)).size
    5
    """
    order = shuffled_order(n_rows, rng)
    starts = np.arange(n_rows) // GROUP * GROUP
    lengths = np.minimum(GROUP, n_rows - starts)
    return np.asarray(order[starts + (rng.random_sample(n_rows) * lengths).astype(np.int64)])
