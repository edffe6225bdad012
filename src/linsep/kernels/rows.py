"""One row against a vector: the only place that knows how rows are stored.

`X` is a C-contiguous 2-D array, a `CSR` or, in passes of two classes, a `OnesCSR`; `i` is a row position. Arithmetic is
done in the dtype of `w`. Each function has a stub in Python, which only raises, and an overload, which compiled code
calls instead. So a kernel is written once, and Numba compiles it once for each format.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.extending import overload

from linsep.kernels.lanes import dots, fma, wide_dots
from linsep.kernels.planes import sum_planes
from linsep.types import CSR, OnesCSR

# Rows whose decision values a pass of several classes computes ahead of their turn, at most: with 4 rows and 2 classes
# the 8 sums and their 6 factors fit the 16 vector registers.
BLOCK = 4
# As calls these would take half as long again on short rows.
_INLINE: Any = {"forceinline": True}


def is_csr(X: Any) -> bool:
    """Whether the Numba type `X` is that of compressed sparse rows."""
    return getattr(X, "instance_class", None) in (CSR, OnesCSR)


def is_ones(X: Any) -> bool:
    """Whether the Numba type `X` is that of compressed sparse rows of ones."""
    return getattr(X, "instance_class", None) is OnesCSR


def row_count(X: Any) -> int:
    """n, the number of rows of `X`."""
    raise NotImplementedError


def row_dot(X: Any, i: int, w: Any) -> float:
    """w.x_i"""
    raise NotImplementedError


def block_size(X: Any) -> int:
    """Rows that `block_dots` takes: 4 dense ones share each weight loaded; sparse ones share nothing, so 1."""
    raise NotImplementedError


def block_dots(X: Any, rows: Any, W: Any, k: int, m: int, Z: Any) -> None:
    """Z[r, c] = w_c.x_rows[r] for the first `block_size(X)` rows given: for every c if k < 0, else for c = k and c = m.

    A product does not depend on the others computed with it: each is summed in the same order. So a short block may be
    filled up with any rows, and the classes that have moved can be computed again, two at a time. Sparse rows always
    compute every c. Changes `Z` (BLOCK, n_classes).
    """
    raise NotImplementedError


def row_axpy(X: Any, i: int, a: float, w: Any) -> bool:
    """w += a x_i, in place. Return whether any entry of w changed: rounding may absorb the whole of a x_i."""
    raise NotImplementedError


def row_norm2(X: Any, i: int) -> float:
    """||x_i||^2, summed in float64."""
    raise NotImplementedError


def row_fits(X: Any, width: int) -> bool:
    """Whether the one row of `X` belongs to vectors of this width: what is read and written lies inside them."""
    raise NotImplementedError


def _entry(X: Any, k: Any, w: Any) -> Any:
    """Entry k of sparse rows, 1 of the type of w where all are."""
    raise NotImplementedError


@overload(row_fits)
def _row_fits(X: Any, width: Any) -> Callable[..., Any]:
    def sparse(X: Any, width: Any) -> Any:
        for k in range(X.indices.shape[0]):
            if not 0 <= X.indices[k] < width:
                return False
        return X.indptr[0] >= 0 and X.indptr[1] <= X.indices.shape[0] and X.indices.shape[0] <= X.data.shape[0]

    def dense(X: Any, width: Any) -> Any:
        return X.shape[1] == width

    return sparse if is_csr(X) else dense


@overload(row_count)
def _row_count(X: Any) -> Callable[..., Any]:
    def sparse(X: Any) -> Any:
        return X.indptr.shape[0] - 1

    def dense(X: Any) -> Any:
        return X.shape[0]

    return sparse if is_csr(X) else dense


@overload(_entry, jit_options=_INLINE)
def _any_entry(X: Any, k: Any, w: Any) -> Callable[..., Any]:
    def one(X: Any, k: Any, w: Any) -> Any:
        return w.dtype.type(1)  # LLVM makes a sum of the product with it

    def stored(X: Any, k: Any, w: Any) -> Any:
        return X.data[k]

    return one if is_ones(X) else stored


@overload(row_dot, jit_options=_INLINE)
def _row_sum(X: Any, i: Any, w: Any) -> Callable[..., Any] | None:
    def sparse(X: Any, i: Any, w: Any) -> Any:
        a = b = c = d = w.dtype.type(0)
        # Unsigned subscripts: signed ones make Numba add wrap-around code that costs 2.5 times the time.
        k, end = np.uint64(X.indptr[i]), np.uint64(X.indptr[i + 1])
        while k + np.uint64(4) <= end:
            a = fma(_entry(X, k, w), w[np.uint64(X.indices[k])], a)
            b = fma(_entry(X, k + np.uint64(1), w), w[np.uint64(X.indices[k + np.uint64(1)])], b)
            c = fma(_entry(X, k + np.uint64(2), w), w[np.uint64(X.indices[k + np.uint64(2)])], c)
            d = fma(_entry(X, k + np.uint64(3), w), w[np.uint64(X.indices[k + np.uint64(3)])], d)
            k += np.uint64(4)
        # A loop over the last three at most would take as long as the others on short rows.
        if k + np.uint64(2) <= end:
            a = fma(_entry(X, k, w), w[np.uint64(X.indices[k])], a)
            a = fma(_entry(X, k + np.uint64(1), w), w[np.uint64(X.indices[k + np.uint64(1)])], a)
            k += np.uint64(2)
        if k < end:
            a = fma(_entry(X, k, w), w[np.uint64(X.indices[k])], a)
        return (a + b) + (c + d)

    return sparse if is_csr(X) else None


@overload(row_dot, jit_options=_INLINE)
def _row_dot(X: Any, i: Any, w: Any) -> Callable[..., Any] | None:
    if is_csr(X):
        return None

    def dense(X: Any, i: Any, w: Any) -> Any:
        return dots(X, (np.uint64(i),), w, (np.uint64(0),))[0]

    return dense


@overload(block_size)
def _block_size(X: Any) -> Callable[..., Any]:
    def one(X: Any) -> Any:
        return 1

    def several(X: Any) -> Any:
        return BLOCK

    return one if is_csr(X) else several


@overload(block_dots)
def _block_of_one(X: Any, rows: Any, W: Any, k: Any, m: Any, Z: Any) -> Callable[..., Any] | None:
    def sparse(X: Any, rows: Any, W: Any, k: Any, m: Any, Z: Any) -> None:
        i = rows[0]
        sum_planes(X.data, X.indices, X.indptr[i], X.indptr[i + 1], W, Z, 0)

    return sparse if is_csr(X) else None


# As a call it would take a fifth longer: its loops are compiled for the case in hand.
@overload(block_dots, jit_options=_INLINE)
def _block_dots(X: Any, rows: Any, W: Any, k: Any, m: Any, Z: Any) -> Callable[..., Any] | None:
    if is_csr(X):
        return None

    def dense(X: Any, rows: Any, W: Any, k: Any, m: Any, Z: Any) -> None:
        first, last = (0, W.shape[0]) if k < 0 else (k, k + 1)
        i0, i1, i2, i3 = np.uint64(rows[0]), np.uint64(rows[1]), np.uint64(rows[2]), np.uint64(rows[3])
        for start in range(first, last, 2):
            c = np.uint64(start)
            d = np.uint64(min(start + 1, last - 1) if k < 0 else m)
            # Four rows against two classes: six loads for eight products, and all sums stay in registers.
            z0c, z0d, z1c, z1d, z2c, z2d, z3c, z3d = dots(X, (i0, i1, i2, i3), W, (c, d))
            Z[0, d], Z[1, d], Z[2, d], Z[3, d] = z0d, z1d, z2d, z3d
            Z[0, c], Z[1, c], Z[2, c], Z[3, c] = z0c, z1c, z2c, z3c

    return dense


# On some processors LLVM would call it for each mistake of a short row unless told otherwise.
# Sparse rows ask until one entry has changed, as a rule the first: to compare all took as long as to change them.
@overload(row_axpy, jit_options=_INLINE)
def _row_axpy(X: Any, i: Any, a: Any, w: Any) -> Callable[..., Any]:
    def sparse(X: Any, i: Any, a: Any, w: Any) -> Any:
        a_ = w.dtype.type(a)
        k, end = np.uint64(X.indptr[i]), np.uint64(X.indptr[i + 1])
        changed = False
        while k < end and not changed:
            j = np.uint64(X.indices[k])
            before = w[j]
            after = fma(a_, _entry(X, k, w), before)
            w[j] = after
            changed = after != before
            k += np.uint64(1)
        for t in range(k, end):
            j = np.uint64(X.indices[t])
            w[j] = fma(a_, _entry(X, t, w), w[j])
        return changed

    def dense(X: Any, i: Any, a: Any, w: Any) -> Any:
        a_ = w.dtype.type(a)
        changed = False
        for j in range(np.uint64(w.shape[0])):
            before = w[j]
            after = fma(a_, X[i, j], before)
            w[j] = after
            changed |= after != before
        return changed

    return sparse if is_csr(X) else dense


# As in `row_axpy`: on some processors LLVM would call it.
@overload(row_norm2, jit_options=_INLINE)
def _row_norm2(X: Any, i: Any) -> Callable[..., Any]:
    def ones(X: Any, i: Any) -> Any:
        return np.float64(X.indptr[i + 1] - X.indptr[i])

    def sparse(X: Any, i: Any) -> Any:
        # Four sums, as in `row_dot`.
        a = b = c = d = 0.0
        k, end = np.uint64(X.indptr[i]), np.uint64(X.indptr[i + 1])
        while k < end:
            x = np.float64(X.data[k])
            a, b, c, d = b, c, d, fma(x, x, a)
            k += np.uint64(1)
        return (a + b) + (c + d)

    def dense(X: Any, i: Any) -> Any:
        at = (np.uint64(i),)
        return wide_dots(X, at, X, at)[0]

    return ones if is_ones(X) else sparse if is_csr(X) else dense
