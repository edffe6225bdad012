"""Made data keep the promises of their docstrings."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linsep import Perceptron, make_separable, mistake_bounds


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 300), st.integers(1, 120), st.floats(0.0, 0.3), st.floats(2.0, 30.0), st.integers(0, 10**6))
def test_the_planted_margin_is_there(n: int, p: int, share: float, radius: float, seed: int) -> None:
    margin = share * min(1.0, radius / np.sqrt(p))  # the ball is thin in many dimensions
    X, y, w, b = make_separable(n, p, margin, radius=radius, random_state=seed)
    assert X.shape == (n, p)
    assert (y * (X @ w + b) > margin).all()
    assert abs(np.linalg.norm(w) - 1) < 1e-12
    assert np.linalg.norm(X, axis=1).max() <= radius * (1 + 1e-12)


def test_each_class_has_its_tenth() -> None:
    for seed in range(10):
        _, y, _, _ = make_separable(4000, 3, 0.2, random_state=seed)
        assert 0.07 < (y == 1).mean() < 0.93


def test_points_are_normal_given_the_ball() -> None:
    X, _, _, _ = make_separable(20_000, 2, 0.0, radius=1.0, random_state=0)
    inside = (np.linalg.norm(X, axis=1) < 0.5).mean()
    expected = (1 - np.exp(-0.125)) / (1 - np.exp(-0.5))
    assert abs(inside - expected) < 0.015


def test_same_seed_same_rows() -> None:
    a, b = make_separable(10, 3, 0.1, random_state=5)[0], make_separable(10, 3, 0.1, random_state=5)[0]
    np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("margin", [2.0, 3.0, 50.0])
def test_an_impossible_margin_is_an_error(margin: float) -> None:
    with pytest.raises(ValueError, match="too wide: no plane has a tenth"):
        make_separable(10, 5, margin)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@settings(max_examples=60, deadline=None)
@given(
    st.integers(5, 200),
    st.integers(1, 20),
    st.floats(0.1, 0.5),
    st.sampled_from([1e-3, 1.0, 50.0]),
    st.booleans(),
    st.integers(0, 999),
)
def test_every_bound_holds_on_generated_rows(
    n: int, p: int, margin: float, scale: float, sphere: bool, seed: int
) -> None:
    X, y, w, b = make_separable(n, p, margin, random_state=seed)
    X, b = X * scale, b * scale
    if sphere:
        X, b = X / np.linalg.norm(X, axis=1, keepdims=True), 0.0
        y = np.where(X @ w > 0, 1, -1)
        X, y = X[np.abs(X @ w) > 0.01], y[np.abs(X @ w) > 0.01]
    if len(set(y)) < 2:
        return
    learner = Perceptron(max_iter=3000).fit(X, y)
    bounds = mistake_bounds(X, y, w, b)
    assert bounds.get("novikoff").applies
    assert bounds.get("unit sphere").applies == sphere
    for bound in bounds:
        made = int(learner.trace_.mistakes[0]) if bound.one_pass else learner.n_mistakes_
        assert not bound.applies or made <= (bound.value or 0.0) * (1 + 1e-9)
