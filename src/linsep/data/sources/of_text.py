"""Text files, plain or compressed: a chunk a block of lines, or all lines at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from linsep.data.columns import TableChunk
from linsep.data.hashing import RunningHash
from linsep.data.inputs import STEP, Input
from linsep.data.readers.asked import Asked, Lines, TextReader, Whole
from linsep.data.readers.header import made_header
from linsep.data.sources.blocks import Block, Cut, iter_blocks
from linsep.data.sources.sieve import Sieve
from linsep.data.sources.source import START, Position, Source
from linsep.types import Chunk, DataError

_BOM = b"\xef\xbb\xbf"


class TextSource(Source):
    """Files of lines. Those of a `lenient` stream that are malformed are left out and counted."""

    def __init__(self, inputs: list[Input], reader: TextReader, name: str, format: str, asked: Asked) -> None:
        super().__init__(name, reader.kind, format, asked, inputs)
        self._reader, self._sieve = reader, Sieve(self, reader)
        self._has_looked = False
        for file in inputs:
            file.is_text, file.encoding = True, asked.encoding
        self._cut = Cut(self.kind == "table", reader.quotes, asked.max_record_bytes)

    @property
    def read_as(self) -> str:
        encoding = self._inputs[0].found_encoding
        said = "" if encoding == "utf-8" else encoding.upper()
        return ", ".join(filter(None, (self._reader.written.told(), said)))

    def read_alike(self, decimal: str | None) -> None:
        self._reader.known_decimal = decimal

    @property
    def decimal(self) -> str | None:
        return "," if self._reader.quotes and self._reader.written.decimal == "," else None

    @property
    def ways_to_read(self) -> dict[str, Any]:
        written, skipped = self._reader.written, self._asked.skip_rows
        said: dict[str, Any] = {} if written.sep == "," else {"sep": written.sep}
        said |= {} if written.decimal == "." else {"decimal": written.decimal}
        said |= {} if self._asked.header else {"header": False}
        return super().ways_to_read | said | ({"skip_rows": skipped} if skipped else {})

    @property
    def encoding(self) -> str | None:
        return next((one for file in self._inputs if (one := file.found_encoding) != "utf-8"), None)

    def chunks(self, start: Position = START) -> Iterator[tuple[TableChunk | Chunk, Position]]:
        self.error = None
        self._begin_pass(start)
        at = start
        while at.file < len(self._inputs):
            self._begin_file(at.file)
            row = at.row
            for block, lines in self._blocks(self._inputs[at.file], at):
                good, chunk = self._sieve.chunk_of(lines._replace(start=row))
                cut_off = b"" if self.error is None else lines.content[len(good) :]
                self._note(block.content[: len(block.content) - len(cut_off)])
                if chunk is not None:
                    row += self._taken(chunk)
                    line = block.next_line - cut_off.count(b"\n")
                    yield chunk, Position(at.file, block.end - len(cut_off), line, row)
                if self.error is not None:
                    raise self.error
            self._end_file(at.file)
            # Rows are counted through all files: the last position of a file tells how many there were.
            at = Position(at.file + 1, 0, 1, row)

    def _blocks(self, file: Input, at: Position = START) -> Iterator[tuple[Block, Lines]]:
        """Blocks of a file, and their lines without a byte order mark; the reader sees the header first."""
        if (at.offset or at.file) and not self._has_looked:
            next(iter_blocks(self._inputs[0], cut=self._cut, look=self._look), None)
        if at.offset:
            first = next(iter_blocks(file, cut=self._cut, look=self._look)).content
            self._reader.begin(self._table_of(first, file.name), file.name)
        cut = self._cut._replace(mark=self._reader.written.mark)
        for block in iter_blocks(file, at.offset, at.line, cut, self._look):
            if block.fault is not None:
                if not self.lenient or (self._reader.quotes and block.first_line == 1):
                    raise block.fault
                self._note(block.content)
                if block.content.endswith(b"\n"):
                    self.skip(1, block.fault)
                continue
            content, first_line = block.content, block.first_line
            if first_line == 1:
                content, first_line = self._table_of(content, file.name), self._first_line
                self._reader.begin(content, file.name)
            yield block, Lines(content, file.name, first_line)

    def _look(self, head: bytes) -> int:
        """Let the reader see how the first file is written, which holds for all; return the mark between fields."""
        if not self._has_looked:
            name = self._inputs[0].name
            self._reader.look(self._table_of(head, name), name)
            self._has_looked = True
        return self._reader.written.mark

    def _table_of(self, content: bytes, name: str) -> bytes:
        """The start of a file without byte order mark; lines above the table are empty, which keeps all numbers.

        Where it has no header, there is one in line 0.
        """
        content = content.removeprefix(_BOM)
        count, end = self._asked.skip_rows, 0
        for line in range(count):
            end = content.find(b"\n", end) + 1
            if not end:
                raise DataError(f"{name}: --read skip_rows={count} (skip_rows=) leaves nothing of {line + 1} lines")
        made = b"" if self._asked.header or not self._has_looked else made_header(content[end:], self._reader.written)
        return b"\n" * count + made + content[end:]

    @property
    def _first_line(self) -> int:
        return int(self._asked.header)

    def _hash(self, number: int, position: Position | None) -> RunningHash:
        found = RunningHash()
        left = None if position is None else position.offset
        stream = self._inputs[number].open()
        try:
            while part := stream.read(STEP if left is None else min(left, STEP)):
                found.add(part)
                left = None if left is None else left - len(part)
        finally:
            stream.close()
        return found

    # ------------------------------------------------------------------- whole
    def _read_whole(self) -> Whole:
        return self._reader.whole(self._pieces())

    def _pieces(self) -> Iterator[Lines]:
        """All lines as the reader wants them: the files of tables whole, as types are decided over whole columns."""
        for file in self._inputs:
            if self.kind == "table":
                content = file.read_all()
                self._look(content)
                yield Lines(self._table_of(content, file.name), file.name, self._first_line)
            else:
                yield Lines(b"", file.name)
                yield from (lines for _, lines in self._blocks(file))
