"""Parquet files and dataframes: typed columns."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from linsep.data.columns import Column, TableChunk, as_labels, as_text, check_names, take_target
from linsep.types import Array, DataError


def read_parquet(path: Any, name: str, target: str | None, categorical: Collection[str]) -> TableChunk:
    """Return the rows of a Parquet file."""
    try:
        table = pyarrow.parquet.read_table(path if isinstance(path, Path) else pa.BufferReader(path))
    except (pa.ArrowInvalid, OSError) as error:
        raise DataError(f"{name}: not a whole Parquet file: {error}") from None
    return from_arrow(table, name, target, categorical)


def from_dataframe(frame: Any, target: str | None, categorical: Collection[str]) -> TableChunk:
    """Return the rows of a pandas, Polars or Arrow table."""
    try:
        frame = nw.from_native(frame, eager_only=True)
    except TypeError:
        raise DataError(
            f"cannot read rows from {type(frame).__name__}: give a path, a dataframe, or a pair (X, y)"
        ) from None
    except ValueError as error:
        raise DataError(f"dataframe: {error}") from None  # two columns of one name
    if target is not None and target in frame.columns and frame[target].dtype == nw.Object:
        as_labels(frame[target].to_list(), _row_of("dataframe"), target)
    try:
        table = frame.to_arrow()
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise DataError(f"dataframe: a column holds values of mixed types: {error}") from None
    except (NotImplementedError, TypeError) as error:  # complex numbers, pandas' sparse columns
        raise DataError(f"dataframe: {error}; make the column numbers or text first, or leave it out") from None
    return from_arrow(table, "dataframe", target, categorical)


def _row_of(name: str) -> Callable[[int], str]:
    return lambda row: f"{name}, row {row}"


def from_arrow(
    table: Any,
    name: str,
    target: str | None,
    categorical: Collection[str],
    where: Callable[[int], str] | None = None,
    start: int = 0,
    *,
    open_columns: bool = False,
) -> TableChunk:
    """Return the rows of an Arrow table; numbers and booleans are numbers, text and dictionaries categories.

    A missing value is an error; with `open_columns` it says that the row does not have the column.
    """
    names = [column for column in table.column_names if column != "__index_level_0__"]
    if open_columns:
        names = [column for column in names if column == target or table.column(column).null_count < table.num_rows]
    if not names and not open_columns:
        raise DataError(f"{name}: there are no columns")
    check_names(names, name)
    take_target(names, target, alone=open_columns)
    if table.num_rows == 0:
        raise DataError(f"{name}: there is not one row")
    place = where or _row_of(name)

    def parse(column: str) -> Column:
        if open_columns and table.column(column).null_count:
            there = pc.is_valid(table.column(column)).to_numpy()
            rows = np.flatnonzero(there)
            values = _values(pa.table({column: table.column(column).filter(pa.array(there))}), column, place)
            some = _typed(column, values, lambda row: place(int(rows[row])), is_text=column in categorical)
            return _spread(some, there)
        return _typed(column, _values(table, column, place), place, is_text=column in categorical)

    y = None if target is None else as_labels(_label_values(_values(table, target, place)), place, target)
    return TableChunk([column for column in names if column != target], y, start, table.num_rows, place, parse)


def _label_values(values: Any) -> Any:
    """Numbers as an array, which costs no Python object a row; anything else as a list."""
    plain = pa.types.is_integer(values.type) or pa.types.is_floating(values.type) or pa.types.is_boolean(values.type)
    return values.to_numpy(zero_copy_only=False) if plain else values.to_pylist()


def _values(table: Any, column: str, where: Callable[[int], str]) -> Any:
    values = table.column(column).combine_chunks()
    values = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    if values.null_count:
        row = pc.index(pc.is_null(values), True).as_py()
        raise DataError(f"{where(row)}, column {column!r}: the value is missing; fill or drop missing values first")
    return values.dictionary_decode() if pa.types.is_dictionary(values.type) else values


def _spread(some: Column, there: Array) -> Column:
    """A column of the rows that have it as one of all rows; what stands in the others is not looked at."""
    row = np.maximum(np.cumsum(there) - 1, 0)
    values = None if some.values is None else some.values[row]
    return Column(some.name, values, None if some.text is None else some.text.take(pa.array(row)), there)


def _typed(column: str, values: Any, where: Callable[[int], str], *, is_text: bool) -> Column:
    kind = values.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return Column(column, None, pc.cast(values, pa.string()))
    exact = pa.types.is_decimal(kind) or pa.types.is_integer(kind)
    if not (exact or pa.types.is_floating(kind) or pa.types.is_boolean(kind)):
        raise DataError(f"column {column!r} has type {kind}: make it numbers or text first, or leave it out")
    numbers = (pc.cast(values, pa.float64(), safe=False) if exact else values).to_numpy(zero_copy_only=False)
    numbers = numbers.astype(np.float64)
    if not np.isfinite(numbers).all():
        row = int(np.flatnonzero(~np.isfinite(numbers))[0])
        raise DataError(f"{where(row)}, column {column!r}: {numbers[row]} is not a finite number")
    # A double holds no decimal fraction and no whole number beyond 2**53; their text keeps them exact.
    beyond = pa.types.is_decimal(kind) or (pa.types.is_integer(kind) and np.abs(numbers).max() >= 2**53)
    text = pc.cast(values, pa.string()) if beyond else None
    if is_text:
        return Column(column, None, as_text(numbers) if text is None else text)
    return Column(column, numbers, text)
