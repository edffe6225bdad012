"""Text as blocks of whole lines, in constant memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from linsep.data.inputs import ByteStream, Input
from linsep.data.readers.asked import block_bytes, count_lines
from linsep.types import DataError

# Text is read in blocks of so many bytes: sparse rows, and tables, whose columns cost time a block each. A record may
# be longer, up to a limit that the caller sets.
BLOCK_BYTES = 1 << 19
TABLE_BYTES = 1 << 21


class Block(NamedTuple):
    """Whole lines: their bytes, the number of the first, and where the next block begins (in bytes and lines).

    With a `fault` it is a line that is too long, or a part of one.
    """

    content: bytes
    first_line: int
    end: int
    next_line: int
    fault: DataError | None = None


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
    cut: Cut | None = None,
    look: Callable[[bytes], int] | None = None,
) -> Iterator[Block]:
    """Blocks of whole lines from byte `offset`, where line `line` begins; with `cut.quotes`, of whole CSV records.

    What a block holds depends on where it begins and on nothing else, so a later run can begin at the end of any. At
    the beginning of a file `look` sees its first bytes, and returns the mark between fields. The first line of a record
    that is too long comes with a fault, and the next block begins with the line after it.

    Raises
    ------
    DataError
        A compressed file is damaged.
    """
    cut = cut or Cut()
    stream = file.open()
    try:
        if offset:
            stream.skip(offset)
        pending = b""
        if look is not None and not offset:
            pending = stream.read(cut.size)
            cut = cut._replace(mark=look(pending))
        fault = None
        while True:
            pending, size = _filled(stream, pending, cut)
            if size < 0 or fault is not None:
                fault = fault or _too_long(pending, file.name, line, cut)
                size = pending.find(b"\n") + 1 or len(pending)
            if size == 0:
                break
            offset += size
            after = line + count_lines(pending, size)
            yield Block(pending[:size], line, offset, after, fault)
            fault = fault if after == line else None  # the line goes on
            line, pending = after, pending[size:]
    finally:
        stream.close()


def _filled(stream: ByteStream, pending: bytes, cut: Cut) -> tuple[bytes, int]:
    """Text with more of the stream, and how much of it is whole records: 0 at the end, -1 for a record too long."""
    want = cut.size
    most = max(want, cut.longest)
    pending += stream.read(max(0, want - len(pending)))
    if cut.table:
        want = block_bytes(pending, want)
    while True:
        pending += stream.read(max(0, want - len(pending)))
        at_end = len(pending) < want
        size = len(pending) if at_end else last_end(pending, want, cut)
        if size or at_end:
            return pending, size
        if want >= most:
            return pending, -1
        want = min(2 * want, most)


def last_end(content: bytes, size: int, cut: Cut) -> int:
    """Where the last whole line in the first `size` bytes ends; not inside quotes, which a line end may be part of."""
    from linsep.kernels.text.quotes import last_record_end

    if cut.quotes and content.find(b'"', 0, size) >= 0:
        return int(last_record_end(np.frombuffer(content, np.uint8, min(size, len(content))), cut.mark))
    return content.rfind(b"\n", 0, size) + 1


def _too_long(content: bytes, name: str, line: int, cut: Cut) -> DataError:
    """What to say of text that begins with a record that is too long: a quote may be the reason."""
    from linsep.kernels.text.quotes import faulty_quote

    most = max(cut.size, cut.longest)
    option = "allow more with --set max_record_bytes (max_record_bytes)"
    quote = int(faulty_quote(np.frombuffer(content, np.uint8), cut.mark)) if cut.quotes else -1
    if quote < 0:
        return DataError(f"{name}:{line}: this line does not end within {most:,} bytes: is it text? If so, {option}")
    at = line + content.count(b"\n", 0, quote)
    return DataError(
        f"{name}:{at}: malformed quotes: the quote that opens here is not closed within {most:,} bytes; a quote inside "
        f'a quoted field is written "". If the field is that long, {option}'
    )
