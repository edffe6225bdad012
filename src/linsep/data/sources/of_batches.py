"""What sources of Arrow batches have in common: Parquet files and dataframes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from linsep.data.columns import TableChunk
from linsep.data.hashing import RunningHash
from linsep.data.readers.arrow import Where, from_arrow
from linsep.data.sources.seen import add_table
from linsep.data.sources.source import START, Position, Source
from linsep.types import Chunk


class BatchSource(Source):
    """Rows that come in numbered batches, which are the same in every pass.

    The offset of a position is a batch. A kind of batches says what `_batches_of` and `_where` are.
    """

    _n_files = 1

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
