"""Where commands write: standard output, or a file that appears only when it is whole."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.csv

from linsep.app.result import check_writable


@contextmanager
def open_output(name: str, *, binary: bool = False) -> Iterator[IO[Any]]:
    """Standard output for "-", else a file that appears only when it is whole."""
    if name == "-":
        yield sys.stdout.buffer if binary else sys.stdout
        sys.stdout.flush()
        return
    path = Path(name)
    check_writable(path)
    partial = path.with_name(path.name + ".partial")
    try:
        with partial.open("wb") if binary else partial.open("w", encoding="utf-8", newline="") as stream:
            yield stream
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def write_csv(table: pa.Table, stream: IO[str], *, header: bool = True) -> None:
    """Write a table as CSV; numbers with as many digits as they need to be read back the same."""
    sink = pa.BufferOutputStream()
    pyarrow.csv.write_csv(table, sink, pyarrow.csv.WriteOptions(include_header=header, quoting_style="needed"))
    stream.write(sink.getvalue().to_pybytes().decode())
