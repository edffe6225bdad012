"""Databases of SQLite and DuckDB: the rows of a query as Arrow tables."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa

from linsep.data.columns import check_names
from linsep.data.readers.lines import in_a_line
from linsep.files import unreadable
from linsep.types import DataError

_ATTACHING = (sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH)
_DRIVERS = ("sqlite3", "duckdb", "_duckdb")
# DuckDB keeps pages of the file and what it sorts in memory up to a limit: so many bytes a processor, and 4 of these.
_DUCKDB_BYTES = 1 << 27


def program_of(path: str) -> str:
    """Which program wrote a database, "SQLite" or "DuckDB", as its first bytes tell.

    Raises
    ------
    DataError
        There is no such file, or it is no database.
    """
    try:
        with open(path, "rb") as file:
            head = file.read(16)
    except OSError as error:
        raise DataError(unreadable(path, error)) from None
    if head == b"SQLite format 3\0":
        return "SQLite"
    if head[8:12] == b"DUCK":
        return "DuckDB"
    raise DataError(f"{path} is no database of DuckDB or SQLite: leave out the query to read it as a table")


def query_tables(path: str, program: str, query: str, n_rows: int) -> Iterator[Any]:
    """The rows that a query of a database gives, as Arrow tables of `n_rows` rows; the last one may be shorter.

    The database is opened for reading alone, at the first table, and closed after the last.

    Raises
    ------
    DataError
        The driver is not installed, the database says that something is wrong, two columns have one name, or a
        column of SQLite holds several types.
    """
    try:
        yield from _recut((_duckdb_tables if program == "DuckDB" else _sqlite_tables)(path, query, n_rows), n_rows)
    except Exception as error:
        is_of_driver = type(error).__module__.partition(".")[0] in _DRIVERS
        if not is_of_driver and not isinstance(error, pa.ArrowInvalid | OSError):
            raise
        raise DataError(f"{path}: {program} says: {in_a_line(error)}") from None


def _duckdb_tables(path: str, query: str, n_rows: int) -> Iterator[Any]:
    try:
        duckdb = import_module("duckdb")
    except ImportError:
        raise DataError(f"{path}: DuckDB databases need duckdb: pip install '.[sql]'") from None
    limit = f"{_DUCKDB_BYTES * max(4, os.cpu_count() or 4) >> 20}MiB"
    with closing(duckdb.connect(path, read_only=True, config={"memory_limit": limit})) as database:
        database.execute("SET python_enable_replacements = false")  # a table is never a variable of this function
        statements = database.extract_statements(query)
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
            raise DataError(f"{path}: the query returns no table: it must be one SELECT")
        rows = database.sql(query)
        check_names(list(rows.columns), f"{path}, the query")  # DuckDB would rename the second one
        make_reader = getattr(rows, "to_arrow_reader", None) or rows.fetch_arrow_reader  # the older name
        with make_reader(n_rows) as reader:
            yield from (pa.Table.from_batches([batch]) for batch in reader)


def _sqlite_tables(path: str, query: str, n_rows: int) -> Iterator[Any]:
    # Another thread may close what this one opened.
    address = f"file:{quote(str(Path(path).resolve()))}?mode=ro"
    with closing(sqlite3.connect(address, uri=True, check_same_thread=False)) as database:
        # ATTACH, and VACUUM INTO, which uses it, would make a file, though the database itself is read-only.
        database.set_authorizer(lambda action, *_: sqlite3.SQLITE_DENY if action in _ATTACHING else sqlite3.SQLITE_OK)
        cursor = database.execute(query)
        if cursor.description is None:
            raise DataError(f"{path}: the query returns no table: it must be a SELECT")
        names = [column[0] for column in cursor.description]
        check_names(names, f"{path}, the query")
        while rows := cursor.fetchmany(n_rows):
            columns = dict(zip(names, zip(*rows, strict=True), strict=True))
            yield pa.table({name: _as_array(path, name, cells) for name, cells in columns.items()})


def _as_array(path: str, name: str, cells: Sequence[Any]) -> Any:
    """Cells as an Arrow array; DataError unless all are whole numbers, or numbers that doubles hold, or text."""
    try:
        return pa.array(cells)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError) as error:
        column = '"' + name.replace('"', '""') + '"'
        advice = f"make the column one type in the query, as in CAST({column} AS TEXT) or CAST({column} AS REAL)"
        raise DataError(f"{path}, column {name!r} of the query: {in_a_line(error)}; {advice}") from None


def _recut(tables: Iterator[Any], n_rows: int) -> Iterator[Any]:
    """The same rows in tables of `n_rows` rows, however long those are that come."""
    waiting: list[Any] = []
    for table in tables:
        waiting.append(table)
        while sum(one.num_rows for one in waiting) >= n_rows:
            joined = pa.concat_tables(waiting)
            yield joined.slice(0, n_rows)
            waiting = [rest] if (rest := joined.slice(n_rows, joined.num_rows)).num_rows else []
    if waiting:
        yield pa.concat_tables(waiting)
