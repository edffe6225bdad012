"""Which lines of a block are malformed, found by halving it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from linsep.data.columns import TableChunk
from linsep.data.readers.asked import Lines, TextReader
from linsep.data.sources.source import Source
from linsep.types import Chunk, DataError


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

    def good_start(self, lines: Lines, error: DataError) -> tuple[Lines, DataError]:
        """The lines of a block before its first malformed one, and what is wrong with that one.

        `error` is what is wrong with the block: it may be about a later line.
        """
        good = self._good_start(lines)
        end = len(good) + self._first_end(lines.content[len(good) :])
        try:
            self.checked(lines.part(0, end))
        except DataError as first:
            error = first
        alone = lines.part(len(good), end)
        if good and self._is_good(alone):
            place = f"{lines.name}:{alone.first_line}"
            error = DataError(f"{place}: this row does not go with the rows before it: {error}")
        return lines._replace(content=good), error

    def _is_good(self, lines: Lines) -> bool:
        try:
            self.checked(lines)
        except DataError:
            return False
        return True

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
            self._source.skip(sum(bool(one.strip()) for one in lines.content.split(b"\n")), error)

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
        for name in chunk.names:
            column = chunk.cells(name)
            assert column is not None
            if name in self._source.categorical or (column.missing is not None and column.missing.all()):
                continue
            before = self._is_number.setdefault(column.name, column.is_number)
            if before != column.is_number and (before or self._reader.typed):
                found = "text" if before else "a number"
                raise DataError(f"{lines.name}:{lines.first_line}, column {column.name!r}: {found} out of place")

    def _middle(self, content: bytes) -> int:
        """Where a line ends, near the middle; 0 if this is one line. A line end inside quotes ends no line of CSV.

        A record whose quote is never closed ends with its first line, so that it costs no other rows.
        """
        from linsep.kernels.text.quotes import record_end, record_end_after

        half = len(content) // 2
        if self._reader.quotes and b'"' in content:
            text = np.frombuffer(content, np.uint8)
            cuts = [int(cut) for cut in record_end_after(text, half, self._reader.written.mark)]
            if record_end(text, 0, self._reader.written.mark)[0] < 0:
                cuts.append(content.find(b"\n") + 1)
        else:
            cuts = [content.find(b"\n", half) + 1, content.rfind(b"\n", 0, half) + 1]
        return next((cut for cut in cuts if 0 < cut < len(content)), 0)

    def _first_end(self, content: bytes) -> int:
        """Where the first line, or the first record of CSV, ends; at the end of the text if it does not."""
        from linsep.kernels.text.quotes import record_end

        if self._reader.quotes and b'"' in content:
            end = int(record_end(np.frombuffer(content, np.uint8), 0, self._reader.written.mark)[0])
            return end if end > 0 else len(content)
        return content.find(b"\n") + 1 or len(content)
