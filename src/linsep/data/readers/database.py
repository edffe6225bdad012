"""Databases: the rows of a query as Arrow tables; `sqlite.py` and `postgres.py` know what is special of theirs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from importlib import import_module
from typing import Any, NamedTuple

import pyarrow as pa

from linsep.data.addresses import POSTGRES, is_address, shown, without_secrets_of
from linsep.data.columns import check_names
from linsep.data.readers.asked import in_a_line
from linsep.data.readers.postgres import postgres_tables
from linsep.files import unreadable
from linsep.types import DataError

_SQLITE_MAGIC = b"SQLite format 3\0"
_DUCKDB_MAGIC = slice(8, 12), b"DUCK"
_DRIVERS = ("sqlite3", "duckdb", "_duckdb", "adbc_driver_manager")
# DuckDB keeps pages of the file and what it sorts in memory up to a limit: so many bytes a processor, and 4 of these.
_DUCKDB_BYTES = 1 << 27


class Database(NamedTuple):
    """Where the rows of a query are asked for: a file of DuckDB or SQLite, or the address of a PostgreSQL server.

    Examples
    --------
    >>> Database.named("postgresql://ann:secret@host/db").name
    'postgresql://ann:***@host/db'
    """

    address: str
    kind: str

    @classmethod
    def named(cls, address: str) -> Database:
        """The database at an address or path; the first bytes of a file tell which program wrote it.

        Raises
        ------
        DataError
            There is no such file, or it is no database.
        """
        if address.startswith(POSTGRES):
            return cls(address, "PostgreSQL")
        if is_address(address):
            raise DataError(
                f"{shown(address)} is no database that can be asked: name a file of DuckDB or SQLite, or postgresql://"
            )
        try:
            with open(address, "rb") as file:
                head = file.read(16)
        except OSError as error:
            raise DataError(unreadable(address, error)) from None
        if head == _SQLITE_MAGIC:
            return cls(address, "SQLite")
        where, magic = _DUCKDB_MAGIC
        if head[where] == magic:
            return cls(address, "DuckDB")
        raise DataError(f"{address} is no database of DuckDB or SQLite: leave out the query to read it as a table")

    @property
    def name(self) -> str:
        """What messages call it."""
        return shown(self.address)

    def tables(self, query: str, n_rows: int) -> Iterator[Any]:
        """The rows that a query gives, as Arrow tables of `n_rows` rows; the last one may be shorter.

        The database is opened for reading alone, at the first table, and closed after the last.

        Raises
        ------
        DataError
            The driver is not installed, the database says that something is wrong, or two columns have one name.
        """
        try:
            yield from _recut(self._answer(query, n_rows), n_rows)
        except Exception as error:
            if not _is_said_by_a_driver(error):
                raise
            said = in_a_line(Exception(without_secrets_of(self.address, str(error))))
            raise DataError(f"{self.name}: {self.kind} says: {said}") from None

    def _answer(self, query: str, n_rows: int) -> Iterator[Any]:
        """The rows that a query gives, as Arrow tables of any length."""
        if self.kind == "DuckDB":
            return _duckdb_tables(self.address, query, n_rows)
        if self.kind == "PostgreSQL":
            why = "reading PostgreSQL databases needs adbc-driver-postgresql"
            driver = _driver("adbc_driver_postgresql.dbapi", self.name, why)
            return postgres_tables(driver, self.address, query, self.name)
        from linsep.data.readers.sqlite import sqlite_tables

        return sqlite_tables(self.address, query, n_rows)


def _duckdb_tables(path: str, query: str, n_rows: int) -> Iterator[Any]:
    duckdb = _driver("duckdb", path, "reading DuckDB databases needs duckdb")
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


def _driver(module: str, name: str, why: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise DataError(f"{name}: {why}, which is not installed: pip install 'linsep[sql]'") from None


def _is_said_by_a_driver(error: Exception) -> bool:
    """Whether this is an error of a database, of which drivers have classes of their own, or of Arrow."""
    return type(error).__module__.partition(".")[0] in _DRIVERS or isinstance(error, pa.ArrowInvalid | OSError)


def _recut(tables: Iterator[Any], n_rows: int) -> Iterator[Any]:
    """The same rows in tables of `n_rows` rows, however long those are that come."""
    waiting: list[Any] = []
    n_waiting = 0
    for table in tables:
        begin = 0
        while table.num_rows - begin >= n_rows - n_waiting:
            end = begin + n_rows - n_waiting
            yield pa.concat_tables([*waiting, table.slice(begin, end - begin)])
            begin, waiting, n_waiting = end, [], 0
        if begin < table.num_rows:
            waiting.append(table.slice(begin))
            n_waiting += table.num_rows - begin
    if waiting:
        yield pa.concat_tables(waiting)
