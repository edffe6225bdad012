"""What is in memory already: dataframes, and a matrix with its labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from linsep.data.columns import TableChunk
from linsep.data.hashing import RunningHash
from linsep.data.inputs import Input
from linsep.data.labels import as_labels
from linsep.data.readers.arrow import Where, joined, row_of
from linsep.data.readers.asked import Asked, Whole
from linsep.data.readers.excel import excel_to_arrow
from linsep.data.readers.parquet import BATCH_ROWS
from linsep.data.sources.dataframe import dataframe_to_arrow
from linsep.data.sources.of_batches import BatchSource
from linsep.data.sources.seen import add_arrays
from linsep.data.sources.source import START, Position, Source
from linsep.tables import (
    as_floats,
    as_table,
    check_finite,
    check_index,
    check_length,
    exact_table,
    is_sparse,
    merge_duplicates,
)
from linsep.types import Chunk

_FIRST_ROW = 2  # of a spreadsheet, after the names


class FrameSource(BatchSource):
    """A pandas, Polars or Arrow table, or any other dataframe that narwhals knows."""

    def __init__(
        self, frame: Any, asked: Asked, name: str = "dataframe", format: str = "dataframe", inputs: Sequence[Input] = ()
    ) -> None:
        super().__init__(name, "table", format, asked, inputs)
        self._frame = frame

    @cached_property
    def _table(self) -> Any:
        return dataframe_to_arrow(self._frame, self.target)

    def fingerprint(self) -> list[list[Any]]:
        return super().fingerprint() or [[self.name, self._table.num_rows, self._table.num_columns]]

    def _read_whole(self) -> Whole:
        return Whole(self._rows_of(self._table, 0, 0))

    def _batches_of(self, number: int) -> Iterator[tuple[int, Any]]:
        return enumerate(self._table.slice(first, BATCH_ROWS) for first in range(0, self._table.num_rows, BATCH_ROWS))

    def _where(self, number: int, before: int) -> Where:
        return row_of(self.name, before)

    def _file_name(self, number: int) -> str:
        return self.name


class ExcelSource(FrameSource):
    """Spreadsheets, which are read as a whole and kept. Rows are counted as each spreadsheet counts them."""

    def __init__(self, inputs: list[Input], name: str, asked: Asked) -> None:
        super().__init__(None, asked, name, "excel", inputs)

    @cached_property
    def _sheets(self) -> tuple[list[Any], set[str]]:
        asked, books = self._asked, ((file.read_all(), file.name) for file in self._inputs)
        return excel_to_arrow(books, asked.na, asked.skip_rows, asked.sheet)

    @cached_property
    def _joined(self) -> tuple[Any, Where]:
        names, first = [file.name for file in self._inputs], _FIRST_ROW + self._asked.skip_rows
        return joined(self._sheets[0], names, [row_of(name, first) for name in names])

    @cached_property
    def _table(self) -> Any:
        return self._joined[0]

    @property
    def _untyped(self) -> set[str]:
        return self._sheets[1]

    def _where(self, number: int, before: int) -> Where:
        return lambda row: self._joined[1](before + row)


class ArraySource(Source):
    """A matrix, dense or sparse, and its labels or None. It can be cut anywhere: an offset is a row."""

    def __init__(self, X: Any, y: Any) -> None:
        check_index(X, y)
        super().__init__("arrays", "rows", "arrays", Asked())
        self._X, self._y = X, y

    @property
    def exact_rows(self) -> Any:
        return exact_table(self._X)

    def fingerprint(self) -> list[list[Any]]:
        return [[self.name, *self.read().X.shape]]

    def chunks(self, start: Position = START) -> Iterator[tuple[TableChunk | Chunk, Position]]:
        self._begin_pass(start)
        n = self.read().X.shape[0]
        for first in range(start.row, n, BATCH_ROWS):
            after = min(first + BATCH_ROWS, n)
            chunk = self._part(first, after - first)
            self.check(chunk)
            if self.seen is not None:
                self._add_to(self.seen, first, after)
            yield chunk, Position(0, after, 1, after)
        self._end_file(0)

    def _read_whole(self) -> Whole:
        X = merge_duplicates(as_floats(as_table(self._X)))
        check_finite(X)
        y = None if self._y is None else as_labels(self._y, lambda row: f"row {row}", "y")
        if y is not None:
            check_length(X, y)
        return Whole(Chunk(X, y, 0))

    def _part(self, first: int, n: int) -> Chunk:
        whole = self.read()
        return Chunk(whole.X[first : first + n], None if whole.y is None else whole.y[first : first + n], first)

    def _add_to(self, seen: Any, first: int, after: int) -> None:
        """Hash some rows."""
        part = self._part(first, after - first)
        add_arrays(seen, *((part.X.data, part.X.indices, part.X.indptr) if is_sparse(part.X) else (part.X,)))
        if part.y is not None:
            add_arrays(seen, part.y)

    def _hash(self, number: int, position: Position | None) -> RunningHash:
        found = RunningHash()
        most = self.read().X.shape[0] if position is None else position.row
        for first in range(0, most, BATCH_ROWS):
            self._add_to(found, first, min(first + BATCH_ROWS, most))
        return found
