"""Text as blocks of whole lines, in constant memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from linsep.data.inputs import Input
from linsep.types import DataError

# Text is read in blocks of so many bytes: sparse rows, and tables, whose columns cost time a block each. A line may be
# longer, up to the third limit.
BLOCK_BYTES = 1 << 19
TABLE_BYTES = 1 << 21
_LONGEST = 256 << 20
_NEWLINE = ord("\n")


class Block(NamedTuple):
    """Whole lines: their bytes, the number of the first, and where the next block begins (in bytes and lines)."""

    content: bytes
    first_line: int
    end: int
    next_line: int


def iter_blocks(
    file: Input, offset: int = 0, line: int = 1, *, table: bool = False, quotes: bool = False
) -> Iterator[Block]:
    """Blocks of whole lines from byte `offset`, where line `line` begins; with `quotes`, of whole CSV records.

    What a block holds depends on where it begins and on nothing else, so a later run can begin at the end of any.

    Raises
    ------
    DataError
        A compressed file is damaged, which is told after the whole lines before the damage; a line without an end.
    """
    size_of_block = TABLE_BYTES if table else BLOCK_BYTES
    stream = file.open()
    try:
        if offset:
            stream.skip(offset)
        pending = b""
        while True:
            want = size_of_block
            while True:
                pending += stream.read(want - len(pending))
                at_end = len(pending) < want
                size = len(pending) if at_end and stream.damage is None else _last_end(pending[:want], quotes)
                if size or at_end:
                    break
                if want >= _LONGEST:
                    raise DataError(f"{file.name}:{line}: this line does not end within {want >> 20} MB: is it text?")
                want *= 2
            if size == 0:
                break
            offset += size
            after = line + _count_lines(pending, size)
            yield Block(pending[:size], line, offset, after)
            line, pending = after, pending[size:]
            if stream.damage is not None:
                break
        stream.raise_damage()
    finally:
        stream.close()


def _count_lines(content: bytes, size: int) -> int:
    """Return how many lines end in the first `size` bytes; NumPy counts many lines faster than `bytes.count`."""
    return int(np.count_nonzero(np.frombuffer(content, np.uint8, size) == _NEWLINE))


def _last_end(content: bytes, quotes: bool) -> int:
    """Where the last whole line ends; not inside quotes, which a line end may be part of."""
    cut = content.rfind(b"\n") + 1
    while quotes and cut and content.count(b'"', 0, cut) % 2:
        cut = content.rfind(b"\n", 0, cut - 1) + 1
    return cut
