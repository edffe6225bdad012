"""What is asked of a reader, and what it reads: whole lines of text with their place, in blocks or all at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from linsep.data.columns import TableChunk
from linsep.data.inputs import ByteStream, Input
from linsep.data.pipes import LATEST
from linsep.data.readers.written import Written
from linsep.types import Array, Chunk, DataError

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
    keep_unlabelled: bool = False  # to be predicted


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

    def begin(self, head: bytes, name: str) -> int:
        """Take in the first lines of a file, before any of its rows are read; return the byte where the rows begin."""
        return 0

    def block(self, lines: Lines) -> TableChunk | Chunk | None:
        """Read some lines; None if there is no row in them."""
        raise NotImplementedError

    def whole(self, pieces: Iterable[Lines]) -> Whole:
        """Read everything: for tables each piece is a whole file, for rows some lines."""
        raise NotImplementedError


# ------------------------------------------------------------------------ blocks
# Text is read in blocks of so many bytes: sparse rows, and tables, whose columns cost time a block each. A record may
# be longer, up to a limit that the caller sets.
BLOCK_BYTES = 1 << 19
TABLE_BYTES = 1 << 21


class Block(NamedTuple):
    """Whole lines: their bytes, the number of the first, and where the next block begins (in bytes and lines).

    With a `fault` it is a line that is too long, or a part of one. A pipe may give a block in parts, as its lines come;
    only the first of them `begins` it.
    """

    content: bytes
    first_line: int
    end: int
    next_line: int
    fault: DataError | None = None
    begins: bool = True


class Cut(NamedTuple):
    """Where text may be cut into blocks.

    `table` chooses the larger size of a block, and larger ones still where the first line is long; with `quotes` a line
    end in quotes ends no record; a record may have as many bytes as a block or `longest`, whichever is more. `mark` is
    the byte between the fields of CSV.
    """

    table: bool = False
    quotes: bool = False
    longest: int = 1 << 24
    mark: int = ord(",")

    @property
    def size(self) -> int:
        """Bytes of a block."""
        return TABLE_BYTES if self.table else BLOCK_BYTES


def iter_blocks(
    file: Input,
    offset: int = 0,
    line: int = 1,
    cut: Cut = Cut(),  # noqa: B008  # a plain tuple
    look: Callable[[bytes], int] | None = None,
    enough: Callable[[bytes], bool] = lambda head: True,
    idle: Callable[[], None] | None = None,
) -> Iterator[Block]:
    """Blocks of whole lines from byte `offset`, where line `line` begins; with `cut.quotes`, of whole CSV records.

    What a block holds depends on where it begins and on nothing else, so a later run can begin at the end of any. At
    the beginning of a file `look` sees its first bytes, and returns the mark between fields. The first line of a record
    that is too long comes with a fault, and the next block begins with the line after it.

    With `idle`, which is called now and then while nothing comes, the lines of a pipe that is slower than its reader
    come as they are there, in parts of blocks; the first ones only when they are `enough` to begin with.

    Raises
    ------
    DataError
        A compressed file is damaged.
    """
    stream = file.open(idle)
    try:
        if offset:
            stream.skip(offset)
        pending = b""
        if look is not None and not offset:
            pending = stream.read(cut.size, LATEST)
            while stream.paused and not enough(pending):
                pending += stream.read(cut.size - len(pending), LATEST)
            cut = cut._replace(mark=look(whole_lines(pending, cut.quotes) if stream.paused else pending))
        fault, left = None, 0
        while True:
            pending, size, begins, left = _filled(stream, pending, cut, left)
            if size < 0 or fault is not None:
                fault, left = fault or _too_long(pending, file.name, line, cut), 0
                size = pending.find(b"\n") + 1 or len(pending)
            if size == 0:
                break
            offset += size
            after = line + count_lines(pending, size)
            yield Block(pending[:size], line, offset, after, fault, begins)
            fault = fault if after == line else None  # the line goes on
            line, pending = after, pending[size:]
    finally:
        stream.close()


def _filled(stream: ByteStream, pending: bytes, cut: Cut, left: int) -> tuple[bytes, int, bool, int]:
    """Text with more of the stream, how much of it is whole records, whether a block begins, and what is left of it.

    There are 0 bytes of records at the end, and -1 for a record too long. What is left of a block after some of its
    lines, 0 if nothing, is what would have been in it if all of it had come at once.
    """
    want = left or cut.size
    while True:
        if not stream.paused:
            pending += stream.read(max(0, want - len(pending)))
        if cut.table and not left and want == cut.size and (longer := block_bytes(pending, want)) > want:
            want = longer
            if not stream.paused:
                continue
        waiting, stream.paused = stream.paused, False
        at_end = not waiting and len(pending) < want
        size = len(pending) if at_end else last_end(pending, want, cut)
        if size or at_end:
            return pending, size, not left, want - size if waiting else 0
        most = max(cut.size, cut.longest)
        if left and not waiting:  # the next record is too long for this block
            want, left = cut.size, 0
        elif not waiting and want >= most:
            return pending, -1, True, 0
        elif not waiting:
            want = min(2 * want, most)


def last_end(content: bytes, size: int, cut: Cut) -> int:
    """Where the last whole line in the first `size` bytes ends; not inside quotes, which a line end may be part of."""
    from linsep.kernels.text.quotes import record_ends

    if cut.quotes and content.find(b'"', 0, size) >= 0:
        return int(record_ends(np.frombuffer(content, np.uint8, min(size, len(content))), cut.mark)[0])
    return content.rfind(b"\n", 0, size) + 1


def whole_lines(content: bytes, quotes: bool) -> bytes:
    """The lines that have ended, and with `quotes` the records as far as can be told before the mark is known.

    Examples
    --------
    >>> whole_lines(b'a,b\\n1,"x\\ny', True), whole_lines(b'a,b\\n1,"x\\ny', False)
    (b'a,b\\n', b'a,b\\n1,"x\\n')
    """
    end = content.rfind(b"\n") + 1
    while quotes and content.count(b'"', 0, end) % 2:
        end = content.rfind(b"\n", 0, end - 1) + 1
    return content[:end]


def _too_long(content: bytes, name: str, line: int, cut: Cut) -> DataError:
    """What to say of text that begins with a record that is too long: a quote may be the reason."""
    from linsep.kernels.text.quotes import record_ends

    most = max(cut.size, cut.longest)
    option = "allow more with --set max_record_bytes (max_record_bytes)"
    quote = int(record_ends(np.frombuffer(content, np.uint8), cut.mark)[1]) if cut.quotes else -1
    if quote < 0:
        return DataError(f"{name}:{line}: this line does not end within {most:,} bytes: is it text? If so, {option}")
    at = line + content.count(b"\n", 0, quote)
    return DataError(
        f"{name}:{at}: malformed quotes: the quote that opens here is not closed within {most:,} bytes; a quote inside "
        f'a quoted field is written "". If the field is that long, {option}'
    )
