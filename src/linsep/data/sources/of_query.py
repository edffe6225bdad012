"""The rows that a query of a database gives."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from linsep.data.addresses import is_address, without_secrets
from linsep.data.hashing import RunningHash
from linsep.data.inputs import free_memory
from linsep.data.readers.arrow import Where, from_arrow, joined
from linsep.data.readers.asked import Asked, Whole
from linsep.data.readers.database import Database
from linsep.data.readers.parquet import BATCH_ROWS
from linsep.data.readers.postgres import with_numbers
from linsep.data.sources.of_batches import BatchSource
from linsep.data.sources.seen import ChangedError, add_table
from linsep.data.sources.source import Position
from linsep.types import DataError, NoRowsError


class QuerySource(BatchSource):
    """A query is asked anew in each pass. Nothing but its rows tells whether they are those of the pass before."""

    changed = "the rows of the query have changed, or their order (is it fixed by ORDER BY?)"

    def __init__(self, database: Database, query: str, asked: Asked) -> None:
        super().__init__(database.name, "table", "query", asked)
        self.files = [] if is_address(database.address) else [database.address]
        asked.query = without_secrets(query)
        self._database, self._query = database, query
        self._left_open: tuple[Position, Iterator[tuple[int, Any]]] | None = None

    def fingerprint(self) -> list[list[Any]]:
        return [[self.name, self._asked.query]]

    def _read_whole(self) -> Whole:
        tables, n_bytes, free = [], 0, free_memory()
        found = RunningHash()
        for _, rows in self._batches_of(0):
            n_bytes += rows.nbytes
            if free is not None and n_bytes > free // 2:
                raise DataError(
                    f"{self.name}: the rows of the query do not fit half of the free memory: learn from them as a "
                    "stream, with --stream (linsep.fit_stream)"
                )
            add_table(found, rows)
            tables.append(rows)
        if not tables:
            raise NoRowsError(f"{self.name}: the query gives no rows")
        self.read_hash = found.hex()
        place = self._where(0, 0)
        table, _ = joined(tables, [self.name] * len(tables), [place] * len(tables))
        return Whole(from_arrow(self._as_asked(table), self.name, self._asked, place))

    def _batches_of(self, number: int) -> Iterator[tuple[int, Any]]:
        return enumerate(self._database.tables(self._query, BATCH_ROWS))

    def _batches(self, number: int, first: Position) -> Iterator[tuple[int, Any]]:
        kept, self._left_open = self._left_open, None
        return kept[1] if kept is not None and kept[0] == first else super()._batches(number, first)

    def _hash(self, number: int, position: Position | None) -> RunningHash:
        """Asked up to a position, the answer is left open there, so that `chunks` goes on with the same one."""
        if position is None:
            return super()._hash(number, None)
        found = RunningHash()
        batches = self._batches_of(number)
        self._left_open = position, batches
        if (position.offset, position.line) == (0, 1):
            return found
        for batch, rows in batches:
            n = rows.num_rows if batch < position.offset else position.line - 1
            add_table(found, rows.slice(0, n))
            if batch == position.offset:
                self._left_open = position, chain([(batch, rows.slice(n))], batches)
            if batch + (position.line == 1) >= position.offset:
                break
        return found

    def _end_file(self, number: int) -> None:
        try:
            super()._end_file(number)
        except ChangedError:
            raise DataError(f"{self.name}: {self.changed} between two passes: learn again from the beginning") from None

    def _as_asked(self, rows: Any) -> Any:
        """Categories and labels that are NUMERIC keep their text, which does not depend on the rows beside them."""
        return with_numbers(rows, self.name, {*self.categorical, self.target or ""})

    def _where(self, number: int, before: int) -> Where:
        return lambda row: f"{self.name}, row {before + row + 1} of the query"
