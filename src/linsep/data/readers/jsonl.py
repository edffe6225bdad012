"""JSON lines: one object a row. Arrow reads the block; a malformed line is found again by Python's own reader."""

from __future__ import annotations

import json
from collections.abc import Collection

import pyarrow as pa
import pyarrow.json

from linsep.data.columns import TableChunk
from linsep.data.readers.parquet import from_arrow
from linsep.types import DataError


def read_jsonl_block(
    content: bytes,
    name: str,
    target: str | None,
    categorical: Collection[str],
    first_line: int = 1,
    start: int = 0,
    *,
    open_columns: bool = False,
) -> TableChunk | None:
    """Return the rows of some lines, None where all are blank; with `open_columns` a row may lack columns."""
    if not content.strip():
        return None

    def where(row: int) -> str:
        """Where a row stands: blank lines are none."""
        seen = -1
        for number, line in enumerate(content.split(b"\n"), first_line):
            seen += bool(line.strip())
            if seen == row:
                return f"{name}:{number}"
        return f"{name}: row {start + row}"

    try:
        table = _parse(content, None)
        dates = [field.name for field in table.schema if pa.types.is_timestamp(field.type)]
        if dates:  # text that looks like a date is text
            table = _parse(content, pa.schema([(column, pa.string()) for column in dates]))
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise _malformed(content, name, first_line, str(error)) from None
    return from_arrow(table, name, target, categorical, where, start, open_columns=open_columns)


def _parse(content: bytes, schema: pa.Schema | None) -> pa.Table:
    return pyarrow.json.read_json(
        pa.BufferReader(content),
        pyarrow.json.ReadOptions(use_threads=False, block_size=len(content) + 1),
        pyarrow.json.ParseOptions(explicit_schema=schema),
    )


def _malformed(content: bytes, name: str, first_line: int, said: str) -> DataError:
    """The first line that is no JSON object, or that holds another kind of value than those before it."""
    kinds: dict[str, str] = {}
    for number, line in enumerate(content.split(b"\n"), first_line):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            return DataError(f"{name}:{number}: expected one JSON object on the line, found none: {error}")
        if not isinstance(row, dict):
            return DataError(f"{name}:{number}: expected one JSON object on the line, found {line[:40].decode()!r}")
        for key, value in row.items():
            kind = "number" if isinstance(value, int | float) and not isinstance(value, bool) else type(value).__name__
            if kinds.setdefault(key, kind) != kind:
                return DataError(
                    f"{name}:{number}, column {key!r}: {value!r} where the rows before hold a {kinds[key]}"
                )
    return DataError(f"{name}:{first_line}: malformed JSON lines: {said}")
