"""The cells of some rows by column, as a list of suspects shows them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from linsep.data.columns import Column, TableChunk
from linsep.tables import dense
from linsep.types import Array

_MOST_COLUMNS = 200  # of a matrix, whose columns have no names of their own


def cells_of(chunk: Any, rows: Array, names: list[str]) -> list[dict[str, Any]]:
    """The cells of each of these rows, None where one is missing.

    Numbers are doubles, whole numbers integers; those that doubles do not hold are text, as they are written.

    Parameters
    ----------
    chunk : TableChunk or rows of a matrix
    rows : ndarray of int
        Positions in the chunk.
    names : list of str
        The columns of a matrix; one with more than 200 gives no cells.

    Examples
    --------
    >>> from linsep.types import Chunk
    >>> cells_of(Chunk(np.array([[0.5, 1.0], [2.5, 3.0]]), None, 0), np.array([1]), ["a", "b"])
    [{'a': 2.5, 'b': 3.0}]
    """
    if not isinstance(chunk, TableChunk):
        if chunk.X.shape[1] > _MOST_COLUMNS:
            return [{} for _ in rows]
        return [dict(zip(names, row, strict=True)) for row in dense(chunk.X[rows]).tolist()]
    columns = {name: _column(column, rows) for name in chunk.names if (column := chunk.cells(name)) is not None}
    return [{name: values[k] for name, values in columns.items()} for k in range(len(rows))]


def _column(column: Column, rows: Array) -> list[Any]:
    values = column.values
    small = values is not None and abs(values).max(initial=0) < 2**53
    if values is not None and (small or column.text is None):
        whole = small and bool((values == np.rint(values)).all())
        found: list[Any] = (values.astype(np.int64) if whole else values)[rows].tolist()
    else:
        assert column.text is not None
        found = column.text.take(pa.array(rows, pa.int64())).to_pylist()
    if column.missing is None:
        return found
    return [None if gone else value for value, gone in zip(found, column.missing[rows].tolist(), strict=True)]
