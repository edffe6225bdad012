"""One row against a vector: the only place that knows how rows are stored.

`X` is a C-contiguous 2-D array or a `CSR`; `i` is a row position. Arithmetic is done in the dtype of `w`.
Each function is a stub in Python and an overload in compiled code, so a kernel is written once and Numba
makes one program a format.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.extending import overload
from numba.np.numpy_support import as_dtype

from linsep.types import CSR

# Sums may be reordered and contracted so that they fill vector registers. Never "nnan" or "ninf": inputs are
# checked for NaN only at the door, and a weight may still overflow inside.
FASTMATH = {"reassoc", "contract", "nsz"}
# Rows whose decision values a pass of several classes computes ahead of their turn.
BLOCK = 4
_OPTIONS: Any = {"fastmath": FASTMATH}


def _is_csr(X: Any) -> bool:
    return getattr(X, "instance_class", None) is CSR


def row_count(X: Any) -> int:
    """n, the number of rows of `X`."""
    raise NotImplementedError


def row_dot(X: Any, i: int, w: Any) -> float:
    """w.x_i"""
    raise NotImplementedError


def block_dots(X: Any, rows: Any, W: Any, k: int, Z: Any) -> None:
    """Z[r, c] = w_c.x_rows[r] for the `BLOCK` rows given: for every c if k < 0, else for c = k alone.

    Each product is summed in the same way wherever it stands in the block, so it does not depend on its
    neighbours: a short block is filled up with any rows, and one class can be done again after it has moved.
    """
    raise NotImplementedError


def row_axpy(X: Any, i: int, a: float, w: Any) -> bool:
    """w += a x_i, in place. Return whether any entry of w changed: rounding may absorb the whole of a x_i."""
    raise NotImplementedError


def row_norm2(X: Any, i: int) -> float:
    """||x_i||^2, summed in float64."""
    raise NotImplementedError


@overload(row_count)
def _row_count(X: Any) -> Callable[..., Any]:
    def sparse(X: Any) -> Any:
        return X.indptr.shape[0] - 1

    def dense(X: Any) -> Any:
        return X.shape[0]

    return sparse if _is_csr(X) else dense


@overload(row_dot, jit_options=_OPTIONS)
def _row_dot(X: Any, i: Any, w: Any) -> Callable[..., Any]:
    zero = as_dtype(w.dtype).type(0)

    def sparse(X: Any, i: Any, w: Any) -> Any:
        z = zero
        # Unsigned subscripts: signed ones make Numba add wrap-around code that costs 2.5 times the time.
        for k in range(np.uint64(X.indptr[i]), np.uint64(X.indptr[i + 1])):
            z += X.data[k] * w[np.uint64(X.indices[k])]
        return z

    def dense(X: Any, i: Any, w: Any) -> Any:
        z = zero
        for j in range(np.uint64(w.shape[0])):
            z += X[i, j] * w[j]
        return z

    return sparse if _is_csr(X) else dense


@overload(block_dots, jit_options=_OPTIONS)
def _block_dots(X: Any, rows: Any, W: Any, k: Any, Z: Any) -> Callable[..., Any]:
    zero = as_dtype(W.dtype).type(0)

    def sparse(X: Any, rows: Any, W: Any, k: Any, Z: Any) -> None:
        first, last = (0, W.shape[0]) if k < 0 else (k, k + 1)
        for r in range(BLOCK):
            i = rows[r]
            for c in range(first, last):
                Z[r, c] = zero
            for e in range(np.uint64(X.indptr[i]), np.uint64(X.indptr[i + 1])):
                x = X.data[e]
                j = np.uint64(X.indices[e])
                for c in range(np.uint64(first), np.uint64(last)):
                    Z[r, c] += x * W[c, j]

    def dense(X: Any, rows: Any, W: Any, k: Any, Z: Any) -> None:
        first, last = (0, W.shape[0]) if k < 0 else (k, k + 1)
        i0, i1, i2, i3 = np.uint64(rows[0]), np.uint64(rows[1]), np.uint64(rows[2]), np.uint64(rows[3])
        for start in range(first, last, 2):
            c = np.uint64(start)
            d = np.uint64(min(start + 1, last - 1))
            # Four rows against two classes: six loads for eight products, and all sums stay in registers.
            z0c = z1c = z2c = z3c = z0d = z1d = z2d = z3d = zero
            for j in range(np.uint64(W.shape[1])):
                wc = W[c, j]
                wd = W[d, j]
                z0c += X[i0, j] * wc
                z1c += X[i1, j] * wc
                z2c += X[i2, j] * wc
                z3c += X[i3, j] * wc
                z0d += X[i0, j] * wd
                z1d += X[i1, j] * wd
                z2d += X[i2, j] * wd
                z3d += X[i3, j] * wd
            Z[0, d], Z[1, d], Z[2, d], Z[3, d] = z0d, z1d, z2d, z3d
            Z[0, c], Z[1, c], Z[2, c], Z[3, c] = z0c, z1c, z2c, z3c

    return sparse if _is_csr(X) else dense


@overload(row_axpy, jit_options=_OPTIONS)
def _row_axpy(X: Any, i: Any, a: Any, w: Any) -> Callable[..., Any]:
    cast = as_dtype(w.dtype).type

    def sparse(X: Any, i: Any, a: Any, w: Any) -> Any:
        a_ = cast(a)
        changed = False
        for k in range(np.uint64(X.indptr[i]), np.uint64(X.indptr[i + 1])):
            j = np.uint64(X.indices[k])
            before = w[j]
            w[j] = before + a_ * X.data[k]
            changed |= w[j] != before
        return changed

    def dense(X: Any, i: Any, a: Any, w: Any) -> Any:
        a_ = cast(a)
        changed = False
        for j in range(np.uint64(w.shape[0])):
            before = w[j]
            w[j] = before + a_ * X[i, j]
            changed |= w[j] != before
        return changed

    return sparse if _is_csr(X) else dense


@overload(row_norm2, jit_options=_OPTIONS)
def _row_norm2(X: Any, i: Any) -> Callable[..., Any]:
    def sparse(X: Any, i: Any) -> Any:
        s = 0.0
        for k in range(np.uint64(X.indptr[i]), np.uint64(X.indptr[i + 1])):
            s += np.float64(X.data[k]) * np.float64(X.data[k])
        return s

    def dense(X: Any, i: Any) -> Any:
        s = 0.0
        for j in range(np.uint64(X.shape[1])):
            s += np.float64(X[i, j]) * np.float64(X[i, j])
        return s

    return sparse if _is_csr(X) else dense
