"""Which lines of a block are malformed, found by halving it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from linsep.data.columns import TableChunk
from linsep.data.readers.asked import Lines, TextReader
from linsep.data.sources.source import Source
from linsep.types import Chunk, DataError


class Sieve:
    """Finds the well-formed lines of a source, by its reader and its `check`.

    A column that held numbers in the first lines has to hold numbers in all lines, however a block is halved.
    """

    def __init__(self, source: Source, reader: TextReader) -> None:
        self._source, self._reader = source, reader
        self._is_number: dict[str, bool] = {}

    def chunk_of(self, lines: Lines) -> tuple[bytes, TableChunk | Chunk | None]:
        """The well-formed lines of a block, and their rows.

        Of a lenient source the others are counted there; else only lines before the first malformed one are taken, and
        the `error` of the source says what is wrong with it.
        """
        while True:
            try:
                return lines.content, self._checked(lines)
            except DataError as error:
                ends = self._ends(lines)
                first, wrong = self._first_bad(lines, ends, error)
            begin = ends[first - 1] if first else 0
            if not self._source.lenient:
                self._source.error = wrong
                return lines.content[:begin], self._reader.block(lines.part(0, begin)) if begin else None
            good = list(self._good_parts(lines, ends, 0, len(ends)))
            if sum(len(part.content) for part in good) == len(lines.content):  # one does not go with those before it
                self._source.skip(1, wrong)
                good = [
                    part for part in (lines.part(0, begin), lines.part(ends[first], len(lines.content))) if part.content
                ]
            lines = (good or [lines])[0]._replace(content=b"".join(part.content for part in good))

    def _first_bad(self, lines: Lines, ends: list[int], wrong: DataError) -> tuple[int, DataError]:
        """The first record that is malformed, or does not go with those before it, and what is wrong with it."""
        low, high = 0, len(ends)
        while high - low > 1:
            middle = (low + high) // 2
            try:
                self._checked(lines.part(0, ends[middle - 1]))
                low = middle
            except DataError as error:
                high, wrong = middle, error
        return low, wrong

    def _checked(self, lines: Lines) -> TableChunk | Chunk | None:
        """Lines as a chunk that the `check` of the source has nothing against; DataError for a malformed one."""
        chunk = self._reader.block(lines)
        if chunk is not None:
            self._source.check(chunk)
        return chunk

    def _good_parts(self, lines: Lines, ends: list[int], a: int, b: int) -> Iterator[Lines]:
        """The records from a to b without those that are malformed, which are counted."""
        part = lines.part(ends[a - 1] if a else 0, ends[b - 1])
        try:
            self._check_fully(part)
            yield part
        except DataError as error:
            if b - a == 1:
                self._source.skip(sum(bool(line.strip()) for line in part.content.split(b"\n")), error)
                return
            yield from self._good_parts(lines, ends, a, (a + b) // 2)
            yield from self._good_parts(lines, ends, (a + b) // 2, b)

    def _check_fully(self, lines: Lines) -> None:
        chunk = self._checked(lines)
        if not isinstance(chunk, TableChunk) or not chunk.n_rows:
            return
        for name in chunk.names:
            column = chunk.cells(name)
            if (
                column is None
                or name in self._source.categorical
                or (column.missing is not None and column.missing.all())
            ):
                continue
            before = self._is_number.setdefault(name, column.is_number)
            if before != column.is_number and (before or not self._reader.quotes):
                said = f"{'text' if before else 'a number'} out of place"
                raise DataError(f"{lines.name}:{lines.first_line}, column {name!r}: {said}")

    def _ends(self, lines: Lines) -> list[int]:
        """Where the records end; one whose quote is never closed ends with its line. The header is one, if it is there.

        A header that was made goes with the first record.
        """
        from linsep.kernels.text.quotes import record_end

        content, ends, end = lines.content, list[int](), 0
        text, quotes = np.frombuffer(content, np.uint8), self._reader.quotes and b'"' in content
        while end < len(content):
            closed = int(record_end(text, end, self._reader.written.mark)[0]) if quotes else -1
            end = closed if closed > 0 else content.find(b"\n", end) + 1 or len(content)
            ends.append(end)
        while lines.first_line <= 1 and len(ends) > 1 and content[: ends[0]].isspace():
            del ends[0]
        return ends[1:] if lines.first_line < 1 and len(ends) > 1 else ends
