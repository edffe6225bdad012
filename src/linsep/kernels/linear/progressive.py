"""A pass that predicts each row before it learns from it: progressive validation (Blum, Kalai and Langford 1999).

It is the ordinary pass, which is told to note what it predicts; of several classes each row is one call of that pass
over that row alone. So the weights are those of the ordinary pass. `one_row` is a stub in Python, as in `rows.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit
from numba.extending import overload

from linsep.kernels.linear.epoch import plain_epoch
from linsep.kernels.linear.multiclass import Classes, multiclass_epoch, one_vs_rest_epoch
from linsep.kernels.optional import Predicted, is_none
from linsep.kernels.rows import BLOCK, FASTMATH, block_dots, is_csr, row_count
from linsep.types import CSR


def one_row(X: Any, i: int) -> Any:
    """Row i of `X` as rows of their own; of an array of weights its entry i, and None stays None."""
    raise NotImplementedError


@overload(one_row)
def _one_row(X: Any, i: Any) -> Callable[..., Any]:
    def sparse(X: Any, i: Any) -> Any:
        return CSR(X.data, X.indices, X.indptr[i : i + 2])

    def dense(X: Any, i: Any) -> Any:
        return X[i : i + 1]

    def nothing(X: Any, i: Any) -> Any:
        return None

    return nothing if is_none(X) else sparse if is_csr(X) else dense


@njit(cache=True, nogil=True, fastmath=FASTMATH)
def progressive_pass(
    rows: Any, step: Any, W: Any, b: Any, intercept: float, watch: Any, visit: int, wrong: Any
) -> tuple[int, int, int]:
    """`plain_epoch` in the order of the rows, where wrong[i] tells whether row i was predicted wrongly before it.

    Return (mistakes, updates, absorbed). Changes `W` (1, n_features), `b`, `watch` and `wrong`. A tie is a mistake
    in learning, and predicted as the positive class.
    """
    told = (Predicted(wrong), watch)
    return plain_epoch(rows.X, rows.y, rows.weight, None, step, W[0], b, intercept, told, visit)


@njit(cache=True, nogil=True, fastmath=FASTMATH)
def progressive_pass_of_many(
    rows: Any, together: bool, step: Any, W: Any, b: Any, intercept: float, watch: Any, visit: int, wrong: Any
) -> tuple[int, int, int]:
    """The same for several classes, which move `together` (`multiclass_epoch`) or each for itself."""
    k = b.shape[0]
    model = Classes(W, b, np.zeros((BLOCK, k), W.dtype), np.zeros((k, 3), np.int64))
    first = np.zeros(BLOCK, np.int64)
    for i in range(row_count(rows.X)):
        X, c = one_row(rows.X, i), rows.y[i : i + 1]
        weight, own = one_row(rows.weight, i), one_row(rows.own, i)
        block_dots(X, first, W, -1, -1, model.Z)
        best = 0
        for j in range(1, k):
            if model.Z[0, j] + b[j] > model.Z[0, best] + b[best]:
                best = j
        wrong[i] = best != c[0]
        if together:
            multiclass_epoch(X, c, weight, own, None, step, model, intercept, watch, visit + i)
        else:
            one_vs_rest_epoch(X, c, weight, own, None, step, model, intercept, watch, visit + i)
    return model.counts[:, 0].sum(), model.counts[:, 1].sum(), model.counts[:, 2].sum()
