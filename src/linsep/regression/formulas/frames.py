"""Tables of pandas, Polars and Arrow, and dicts of columns, as dataframes in which no number is rounded."""

from __future__ import annotations

from collections.abc import Mapping, Set
from importlib import import_module
from typing import Any

import numpy as np

from linsep.as_given import refuse_finer
from linsep.regression.formulas.formula_text import first_line
from linsep.tables import check_index, column_names
from linsep.types import DataError

_PLAIN = {int, float, bool, str, type(None)}


def check_rows(table: Any, called: str, series: Mapping[str, Any]) -> None:
    """Raise DataError where series do not have the index of the table, or of the first that has one."""
    every = {called: table, **series}
    first = next((name for name, values in every.items() if hasattr(getattr(values, "index", None), "equals")), called)
    for name, values in series.items():
        check_index(every[first], values, name, first)


def as_pandas(data: Any, compared: Set[str] = frozenset()) -> Any:
    """A table of pandas, Polars or Arrow, or a dict of columns, as one of pandas.

    Levels of Polars and Arrow in columns that are only `compared` are text: missing ones do not compare as NaN does.
    """
    pandas = import_module("pandas")
    if isinstance(data, dict):
        check_rows(None, "data", data)
        kept = _kept({name: _listed(column, name, name in compared) for name, column in data.items()})
        try:
            return pandas.DataFrame(kept)
        except (TypeError, ValueError) as error:  # columns of other lengths, or no columns
            raise DataError(f"data is no table of columns: {first_line(error)}") from None
    names = column_names(data)
    if names is None:
        raise DataError(f"data is a table with named columns (pandas, Polars, Arrow or a dict), not {type(data)}")
    if len(set(names)) < len(names):
        raise DataError("data has two columns of one name: rename one of them")
    if isinstance(data, pandas.DataFrame):
        return data.set_axis(names, axis=1)  # a formula calls columns by text
    import narwhals as nw

    # Not by Arrow, which may have looked for pandas in vain: see `linsep.app.tables`.
    try:
        frame = nw.from_native(data, eager_only=True)
    except TypeError:
        raise DataError(f"data is a {type(data).__name__}: make a table of pandas, Polars or Arrow of it") from None
    for kind in frame.schema.values():
        refuse_finer(str(kind))
    is_of_arrow = frame.implementation.is_pyarrow()
    columns: dict[str, Any] = _kept(frame.to_dict(as_series=False))
    for name, kind in frame.schema.items():
        is_sorted = is_of_arrow and kind == nw.Categorical
        levels = () if is_sorted or name in compared else getattr(kind, "categories", None)
        columns[name] = _typed(columns[name], name, str(kind), levels)
    return pandas.DataFrame(columns)


def with_columns(frame: Any, columns: Mapping[str, Any]) -> Any:
    """A copy of a dataframe with these columns; `assign` takes no name such as self."""
    out = frame.copy(deep=False)
    for name, values in columns.items():
        out[name] = values
    return out


def _listed(column: Any, name: str, is_compared: bool) -> Any:
    """A column of Arrow or Polars as one of pandas; what pandas and NumPy know stays."""
    package = type(column).__module__.partition(".")[0]
    if package not in ("pyarrow", "polars"):
        return column
    kind = column.type if package == "pyarrow" else column.dtype
    values = column.to_pylist() if package == "pyarrow" else column.to_list()
    return _typed(values, name, str(kind), () if is_compared else getattr(kind, "categories", None))


def _typed(column: Any, name: str, kind: str, levels: Any) -> Any:
    """A list as a column of pandas of the same type, where that counts: of levels in their order, and of singles.

    `levels` are empty where they have no order, None where they come as they are met. A missing value is none of
    doubles, so it does not compare as NaN does.
    """
    pandas = import_module("pandas")
    if kind.lower() in ("float16", "halffloat"):
        raise DataError(f"column {name!r} holds float16: make it float32 or float64")
    if kind.startswith(("Enum", "Categorical")) and levels != ():  # the levels of others come as they are met
        met = levels if levels is not None else dict.fromkeys(level for level in column if level is not None)
        return pandas.Categorical(column, categories=list(met))
    if kind in ("Float32", "float"):
        return pandas.array(column, dtype="Float32" if None in column else "float32")
    is_plain = isinstance(column, list) and not {*map(type, column)} - _PLAIN
    return pandas.array(column) if is_plain and None in column else column


def _kept(columns: dict[str, Any]) -> dict[str, Any]:
    """The columns, none of which pandas rounds: it makes doubles of integers beside None or floats."""
    for name, values in columns.items():
        if isinstance(values, list | tuple) and not all(isinstance(value, int | np.integer) for value in values):
            beyond = [v for v in values if isinstance(v, int | np.integer) and abs(int(v)) > 2**53]
            if beyond:
                raise DataError(f"column {name!r} has {beyond[0]} beside missing values or floats, which rounds it")
    return columns
