"""PostgreSQL: the rows of a query as Arrow tables, which its ADBC driver makes from a COPY, some megabytes at a time.

The driver gives NUMERIC, which has more digits than any Arrow type, as text; `with_numbers` makes decimals of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from linsep.data.columns import check_names
from linsep.types import DataError

_KIND = b"ADBC:postgresql:typname"
_DECIMAL = r"^-?\d+(\.\d*)?$"
_MOST_DIGITS = 76


def postgres_tables(driver: Any, address: str, query: str, name: str) -> Iterator[Any]:
    """The rows that a query gives, as Arrow tables of any length; `name` is what messages call the database.

    libpq connects, so that PGPASSWORD, ~/.pgpass, PGSSLMODE and the like count. Nothing can be written: each
    transaction of the connection is read-only.

    Raises
    ------
    adbc_driver_manager.Error, OSError
        As the driver says it.
    DataError
        The statement gives no columns, or two of one name, or one of the type money.
    """
    with driver.connect(address, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute("SET default_transaction_read_only = on")
        # The driver puts the query between brackets: a comment at its end must not hide the second one.
        query = query.rstrip().rstrip(";") + "\n"
        _check_columns(cursor.adbc_execute_schema(query), name)
        cursor.execute(query)
        with cursor.fetch_record_batch() as reader:
            for batch in reader:
                yield pa.Table.from_batches([_without_extensions(batch)])


def with_numbers(table: Any, name: str, as_text: Collection[str]) -> Any:
    """The table with decimals where the driver has given NUMERIC as text, except in the columns `as_text`.

    Infinities and NaN have no decimal: a column with one of them becomes float64.

    Raises
    ------
    DataError
        A number has more than 76 digits.
    """
    for k, field in enumerate(table.schema):
        if (field.metadata or {}).get(_KIND) == b"numeric" and field.name not in as_text:
            table = table.set_column(k, field.name, _decimals(table.column(k), field.name, name))
    return table


def _check_columns(schema: Any, name: str) -> None:
    """Look at the columns before anything is carried out; the driver gives money without its decimal point."""
    if not len(schema):
        raise DataError(f"{name}: the query returns no table: it must be a SELECT")
    check_names(schema.names, f"{name}, the query")
    for field in schema:
        if (field.metadata or {}).get(b"POSTGRESQL:type") == b"money":
            place = f"{name}, column {field.name!r}"
            raise DataError(f"{place} is of the type money: CAST it AS NUMERIC in the query")


def _without_extensions(batch: Any) -> Any:
    """NUMERIC, which the driver marks as an unknown type, as the text that it is; its field tells what it is."""
    arrays, fields = [], []
    for field, array in zip(batch.schema, batch.columns, strict=True):
        is_numeric = (field.metadata or {}).get(_KIND) == b"numeric"
        arrays.append(getattr(array, "storage", array) if is_numeric else array)
        fields.append(pa.field(field.name, arrays[-1].type, metadata={_KIND: b"numeric"} if is_numeric else None))
    return pa.record_batch(arrays, schema=pa.schema(fields))


def _decimals(text: Any, column: str, name: str) -> Any:
    if not pc.all(pc.match_substring_regex(text, _DECIMAL)).as_py() and text.null_count < len(text):
        return pc.cast(text, pa.float64())
    fraction = pc.replace_substring_regex(text, r"^[^.]*\.?", "")
    scale = pc.max(pc.utf8_length(fraction)).as_py() or 0
    try:
        return pc.cast(text, pa.decimal256(_MOST_DIGITS, min(scale, _MOST_DIGITS)))
    except pa.ArrowInvalid:
        raise DataError(
            f"{name}, column {column!r}: a number has more than {_MOST_DIGITS} digits: CAST the column AS double "
            "precision in the query"
        ) from None
