"""Made data keep the promises of their docstrings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import linsep.data.synthetic
from linsep import Perceptron, make_separable, mistake_bounds, separability
from linsep.data.synthetic import ball_points, flip_labels, make_circle, make_moons, make_xor, tail_quantile


@given(st.integers(1, 300), st.integers(1, 120), st.floats(0.0, 0.3), st.floats(2.0, 30.0), st.integers(0, 10**6))
def test_the_planted_margin_is_there(n: int, p: int, share: float, radius: float, seed: int) -> None:
    margin = share * min(1.0, radius / np.sqrt(p))  # the ball is thin in many dimensions
    X, y, w, b = make_separable(n, p, margin, radius=radius, random_state=seed)
    assert X.shape == (n, p)
    assert (y * (X @ w + b) > margin).all()
    assert abs(np.linalg.norm(w) - 1) < 1e-12
    assert np.linalg.norm(X, axis=1).max() <= radius * (1 + 1e-12)


def test_points_are_normal_given_the_ball() -> None:
    X, _, _, _ = make_separable(20_000, 2, 0.0, radius=1.0, random_state=0)
    inside = (np.linalg.norm(X, axis=1) < 0.5).mean()
    expected = (1 - np.exp(-0.125)) / (1 - np.exp(-0.5))
    assert abs(inside - expected) < 0.015


@pytest.mark.parametrize(
    ("make", "message"),
    [
        *(
            (lambda m=m: make_separable(10, 5, m), r"too wide: no plane has a tenth .* below about 1\.2 will")
            for m in (2, 50)
        ),
        (lambda: make_separable(0, 5, 0.1), "at least 1, got 0 and 5"),
        (lambda: make_separable(5, 0, 0.1), "at least 1, got 5 and 0"),
        (lambda: make_separable(5, 5, -0.1), "margin at least 0"),
        (lambda: make_separable(5, 5, float("nan")), "margin at least 0"),
        (lambda: make_separable(5, 5, 0.1, radius=0.0), "radius must be above 0"),
        (lambda: make_separable(5, 5, 0.1, radius=float("inf")), "both finite"),
        (lambda: make_circle(10, 1.0), "below 1, the radius of the circle"),
        (lambda: flip_labels(np.array([1, 2]), 1.1), "share must be"),
        (lambda: flip_labels(np.array([1, 2]), -0.1), "share must be"),
        (lambda: flip_labels(np.array([1, 1]), 0.5), "share must be"),
    ],
)
def test_senseless_arguments_are_errors(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("p", "radius"), [(1, 1.0), (2, 0.1), (3, 3.0), (3, 50.0), (100, 3.0), (600, 3.0), (4000, 9.0)]
)
def test_a_tenth_of_the_mass_is_where_the_quantile_says(p: int, radius: float) -> None:
    n = 10**6 // p if p > 50 else 20_000
    z = ball_points(n, p, radius, np.random.default_rng(0))[:, 0]
    share = (np.abs(z) > tail_quantile(0.1, p, radius)).mean()
    assert abs(share - 0.2) < 4 * np.sqrt(0.16 / n)


def test_the_widest_margin_still_leaves_a_tenth_on_each_side() -> None:
    widest = tail_quantile(0.1, 4, 3.0)
    _, y, _, b = make_separable(20_000, 4, widest * 0.999, random_state=0)
    assert abs((y == 1).mean() - 0.5) < 0.02
    assert abs(b) < 0.001 * widest


def test_lengths_by_logarithms_are_those_of_the_gamma_function(monkeypatch: pytest.MonkeyPatch) -> None:
    direct = ball_points(500, 100, 3.0, np.random.default_rng(0))
    monkeypatch.setattr(linsep.data.synthetic, "_TINY", 2.0)  # no mass is above this one
    np.testing.assert_allclose(ball_points(500, 100, 3.0, np.random.default_rng(0)), direct, rtol=1e-9)


# --------------------------------------------------------------- other shapes
@given(st.integers(1, 100), st.floats(0, 0.99), st.integers(0, 10**6))
def test_semicircles_keep_their_distance_lifted_or_not(n: int, margin: float, seed: int) -> None:
    X, y, w, b = make_circle(n, margin, random_state=seed)
    assert (y * (X @ w + b) > margin).all()
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1)
    lifted, same_y, w3, b3 = make_circle(n, margin, lift=True, random_state=seed)
    np.testing.assert_array_equal(y, same_y)
    np.testing.assert_allclose(np.linalg.norm(lifted, axis=1), 1)
    np.testing.assert_allclose(lifted @ w3 + b3, (X @ w + b) / np.sqrt(2))


def test_moons_interlock_unless_they_are_drawn_apart() -> None:
    X, y, w, b = make_moons(300, 0.2, random_state=1)
    assert (y * (X @ w + b)).min() >= 0.1 - 1e-12
    X, y, w, b = make_moons(300, -0.5, random_state=1)
    assert separability(X, y).verdict == "inseparable"
    noisy = make_moons(300, -0.5, noise=0.1, random_state=1)[0]
    assert 0.08 < (noisy - X).std() < 0.12


def test_exclusive_or_has_no_separator_but_in_the_product() -> None:
    X, y, corners = make_xor(4, random_state=0)
    assert separability(X, y).verdict == "inseparable"
    assert (y == np.where(corners[:, 0] != corners[:, 1], 1, -1)).all()
    X, y, corners = make_xor(1000, noise=0.1, random_state=0)
    assert separability(X.prod(axis=1, keepdims=True), y).verdict == "separable"
    assert 0.09 < (X - corners).std() < 0.11


@given(st.integers(2, 60), st.floats(0, 1), st.integers(2, 4), st.integers(0, 10**6))
def test_flipped_labels_are_as_many_as_asked(n: int, share: float, k: int, seed: int) -> None:
    y = np.array(["a", "b", "c", "d"])[np.arange(n) % min(k, n)]
    noisy, flipped = flip_labels(y, share, random_state=seed)
    assert flipped.sum() == round(share * n)
    np.testing.assert_array_equal(noisy != y, flipped)
    assert set(noisy) <= set(y)


@pytest.mark.parametrize(
    "make",
    [
        lambda seed: make_separable(20, 3, 0.1, random_state=seed)[0],
        lambda seed: make_circle(20, random_state=seed)[0],
        lambda seed: make_moons(20, random_state=seed)[0],
        lambda seed: make_xor(20, random_state=seed)[0],
        lambda seed: flip_labels(np.arange(20), 0.5, random_state=seed)[0],
    ],
)
def test_rows_depend_on_the_seed_alone(make: Any) -> None:
    np.testing.assert_array_equal(make(5), make(5))
    assert (make(5) != make(6)).any()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning", "ignore::linsep.types.PrecisionWarning")
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
    assert bounds.get("unit ball").applies == (np.linalg.norm(X, axis=1).max() <= 1 + 1e-14)
    for bound in bounds:
        made = int(learner.trace_.mistakes[0]) if bound.one_pass else learner.n_mistakes_
        assert not bound.applies or made <= (bound.value or 0.0) * (1 + 1e-9)
