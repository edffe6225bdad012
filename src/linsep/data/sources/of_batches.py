"""What sources of Arrow batches have in common: Parquet files and dataframes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from linsep.data.columns import TableChunk
from linsep.data.hashing import RunningHash
from linsep.data.readers.arrow import Where, from_arrow
from linsep.data.sources.seen import add_table
from linsep.data.sources.source import START, Position, Source
from linsep.types import Chunk, DataError


class BatchSource(Source):
    """Rows that come in numbered batches, which are the same in every pass.

    The offset of a position is a batch, its line the row in it, from 1. A kind of batches says what `_batches_of` and
    `_where` are.
    """

    _n_files = 1

    def chunks(self, start: Position = START) -> Iterator[tuple[TableChunk | Chunk, Position]]:
        self.error = None
        self._begin_pass(start)
        row = start.row
        for number in range(start.file, self._n_files):
            first = start if number == start.file else START
            self._begin_file(number)
            for batch, rows in self._batches(number, first):
                chunk, error = up_to_error(self, self._rows_of(rows, number, row), rows.num_rows)
                taken = 0 if chunk is None else self._taken(chunk)
                if self.seen is not None:
                    add_table(self.seen, rows.slice(0, taken))
                if chunk is not None:
                    row += taken
                    line = taken + (first.line if batch == first.offset else 1)
                    after = (batch + 1, 1) if error is None else (batch, line)
                    yield chunk, Position(number, *after, row)
                if error is not None:
                    raise error
            self._end_file(number)

    def _batches(self, number: int, first: Position) -> Iterator[tuple[int, Any]]:
        """The batches of a file from a position on, with their numbers."""
        for batch, rows in self._batches_of(number):
            if batch == first.offset and first.line > 1:
                yield batch, rows.slice(first.line - 1)
            elif batch >= first.offset:
                yield batch, rows

    def _hash(self, number: int, position: Position | None) -> RunningHash:
        found = RunningHash()
        for batch, rows in self._batches(number, START):
            if position is not None and batch == position.offset:
                if position.line > 1:
                    add_table(found, rows.slice(0, position.line - 1))
                break
            add_table(found, rows)
        return found

    def _batches_of(self, number: int) -> Iterator[tuple[int, Any]]:
        """The batches of a file as Arrow tables, numbered from 0."""
        raise NotImplementedError

    def _rows_of(self, rows: Any, number: int, before: int) -> Callable[[int], TableChunk]:
        """What reads the first so many rows of a batch of a file; so many rows were before it."""
        where, name = self._where(number, before), self._file_name(number)
        return lambda n: from_arrow(rows.slice(0, n), name, self._asked, where, before, untyped=self._untyped)

    @property
    def _untyped(self) -> set[str]:
        """Columns of text and numbers, as `from_arrow` takes them."""
        return set()

    def _where(self, number: int, before: int) -> Where:
        """Where the rows of a batch of a file stand; so many rows were before it."""
        raise NotImplementedError


def up_to_error(source: Source, make: Callable[[int], Any], n_rows: int) -> tuple[Any, DataError | None]:
    """What `make(n_rows)` reads, or as many of its first rows as nothing is wrong with, and the error then.

    The `check` of the source looks at them, and its `error` is the one that was found.
    """

    def read(n: int) -> Any:
        chunk = make(n)
        source.check(chunk)
        return chunk

    try:
        return read(n_rows), None
    except DataError as found:
        source.error = found
    good, bad = 0, n_rows
    while bad - good > 1:
        middle = (good + bad) // 2
        try:
            read(middle)
            good = middle
        except DataError as found:
            source.error, bad = found, middle
    return (make(good) if good else None), source.error
