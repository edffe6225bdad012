"""How a CSV file is written: what separates its columns, and the decimal mark. Told by its first lines, or asked."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from linsep.data.cells import MISSING, SIGNS, grouped_digits
from linsep.types import Array, DataError

# The bytes that decide how a file is written: the same ones whether it is read whole or in blocks.
HEAD_BYTES = 1 << 16
_MARKS = {",": "','", ";": "';'", "\t": "tab", "|": "'|'"}
_WORDS = {"tab": "\t", "\\t": "\t"}
_DECIMAL = {mark: re.compile(rf"[+-]?([0-9]+(\{mark}[0-9]*)?|\{mark}[0-9]+)([eE][+-]?[0-9]+)?") for mark in ".,"}
# 1,234 is one and a bit, or a thousand and more.
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")
# 1.234.567 or 1.234,5 with a decimal comma, 1,234,567 or 1,234.5 with a point, 1 234,5 or 1'234.5 with either one:
# decimal mark -> numbers in groups.
_GROUPED = {mark: re.compile(f"[+-]?{grouped_digits(mark)}") for mark in ".,"}
_WITH_UNIT = re.compile(
    r"(?P<front>(?:[A-Z]{3}|Fr|kr|Rs)\.?\s*)?(?P<number>[-+]?[0-9.,][-+0-9.,'’\s]*?)(?P<unit>\s{0,9}(?:°|[^\W\d_])[^\s]{0,9}|)"
)
_CHECKED_BYTES = 1 << 20
_NO_SIGNS = str.maketrans(dict.fromkeys(f"{SIGNS}()"))

# A column of whole numbers with points between thousands alone, as 491, 1.234, 12.478.
_BELOW_1000 = re.compile(r"[+-]?(0|[1-9][0-9]{0,2})")
_ABOVE_1000 = re.compile(r"[+-]?[1-9][0-9]{0,2}(\.[0-9]{3})+")
_FEWEST_CELLS = 20  # with fewer numbers 491 and 1.234 may stand beside each other by chance
_FEWEST_OF_BOTH = 3


class Written(NamedTuple):
    """How the rows of a CSV file are written.

    `guess` says what was guessed of the decimal mark and from which cell; `is_open`: no number there has such a mark,
    so that 1,500 further on may be either.
    """

    sep: str = ","
    decimal: str = "."
    guess: str = ""
    is_open: bool = False

    @property
    def mark(self) -> int:
        """The separator as a byte."""
        return ord(self.sep)

    def told(self) -> str:
        """What is not as usual, in a few words; nothing where columns have commas between them and numbers points.

        Examples
        --------
        >>> Written(";", ",").told()
        "columns separated by ';', decimal comma"
        """
        said = [] if self.sep == "," else [f"columns separated by {_MARKS.get(self.sep, repr(self.sep))}"]
        comma = "decimal comma" + (f" ({self.guess})" if self.guess else "")
        return ", ".join(said + ([] if self.decimal == "." else [comma]))


def check_sep(sep: str | None) -> str | None:
    """Return the separator that was asked for: "\\t" for "tab".

    Raises
    ------
    DataError
        It is not one character of ASCII, or is one that numbers, quotes and line ends need.

    Examples
    --------
    >>> check_sep(";"), check_sep("tab")
    (';', '\\t')
    """
    if sep is None:
        return None
    mark = _WORDS.get(sep, sep)
    if len(mark) != 1 or not mark.isascii() or mark.isalnum() or mark in '"\r\n.+-\0':
        raise DataError(f"--read sep (sep=) is one character between the columns, such as ';' or tab, not {sep!r}")
    return mark


def check_decimal(decimal: str | None) -> str | None:
    """Return the decimal mark that was asked for: "." or ",", or None.

    Raises
    ------
    DataError
        It is another one.

    Examples
    --------
    >>> check_decimal(",")
    ','
    """
    if decimal not in (None, ".", ","):
        raise DataError(f"--read decimal (decimal=) is '.' or ',', not {decimal!r}")
    return decimal


def find_written(
    head: bytes,
    name: str,
    sep: str | None,
    decimal: str | None,
    na: Collection[str] = (),
    known: str | None = None,
) -> Written:
    """Return how a file is written, from what was asked and, for the rest, from its first bytes.

    The separator is a comma wherever the header has commas and every record of the first lines has as many; else the
    one mark of `;`, tab and `|` for which that is so. Numbers have a decimal comma if the separator is another mark,
    in some column of the first lines more than half of the cells are numbers, some of them with a comma, and in none
    with a point. They have one, too, where a column holds whole numbers below 1000 without a point, and with one
    in groups of three digits alone (491, 1.234). What else the first lines leave open is as `known`, or else asked.

    Parameters
    ----------
    head : bytes
        The beginning of the file, of which `HEAD_BYTES` are looked at.
    name : str
        What messages call it.
    sep, decimal : str or None
        What was asked for.
    na : collection of str
        Cells that stand for no value.
    known : str, optional
        The decimal mark of the rows that a model was trained on.

    Raises
    ------
    DataError
        The first lines can be read in two ways; the option that decides is named.

    Examples
    --------
    >>> find_written(b"size;sold\\n1,5;yes\\n2,25;no\\n", "t.csv", None, None)
    Written(sep=';', decimal=',', guess='', is_open=False)
    """
    if sep is not None and decimal is not None:
        return Written(sep, decimal)
    if len(head) > HEAD_BYTES:
        head = head[: head.rfind(b"\n", 0, HEAD_BYTES) + 1] or head[:HEAD_BYTES]
    text = head.decode("utf-8", errors="replace")
    if told := re.match(r"\ufeff?sep=(.)\s*\n", text, re.IGNORECASE):
        said = f"this line only says that {told[1]!r} separates the columns: leave it out with"
        raise DataError(f"{name}:1: {said} --read skip_rows=1 (skip_rows=)")
    sep = _separator(text, name) if sep is None else sep
    if decimal is not None:
        return Written(sep, decimal)
    columns = _columns(_records(text, sep), na)
    decimal = "." if sep == "," and known != "," else _decimal_mark(list(columns.values()), name, known)
    points = any(_is_written_with(".", _without_signs(cells)) for cells in columns.values())
    is_open = decimal == "." and sep != "," and known is None and not points
    if decimal != "," and sep != "," and not points:
        for column, cells in columns.items():
            if cell := _in_thousands(cells):
                taken = f"{cell!r} in column {column!r:.40} is read as {cell.replace('.', '')}"
                return Written(sep, ",", f"{taken}; if that is wrong, use --read decimal=.", is_open)
    return Written(sep, decimal, is_open=is_open)


def _records(text: str, sep: str) -> list[list[str]]:
    """The records, header first; none where the text is malformed, which is told when it is read."""
    try:
        return [one for one in csv.reader(io.StringIO(text, newline=""), delimiter=sep) if one]
    except csv.Error:
        return []


def _separator(text: str, name: str) -> str:
    records = {mark: _records(text, mark) for mark in _MARKS}
    found = [mark for mark in _MARKS if records[mark] and len(records[mark][0]) > 1]
    if found in ([], [","]):
        return ","
    even = [mark for mark in found if len({len(one) for one in records[mark]}) == 1]
    if len(even) == 1:
        return even[0]
    if not even and "," in found:
        return ","
    if not even and len(found) == 1:
        raise DataError(
            f"{name}:1: one column, or several with {_MARKS[found[0]]} between them, but not all lines have as many: "
            "say which with --read sep (sep=)"
        )
    listed = " or ".join(_MARKS[mark] for mark in even or found)
    raise DataError(
        f"{name}:1: the columns may be separated by {listed}, and the first lines do not show which: name the mark "
        "between them with --read sep (sep=)"
    )


def _columns(records: list[list[str]], na: Collection[str]) -> dict[str, list[str]]:
    """The cells of each column that stand for a value, without blanks around them."""
    found: dict[str, list[str]] = {}
    for j, column in enumerate(records[0] if records else ()):
        cells = [row[j].strip() for row in records[1:] if j < len(row)]
        gone = {cell for cell in set(cells) if cell in na or re.fullmatch(MISSING, cell.lower())}
        found[column] = [cell for cell in cells if cell not in gone]
    return found


def _in_thousands(cells: list[str]) -> str:
    """A cell of a column that has points between thousands alone; "" if the column may be something else."""
    if not any("." in cell for cell in cells):
        return ""
    cells = cells if any("%" in cell for cell in cells) else _without_signs(cells)
    above = [cell for cell in cells if _ABOVE_1000.fullmatch(cell)]
    below = sum(bool(_BELOW_1000.fullmatch(cell)) for cell in cells)
    enough = len(cells) >= _FEWEST_CELLS and min(len(above), below) >= _FEWEST_OF_BOTH
    return above[0] if enough and len(above) + below == len(cells) else ""


def _without_signs(cells: list[str]) -> list[str]:
    """The cells without the signs of currencies, per cent and parentheses, and without the one unit that all have."""
    found = [_WITH_UNIT.fullmatch(cell) for cell in cells]
    units = {one["front"] or one["unit"] if one else "" for one in found}
    if len(units) == 1 and "" not in units:
        cells = [one["number"] for one in found if one]
    return [cell.translate(_NO_SIGNS).strip() for cell in cells]


def _decimal_mark(columns: list[list[str]], name: str, known: str | None) -> str:
    """The mark in the columns of numbers; where no number tells, the known one or a point."""
    used = {mark: [column for column in columns if _is_written_with(mark, column)] for mark in ".,"}
    if not (used[","] or used["."]):
        amounts = [cells for column in columns if (cells := _without_signs(column)) != column]
        commas, points = ([cells for cells in amounts if _is_written_with(mark, cells)] for mark in ",.")
        if commas and not points and not _are_in_groups(commas):
            return ","
    if not used[","]:
        return "." if used["."] or known is None else known
    in_groups = _are_in_groups(used[","])
    if in_groups and known is not None and not used["."]:
        return known
    if used["."] or in_groups:
        cell = next(cell for cell in used[","][0] if "," in cell)
        what = "and other columns have points" if used["."] else "or a comma between thousands"
        raise DataError(
            f"{name}: {cell!r} may be a number with a decimal comma, {what}: use --read decimal=',' (decimal=',') or "
            "--read decimal='.'"
        )
    return ","


def _are_in_groups(columns: list[list[str]]) -> bool:
    """Whether every cell with a comma may be a number of thousands."""
    return all(_THOUSANDS.fullmatch(cell) for cells in columns for cell in cells if "," in cell)


def _is_written_with(mark: str, cells: list[str]) -> bool:
    """Whether most cells are numbers with this decimal mark, and some has it; 2.300 alone is no sign of a point."""
    other = "," if mark == "." else "."
    good = [cell for cell in cells if _is_number(cell, mark)]
    against = any(other in cell and _is_number(cell, other) and not _is_number(cell, mark) for cell in cells)
    if against or 2 * len(good) <= len(cells):
        return False
    return any(mark in cell and not (mark == "." and _GROUPED[","].fullmatch(cell)) for cell in good)


def _is_number(cell: str, mark: str) -> bool:
    return bool(_DECIMAL[mark].fullmatch(cell) or _GROUPED[mark].fullmatch(cell))


_BLANK_LINES, _LINE_END = re.compile(rb"[\r\n]*"), re.compile(rb"\r\n?|\n")


def read_header(content: bytes, name: str, written: Written) -> tuple[list[str], int]:
    """The column names that the first line of a CSV file holds, and where the rows begin."""
    if not content or content.isspace():
        raise DataError(f"{name}: the file is empty; a header line with column names is needed")
    start = _BLANK_LINES.match(content).end()  # type: ignore[union-attr]  # it matches any text
    found = _LINE_END.search(content, start)
    end = found.end() if found else len(content)
    if content.find(b'"', start, end) >= 0:  # a name may hold a line end, in quotes
        from linsep.kernels.text.quotes import record_end

        closed = int(record_end(as_array(content), start, written.mark)[0])
        end = closed if closed > 0 else len(content)
    line = content.count(b"\n", 0, start) + 1
    check_text(content[start:end], name, line, written)
    return _named(_header(content[start:end], f"{name}:{line}", written), content, name, written), end


def numbered(content: bytes, name: str, written: Written) -> list[str]:
    """The columns of a table whose first line is a row: 1, 2, 3 and so on."""
    first = next((record for record in csv.reader(as_lines(content), delimiter=written.sep) if record), None)
    if first is None:
        raise DataError(f"{name}: the file is empty")
    return [str(k + 1) for k in range(len(first))]


def check_text(content: bytes, name: str, first_line: int, written: Written) -> None:
    """Raise DataError for what is no UTF-8 text, and for malformed quotes, which Arrow would accept."""
    check_utf8(content, name, first_line)
    if b"\0" in content:
        line = content.count(b"\n", 0, content.index(b"\0")) + first_line
        raise DataError(
            f"{name}:{line}: a NUL byte, which no text has; take it out, or, if the file "
            "is UTF-16 without a byte order mark, use --read encoding=utf-16-le or utf-16-be (encoding=)"
        )
    if b'"' not in content:
        return
    from linsep.kernels.text.quotes import record_end, record_ends

    quote = int(record_ends(as_array(content), written.mark)[1])
    if quote >= 0:
        line = content.count(b"\n", 0, quote) + first_line
        closed = record_end(as_array(content), quote, written.mark)[0] >= 0
        found = "text follows the quote that closes it" if closed else "unexpected end of data"
        raise DataError(
            f"{name}:{line}: malformed quotes ({found}) in the field that begins here; "
            'a quote inside a quoted field is written ""'
        )


def _header(content: bytes, place: str, written: Written) -> list[str]:
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
        head = content if len(content) <= HEAD_BYTES else content[: content.rfind(b"\n", 0, HEAD_BYTES)]
        records = [one for one in csv.reader(as_lines(head), delimiter=written.sep) if one][1:]
        for j, one in enumerate(names):
            if records and not one and not any(j < len(record) and record[j].strip() for record in records):
                names[j] = f"unnamed {j + 1}"
    if "" in names:
        raise DataError(
            f"{name}:1: column {names.index('') + 1} has no name; name it, or write the table without its row numbers, "
            "or give with --read skip_rows (skip_rows=) how many lines stand above the names"
        )
    return names


def as_array(content: bytes) -> Array:
    """The bytes as an array."""
    return np.frombuffer(content, np.uint8)


def as_lines(content: bytes) -> io.TextIOWrapper:
    """The lines as the csv module takes them; what is no UTF-8 text is refused elsewhere, with its line."""
    return io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", errors="replace", newline="")


def check_utf8(content: bytes, name: str, first_line: int) -> None:
    """Raise DataError, with the line, for bytes that are not UTF-8 text."""
    start = len(content) if content.isascii() else 0
    while start < len(content):  # some lines at a time: the text of all would take several times the room
        end = content.find(b"\n", start + _CHECKED_BYTES) + 1 or len(content)
        try:
            content[start:end].decode()
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, start + error.start) + first_line
            raise DataError(
                f"{name}:{line}: not UTF-8 text ({error.reason}); name its encoding with --read encoding "
                "(encoding=), such as latin-1 or cp1252"
            ) from None
        start = end
