"""Sources of tables in batches (Parquet files, spreadsheets, dataframes), and of a matrix with its labels."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import cached_property
from itertools import accumulate
from typing import Any

import pyarrow as pa

from linsep import tables
from linsep.data.columns import TableChunk
from linsep.data.distinct import holds_text
from linsep.data.inputs import Input, free_memory
from linsep.data.labels import as_labels
from linsep.data.readers.arrow import Where, compact, dataframe_to_arrow, from_arrow, joined, row_of
from linsep.data.readers.database import program_of, query_tables
from linsep.data.readers.excel import excel_to_arrow
from linsep.data.readers.lines import Asked, Whole, in_a_line
from linsep.data.sources.seen import RunningHash, add_rows
from linsep.data.sources.source import START, Position, Source
from linsep.types import Chunk, DataError, NoRowsError, row_from_0

# Rows of a batch: positions in a Parquet file are counted in batches of this size.
BATCH_ROWS = 1 << 15
_BYTES_OF_PLAIN_TEXT = 4  # of the length before each


_MAGIC = b"PAR1"
_FIRST_ROW = 2  # of a spreadsheet, after the names


class BatchSource(Source):
    """Rows that come in numbered batches, which are the same in every pass.

    The offset of a position is a batch. A kind of batches says what `_batches_of`, `_table_of` and `_where` are.
    """

    _untyped: Collection[str] = ()  # columns of text that may stand for numbers

    def chunks(self, start: Position = START) -> Iterator[tuple[TableChunk | Chunk, Position]]:
        self._begin_pass(start)
        row = start.row
        for number in range(start.file, max(1, len(self._inputs))):
            first = start.offset if number == start.file else 0
            self._begin_file(number)
            for batch, rows in self._batches_of(number):
                if batch < first:
                    continue
                chunk = self._rows_of(rows, number, row)
                self.check(chunk)
                row += self._taken(chunk)
                if self.seen is not None:
                    add_rows(self.seen.now, rows)
                yield chunk, Position(number, batch + 1, 1, row)
            self._end_file(number)

    def _hash(self, number: int, position: Position | None) -> RunningHash:
        found = RunningHash()
        for batch, rows in self._batches_of(number):
            if position is not None and batch == position.offset:
                break
            add_rows(found, rows)
        return found

    def _batches_of(self, number: int) -> Iterator[tuple[int, Any]]:
        """The batches of a file as Arrow tables, numbered from 0."""
        raise NotImplementedError

    def _rows_of(self, rows: Any, number: int, before: int) -> TableChunk | Chunk:
        """The rows of a batch of a file; so many rows were before it."""
        where, name = self._where(number, before), self._file_name(number)
        return from_arrow(rows, name, self.asked, where, before, untyped=self._untyped)

    def _read_whole(self) -> Whole:
        files = range(max(1, len(self._inputs)))
        parts = [self._table_of(number) for number in files]
        before = accumulate((part.num_rows for part in parts), initial=0)
        places = [self._where(number, rows) for number, rows in zip(files, before, strict=False)]
        table, where = joined(parts, [self._file_name(number) for number in files], places)
        table = compact(table) if self._inputs else table
        return Whole(from_arrow(table, self._file_name(0), self.asked, where, untyped=self._untyped))

    def _table_of(self, number: int) -> Any:
        """All rows of a file as an Arrow table."""
        raise NotImplementedError

    def _where(self, number: int, before: int) -> Where:
        """Where the rows of a batch of a file stand; so many rows were before it."""
        raise NotImplementedError


class ParquetSource(BatchSource):
    """Parquet files. One from a pipe, in a buffer or compressed once more is kept in memory while it is read."""

    def __init__(self, inputs: list[Input], name: str, asked: Asked) -> None:
        super().__init__(name, "table", "parquet", asked, inputs)

    def _table_of(self, number: int) -> Any:
        """Of a file alone text stays in its dictionaries; with others it might not join."""
        file, name = _random_access(self._inputs[number]), self._file_name(number)
        with _opened(file, name) as parquet:
            _check_size(parquet.metadata, name)
            few = _in_dictionaries(parquet) if len(self._inputs) == 1 else []
            if not few:
                return parquet.read()
        with _opened(file, name, read_dictionary=few, metadata=parquet.metadata) as parquet:
            return parquet.read()

    def _batches_of(self, number: int) -> Iterator[tuple[int, Any]]:
        name, n_rows = self._file_name(number), 0
        with _opened(_random_access(self._inputs[number]), name) as parquet:
            for batch, rows in enumerate(parquet.iter_batches(BATCH_ROWS, use_threads=False)):
                n_rows += rows.num_rows
                yield batch, pa.Table.from_batches([rows])
            said = parquet.metadata.num_rows
            if n_rows != said:
                raise DataError(f"{name}: not a whole Parquet file: it says {said:,} rows and holds {n_rows:,}")

    def _where(self, number: int, before: int) -> Where:
        name, more = self._file_name(number), " of all files" * bool(number)
        return lambda row: f"{name}, row {before + row + 1}{more} (counted from 1)"


def _in_dictionaries(parquet: Any) -> list[str]:
    """The columns of text that the file itself keeps as dictionaries: other text takes four bytes a cell and more.

    The first group of rows tells.
    """
    texts = [field.name for field in parquet.schema_arrow if holds_text(field.type)]
    at = {column.path: j for j, column in enumerate(parquet.schema) if column.path in texts}
    if not at or not parquet.metadata.num_row_groups:
        return []
    # A damaged column is refused here: asked for its size it would end the process.
    next(parquet.iter_batches(1, row_groups=[0], columns=texts, use_threads=False), None)
    group = parquet.metadata.row_group(0)
    most = _BYTES_OF_PLAIN_TEXT * group.num_rows
    return [name for name, j in at.items() if group.column(j).total_uncompressed_size < most]


@contextmanager
def _opened(file: Any, name: str, **more: Any) -> Iterator[Any]:
    import pyarrow.parquet

    try:
        with pyarrow.parquet.ParquetFile(file, pre_buffer=False, buffer_size=1 << 16, **more) as parquet:
            yield parquet
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{name}: not a whole Parquet file: {in_a_line(error)}") from None
    except UnicodeDecodeError:
        raise DataError(f"{name}: not a whole Parquet file: a column has a name that is not UTF-8 text") from None


def _check_size(metadata: Any, name: str) -> None:
    """Raise DataError for a file that does not fit the memory: few bytes may hold many equal rows."""
    free = free_memory()
    cells = metadata.num_rows * metadata.num_columns
    if free is not None and 8 * cells > free // 2:
        raise DataError(
            f"{name}: {metadata.num_rows:,} rows of {metadata.num_columns:,} columns do not fit half of the free "
            "memory: learn from them as a stream, with --stream (linsep.fit_stream)"
        )


def _random_access(file: Input) -> Any:
    """The index of a Parquet file is at its end, so a pipe has to be read as a whole first."""
    if file.path is not None and file.can_be_read_again:
        with file.opened(file.path) as stream:
            if stream.read(len(_MAGIC)) == _MAGIC:
                return file.path
    return pa.BufferReader(file.read_all())


class FrameSource(BatchSource):
    """A table that is in memory: of pandas, Polars or Arrow, or any other dataframe that narwhals knows."""

    def __init__(self, frame: Any, asked: Asked) -> None:
        super().__init__("dataframe", "table", "dataframe", asked)
        self._frame = frame

    @cached_property
    def _table(self) -> Any:
        return dataframe_to_arrow(self._frame, self.target)

    def fingerprint(self) -> list[list[Any]]:
        return [[self.name, self._table.num_rows, self._table.num_columns]]

    def _table_of(self, number: int) -> Any:
        return self._table

    def _batches_of(self, number: int) -> Iterator[tuple[int, Any]]:
        return _slices(self._table)

    def _where(self, number: int, before: int) -> Where:
        return row_of(self.name, before)


class ExcelSource(BatchSource):
    """Spreadsheets, which are read as a whole and kept. Rows are counted as each spreadsheet counts them."""

    def __init__(self, inputs: list[Input], name: str, asked: Asked) -> None:
        super().__init__(name, "table", "excel", asked, inputs)

    @cached_property
    def _sheets(self) -> tuple[list[Any], set[str]]:
        asked, books = self.asked, ((file.read_all(), file.name) for file in self._inputs)
        return excel_to_arrow(books, asked.skip_rows, asked.sheet)

    @property
    def _untyped(self) -> Collection[str]:  # type: ignore[override]  # what others hold, sheets tell
        return self._sheets[1]

    def _table_of(self, number: int) -> Any:
        return self._sheets[0][number]

    def _batches_of(self, number: int) -> Iterator[tuple[int, Any]]:
        return _slices(self._table_of(number))

    def _where(self, number: int, before: int) -> Where:
        above = sum(table.num_rows for table in self._sheets[0][:number])
        name, first = self._file_name(number), _FIRST_ROW + self.asked.skip_rows + before - above
        return lambda row: f"{name}, row {first + row}"


def _slices(table: Any) -> Iterator[tuple[int, Any]]:
    """A table in memory, some rows after another."""
    return enumerate(table.slice(first, BATCH_ROWS) for first in range(0, table.num_rows, BATCH_ROWS))


class ArraySource(BatchSource):
    """A matrix, dense or sparse, and its labels or None."""

    def __init__(self, X: Any, y: Any) -> None:
        tables.check_index(X, y)
        super().__init__("arrays", "rows", "arrays", Asked())
        self._X, self._y = X, y

    @property
    def exact_rows(self) -> Any:
        return tables.exact_table(self._X)

    def fingerprint(self) -> list[list[Any]]:
        return [[self.name, *self.read().X.shape]]

    def _read_whole(self) -> Whole:
        X = tables.merge_duplicates(tables.as_floats(tables.as_table(self._X)))
        tables.check_finite(X)
        y = None if self._y is None else as_labels(self._y, row_from_0, "y")
        if y is not None:
            tables.check_length(X, y)
        return Whole(Chunk(X, y, 0))

    def _batches_of(self, number: int) -> Iterator[tuple[int, Any]]:
        X, y, _ = self.read()
        cuts = (slice(first, first + BATCH_ROWS) for first in range(0, X.shape[0], BATCH_ROWS))
        return enumerate(Chunk(X[cut], None if y is None else y[cut], cut.start) for cut in cuts)

    def _rows_of(self, rows: Any, number: int, before: int) -> Chunk:
        return rows  # type: ignore[no-any-return]  # of `_batches_of`


class QuerySource(BatchSource):
    """A query is asked anew in each pass. Nothing but its rows tells whether they are those of the pass before."""

    changed = "the rows of the query have changed, or their order (is it fixed by ORDER BY?)"

    def __init__(self, path: str, asked: Asked) -> None:
        super().__init__(path, "table", "query", asked)
        self.files = [path]
        self._query, self._program = str(asked.query), program_of(path)

    def fingerprint(self) -> list[list[Any]]:
        return [[self.name, self._query]]

    def _table_of(self, number: int) -> Any:
        parts, most = [], (free_memory() or 1 << 60) // 2
        for _, rows in self._batches_of(0):
            most -= rows.nbytes
            if most < 0:
                raise DataError(f"{self.name}: the rows of the query do not fit half of the free memory: use --stream")
            parts.append(rows)
        if not parts:
            raise NoRowsError(f"{self.name}: the query gives no rows")
        return joined(parts, [self.name], [self._where(0, 0)] * len(parts))[0]

    def _batches_of(self, number: int) -> Iterator[tuple[int, Any]]:
        return enumerate(query_tables(self.name, self._program, self._query, BATCH_ROWS))

    def _where(self, number: int, before: int) -> Where:
        name = self.name
        return lambda row: f"{name}, row {before + row + 1} of the query"
