"""Means and scales of a column: whose rows come one after another (Welford 1962, Technometrics 4), or are all there."""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep.kernels.compiled import uncounted


@uncounted(cache=True, nogil=True)
def standardise_running(values: Any, moments: Any, learn: bool, out: Any) -> None:
    """out_i = (x_i - mean) / s: mean and population standard deviation s of all rows up to and with row i.

    With `learn` each row enters `moments` (count, mean, sum of squares about the mean) first; without, these stay as
    they are. s counts as 1 where it is 0. `values` and `out` are (n_rows,). Changes `moments` and `out`.
    """
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


@uncounted(cache=True, nogil=True)
def moments_of(values: Any) -> Any:
    """Mean, population standard deviation, least and greatest number of a column of (n,), summed up row by row."""
    total, low, high = 0.0, np.inf, -np.inf
    for x in values:
        total += x
        low, high = min(low, x), max(high, x)
    mean = total / values.shape[0]
    squares = 0.0
    for x in values:
        squares += (x - mean) ** 2
    return mean, np.sqrt(squares / values.shape[0]), low, high
