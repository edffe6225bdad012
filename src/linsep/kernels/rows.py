"""One row against a vector: the only place that knows how rows are stored.

`X` is a C-contiguous 2-D array, a `CSR` or, in passes of two classes, a `OnesCSR`; `i` is a row position. Arithmetic is
done in the dtype of `w`. The code of each function depends on the format: a kernel is written once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linsep.kernels.compiled import by_type, kernel, uncounted
from linsep.kernels.lanes import dots, fma, sum_planes, wide_dots
from linsep.types import CSR, OnesCSR

# Rows whose decision values a pass of several classes computes ahead of their turn, at most: with 4 rows and 2 classes
# the 8 sums and their 6 factors fit the 16 vector registers.
BLOCK = 4
# Rows, or entries, that are looked at before the next question is asked.
_TOGETHER = 1024


def is_csr(X: Any) -> bool:
    """Whether the Numba type `X` is that of compressed sparse rows."""
    return getattr(X, "instance_class", None) in (CSR, OnesCSR)


def is_ones(X: Any) -> bool:
    """Whether the Numba type `X` is that of compressed sparse rows of ones."""
    return getattr(X, "instance_class", None) is OnesCSR


@by_type()
def row_fits(X: Any, width: Any) -> Callable[..., Any]:
    """Whether the one row of `X` belongs to vectors of this width: what is read and written lies inside them."""

    def sparse(X: Any, width: Any) -> Any:
        for k in range(X.indices.shape[0]):
            if not 0 <= X.indices[k] < width:
                return False
        return X.indptr[0] >= 0 and X.indptr[1] <= X.indices.shape[0] and X.indices.shape[0] <= X.data.shape[0]

    def dense(X: Any, width: Any) -> Any:
        return X.shape[1] == width

    return sparse if is_csr(X) else dense


@by_type()
def row_count(X: Any) -> Callable[..., Any]:
    """n, the number of rows of `X`."""
    return (lambda X: X.indptr.shape[0] - 1) if is_csr(X) else (lambda X: X.shape[0])


@by_type(forceinline=True)
def _entry(X: Any, k: Any, w: Any) -> Callable[..., Any]:
    """Entry k of sparse rows, 1 of the type of w where all are."""
    # LLVM makes a sum of the product with a 1.
    return (lambda X, k, w: w.dtype.type(1)) if is_ones(X) else (lambda X, k, w: X.data[k])


# As a call it would take half as long again on short rows.
@by_type(forceinline=True)
def row_dot(X: Any, i: Any, w: Any) -> Callable[..., Any]:
    """w.x_i"""

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

    def dense(X: Any, i: Any, w: Any) -> Any:
        return dots(X, (np.uint64(i),), w, (np.uint64(0),))[0]

    return sparse if is_csr(X) else dense


@by_type()
def block_size(X: Any) -> Callable[..., Any]:
    """Rows that `block_dots` takes: 4 dense ones share each weight loaded; sparse ones share nothing, so 1."""
    return (lambda X: 1) if is_csr(X) else (lambda X: BLOCK)


@by_type()
def block_dots(X: Any, rows: Any, W: Any, k: Any, m: Any, Z: Any) -> Callable[..., Any] | None:
    """Z[r, c] = w_c.x_rows[r] for the first `block_size(X)` rows given: for every c if k < 0, else for c = k and c = m.

    A product does not depend on the others computed with it: each is summed in the same order. So a short block may be
    filled up with any rows, and the classes that have moved can be computed again, two at a time. Sparse rows always
    compute every c. Changes `Z` (BLOCK, n_classes).
    """

    def sparse(X: Any, rows: Any, W: Any, k: Any, m: Any, Z: Any) -> None:
        fill_row_dots(X, rows[0], W, Z)

    return sparse if is_csr(X) else None


# As a call it would take a fifth longer: its loops are compiled for the case in hand.
@by_type(more_of=block_dots, forceinline=True)
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


@by_type()
def fill_row_dots(X: Any, i: Any, W: Any, Z: Any) -> Callable[..., Any]:
    """Z[0, c] = w_c.x_i for every c, as `block_dots` has it. Changes `Z` (1 or more, n_classes)."""

    def sparse(X: Any, i: Any, W: Any, Z: Any) -> None:
        sum_planes(X.data, X.indices, X.indptr[i], X.indptr[i + 1], W, Z, 0)

    def dense(X: Any, i: Any, W: Any, Z: Any) -> None:
        last = W.shape[0] - 1
        for c in range(0, W.shape[0], 4):
            four = (np.uint64(c), np.uint64(min(c + 1, last)), np.uint64(min(c + 2, last)), np.uint64(min(c + 3, last)))
            z = dots(X, (np.uint64(i),), W, four)
            for k in range(4):
                Z[0, four[k]] = z[k]

    return sparse if is_csr(X) else dense


# On some processors LLVM would call it for each mistake of a short row unless told otherwise.
# Sparse rows ask until one entry has changed, as a rule the first: to compare all took as long as to change them.
@by_type(forceinline=True)
def row_axpy(X: Any, i: Any, a: Any, w: Any) -> Callable[..., Any]:
    """w += a x_i, in place. Return whether any entry of w changed: rounding may absorb the whole of a x_i."""

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
@by_type(forceinline=True)
def row_norm2(X: Any, i: Any) -> Callable[..., Any]:
    """||x_i||^2, summed in float64."""

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


# Questions about the entries of a sparse table that NumPy would answer with a copy of it.
@uncounted(cache=True, nogil=True)
def are_ones(values: Any) -> bool:
    """Whether all of these are 1; it ends soon after the first that is not."""
    for first in range(0, values.shape[0], _TOGETHER):
        others = 0
        for k in range(np.uint64(first), np.uint64(min(first + _TOGETHER, values.shape[0]))):
            others += values[k] != 1
        if others:
            return False
    return True


@uncounted(cache=True, nogil=True)
def is_rising(indices: Any, indptr: Any) -> bool:
    """Whether the columns of each row of a CSR matrix rise, as they nearly always do: then no row names one twice."""
    n = indptr.shape[0] - 1
    falls = 0
    for first in range(0, n, _TOGETHER):
        last = min(first + _TOGETHER, n)
        begin, end = indptr[first], indptr[last]
        # All neighbours at once, without a look at where rows end; then those across the end of a row do not count.
        for k in range(begin + 1, end):
            falls += indices[np.uint64(k)] <= indices[np.uint64(k - 1)]
        for i in range(np.uint64(first + 1), np.uint64(last)):  # unsigned, as in `row_dot`
            k = indptr[i]
            if begin < k < indptr[i + np.uint64(1)]:
                falls -= indices[np.uint64(k)] <= indices[np.uint64(k - 1)]
    return falls == 0


@kernel(cache=True, nogil=True)
def with_duplicates(indices: Any, indptr: Any, n_columns: int) -> Any:
    """Which rows of a CSR matrix name a column twice; their columns may be in any order."""
    last = np.full(n_columns, -1, np.int64)
    twice = np.zeros(indptr.shape[0] - 1, np.bool_)
    for i in range(indptr.shape[0] - 1):
        for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            j = np.uint64(indices[k])
            if last[j] == i:
                twice[i] = True
                break
            last[j] = i
    return twice
