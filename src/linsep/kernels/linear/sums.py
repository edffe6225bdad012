"""Sums of rows and of columns, and products of rows with several vectors, in the same order on every processor.

Means and scales of a column whose rows come one after another are those of Welford 1962 (Technometrics 4).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from linsep.kernels.compiled import uncounted
from linsep.kernels.lanes import dots, sum_planes
from linsep.kernels.optional import weight_at
from linsep.kernels.rows import row_axpy, row_count, row_dot
from linsep.types import Array

# Bytes of the second matrix that are multiplied with all rows of the first before the next are read.
_TILE = 2**17
# Rows that are put side by side where a matrix does not have them so.
_COPIED = 1024


@uncounted(cache=True, nogil=True)
def add_class_sums(X: Any, c: Any, weight: Any, sums: Any, totals: Any) -> None:
    """sums[c_i] += weight_i x_i, totals[c_i] += weight_i, row by row (the prototypes of Rocchio 1971 before division).

    Changes `sums` (n_classes, n_features) and `totals` (n_classes,), both float64.
    """
    for i in range(row_count(X)):
        a = weight_at(weight, i)
        row_axpy(X, i, a, sums[c[i]])
        totals[c[i]] += a


@uncounted(cache=True, nogil=True)
def add_rows(X: Any, steps: Any, W: Any) -> None:
    """w_k += steps[i, k] x_i, row by row. Changes `W` (n_planes, n_features)."""
    for i in range(row_count(X)):
        for k in range(W.shape[0]):
            if steps[i, k] != 0.0:
                row_axpy(X, i, steps[i, k], W[k])


@uncounted(cache=True, nogil=True)
def products(data: Any, indices: Any, indptr: Any, W: Any, Z: Any) -> None:
    """Z_i = sum_k data_k W[:, indices_k], k from indptr_i to indptr_{i+1}: Z = X W^T for X in CSR.

    `W` is (n_planes, n_features), best in Fortran's order: each entry of X then reads weights that stand side by side.
    Changes `Z` (n_rows, n_planes).
    """
    for i in range(Z.shape[0]):
        sum_planes(data, indices, indptr[i], indptr[i + 1], W, Z, i)


@uncounted(cache=True, nogil=True)
def row_products(X: Any, w: Any, z: Any) -> None:
    """z_i = w.x_i, as in a pass of two classes. Changes `z` (n_rows,)."""
    for i in range(z.shape[0]):
        z[i] = row_dot(X, i, w)


@uncounted(cache=True, nogil=True)
def squares(X: Any, z: Any) -> None:
    """z_i = x_i.x_i, as `product` gives it. Changes `z` (n_rows,)."""
    for i in range(z.shape[0]):
        z[i] = dots(X, (np.uint64(i), np.uint64(i)), X, (np.uint64(i),))[0]


@uncounted(cache=True, nogil=True)
def _multiply(A: Any, B: Any, tile: int, Z: Any) -> None:
    """Z = A B^T, each sum as in `block_dots`: four rows of A and two of B at a time, `tile` of B before the next.

    Changes `Z`.
    """
    n, m = Z.shape
    for first in range(0, m, tile):
        last = min(first + tile, m)
        for i in range(0, n, 4):
            rows = (i, min(i + 1, n - 1), min(i + 2, n - 1), min(i + 3, n - 1))
            for k in range(first, last, 3):
                planes = (k, min(k + 1, last - 1), min(k + 2, last - 1))
                z = dots(A, rows, B, planes)
                for r in range(min(4, n - i)):
                    for c in range(3):
                        Z[i + r, planes[c]] = z[3 * r + c]


def side_by_side(X: Array) -> Array:
    """X with the entries of each row side by side, not to be changed: Numba compiles for one kind of array alone."""
    view = np.ascontiguousarray(X).view()
    view.flags.writeable = False
    return view


def in_parts(X: Array) -> Iterator[tuple[slice, Array]]:
    """Some rows after the others, `side_by_side`."""
    for first in range(0, len(X), _COPIED):
        at = slice(first, first + _COPIED)
        yield at, side_by_side(X[at])


def times(X: Array, w: Array) -> Array:
    """z_i = w.x_i of a dense matrix, as in a pass of two classes."""
    z, w = np.empty(len(X), np.result_type(X, w)), side_by_side(w)
    for at, rows in in_parts(X):
        row_products(rows, w, z[at])
    return z


def product(A: Array, B: Array, out: Array | None = None) -> Array:
    """A B^T of dense matrices (n, p) and (m, p), in the wider of their types; BLAS has an order for each processor.

    A sum depends on its two rows alone, whatever stands beside them.
    """
    Z = np.empty((len(A), len(B)), np.result_type(A, B)) if out is None else out
    B = side_by_side(B)
    tile = max(3, _TILE // (B.itemsize * max(1, B.shape[1])) // 3 * 3)
    for at, rows in in_parts(A):
        if len(rows) < 4:
            _multiply(B, rows, 3, Z[at].T)
        else:
            _multiply(rows, B, tile, Z[at])
    return Z


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


@uncounted(cache=True)
def standardise_row(values: Any, moments: Any, learn: bool, out: Any) -> None:
    """`standardise_running` of one row: column j with `moments[j]`. Changes `moments` (n_columns, 3) and `out`."""
    for j in range(values.shape[0]):
        standardise_running(values[j : j + 1], moments[j], learn, out[j : j + 1])
