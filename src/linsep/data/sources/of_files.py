"""What sources of files have in common, and Parquet files; text is in `of_text.py`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from linsep.data.columns import TableChunk
from linsep.data.inputs import Input
from linsep.data.readers.asked import Asked, Kind, Whole
from linsep.data.readers.parquet import ParquetReader
from linsep.data.sources.source import START, Position, Source
from linsep.types import Chunk

_MAGIC = b"PAR1"


class FileSource(Source):
    """A source of one or more files."""

    def __init__(self, inputs: list[Input], kind: Kind, name: str, format: str, asked: Asked) -> None:
        super().__init__(name, kind, format, asked)
        self._inputs = inputs
        self.files = [file.path for file in inputs if file.path is not None]

    @property
    def can_be_read_again(self) -> bool:
        return all(file.can_be_read_again for file in self._inputs)

    def fingerprint(self) -> list[list[Any]]:
        return [[file.name, file.size] for file in self._inputs]

    @property
    def total_bytes(self) -> int | None:
        return sum(file.size for file in self._inputs) if self.can_be_read_again else None


class ParquetSource(FileSource):
    """Parquet files. One from a pipe, in a buffer or compressed once more is kept in memory while it is read."""

    def __init__(self, inputs: list[Input], name: str, asked: Asked) -> None:
        super().__init__(inputs, "table", name, "parquet", asked)
        self._reader = ParquetReader(asked)

    def _read_whole(self) -> Whole:
        return self._reader.whole([_random_access(file) for file in self._inputs], [file.name for file in self._inputs])

    def chunks(self, start: Position = START) -> Iterator[tuple[TableChunk | Chunk, Position]]:
        row, skip = start.row, start.offset
        for number, file in enumerate(self._inputs[start.file :], start.file):
            batches = self._reader.blocks(_random_access(file), file.name, skip, row)
            for k, chunk in enumerate(batches, skip + 1):
                row += chunk.n_rows
                yield chunk, Position(number, k, 1, row)
            skip = 0


def _random_access(file: Input) -> Any:
    """The index of a Parquet file is at its end, so a pipe has to be read as a whole first."""
    if file.path is not None and file.can_be_read_again:
        with open(file.path, "rb") as stream:
            if stream.read(len(_MAGIC)) == _MAGIC:
                return file.path
    stream_of_bytes = file.open()
    try:
        return pa.BufferReader(stream_of_bytes.read_all())
    finally:
        stream_of_bytes.close()
