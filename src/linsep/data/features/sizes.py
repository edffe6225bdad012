"""Numbers that are too large to be learnt from on a stream."""

from __future__ import annotations

import numpy as np

from linsep.data.columns import Column, TableChunk
from linsep.types import Array, Chunk, DataError

# The squares of a thousand billion such numbers still have a finite sum.
LARGEST = 1e100


def check_size(column: Column, chunk: TableChunk) -> None:
    """Raise DataError for the first number of a column that is too large.

    Examples
    --------
    >>> from linsep import open_data
    >>> chunk = open_data(b"a,y\\n1,p\\n1e200,q\\n", target="y").read()
    >>> check_size(chunk.columns[0], chunk)
    Traceback (most recent call last):
    ...
    linsep.types.DataError: buffer:3, column 'a': 1e+200 is too large to learn from (numbers go up to 1e+100)
    """
    if column.values is None:
        return
    row = _first_beyond(column.values)
    if row >= 0:
        raise _too_large(f"{chunk.where(row)}, column {column.name!r}", float(column.values[row]))


def check_size_of_entries(chunk: Chunk) -> None:
    """Raise DataError for the first entry of some rows that is too large."""
    X = chunk.X
    entries = X if isinstance(X, np.ndarray) else X.data
    place = _first_beyond(entries.ravel())
    if place < 0:
        return
    if isinstance(X, np.ndarray):
        row, column = divmod(place, X.shape[1])
    else:
        row, column = int(np.searchsorted(X.indptr, place, side="right")) - 1, int(X.indices[place])
    raise _too_large(f"{chunk.place(row)}, column {column}", float(entries.ravel()[place]))


def _first_beyond(values: Array) -> int:
    """The first entry beyond the limit; -1 if there is none."""
    if not values.size or (values.max() <= LARGEST and values.min() >= -LARGEST):
        return -1
    return int(np.flatnonzero(~(np.abs(values) <= LARGEST))[0])


def _too_large(place: str, value: float) -> DataError:
    return DataError(f"{place}: {value:g} is too large to learn from (numbers go up to {LARGEST:g})")
