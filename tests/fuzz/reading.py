"""What the targets of readers share: how linsep reads a case, as plain values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from linsep import open_data
from linsep.data.columns import TableChunk
from linsep.data.readers import lines as blocks


def strictly(format: str, **asked: Any) -> Callable[[Any], Any]:
    """Read a whole case in one chunk of a stream; a file without rows is []."""
    return lambda case: [values_of(chunk) for chunk, _ in open_data(case, format=format, **asked).chunks()]


def wholly(format: str, **asked: Any) -> Callable[[Any], Any]:
    """Read a whole case at once."""
    return lambda case: values_of(open_data(case, format=format, **asked).read())


def in_pieces(format: str, **asked: Any) -> Callable[[Any], Any]:
    """Read a case in pieces of a few lines."""

    def read(case: Any) -> Any:
        with small_blocks():
            source = open_data(case, format=format, max_record_bytes=400, **asked)
            return [values_of(chunk) for chunk, _ in source.chunks()]

    return read


@contextmanager
def small_blocks() -> Iterator[None]:
    """Text in blocks of 64 bytes."""
    before = blocks.BLOCK_BYTES, blocks.TABLE_BYTES
    blocks.BLOCK_BYTES = blocks.TABLE_BYTES = 64
    try:
        yield
    finally:
        blocks.BLOCK_BYTES, blocks.TABLE_BYTES = before


def values_of(chunk: Any) -> Any:
    """(labels, {column: values}) of a table, (labels, rows of (column, value)) of sparse rows; -0.0 is 0.0."""
    y = None if chunk.y is None else np.asarray(chunk.y)
    y = y if y is None else (y + 0.0 if y.dtype.kind == "f" else y).tolist()
    if isinstance(chunk, TableChunk):
        return y, {column.name: _cells(column) for column in chunk.columns}
    X = chunk.X
    rows = [slice(a, b) for a, b in zip(X.indptr[:-1], X.indptr[1:], strict=True)]
    return y, [list(zip(X.indices[row].tolist(), (X.data[row] + 0.0).tolist(), strict=True)) for row in rows]


def _cells(column: Any) -> list[Any]:
    """The numbers of a column, or its text."""
    cells: list[Any] = column.text.to_pylist() if column.values is None else (column.values + 0.0).tolist()
    return cells
