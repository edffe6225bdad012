"""Every mistake bound: numbers by hand, conditions, and truth on runs of a plain perceptron."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linsep.theory.bounds.classes import class_bounds, margin_upper_bound
from linsep.theory.bounds.kernel import kernel_bounds
from linsep.theory.bounds.mistakes import aggressive_bounds, mistake_bounds
from linsep.types import Array, DataError

# On the unit circle; w = (1, 0), b = 0.25 has the values z = 1.25, 0.85, -0.55, -0.75.
CIRCLE = np.array([[1.0, 0.0], [0.6, 0.8], [-0.8, 0.6], [-1.0, 0.0]])
LABELS = np.array([1, 1, -1, -1])


def run_perceptron(X: Array, s: Array, bias: bool, epochs: int) -> tuple[Array, int, bool]:
    """Plain loops: the final (w, b), all mistakes, and whether a pass was clean."""
    Z = np.column_stack([X, np.ones(len(X)) if bias else np.zeros(len(X))])
    w, mistakes = np.zeros(Z.shape[1]), 0
    for _ in range(epochs):
        before = mistakes
        for z, sign in zip(Z, s, strict=True):
            if sign * (w @ z) <= 0:
                w += sign * z
                mistakes += 1
        if mistakes == before:
            return w, mistakes, True
    return w, mistakes, False


def test_on_the_unit_sphere_all_apply_with_the_numbers_worked_out_by_hand() -> None:
    table = mistake_bounds(CIRCLE, LABELS, [2.0, 0.0], 0.5)
    assert [row.name for row in table] == [
        "novikoff",
        "unit ball",
        "bounded bias",
        "freund-schapire",
        "hinge loss",
    ]
    assert all(row.applies and row.why == "" for row in table)
    gamma, norm2 = 0.55, 1 + 0.25**2
    assert table.get("novikoff").value == pytest.approx(2 * norm2 / gamma**2)
    assert table.get("unit ball").value == pytest.approx(4 / gamma**2)
    assert table.get("bounded bias").value == pytest.approx(2 * 2 / gamma**2)
    assert table.best is not None
    assert table.best.name == "novikoff"
    # With g the margin nothing is short of g, so both bounds for one pass are at most Novikoff's.
    for name in ("freund-schapire", "hinge loss"):
        value = table.get(name).value
        assert value is not None
        assert value <= 2 * norm2 / gamma**2 * (1 + 1e-12)
        assert table.get(name).one_pass


def test_without_an_intercept() -> None:
    table = mistake_bounds(2 * CIRCLE, LABELS, [3.0, 0.0], fit_intercept=False)
    assert table.get("novikoff").value == pytest.approx((2 / 1.2) ** 2)
    assert table.get("novikoff").formula == "(R / gamma)^2"
    assert table.get("unit ball").why == table.get("bounded bias").why == "the run has no intercept"
    with pytest.raises(DataError, match="the run has no intercept: give a separator with b = 0"):
        mistake_bounds(CIRCLE, LABELS, [1.0, 0.0], 0.5, fit_intercept=False)


def test_the_inseparable_pair_is_the_least_over_a_grid() -> None:
    # One feature, u = 1 on both sides: margins 1, 1, -1. At any g: D^2 = 2 max(0, g-1)^2 + (g+1)^2.
    X, y = np.array([[1.0], [-1.0], [-1.0]]), np.array([1, -1, 1])
    table = mistake_bounds(X, y, [1.0], fit_intercept=False)
    grid = np.geomspace(0.01, 1000, 5000)
    least = min(((1 + math.sqrt(2 * max(0, g - 1) ** 2 + (g + 1) ** 2)) / g) ** 2 for g in grid)
    hinge = min((1 / (2 * g) + math.sqrt(1 / (4 * g * g) + 2 * max(0, 1 - 1 / g) + 1 + 1 / g)) ** 2 for g in grid)
    plain = table.get("freund-schapire")
    assert plain.applies
    assert plain.value == pytest.approx(least, rel=0.02)
    assert table.get("hinge loss").value == pytest.approx(hinge, rel=0.02)
    assert not table.get("novikoff").applies
    assert table.best is None
    once = mistake_bounds(X, y, [1.0], fit_intercept=False, epochs=1)
    assert once.best is not None
    assert once.best.one_pass


def test_reasons_why_not() -> None:
    wrong = mistake_bounds(CIRCLE, -LABELS, [1.0, 0.0], 0.25)
    for name in ("novikoff", "unit ball", "bounded bias"):
        assert wrong.get(name).why == "this separator makes 4 mistakes: smallest margin is -1.25"
        assert wrong.get(name).value is None
    one = mistake_bounds(CIRCLE, LABELS, [1.0, 0.0], 0.8)
    assert one.get("novikoff").why == "this separator makes 1 mistake: smallest margin is 0"
    far = mistake_bounds(CIRCLE + np.array([4.0, 0.0]), LABELS, [1.0, 0.0], -4.0)
    assert far.get("bounded bias").why == far.get("unit ball").why == "the plane is 4 from the origin, more than 1"
    assert far.get("novikoff").applies
    assert mistake_bounds(2 * CIRCLE, LABELS, [1.0, 0.0]).get("unit ball").why == "some row is longer than 1"
    flat = mistake_bounds(CIRCLE, LABELS, [0.0, 0.0], 1.0)
    assert flat.get("unit ball").why == "w is zero: there is no plane"
    for row in mistake_bounds(CIRCLE, LABELS, [0.0, 0.0]):
        assert row.why == "the separator is the zero vector"
    for row in mistake_bounds(CIRCLE, LABELS, [1.0, 0.0], weighted=True):
        assert (row.applies, row.value) == (False, None)
        assert row.why == "the run used weights, decay or projections instead of unit steps"
    for row in mistake_bounds(CIRCLE, LABELS, [1.0, 0.0], from_zero=False):
        assert row.why == "the run did not start from w = 0"
    many = mistake_bounds(CIRCLE, LABELS, [1.0, 0.0], epochs=17)
    assert many.get("freund-schapire").one_pass and not many.get("freund-schapire, all passes").one_pass
    assert many.best is not None and not many.best.one_pass


def test_rows_of_norm_one_to_rounding_count_as_in_the_ball() -> None:
    X = np.random.default_rng(0).normal(size=(200, 7))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    y = X[:, 0] > 0
    for data in (X, X.astype(np.float32)):
        assert mistake_bounds(data, y, np.eye(7)[0]).get("unit ball").applies
    assert not mistake_bounds(X * (1 + 1e-9), y, np.eye(7)[0]).get("unit ball").applies


def test_rows_inside_the_unit_ball_have_its_bound_and_the_plane_cuts_the_ball() -> None:
    rows = np.array([[0.5, 0.0], [0.0, 0.3], [-0.2, -0.7]])  # z = 0.6, 0.4, -0.3 with w = (1, 1), b = 0.1
    inside = mistake_bounds(rows, [1, 1, -1], [1.0, 1.0], 0.1).get("unit ball")
    assert inside.formula == "4 / gamma^2" and inside.value == pytest.approx(4 / (0.4**2 / 2))
    scaled = mistake_bounds(rows, [1, 1, -1], [1.0, 1.0], 0.1, intercept_scaling=0.5, margin=1.0).get("unit ball")
    assert scaled.value == pytest.approx((2 * 1.25 + 4) / (0.4**2 / 2))


def test_the_table_prints_and_is_json() -> None:
    table = mistake_bounds(2 * CIRCLE, LABELS, [1.0, 0.0], mistakes=1234, epochs=2)
    text = str(table)
    assert text == repr(table)
    assert len(text.splitlines()) == len(table.rows) + 1
    assert "not applicable" in text
    assert "1,234" in text
    back = json.loads(json.dumps(table.to_dict(), allow_nan=False))
    assert back["bounds"][0]["value"] == table.get("novikoff").value
    assert back["best"] == "hinge loss, all passes"
    with pytest.raises(KeyError, match="no bound is called 'rosenblatt'"):
        table.get("rosenblatt")


@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(4, 30), st.booleans(), st.floats(0.01, 100.0))
def test_no_run_makes_more_mistakes_than_any_bound(seed: int, p: int, n: int, bias: bool, scale: float) -> None:
    rng = np.random.default_rng(seed)
    w, b = rng.normal(size=p), float(rng.normal()) * bias
    X = rng.normal(size=(n, p))
    z = X @ w + b
    X = (X + np.outer(np.sign(z) * 0.3, w / np.linalg.norm(w))) * scale
    b *= scale
    y = z > 0
    if y.all() or not y.any():
        return
    s = np.where(y, 1.0, -1.0)
    _, mistakes, clean = run_perceptron(X, s, bias, 20_000)
    table = mistake_bounds(X, y, w, b, fit_intercept=bias)
    covering = [row for row in table if row.applies and not row.one_pass]
    assert covering
    assert clean
    assert all(row.value is not None and mistakes <= row.value * (1 + 1e-9) for row in covering)
    noisy = s * rng.choice([1.0, 1.0, -1.0], n)
    if abs(noisy.sum()) < n:
        _, once, _ = run_perceptron(X, noisy, bias, 1)
        for row in mistake_bounds(X, noisy, w, b, fit_intercept=bias, epochs=1):
            assert not row.applies or (row.value is not None and once <= row.value * (1 + 1e-9))


def test_the_free_bound_is_above_the_best_margin() -> None:
    w, mistakes, clean = run_perceptron(CIRCLE, LABELS, True, 100)
    assert clean
    # The best homogeneous margin is at least that of (1, 0, 0.1): 0.7 / sqrt(1.01).
    assert margin_upper_bound(w[:2], w[2], mistakes) >= 0.7 / math.sqrt(1.01)
    with pytest.raises(DataError, match="without updates"):
        margin_upper_bound([0.0], 0.0, 0)


@pytest.mark.parametrize(
    ("ask", "why"),
    [
        (lambda: kernel_bounds([np.nan, 2.0], 1.0, 1.0, norm_w=1.0), "a margin is not a number"),
        (lambda: mistake_bounds(np.eye(2), [0, 1], [np.nan, 0.0]), "a margin is not a number"),
        (lambda: mistake_bounds(np.eye(2), [0, 1], [1.0, 0.0], np.nan), "a margin is not a number"),
        (lambda: class_bounds(np.eye(3), [0, 1, 2], np.eye(3) * np.nan), "a margin is not a number"),
        (lambda: class_bounds(np.eye(3), [0, 1, 2], np.ones((2, 3))), r"W \(2, 3\) and b \(3,\): need"),
        (lambda: class_bounds(np.eye(3), [0, 1, 2], np.eye(3), [1.0, 0, 0], fit_intercept=False), "has no intercept"),
        (lambda: class_bounds(np.eye(3), [0, 1, 2], np.eye(3), variant="pa3"), '"pa", "pa1" or "pa2", not \'pa3\''),
        (lambda: aggressive_bounds(np.eye(2), [0, 1], [1.0, 0.0], C=0.0), "C must be above 0"),
        (lambda: mistake_bounds(np.eye(2), [0, 1], [1.0, 0.0], margin=-1.0), "finite and at least 0"),
        (lambda: kernel_bounds([1.0], -1.0, 1.0, norm_w=1.0), "lengths are at least 0, not -1.0 and 1.0"),
        (lambda: mistake_bounds(np.eye(2), [0, 1], [-1.0, 1.0], epochs=0), "at least 1 pass, not 0"),
        (lambda: aggressive_bounds(np.eye(2), [0, 1], [-1.0, 1.0], epochs=-1), "at least 1 pass, not -1"),
    ],
)
def test_a_bound_is_about_a_run_and_numbers(ask: Callable[[], Any], why: str) -> None:
    with pytest.raises(DataError, match=why):
        ask()
