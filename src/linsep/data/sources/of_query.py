"""The rows that a query of a database gives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from linsep.data.hashing import RunningHash
from linsep.data.inputs import free_memory
from linsep.data.readers.arrow import Where, from_arrow, joined
from linsep.data.readers.asked import Asked, Whole
from linsep.data.readers.database import Database
from linsep.data.readers.parquet import BATCH_ROWS
from linsep.data.sources.of_batches import BatchSource
from linsep.data.sources.seen import ChangedError, add_table
from linsep.types import DataError, NoRowsError


class QuerySource(BatchSource):
    """A query is asked anew in each pass. Nothing but its rows tells whether they are those of the pass before."""

    changed = "the rows of the query have changed, or their order (is it fixed by ORDER BY?)"

    def __init__(self, database: Database, query: str, asked: Asked) -> None:
        super().__init__(database.path, "table", "query", asked)
        self.files = [database.path]
        asked.query = query
        self._database, self._query = database, query

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
        return Whole(from_arrow(table, self.name, self._asked, place))

    def _batches_of(self, number: int) -> Iterator[tuple[int, Any]]:
        return enumerate(self._database.tables(self._query, BATCH_ROWS))

    def _end_file(self, number: int) -> None:
        try:
            super()._end_file(number)
        except ChangedError:
            raise DataError(f"{self.name}: {self.changed} between two passes: learn again from the beginning") from None

    def _where(self, number: int, before: int) -> Where:
        return lambda row: f"{self.name}, row {before + row + 1} of the query"
