"""The rows that a query of a database gives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from linsep.data.inputs import free_memory
from linsep.data.readers.arrow import Where, from_arrow
from linsep.data.readers.asked import Asked, Whole
from linsep.data.readers.database import program_of, query_tables
from linsep.data.readers.parquet import BATCH_ROWS
from linsep.data.sources.of_batches import BatchSource
from linsep.data.sources.seen import ChangedError
from linsep.types import DataError, NoRowsError


class QuerySource(BatchSource):
    """A query is asked anew in each pass. Nothing but its rows tells whether they are those of the pass before."""

    changed = "the rows of the query have changed, or their order (is it fixed by ORDER BY?)"

    def __init__(self, path: str, asked: Asked) -> None:
        super().__init__(path, "query", asked)
        self.files = [path]
        self._query, self._program = str(asked.query), program_of(path)

    def fingerprint(self) -> list[list[Any]]:
        return [[self.name, self._query]]

    def _read_whole(self) -> Whole:
        tables, most = [], (free_memory() or 1 << 60) // 2
        for _, rows in self._batches_of(0):
            most -= rows.nbytes
            if most < 0:
                raise DataError(f"{self.name}: the rows of the query do not fit half of the free memory: say --stream")
            tables.append(rows)
        if not tables:
            raise NoRowsError(f"{self.name}: the query gives no rows")
        table = pa.concat_tables(tables, promote_options="permissive")
        return Whole(from_arrow(table, self.name, self._asked, self._where(0, 0)))

    def _batches_of(self, number: int) -> Iterator[tuple[int, Any]]:
        return enumerate(query_tables(self.name, self._program, self._query, BATCH_ROWS))

    def _end_file(self, number: int) -> None:
        try:
            super()._end_file(number)
        except ChangedError:
            raise DataError(f"{self.name}: {self.changed} between two passes: learn again from the beginning") from None

    def _where(self, number: int, before: int) -> Where:
        return lambda row: f"{self.name}, row {before + row + 1} of the query"
