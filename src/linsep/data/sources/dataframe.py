"""Dataframes: anything that narwhals knows, as an Arrow table."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import pyarrow as pa

from linsep.data.labels import as_labels
from linsep.data.readers.arrow import row_of
from linsep.types import DataError


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
