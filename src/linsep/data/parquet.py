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

from linsep.data.table import Column, TableChunk, as_labels, as_text, check_names, take_target
from linsep.types import DataError


def read_parquet(path: Any, name: str, target: str | None, categorical: Collection[str]) -> TableChunk:
    """Return the rows of a Parquet file."""
    try:
        table = pyarrow.parquet.read_table(path if isinstance(path, Path) else pa.BufferReader(path))
    except (pa.ArrowInvalid, OSError) as error:
        raise DataError(f"{name}: not a whole Parquet file: {error}") from None
    return from_arrow(table, name, target, categorical)


def from_dataframe(frame: Any, target: str | None, categorical: Collection[str]) -> TableChunk:
    """Return the rows of a pandas, Polars or Arrow table."""
    frame = nw.from_native(frame, eager_only=True)
    if target is not None and target in frame.columns:
        mixed = frame[target]
        if mixed.dtype == nw.Object:
            as_labels(mixed.to_list(), lambda row: f"row {row}", target)
    try:
        table = frame.to_arrow()
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise DataError(f"a column holds values of mixed types: {error}") from None
    return from_arrow(table, "dataframe", target, categorical)


def from_arrow(table: Any, name: str, target: str | None, categorical: Collection[str]) -> TableChunk:
    """Return the rows of an Arrow table; numbers and booleans are numbers, text and dictionaries categories."""
    names = [column for column in table.column_names if column != "__index_level_0__"]
    if not names:
        raise DataError(f"{name}: there are no columns")
    check_names(names, name)
    take_target(names, target)
    if table.num_rows == 0:
        raise DataError(f"{name}: there is not one row")

    def where(row: int) -> str:
        return f"{name}, row {row}"

    y = None
    columns = []
    for column in names:
        values = table.column(column).combine_chunks()
        values = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
        _refuse_nulls(column, values, where)
        if column == target:
            y = as_labels(_plain(values).to_pylist(), where, column)
        else:
            columns.append(_typed(column, values, where, is_text=column in categorical))
    return TableChunk(columns, y, 0, table.num_rows, where)


def _plain(values: Any) -> Any:
    return values.dictionary_decode() if pa.types.is_dictionary(values.type) else values


def _refuse_nulls(column: str, values: Any, where: Callable[[int], str]) -> None:
    if values.null_count:
        row = pc.index(pc.is_null(values), True).as_py()
        raise DataError(f"{where(row)}, column {column!r}: the value is missing; fill or drop missing values first")


def _typed(column: str, values: Any, where: Callable[[int], str], *, is_text: bool) -> Column:
    values = _plain(values)
    kind = values.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return Column(column, None, pc.cast(values, pa.string()))
    if pa.types.is_decimal(kind):
        values = pc.cast(values, pa.float64())
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)):
        raise DataError(f"column {column!r} has type {kind}: make it numbers or text first, or leave it out")
    numbers = values.to_numpy(zero_copy_only=False).astype(np.float64)
    if not np.isfinite(numbers).all():
        row = int(np.flatnonzero(~np.isfinite(numbers))[0])
        raise DataError(f"{where(row)}, column {column!r}: {numbers[row]} is not a finite number")
    return Column(column, None, as_text(numbers)) if is_text else Column(column, numbers, None)
