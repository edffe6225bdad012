"""The order in which a shuffled epoch visits its rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linsep.kernels.linear.visiting_order import GROUP, fill_order


def chunk_size(n_rows: int) -> int:
    """Neighbouring rows that stay together on the way to the cache: memory wants many, mixing few."""
    return 128 if n_rows < 2**18 else 256


def shuffled_order(n_rows: int, rng: np.random.RandomState) -> NDArray[Any]:
    """Return a fresh visiting order: chunks of neighbours in random order, each 8 chunks shuffled together.

    A chunk has 128 rows, from 262,144 rows on 256. Rows are then read in chunks, at near the speed of reading in order,
    and 1,024 rows or more from all over the table are mixed, so that a table sorted by class is mixed as well. The grid
    of chunks starts at a random offset, so that neighbours change from epoch to epoch. The order depends only on the
    number of rows and the state of `rng`.

    Examples
    --------
    >>> import numpy as np
    >>> order = shuffled_order(1000, np.random.RandomState(0))
    >>> int(np.unique(order).size)
    1000
    """
    chunk = chunk_size(n_rows)
    offset = int(rng.randint(chunk))
    starts = rng.permutation(np.arange(-offset, n_rows, chunk, dtype=np.int64))
    # 32 bits where they do: half as much to read.
    order: NDArray[Any] = np.empty(n_rows, dtype=np.int32 if n_rows < 2**31 else np.int64)
    fill_order(order, starts, chunk, np.uint64(rng.randint(1, 2**31 - 1)))
    return order


def drawn_order(n_rows: int, rng: np.random.RandomState) -> NDArray[np.int64]:
    """Return `n_rows` independent draws of rows, some of them more than once and some not at all.

    A table of up to 1,024 rows is drawn from as a whole. A larger one is read in the chunks of `shuffled_order`: each
    8 chunks of that order are replaced by as many draws from among their rows, which keeps its speed.

    Examples
    --------
    >>> import numpy as np
    >>> drawn_order(5, np.random.RandomState(0)).size
    5
    """
    size = chunk_size(n_rows) * GROUP
    order = shuffled_order(n_rows, rng)
    starts = np.arange(n_rows) // size * size
    lengths = np.minimum(size, n_rows - starts)
    return np.asarray(order[starts + (rng.random_sample(n_rows) * lengths).astype(np.int64)])
