"""CSV, strict: a header, the same number of fields on every line. Every column is read as text first."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from linsep.data.columns import TableChunk, check_names, take_target
from linsep.data.readers import written as writing
from linsep.data.readers.arrow import Where, compact, from_arrow, joined
from linsep.data.readers.lines import Asked, Lines, TextReader, Whole, block_bytes, count_lines, in_a_line
from linsep.data.readers.written import Written, as_array, check_text
from linsep.types import DataError, NoRowsError

_NEWLINE = b"\n"
_BLOCK_BYTES = 1 << 20  # that Arrow parses at a time: it takes four times as long over a large file in one piece
# The type of columns in which a text comes so many times, on average.
_FEW, _SHARE = pa.dictionary(pa.int32(), pa.string()), 8
_NO_TYPES: Mapping[str, Any] = {}
_NUMBER = re.compile(r"\s*[+-]?[0-9]*[.,]?[0-9]+\s*")


class CsvReader(TextReader):
    """Rows of CSV text. Types are decided over all the rows that are read at once.

    Examples
    --------
    >>> from linsep.data.readers.lines import Asked
    >>> reader, text = CsvReader(Asked("y")), b"a,y\\n1,p\\n2,q\\n"
    >>> chunk = reader.whole([Lines(text[reader.begin(text, "t.csv") :], "t.csv", 2)]).chunk
    >>> chunk.columns[0].values.tolist(), chunk.y.tolist()
    ([1.0, 2.0], ['p', 'q'])
    """

    kind = "table"
    quotes = True

    def __init__(self, asked: Asked) -> None:
        super().__init__(asked)
        self.names: list[str] = []

    def look(self, head: bytes, name: str) -> None:
        """Find what separates the columns, and the decimal mark."""
        if b"\0" in head and 4 * head.count(b"\0") > len(head):  # two bytes a character, which say nothing of columns
            check_text(head, name, 1, self.written)
        asked = self.asked
        marks = (asked.sep, asked.decimal, asked.na, asked.known_decimal)
        self.written = writing.find_written(head, name, *marks)

    def begin(self, head: bytes, name: str) -> int:
        """Read the header."""
        if not self.asked.header:
            self.names = writing.numbered(head, name, self.written)
            return 0
        self.names, end = writing.read_header(head, name, self.written)
        if self.asked.target is not None and len(self.names) == 1 != self.names.count(self.asked.target):
            first, ways = self.names[0], ""
            if any(mark in head for mark in (b",", b";", b"\t")):
                ways = "lines stand above the names of the columns, use --read skip_rows (skip_rows=)"
            if self.asked.target in first.split():
                ways = "blanks separate the columns, use --read 'sep= ' (sep=)"
            if ways:
                raise DataError(f"{name}:1: one column only, {first!r:.80}: if {ways}")
        try:
            check_names(self.names, name)
            take_target(self.names, self.asked.target)
        except DataError as error:
            hint = "; if the first line holds a row and no names, use --read header=no (header=False)"
            raise DataError(f"{error}{hint if any(map(_NUMBER.fullmatch, self.names)) else ''}") from None
        return end

    def block(self, lines: Lines) -> TableChunk | None:
        """Read whole records."""
        check_text(lines.content, lines.name, lines.first_line, self.written)
        place = _Place(lines, self.written)
        table = _parse(place, self.names)
        return self._chunk(table, lines.name, place.of, lines.start) if table.num_rows else None

    def whole(self, pieces: Iterable[Lines]) -> Whole:
        """Read all files as one table; each has columns of the same names."""
        tables: list[Any] = []
        sources: list[str] = []
        places: list[Where] = []
        names: list[str] = []
        types: dict[str, Any] | None = None  # those of the first file for all: only columns of one type are joined
        for lines in pieces:
            check_text(lines.content, lines.name, lines.first_line, self.written)
            names = names or self.names
            if set(self.names) != set(names):
                strange = sorted(set(self.names) ^ set(names))[0]
                raise DataError(f"{sources[0]} and {lines.name}: only one of them has a column {strange!r}")
            place = _Place(lines, self.written)
            types = _few_texts(place, self.names) if types is None else types
            tables.append(_parse(place, self.names, types).select(names))
            sources.append(lines.name)
            by_lines = place.n_lines == tables[-1].num_rows
            places.append(_by_lines(lines.name, lines.first_line) if by_lines else place.of)
        table, where = joined(tables, sources, places)
        if not table.num_rows:
            raise NoRowsError(f"{sources[0]}: there is a header but no row")
        return Whole(self._chunk(compact(table), sources[0], where))

    def _chunk(self, table: Any, name: str, where: Where, start: int = 0) -> TableChunk:
        return from_arrow(
            table, name, self.asked, where, start, untyped=frozenset(table.column_names), written=self.written
        )


def _few_texts(place: _Place, names: list[str]) -> dict[str, Any]:
    """The type of columns with few different texts in the beginning of a large block, which then keeps each once."""
    size = block_bytes(place.content, _BLOCK_BYTES)
    if len(place.content) <= size:
        return {}
    head = place.content[: place.content.rfind(b"\n", 0, size) + 1]
    try:
        table = _read(head, place, names, size, {})[0]
    except pa.ArrowInvalid:  # cut within a cell, perhaps
        return {}
    return {name: _FEW for name in names if _SHARE * len(pc.unique(table.column(name))) <= table.num_rows}


def _parse(place: _Place, names: list[str], types: Mapping[str, Any] = _NO_TYPES) -> Any:
    """The cells as text, of some columns as `types` says."""
    content = place.content
    if not content or content.isspace():
        return pa.table({name: pa.array([], types.get(name, pa.string())) for name in names})
    try:
        table, ragged = _read(content, place, names, block_bytes(content, _BLOCK_BYTES), types)
    except pa.ArrowInvalid:  # a record longer than a block, perhaps
        table, ragged = None, []
    if ragged or table is None:  # only in one block does Arrow tell the number of a ragged row
        try:
            table, ragged = _read(content, place, names, max(_BLOCK_BYTES, len(content) + 1), types)
        except pa.ArrowInvalid as error:
            raise DataError(f"{place.name}: malformed CSV: {in_a_line(error)}") from None
    if ragged:
        number, expected, found = ragged[0]
        line = place.of(number - 1)
        what = "a comma" if place.written.sep == "," else repr(place.written.sep)
        raise DataError(f"{line}: {found} fields where the header has {expected}; quote fields that hold {what}")
    return table


def _read(
    content: bytes, place: _Place, names: list[str], block_bytes: int, types: Mapping[str, Any]
) -> tuple[Any, list[tuple[int, int, int]]]:
    """What Arrow reads, and of each ragged row its number, the fields it should have and those it has."""
    ragged: list[tuple[int, int, int]] = []

    def note(row: Any) -> str:
        ragged.append((row.number, row.expected_columns, row.actual_columns))
        return "skip"

    kept = BOM_UTF8 + content if content.startswith(BOM_UTF8) else content  # Arrow takes one away, which is in a cell
    table = pyarrow.csv.read_csv(
        pa.BufferReader(kept),
        read_options=pyarrow.csv.ReadOptions(use_threads=False, block_size=block_bytes, column_names=names),
        parse_options=pyarrow.csv.ParseOptions(
            delimiter=place.written.sep, newlines_in_values=True, invalid_row_handler=note
        ),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()) | dict(types), strings_can_be_null=False
        ),
    )
    return table, ragged


def _by_lines(name: str, first_line: int) -> Where:
    """Where a row stands that is a line: nobody needs the text for that."""
    return lambda row: f"{name}:{row + first_line}"


class _Place:
    """Where a row stands: file:line, counted by going through the text again, for messages."""

    def __init__(self, lines: Lines, written: Written) -> None:
        self.written = written
        self.content, self.name, self.first_line = lines.content, lines.name, lines.first_line

    @cached_property
    def n_lines(self) -> int:
        """How many lines there are; 0 where other marks than line feeds may end one."""
        content = self.content
        return 0 if b"\r" in content else count_lines(content, len(content)) + (content[-1:] != _NEWLINE)

    def of(self, row: int) -> str:
        from linsep.kernels.text.quotes import record_start

        start = int(record_start(as_array(self.content), row, self.written.mark))
        if start < 0:
            return f"{self.name}: row {row + 1}"
        line = self.first_line + self.content.count(b"\n", 0, start)
        return f"{self.name}:{line}"
