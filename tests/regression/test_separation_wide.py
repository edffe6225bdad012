"""Designs with far more columns than rows: every row is separated, no coefficient is identified."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from linsep import separation
from linsep.regression.found import Separation
from linsep.theory.rows.deadline import NEVER
from linsep.theory.separation.find import prove_by_columns


@settings(max_examples=30)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(3, 6),
    family=st.sampled_from(["logistic", "poisson"]),
    kind=st.sampled_from(["normal", "few values", "sparse", "twins"]),
)
def test_the_other_search_says_the_same(seed: int, n: int, family: Any, kind: str) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3 * n)) if kind == "normal" else rng.integers(-1, 2, (n, 3 * n)).astype(float)
    if kind == "twins":
        X[1] = X[0]
    y = np.arange(n) % 2
    given_X: Any = sp.csr_matrix(X) if kind == "sparse" else X
    found = separation(given_X, y, family=family)
    found.verify(given_X, y)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("linsep.theory.separation.find.prove_by_columns", lambda *_: None)
        other = separation(given_X, y, family=family)
    assert (found.verdict, found.separated_rows, found.rank) == (other.verdict, other.separated_rows, other.rank)
    assert found.coefficients == other.coefficients
    read = Separation.from_json(found.to_json())
    read.verify(given_X, y)
    assert read == found


def test_a_column_in_every_basis_is_left_to_the_other_search() -> None:
    # Without the last column the first row is a multiple of the second.
    Z = np.array([[1.0, 2, 3, 4, 5, 6, 1], [1, 2, 3, 4, 5, 6, 0], [0, 1, 0, 1, 0, 1, 0]])
    assert prove_by_columns(Z, np.zeros(3, dtype=bool), NEVER) is None
    found = separation(Z, [0, 1, 1], fit_intercept=False)
    assert found.coefficients["x7"] == -np.inf
    assert {found.coefficients[f"x{j}"] for j in range(1, 7)} == {"not identified"}


@pytest.mark.parametrize("family", ["logistic", "poisson"])
def test_thousands_of_columns(family: Any) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(63, 2_308)), rng.integers(0, 2, 63)
    found = separation(X, y, family=family)
    found.verify(X, y)
    assert found.separated_rows == tuple(np.flatnonzero((y == 0) | (family == "logistic")).tolist())
    assert set(found.coefficients.values()) == {"not identified"}
    assert found.rank == 63
