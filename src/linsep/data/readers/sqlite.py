"""SQLite databases: the rows of a query as Arrow tables, with one type a column where SQLite has one a value."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa

from linsep.data.columns import check_names
from linsep.types import DataError

_EXACT = 2**53  # doubles hold every whole number up to here
_CAST = "make the column one type in the query, as in CAST({} AS TEXT) or CAST({} AS REAL)"


def sqlite_tables(path: str, query: str, n_rows: int) -> Iterator[Any]:
    """The rows that a query gives, as Arrow tables of `n_rows` rows; the last one may be shorter.

    Whole numbers become int64, fractions and both together float64, text stays text, NULL is missing.

    Raises
    ------
    sqlite3.Error, sqlite3.Warning
        As SQLite says it.
    DataError
        The query returns no table; a column holds several types, or bytes.
    """
    # Another thread may close what this one opened.
    address = f"file:{quote(str(Path(path).resolve()))}?mode=ro"
    with closing(sqlite3.connect(address, uri=True, check_same_thread=False)) as database:
        database.set_authorizer(_refuse_other_files)
        cursor = database.execute(query)
        if cursor.description is None:
            raise DataError(f"{path}: the query returns no table: it must be a SELECT")
        names = [column[0] for column in cursor.description]
        check_names(names, f"{path}, the query")
        declared = _declared(database, query, len(names))
        columns = [_Typed(path, name, kind) for name, kind in zip(names, declared, strict=True)]
        first = 1
        while rows := cursor.fetchmany(n_rows):
            cells = zip(*rows, strict=True)
            arrays = [column.array(values, first) for column, values in zip(columns, cells, strict=True)]
            first += len(rows)
            yield pa.Table.from_batches([pa.record_batch(arrays, names)])


def _declared(database: sqlite3.Connection, query: str, n_columns: int) -> list[str]:
    """The types that the columns were declared with; "" for expressions."""
    try:
        database.execute(f"CREATE TEMP VIEW linsep_query AS {query}")
        found = [row[2] for row in database.execute("PRAGMA temp.table_info(linsep_query)")]
        database.execute("DROP VIEW temp.linsep_query")
    except (sqlite3.Error, sqlite3.Warning):  # a query that cannot be a view, such as a PRAGMA
        found = []
    return found if len(found) == n_columns else [""] * n_columns


def _refuse_other_files(action: int, *about: str | None) -> int:
    """Deny ATTACH, and VACUUM INTO, which uses it: they would make a file, though the database itself is read-only."""
    return sqlite3.SQLITE_DENY if action in (sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH) else sqlite3.SQLITE_OK


class _Typed:
    """One column, whose values must go on being numbers or text as they began."""

    def __init__(self, path: str, name: str, declared: str) -> None:
        self._path, self._name = path, name
        self._is_text: bool | None = None
        self._has_values = self._has_large = self._has_fraction = False
        # SQLite's own rule for the names of types; it counts where all of the first values are NULL.
        kind = declared.upper()
        self._is_declared_text = "INT" not in kind and any(part in kind for part in ("CHAR", "CLOB", "TEXT"))

    def array(self, values: Sequence[Any], first: int) -> Any:
        """Some values as an Arrow array; `first` is the number of the row of the first one."""
        kinds = set(map(type, values)) - {type(None)}
        if self._is_text is None:
            self._is_text = kinds == {str} if kinds else self._is_declared_text
        if not kinds <= ({str} if self._is_text else {int, float}):
            self._refuse(values, first)
        self._has_values |= bool(kinds)
        if self._is_text:
            return pa.array(values, pa.string())
        self._has_fraction |= float in kinds
        self._has_large |= int in kinds and any(type(value) is int and abs(value) > _EXACT for value in values)
        if self._has_fraction and self._has_large:
            raise DataError(
                f"{self._path}, column {self._name!r}: fractions, and whole numbers beyond 2**53, which doubles do not "
                f"hold: {self._advice()}"
            )
        return pa.array(values, pa.float64() if float in kinds else pa.int64())

    def _refuse(self, values: Sequence[Any], first: int) -> None:
        """Raise DataError for the first value that is of another type than those before it."""
        is_text = self._is_text if self._has_values or first > 1 else None
        for row, value in enumerate(values, first):
            place = f"{self._path}, row {row} of the query, column {self._name!r}"
            if isinstance(value, bytes):
                raise DataError(f"{place}: bytes, which are neither a number nor text: leave the column out")
            if value is None:
                continue
            if is_text is not None and is_text != isinstance(value, str):
                found, kind = ("a number", "text") if is_text else ("text", "numbers")
                before = f"the rows before hold {kind}"
                raise DataError(f"{place}: {value!r:.80} is {found}, and {before}: {self._advice()}")
            is_text = isinstance(value, str)

    def _advice(self) -> str:
        name = '"' + self._name.replace('"', '""') + '"'
        return _CAST.format(name, name)
