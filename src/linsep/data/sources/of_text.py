"""Text files, plain or compressed: a chunk a block of lines, or all lines at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from linsep.data.columns import TableChunk
from linsep.data.inputs import STEP, Input
from linsep.data.readers.lines import Asked, Block, Cut, Lines, TextReader, Whole, iter_blocks, last_end, whole_lines
from linsep.data.readers.written import HEAD_BYTES
from linsep.data.sources.seen import RunningHash
from linsep.data.sources.source import START, Position, Source
from linsep.types import Chunk, DataError

_BOM = b"\xef\xbb\xbf"


class TextSource(Source):
    """Files of lines. Those of a `lenient` stream that are malformed are left out and counted."""

    def __init__(self, inputs: list[Input], reader: TextReader, name: str, format: str, asked: Asked) -> None:
        super().__init__(name, reader.kind, format, asked, inputs)
        self._reader, self._has_looked = reader, False
        self._head: bytes | None = None  # the first lines of a pipe, until they are as many as decide how it is written
        self._is_number: dict[str, bool] = {}  # what columns held in the first lines
        for file in inputs:
            file.is_text, file.encoding = True, asked.encoding
        self._cut = Cut(self.kind == "table", reader.quotes, asked.max_record_bytes)

    def chunks(self, start: Position = START) -> Iterator[tuple[TableChunk | Chunk, Position]]:
        self.error, self._head, self._has_begun = None, None, False
        self._begin_pass(start)
        at = start
        while at.file < len(self._inputs):
            self._begin_file(at.file)
            row = at.row
            for block, lines in self._blocks(self._inputs[at.file], at, self.idle):
                self.begins = block.begins
                good, chunk = self._chunk_of(lines._replace(start=row))
                cut_off = b"" if self.error is None else lines.content[len(good) :]
                if self.seen is not None:
                    self.seen.now.add(block.content[: len(block.content) - len(cut_off)])
                if chunk is not None:
                    row += self._taken(chunk)
                    line = block.next_line - cut_off.count(b"\n")
                    yield chunk, Position(at.file, block.end - len(cut_off), line, row)
                    self._has_begun = True
                if self.error is not None:
                    raise self.error
                self._look_again(block.content)
            self._look_again(b"", at_end=True)
            self._end_file(at.file)
            # Rows are counted through all files: the last position of a file tells how many there were.
            at = Position(at.file + 1, 0, 1, row)

    def _blocks(
        self, file: Input, at: Position = START, idle: Callable[[], None] | None = None
    ) -> Iterator[tuple[Block, Lines]]:
        """Blocks of a file, and their lines without a byte order mark; the reader sees the header first."""
        if (at.offset or at.file) and not self._has_looked:
            next(iter_blocks(self._inputs[0], cut=self._cut, look=self._look), None)
        if at.offset:
            first = next(iter_blocks(file, cut=self._cut, look=self._look)).content
            self._rows_of(first, file.name)
        cut = self._cut._replace(mark=self._reader.written.mark)
        for block in iter_blocks(file, at.offset, at.line, cut, self._look, self._can_begin_with, idle):
            if block.fault is not None:
                if not self.lenient or (self._reader.quotes and block.first_line == 1):
                    raise block.fault
                if self.seen is not None:
                    self.seen.now.add(block.content)
                if block.content.endswith(b"\n"):
                    self.skip(1, block.fault)
                continue
            is_first = block.first_line == 1
            lines = Lines(block.content, file.name, block.first_line)
            yield block, self._rows_of(block.content, file.name) if is_first else lines

    def _look(self, head: bytes) -> int:
        """Let the reader see how the first file is written, which holds for all; return the mark between fields."""
        if not self._has_looked:
            name = self._inputs[0].name
            self._reader.look(self._table_of(head, name), name)
            self._has_looked = True
            written, encoding = self._reader.written, self._inputs[0].found_encoding
            self.read_as = ", ".join(filter(None, (written.told(), encoding.upper() if encoding != "utf-8" else "")))
            self.decimal = "," if written.decimal == "," else None
        return self._reader.written.mark

    def _can_begin_with(self, head: bytes) -> bool:
        """Whether the lines of a pipe that are there say enough of what it holds; how it is written is looked at."""
        head = whole_lines(head, self._reader.quotes)
        no_rows = head.count(b"\n") <= self.asked.skip_rows + (self.asked.header and self._reader.quotes)
        if no_rows or self._has_begun:
            return not no_rows
        self._head, name = b"", self._inputs[0].name
        try:
            end = last_end(head, len(head), self._cut._replace(mark=self._look(head)))
            chunk = self._checked(self._rows_of(head[:end], name)) if end else None
            return chunk is not None and self.is_enough(chunk)
        except DataError:
            return True  # as whoever reads on is told
        finally:
            self._has_looked = False  # and more lines may say more

    def _look_again(self, more: bytes, *, at_end: bool = False) -> None:
        """Once the first lines of a pipe are as many as decide of a file how it is written, they have to agree."""
        if self._head is None:
            return
        self._head += more
        if at_end or len(self._head) >= HEAD_BYTES:
            before, name = self._reader.written, self._inputs[0].name
            self._reader.look(self._table_of(self._head, name), name)
            self._head, now = None, self._reader.written
            if (now.sep, now.decimal) != (before.sep, before.decimal):
                raise DataError(
                    f"{name}: the first lines that came were read with {before.sep!r} between the columns and decimals "
                    f"as in 1{before.decimal}5, and those after them say {now.sep!r} and 1{now.decimal}5: say which "
                    "with --read sep (sep=) and --read decimal (decimal=)"
                )

    def _table_of(self, content: bytes, name: str) -> bytes:
        """The start of a file without byte order mark; lines above the table are empty, which keeps all numbers."""
        content = content.removeprefix(_BOM)
        count, end = self.asked.skip_rows, 0
        for line in range(count):
            end = content.find(b"\n", end) + 1
            if not end:
                raise DataError(f"{name}: --read skip_rows={count} (skip_rows=) leaves nothing of {line + 1} lines")
        return b"\n" * count + content[end:]

    def _rows_of(self, content: bytes, name: str) -> Lines:
        """The rows of a file that begins so, below what the reader takes for a header."""
        table = self._table_of(content, name)
        begin = self._reader.begin(table, name)
        return Lines(table[begin:], name, table.count(b"\n", 0, begin) + 1)

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
                yield self._rows_of(content, file.name)
            else:
                yield Lines(b"", file.name)
                yield from (lines for _, lines in self._blocks(file))

    # ------------------------------------------------------------------- malformed lines
    def _chunk_of(self, lines: Lines) -> tuple[bytes, TableChunk | Chunk | None]:
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
            if not self.lenient:
                self.error = wrong
                return lines.content[:begin], self._reader.block(lines.part(0, begin)) if begin else None
            good = list(self._good_parts(lines, ends, 0, len(ends)))
            if sum(len(part.content) for part in good) == len(lines.content):  # one does not go with those before it
                self.skip(1, wrong)
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
            self.check(chunk)
        return chunk

    def _good_parts(self, lines: Lines, ends: list[int], a: int, b: int) -> Iterator[Lines]:
        """The records from a to b without those that are malformed, which are counted."""
        part = lines.part(ends[a - 1] if a else 0, ends[b - 1])
        try:
            self._check_fully(part)
            yield part
        except DataError as error:
            if b - a == 1:
                self.skip(sum(bool(line.strip()) for line in part.content.split(b"\n")), error)
                return
            yield from self._good_parts(lines, ends, a, (a + b) // 2)
            yield from self._good_parts(lines, ends, (a + b) // 2, b)

    def _check_fully(self, lines: Lines) -> None:
        """A column that held numbers in the first lines has to hold them in all, however a block is halved."""
        chunk = self._checked(lines)
        if not isinstance(chunk, TableChunk) or not chunk.n_rows:
            return
        for name in chunk.names:
            column = chunk.cells(name)
            if name in self.asked.categorical or (column.missing is not None and column.missing.all()):
                continue
            before = self._is_number.setdefault(name, column.is_number)
            if before != column.is_number and (before or not self._reader.quotes):
                said = f"{'text' if before else 'a number'} out of place"
                raise DataError(f"{lines.name}:{lines.first_line}, column {name!r}: {said}")

    def _ends(self, lines: Lines) -> list[int]:
        """Where the records end; one whose quote is never closed ends with its line."""
        from linsep.kernels.text.quotes import record_end

        content, ends, end = lines.content, list[int](), 0
        text, quotes = np.frombuffer(content, np.uint8), self._reader.quotes and b'"' in content
        while end < len(content):
            closed = int(record_end(text, end, self._reader.written.mark)[0]) if quotes else -1
            end = closed if closed > 0 else content.find(b"\n", end) + 1 or len(content)
            ends.append(end)
        return ends
