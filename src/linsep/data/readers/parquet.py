"""Parquet files: typed columns, read whole or a batch of rows at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from linsep.data.columns import TableChunk
from linsep.data.distinct import holds_text
from linsep.data.inputs import free_memory
from linsep.data.readers.arrow import compact, from_arrow, joined, row_of
from linsep.data.readers.lines import Asked, in_a_line
from linsep.types import DataError

# Rows of a batch: positions in a Parquet file are counted in batches of this size.
BATCH_ROWS = 1 << 15
_BYTES_OF_PLAIN_TEXT = 4  # of the length before each


def parquet_whole(files: Sequence[tuple[Any, str]], asked: Asked) -> TableChunk:
    """All rows of all files, which are given as Arrow's own random-access files with what messages call them.

    Of a file alone text stays in its dictionaries; with others it might not join.

    Examples
    --------
    >>> import pyarrow.parquet
    >>> sink = pa.BufferOutputStream()
    >>> pyarrow.parquet.write_table(pa.table({"a": [1.0, 2.0]}), sink)
    >>> parquet_whole([(pa.BufferReader(sink.getvalue()), "t")], Asked()).n_rows
    2
    """
    tables = []
    for file, name in files:
        with _opened(file, name) as parquet:
            _check_size(parquet.metadata, name)
            few = _in_dictionaries(parquet) if len(files) == 1 else []
            if not few:
                tables.append(parquet.read())
        if few:
            with _opened(file, name, read_dictionary=few, metadata=parquet.metadata) as parquet:
                tables.append(parquet.read())
    names = [name for _, name in files]
    table, where = joined(tables, names, [row_of(name) for name in names])
    return from_arrow(compact(table), names[0], asked, where)


def parquet_batches(file: Any, name: str) -> Iterator[tuple[int, Any]]:
    """The batches of a file as Arrow tables, numbered from 0."""
    with _opened(file, name) as parquet:
        n_rows = 0
        for number, batch in enumerate(parquet.iter_batches(BATCH_ROWS, use_threads=False)):
            n_rows += batch.num_rows
            yield number, pa.Table.from_batches([batch])
        said = parquet.metadata.num_rows
        if n_rows != said:
            raise DataError(f"{name}: not a whole Parquet file: it says {said:,} rows and holds {n_rows:,}")


def _in_dictionaries(parquet: Any) -> list[str]:
    """The columns of text that the file itself keeps as dictionaries: other text takes four bytes a cell and more."""
    groups = [parquet.metadata.row_group(k) for k in range(parquet.metadata.num_row_groups)]
    sizes: Counter[str] = Counter()
    for chunk in (group.column(j) for group in groups for j in range(group.num_columns)):
        sizes[chunk.path_in_schema] += chunk.total_uncompressed_size
    most = _BYTES_OF_PLAIN_TEXT * parquet.metadata.num_rows
    return [field.name for field in parquet.schema_arrow if holds_text(field.type) and sizes[field.name] < most]


@contextmanager
def _opened(file: Any, name: str, **more: Any) -> Iterator[Any]:
    import pyarrow.parquet

    try:
        with pyarrow.parquet.ParquetFile(file, pre_buffer=False, buffer_size=1 << 16, **more) as parquet:
            yield parquet
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{name}: not a whole Parquet file: {in_a_line(error)}") from None


def _check_size(metadata: Any, name: str) -> None:
    """Raise DataError for a file that does not fit the memory: few bytes may hold many equal rows."""
    free = free_memory()
    cells = metadata.num_rows * metadata.num_columns
    if free is not None and 8 * cells > free // 2:
        raise DataError(
            f"{name}: {metadata.num_rows:,} rows of {metadata.num_columns:,} columns do not fit half of the free "
            "memory: learn from them as a stream, with --stream (linsep.fit_stream)"
        )
