"""What is in memory already: dataframes, and a matrix with its labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property, partial
from typing import Any

from linsep.data.columns import TableChunk
from linsep.data.hashing import RunningHash
from linsep.data.inputs import Input
from linsep.data.labels import as_labels
from linsep.data.readers.arrow import Where, from_arrow, joined, row_of
from linsep.data.readers.asked import Asked, Whole
from linsep.data.readers.dataframe import dataframe_to_arrow
from linsep.data.readers.excel import Sheets, excel_to_arrow
from linsep.data.readers.parquet import BATCH_ROWS
from linsep.data.sources.seen import add_arrays, add_table
from linsep.data.sources.source import START, Position, Source
from linsep.tables import (
    as_floats,
    as_table,
    check_finite,
    check_index,
    check_length,
    is_sparse,
    merge_duplicates,
)
from linsep.types import Chunk

_FIRST_ROW = 2  # of a spreadsheet, after the names


class _InMemory(Source):
    """Rows that can be cut anywhere: the offset of a position is its row.

    A kind of rows says what `_n_rows`, `_part` and `_add_to` are.
    """

    @property
    def can_be_read_again(self) -> bool:
        return True

    def chunks(self, start: Position = START) -> Iterator[tuple[TableChunk | Chunk, Position]]:
        self.error = None
        self._begin_pass(start)
        for first in range(start.row, self._n_rows, BATCH_ROWS):
            chunk, error = self._up_to_error(partial(self._first_rows, first), min(BATCH_ROWS, self._n_rows - first))
            if chunk is not None:
                after = first + self._taken(chunk)
                if self.seen is not None:
                    self._add_to(self.seen, first, after)
                yield chunk, Position(0, after, 1, after)
            if error is not None:
                raise error
        if self.seen is not None:
            self.seen.end_file(self.name)

    def _first_rows(self, first: int, n: int) -> TableChunk | Chunk:
        return self._part(first, first + n)

    def _hash(self, number: int, position: Position | None) -> RunningHash:
        found = RunningHash()
        most = self._n_rows if position is None else position.row
        for first in range(0, most, BATCH_ROWS):
            self._add_to(found, first, min(first + BATCH_ROWS, most))
        return found

    def _add_to(self, seen: Any, first: int, after: int) -> None:
        """Hash some rows."""
        raise NotImplementedError

    @property
    def _n_rows(self) -> int:
        """How many rows there are; each kind of table says so."""
        raise NotImplementedError

    def _part(self, first: int, after: int) -> TableChunk | Chunk:
        """Rows `first` to `after` - 1; each kind of table cuts them out."""
        raise NotImplementedError


class FrameSource(_InMemory):
    """A pandas, Polars or Arrow table, or any other dataframe that narwhals knows."""

    def __init__(self, frame: Any, asked: Asked) -> None:
        super().__init__("dataframe", "table", "dataframe", asked)
        self._frame = frame

    @cached_property
    def _table(self) -> Any:
        return dataframe_to_arrow(self._frame, self.target)

    @property
    def _n_rows(self) -> int:
        return int(self._table.num_rows)

    @property
    def _untyped(self) -> Mapping[str, str]:
        """Columns of text that may stand for numbers, as `from_arrow` takes them."""
        return {}

    def fingerprint(self) -> list[list[Any]]:
        return [[self.name, self._table.num_rows, self._table.num_columns]]

    def _read_whole(self) -> Whole:
        return Whole(self._part(0, self._n_rows))

    def _part(self, first: int, after: int) -> TableChunk:
        part = self._table.slice(first, after - first)
        return from_arrow(part, self.name, self._asked, self._where(first), first, untyped=self._untyped)

    def _where(self, first: int) -> Where:
        """Where the rows from one on stand."""
        return row_of(self.name, first)

    def _add_to(self, seen: Any, first: int, after: int) -> None:
        add_table(seen, self._table.slice(first, after - first))


class ExcelSource(FrameSource):
    """Spreadsheets, which are read as a whole and kept. Rows are counted as each spreadsheet counts them."""

    def __init__(self, inputs: list[Input], name: str, asked: Asked) -> None:
        super().__init__(None, asked)
        self.name, self.format = name, "excel"
        self.files = [file.path if file.path == "-" else file.name for file in inputs if file.path is not None]
        self._inputs = inputs

    @property
    def can_be_read_again(self) -> bool:
        return all(file.can_be_read_again for file in self._inputs)

    def fingerprint(self) -> list[list[Any]]:
        return [[file.name, file.size] for file in self._inputs]

    @cached_property
    def _sheets(self) -> Sheets:
        asked, books = self._asked, ((_content(file), file.name) for file in self._inputs)
        return excel_to_arrow(books, asked.na, asked.skip_rows, asked.sheet)

    @cached_property
    def _joined(self) -> tuple[Any, Where]:
        names, first = [file.name for file in self._inputs], _FIRST_ROW + self._asked.skip_rows
        return joined(self._sheets.tables, names, [row_of(name, first) for name in names])

    @cached_property
    def _table(self) -> Any:
        return self._joined[0]

    def _where(self, first: int) -> Where:
        return lambda row: self._joined[1](first + row)

    @property
    def _untyped(self) -> Mapping[str, str]:
        return self._sheets.untyped


def _content(file: Input) -> bytes:
    stream = file.open()
    try:
        return stream.read_all()
    finally:
        stream.close()


class ArraySource(_InMemory):
    """A matrix, dense or sparse, and its labels or None."""

    def __init__(self, X: Any, y: Any) -> None:
        check_index(X, y)
        super().__init__("arrays", "rows", "arrays", Asked())
        self._X, self._y = X, y

    @property
    def _n_rows(self) -> int:
        return int(self.read().X.shape[0])

    def fingerprint(self) -> list[list[Any]]:
        return [[self.name, *self.read().X.shape]]

    def _read_whole(self) -> Whole:
        X = merge_duplicates(as_floats(as_table(self._X)))
        check_finite(X)
        y = None if self._y is None else as_labels(self._y, lambda row: f"row {row}", "y")
        if y is not None:
            check_length(X, y)
        return Whole(Chunk(X, y, 0))

    def _part(self, first: int, after: int) -> Chunk:
        whole = self.read()
        return Chunk(whole.X[first:after], None if whole.y is None else whole.y[first:after], first)

    def _add_to(self, seen: Any, first: int, after: int) -> None:
        whole = self.read()
        X = whole.X[first:after]
        add_arrays(seen, *((X.data, X.indices, X.indptr) if is_sparse(X) else (X,)))
        if whole.y is not None:
            add_arrays(seen, whole.y[first:after])
