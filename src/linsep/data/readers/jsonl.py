"""JSON lines: one object a row. Arrow reads the block; a malformed line is found again by Python's own reader."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pyarrow as pa
import pyarrow.json

from linsep.data.columns import TableChunk
from linsep.data.readers.arrow import from_arrow, joined
from linsep.data.readers.asked import Lines, TextReader, Whole
from linsep.types import DataError


class JsonlReader(TextReader):
    """Rows of JSON lines; a key that a line lacks, or null, is a missing value.

    Examples
    --------
    >>> from linsep.data.readers.asked import Asked
    >>> JsonlReader(Asked()).block(Lines(b'{"a": 1, "b": "x"}', "t.jsonl")).names
    ['a', 'b']
    """

    kind = "table"
    typed = True

    def block(self, lines: Lines) -> TableChunk | None:
        """Read some lines; None where all are blank."""
        if not lines.content.strip():
            return None
        return from_arrow(_table(lines), lines.name, self.asked, _place(lines), lines.start)

    def whole(self, pieces: Iterable[Lines]) -> Whole:
        """Read all files as one table."""
        texts = list(pieces)
        some = [lines for lines in texts if lines.content.strip()]
        if not some:
            raise DataError(f"{texts[0].name}: there are no rows")
        names = [lines.name for lines in some]
        table, where = joined([_table(lines) for lines in some], names, [_place(lines) for lines in some])
        return Whole(from_arrow(table, names[0], self.asked, where))


def _place(lines: Lines) -> Any:
    def where(row: int) -> str:
        """Where a row stands: blank lines are none."""
        seen = -1
        for number, line in enumerate(lines.content.split(b"\n"), lines.first_line):
            seen += bool(line.strip())
            if seen == row:
                return f"{lines.name}:{number}"
        return f"{lines.name}: row {lines.start + row}"

    return where


def _table(lines: Lines) -> Any:
    try:
        table = _parse(lines.content, None)
        dates = [field.name for field in table.schema if pa.types.is_timestamp(field.type)]
        if dates:  # text that looks like a date is text
            table = _parse(lines.content, pa.schema([(column, pa.string()) for column in dates]))
        return table
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise _malformed(lines.content, lines.name, lines.first_line, str(error)) from None


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
