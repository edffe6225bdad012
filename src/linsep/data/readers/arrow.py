"""Arrow tables, which have typed columns: what Parquet files, JSON lines and dataframes become first."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linsep.data.cells import NUMBER, WHOLE, category_column, infinite, number_column, refuse_comma
from linsep.data.columns import Column, TableChunk, as_text, check_names, in_fewest_bytes, take_target
from linsep.data.distinct import decoded, each_once, holds_text, in_one_piece, is_encoded
from linsep.data.labels import are_unlabelled, as_labels, labels_in, with_labels
from linsep.data.readers.lines import Asked, in_a_line
from linsep.data.readers.written import Written
from linsep.markup import quote
from linsep.types import DataError, NoRowsError, row_from_0

Where = Callable[[int], str]


def row_of(name: str, start: int = 0) -> Where:
    """Say where a row stands in a source without lines."""
    return lambda row: f"{name}, {row_from_0(start + row)}"


def joined(tables: Sequence[Any], names: Sequence[str], places: Sequence[Where]) -> tuple[Any, Where]:
    """Return the rows of several files as one Arrow table, and where each of them stands.

    Raises
    ------
    DataError
        Two files have columns of one name and of kinds that do not go together.
    """
    if len(tables) == 1:
        return tables[0], places[0]
    exact = {field.name for table in tables for field in table.schema if pa.types.is_decimal(field.type)}
    doubles = {field.name for table in tables for field in table.schema if pa.types.is_floating(field.type)}
    if both := exact & doubles:
        raise DataError(f"column {min(both)!r} holds decimals in one file and doubles in another: make them alike")
    try:
        table = pa.concat_tables(tables, promote_options="permissive")
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise DataError(f"{names[0]}, and what follows it: columns of other kinds: {in_a_line(error)}") from None
    firsts = np.cumsum([0, *(part.num_rows for part in tables)])

    def where(row: int) -> str:
        k = int(np.searchsorted(firsts[1:-1], row, side="right"))
        return places[k](row - int(firsts[k]))

    return table, where


def compact(table: Any) -> Any:
    """Return a table with each column in one piece, where looking at one makes no copy beside the pieces.

    Arrow keeps the memory of the pieces for itself, unless it is told that others need it.

    Examples
    --------
    >>> compact(pa.concat_tables([pa.table({"a": [1, 2]}), pa.table({"a": [3]})])).column("a").num_chunks
    1
    """
    table = table.combine_chunks()
    pa.default_memory_pool().release_unused()
    return table


def from_arrow(
    table: Any,
    name: str,
    asked: Asked,
    where: Where,
    start: int = 0,
    *,
    keyed: bool = False,
    untyped: Collection[str] = (),
    written: Written = Written(),  # noqa: B008  # a plain tuple
) -> TableChunk:
    """Return the rows of an Arrow table; numbers and booleans are numbers, text and dictionaries categories.

    Columns that are `untyped` hold text that may stand for numbers, as those of CSV do, in the way that is `written`. A
    column that is null in all rows has missing categories.

    The fields of a struct are columns: age of user is user.age. A missing value is kept as such.
    """
    target, categorical, na = asked.target, asked.categorical, asked.na
    while any(pa.types.is_struct(kind) for kind in table.schema.types):
        table = table.flatten()
    keep = asked.keep_unlabelled and target is not None
    if keep and keyed and target not in table.column_names:
        table = table.append_column(target, pa.array([None] * table.num_rows, pa.string()))
    names = [column for column in table.column_names if column != "__index_level_0__" or column in untyped]
    if not names:
        raise DataError(f"{name}: there are no columns")
    check_names(names, name)
    take_target(names, target)
    if table.num_rows == 0:
        raise NoRowsError(f"{name}: there are no rows")
    unlabelled = rest = None
    if target is not None:
        cells = _values(table, target, where, na, is_clean=target in untyped)
        gone = are_unlabelled(cells, written.decimal if target in untyped else None)
        if keep and gone.any():
            rows, without, of_all = np.flatnonzero(gone), table.drop_columns([target]).filter(pa.array(gone)), where
            features, of_rest = replace(asked, target=None), lambda row: of_all(int(rows[row]))
            rest = from_arrow(without, name, features, of_rest, start, keyed=keyed, untyped=untyped, written=written)
        table, where, unlabelled = with_labels(table, where, gone, target, drop=asked.drop_unlabelled or keep)
    clean = untyped if unlabelled is None else ()  # a text may have been in rows alone that have no label

    def typed(column: str, values: Any) -> Column:
        if column in untyped:
            text = values.fill_null("") if values.null_count else values
            found = number_column(column, text, where, is_text=column in categorical, decimal=written.decimal)
            if written.is_open and found.is_number:
                refuse_comma(column, text, where)
            return found
        if pa.types.is_null(values.type):
            return category_column(column, pa.array([""] * len(values), pa.string()))
        return _typed(column, values, where, is_text=column in categorical)

    def parse(column: str) -> Column:
        return typed(column, _values(table, column, where, na, is_clean=column in clean))

    y = None
    if target is not None:
        is_open = target in untyped and target not in categorical
        cells = _values(table, target, where, na, is_clean=target in clean)
        y = labels_in(cells, where, target, written.decimal if is_open else None)
    said: dict[str, Any] = {"unlabelled": unlabelled, "as_text": categorical, "label": target, "rest": rest}
    return TableChunk(
        [column for column in names if column != target], y, start, table.num_rows, where, parse, keyed, **said
    )


def _values(table: Any, column: str, where: Where, na: Collection[str], *, is_clean: bool = False) -> Any:
    """The values of a column as one array; of a dictionary that of text is kept, each text once.

    Text, and numbers, that are written as one of `na` are null; -999.0 is -999, which one decimal in a column of whole
    numbers makes of it. With `is_clean` it is known to be UTF-8, and to have each text once.
    """
    values = in_one_piece(table.column(column))
    if is_encoded(values) and not holds_text(values.dictionary.type):
        values = values.dictionary_decode()
    if not is_clean:
        _check_utf8(values, column, where)
    if na and (is_encoded(values) or holds_text(values.type)):
        cells = pc.utf8_trim_whitespace(pc.cast(decoded(values), pa.string()))
        wholes = "|".join(sorted(text for text in na if WHOLE.fullmatch(text)))
        cells = pc.replace_substring_regex(cells, f"^({wholes})[.,]0+$", r"\1") if wholes else cells
        gone = pc.is_in(cells, pa.array(sorted(na)))
        return pc.if_else(gone, pa.scalar(None, pa.string()), pc.cast(decoded(values), pa.string()))
    if na and (pa.types.is_integer(values.type) or pa.types.is_floating(values.type)):
        codes = pa.array([float(text) for text in na if re.match(NUMBER, text)], pa.float64())
        gone = pc.is_in(pc.cast(values, pa.float64(), safe=False), codes)
        return pc.if_else(gone, pa.scalar(None, values.type), values)
    return each_once(values) if is_encoded(values) and not is_clean else values


def _check_utf8(values: Any, column: str, where: Where) -> None:
    """Raise DataError for text that is not UTF-8, which Arrow passes on as it is."""
    try:
        values.validate(full=True)
    except pa.ArrowInvalid as error:
        at = None if is_encoded(values) else re.search("string index ([0-9]+)", str(error))
        said = f"not UTF-8 text, or damaged ({in_a_line(error)}); convert the column first"
        raise DataError(f"{where(int(at[1]) if at else 0)}, column {column!r}: {said}") from None


def _iso_text(values: Any) -> Any:
    """Dates as 2024-02-29, times as 2024-02-29 13:30:00.000000, those with a zone in UTC; "" where there is none."""
    points = pc.cast(
        values, pa.timestamp("us"), safe=values.type != pa.timestamp("ns", getattr(values.type, "tz", None))
    )
    days = pc.cast(points, pa.date32(), safe=False)
    alone = pc.all(pc.equal(pc.cast(days, pa.timestamp("us")), points)).as_py()
    return pc.cast(days if alone is not False else points, pa.string()).fill_null("")


def _typed(column: str, values: Any, where: Where, *, is_text: bool) -> Column:
    kind = values.type
    if is_encoded(values):
        return category_column(column, values)
    if holds_text(kind):
        return category_column(column, pc.cast(values, pa.string()).fill_null(""))
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        nanos = pa.types.is_timestamp(kind) and kind.unit == "ns"
        finer = nanos and bool((pc.cast(values.drop_null(), pa.int64()).to_numpy() % 1000).any())
        try:
            return replace(category_column(column, _iso_text(values)), is_date=True, is_finer=finer)
        except pa.ArrowInvalid as error:
            raise DataError(f"{where(0)}, column {column!r}: dates out of range: {in_a_line(error)}") from None
    if str(kind) == "halffloat":
        raise DataError(f"{where(0)}, column {column!r} holds float16: make it float32 or float64")
    exact = pa.types.is_decimal(kind) or pa.types.is_integer(kind)
    if not (exact or pa.types.is_floating(kind) or pa.types.is_boolean(kind)):
        raise DataError(
            f"{where(0)}, column {column!r} has type {kind!s:.80}: make it numbers or text first, or leave it out "
            f"(--column {quote(column)}=skip)"
        )
    missing = pc.is_null(values).to_numpy(zero_copy_only=False) if values.null_count else None
    if missing is not None:
        values = values.fill_null(False if pa.types.is_boolean(kind) else 0)
    # Arrow rounds a decimal twice; its text it reads correctly.
    given = pc.cast(pc.cast(values, pa.string()), pa.float64()) if pa.types.is_decimal(kind) else values
    numbers = given.to_numpy(zero_copy_only=False)
    numbers = in_fewest_bytes(numbers) if pa.types.is_integer(kind) else numbers.astype(np.float64)
    if pa.types.is_floating(kind) and np.isnan(numbers).any():
        missing = np.isnan(numbers) if missing is None else missing | np.isnan(numbers)
        numbers = np.where(missing, 0.0, numbers)
    if not exact and not np.isfinite(numbers).all():
        rows = np.flatnonzero(~np.isfinite(numbers))
        raise infinite(where(int(rows[0])), column, str(numbers[rows[0]]), len(rows))
    # A double holds no decimal fraction and no whole number beyond 2**53; their text keeps them exact.
    is_long = pa.types.is_integer(kind) and numbers.dtype == np.float64
    beyond = pa.types.is_decimal(kind) or (is_long and max(numbers.max(), -numbers.min()) >= 2**53)
    text = pc.cast(values, pa.string()) if beyond else None
    if is_text:
        text = as_text(numbers) if text is None else text
        return category_column(column, text if missing is None else pc.if_else(pa.array(missing), "", text))
    return Column(column, numbers, text, missing=missing)


# ------------------------------------------------------------------- dataframes
def dataframe_to_arrow(frame: Any, target: str | None) -> Any:
    """Return a pandas, Polars or Arrow table as an Arrow table.

    Raises
    ------
    DataError
        It is no dataframe, has two columns of one name, or holds what Arrow has no type for.

    Examples
    --------
    >>> dataframe_to_arrow(pa.table({"a": [1.0, 2.0]}), None).num_rows
    2
    """
    import narwhals as nw

    try:
        frame = nw.from_native(frame, eager_only=True)
    except TypeError:
        raise DataError(
            f"cannot read rows from {type(frame).__name__}: give a path, a dataframe, or a pair (X, y)"
        ) from None
    except ValueError as error:
        raise DataError(f"dataframe: {error}") from None  # two columns of one name
    if target is not None and target in frame.columns and frame[target].dtype == nw.Object:
        there = [label for label in frame[target].to_list() if label is not None and label == label]
        as_labels(there, row_of("dataframe"), target)  # those that are missing are found later
    for name, kind in frame.schema.items():
        if kind == nw.Object:
            _refuse_lost_times(name, frame.get_column(name).to_list())
    try:
        return frame.to_arrow()
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise DataError(f"dataframe: a column holds values of mixed types: {error}") from None
    except (NotImplementedError, TypeError, OverflowError) as error:  # complex, sparse, beyond 64 bits
        raise DataError(f"dataframe: {error}; make the column numbers or text first, or leave it out") from None


def _refuse_lost_times(name: str, values: list[Any]) -> None:
    """Raise DataError for objects of which Arrow loses a part: it gives all of them the type of the first."""
    dates = [value for value in values if isinstance(value, date) and value == value]
    kinds = {(isinstance(one, datetime), getattr(one, "tzinfo", None) is not None) for one in dates}
    if len(kinds) > 1:
        raise DataError(
            f"dataframe, column {name!r}: dates without a time, times, and times with a zone are mixed: make them alike"
        )
    if any(getattr(one, "nanosecond", 0) for one in dates):
        raise DataError(f"dataframe, column {name!r}: times finer than a microsecond are objects here: make them text")
