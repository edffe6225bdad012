"""One row at a time: the passes of `epoch.py` and `multiclass.py` over a single row, without Python around them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from linsep.kernels.linear.epoch import plain_epoch
from linsep.kernels.linear.multiclass import Classes, multiclass_epoch, one_vs_rest_epoch
from linsep.kernels.rows import BLOCK, FASTMATH, row_dot, row_norm2


@njit(cache=True, nogil=True)
def learn_row(
    X: Any, y: float, weight: float, step: Any, W: Any, b: Any, intercept: float, watch: Any, visit: int
) -> tuple[int, int, int]:
    """`plain_epoch` over the one row of `X`; mistakes are -1, and nothing has changed, if ||x||^2 is not finite."""
    if not np.isfinite(row_norm2(X, 0)):
        return -1, 0, 0
    return plain_epoch(X, np.full(1, y), np.full(1, weight), None, step, W[0], b, intercept, watch, visit)


@njit(cache=True, nogil=True)
def learn_row_of_many(
    X: Any, c: int, own: float, together: bool, step: Any, W: Any, b: Any, intercept: float, watch: Any, visit: int
) -> tuple[int, int, int]:
    """The same for several classes: `multiclass_epoch` if they move `together`, else `one_vs_rest_epoch`."""
    if not np.isfinite(row_norm2(X, 0)):
        return -1, 0, 0
    k = b.shape[0]
    model = Classes(W, b, np.zeros((BLOCK, k), W.dtype), np.zeros((k, 3), np.int64))
    if together:
        multiclass_epoch(X, np.full(1, c), None, np.full(1, own), None, step, model, intercept, watch, visit)
    else:
        one_vs_rest_epoch(X, np.full(1, c), None, np.full(1, own), None, step, model, intercept, watch, visit)
    return model.counts[:, 0].sum(), model.counts[:, 1].sum(), model.counts[:, 2].sum()


@njit(cache=True, nogil=True, fastmath=FASTMATH)
def score_row(X: Any, W: Any, b: Any) -> Any:
    """w.x + b of the one row of `X` for the one plane of `W` and `b`."""
    return np.float64(row_dot(X, 0, W[0]) + b[0])
