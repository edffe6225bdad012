"""Labels of any type, and the numbers that kernels read for them."""

from __future__ import annotations

import numpy as np

from linsep.kernels.labels import look_up, mark_labels
from linsep.types import Array

# Whole numbers in a range no longer than this are looked up in a table.
_RANGE = 1 << 16


def _low(y: Array) -> int | None:
    """The least label, if all are whole numbers in a short range."""
    if y.dtype.kind not in "iu" or y.size == 0:
        return None
    low, high = int(y.min()), int(y.max())
    return low if high - low < _RANGE and high < 2**62 and low > -(2**62) else None


def distinct_labels(y: Array) -> Array:
    """The distinct labels in ascending order.

    Examples
    --------
    >>> import numpy as np
    >>> distinct_labels(np.array([3, -1, 3])).tolist()
    [-1, 3]
    """
    low = _low(y)
    if low is None:
        return np.unique(y)
    present = np.zeros(int(y.max()) - low + 1, dtype=np.bool_)
    mark_labels(y, low, present)
    return (np.flatnonzero(present) + low).astype(y.dtype)


def replace_labels(y: Array, classes: Array, codes: Array) -> tuple[Array, int]:
    """codes[k] for each label that is classes[k], and the first row whose label is none of them (-1: there is none).

    Examples
    --------
    >>> import numpy as np
    >>> replace_labels(np.array([7, 2, 7]), np.array([2, 7]), np.array([-1.0, 1.0]))
    (array([ 1., -1.,  1.]), -1)
    """
    low = _low(classes)
    if low is not None and y.dtype.kind in "iu" and not (y.dtype == np.uint64 and (y > 2**62).any()):
        table = np.full(int(classes.max()) - low + 1, np.nan)
        table[classes.astype(np.int64) - low] = codes
        out = np.empty(len(y), dtype=codes.dtype)
        return out, int(look_up(y, low, table, out))
    sorter = np.argsort(classes)
    positions = sorter[np.searchsorted(classes, y, sorter=sorter).clip(max=len(sorter) - 1)]
    unknown = np.flatnonzero(classes[positions] != y)
    return codes[positions], int(unknown[0]) if unknown.size else -1
