"""Parquet files, whole and damaged; a file that can be read holds what Arrow's own reader finds in it."""

from __future__ import annotations

from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from fuzz.mangle import mangle
from fuzz.reading import strictly, wholly
from fuzz.target import RefusedError, Target
from fuzz.targets import arrow


def make(rng: Random) -> bytes:
    """A table as a file, mangled every second time."""
    sink = pa.BufferOutputStream()
    table = arrow.make(rng)
    pyarrow.parquet.write_table(table, sink, compression=rng.choice(["none", "snappy", "zstd"]))
    content: bytes = sink.getvalue().to_pybytes()
    return mangle(rng, content) if rng.random() < 0.5 else content


def naive(case: bytes) -> Any:
    """What the naive reader of Arrow tables says of the file."""
    try:
        table = pyarrow.parquet.read_table(pa.BufferReader(case))
        table.validate(full=True)
        if pyarrow.parquet.ParquetFile(pa.BufferReader(case)).metadata.num_rows != table.num_rows:
            raise RefusedError
    except (pa.ArrowException, OSError, ValueError, NotImplementedError):
        raise RefusedError from None
    try:
        return arrow.naive(table)
    except UnicodeDecodeError:
        raise RefusedError from None


READ = {"target": "y"}
TARGET = Target("parquet", make, strictly("parquet", **READ), naive, (wholly("parquet", **READ),))
