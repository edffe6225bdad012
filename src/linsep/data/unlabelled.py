"""Rows without a label: which ones they are, and that they are left out where that is asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linsep.data.cells import are_missing, are_numbers
from linsep.types import Array, DataError

ADVICE = "--drop-unlabelled (drop_unlabelled=True) leaves such rows out"


def are_unlabelled(labels: pa.Array, decimal: str | None = None) -> Array:
    """Return which cells hold no label: empty ones.

    Of text without types, whose `decimal` mark is given, NA and the like are none either where all others are numbers.

    Examples
    --------
    >>> are_unlabelled(pa.array(["yes", " ", "NA"])).tolist(), are_unlabelled(pa.array(["1", "NA"]), ".").tolist()
    ([False, True, False], [False, True])
    """
    if pa.types.is_floating(labels.type):
        return np.isnan(np.asarray(labels.to_numpy(zero_copy_only=False), dtype=np.float64))
    if not (pa.types.is_string(labels.type) or pa.types.is_large_string(labels.type)):
        return np.asarray(pc.is_null(labels).to_numpy(zero_copy_only=False), dtype=np.bool_)
    encoded = pc.fill_null(labels, "").dictionary_encode()
    levels = pc.cast(encoded.dictionary, pa.string())
    gone = are_missing(levels)
    if decimal is None or not are_numbers(levels, decimal)[~gone].all() or gone.all():
        gone = np.array([not level.strip() for level in levels.to_pylist()], dtype=np.bool_)
    return np.asarray(gone[encoded.indices.to_numpy()], dtype=np.bool_)


def with_labels(
    table: Any, where: Callable[[int], str], gone: Array, target: str, *, drop: bool
) -> tuple[Any, Callable[[int], str], Array | None]:
    """Return the rows of an Arrow table that have a label, where they stand, and the positions of those left out.

    Raises
    ------
    DataError
        A label is missing, and such rows are not to be dropped.

    Examples
    --------
    >>> table = pa.table({"y": ["a", ""]})
    >>> gone = np.array([False, True])
    >>> rows, where, left_out = with_labels(table, "row {}".format, gone, "y", drop=True)
    >>> rows.num_rows, left_out.tolist()
    (1, [1])
    """
    rows = np.flatnonzero(gone)
    if not rows.size:
        return table, where, None
    if not drop:
        more = f" (and in {rows.size - 1:,} more row{'s' if rows.size > 2 else ''})" if rows.size > 1 else ""
        raise DataError(f"{where(int(rows[0]))}, column {target!r}: the label is missing{more}; {ADVICE}")
    kept = np.flatnonzero(~gone)
    return table.filter(pa.array(~gone)), lambda row: where(int(kept[row])), rows


def told(unlabelled: int) -> list[tuple[str, str]]:
    """The line of a receipt on rows without a label; none where there are none.

    Examples
    --------
    >>> told(1)
    [('unlabelled', '1 row without a label is left out; --drop-unlabelled')]
    """
    if not unlabelled:
        return []
    what = "1 row without a label is" if unlabelled == 1 else f"{unlabelled:,} rows without a label are"
    return [("unlabelled", f"{what} left out; --drop-unlabelled")]
