"""Sums for many classes at once are those of each class alone, to the last bit."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from linsep.kernels.linear.sums import products
from linsep.types import Array


def sums(X: sp.csr_matrix, W: Array) -> Array:
    """X W^T by the kernel; what was in Z before must not count."""
    Z = np.full((X.shape[0], len(W)), np.nan, W.dtype)
    products(X.data, X.indices, X.indptr, W, Z)
    return Z


def random_rows(seed: int, dtype: str) -> sp.csr_matrix:
    """Seven rows with gaps, the first without any entry."""
    rng = np.random.default_rng(seed)
    D = rng.normal(size=(7, 12)) * (rng.random((7, 12)) < 0.4)
    D[0] = 0.0
    return sp.csr_matrix(D.astype(dtype))


@pytest.mark.parametrize("n_classes", [1, 3, 7, 8, 9, 15, 16, 17, 20, 24, 25, 32, 33, 49])
@pytest.mark.parametrize(("rows", "weights"), [("float64", "float64"), ("float32", "float32"), ("float32", "float64")])
def test_classes_side_by_side_have_the_sums_of_one_class_alone(n_classes: int, rows: str, weights: str) -> None:
    X = random_rows(n_classes, rows)
    W = np.random.default_rng(n_classes).normal(size=(n_classes, 12)).astype(weights)
    together = sums(X, np.asfortranarray(W))
    alone = np.hstack([sums(X, W[[c]]) for c in range(n_classes)])
    assert together.tobytes() == alone.tobytes()
    assert not together[0].any()
    tolerance = 1e-6 if weights == "float32" else 1e-14
    np.testing.assert_allclose(together, X.toarray().astype(weights) @ W.T, rtol=0, atol=20 * tolerance)


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_whole_numbers_are_summed_exactly_up_to_the_last_column(index: type) -> None:
    rng = np.random.default_rng(0)
    D = rng.integers(-3, 4, size=(30, 11)).astype(float)
    D[:, -1] = 2.0
    X = sp.csr_matrix(D)
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    W = rng.integers(-(2**40), 2**40, size=(20, 11)).astype(float)
    exact = [[sum(Fraction(x) * Fraction(w) for x, w in zip(row, plane, strict=True)) for plane in W] for row in D]
    assert sums(X, np.asfortranarray(W)).tolist() == [[float(z) for z in row] for row in exact]


def test_entries_wider_than_weights_are_not_rounded_before_the_product() -> None:
    # In float32 the entry would be 1 + 2^-23, and three times that 3 + 2^-21.
    X = sp.csr_matrix([[1 + 2.0**-24 + 2.0**-30]])
    assert sums(X, np.asfortranarray(np.full((8, 2), 3.0, np.float32))).tolist() == [[3 + 2.0**-22] * 8]
