"""Means and scales of a column whose rows come one after another."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def standardise_running(values: Any, moments: Any, learn: bool, out: Any) -> None:
    """(x - mean) / s row by row, the moments taking each row in before it is put out (Welford 1962)."""
    count, mean, squares = moments[0], moments[1], moments[2]
    for i in range(values.shape[0]):
        x = values[i]
        if learn:
            count += 1.0
            move = x - mean
            mean += move / count
            squares += move * (x - mean)
        s = np.sqrt(squares / count) if count > 0.0 else 0.0
        out[i] = (x - mean) / s if s > 0.0 else x - mean
    moments[0], moments[1], moments[2] = count, mean, squares
