"""A sample of the rows says of all of them what all of them say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from linsep import separability
from linsep.theory.cone import by_sample
from linsep.theory.cone.by_sample import solve_by_sample
from linsep.theory.cone.faces import solve_cone
from linsep.theory.cone.opposite_rows import opposite_pairs
from linsep.types import Array


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Samples of a tenth of small tables; whether each decided is noted."""
    monkeypatch.setattr(by_sample, "MANY", 40)
    monkeypatch.setattr(by_sample, "_LEAST", 12)
    monkeypatch.setattr(by_sample, "_PER_COLUMN", 2)
    monkeypatch.setattr(by_sample, "_WORTH", 3)
    decided: list[bool] = []
    whole = by_sample._of_all

    def noted(*given: Any) -> Any:
        decided.append(True)
        return whole(*given)

    monkeypatch.setattr(by_sample, "_of_all", noted)
    return decided


def table(seed: int, n: int, kind: str) -> tuple[Any, Array]:
    """Rows that overlap, by chance or in some columns alone, of full rank or not."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, (n, 4)).astype(float)
    y = rng.integers(0, 2, n)
    if kind == "levels":  # which sum to the constant
        X[:, :3] = np.eye(3)[rng.integers(0, 3, n)]
    if kind == "rare column":
        X[:, 3] = 0.0
        X[n // 2, 3] = 1.0
    if kind == "rare label":
        y = (np.arange(n) == n // 3).astype(int)
    if kind == "separable":
        y = (X[:, 0] > 0).astype(int)
    if kind == "touching":
        y = np.where(X[:, 0] == 0, y, (X[:, 0] > 0).astype(int))
    return X, y


KINDS = ["noise", "levels", "rare column", "rare label", "separable", "touching"]


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_the_sample_and_all_rows_agree(small: list[bool], kind: str, sparse: bool) -> None:
    for seed in range(12):
        X, y = table(seed, 150, kind)
        s = np.where(y == y.max(), 1.0, -1.0)
        rows = sp.csr_matrix(X) if sparse else X
        for constant in (True, False):
            found, all_of_them = (solve(rows, s, constant=constant) for solve in (solve_by_sample, solve_cone))
            np.testing.assert_array_equal(found.rows_left, all_of_them.rows_left)
            np.testing.assert_array_equal(found.separated, all_of_them.separated)
            assert len(found.basis) == len(all_of_them.basis)
            assert len(found.null_vectors()) == len(all_of_them.null_vectors())
            signed = s[:, None] * np.column_stack([X, np.ones(len(X)) * constant])
            for weights in filter(None, (found.witness, found.overlap)):
                assert min(weights.values()) > 0
                assert not sum(v * signed[i] for i, v in weights.items()).any()
            separability(rows, y, fit_intercept=constant).verify(rows, y)
    if kind != "rare label":
        assert bool(small) == (kind in ("noise", "levels"))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(KINDS))
def test_pairs_are_the_same_with_and_without_rows_that_are_alone(seed: int, kind: str) -> None:
    X, y = table(seed, 60, kind)
    s = np.where(y == 1, 1.0, -1.0)
    rng = np.random.default_rng(seed)
    alone = rng.normal(size=(600, 4))
    rows, sides = np.vstack([X, alone]), np.append(s, rng.choice([-1.0, 1.0], 600))
    for constant in (True, False):
        pairs = opposite_pairs(X, s, constant=constant)
        np.testing.assert_array_equal(opposite_pairs(rows, sides, constant=constant), pairs)
        found = {tuple(pair) for pair in pairs.tolist()}
        naive = set[tuple[int, int]]()
        for x in np.unique(X, axis=0):
            group = [j for j in range(60) if same_up_to_sign(x, X[j], constant)]
            other = [j for j in group if opposite(X, s, group[0], j, constant)]
            naive |= {(group[0], j) for j in other[:1]}
        if constant or X.any(axis=1).all():
            assert found == naive


def same_up_to_sign(a: Array, b: Array, constant: bool) -> bool:
    """Whether two rows are equal or, without the constant, opposite."""
    return bool((a == b).all() or (not constant and (a == -b).all()))


def opposite(X: Array, s: Array, i: int, j: int, constant: bool) -> bool:
    """Whether s_i (x_i, 1) = -s_j (x_j, 1), without the constant if it is not asked for."""
    return bool((s[i] * X[i] == -s[j] * X[j]).all() and (not constant or s[i] == -s[j]))


@pytest.mark.parametrize("equalities", [False, True])
def test_with_equalities_all_rows_are_asked(small: list[bool], equalities: bool) -> None:
    X, y = table(0, 400, "noise")
    equal = np.zeros(400, dtype=bool)
    equal[3] = equalities
    found, all_of_them = (
        solve(X, np.where(y == 1, 1.0, -1.0), constant=False, equal=equal, want_witness=False)
        for solve in (solve_by_sample, solve_cone)
    )
    assert bool(small) != equalities
    np.testing.assert_array_equal(found.rows_left, all_of_them.rows_left)


def test_a_large_table_that_overlaps_is_decided_by_few_rows() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60_000, 3)), rng.integers(0, 2, 60_000)
    asked: list[int] = []

    def counted(rows: Any, *given: Any, **named: Any) -> Any:
        asked.append(rows.shape[0])
        return solve_cone(rows, *given, **named)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(by_sample, "solve_cone", counted)
        result = separability(X, y)
    assert result.verdict == "inseparable" and result.rows_left.size == 60_000
    assert asked == [5000]
    X[1], y[1] = X[0], 1 - y[0]
    witness = separability(X, y).witness
    assert witness is not None and witness.rows == (0, 1)


@pytest.mark.parametrize(("dependent", "decides"), [(2, True), (12, False)])
def test_many_dependent_columns_are_left_to_all_rows(small: list[bool], dependent: int, decides: bool) -> None:
    """Each is a look at all rows in whole numbers, which takes longer than a search."""
    rng = np.random.default_rng(3)
    X = rng.integers(-3, 4, (600, 4)).astype(float)
    X = np.column_stack([X, X @ rng.integers(-2, 3, (4, dependent))])
    found = solve_by_sample(X, rng.choice([-1.0, 1.0], 600), constant=True)
    assert (found.rows_left.size, bool(small)) == (600, decides)
