"""The interior point on sparse rows: its systems beside NumPy's, and the same verdicts as on dense rows."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import linsep.theory.cone.faces as faces
import linsep.theory.cone.guess as guess
import linsep.theory.cone.interior_point as interior_point
from linsep import separability
from linsep.theory.cone.guess import Asked, WorkingSet
from linsep.theory.cone.interior_point import DenseSquare, SparseSquare, complementary_pair
from linsep.theory.rows.deadline import NEVER, Deadline, OutOfTimeError
from linsep.theory.rows.signed import SignedRows

COLUMNS = guess.LARGE  # enough that rows with few entries are not made dense

seeds = st.integers(0, 2**32 - 1)


def few_entries(rng: np.random.Generator, n: int, p: int, each: int) -> Any:
    """Rows of so many entries at most, ones or numbers of all sizes, in places some of which come often."""
    places = (p * rng.random((n, each)) ** rng.choice([1.0, 2.0])).astype(int)
    values = np.ones(n * each) if rng.random() < 0.5 else np.exp(2 * rng.standard_normal(n * each))
    return sp.csr_matrix((values, (np.repeat(np.arange(n), each), places.ravel())), shape=(n, p))


def labelled(rng: np.random.Generator, X: Any, kind: str) -> np.ndarray:
    """Labels by a plane without a gap: with some rows in it, with some labels wrong, or neither."""
    w = rng.standard_normal(X.shape[1])
    z = X @ (np.round(w) if kind == "touching" else w)
    y = np.where(z > 0, 1, -1)
    if kind == "touching":
        y[z == 0] = rng.choice([-1, 1], int((z == 0).sum()))
    if kind == "noisy":
        y[rng.random(y.size) < 0.05] *= -1
    return y


WIDTH = 60


def few_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables of 60 columns with few entries are not made dense."""
    for place in (guess, faces):
        monkeypatch.setattr(place, "LARGE", WIDTH)


@given(seeds, st.booleans())
def test_systems_of_sparse_rows_are_solved_as_numpy_solves_them(seed: int, hard: bool) -> None:
    rng = np.random.default_rng(seed)
    Z = sp.csr_array(few_entries(rng, 90, 12, 3) + sp.eye(90, 12))
    weights = np.exp(rng.standard_normal(90))
    square = SparseSquare(Z, NEVER)
    square.hard = hard  # by factors
    solve = square.solver(weights)
    H = Z.toarray().T @ (weights[:, None] * Z.toarray())
    for _ in range(3):  # from what was found before
        b = rng.standard_normal(12)
        x, off = solve(b), np.sqrt(1.0 / np.diagonal(H))
        assert np.linalg.norm(off * (b - H @ x)) <= 2e-6 * np.linalg.norm(off * b)


def test_systems_of_fewer_rows_than_columns_are_solved_too() -> None:
    rng = np.random.default_rng(0)
    Z = sp.csr_array(few_entries(rng, 30, 90, 3))
    b = Z.T @ rng.standard_normal(30)
    x = SparseSquare(Z, NEVER).solver(np.ones(30))(b)
    assert np.allclose(Z.T @ (Z @ x), b, atol=1e-4)


@pytest.mark.parametrize("kind", [DenseSquare, SparseSquare])
def test_conjugate_gradients_end_in_time(kind: Any) -> None:
    Z = np.eye(3) + 1.0
    square = kind(sp.csr_array(Z) if kind is SparseSquare else Z, NEVER)
    square.deadline, square.lossy = Deadline(0.0), True
    with patch.object(interior_point, "_SOLVED", 0.0), pytest.raises(OutOfTimeError):
        square.solver(np.array([1.0, 2.0, 3.0]))(np.ones(3))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["parted", "touching", "noisy"])
@pytest.mark.parametrize("each", [3, 8])
def test_sparse_and_dense_rows_have_the_same_verdict(
    seed: int, kind: str, each: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(seed)
    few_are_large(monkeypatch)
    X = few_entries(rng, int(rng.choice([2, 4, 10])) * WIDTH, WIDTH, each)
    y = labelled(rng, X, kind)
    if len(set(y.tolist())) < 2:
        return
    found, dense = separability(X, y), separability(X.toarray(), y)
    assert found.verdict == dense.verdict
    assert found.rows_left.tolist() == dense.rows_left.tolist()
    found.verify(X.toarray(), y)
    dense.verify(X.toarray(), y)


@pytest.mark.parametrize("kind", ["parted", "touching", "noisy"])
@pytest.mark.parametrize("largest", [10**8, 0])
def test_what_is_too_hard_for_conjugate_gradients_is_proved_nevertheless(
    kind: str, largest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(1)
    few_are_large(monkeypatch)
    X = few_entries(rng, 400, WIDTH, 3)
    y = labelled(rng, X, kind)
    expected = separability(X, y)
    monkeypatch.setattr(interior_point, "_FEW", 2)
    monkeypatch.setattr(interior_point, "_PER_COLUMN", 0.0)
    monkeypatch.setattr(interior_point, "MOST_DENSE", largest)  # columns: of 0 no factors are made, the rows are dense
    found = separability(X, y)
    assert (found.verdict, found.rows_left.tolist()) == (expected.verdict, expected.rows_left.tolist())
    found.verify(X, y)


def test_rows_that_are_made_dense_after_all_are_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    X = few_entries(rng, 1500, COLUMNS, 3)
    most = 600 * (COLUMNS + 1)
    monkeypatch.setattr(guess, "MOST_DENSE", most)
    rows, every = (
        SignedRows(X, np.where(labelled(rng, X, "noisy"), 1.0, -1.0), constant=True),
        np.ones(1500, dtype=bool),
    )
    sparse, dense = (WorkingSet(Asked(rows, every, ~every), NEVER, again=again) for again in (False, True))
    assert sparse.ids.size == 1500
    assert dense.ids.size * rows.width <= most


def test_sparse_and_dense_paths_set_the_same_rows_aside() -> None:
    rng = np.random.default_rng(2)
    X = few_entries(rng, 800, 100, 8)
    y = labelled(rng, X, "touching")
    rows = SignedRows(X, y.astype(float), constant=True)
    every = np.arange(800)
    sparse = complementary_pair(rows.compressed(every), NEVER)
    dense = complementary_pair(rows.Z[every], NEVER)
    assert sparse.clear
    assert dense.clear
    assert ((sparse.y > sparse.s) == (dense.y > dense.s)).all()


def test_rows_with_few_entries_are_not_made_dense() -> None:
    rng = np.random.default_rng(4)
    for each, columns, expected in ((3, COLUMNS, True), (60, COLUMNS, False), (3, 20, False)):
        X = few_entries(rng, 600, columns, each)
        rows, every = SignedRows(X, rng.choice([-1.0, 1.0], 600), constant=True), np.ones(600, dtype=bool)
        asked = Asked(rows, every, ~every)
        assert WorkingSet(asked, NEVER).sparse == expected
        assert not WorkingSet(asked, NEVER, again=True).sparse  # what could not be proved takes more digits


def test_sparse_rows_have_the_same_numbers_compressed() -> None:
    rng = np.random.default_rng(3)
    X = few_entries(rng, 50, 20, 4)
    for constant in (True, False):
        rows, ids = SignedRows(X, rng.choice([-1.0, 1.0], 50), constant=constant), rng.permutation(50)[:30]
        assert (rows.compressed(ids).toarray() == rows.Z[ids]).all()


@given(seeds)
def test_refined_systems_keep_digits_that_factors_lose(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, p = 60, 12
    Z, weights = rng.standard_normal((n, p)), np.ones(n)
    weights[: p // 2] = 1e12  # half of the directions have rows of 1e12 times the weight of all others
    square = DenseSquare(Z, NEVER)
    plain = square.solver(weights)
    square.lossy = True
    better = square.solver(weights)
    x = rng.standard_normal(p)
    b = (weights * (Z @ x)) @ Z
    with patch.object(interior_point, "_SOLVED", 1e-14):
        lost, kept = (float(np.linalg.norm(solve(b) - x)) for solve in (plain, better))
    assert kept < lost / 2
