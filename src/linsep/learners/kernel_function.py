"""Kernel functions on blocks of rows: one matrix product, then the function of every entry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from linsep.kernels.dual import exponentials
from linsep.kernels.linear.sums import add_rows, product, side_by_side, squares
from linsep.tables import dense, is_sparse, rows_for_kernels
from linsep.types import Array, DataError

# Stored rows whose kernel values with a block are held at a time, and rows in a block: what fits the cache.
_TILE = 2048
_BLOCK = 256
# Entries of a block of sparse rows that are written out in full, at most.
_FULL_ENTRIES = 1 << 22


@dataclass(frozen=True)
class KernelFunction:
    """k(x, y): "poly", "rbf", "laplacian", "linear" as in `KernelPerceptron`, or any function.

    A function is called with two matrices of rows and returns the matrix of their values; it is checked as it goes:
    shape, finite, symmetric.

    Examples
    --------
    >>> import numpy as np
    >>> KernelFunction("poly", degree=2).between(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])).tolist()
    [[144.0]]
    """

    kind: Any
    degree: int = 3
    gamma: float = 1.0
    coef0: float = 1.0

    def between(self, A: Any, B: Any) -> Array:
        """k(a_i, b_j) as a matrix, in the dtype of the rows."""
        if callable(self.kind):
            return self._called(A, B)
        with np.errstate(over="ignore", invalid="ignore"):
            if self.kind == "laplacian":
                G = -self.gamma * _distances(A, B)
                exponentials(G)
                return G
            G = _products(A, B)
            if self.kind == "poly":
                G = polynomial(G, self.gamma, self.coef0, self.degree)
            elif self.kind == "rbf":
                G = gaussian(G, _norms2(A), _norms2(B), self.gamma)
        return np.asarray(G)

    def diagonal(self, A: Any) -> Array:
        """k(a_i, a_i)."""
        if callable(self.kind):
            blocks = (A[s : s + _BLOCK] for s in range(0, A.shape[0], _BLOCK))
            return np.concatenate([np.diagonal(self._called(block, block)) for block in blocks])
        if self.kind in ("rbf", "laplacian"):
            return np.ones(A.shape[0])
        norms2 = _norms2(A)
        with np.errstate(over="ignore", invalid="ignore"):
            return polynomial(norms2, self.gamma, self.coef0, self.degree) if self.kind == "poly" else norms2

    def with_itself(self, A: Any, rows: Array, block: Array) -> None:
        """Write k(a_i, a_j) into block[i, j] for the `rows` i and all j; of a function asks whether it is symmetric."""
        values = self.between(A[rows], A)
        if callable(self.kind):
            square = values[:, rows]
            even = np.allclose(square, square.T, rtol=1e-5, atol=1e-8 * float(abs(square).max(initial=1.0)))
            if not even or (square.diagonal() < 0).any():
                why = "is below 0 for a training row with itself" if even else "is not symmetric for two training rows"
                raise DataError(f"the kernel {why}; a kernel is an inner product")
        block[rows] = values

    def combine(self, A: Any, B: Any, coefs: Array) -> Array:
        """sum_j k(a_i, b_j) coefs[j, c] as a float64 matrix (len(A), n_columns), a tile of B at a time."""
        total = np.zeros((A.shape[0], coefs.shape[1]))
        if self.affine:
            return self.of_sum(A, weighted_sum(B, coefs), coefs.sum(axis=0))
        with np.errstate(over="ignore", invalid="ignore"):  # whoever uses the sums looks whether they are finite
            for s in range(0, B.shape[0], _TILE):
                total += product(self.between(A, B[s : s + _TILE]), coefs[s : s + _TILE].T)
        return total

    @property
    def affine(self) -> tuple[float, float] | None:
        """(s, c) of a kernel s x.y + c: with it the stored rows need not be visited one by one, their sum will do."""
        if self.kind == "linear":
            return 1.0, 0.0
        return (self.gamma, self.coef0) if self.kind == "poly" and self.degree == 1 else None

    def of_sum(self, A: Any, W: Array, total: Array) -> Array:
        """What `combine` gives for an affine kernel, from W = sum_j b_j coefs[j] and the sum of coefs."""
        assert self.affine is not None
        slope, constant = self.affine
        with np.errstate(over="ignore", invalid="ignore"):
            inner = product(A, W.T) if isinstance(A, np.ndarray) else A.astype(np.float64, copy=False) @ W
            return np.asarray(slope * inner + constant * total)

    def _called(self, A: Any, B: Any) -> Array:
        G = np.asarray(self.kind(A, B))
        if G.shape != (A.shape[0], B.shape[0]) or G.dtype.kind not in "biuf":
            raise DataError(
                f"the kernel returned an array of shape {G.shape} and type {G.dtype} for {A.shape[0]} and {B.shape[0]} "
                "rows; it is called with two matrices of rows and returns all their values, real numbers, as a matrix"
            )
        if not np.isfinite(G).all():
            raise DataError("the kernel returned a value that is not finite for a pair of rows")
        return G


def check_values(values: Array) -> None:
    """Raise DataError unless all are finite."""
    if not np.isfinite(values).all():
        raise DataError("the kernel's values are too large for numbers: scale the rows down, or lower the degree")


def block_rows(X: Any) -> int:
    """How many rows of X make a block."""
    return _BLOCK if isinstance(X, np.ndarray) else max(1, min(_BLOCK, _FULL_ENTRIES // max(1, X.shape[1])))


def _products(A: Any, B: Any) -> Array:
    """A B', dense, whatever the two are: the rows of the smaller, A, are written out in full."""
    if isinstance(B, np.ndarray):
        return product(dense(A), B)
    full = dense(A.T)
    return np.asarray((B @ full).T)


def weighted_sum(X: Any, coefs: Array) -> Array:
    """X' coefs as a float64 matrix (n_features, n_columns), a row after the other."""
    W = np.zeros((coefs.shape[1], X.shape[1]))
    add_rows(rows_for_kernels(X if is_sparse(X) else side_by_side(X)), coefs, W)
    return W.T


def _distances(A: Any, B: Any) -> Array:
    """sum_k |a_ik - b_jk|, in the dtype of the rows."""
    if not (A.shape[0] and B.shape[0]):
        return np.zeros((A.shape[0], B.shape[0]), A.dtype)
    if isinstance(A, np.ndarray) and isinstance(B, np.ndarray):
        from scipy.spatial.distance import cdist

        found = cdist(A, B, "cityblock")
    else:
        from sklearn.metrics import pairwise_distances

        found = pairwise_distances(scipy.sparse.csr_matrix(A), scipy.sparse.csr_matrix(B), "manhattan")
    return np.asarray(found, dtype=np.result_type(A.dtype, B.dtype))


def _norms2(A: Any) -> Array:
    if isinstance(A, np.ndarray):
        found = np.empty(len(A), A.dtype)
        squares(side_by_side(A), found)
        return found
    return np.asarray(A.multiply(A).sum(axis=1)).ravel().astype(A.dtype)


def polynomial(G: Any, gamma: float, coef0: float, degree: int) -> Any:
    """(gamma G + coef0)^degree for dot products G, which it overwrites; by squaring, so whole numbers stay exact."""
    if gamma != 1.0:
        G *= gamma
    if coef0 != 0.0:
        G += coef0
    result = None
    while degree > 1:
        if degree & 1:
            result = G.copy() if result is None else np.multiply(result, G, out=result)
        G *= G
        degree >>= 1
    return G if result is None else np.multiply(result, G, out=G)


def gaussian(G: Any, a2: Any, b2: Any, gamma: float) -> Any:
    """exp(-gamma ||a - b||^2) from the dot products G of rows with squared norms `a2`, `b2`; it overwrites G."""
    G *= -2.0
    G += a2[:, None]
    G += b2
    np.maximum(G, 0.0, out=G)
    G *= -gamma
    exponentials(G)
    return G
