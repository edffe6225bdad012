"""The order that is worst for the perceptron, one mistake at a time."""

from __future__ import annotations

import numpy as np

from linsep.kernels.linear.sums import times
from linsep.types import Array

_MOST = 10_000  # updates
_WORK = 200_000_000  # entries of rows that are read


def adversary(
    X: Array, y: Array, constant2: float, max_iter: int | None = None
) -> tuple[Array, tuple[Array, float], str]:
    """Update at the mistaken row for which ||w||^2 + b^2/c^2 grows most, until no row is mistaken.

    The growth is 2 y z + ||x||^2 + c^2; of equal ones the row with the lowest number is taken.
    `max_iter` epochs stand for so many times the number of rows.

    Returns
    -------
    rows : ndarray of int64
        The row of each update.
    end : (ndarray, float)
        w and b.
    stop : str
        Why the run stopped.

    Examples
    --------
    >>> rows, end, stop = adversary(np.array([[1.0], [-2.0]]), np.array([1.0, -1.0]), 0.0)
    >>> rows.tolist(), end[0].tolist()
    ([1], [2.0])
    """
    norms2 = (X * X).sum(axis=1) + constant2
    w, b = np.zeros(X.shape[1]), 0.0
    rows: list[int] = []
    most = min(_MOST, max(100, _WORK // X.size), _MOST if max_iter is None else max_iter * len(y))
    while len(rows) < most:
        m = y * (times(X, w) + b)
        wrong = m <= 0.0
        if not wrong.any():
            return np.array(rows, np.int64), (w, b), "no row is mistaken: the rows are separated"
        i = int(np.where(wrong, 2.0 * m + norms2, -np.inf).argmax())
        rows.append(i)
        w = w + y[i] * X[i]
        b += constant2 * float(y[i])
    return np.array(rows, np.int64), (w, b), f"{most:,} updates were made, and rows are still mistaken"
