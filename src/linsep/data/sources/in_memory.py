"""What is in memory already: dataframes, and a matrix with its labels."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from linsep.data.columns import TableChunk, as_labels
from linsep.data.readers.arrow import from_arrow, row_of
from linsep.data.readers.asked import Asked, Whole
from linsep.data.readers.dataframe import dataframe_to_arrow
from linsep.data.readers.parquet import BATCH_ROWS
from linsep.data.sources.source import START, Position, Source
from linsep.tables import as_floats, as_table, check_finite, check_index, check_length, merge_duplicates
from linsep.types import Chunk


class _InMemory(Source):
    """Rows that can be cut anywhere: the offset of a position is its row."""

    @property
    def can_be_read_again(self) -> bool:
        return True

    def chunks(self, start: Position = START) -> Iterator[tuple[TableChunk | Chunk, Position]]:
        for first in range(start.row, self._n_rows, BATCH_ROWS):
            after = min(first + BATCH_ROWS, self._n_rows)
            yield self._part(first, after), Position(0, after, 1, after)

    @property
    def _n_rows(self) -> int:
        raise NotImplementedError

    def _part(self, first: int, after: int) -> TableChunk | Chunk:
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

    def fingerprint(self) -> list[list[Any]]:
        return [[self.name, self._table.num_rows, self._table.num_columns]]

    def _read_whole(self) -> Whole:
        return Whole(from_arrow(self._table, self.name, self._asked, row_of(self.name)))

    def _part(self, first: int, after: int) -> TableChunk:
        part = self._table.slice(first, after - first)
        return from_arrow(part, self.name, self._asked, row_of(self.name, first), first)


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
        X, y, _ = self.read()
        return Chunk(X[first:after], None if y is None else y[first:after], first)
