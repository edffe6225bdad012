"""CSV, strict: a header, the same number of fields on every line. Every column is read as text first."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from linsep.data.cells import kept_column, refuse_comma
from linsep.data.columns import Column, TableChunk, check_names, take_target
from linsep.data.labels import are_unlabelled, with_labels, written_labels
from linsep.data.readers.arrow import Where, compact, joined
from linsep.data.readers.asked import Asked, Lines, TextReader, Whole, block_bytes, check_utf8, count_lines, in_a_line
from linsep.data.readers.written import Written, find_written
from linsep.data.text.distinct import decoded, each_once, in_one_piece, is_encoded
from linsep.types import Array, DataError, NoRowsError

if TYPE_CHECKING:
    from linsep.kernels.text.cells import Tables

_NEWLINE = b"\n"
WHOLE = re.compile("-?[0-9]+")
_BLOCK_BYTES = 1 << 20  # that Arrow parses at a time: it takes four times as long over a large file in one piece
# Bytes of a file, and of a stream so far, from which on code for columns of few texts alone is worth its half second of
# compiling, and the most columns whose tables of texts stay in the cache: with 1,000 it takes three times as long as
# Arrow.
_NUMBERED_BYTES, _NUMBERED_STREAM, _NUMBERED_COLUMNS = 1 << 25, 1 << 24, 200
# The type of columns in which a text comes so many times, on average.
_FEW, _SHARE = pa.dictionary(pa.int32(), pa.string()), 8
_NO_TYPES: Mapping[str, Any] = {}
_HEAD_BYTES = 1 << 16  # in which a title is looked for, and cells of a column without a name
_TITLE_LINES = 20


class CsvReader(TextReader):
    """Rows of CSV text. Types are decided over all the rows that are read at once.

    Examples
    --------
    >>> from linsep.data.readers.asked import Asked
    >>> chunk = CsvReader(Asked("y")).whole([Lines(b"a,y\\n1,p\\n2,q\\n", "t.csv")]).chunk
    >>> chunk.columns[0].values.tolist(), chunk.y.tolist()
    ([1.0, 2.0], ['p', 'q'])
    """

    kind = "table"
    quotes = True

    def __init__(self, asked: Asked) -> None:
        super().__init__(asked)
        self.names: list[str] = []
        self._seen = 0  # bytes of blocks so far
        self._few: bool | None = None  # whether all columns have few texts; None where nobody has looked
        self._tables: Tables | None = None

    def look(self, head: bytes, name: str) -> None:
        """Find what separates the columns, and the decimal mark."""
        if b"\0" in head and 4 * head.count(b"\0") > len(head):  # two bytes a character, which say nothing of columns
            check_text(head, name, 1, self.written)
        self.written = find_written(head, name, self.asked.sep, self.asked.decimal, self.asked.na, self.known_decimal)

    def begin(self, head: bytes, name: str) -> None:
        """Read the header."""
        self.names = read_header(head, name, self.written)
        if self.asked.target is not None and len(self.names) == 1 != self.names.count(self.asked.target):
            _refuse_title(head, name, self.names[0], self.asked.target)
        take_target(self.names, self.asked.target)

    def block(self, lines: Lines) -> TableChunk | None:
        """Read whole records; those that begin at line 1 have the header before them."""
        if not lines.content or lines.content.isspace():
            return None
        check_text(lines.content, lines.name, lines.first_line, self.written)
        place = _Place(lines, self.written)
        table = self._numbered(place)
        table = _parse(place, self.names) if table is None else table
        chunk = self._chunk(table, place.of, self.names, lines.start)
        return chunk if chunk.n_read else None

    def _numbered(self, place: _Place) -> Any:
        """The cells of a block of a long stream whose columns have few texts, else None."""
        self._seen += len(place.content)
        if self._few is None and self._seen >= _NUMBERED_STREAM and len(place.content) > _BLOCK_BYTES:
            self._few = _all_few(self.names, _few_texts(place, self.names))
        if not self._few:
            return None
        if self._tables is None or len(self._tables.codes) != len(self.names):  # of another file, perhaps
            from linsep.kernels.text.cells import make_tables

            self._tables = make_tables(len(self.names))
        table = _numbered(place, self.names, self._tables)
        self._few = table is not None  # other blocks will hold what this one does
        return table

    def whole(self, pieces: Iterable[Lines]) -> Whole:
        """Read all files as one table; each begins with a header of the same names."""
        tables: list[Any] = []
        sources: list[str] = []
        places: list[Where] = []
        names: list[str] = []
        types: dict[str, Any] | None = None  # those of the first file for all: only columns of one type are joined
        for lines in pieces:
            check_text(lines.content, lines.name, 1, self.written)
            self.begin(lines.content, lines.name)
            names = names or self.names
            if set(self.names) != set(names):
                strange = sorted(set(self.names) ^ set(names))[0]
                raise DataError(f"{sources[0]} and {lines.name}: only one of them has a column {strange!r}")
            place = _Place(lines, self.written)
            types = _few_texts(place, self.names) if types is None else types
            large = len(place.content) >= _NUMBERED_BYTES and _all_few(self.names, types)
            table = _numbered(place, self.names, None) if large else None
            tables.append((_parse(place, self.names, types) if table is None else table).select(names))
            sources.append(lines.name)
            places.append(_by_lines(lines.name) if place.n_lines == tables[-1].num_rows + 1 else place.of)
        table, where = joined(tables, sources, places)
        chunk = self._chunk(compact(table), where, names, 0)
        if chunk.n_read == 0:
            raise NoRowsError(f"{sources[0]}: there is a header but not one row")
        return Whole(chunk)

    def _chunk(self, table: Any, where: Where, names: list[str], start: int) -> TableChunk:
        """Columns of text as numbers where they are such."""
        target, categorical, decimal = self.asked.target, self.asked.categorical, self.written.decimal
        na = self.asked.na
        unlabelled = None
        if target is not None:
            take_target(table.column_names, target, alone=True)  # lines that are skipped may hold a part of the header
            gone = are_unlabelled(_cells(table, target, na), decimal)
            table, where, unlabelled = with_labels(table, where, gone, target, drop=self.asked.drop_unlabelled)
        if unlabelled is not None:  # a text may have been in those rows alone
            columns = {name: in_one_piece(table.column(name)) for name in table.column_names}
            table = pa.table({name: each_once(raw) if is_encoded(raw) else raw for name, raw in columns.items()})

        def parse(column: str) -> Column:
            text = _cells(table, column, na)
            keep = self.asked.keep_bad_cells
            found = kept_column(column, text, where, keep=keep, is_text=column in categorical, decimal=decimal)
            if self.written.is_open and found.is_number:
                refuse_comma(column, text, where)
            return found

        y = None if target is None else written_labels(_cells(table, target, na), decimal, where, target)
        features = [column for column in names if column != target]
        size = table.num_rows
        more: dict[str, Any] = {"unlabelled": unlabelled, "as_text": categorical, "doubts": self._doubts()}
        return TableChunk(features, y, start, size, where, parse, **more)

    def _doubts(self) -> tuple[str, ...]:
        """What is open, or was guessed of new rows, which have no receipt that says how they are read."""
        written = self.written
        guess = f"the rows are read with a decimal comma: {written.guess}" if self.asked.keep_bad_cells else ""
        return tuple(filter(None, (guess if written.guess else "", written.doubt)))


def read_header(content: bytes, name: str, written: Written) -> list[str]:
    """The column names that the first line of a CSV file holds."""
    if not content or content.isspace():
        raise DataError(f"{name}: the file is empty; a header line with column names is needed")
    end = content.find(b"\n") + 1
    if content.find(b'"', 0, end) >= 0:  # a name may hold a line end, in quotes
        from linsep.kernels.text.quotes import record_end

        end = max(0, int(record_end(_as_array(content), 0, written.mark)[0]))
    first = content if not end or content[:end].isspace() else content[:end]
    check_text(first, name, 1, written)
    return _named(_header(first, name, written), content, name, written)


def _refuse_title(head: bytes, name: str, first: str, target: str) -> None:
    """Raise DataError where the first line holds one name, and soon two lines as many cells each, more than one."""
    text = head[:_HEAD_BYTES].decode(errors="replace").splitlines()
    lines = [(number, line) for number, line in enumerate(text[:_TITLE_LINES]) if line.strip()]
    wide: list[tuple[int, list[str]]] = []
    for (above, one), (_, other) in pairwise(lines[1:]):
        read = [list(csv.reader([one, other], delimiter=mark)) for mark in ",;\t|"]
        wide += [(above, cells[0]) for cells in read if len(cells[0]) == len(cells[-1]) > 1]
    if wide:
        above = next((above for above, cells in wide if target in cells), wide[0][0])
        raise DataError(
            f"{name}:{lines[0][0] + 1}: {first!r:.80} looks like a title, as line {above + 1} and the next hold more "
            f"cells: say --read skip_rows={above} (skip_rows=) if line {above + 1} has the names of the columns"
        )


def _is_header_alone(content: bytes, written: Written) -> bool:
    """Whether nothing follows the header, which Arrow calls an error where it has no line end."""
    if content.endswith(b"\n") or b"\n" in content.lstrip(b"\r\n"):
        return False
    return sum(1 for record in csv.reader(_as_lines(content), delimiter=written.sep) if record) < 2


def _cells(table: Any, column: str, na: Collection[str]) -> Any:
    """The cells of a column as text; those that `na` says stand for no value are empty."""
    raw = in_one_piece(table.column(column))
    if not na:
        return raw
    text = decoded(raw)
    cells = pc.utf8_trim_whitespace(text)
    text = pc.if_else(pc.is_valid(pc.index_in(cells, value_set=pa.array(sorted(na), pa.string()))), "", text)
    wholes = "|".join(sorted(word for word in na if WHOLE.fullmatch(word)))
    if wholes:  # -999.0 is -999, which one decimal in a column of whole numbers makes of it
        text = pc.if_else(pc.match_substring_regex(cells, f"^({wholes})[.,]0+$"), "", text)
    return text


def check_text(content: bytes, name: str, first_line: int, written: Written) -> None:
    """Raise DataError for what is no UTF-8 text, and for malformed quotes, which Arrow would accept."""
    check_utf8(content, name, first_line)
    if b"\0" in content:
        line = content.count(b"\n", 0, content.index(b"\0")) + first_line
        raise DataError(
            f"{name}:{line}: a NUL byte, which no text has; take it out, or, if the file "
            "is UTF-16 without a byte order mark, say --read encoding=utf-16-le or utf-16-be (encoding=)"
        )
    if b'"' not in content:
        return
    from linsep.kernels.text.quotes import faulty_quote, record_end

    quote = int(faulty_quote(_as_array(content), written.mark))
    if quote >= 0:
        line = content.count(b"\n", 0, quote) + first_line
        closed = record_end(_as_array(content), quote, written.mark)[0] >= 0
        found = "text follows the quote that closes it" if closed else "unexpected end of data"
        raise DataError(
            f"{name}:{line}: malformed quotes ({found}) in the field that begins here; "
            'a quote inside a quoted field is written ""'
        )


def _header(content: bytes, name: str, written: Written) -> list[str]:
    above = len(content) - len(content.lstrip(b"\r\n"))
    place = f"{name}:{content.count(_NEWLINE, 0, above) + 1}"
    try:
        names = next(record for record in csv.reader(_as_lines(content), delimiter=written.sep) if record)
    except csv.Error as error:
        raise DataError(f"{place}: this is not a header of column names: {error}") from None
    if len(names) == 1 and (other := [mark for mark in ",;\t|" if mark in names[0]]):
        raise DataError(f"{place}: one column only, {names[0]!r}: should --read sep (sep=) be {other[0]!r}?")
    if sum(map(bool, names)) == 1 < len(names):
        title = next(filter(None, names))
        raise DataError(
            f"{place}: {title!r:.80} is alone on this line: if it is a title above the names of the columns, say how "
            "many lines stand above them with --read skip_rows (skip_rows=)"
        )
    return names


def _named(names: list[str], content: bytes, name: str, written: Written) -> list[str]:
    """The names of columns; one without a name and, in the first lines, without a cell is called "unnamed 5".

    Spreadsheets write such columns where cells were cleared.
    """
    if "" in names:
        head = content if len(content) <= _HEAD_BYTES else content[: content.rfind(b"\n", 0, _HEAD_BYTES)]
        records = [one for one in csv.reader(_as_lines(head), delimiter=written.sep) if one][1:]
        for j, one in enumerate(names):
            if records and not one and not any(j < len(record) and record[j].strip() for record in records):
                names[j] = f"unnamed {j + 1}"
    if "" in names:
        raise DataError(
            f"{name}:1: column {names.index('') + 1} has no name; name it, or write the table without its row numbers, "
            "or say with --read skip_rows (skip_rows=) how many lines stand above the names"
        )
    check_names(names, name)
    return names


def _as_array(content: bytes) -> Array:
    return np.frombuffer(content, np.uint8)


def _as_lines(content: bytes) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", newline="")


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
    few = (name for name in names if name in table.column_names)
    return {name: _FEW for name in few if _SHARE * len(pc.unique(table.column(name))) <= table.num_rows}


def _all_few(names: list[str], types: dict[str, Any]) -> bool:
    """Whether all columns have few texts, and there are not too many columns."""
    return len(types) == len(names) <= _NUMBERED_COLUMNS


def _parse(place: _Place, names: list[str], types: Mapping[str, Any] = _NO_TYPES) -> Any:
    """The cells as text, of some columns as `types` says."""
    content = place.content
    if place.has_header and _is_header_alone(content, place.written):
        content += b"\n"
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
        line = place.of(number - 1 - place.has_header)
        what = "a comma" if place.written.sep == "," else repr(place.written.sep)
        raise DataError(f"{line}: {found} fields where the header has {expected}; quote fields that hold {what}")
    if place.has_header and "" in table.column_names:
        table = table.rename_columns([one or names[j] for j, one in enumerate(table.column_names)])
    return table


def _read(
    content: bytes, place: _Place, names: list[str], block_bytes: int, types: Mapping[str, Any]
) -> tuple[Any, list[tuple[int, int, int]]]:
    """What Arrow reads, and of each ragged row its number, the fields it should have and those it has."""
    ragged: list[tuple[int, int, int]] = []

    def note(row: Any) -> str:
        ragged.append((row.number, row.expected_columns, row.actual_columns))
        return "skip"

    table = pyarrow.csv.read_csv(
        pa.BufferReader(content),
        read_options=pyarrow.csv.ReadOptions(
            use_threads=False, block_size=block_bytes, column_names=None if place.has_header else names
        ),
        parse_options=pyarrow.csv.ParseOptions(
            delimiter=place.written.sep, newlines_in_values=True, invalid_row_handler=note
        ),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types=dict.fromkeys([*names, ""], pa.string()) | dict(types), strings_can_be_null=False
        ),
    )
    return table, ragged


def _numbered(place: _Place, names: list[str], tables: Tables | None) -> Any:
    """The cells of columns that have few texts, each text kept once; None where quotes or other lines need Arrow."""
    from linsep.kernels.text.cells import encode_cells, make_tables

    content, written, n_rows = place.content, place.written, place.n_lines - place.has_header
    if b'"' in content or n_rows < 1:
        return None
    begin = content.find(_NEWLINE) + 1 if place.has_header else 0
    if begin and content[:begin].decode() != f"{written.sep.join(names)}\n":
        return None
    found = encode_cells(_as_array(content)[begin:], n_rows, written.mark, tables or make_tables(len(names)))
    if found is None:
        return None
    columns = {}
    for name, codes, texts in zip(names, found.codes, found.texts, strict=True):
        words = pa.array([text.decode() for text in texts], pa.string())
        columns[name] = pa.DictionaryArray.from_arrays(pa.array(codes), words)
    return pa.table(columns)


def _by_lines(name: str) -> Where:
    """Where a row stands that is a line, below a header of one: nobody needs the text for that."""
    return lambda row: f"{name}:{row + 2}"


class _Place:
    """Where a row stands: file:line, counted by going through the text again, for messages; row -1 is the header."""

    def __init__(self, lines: Lines, written: Written) -> None:
        self.written = written
        self.content, self.name, self.first_line = lines.content, lines.name, lines.first_line
        self.has_header = lines.first_line == 1

    @cached_property
    def n_lines(self) -> int:
        """How many lines there are; 0 where other marks than line feeds may end one."""
        content = self.content
        return 0 if b"\r" in content else count_lines(content, len(content)) + (content[-1:] != _NEWLINE)

    def of(self, row: int) -> str:
        from linsep.kernels.text.quotes import record_start

        start = int(record_start(_as_array(self.content), row + self.has_header, self.written.mark))
        if start < 0:
            return f"{self.name}: row {row + 1}"
        line = self.first_line + self.content.count(b"\n", 0, start)
        return f"{self.name}:{line}"
