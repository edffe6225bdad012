"""What sources of files have in common, and Parquet files; text is in `of_text.py`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from linsep.data.inputs import Input
from linsep.data.readers.arrow import Where
from linsep.data.readers.asked import Asked, Kind, Whole
from linsep.data.readers.parquet import parquet_batches, parquet_whole
from linsep.data.sources.of_batches import BatchSource
from linsep.data.sources.source import Source

_MAGIC = b"PAR1"


class FileSource(Source):
    """A source of one or more files."""

    def __init__(self, inputs: list[Input], kind: Kind, name: str, format: str, asked: Asked) -> None:
        super().__init__(name, kind, format, asked, inputs)
        self._stamps: dict[int, tuple[Any, ...]] = {}

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


class ParquetSource(FileSource, BatchSource):
    """Parquet files. One from a pipe, in a buffer or compressed once more is kept in memory while it is read."""

    def __init__(self, inputs: list[Input], name: str, asked: Asked) -> None:
        super().__init__(inputs, "table", name, "parquet", asked)
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
