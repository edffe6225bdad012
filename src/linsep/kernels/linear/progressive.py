"""A pass that predicts each row before it learns from it: progressive validation (Blum, Kalai and Langford 1999, COLT).

It is the ordinary pass, which notes what it predicts; with several classes each row is one call of that pass over that
row alone. So the weights are those of the ordinary pass, to the last bit. (Blum, Kalai and Langford draw one of the
vectors at random in the end; here only their estimate of the error is taken.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from linsep.kernels.compiled import by_type, uncounted
from linsep.kernels.linear.multiclass import multiclass_epoch, one_vs_rest_epoch, totals, with_scratch
from linsep.kernels.rows import BLOCK, block_dots, is_csr, row_count
from linsep.passes import Mean, Rows
from linsep.types import CSR


@by_type()
def row_alone(X: Any, i: Any) -> Callable[..., Any]:
    """Row i of `X` as a table of one row."""
    return (lambda X, i: CSR(X.data, X.indices, X.indptr[i : i + 2])) if is_csr(X) else (lambda X, i: X[i : i + 1])


@by_type()
def mean_values(watch: Any, X: Any, rows: Any, visit: Any, z: Any, Z: Any) -> Callable[..., Any]:
    """Z[0, k] = the decision value of class k by the mean before this visit, where z[0, k] is that of w_k and b_k.

    Changes `Z`; nothing happens where `watch` is no `Mean`.
    """

    def mean(watch: Any, X: Any, rows: Any, visit: Any, z: Any, Z: Any) -> None:
        block_dots(X, rows, watch.u, -1, -1, Z)
        for k in range(z.shape[1]):
            Z[0, k] = z[0, k] - (Z[0, k] + watch.u_b[k]) / max(visit, 1)

    return mean if getattr(watch, "instance_class", None) is Mean else (lambda watch, X, rows, visit, z, Z: None)


@uncounted(cache=True, nogil=True)
def _first_largest(Z: Any) -> int:
    """The first class with the largest value in the first row of Z."""
    best = 0
    for k in range(1, Z.shape[1]):
        if Z[0, k] > Z[0, best]:
            best = k
    return best


@njit(cache=True, nogil=True)
def progressive_pass_of_many(
    rows: Any, together: bool, step: Any, W: Any, b: Any, intercept: float, watch: Any, visit: int, told: Any
) -> tuple[int, int, int]:
    """`multiclass_epoch` if the classes move `together`, else `one_vs_rest_epoch`; it fills `told`, a `Predicted`.

    Rows are visited in their order. Predicted is the first class with the largest decision value. Of two classes
    `plain_epoch` is such a pass, if it is given a pair of `told` and `watch`.
    """
    model = with_scratch(W, b)
    first = np.zeros(BLOCK, np.int64)
    of_mean = np.zeros((BLOCK, b.shape[0]))
    for i in range(row_count(rows.X)):
        part = slice(i, i + 1)  # of no weights none
        X = row_alone(rows.X, i)
        row = Rows(X, rows.y[part], rows.weight[part], rows.own[part], rows.order)
        block_dots(X, first, W, -1, -1, model.Z)
        for k in range(b.shape[0]):
            model.Z[0, k] += b[k]
        told.wrong[i] = _first_largest(model.Z) != row.y[0]
        if told.asked[i]:
            mean_values(watch, X, first, visit + i, model.Z, of_mean)
            told.missed[i] = _first_largest(of_mean) != row.y[0]
        if together:
            multiclass_epoch(row, step, model, intercept, watch, visit + i)
        else:
            one_vs_rest_epoch(row, step, model, intercept, watch, visit + i)
    return totals(model.counts)
