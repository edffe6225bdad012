"""Rows that need not fit into memory: one chunk at a time, from a place that can be gone back to."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pyarrow as pa
import pyarrow.parquet

from linsep.data.columns import TableChunk, take_target
from linsep.data.readers.csv import check_text, read_csv_block, read_header
from linsep.data.readers.jsonl import read_jsonl_block
from linsep.data.readers.parquet import from_arrow
from linsep.data.readers.svmlight import read_svmlight_block
from linsep.data.readers.vowpal import read_vowpal_block
from linsep.data.sources.blocks import bare_name, find_files, iter_blocks
from linsep.types import Chunk, DataError

_FORMATS = {
    ".csv": "csv",
    ".parquet": "parquet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".svmlight": "svmlight",
    ".svm": "svmlight",
    ".libsvm": "svmlight",
    ".vw": "vw",
}
_BATCH_ROWS = 1 << 15
_COMPLAINTS = 5


class Position(NamedTuple):
    """Where the next chunk begins: which file, which byte (which batch of a Parquet file), which line, which row."""

    file: int = 0
    offset: int = 0
    line: int = 1
    row: int = 0


START = Position()


class RowStream:
    """A source whose rows are read a chunk at a time, in constant memory.

    Parameters
    ----------
    source : str or list of str
        A file, a folder, a pattern such as 'part-*.csv.gz', several of them, or "-" for standard input.
    target : str, optional
        The column of the labels, for tables.
    format : {"csv", "parquet", "jsonl", "svmlight", "vw"}, optional
        Where the names do not tell; text may be compressed (.gz, .zst).
    categorical : collection of str
        Columns to read as text even if they hold numbers.
    bits : int
        Vowpal Wabbit's names are hashed to 2**bits columns.
    open_columns : bool
        A null (JSON lines, Parquet) and a key that a line lacks mean that the row does not have the column.
    lenient : bool
        Skip malformed lines of text, count them (`skipped`) and keep what was said of the first few (`complaints`).

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "rows.svmlight"
    >>> _ = path.write_text("1 2:0.5\\n-1 7:1\\n")
    >>> [(chunk.X.shape, position.row) for chunk, position in RowStream(str(path)).chunks()]
    [((2, 8), 2)]
    """

    def __init__(
        self,
        source: str | list[str],
        *,
        target: str | None = None,
        format: str | None = None,
        categorical: Collection[str] = (),
        bits: int = 18,
        lenient: bool = False,
        open_columns: bool = False,
    ) -> None:
        self.files = [name for one in ([source] if isinstance(source, str) else source) for name in find_files(one)]
        self.name = source if isinstance(source, str) else ", ".join(source[:3])
        self.name = "standard input" if self.name == "-" else self.name
        self.format = format or _guess(self.files)
        if self.format not in _FORMATS.values():
            raise DataError(f"no format called {self.format!r}: choose csv, parquet, jsonl, svmlight or vw")
        self.kind: Literal["table", "rows"] = "rows" if self.format in ("svmlight", "vw") else "table"
        if self.format == "parquet" and "-" in self.files:
            raise DataError("a Parquet file ends with its index, so it cannot be read from a pipe: name the file")
        if self.kind == "rows" and target is not None:
            raise DataError(f"{self.format} lines begin with their label: leave the target out")
        self.target, self.categorical, self.bits = target, frozenset(categorical), bits
        self.open_columns, self.lenient, self.skipped = open_columns, lenient, 0
        self.complaints: list[str] = []
        # What is wrong with the line after the chunk that was given last; the next chunk raises it.
        self.error: DataError | None = None
        self._kinds: dict[str, bool] = {}
        # What else must be right with a chunk; raises DataError.
        self.check: Callable[[TableChunk | Chunk], None] = lambda chunk: None

    def read_as_text(self, names: Collection[str]) -> None:
        """From now on do not try whether these columns hold numbers."""
        self.categorical |= frozenset(names)

    @property
    def can_be_read_again(self) -> bool:
        """Whether a later pass, or a run after a crash, finds the rows still there."""
        return all(Path(name).is_file() for name in self.files)  # "-", a named pipe and <(...) are none

    def fingerprint(self) -> list[list[Any]]:
        """The files and their sizes: whether they are still what they were."""
        return [[name, Path(name).stat().st_size] for name in self.files]

    @property
    def total_bytes(self) -> int | None:
        """The size of all files on disk; None where it cannot be known."""
        return sum(Path(name).stat().st_size for name in self.files) if self.can_be_read_again else None

    def chunks(self, start: Position = START) -> Iterator[tuple[TableChunk | Chunk, Position]]:
        """Chunks from `start` on, each with the position after it; what a chunk holds depends on its position alone."""
        at = start
        while at.file < len(self.files):
            yield from self._file(self.files[at.file], at) if self.format != "parquet" else self._parquet(at)
            # Rows are counted through all files: the last position of a file tells how many there were.
            at = Position(at.file + 1, 0, 1, self._row)

    # ------------------------------------------------------------------- text
    def _file(self, name: str, at: Position) -> Iterator[tuple[TableChunk | Chunk, Position]]:
        self._row = at.row
        shown = "standard input" if name == "-" else name
        names: list[str] = []
        if self.format == "csv" and at.offset:
            names = read_header(next(iter_blocks(name, table=True, quotes=True)).content, shown)
        for block in iter_blocks(name, at.offset, at.line, table=self.kind == "table", quotes=self.format == "csv"):
            content = block.content.removeprefix(b"\xef\xbb\xbf") if block.first_line == 1 else block.content
            if self.format == "csv" and not names:
                names = read_header(content, shown)
                take_target(names, self.target)
            whole = len(content)
            if self.lenient:
                content = b"".join(self._good_lines(content, shown, block.first_line, names))
            try:
                chunk = self._checked(content, shown, block.first_line, names)
            except DataError as error:  # the rows before it first
                self.error = error
                content = self._good_start(content, shown, block.first_line, names)
                chunk = self._parse(content, shown, block.first_line, names)
            if chunk is not None:
                self._row += chunk.n_rows if isinstance(chunk, TableChunk) else chunk.X.shape[0]
                end, line = block.end, block.next_line
                if self.error is not None:
                    end, line = end - whole + len(content), block.first_line + content.count(b"\n")
                yield chunk, Position(at.file, end, line, self._row)
            if self.error is not None:
                raise self.error

    def _good_lines(self, content: bytes, name: str, line: int, names: list[str]) -> Iterator[bytes]:
        """A block without its malformed lines, which are found by halving it."""
        try:
            chunk = self._checked(content, name, line, names)
            if chunk is not None:
                self._check_kinds(chunk, name, line)
            yield content
        except DataError as error:
            cut = self._middle(content)
            if cut:
                yield from self._good_lines(content[:cut], name, line, names)
                yield from self._good_lines(content[cut:], name, line + content.count(b"\n", 0, cut), names)
                return
            self.skipped += sum(bool(one.strip()) for one in content.split(b"\n"))
            if len(self.complaints) < _COMPLAINTS:
                self.complaints.append(str(error))

    def _good_start(self, content: bytes, name: str, line: int, names: list[str]) -> bytes:
        """The lines of a block before its first malformed one, which is found by halving it."""
        cut = self._middle(content)
        if not cut:
            return b""
        try:
            chunk = self._checked(content[:cut], name, line, names)
            if chunk is not None:
                self._check_kinds(chunk, name, line)
        except DataError:
            return self._good_start(content[:cut], name, line, names)
        rest = self._good_start(content[cut:], name, line + content.count(b"\n", 0, cut), names)
        return content[:cut] + rest

    def _checked(self, content: bytes, name: str, line: int, names: list[str]) -> TableChunk | Chunk | None:
        """Lines as a chunk that `check` has nothing against."""
        chunk = self._parse(content, name, line, names)
        if chunk is not None:
            self.check(chunk)
        return chunk

    def _check_kinds(self, chunk: TableChunk | Chunk, name: str, line: int) -> None:
        """A column of numbers holds numbers in every line, whatever piece of a block the line is looked at in."""
        if not isinstance(chunk, TableChunk) or not chunk.n_rows:
            return
        kinds = {column.name: column.is_number for column in chunk.columns if column.name not in self.categorical}
        for column, is_number in kinds.items():
            before = self._kinds.setdefault(column, is_number)
            if before != is_number and (before or self.format == "jsonl"):
                raise DataError(f"{name}:{line}, column {column!r}: {'text' if before else 'a number'} out of place")

    def _middle(self, content: bytes) -> int:
        """Where a line ends, near the middle; 0 if this is one line. A line end inside quotes ends no line of CSV."""
        half = len(content) // 2
        for cut in (content.find(b"\n", half) + 1, content.rfind(b"\n", 0, half) + 1):
            while 0 < cut < len(content) and self.format == "csv" and content.count(b'"', 0, cut) % 2:
                cut = content.find(b"\n", cut) + 1
            if 0 < cut < len(content):
                return cut
        return _beside_stray_quote(content) if self.format == "csv" and b'"' in content else 0

    def _parse(self, content: bytes, name: str, line: int, names: list[str]) -> TableChunk | Chunk | None:
        if not content.strip():
            return None
        if self.format == "csv":
            check_text(content, name, line)
            table = read_csv_block(content, name, names, self.target, self.categorical, line, self._row)
            return table if table.n_rows else None
        if self.format == "jsonl":
            asked = {"open_columns": self.open_columns}
            return read_jsonl_block(content, name, self.target, self.categorical, line, self._row, **asked)
        if self.format == "vw":
            rows = read_vowpal_block(content, name, self.bits, line, self._row)
        else:
            rows = read_svmlight_block(content, name, line, self._row)
        return rows if rows.X.shape[0] else None

    # ---------------------------------------------------------------- Parquet
    def _parquet(self, at: Position) -> Iterator[tuple[TableChunk, Position]]:
        self._row = at.row
        name = self.files[at.file]
        try:
            file = pyarrow.parquet.ParquetFile(name, pre_buffer=False, buffer_size=1 << 16)
            with file:
                for number, batch in enumerate(file.iter_batches(_BATCH_ROWS, use_threads=False)):
                    if number < at.offset:
                        continue
                    first = self._row
                    table = pa.Table.from_batches([batch])
                    place, asked = _row_from(name, first), {"open_columns": self.open_columns}
                    chunk = from_arrow(table, name, self.target, self.categorical, place, first, **asked)
                    self._row += batch.num_rows
                    yield chunk, Position(at.file, number + 1, 1, self._row)
        except (pa.ArrowInvalid, OSError) as error:
            raise DataError(f"{name}: not a whole Parquet file: {error}") from None


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


def _row_from(name: str, first: int) -> Any:
    return lambda row: f"{name}, row {first + row} of the stream"


def _guess(files: list[str]) -> str:
    if files == ["-"]:
        return "csv"
    found = {_FORMATS.get(Path(bare_name(name)).suffix.lower()) for name in files}
    if len(found) == 1 and (kind := found.pop()) is not None:
        return kind
    raise DataError(f"{files[0]}: the names do not tell one format; say --format csv, parquet, jsonl, svmlight or vw")


def is_stream_only(name: str, format: str | None) -> bool:
    """Whether a file is of a kind that `open_data` does not read: JSON lines, Vowpal Wabbit text, Zstandard."""
    kind = format or _FORMATS.get(Path(bare_name(name)).suffix.lower())
    return kind in ("jsonl", "vw") or name.endswith(".zst")
