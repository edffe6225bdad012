"""Dataframes: anything that narwhals knows, as an Arrow table."""

from __future__ import annotations

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
    try:
        return frame.to_arrow()
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise DataError(f"dataframe: a column holds values of mixed types: {error}") from None
    except (NotImplementedError, TypeError, OverflowError) as error:  # complex, sparse, beyond 64 bits
        raise DataError(f"dataframe: {error}; make the column numbers or text first, or leave it out") from None
