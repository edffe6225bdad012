"""Pairs of opposite rows, counted as a naive loop does, and what a receipt says of the rows in the way."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from linsep import fit_table, open_data
from linsep.learners import PocketPerceptron
from linsep.theory.cone.opposite_rows import disjoint_pairs


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


def table() -> pd.DataFrame:
    """Rows 0 and 1 are equal and of two classes, row 2 has the wrong label; the others are far apart."""
    x = [0, 0, 9.5, *range(2, 22), *range(-21, -1)]
    y = [1, 0, 0, *([1] * 20), *([0] * 20)]
    return pd.DataFrame({"x": x, "y": y})


@pytest.mark.parametrize("rows", [slice(1, None), slice(3, None)])
def test_the_receipt_says_where_rows_are_in_the_way(rows: slice) -> None:
    kept = table()[rows]
    found = fit_table(open_data(kept, target="y"), PocketPerceptron())
    assert ("--explain" in dict(found.receipt.lines)["separable?"]) is (2 in kept.index)
