"""Kernel perceptrons on a budget: their twin, their bound, flat memory, chunks, state, bad input."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import naive
from linsep import load, save
from linsep.learners import KernelPerceptron, Perceptron
from linsep.theory.bounds.kernel import kernel_bounds, projection_bound
from linsep.types import Array, DataError

pytestmark = pytest.mark.usefixtures("small_blocks")


def on_sphere(seed: int, n: int = 120, p: int = 4, noise: float = 0.1) -> tuple[Array, Array, Array]:
    """Unit rows, noisy signs of x1 x2, and the values x1 x2: no hyperplane does this, ((1 + x.y) / 2)^2 does."""
    rng = np.random.RandomState(seed)
    X = rng.randn(n, p)
    X /= np.linalg.norm(X, axis=1)[:, None]
    value = X[:, 0] * X[:, 1]
    return X, np.where(value + noise * rng.randn(n) > 0, 1, -1), value


def unit_kernel(**parameters: Any) -> KernelPerceptron:
    """k(x, x) = 1 on the sphere: the square of (1 + x.y) / 2."""
    return KernelPerceptron("poly", degree=2, gamma=0.5, coef0=0.5, shuffle=False, **parameters)


def separators(value: Array, y: Array) -> list[tuple[float, float]]:
    """(norm, sum of hinge losses) of g = a x1 x2, for several a: in that kernel's space its norm is a sqrt(2)."""
    return [
        (a * math.sqrt(2.0), float(np.maximum(0.0, 1.0 - y * a * value).sum()))
        for a in (0.01, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
    ]


def test_the_norm_of_g_is_right() -> None:
    # g = sum_j a_j k(x_j, .) has norm^2 a'Ka; points +-e1, +-e2 combinations give x1 x2 exactly.
    u = np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]]) / math.sqrt(2)
    a = np.array([1.0, 1.0, -1.0, -1.0])
    K = ((1 + u @ u.T) / 2) ** 2
    x = np.random.RandomState(0).randn(5, 2)
    np.testing.assert_allclose(((1 + x @ u.T) / 2) ** 2 @ a, x[:, 0] * x[:, 1])
    assert a @ K @ a == pytest.approx(2.0)


# ------------------------------------------------------------------------- twin
@given(st.integers(0, 10**6), st.one_of(st.integers(1, 20), st.just(150)), st.booleans())
def test_equals_its_twin(seed: int, budget: int, as_sparse: bool) -> None:
    X, y, _ = on_sphere(seed, p=12)
    K = ((1 + X @ X.T) / 2) ** 2
    learner = unit_kernel(budget=budget).fit(sp.csr_matrix(X) if as_sparse else X, y)
    twin = naive.projectron(K, y, budget)
    assert learner.n_mistakes_ == len(twin.mistakes)
    assert learner.support_.tolist() == twin.kept
    np.testing.assert_allclose(learner.dual_coef_[0], twin.a, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(learner.decision_function(X), K[:, twin.kept] @ twin.a, rtol=1e-6, atol=1e-6)
    assert learner.norm2_[0] == pytest.approx(twin.a @ K[np.ix_(twin.kept, twin.kept)] @ twin.a, rel=1e-6, abs=1e-6)


def test_a_basis_is_kept_and_nothing_is_lost() -> None:
    # In p dimensions p rows span everything: their projections are the rows themselves.
    X = np.random.RandomState(0).randn(300, 3)
    y = np.random.RandomState(1).randint(0, 2, 300)
    learner = KernelPerceptron("linear", shuffle=False, budget=3).fit(X, y)
    with pytest.warns(match="stopped after 1 epochs"):
        plain = Perceptron(fit_intercept=False, max_iter=1).fit(X, y)
    assert len(learner.support_) == 3
    np.testing.assert_allclose(learner.coef_, plain.coef_, atol=1e-9)
    assert learner.n_mistakes_ == plain.n_mistakes_


# ----------------------------------------------------------------------- bounds
@given(st.integers(0, 10**6), st.one_of(st.none(), st.integers(1, 100)), st.floats(0.0, 0.5))
def test_no_run_makes_more_mistakes_than_its_bound(seed: int, budget: int | None, noise: float) -> None:
    X, y, value = on_sphere(seed, n=300, noise=noise)
    learner = unit_kernel(random_state=seed, budget=budget).fit(X, y)
    for norm, loss in separators(value, y):
        assert learner.n_mistakes_ <= learner.mistake_bound(norm, loss)[0] + 1e-6


@given(st.integers(0, 10**6), st.integers(1, 4), st.sampled_from([0.0, 0.3]))
def test_no_run_of_all_rows_makes_more_than_each_bound_at_two_functions(seed: int, epochs: int, noise: float) -> None:
    X, y, value = on_sphere(seed, noise=noise)
    learner = unit_kernel(max_iter=epochs).fit(X, y)
    norm_w = math.sqrt(learner.norm2_[0])
    run: Any = {"norm_w": norm_w, "epochs": learner.n_iter_}
    for margins, norm in ((y * value, math.sqrt(2.0)), (y * learner.decision_function(X), norm_w)):
        for bound in kernel_bounds(margins, norm, 1.0, **run):
            made = learner.trace_.mistakes[0] if bound.one_pass else learner.n_mistakes_
            assert bound.value is None or made <= bound.value + 1e-6, bound
        # The least over c: no other one does better, and the tried one is `projection_bound`.
        least = kernel_bounds(margins, norm, 1.0, **run).get("this run").value
        for c in [0.0, 0.1, 1.0, 3.0, *(1 / margins[margins > 1e-3][:9])]:
            loss = learner.n_iter_ * np.maximum(0.0, 1.0 - c * margins).sum()
            assert least is not None
            assert least <= projection_bound(c * norm, loss, norm_w=norm_w) * (1 + 1e-9)


def test_bounds_by_hand() -> None:
    table = kernel_bounds([2.0, -1.0, 4.0], norm=1.0, R=2.0, norm_w=3.0, epochs=2, mistakes=5)
    assert not table.get("novikoff").applies
    # At c = 0, 1/4 and 1/2: 2 * 3; 2 (1/2 + 5/4) + 3/4; 2 * 3/2 + 3/2.
    assert table.get("this run").value == 4.25
    assert kernel_bounds([2.0, 4.0], norm=1.0, R=2.0, norm_w=3.0).get("novikoff").value == 1.0
    zero = kernel_bounds([0.0, 0.0], norm=0.0, R=2.0, norm_w=0.0)
    assert (zero.get("this run").value, zero.get("novikoff").applies) == (2.0, False)
    with pytest.raises(DataError, match="no examples"):
        kernel_bounds([], norm=1.0, R=2.0, norm_w=3.0)
    assert projection_bound(2.0, 1.0, norm_w=3.0, distance=0.5) == 1 + 2 * 3.5
    for wrong in ((-1.0, 0.0), (1.0, -1.0), (math.nan, 0.0)):
        with pytest.raises(DataError, match="at least 0"):
            projection_bound(*wrong, norm_w=1.0)


# ------------------------------------------------------------- memory, chunks, state
@pytest.mark.parametrize("n_classes", [2, 3])
def test_memory_is_flat_for_ever(n_classes: int) -> None:
    rng = np.random.RandomState(0)
    learner = unit_kernel(budget=10)
    sizes = []
    for _ in range(60):
        X = rng.randn(50, 15)
        X /= np.linalg.norm(X, axis=1)[:, None]
        learner.partial_fit(X, rng.randint(0, n_classes, 50), classes=np.arange(n_classes))
        _, arrays = learner.get_state()
        sizes.append(sum(array.nbytes for array in arrays.values()))
        # All there is: no attribute grows beside the state.
        assert sum(getattr(value, "nbytes", 0) for value in vars(learner).values()) < 1000
    assert learner.n_mistakes_ > 500
    assert len(set(sizes[10:])) == 1
    assert len(learner.support_) == 10 * (1 if n_classes == 2 else 3)


@pytest.mark.parametrize("as_sparse", [False, True])
def test_chunks_and_saving_change_nothing(as_sparse: bool, tmp_path: Path) -> None:
    X, y, _ = on_sphere(5, n=200, p=10)
    rows = sp.csr_matrix(X) if as_sparse else X
    whole = unit_kernel(budget=12).fit(rows, y)
    chunked = clone(whole)
    for part in np.split(np.arange(200), [1, 30, 100, 107]):
        chunked.partial_fit(rows[part], y[part], classes=[-1, 1])
        save(chunked, tmp_path / "m")
        chunked = load(tmp_path / "m")
    assert chunked.n_mistakes_ == whole.n_mistakes_
    np.testing.assert_array_equal(chunked.support_, whole.support_)
    np.testing.assert_allclose(chunked.dual_coef_, whole.dual_coef_, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(chunked.mistake_bound(1.0, 2.0), whole.mistake_bound(1.0, 2.0), rtol=1e-7)


def test_an_error_leaves_everything_as_it_was() -> None:
    X, y, _ = on_sphere(1)
    learner = unit_kernel(budget=90).fit(X, y)
    before, bound = learner.decision_function(X), learner.mistake_bound(1.0, 2.0)
    same = clone(learner).fit(X, y)
    bad = X.copy()
    bad[-1] = 1e100
    with pytest.raises(DataError, match="too large for numbers"):
        learner.partial_fit(bad, y)
    np.testing.assert_array_equal(learner.decision_function(X), before)
    np.testing.assert_array_equal(learner.mistake_bound(1.0, 2.0), bound)
    np.testing.assert_array_equal(learner.partial_fit(X, y).dual_coef_, same.partial_fit(X, y).dual_coef_)


# ---------------------------------------------------------------------- bad input


def test_what_a_budget_has_not() -> None:
    X, y, _ = on_sphere(0)
    learner = KernelPerceptron(budget=84)
    with pytest.raises(DataError, match="give no sample_weight"):
        learner.fit(X, y, np.full(len(y), 2.0))
    with pytest.raises(DataError, match="keeps no record of its mistakes"):
        learner.fit(X, y).survival_counts()


@pytest.mark.parametrize("size", [0.0, 1e-170, 1e-155])
def test_rows_of_zeros_or_nearly_are_learnt(size: float) -> None:
    X, y = np.full((30, 2), size), np.arange(30) % 2
    model = KernelPerceptron("linear", budget=4).fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()


def test_a_mean_that_a_budget_has_not_kept_is_refused() -> None:
    X, y = np.random.default_rng(0).normal(size=(60, 2)), np.arange(60) % 2
    learner = KernelPerceptron("rbf", budget=5, max_iter=2).fit(X, y)
    for average in ("averaged", "voted"):
        with pytest.raises(ValueError, match="needs every row ever mistaken"):
            learner.set_params(average=average).predict(X)
