"""What sources of files have in common, and Parquet files; text is in `of_text.py`."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from linsep.data.addresses import is_address
from linsep.data.columns import TableChunk
from linsep.data.inputs import Input
from linsep.data.readers.asked import Asked, Kind, Whole
from linsep.data.readers.parquet import ParquetReader
from linsep.data.sources.of_batches import BatchSource
from linsep.data.sources.source import Source

_MAGIC = b"PAR1"


class FileSource(Source):
    """A source of one or more files."""

    def __init__(self, inputs: list[Input], kind: Kind, name: str, format: str, asked: Asked) -> None:
        super().__init__(name, kind, format, asked)
        self._inputs = inputs
        self.files = [file.path if file.path == "-" else file.name for file in inputs if file.path is not None]
        self._stamps: dict[int, tuple[Any, ...]] = {}

    @property
    def can_be_read_again(self) -> bool:
        return all(file.can_be_read_again for file in self._inputs)

    def fingerprint(self) -> list[list[Any]]:
        return [[file.name, file.size] for file in self._inputs]

    @property
    def total_bytes(self) -> int | None:
        sizes = [file.size for file in self._inputs] if self.can_be_read_again else [None]
        return None if None in sizes else sum(filter(None, sizes))

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


class ParquetSource(FileSource, BatchSource):
    """Parquet files. One from a pipe, in a buffer or compressed once more is kept in memory while it is read."""

    def __init__(self, inputs: list[Input], name: str, asked: Asked) -> None:
        super().__init__(inputs, "table", name, "parquet", asked)
        self._n_files = len(inputs)
        self._reader = ParquetReader(asked)

    def _read_whole(self) -> Whole:
        return self._reader.whole([_random_access(file) for file in self._inputs], [file.name for file in self._inputs])

    def _batches_of(self, number: int) -> Iterator[tuple[int, Any]]:
        file = self._inputs[number]
        return self._reader.batches(_random_access(file), file.name)

    def _rows_of(self, rows: Any, number: int, before: int) -> Callable[[int], TableChunk]:
        return self._reader.rows_of(rows, self._inputs[number].name, before)


def _random_access(file: Input) -> Any:
    """The index of a Parquet file is at its end, so a pipe has to be read as a whole first."""
    if file.path is not None and is_address(file.path):
        remote = file.opened(file.path, anywhere=True)
        if _ends_like_parquet(remote):
            return remote
        remote.close()
    elif file.path is not None and file.can_be_read_again:
        with file.opened(file.path) as stream:
            if stream.read(len(_MAGIC)) == _MAGIC:
                return file.path
    stream_of_bytes = file.open()
    try:
        return pa.BufferReader(stream_of_bytes.read_all())
    finally:
        stream_of_bytes.close()


def _ends_like_parquet(file: Any) -> bool:
    """Whether the last bytes are those of a Parquet file, and the server gives them without those before."""
    try:
        if not file.seekable():
            return False
        file.seek(-len(_MAGIC), io.SEEK_END)
        return bool(file.read(len(_MAGIC)) == _MAGIC)
    except (OSError, ValueError):
        return False
    finally:
        if file.seekable():
            file.seek(0)
