"""Pairs of opposite rows, counted as a naive loop does, and what a receipt says of the rows in the way."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from in_process import run_linsep
from linsep import fit_table, open_data
from linsep.learners import PocketPerceptron
from linsep.reporting.explanation.suspects import rows_in_the_way
from linsep.theory.cone.opposite_rows import disjoint_pairs
from linsep.theory.explanation.fewest_rows import fewest_rows
from linsep.types import DataError, Hyperplane


def naive_pairs(X: Any, s: Any, constant: bool) -> int:
    """The most pairs of opposite rows: greedy is best, as being opposite to one row is being equal to another."""
    left, found = list(range(len(s))), 0
    while left:
        i = left.pop(0)
        for j in left:
            opposite = s[i] * X[i] == -s[j] * X[j]
            # A row of zeros has to go by itself: equal ones of one class are no pair.
            if opposite.all() and (s[i] != s[j] or (not constant and X[i].any())):
                left.remove(j)
                found += 1
                break
    return found


FORMS: dict[str, Any] = {
    "dense": lambda X: X,
    "sparse": sp.csr_matrix,
    "fractions": np.vectorize(lambda v: Fraction(v) / 3, otypes=[object]),
}


@settings(max_examples=100, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 25),
    p=st.integers(1, 2),
    constant=st.booleans(),
    form=st.sampled_from(list(FORMS)),
)
def test_as_many_pairs_as_there_are(seed: int, n: int, p: int, constant: bool, form: str) -> None:
    rng = np.random.default_rng(seed)
    X, s = rng.integers(-1, 2, (n, p)).astype(float), rng.choice([-1.0, 1.0], n)
    pairs = disjoint_pairs(FORMS[form](X), s, constant=constant)
    assert len(pairs) == naive_pairs(X, s, constant)
    assert np.unique(pairs).size == pairs.size
    for i, j in pairs.tolist():
        assert i < j
        assert (s[i] * X[i] == -s[j] * X[j]).all()
        assert not constant or s[i] != s[j]


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(3, 12), fit_intercept=st.booleans())
def test_the_least_number_is_between_the_bounds(seed: int, n: int, fit_intercept: bool) -> None:
    rng = np.random.default_rng(seed)
    X, side = rng.integers(-2, 3, (n, 2)).astype(float), rng.integers(0, 2, n)
    side[:2] = 0, 1
    try:
        least = fewest_rows(X, side, fit_intercept=fit_intercept)
    except DataError:
        return  # no row of one class can be separated from any row of the other
    planes = [Hyperplane(rng.integers(-2, 3, 2).astype(float), float(fit_intercept)) for _ in range(3)]
    found = rows_in_the_way(X, side, planes, fit_intercept=fit_intercept)
    if least.lower:
        assert found.lower <= least.upper
    assert found.upper is None or least.lower <= found.upper


def test_rows_that_overlap_are_counted_without_equal_ones() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 4))
    side = (X @ [1, -2, 0.5, 1] + 0.5 * rng.normal(size=3000) > 0).astype(int)
    for rows in (X, sp.csr_matrix(X), X.astype(np.float32)):
        assert rows_in_the_way(rows, side, [], fit_intercept=True).lower == 5  # the most that are looked for
    wide = np.hstack([X, np.zeros((3000, 17))])  # of very many columns only pairs are counted
    assert rows_in_the_way(wide, side, [], fit_intercept=True).lower == 1
    few = X[:200][abs(X[:200] @ [1, -2, 0.5, 1]) > 0.5]
    right = (few @ [1, -2, 0.5, 1] > 0).astype(int)
    right[:3] ^= 1
    lower = rows_in_the_way(few, right, [], fit_intercept=True).lower
    assert 1 < lower <= fewest_rows(few, right).upper == 3


def table() -> pd.DataFrame:
    """Rows 0 and 1 are equal and of two classes, row 2 has the wrong label; the others are far apart."""
    x = [0, 0, 9.5, *range(2, 22), *range(-21, -1)]
    y = [1, 0, 0, *([1] * 20), *([0] * 20)]
    return pd.DataFrame({"x": x, "y": y})


def test_the_receipt_counts_them_where_rows_are_in_the_way(tmp_path: Path) -> None:
    table().to_csv(tmp_path / "t.csv", index=False)
    words = ["fit", "t.csv", "--target", "y", "--learner", "pocket", "--model", "m.linsep"]
    said = run_linsep(words, tmp_path).stdout
    assert "checked exactly; exactly 2 of 43 rows have to go: `linsep check --explain`\n" in said
    plain = json.loads(run_linsep([*words, "--json"], tmp_path).stdout)
    assert plain["rows_in_the_way"] == {"at_least": 2, "at_most": 2}


@pytest.mark.parametrize("rows", [slice(1, None), slice(3, None)])
def test_of_separable_rows_nothing_is_said(rows: slice) -> None:
    kept = table()[rows]
    found = fit_table(open_data(kept, target="y"), PocketPerceptron())
    assert ("--explain" in dict(found.receipt.lines)["separable?"]) is (2 in kept.index)
    assert ("rows_in_the_way" in found.receipt.data) is (2 in kept.index)


def test_a_plane_that_leaves_one_class_alone_bounds_nothing() -> None:
    X, side = np.array([[0.0], [1.0], [0.0]]), np.array([0, 1, 1])
    found = rows_in_the_way(X, side, [Hyperplane(np.array([0.0]), 1.0)], fit_intercept=True)
    assert (found.lower, found.upper) == (1, None)
    assert found.summary().startswith("at least 1 of 3 rows has to go")
    found = rows_in_the_way(X, side, [Hyperplane(np.array([np.nan]), 1.0)], fit_intercept=True)
    assert found.upper is None
