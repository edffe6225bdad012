"""Decision values: by a kernel, and of few rows without Numba, which takes longer to load than they do: the same bits.

Sums have the order of `kernels/lanes.py` and `kernels/lanes.py`, and each product is added with one rounding.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from linsep.tables import is_sparse, stored
from linsep.types import Array

_LANES = 4  # of float64 in 32 bytes
_FEW = 20_000  # products, which take about a tenth of the time that Numba takes to load
_SPLIT = 2.0**27 + 1.0


def scores(X: Any, W: Array, b: Array) -> tuple[Array, bool]:
    """Z = X W + b for W (n_features, n_planes), and whether its sum is finite."""
    if are_few(X, W):
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


def are_few(X: Any, W: Array) -> bool:
    """Whether `few_scores` takes rows X and weights W (n_features, n_planes), and sooner than a kernel is loaded."""
    if "numba" in sys.modules or X.dtype != np.float64 or W.dtype != np.float64:
        return False
    longest = int(np.diff(X.indptr).max(initial=0)) if is_sparse(X) else X.shape[1]
    if X.shape[0] * longest * W.shape[1] > _FEW:
        return False
    # The error of a product is a float64 where nothing is as large or small as to leave its range.
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


def fused(x: Array, y: Array, z: Array) -> Array:
    """x y + z rounded once, as long as neither products nor sums leave the range where their errors are float64.

    Source: Boldo and Melquiond 2008, Emulation of FMA and correctly rounded sums: proved algorithms using rounding to
    odd; the error of a product is Dekker's (1971).

    Examples
    --------
    >>> e = 2.0**-30
    >>> float(fused(np.array(1 + e), np.array(1 - e), np.array(-1.0))) == -e * e
    True
    """
    product = x * y
    x_high, y_high = _high(x), _high(y)
    x_low, y_low = x - x_high, y - y_high
    error = ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low
    small, least = _exact_sum(z, error)
    large, rest = _exact_sum(product, small)
    odd, lost = _exact_sum(least, rest)
    bits = odd.view(np.int64)
    away = np.where((lost > 0) == (odd > 0), 1, -1)
    bits += np.where((lost != 0) & (bits & 1 == 0), away, 0)
    return np.asarray(large + odd)


def _high(x: Array) -> Array:
    """The upper half of the digits."""
    product = _SPLIT * x
    return np.asarray(product - (product - x))


def _exact_sum(a: Array, b: Array) -> tuple[Array, Array]:
    """The sum as rounded, and what rounding took away."""
    total = np.asarray(a + b)
    part = total - a
    return total, np.asarray((a - (total - part)) + (b - part))
