"""Columns that cannot be learnt from: not there, neither numbers nor text, or on a stream with too large numbers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

import numpy as np

from linsep.data.cells import are_readable, are_true_or_false, number_column
from linsep.data.columns import Column, TableChunk, like
from linsep.markup import quote
from linsep.types import Array, Chunk, ColumnTypeError, DataError

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
    if column.stored is None:
        return
    row = _first_beyond(column.stored)
    if row >= 0:
        raise _too_large(f"{chunk.where(row)}, column {column.name!r}", float(column.stored[row]))


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


def with_parts(chunk: TableChunk, kinds: Mapping[str, str]) -> dict[str, str]:
    """Return the kinds of columns; who skips `user` skips user.age, the parts of an object, too.

    Raises
    ------
    DataError
        A column that is said to hold something is not there.

    Examples
    --------
    >>> from linsep import open_data
    >>> with_parts(open_data(b"user.age,user.name,size\\n1,x,2\\n").read(), {"user": "skip"})
    {'user.age': 'skip', 'user.name': 'skip'}
    >>> with_parts(open_data(b"age,city\\n1,x\\n").read(), {"agee": "number"})
    Traceback (most recent call last):
    linsep.types.DataError: no feature column called 'agee' to read as number; did you mean 'age'?
    """
    found = dict(kinds)
    for name in kinds:
        if name in chunk.names:
            continue
        if name == chunk.label and kinds[name] == "category":  # its labels are text, as the source has read them
            del found[name]
            continue
        parts = [one for one in chunk.names if one.startswith(f"{name}.")] if kinds[name] == "skip" else []
        if not parts:
            raise DataError(f"no feature column called {name!r} to read as {kinds[name]}; {like(name, chunk.names)}")
        del found[name]
        found |= dict.fromkeys(parts, "skip")
    return found


def refuse_types(chunk: TableChunk, kinds: Collection[str]) -> None:
    """Raise DataError for the columns that are neither numbers nor text, all at once, but for those of `kinds`.

    Examples
    --------
    >>> from linsep import open_data
    >>> refuse_types(open_data(b'{"a": 1, "b": [], "c": {}}', format="jsonl").read(), ["c"])
    Traceback (most recent call last):
    linsep.types.ColumnTypeError: buffer:1, column 'b' has type list<item: null>: make it numbers or
    text first, or leave it out (--column b=skip)
    """
    errors: dict[str, ColumnTypeError] = {}
    for name in chunk.names:
        try:
            if name not in kinds:
                chunk.cells(name)
        except ColumnTypeError as error:
            errors[name] = error
    if errors:
        first, *others = errors
        options = " ".join(f"--column {quote(name)}=skip" for name in errors)
        named = f"nor can {', '.join(map(repr, others))} be used: {options} leaves all of them out"
        raise DataError(f"{errors[first]}; {named}") if others else errors[first]


def known_numbers(column: Column, where: Callable[[int], str], said: str) -> Column:
    """A column of text that is known to hold numbers, read as such; `said` is what an error says of another cell.

    Examples
    --------
    >>> import pyarrow as pa
    >>> known_numbers(Column("a", None, pa.array(["1", "", "$2"])), "t.csv:{}".format, "is no number").values.tolist()
    [1.0, 0.0, 2.0]
    """
    name, text = column.name, column.raw
    assert text is not None
    bad = np.flatnonzero(~are_readable(text, column.decimal))
    if bad.size:
        row = int(bad[0])
        raise DataError(f"{where(row)}, column {name!r}: {text[row].as_py()!r:.80} {said}")
    found = number_column(name, text, where, is_text=False, is_number=True, decimal=column.decimal)
    if not found.is_number:  # the words true and false stand for numbers where all cells are such words
        truth = are_true_or_false(text)
        row = int(np.flatnonzero(truth if 2 * truth.sum() <= truth.size else ~truth)[0])
        raise DataError(
            f"{where(row)}, column {name!r}: {text[row].as_py()!r:.80} among "
            f"{'numbers' if truth[row] else 'true and false'}; write all in one way"
        )
    return replace(found, there=column.there)
