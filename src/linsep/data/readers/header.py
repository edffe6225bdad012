"""The names of the columns of CSV, in its first line, and text that is none."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from linsep.data.columns import check_names
from linsep.data.readers.asked import check_utf8
from linsep.data.readers.written import Written
from linsep.types import Array, DataError

_HEAD_BYTES = 1 << 16  # in which cells of a column without a name are looked for
_NUMBER = re.compile(r"\s*[+-]?[0-9]*[.,]?[0-9]+\s*")


def read_header(content: bytes, name: str, written: Written) -> list[str]:
    """The column names that the first line of a CSV file holds."""
    if not content or content.isspace():
        raise DataError(f"{name}: the file is empty; a header line with column names is needed")
    end = content.find(b"\n") + 1
    if content.find(b'"', 0, end) >= 0:  # a name may hold a line end, in quotes
        from linsep.kernels.text.quotes import record_end

        end = max(0, int(record_end(as_array(content), 0, written.mark)[0]))
    first = content if not end or content[:end].isspace() else content[:end]
    check_text(first, name, 1, written)
    return _named(_header(first, name, written), content, name, written)


def made_header(content: bytes, written: Written) -> bytes:
    """The line 1,2,3 and so on for a table whose first line is a row."""
    first = next((record for record in csv.reader(as_lines(content), delimiter=written.sep) if record), [])
    return written.sep.join(str(k + 1) for k in range(len(first))).encode() + b"\n"


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

    quote = int(faulty_quote(as_array(content), written.mark))
    if quote >= 0:
        line = content.count(b"\n", 0, quote) + first_line
        closed = record_end(as_array(content), quote, written.mark)[0] >= 0
        found = "text follows the quote that closes it" if closed else "unexpected end of data"
        raise DataError(
            f"{name}:{line}: malformed quotes ({found}) in the field that begins here; "
            'a quote inside a quoted field is written ""'
        )


def _header(content: bytes, name: str, written: Written) -> list[str]:
    above = len(content) - len(content.lstrip(b"\r\n"))
    line = content.count(b"\n", 0, above) + 1
    place = f"{name}:{line}"
    try:
        names = next(record for record in csv.reader(as_lines(content), delimiter=written.sep) if record)
    except csv.Error as error:
        raise DataError(f"{place}: this is not a header of column names: {error}") from None
    if len(names) == 1 and (other := [mark for mark in ",;\t|" if mark in names[0]]):
        raise DataError(f"{place}: one column only, {names[0]!r}: should --read sep (sep=) be {other[0]!r}?")
    return names


def _named(names: list[str], content: bytes, name: str, written: Written) -> list[str]:
    """The names of columns; one without a name and, in the first lines, without a cell is called "unnamed 5".

    Spreadsheets write such columns where cells were cleared.
    """
    if "" in names:
        head = content if len(content) <= _HEAD_BYTES else content[: content.rfind(b"\n", 0, _HEAD_BYTES)]
        records = [one for one in csv.reader(as_lines(head), delimiter=written.sep) if one][1:]
        for j, one in enumerate(names):
            if records and not one and not any(j < len(record) and record[j].strip() for record in records):
                names[j] = f"unnamed {j + 1}"
    if "" in names:
        raise DataError(
            f"{name}:1: column {names.index('') + 1} has no name; name it, or write the table without its row numbers, "
            "or say with --read skip_rows (skip_rows=) how many lines stand above the names"
        )
    with told_of_no_header(names):
        check_names(names, name)
    return names


@contextmanager
def told_of_no_header(names: list[str]) -> Iterator[None]:
    """What is wrong with names, some of which are numbers, may be that they are a row."""
    try:
        yield
    except DataError as error:
        hint = "; if the first line holds a row and no names, say --read header=no (header=False)"
        raise DataError(f"{error}{hint if any(map(_NUMBER.fullmatch, names)) else ''}") from None


def as_array(content: bytes) -> Array:
    """The bytes as an array."""
    return np.frombuffer(content, np.uint8)


def as_lines(content: bytes) -> io.TextIOWrapper:
    """The lines as the csv module takes them; what is no UTF-8 text is refused elsewhere, with its line."""
    return io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", errors="replace", newline="")
