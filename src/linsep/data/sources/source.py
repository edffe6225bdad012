"""A source of rows: all of them at once, or a chunk at a time from a place that can be gone back to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from linsep.data.columns import Column, TableChunk, like
from linsep.data.inputs import Input
from linsep.data.labels import refuse_more_digits
from linsep.data.readers.lines import Asked, Decimals, Kind, Whole
from linsep.data.sources.seen import ChangedError, RunningHash, Seen
from linsep.types import Array, Chunk, DataError

_COMPLAINTS = 5


class Position(NamedTuple):
    """Where the next chunk of a source begins.

    Attributes
    ----------
    file : int
        Number of the file, from 0.
    offset : int
        Byte in that file; of a Parquet file, a spreadsheet, a query, a dataframe and a matrix the batch.
    line : int
        Line in that file, from 1.
    row : int
        Rows before it in the whole source.
    """

    file: int = 0
    offset: int = 0
    line: int = 1
    row: int = 0


START = Position()


def in_turn(chunk: TableChunk | Chunk) -> Iterator[TableChunk | Chunk]:
    """The rows with a label and those that have none (`y` is None), in the order in which they were read.

    Examples
    --------
    >>> from linsep import open_data
    >>> source = open_data(b"a,y\\n1,p\\n2,\\n3,\\n4,q\\n", target="y")
    >>> source.asked.keep_unlabelled = True
    >>> [part.cells("a").values.tolist() for part in in_turn(source.read())]
    [[1.0], [2.0, 3.0], [4.0]]
    """
    if chunk.rest is None or chunk.unlabelled is None:
        yield chunk
        return
    is_rest = np.isin(np.arange(chunk.n_read), chunk.unlabelled)
    place = np.where(is_rest, np.cumsum(is_rest), np.cumsum(~is_rest)).tolist()  # among its own kind, from 1
    for a, b in pairwise([0, *(np.flatnonzero(np.diff(is_rest)) + 1).tolist(), len(is_rest)]):
        yield (chunk.rest if is_rest[a] else chunk).take(np.arange(place[a] - 1, place[b - 1]))


class Source:
    """Rows that `open_data` opened: `read` gives all of them as one chunk, `chunks` a few at a time.

    Each kind of source has its own way to read, which the methods that only raise stand for here.

    Attributes
    ----------
    name : str
        What messages call it.
    kind : {"table", "rows"}
        "table" for named columns (`TableChunk`), "rows" for matrices (`Chunk`).
    target : str or None
        The column of the labels.
    format : str
        "csv", "jsonl", "parquet", "svmlight", "vw", "excel", "query", "dataframe" or "arrays".
    files : list of str
        The paths that are read, "-" for standard input; empty for what is in memory or on a server.
    asked : Asked
        What `open_data` was told; columns to read as text and cells that stand for no value may be added.
    read_as : str
        How text is written where that is not as usual: other separators than commas, decimal commas, no UTF-8.
    decimal : str or None
        A comma where the CSV that was read has decimal commas.
    first_index : int or None
        Of svmlight text that was read whole: the index of its first column, 0 or 1.
    decimals : Decimals or None
        Of svmlight text that was read whole: its values as written.
    unlabelled : int
        Rows without a label that were left out, if that was asked for (`drop_unlabelled`).
    lenient : bool
        Whether `chunks` of text leave out malformed lines.
    skipped : int
        How many they left out.
    complaints : list of str
        What was wrong with the first few of them.
    error : DataError or None
        What is wrong with the line after the chunk that was given last; the next chunk raises it.
    seen : Seen or None
        A running hash of what `chunks` has read; None unless `watch` was called.
    check : callable
        What else must be right with a chunk; raises DataError. A line that fails is malformed.
    is_enough : callable
        Whether a chunk says enough to begin with: the first lines of a slow pipe may not. It is called with more and
        more of them.
    idle : callable
        Called now and then while a pipe gives nothing.
    begins : bool
        Whether the chunk that was given last begins a piece of a file, of which a slow pipe gives one part after
        another.

    Examples
    --------
    >>> from linsep import open_data
    >>> source = open_data(b"1 2:0.5\\n-1 7:1\\n", format="svmlight")
    >>> source.read().X.shape
    (2, 7)
    >>> [(chunk.X.shape, position.row) for chunk, position in source.chunks()]
    [((2, 8), 2)]
    """

    rounded = False  # whether numbers had more digits than their doubles, which are all that there is of them
    changed = "the files have changed"  # what to say where it is no longer what it was

    def __init__(self, name: str, kind: Kind, format: str, asked: Asked, inputs: Sequence[Input] = ()) -> None:
        self.name, self.kind, self.format = name, kind, format
        self.asked, self._inputs = asked, inputs
        self.files = [file.path if file.path == "-" else file.name for file in inputs if file.path is not None]
        self.first_index: int | None = None
        self.decimals: Decimals | None = None
        self.unlabelled = self.skipped = 0
        self.read_as = ""
        self.decimal: str | None = None
        self.lenient = False
        self.complaints: list[str] = []
        self.error: DataError | None = None
        self.check: Callable[[TableChunk | Chunk], None] = lambda chunk: None
        self.is_enough: Callable[[TableChunk | Chunk], bool] = lambda chunk: True
        self.idle: Callable[[], None] = lambda: None
        self.begins = True
        self.seen: Seen | None = None
        self._chunk: TableChunk | Chunk | None = None
        self._stamps: dict[int, tuple[Any, ...]] = {}

    def __repr__(self) -> str:
        return f"<Source {self.name}>"

    @property
    def target(self) -> str | None:
        return self.asked.target

    def read(self) -> Any:
        """Return all rows as one chunk; they are read once and kept.

        Returns
        -------
        TableChunk or Chunk
            A `TableChunk` of named columns, or a `Chunk` of a matrix.

        Raises
        ------
        DataError
            For anything malformed: file, line and column, what was expected, and what to do.
        """
        if self._chunk is None:
            chunk, self.first_index, self.decimals, self.rounded = self._read_whole()
            self.unlabelled = 0
            if self._taken(chunk) == self.unlabelled:
                raise DataError(f"{self.name}: no row has a label in column {self.target!r}")
            self._chunk = chunk
        return self._chunk

    @property
    def exact_rows(self) -> Any:
        """The rows of a matrix as they were given: of arrays also integers beyond 2^53 and Fractions."""
        return self.read().X

    def take_out(self, name: str) -> Array:
        """Read a column of numbers that is no feature; from then on `read` gives the table without it.

        Parameters
        ----------
        name : str
            The column.

        Returns
        -------
        ndarray, shape (n_rows,)
            Its numbers.

        Raises
        ------
        DataError
            There is none, or it holds text.
        """
        chunk = self.read()
        column = self.take_column(name)
        chunk.refuse_missing(name)
        if column.values is None:
            raise DataError(f"{self.name}: column {name!r} holds text where numbers are needed")
        return np.asarray(column.values)

    def take_column(self, name: str) -> Column:
        """Read a column that is no feature; from then on `read` gives the table without it.

        Parameters
        ----------
        name : str
            The column.

        Returns
        -------
        Column
            Its cells, of which some may be missing.

        Raises
        ------
        DataError
            There is no such column.
        """
        chunk = self.read()
        if not isinstance(chunk, TableChunk) or name not in chunk.names:
            told = f"; {like(name, chunk.names)}" if isinstance(chunk, TableChunk) and chunk.names else ""
            raise DataError(f"{self.name}: there is no column called {name!r} beside the label{told}")
        column = chunk.cells(name)
        refuse_more_digits(column.raw, column.values, name)
        self._chunk = replace(chunk, names=[other for other in chunk.names if other != name])
        return column

    def chunks(self, start: Position = START) -> Iterator[tuple[TableChunk | Chunk, Position]]:
        """Read on from `start`, a chunk at a time; what a chunk holds depends on its position alone.

        Parameters
        ----------
        start : Position, optional
            A position that came with an earlier chunk; by default the beginning.

        Yields
        ------
        tuple of (TableChunk or Chunk, Position)
            The rows, and the position after them.

        Raises
        ------
        DataError
            For anything malformed, after the rows before it in text, and the chunks before it in other sources.
        """
        raise NotImplementedError

    @property
    def can_be_read_again(self) -> bool:
        """Whether a later pass, or a run after a crash, finds the rows still there."""
        return all(file.can_be_read_again for file in self._inputs)

    def fingerprint(self) -> list[list[Any]]:
        """What there is to read and how large it is: whether it is still what it was."""
        return [[file.name, file.size] for file in self._inputs]

    @property
    def total_bytes(self) -> int | None:
        """The size of all files; None where it cannot be known."""
        return sum(file.size for file in self._inputs) if self._inputs and self.can_be_read_again else None

    def skip(self, lines: int, complaint: DataError) -> None:
        """Count lines that are left out, and keep what was wrong with the first few.

        Parameters
        ----------
        lines : int
            How many lines.
        complaint : DataError
            What is wrong with them.
        """
        self.skipped += lines
        if len(self.complaints) < _COMPLAINTS:
            self.complaints.append(str(complaint))

    # --------------------------------------------------------- has it changed?
    def watch(self) -> None:
        """Hash what `chunks` reads from now on, so that a later pass, or `go_on_from`, notices what was changed."""
        self.seen = Seen()

    def go_on_from(self, position: Position, marks: dict[str, Any]) -> None:
        """Read again what an earlier run had read up to a position, and go on hashing from there.

        Parameters
        ----------
        position : Position
            Where `chunks` will go on.
        marks : dict
            What `seen.marks()` was there.

        Raises
        ------
        ChangedError
            It is no longer what was read then.
        """
        self.seen = seen = Seen()
        seen.whole = list(marks["whole"])
        if position == START:
            return
        changed = [k for k in range(marks["ended"]) if self._hash(k, None).hex() != seen.whole[k]]
        seen.file, seen.now = position.file, self._hash(position.file, position)
        if marks["ended"] <= position.file and seen.now.hex() != marks["part"]:
            changed.append(position.file)
        if changed:
            name = self.files[changed[0]] if self.files else self.name
            raise ChangedError(f"{name} is not what was read from it before")

    def _begin_pass(self, start: Position) -> None:
        if start == START:
            self.unlabelled, self.skipped, self.complaints = 0, 0, []
            if self.seen is not None:
                self.seen.restart()

    def _begin_file(self, number: int) -> None:
        """Look at a file whose size or time has changed since the pass before, before any row of it is learnt."""
        file = self._inputs[number] if self._inputs else None
        if self.seen is None or file is None or not file.can_be_read_again:
            return
        stamp = file.stamp
        if number < len(self.seen.whole) and self._stamps.get(number) != stamp:
            self.seen.expect(number, self._hash(number, None), f"{file.name}: {self.changed}")
        self._stamps[number] = stamp

    def _end_file(self, number: int) -> None:
        """Compare what was read of a file with what the pass before has read."""
        if self.seen is not None:
            self.seen.end_file(f"{self._file_name(number)}: {self.changed}")

    def _file_name(self, number: int) -> str:
        return self._inputs[number].name if self._inputs else self.name

    def _taken(self, chunk: TableChunk | Chunk) -> int:
        """How many rows were read for a chunk; those that it leaves out because they have no label are counted."""
        self.unlabelled += chunk.n_read - chunk.n_rows
        return chunk.n_read

    def _hash(self, number: int, position: Position | None) -> RunningHash:
        """The hash of file `number`, up to a position or, for None, to its end."""
        raise NotImplementedError

    def _read_whole(self) -> Whole:
        """All rows at once; each kind of source reads them."""
        raise NotImplementedError
