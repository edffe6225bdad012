"""What remains after the separated rows are dropped: the finite estimates are those of the whole table in the limit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from linsep import Separation, separation
from linsep.types import Array, DataError
from test_separation import designs


def newton(X: Array, y: Array, offset: Array, family: str) -> Array:
    """The maximum of the likelihood by plain Newton steps with halving, on columns that are independent."""
    b = np.zeros(X.shape[1])

    def value(b: Array) -> float:
        eta = X @ b + offset
        with np.errstate(over="ignore"):
            return float((y * eta - (np.logaddexp(0, eta) if family == "logistic" else np.exp(eta))).sum())

    for _ in range(200):
        eta = X @ b + offset
        mu = expit(eta) if family == "logistic" else np.exp(eta)
        w = mu * (1 - mu) if family == "logistic" else mu
        step = np.linalg.solve(X.T @ (w[:, None] * X), X.T @ (y - mu))
        while value(b + step) < value(b) - 1e-9 * abs(value(b)):
            step /= 2
        b = b + step
        if np.abs(step).max() < 1e-13:
            break
    return b


@pytest.mark.parametrize("family", ["logistic", "poisson"])
@settings(max_examples=20, deadline=None)
@given(data=st.data(), sparse=st.booleans())
def test_the_finite_estimates_are_the_limit_of_those_of_all_rows(family: Any, data: Any, sparse: bool) -> None:
    X, y = data.draw(designs(family))
    some = data.draw(st.integers(1, len(y) - 1))  # rows that overlap, because each is there with two outcomes
    X, y = np.vstack([X, X[:some]]), np.append(y, 1 - y[:some] if family == "logistic" else y[:some] + 1)
    found = separation(sp.csr_matrix(X.astype(float)) if sparse else X, y, family=family)
    assert found.verdict != "complete"
    kept = found.drop()
    whole = np.column_stack([np.ones(len(y)), X])
    names = list(found.coefficients)
    chosen = [names.index(name) for name in kept.names]
    X_kept = kept.X.toarray() if sparse else kept.X
    assert np.array_equal(X_kept, whole[kept.rows][:, chosen])
    assert np.array_equal(kept.y, y[kept.rows])
    assert set(range(len(y))) - set(kept.rows.tolist()) == set(found.separated_rows)
    assert np.linalg.matrix_rank(X_kept) == len(chosen) == np.linalg.matrix_rank(whole[kept.rows])
    assert sorted(kept.names + kept.dropped) == sorted(names)
    finite = [name for name, value in found.coefficients.items() if value == "finite"]
    assert kept.unchanged == finite
    assert set(finite) <= set(kept.names)
    # The direction far away: each separated row has eta beyond 50 where the others stay.
    assert found.proof is not None
    far = sum((1e-6**k * _dense(d, len(names)) for k, d in enumerate(found.proof.directions)), np.zeros(len(names)))
    push = whole @ far
    smallest = np.abs(push[list(found.separated_rows)]).min(initial=1.0)
    limit = newton(whole[:, chosen], y, push * 100 / smallest, family)
    here = newton(X_kept, y[kept.rows], np.zeros(len(kept.rows)), family)
    at = [kept.names.index(name) for name in finite]
    assert np.abs(limit - here)[at].max(initial=0) < 1e-8


def _dense(d: dict[int, int], width: int) -> Array:
    out = np.zeros(width)
    out[list(d)] = list(d.values())
    return out


def test_statsmodels_agrees_on_what_remains() -> None:
    sm = pytest.importorskip("statsmodels.api", reason="the extra regression is not installed")
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(60, 2)), np.arange(60) >= 50, np.arange(60) >= 55])
    y = np.where(np.arange(60) >= 50, 1, rng.random(60) < 0.5).astype(int)
    found = separation(X, y)
    kept = found.drop()
    assert (kept.names, kept.dropped) == (["(Intercept)", "x1", "x2"], ["x3", "x4"])
    fit = sm.Logit(kept.y, kept.X).fit(disp=False, tol=1e-12)
    whole = np.column_stack([np.ones(60), X])
    limit = newton(whole[:, :3], y, 60 * whole[:, 3], "logistic")
    assert np.abs(fit.params - limit).max() < 1e-8


def test_of_columns_that_say_the_same_the_last_is_left_out() -> None:
    X = np.array([[1, 0, 2], [1, 0, 2], [1, 0, 5], [1, 0, 5], [0, 1, 3]])
    found = separation(X, [0, 1, 0, 1, 1])
    kept = found.drop()
    assert (kept.names, kept.dropped) == (["(Intercept)", "x3"], ["x1", "x2"])
    assert separation(kept.X[:, 1:], kept.y).verdict == "overlap"


def test_rows_of_a_formula_are_those_of_the_table() -> None:
    pytest.importorskip("formulaic", reason="the extra regression is not installed")
    frame = pd.DataFrame({"y": [1, 0, 2, 0, 0, 3, 1], "x": [1, 2, np.nan, 1, 2, 5, 3], "firm": list("aaabbcc")})
    kept = separation("y ~ x | firm", data=frame, family="poisson").drop()
    assert kept.rows.tolist() == [0, 1, 5, 6]
    assert (kept.names, kept.dropped, kept.unchanged) == (["x", "firm=a", "firm=c"], ["firm=b"], ["x"])


def test_a_multinomial_model_is_dropped_from_where_whole_rows_are_separated() -> None:
    X = np.array([[0, 0], [0, 0], [0, 0], [1, 0], [1, 0], [1, 0], [0, 1]])
    y = np.array(list("abcabca"))
    found = separation(X, y, family="multinomial")
    assert found.separated_rows == (6,)
    kept = found.drop()
    assert (kept.names, kept.dropped, kept.rows.tolist()) == (["(Intercept)", "x1"], ["x2"], [0, 1, 2, 3, 4, 5])
    assert ("b", "x1") in kept.unchanged
    partly = separation([[0], [1], [0], [1], [2], [2]], list("aabbcc"), family="multinomial")
    with pytest.raises(DataError, match=r"row 0 is separated from some of the other classes only \(4 such rows\)"):
        partly.drop()


def test_what_cannot_be_dropped() -> None:
    X, y = [[0], [1], [2]], [0, 0, 1]
    found = separation(X, y)
    with pytest.raises(DataError, match="every row is separated: no row remains"):
        found.drop()
    with pytest.raises(DataError, match="read from JSON"):
        Separation.from_json(found.to_json()).drop()
    with pytest.raises(DataError, match="undecided, so nothing can be done"):
        separation(X, y, time_limit=0.0).drop()
