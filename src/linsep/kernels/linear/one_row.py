"""One row at a time: the passes of `epoch.py` and `multiclass.py` over a single row, in one call from Python.

These keep the GIL: letting it go and taking it again would cost a fifth of such a call.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import intrinsic

from linsep.kernels.compiled import by_type, kernel, uncounted
from linsep.kernels.lanes import dots, fma, sum_planes
from linsep.kernels.linear.epoch import plain_epoch
from linsep.kernels.linear.multiclass import epoch_of_many, totals, with_scratch
from linsep.kernels.rows import is_csr, row_dot, row_fits, row_norm2
from linsep.passes import NO_ORDER, Rows
from linsep.types import CSR


def _array_as(readonly: bool) -> Any:
    """The function of compiled code that takes an array for one that is read-only, or not: it is the same in memory."""

    def code(typing_context: Any, array: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            if context.enable_nrt:
                context.nrt.incref(builder, signature.return_type, args[0])
            return args[0]

        return array.copy(readonly=readonly)(array), codegen

    return intrinsic(code)


_read_only, _writable = _array_as(True), _array_as(False)


@by_type()
def _as_table(X: Any) -> Any:
    """The row as `rows_for_kernels` gives tables: passes are compiled once for both."""

    def sparse(X: Any) -> Any:
        return CSR(_read_only(X.data), _read_only(X.indices), _read_only(X.indptr))

    return sparse if is_csr(X) else (lambda X: _read_only(X))


@kernel(cache=True)
def learn_row(
    X: Any, y: float, weight: float, step: Any, W: Any, b: Any, intercept: float, watch: Any, visit: int
) -> tuple[int, int, int]:
    """`plain_epoch` over the one row of `X`. Return (mistakes, updates, absorbed).

    Where ||x||^2 is not finite, or the row and the arrays of the model do not fit each other, the mistakes are -1 and
    nothing has changed. Changes `W` (1, n_features), `b` and `watch`.
    """
    fits = W.shape[0] == 1 and b.shape[0] == 1 and row_fits(X, W.shape[1])
    if not (fits and np.isfinite(row_norm2(X, 0))):
        return -1, 0, 0
    one = np.empty(2)  # of both, as a request for memory takes as long as the row
    one[0], one[1] = y, weight
    return plain_epoch(_as_table(X), one[:1], one[1:], _writable(NO_ORDER), step, W[0], b, intercept, watch, visit)


@kernel(cache=True)
def learn_row_of_many(
    X: Any, c: int, own: float, together: Any, step: Any, W: Any, b: Any, intercept: float, watch: Any, visit: int
) -> tuple[int, int, int]:
    """The same for several classes: `epoch_of_many` of one row.

    Changes `W` (n_classes, n_features), `b` (n_classes,) and `watch`.
    """
    fits = 0 <= c < W.shape[0] == b.shape[0] and row_fits(X, W.shape[1])
    if not (fits and np.isfinite(row_norm2(X, 0))):
        return -1, 0, 0
    model = with_scratch(W, b)
    row = Rows(_as_table(X), np.full(1, c), np.empty(0), np.full(1, own), np.empty(0, np.int32))
    epoch_of_many(row, together, step, model, intercept, watch, visit)
    return totals(model.counts)


@uncounted(cache=True)
def score_row(X: Any, W: Any, b: Any) -> Any:
    """w.x + b for the one row x of `X`, W = (1, n_features), b = (1,); NaN if these do not fit each other."""
    if not (W.shape[0] == 1 and b.shape[0] == 1 and row_fits(X, W.shape[1])):
        return np.nan
    return np.float64(_product_of_row(X, W[0]) + b[0])


@uncounted(cache=True)
def score_row_of_many(X: Any, W: Any, b: Any, z: Any) -> Any:
    """z_c = w_c.x + b_c for the one row x of `X`, summed as in `scores`; False if these do not fit each other.

    Changes `z` (1, n_classes).
    """
    if not (W.shape[0] == b.shape[0] == z.shape[1] and row_fits(X, W.shape[1])):
        return False
    _products_of_row(X, W, z)
    for c in range(z.shape[1]):
        z[0, c] += b[c]
    return True


@by_type()
def _product_of_row(X: Any, w: Any) -> Any:
    """w.x, in the order of `scores`."""

    def sparse(X: Any, w: Any) -> Any:
        z = w.dtype.type(0)
        for k in range(X.indptr[0], X.indptr[1]):
            z = fma(X.data[k], w[X.indices[k]], z)
        return z

    return sparse if is_csr(X) else (lambda X, w: row_dot(X, 0, w))


@by_type()
def _products_of_row(X: Any, W: Any, z: Any) -> Any:
    """z_c = w_c.x"""

    def sparse(X: Any, W: Any, z: Any) -> None:
        sum_planes(X.data, X.indices, X.indptr[0], X.indptr[1], W, z, 0)

    def dense(X: Any, W: Any, z: Any) -> None:
        last = np.uint64(z.shape[1] - 1)
        for c in range(np.uint64(0), np.uint64(z.shape[1]), np.uint64(3)):
            planes = (c, min(c + np.uint64(1), last), min(c + np.uint64(2), last))
            sums = dots(X, (np.uint64(0),), W, planes)
            for k in range(3):
                z[0, planes[k]] = sums[k]

    return sparse if is_csr(X) else dense
