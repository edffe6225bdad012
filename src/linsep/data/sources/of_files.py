"""What sources of files have in common, and Parquet files; text is in `of_text.py`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from linsep.data.columns import TableChunk
from linsep.data.hashing import RunningHash
from linsep.data.inputs import Input
from linsep.data.readers.asked import Asked, Kind, Whole
from linsep.data.readers.parquet import ParquetReader
from linsep.data.sources.seen import add_table
from linsep.data.sources.source import START, Position, Source
from linsep.types import Chunk

_MAGIC = b"PAR1"


class FileSource(Source):
    """A source of one or more files."""

    def __init__(self, inputs: list[Input], kind: Kind, name: str, format: str, asked: Asked) -> None:
        super().__init__(name, kind, format, asked)
        self._inputs = inputs
        self.files = [file.path for file in inputs if file.path is not None]
        self._stamps: dict[int, tuple[int, ...]] = {}

    @property
    def can_be_read_again(self) -> bool:
        return all(file.can_be_read_again for file in self._inputs)

    def fingerprint(self) -> list[list[Any]]:
        return [[file.name, file.size] for file in self._inputs]

    @property
    def total_bytes(self) -> int | None:
        return sum(file.size for file in self._inputs) if self.can_be_read_again else None

    def _begin_file(self, number: int) -> None:
        """Look at a file whose size or time has changed since the pass before, before any row of it is learnt."""
        file = self._inputs[number]
        if self.seen is None or not file.can_be_read_again:
            return
        stamp = file.stamp
        if number < len(self.seen.whole) and self._stamps.get(number) != stamp:
            self.seen.expect(number, self._hash(number, None), file.name)
        self._stamps[number] = stamp

    def _end_file(self, number: int) -> None:
        if self.seen is not None:
            self.seen.end_file(self._inputs[number].name)


class ParquetSource(FileSource):
    """Parquet files. One from a pipe, in a buffer or compressed once more is kept in memory while it is read.

    The offset of a position is a batch, its line the row in it, from 1.
    """

    def __init__(self, inputs: list[Input], name: str, asked: Asked) -> None:
        super().__init__(inputs, "table", name, "parquet", asked)
        self._reader = ParquetReader(asked)

    def _read_whole(self) -> Whole:
        return self._reader.whole([_random_access(file) for file in self._inputs], [file.name for file in self._inputs])

    def chunks(self, start: Position = START) -> Iterator[tuple[TableChunk | Chunk, Position]]:
        self.error = None
        self._begin_pass(start)
        row = start.row
        for number in range(start.file, len(self._inputs)):
            first = start if number == start.file else START
            self._begin_file(number)
            for batch, rows in self._batches(number, first):
                make = self._reader.rows_of(rows, self._inputs[number].name, row)
                chunk, error = self._up_to_error(make, rows.num_rows)
                taken = 0 if chunk is None else chunk.n_rows
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
        file = self._inputs[number]
        for batch, rows in self._reader.batches(_random_access(file), file.name):
            if batch == first.offset and first.line > 1:
                yield batch, rows.slice(first.line - 1)
            elif batch >= first.offset:
                yield batch, rows

    def _hash(self, number: int, position: Position | None) -> RunningHash:
        found = RunningHash()
        for batch, rows in self._batches(number, START):
            if position is None or batch < position.offset:
                add_table(found, rows)
            elif batch == position.offset and position.line > 1:
                add_table(found, rows.slice(0, position.line - 1))
        return found


def _random_access(file: Input) -> Any:
    """The index of a Parquet file is at its end, so a pipe has to be read as a whole first."""
    if file.path is not None and file.can_be_read_again:
        with file.opened(file.path) as stream:
            if stream.read(len(_MAGIC)) == _MAGIC:
                return file.path
    stream_of_bytes = file.open()
    try:
        return pa.BufferReader(stream_of_bytes.read_all())
    finally:
        stream_of_bytes.close()
