"""CSV, strict: a header, the same number of fields on every line, UTF-8. Every column is read as text first."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Collection
from typing import Any

import pyarrow as pa
import pyarrow.csv

from linsep.data.table import TableChunk, as_labels, check_names, number_column, take_target
from linsep.types import DataError


def read_csv(content: bytes, name: str, target: str | None, categorical: Collection[str]) -> TableChunk:
    """Return the rows of a CSV file given as bytes; `name` is for messages."""
    content = content.removeprefix(b"\xef\xbb\xbf")
    if not content.strip():
        raise DataError(f"{name}: the file is empty; a header line with column names is needed")
    names = _header(content, name)
    take_target(names, target)
    table = _parse(content, name, names)
    if table.num_rows == 0:
        raise DataError(f"{name}: there is a header but not one row")
    where = _locator(content, name)
    y = None
    columns = []
    for column in names:
        text = table.column(column).combine_chunks()
        if column == target:
            labels = number_column(column, text, where, is_text=False) if _all_numbers(text) else None
            y = as_labels(text.to_pylist() if labels is None else labels.values, where, column)
        else:
            columns.append(number_column(column, text, where, is_text=column in categorical))
    return TableChunk(columns, y, 0, table.num_rows, where)


def _all_numbers(text: Any) -> bool:
    try:
        pa.compute.cast(text, pa.float64())
    except pa.ArrowInvalid:
        return False
    return True


def _header(content: bytes, name: str) -> list[str]:
    try:
        names = next(record for record in csv.reader(_lines(content), strict=True) if record)
    except UnicodeDecodeError as error:
        raise DataError(f"{name}: not UTF-8 text ({error.reason}); convert it first") from None
    except csv.Error as error:
        raise DataError(f"{name}:1: malformed header: {error}") from None
    check_names(names, name)
    return names


def _lines(content: bytes) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", newline="")


def _parse(content: bytes, name: str, names: list[str]) -> Any:
    ragged: list[tuple[int, int, int]] = []

    def note(row: Any) -> str:
        ragged.append((row.number, row.expected_columns, row.actual_columns))
        return "skip"

    try:
        table = pyarrow.csv.read_csv(
            pa.BufferReader(content),
            read_options=pyarrow.csv.ReadOptions(use_threads=False, block_size=max(1 << 20, len(content) + 1)),
            parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True, invalid_row_handler=note),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types={column: pa.string() for column in names}, strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid as error:
        raise DataError(f"{name}: malformed CSV: {error}") from None
    if ragged:
        number, expected, found = ragged[0]
        line = _locator(content, name)(number - 2)
        raise DataError(f"{line}: {found} fields where the header has {expected}; quote fields that hold a comma")
    return table


def _locator(content: bytes, name: str) -> Callable[[int], str]:
    """Where a row stands: file:line, counted by reading again (only for messages); row -1 is the header."""

    def where(row: int) -> str:
        reader = csv.reader(_lines(content))
        seen = -2
        start = 1
        for record in reader:
            seen += bool(record)
            if record and seen == row:
                return f"{name}:{start}"
            start = reader.line_num + 1
        return f"{name}: row {row + 1}"

    return where
