"""Tables as CSV."""

from __future__ import annotations

from typing import IO

import pyarrow as pa
import pyarrow.csv


def write_csv(table: pa.Table, stream: IO[str], *, header: bool = True) -> None:
    """Write a table as CSV; numbers have enough digits to be read back unchanged."""
    sink = pa.BufferOutputStream()
    pyarrow.csv.write_csv(table, sink, pyarrow.csv.WriteOptions(include_header=header, quoting_style="needed"))
    stream.write(sink.getvalue().to_pybytes().decode())
