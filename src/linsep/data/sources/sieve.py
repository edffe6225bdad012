"""Which lines of a block are malformed, found by halving it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from contextlib import suppress

from linsep.data.columns import TableChunk
from linsep.data.readers.asked import Lines, TextReader
from linsep.data.sources.source import Source
from linsep.types import Chunk, DataError

_COMPLAINTS = 5


class Sieve:
    """Finds the well-formed lines of a source, by its reader and its `check`; skipped lines are counted on the source.

    A column that held numbers in the first lines has to hold numbers in all lines, however a block is halved.
    """

    def __init__(self, source: Source, reader: TextReader) -> None:
        self._source, self._reader = source, reader
        self._is_number: dict[str, bool] = {}

    def checked(self, lines: Lines) -> TableChunk | Chunk | None:
        """Lines as a chunk that the `check` of the source has nothing against.

        Raises
        ------
        DataError
            A line is malformed.
        """
        chunk = self._reader.block(lines)
        if chunk is not None:
            self._source.check(chunk)
        return chunk

    def good_lines(self, lines: Lines) -> Lines:
        """A block without its malformed lines, which are counted."""
        return lines._replace(content=b"".join(self._good_parts(lines)))

    def good_start(self, lines: Lines) -> Lines:
        """The lines of a block before its first malformed one."""
        return lines._replace(content=self._good_start(lines))

    def _good_parts(self, lines: Lines) -> Iterator[bytes]:
        try:
            self._check_fully(lines)
            yield lines.content
        except DataError as error:
            cut = self._middle(lines.content)
            if cut:
                yield from self._good_parts(lines.part(0, cut))
                yield from self._good_parts(lines.part(cut))
                return
            self._source.skipped += sum(bool(one.strip()) for one in lines.content.split(b"\n"))
            if len(self._source.complaints) < _COMPLAINTS:
                self._source.complaints.append(str(error))

    def _good_start(self, lines: Lines) -> bytes:
        cut = self._middle(lines.content)
        if not cut:
            return b""
        first = lines.part(0, cut)
        try:
            self._check_fully(first)
        except DataError:
            return self._good_start(first)
        return first.content + self._good_start(lines.part(cut))

    def _check_fully(self, lines: Lines) -> None:
        chunk = self.checked(lines)
        if not isinstance(chunk, TableChunk) or not chunk.n_rows:
            return
        for column in chunk.columns:
            if column.name in self._source.categorical:
                continue
            before = self._is_number.setdefault(column.name, column.is_number)
            if before != column.is_number and (before or self._reader.typed):
                found = "text" if before else "a number"
                raise DataError(f"{lines.name}:{lines.first_line}, column {column.name!r}: {found} out of place")

    def _middle(self, content: bytes) -> int:
        """Where a line ends, near the middle; 0 if this is one line. A line end inside quotes ends no line of CSV."""
        half = len(content) // 2
        for cut in (content.find(b"\n", half) + 1, content.rfind(b"\n", 0, half) + 1):
            while 0 < cut < len(content) and self._reader.quotes and content.count(b'"', 0, cut) % 2:
                cut = content.find(b"\n", cut) + 1
            if 0 < cut < len(content):
                return cut
        return _beside_stray_quote(content) if self._reader.quotes and b'"' in content else 0


def _beside_stray_quote(content: bytes) -> int:
    """Where a record ends, near the middle, as CSV readers see it: to them a quote inside a field is a letter.

    One record that is never closed ends with its first line, so that it costs no other rows. 0 if there is no place.
    """
    reader = csv.reader(io.TextIOWrapper(io.BytesIO(content), encoding="latin-1", newline=""))
    ends: list[int] = []
    with suppress(csv.Error):
        ends.extend(reader.line_num for _ in reader)
    lines = content.split(b"\n")
    last = len(lines) - (not lines[-1])
    ends = [end for end in ends if end < last]
    if not ends and (last == 1 or content.count(b'"') % 2 == 0):
        return 0
    return sum(len(line) + 1 for line in lines[: ends[len(ends) // 2] if ends else 1])
