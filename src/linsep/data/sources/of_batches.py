"""Sources of tables in batches (Parquet files, spreadsheets, dataframes), and of a matrix with its labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import pyarrow as pa

from linsep.data.columns import TableChunk
from linsep.data.hashing import RunningHash
from linsep.data.inputs import Input
from linsep.data.labels import as_labels
from linsep.data.readers.arrow import Where, dataframe_to_arrow, from_arrow, joined, row_of
from linsep.data.readers.asked import Asked, Whole
from linsep.data.readers.excel import excel_to_arrow
from linsep.data.readers.parquet import BATCH_ROWS, parquet_batches, parquet_whole
from linsep.data.sources.seen import add_arrays, add_table
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

_MAGIC = b"PAR1"
_FIRST_ROW = 2  # of a spreadsheet, after the names


class BatchSource(Source):
    """Rows that come in numbered batches, which are the same in every pass.

    The offset of a position is a batch. A kind of batches says what `_batches_of` and `_where` are.
    """

    def __init__(self, name: str, format: str, asked: Asked, inputs: Sequence[Input] = ()) -> None:
        super().__init__(name, "table", format, asked, inputs)
        self._n_files = 1

    def chunks(self, start: Position = START) -> Iterator[tuple[TableChunk | Chunk, Position]]:
        self._begin_pass(start)
        row = start.row
        for number in range(start.file, self._n_files):
            first = start.offset if number == start.file else 0
            self._begin_file(number)
            for batch, rows in self._batches_of(number):
                if batch < first:
                    continue
                chunk = self._rows_of(rows, number, row)
                self.check(chunk)
                row += self._taken(chunk)
                if self.seen is not None:
                    add_table(self.seen, rows)
                yield chunk, Position(number, batch + 1, 1, row)
            self._end_file(number)

    def _hash(self, number: int, position: Position | None) -> RunningHash:
        found = RunningHash()
        for batch, rows in self._batches_of(number):
            if position is not None and batch == position.offset:
                break
            add_table(found, rows)
        return found

    def _batches_of(self, number: int) -> Iterator[tuple[int, Any]]:
        """The batches of a file as Arrow tables, numbered from 0."""
        raise NotImplementedError

    def _rows_of(self, rows: Any, number: int, before: int) -> TableChunk:
        """The rows of a batch of a file; so many rows were before it."""
        where, name = self._where(number, before), self._file_name(number)
        return from_arrow(rows, name, self._asked, where, before, untyped=self._untyped)

    @property
    def _untyped(self) -> set[str]:
        """Columns of text and numbers, as `from_arrow` takes them."""
        return set()

    def _where(self, number: int, before: int) -> Where:
        """Where the rows of a batch of a file stand; so many rows were before it."""
        raise NotImplementedError


class ParquetSource(BatchSource):
    """Parquet files. One from a pipe, in a buffer or compressed once more is kept in memory while it is read."""

    def __init__(self, inputs: list[Input], name: str, asked: Asked) -> None:
        super().__init__(name, "parquet", asked, inputs)
        self._n_files = len(inputs)

    def _read_whole(self) -> Whole:
        return Whole(parquet_whole([(_random_access(file), file.name) for file in self._inputs], self._asked))

    def _batches_of(self, number: int) -> Iterator[tuple[int, Any]]:
        return parquet_batches(_random_access(self._inputs[number]), self._file_name(number))

    def _where(self, number: int, before: int) -> Where:
        return lambda row: f"{self._file_name(number)}, row {before + row} of the stream"


def _random_access(file: Input) -> Any:
    """The index of a Parquet file is at its end, so a pipe has to be read as a whole first."""
    if file.path is not None and file.can_be_read_again:
        with file.opened(file.path) as stream:
            if stream.read(len(_MAGIC)) == _MAGIC:
                return file.path
    return pa.BufferReader(file.read_all())


class FrameSource(BatchSource):
    """A pandas, Polars or Arrow table, or any other dataframe that narwhals knows."""

    def __init__(
        self, frame: Any, asked: Asked, name: str = "dataframe", format: str = "dataframe", inputs: Sequence[Input] = ()
    ) -> None:
        super().__init__(name, format, asked, inputs)
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
        return excel_to_arrow(books, asked.skip_rows, asked.sheet)

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
