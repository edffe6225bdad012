"""The first rows of a source, as a source of their own: what is tried on them tells of all."""

from __future__ import annotations

import numpy as np

from linsep.data.columns import TableChunk
from linsep.data.readers.asked import Asked
from linsep.data.sources.of_files import Beginning, FileSource
from linsep.data.sources.source import Source
from linsep.types import Chunk, DataError

_FEWEST_ROWS = 50
_BYTES_OF_CELL = 8


def is_read_in_parts(source: Source) -> bool:
    """Whether the first rows can be had without reading the others: of a file of text or Parquet, not of pipes."""
    return isinstance(source, FileSource) and source.can_be_begun


def beginning(source: Source, size: int) -> Beginning:
    """The first rows of a source, about `size` bytes of them as text; of one that is read as a whole, any rows.

    Examples
    --------
    >>> from linsep.data.sources.open import open_data
    >>> rows = b"a,y\\n" + b"1,p\\n" * 5000
    >>> first = beginning(open_data(rows, target="y"), 400)
    >>> first.source.read().n_rows, round(first.times * first.source.read().n_rows)
    (99, 4951)
    """
    if isinstance(source, FileSource) and source.can_be_begun:
        return source.beginning(size)
    return some_rows(source, size)


def first_rows(source: Source, size: int) -> Source:
    """The rows of `beginning`, or all where no row ends within so many bytes."""
    first = beginning(source, size).source
    try:
        first.read()
    except DataError:
        return source
    return first


def some_rows(source: Source, size: int) -> Beginning:
    """Rows drawn at random from a source that is read as a whole, in their order.

    Examples
    --------
    >>> from linsep.data.sources.open import open_data
    >>> some_rows(open_data((np.zeros((1000, 4)), None)), 3200).times
    10.0
    """
    chunk = source.read()
    n, width = (chunk.n_rows, len(chunk.names)) if isinstance(chunk, TableChunk) else chunk.X.shape
    in_all = source.total_bytes or n * _BYTES_OF_CELL * max(1, width)
    some = np.zeros(n, bool)
    some[np.random.RandomState(0).permutation(n)[: max(_FEWEST_ROWS, n * size // in_all)]] = True
    return Beginning(_Rows(source, some), n / max(1, int(some.sum())))


class _Rows(Source):
    """Some rows of a source that was read."""

    def __init__(self, source: Source, some: np.ndarray) -> None:
        super().__init__(source.name, source.kind, source.format, Asked(source.target))
        chunk = source.read()
        if isinstance(chunk, TableChunk):
            self._chunk = chunk.take(some)
        else:
            self._chunk = Chunk(chunk.X[some], None if chunk.y is None else chunk.y[some], 0)
