"""What is asked of a reader, and what it reads: lines of text with their place in the source."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from linsep.data.columns import TableChunk
from linsep.data.readers.written import Written
from linsep.types import Array, Chunk

Kind = Literal["table", "rows"]

# Lines as long as this are of a wide table, each of whose columns costs as much time a block as a hundred cells do: a
# block holds so many of them, where that is not too many bytes.
_LONG, _LINES, _MOST_BYTES = 1 << 12, 256, 1 << 25


@dataclass
class Asked:
    """What the caller of `open_data` said about the columns."""

    target: str | None = None
    categorical: frozenset[str] = field(default_factory=frozenset)
    bits: int = 18
    open_columns: bool = False
    max_record_bytes: int = 1 << 24
    sep: str | None = None
    decimal: str | None = None
    known_decimal: str | None = None  # of the rows that a model was trained on
    encoding: str | None = None
    query: str | None = None
    drop_unlabelled: bool = False
    na: frozenset[str] = frozenset()
    skip_rows: int = 0
    sheet: str | None = None
    header: bool = True


class Lines(NamedTuple):
    """Whole lines: their bytes, the source's name for messages, the number of the first line, of the first row."""

    content: bytes
    name: str
    first_line: int = 1
    start: int = 0

    def place(self, row: int, comment: bytes = b"\n") -> str:
        """Where a row stands; lines that are blank, or a comment alone, are no rows."""
        seen = -1
        for number, line in enumerate(self.content.split(b"\n"), self.first_line):
            seen += bool(line.partition(comment)[0].strip())
            if seen == row:
                return f"{self.name}:{number}"
        return f"{self.name}, row {self.start + row}"

    def part(self, begin: int, end: int) -> Lines:
        """The lines between two bytes; a line has to begin at the first."""
        first_line = self.first_line + self.content.count(b"\n", 0, begin)
        return self._replace(content=self.content[begin:end], first_line=first_line)


_COUNTED_BYTES = 1 << 18  # that the cache holds beside what is found in them
_NEWLINE = ord("\n")


def block_bytes(content: bytes, least: int) -> int:
    """Bytes of a block of the table that begins with this content: more than the least where its first line is long.

    Examples
    --------
    >>> block_bytes(b"a,b\\n1,2\\n", 1000), block_bytes(b"a," * 10_000 + b"b\\n", 1000)
    (1000, 5120512)
    """
    line = content.find(b"\n") + 1
    return least if line < _LONG else max(least, min(_LINES * line, _MOST_BYTES))


def count_lines(content: bytes, size: int) -> int:
    """Return how many lines end in the first `size` bytes; NumPy counts many lines faster than `bytes.count`.

    Examples
    --------
    >>> count_lines(b"a\\nb\\nc", 5)
    2
    """
    text = np.frombuffer(content, np.uint8, size)
    return sum(int(np.count_nonzero(text[k : k + _COUNTED_BYTES] == _NEWLINE)) for k in range(0, size, _COUNTED_BYTES))


def in_a_line(error: Exception) -> str:
    """What another library says, on one line of a readable length."""
    return f"{' '.join(str(error).split()):.300}"


class Decimals(NamedTuple):
    """The values as written: `mantissa * 10**exponent`, but for the entries `beyond`, which have too many digits:
    those are given by their text."""

    mantissa: Array
    exponent: Array
    beyond: dict[int, str]


class Whole(NamedTuple):
    """All rows of a source. `first_index` is the index of the first column of svmlight text, 0 or 1, `decimals` its
    values as written. `rounded`: values had more digits than doubles, which are all that there is of them."""

    chunk: TableChunk | Chunk
    first_index: int | None = None
    decimals: Decimals | None = None
    rounded: bool = False


class TextReader:
    """What the readers of text have in common: whole lines in, rows out.

    Each format has its own `block` and `whole`. `kind` is "table" for named columns and "rows" for matrices, `quotes`
    whether a line end in quotes ends no line. `written` is how the fields of CSV are written.
    """

    kind: Kind
    quotes = False
    written = Written()

    def __init__(self, asked: Asked) -> None:
        self.asked = asked

    def look(self, head: bytes, name: str) -> None:
        """See the first bytes of the first file, which tell how the fields are written."""

    def begin(self, head: bytes, name: str) -> None:
        """Take in the first lines of a file, before any of its rows are read."""

    def block(self, lines: Lines) -> TableChunk | Chunk | None:
        """Read some lines; None if there is no row in them."""
        raise NotImplementedError

    def whole(self, pieces: Iterable[Lines]) -> Whole:
        """Read everything: for tables each piece is a whole file, for rows some lines."""
        raise NotImplementedError
