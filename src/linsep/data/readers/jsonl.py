"""JSON lines: one object a row, with the types that Arrow gives its values."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.json

from linsep.data.columns import TableChunk
from linsep.data.readers.arrow import from_arrow, joined
from linsep.data.readers.lines import Lines, TextReader, Whole, in_a_line
from linsep.data.readers.written import check_utf8
from linsep.types import DataError, NoRowsError

# How deep values may be nested.
_DEEPEST = 64
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}]')
_LONG = re.compile(rb"(?<![0-9.])[0-9]{16}")
_NULL_FIRST = re.compile(rb"\s*null")
_WHOLE = 2.0**53  # from here on doubles leave out whole numbers
_ROW = re.compile(r" in row ([0-9]+)$")


class JsonlReader(TextReader):
    """Rows of JSON lines; a key that a line lacks, or null, is a missing value.

    The keys of an object in an object become columns: {"user": {"age": 31}} is a column user.age. Whole numbers of 64
    bits are exact, all others doubles.

    Examples
    --------
    >>> from linsep.data.readers.lines import Asked
    >>> JsonlReader(Asked()).block(Lines(b'{"a": 1, "b": "x"}', "t.jsonl")).names
    ['a', 'b']
    """

    kind = "table"

    def block(self, lines: Lines) -> TableChunk | None:
        """Read some lines; None where all are blank."""
        if not lines.content.strip():
            return None
        return from_arrow(_table(lines), lines.name, self.asked, lines.place, lines.start, keyed=True)

    def whole(self, pieces: Iterable[Lines]) -> Whole:
        """Read all files as one table."""
        texts = list(pieces)
        some = [lines for lines in texts if lines.content.strip()]
        if not some:
            raise NoRowsError(f"{texts[0].name}: there are no rows")
        names = [lines.name for lines in some]
        table, where = joined([_table(lines) for lines in some], names, [lines.place for lines in some])
        return Whole(from_arrow(table, names[0], self.asked, where, keyed=True))


def _table(lines: Lines) -> Any:
    """The rows as an Arrow table."""
    check_utf8(lines.content, lines.name, lines.first_line)
    _check_depth(lines)
    if found := _NULL_FIRST.match(lines.content):  # which ends the process in Arrow
        line = lines.first_line + found[0].count(b"\n")
        raise DataError(f"{lines.name}:{line}: null is no row; one JSON object is needed on each line")
    try:
        table = _parse(lines.content, None)
        schema = pa.schema([pa.field(field.name, _with_text(field.type)) for field in table.schema])
        if schema != table.schema:  # text that looks like a date is text
            table = _parse(lines.content, schema)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        said, row = in_a_line(error), _ROW.search(str(error))
        place = lines.place(int(row[1])) if row else f"{lines.name}:{lines.first_line}"
        raise DataError(
            f"{place}: {said.removeprefix('JSON parse error: ')}; one JSON object is needed on each line, with values "
            "of one type under each key"
        ) from None
    # Arrow takes what follows an object for the next one.
    ends = Counter(line[:1] + line[-1:] for line in map(bytes.strip, io.BytesIO(lines.content)) if line)
    if ends != {b"{}": table.num_rows}:
        raise DataError(f"{lines.name}:{lines.first_line}: not one JSON object on each line from here on")
    _refuse_rounded(lines, table)
    return table


def _refuse_rounded(lines: Lines, table: Any) -> None:
    """Raise DataError for a column of doubles with numbers beyond 2^53, if the text has 16 digits in a row."""
    if not _LONG.search(lines.content):
        return
    while any(pa.types.is_struct(field.type) for field in table.schema):
        table = table.flatten()
    for name, column in zip(table.column_names, table.columns, strict=True):
        if pa.types.is_floating(column.type) and (np.abs(column.to_numpy()) >= _WHOLE).any():
            raise DataError(
                f"{lines.name}:{lines.first_line}: column {name!r} holds doubles, which round numbers beyond 2^53 to "
                "other whole numbers: write them in quotes"
            )


def _with_text(kind: Any) -> Any:
    """A type with text in the place of dates."""
    if pa.types.is_struct(kind):
        return pa.struct([pa.field(field.name, _with_text(field.type)) for field in kind])
    return pa.string() if pa.types.is_timestamp(kind) else kind


def _check_depth(lines: Lines) -> None:
    """Raise DataError for a value nested so deep that Arrow would run out of stack, which ends the process."""
    if lines.content.count(b"[") + lines.content.count(b"{") <= _DEEPEST + lines.content.count(b"\n"):
        return
    for number, line in enumerate(lines.content.split(b"\n"), lines.first_line):
        depth = 0
        for mark in _TOKEN.findall(line) if line.count(b"[") + line.count(b"{") > _DEEPEST else ():
            depth += (mark in (b"[", b"{")) - (mark in (b"]", b"}"))
            if depth > _DEEPEST:
                raise DataError(f"{lines.name}:{number}: values are nested more than {_DEEPEST} deep; take them out")


def _parse(content: bytes, schema: pa.Schema | None) -> pa.Table:
    return pyarrow.json.read_json(
        pa.BufferReader(content),
        pyarrow.json.ReadOptions(use_threads=False, block_size=len(content) + 1),
        pyarrow.json.ParseOptions(explicit_schema=schema),
    )
