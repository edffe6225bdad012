from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Self

from pyarrow import NativeFile, RecordBatch, Schema, Table

class ParquetFile:
    schema_arrow: Schema
    metadata: Any
    def __init__(
        self, source: str | NativeFile, *, pre_buffer: bool = ..., buffer_size: int = ..., **more: Any
    ) -> None: ...
    def read(self) -> Table: ...
    def iter_batches(self, batch_size: int = ..., *, use_threads: bool = ...) -> Iterator[RecordBatch]: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *error: object) -> None: ...

def read_table(source: str | Path | NativeFile, *, columns: list[str] | None = ...) -> Table: ...
def write_table(
    table: Table,
    where: str | Path | IO[bytes] | NativeFile,
    *,
    compression: str = ...,
    use_dictionary: list[str] = ...,
    row_group_size: int = ...,
) -> None: ...
