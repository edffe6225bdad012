"""Numbers of rows where some rows were left out: a proof counts those that are left, people count those of the file."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from linsep.types import Array


def rows_of_file(rows: npt.ArrayLike, left_out: npt.ArrayLike | None) -> Array:
    """Return the numbers that rows have among all rows, given their numbers without those left out.

    Row r is number r + k of the file, where k of the rows left out stand before it: those with L_j - j <= r, if L is
    their sorted list.

    Parameters
    ----------
    rows : array-like of int
        Rows, counted from 0 without those left out.
    left_out : array-like of int, or None
        The rows left out, in ascending order, counted from 0 among all; None if there are none.

    Returns
    -------
    ndarray of int
        The same rows, counted from 0 among all.

    Examples
    --------
    >>> rows_of_file([0, 1, 2], [1, 2, 4]).tolist()
    [0, 3, 5]
    """
    own = np.asarray(rows, dtype=np.int64)
    if left_out is None:
        return own
    gone = np.asarray(left_out, dtype=np.int64)
    return own + np.searchsorted(gone - np.arange(len(gone)), own, side="right")
