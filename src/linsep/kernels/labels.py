"""Whole-number labels by table lookup: each label is read once, which sorting or hashing could not do."""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep.kernels.memory import uncounted


@uncounted(cache=True, nogil=True)
def mark_labels(y: Any, low: int, present: Any) -> None:
    """present[y_i - low] = True for every i. Changes `present` (largest - low + 1,)."""
    for i in range(y.shape[0]):
        present[np.int64(y[i]) - low] = True


@uncounted(cache=True, nogil=True)
def look_up(y: Any, low: int, table: Any, out: Any) -> int:
    """out[i] = table[y_i - low]. Return the first i whose label is not in the table or has NaN there, or -1.

    `y` and `out` are (n_rows,). Changes `out`, up to that i.
    """
    for i in range(y.shape[0]):
        k = np.int64(y[i]) - low
        if k < 0 or k >= table.shape[0] or np.isnan(table[k]):
            return i
        out[i] = table[k]
    return -1
