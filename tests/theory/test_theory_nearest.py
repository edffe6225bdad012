"""The best margin: closed forms, the bracket's own promise, and a table where simpler methods stall."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from linsep.theory.margin.geometry import geometric_margin, homogeneous_margin, signs
from linsep.theory.margin.max_margin import Bias, MarginBracket, max_margin
from linsep.theory.margin.nearest import exchanged, nearest_point
from linsep.theory.rows.deadline import Deadline
from linsep.types import Array, DataError

BIASES: list[Bias] = ["free", "homogeneous", None]


def checked(X: Array, y: Array, found: MarginBracket) -> None:
    """Both sides, computed again from the hyperplane and from the weights alone."""
    w, b = found.hyperplane
    measure = homogeneous_margin if found.bias == "homogeneous" else geometric_margin
    assert found.lower == pytest.approx(measure(X, y, w, b), rel=1e-6, abs=1e-12)
    assert found.bias is not None or b == 0
    s = signs(y)
    p = np.zeros(len(s))
    p[list(found.weights)] = list(found.weights.values())
    assert (p >= 0).all()
    if found.bias == "free":
        assert p[s > 0].sum() == pytest.approx(0.5)
        assert p[s < 0].sum() == pytest.approx(0.5)
    assert p.sum() == pytest.approx(1.0)
    Z = np.column_stack([X, np.ones(len(s))]) if found.bias == "homogeneous" else X
    assert found.upper == pytest.approx(np.linalg.norm((p * s) @ Z), rel=1e-6, abs=1e-12)


def test_closed_forms() -> None:
    X, y = np.array([[0.0, 3.0], [2.0, 3.0], [2.0, -1.0]]), np.array([0, 1, 1])
    assert max_margin(X, y).lower == pytest.approx(1.0)
    # Signed rows on a line at distance d from 0: (1, 1), (2, 1), and -(-1, 1) = (1, -1): nearest is (1, 0).
    line = max_margin(np.array([[1.0], [2.0], [-1.0]]), np.array([1, 1, 0]), bias="homogeneous")
    assert (line.lower, line.upper) == pytest.approx((1.0, 1.0))
    two = max_margin(np.array([[3.0, 4.0], [-3.0, -4.0]]), np.array([1, 0]), bias=None)
    assert two.upper == pytest.approx(5.0)


@pytest.mark.parametrize("bias", BIASES)
def test_breast_cancer_closes_where_it_can(bias: Bias) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    found = max_margin(X, y, bias=bias)
    checked(X, y, found)
    if bias is None:  # without an intercept this table has no separator
        assert found.lower <= 0
        assert found.upper < 1e-12
        return
    assert 0 < found.lower <= found.upper <= found.lower * (1 + 1e-6)
    assert found.lower == pytest.approx({"free": 0.00139984681, "homogeneous": 0.00139251727}[bias], rel=1e-6)
    sparse = max_margin(scipy.sparse.csr_matrix(X), y, bias=bias)
    assert sparse.lower == pytest.approx(found.lower, rel=1e-6)


@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(2, 40), st.sampled_from(BIASES), st.booleans())
def test_the_bracket_holds_on_random_rows(seed: int, p: int, n: int, bias: Bias, whole: bool) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, (n, p)).astype(float) if whole else rng.normal(size=(n, p))
    y = rng.random(n) < 0.5
    y[:2] = [True, False]
    found = max_margin(X, y, bias=bias)
    checked(X, y, found)
    assert found.lower <= found.upper * (1 + 1e-12) + 1e-12
    if found.lower > 1e-9:
        assert found.upper - found.lower <= 1e-6 * found.upper
    else:
        assert found.upper < 1e-6


def test_an_inseparable_table_is_told_as_such() -> None:
    found = max_margin(np.array([[-1.0], [0.0], [1.0]]), np.array([0, 1, 0]))
    assert found.lower <= 0
    assert found.upper == pytest.approx(0.0, abs=1e-15)


def test_bad_input_is_refused() -> None:
    X, y = np.array([[0.0], [1.0]]), np.array([0, 1])
    with pytest.raises(ValueError, match="bias must be"):
        max_margin(X, y, bias="some")  # type: ignore[arg-type]
    with pytest.raises(DataError, match=r"row 1 .counted from 0., column 0: nan is not a finite number"):
        max_margin(np.array([[0.0], [np.nan]]), y)
    with pytest.raises(DataError, match="two classes"):
        max_margin(X, np.array([1, 1]))


class Points:
    def __init__(self, P: Array) -> None:
        self.P = P

    def lowest(self, v: Array) -> tuple[float, int]:
        z = self.P @ v
        return float(z.min()), int(z.argmin())

    def point(self, key: int) -> Array:
        return np.asarray(self.P[key])


@pytest.mark.parametrize("distance", [1.0, 1e-3, 1e-6, 1e-9])
def test_the_nearest_point_of_a_simplex_seen_from_close_by(distance: float) -> None:
    # The simplex of the unit vectors, moved so that 0 is `distance` from its middle: v = distance (1,..,1)/sqrt(d).
    d = 12
    P = np.eye(d) - 1 / d + distance / np.sqrt(d)
    found = nearest_point(Points(P), 0, tol=1e-6)
    assert found.upper == pytest.approx(distance, rel=1e-6)
    assert found.weights == pytest.approx(np.full(d, 1 / d), rel=1e-6)
    assert found.why == "converged"


def test_limits_are_told() -> None:
    P = np.random.default_rng(0).normal(size=(500, 20))
    assert nearest_point(Points(P), 0, tol=1e-9, deadline=Deadline(0.0)).why == "deadline"
    assert nearest_point(Points(P), 0, tol=1e-9, max_steps=3).why == "steps"


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(4, 400), st.sampled_from(BIASES), st.booleans())
def test_exchange_of_weight_finds_the_same_margin(seed: int, p: int, n: int, bias: Bias, sparse: bool) -> None:
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(n, p)), rng.normal(size=p)
    s = np.where(X @ w > 0, 1.0, -1.0)
    s[:2] = [1.0, -1.0]
    X += 0.1 * np.outer(s, w) / np.linalg.norm(w)
    if not ((X @ w) * s > 0).all():
        return
    rows = scipy.sparse.csr_matrix(X) if sparse else X
    found = exchanged(rows, s, constant=bias == "homogeneous", free=bias == "free", tol=1e-5)
    assert found is not None
    best = max_margin(X, s, bias=bias, tol=1e-9)
    half = 0.5 if bias == "free" else 1.0
    assert half * found.lower <= best.upper * (1 + 1e-9)
    assert half * found.upper >= best.lower * (1 - 1e-9)
    assert found.upper - found.lower <= 1e-5 * found.upper
    assert (found.weights >= 0).all()
    total = (found.weights * s[found.ids]) @ np.column_stack([X, np.ones(n)])[found.ids]
    assert found.upper == pytest.approx(np.linalg.norm(total if bias == "homogeneous" else total[:-1]))


def test_a_large_table_has_its_bracket_by_exchange(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, int]] = []

    def seen(X: Any, *arguments: Any, **options: Any) -> Any:
        asked.append(X.shape)
        return exchanged(X, *arguments, **options)

    monkeypatch.setattr("linsep.theory.margin.max_margin.exchanged", seen)
    monkeypatch.setattr("linsep.theory.margin.max_margin._MANY", 20_000)
    monkeypatch.setattr("linsep.theory.margin.max_margin._WIDE", 20)
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(2_000, 20)), rng.normal(size=20)
    X, y = X[np.abs(X @ w) > 0.5], (X @ w > 0)[np.abs(X @ w) > 0.5]
    for bias in BIASES:
        found = max_margin(X, y, bias=bias, tol=1e-5)
        checked(X, y, found)
        assert 0 < found.lower <= found.upper <= found.lower * (1 + 2e-5)
    assert asked == [X.shape] * 3
    y[:200] = ~y[:200]
    assert max_margin(X, y).lower <= 0
    # Of narrow tables Wolfe's algorithm is the faster one, however many rows there are.
    asked.clear()
    checked(X[:, :19], y, max_margin(X[:, :19], y))
    assert not asked
