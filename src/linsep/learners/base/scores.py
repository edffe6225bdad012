"""Decision values: by a kernel, and of few rows without Numba, which takes longer to load than they do: the same bits.

Sums have the order of `kernels/lanes.py`, and each product is added with one rounding.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

import numpy as np

from linsep.as_given import refuse_unsound
from linsep.tables import is_sparse, stored
from linsep.types import CSR, Array

_LANES = 4  # of float64 in 32 bytes
# Products that this process makes without Numba, which takes some four times as long to load; what else a row needs
# takes as long as `ROW` of them.
_MOST, ROW = 100_000, 40


class _Made:
    """Those made so far: of many small fits each alone would be too few to load Numba for."""

    products = 0


def may_make(products: int) -> bool:
    """Whether Numba is not loaded and so many products more are no reason to load it."""
    return "numba" not in sys.modules and _Made.products + products <= _MOST


def note_made(products: int) -> None:
    """Count products that were made."""
    _Made.products += products


def scores(X: Any, W: Array, b: Array) -> tuple[Array, bool]:
    """Z = X W + b for W (n_features, n_planes), and whether its sum is finite."""
    if is_sparse(X):
        refuse_unsound(X)
    longest = int(np.diff(X.indptr).max(initial=0)) if is_sparse(X) else X.shape[1]
    few = X.shape[0] * longest * W.shape[1] + ROW
    if may_make(few) and are_in_range(X, W):
        note_made(few)
        Z = few_scores(X, W)
    else:
        from linsep.kernels.linear.sums import product, products, side_by_side, times

        Z = np.empty((X.shape[0], W.shape[1]), np.result_type(X.dtype, W.dtype, b.dtype))
        if is_sparse(X):
            products(X.data, X.indices, X.indptr, np.ascontiguousarray(W).T, Z)
        elif W.shape[1] > 1:
            product(X, side_by_side(W.T), Z)
        else:
            Z[:, 0] = times(X, W[:, 0])
    with np.errstate(over="ignore", invalid="ignore"):
        Z += b
        return Z, bool(np.isfinite(Z.sum()))


def are_in_range(X: Any, W: Array) -> bool:
    """Whether these are doubles so moderate that no product leaves the range of float64, where integers do not end."""
    if X.dtype != np.float64 or W.dtype != np.float64:
        return False
    sizes = np.abs(np.concatenate([stored(X).ravel(), W.ravel()]))
    return bool(((sizes == 0) | ((sizes > 2.0**-200) & (sizes < 2.0**200))).all())


def few_scores(X: Any, W: Array) -> Array:
    """X W, rows by planes."""
    if is_sparse(X):
        return _sparse(X, W)
    lanes, alone = _LANES, W.shape[1] == 1
    x, w = X[:, None, :], W.T[None, :, :]
    n, at = X.shape[1], 0
    z = np.zeros((len(X), W.shape[1], lanes))

    def more(z: Array, width: int) -> Array:
        return fused(x[..., at : at + width], w[..., at : at + width], z)

    if alone:  # four vectors take turns
        turns = [z] * 4
        while at + 4 * lanes <= n:
            for k in range(4):
                turns[k] = more(turns[k], lanes)
                at += lanes
        a, b, c, d = turns
        z = (a + b) + (c + d)
    while at + lanes <= n:
        z = more(z, lanes)
        at += lanes
    while lanes > 1:
        lanes //= 2
        z = z[..., :lanes] + z[..., lanes:]
        if (n - at) & lanes:
            z = more(z, lanes)
            at += lanes
    return np.asarray(z[..., 0])


def _sparse(X: Any, W: Array) -> Array:
    """The entries of a row are added from first to last, for all planes."""
    z, size = np.zeros((X.shape[0], W.shape[1])), np.diff(X.indptr)
    for k in range(int(size.max(initial=0))):
        rows = np.flatnonzero(size > k)
        entry = X.indptr[rows] + k
        z[rows] = fused(X.data[entry][:, None], W[X.indices[entry]], z[rows])
    return z


def _fused(x: float, y: float, z: float) -> float:
    """x y + z rounded once: a quotient of integers is.

    Examples
    --------
    >>> e = 2.0**-30
    >>> _fused(1 + e, 1 - e, -1.0) == -e * e
    True
    """
    (a, p), (b, q), (c, r) = x.as_integer_ratio(), y.as_integer_ratio(), z.as_integer_ratio()
    total = a * b * r + c * p * q
    return total / (p * q * r) if total else x * y + z  # which knows the sign of 0


_each_fused = np.frompyfunc(_fused, 3, 1)


def fused(x: Array, y: Array | float, z: Array) -> Array:
    """The same of arrays."""
    return np.asarray(_each_fused(x, y, z), dtype=np.float64)


# --------------------------------------------------------------------------- one row
@cache
def row_kernels() -> Any:
    """The kernels of single rows, loaded once: to import them with each row would be felt."""
    from linsep.kernels.linear import one_row

    return one_row


def score_with(X: Any, W: Array, b: Array) -> Array | float:
    """Decision value or values of the one row of `X`; NaN where it does not fit W (n_planes, n_features) and b."""
    if len(b) == 1:
        return float(row_kernels().score_row(X, W, b))
    entries = X.data if isinstance(X, CSR) else X
    z = np.empty((1, len(b)), np.result_type(entries, W, b))
    if not row_kernels().score_row_of_many(X, W, b, z):
        z.fill(np.nan)
    return np.asarray(z[0])
