"""The rest of the perceptron family: twins, theorems, several classes, scikit-learn's contract."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits, load_iris

import naive
from linsep.learners import (
    AveragedPerceptron,
    MarginPerceptron,
    PassiveAggressive,
    Perceptron,
    Rocchio,
    VotedPerceptron,
)

quietly = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

DEFAULTS = [AveragedPerceptron(), MarginPerceptron(), PassiveAggressive(), Rocchio(), VotedPerceptron()]
LEARNERS = [
    *DEFAULTS,
    PassiveAggressive(variant="pa"),
    PassiveAggressive(variant="pa2", multi_class="multiclass"),
    Perceptron(multi_class="multiclass"),
]


def make_learner(rule: str, C: float, **parameters: Any) -> Any:
    if rule == "margin":
        return MarginPerceptron(margin=C, shuffle=False, **parameters)
    return PassiveAggressive(variant=rule, C=C, shuffle=False, **parameters)


def random_table(seed: int, n: int = 40, p: int = 4, n_classes: int = 2) -> tuple[Any, Any]:
    rng = np.random.RandomState(seed)
    y = rng.randint(0, n_classes, n)
    y[:n_classes] = np.arange(n_classes)
    return rng.randn(n, p), y


rules = st.sampled_from(["margin", "pa", "pa1", "pa2"])


@quietly
@settings(max_examples=100, deadline=None)
@given(rules, st.floats(0.01, 10), st.integers(0, 10**6))
def test_step_rules_equal_their_twins(rule: str, C: float, seed: int) -> None:
    X, y = random_table(seed)
    stored = naive.vectors(X, 2 * y - 1, np.tile(np.arange(40), 3), rule, C)
    learner = make_learner(rule, C, max_iter=3).fit(X, y)
    if learner.n_iter_ == 3:
        got = np.append(learner.coef_[0], learner.intercept_)
        np.testing.assert_allclose(got, stored[-1], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("variant", ["pa", "pa1", "pa2"])
@pytest.mark.parametrize("seed", range(5))
def test_pa_solves_its_quadratic_program(variant: str, seed: int) -> None:
    rng = np.random.RandomState(seed)
    X, w0, C = rng.randn(1, 3), rng.randn(3), 0.3
    learner = PassiveAggressive(variant=variant, C=C, fit_intercept=False).partial_fit(X, [1], classes=[0, 1])
    learner.coef_[0] = w0
    learner.partial_fit(X, [1])

    def objective(v: Any) -> float:
        loss = max(0.0, 1 - v @ X[0])
        cost = {"pa": 1e6 * loss, "pa1": C * loss, "pa2": C * loss**2}[variant]
        return float(0.5 * ((v - w0) ** 2).sum() + cost)

    best = objective(learner.coef_[0])
    for scale in (1e-4, 1e-2, 1.0):  # no neighbour and no far point does better
        for _ in range(50):
            assert objective(learner.coef_[0] + scale * rng.randn(3)) >= best - 1e-9
    along = scipy.optimize.minimize_scalar(lambda t: objective(w0 + t * X[0]), bounds=(-50, 50), method="bounded")
    assert best <= along.fun + 1e-4


# -------------------------------------------------------------------- averaged
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 4))
def test_averaged_is_the_mean_of_the_stored_vectors(seed: int, epochs: int) -> None:
    X, y = random_table(seed)
    stored = naive.vectors(X, 2 * y - 1, np.tile(np.arange(40), epochs), "margin", 0.0)
    learner = AveragedPerceptron(max_iter=epochs, shuffle=False).fit(X, y)
    if learner.n_iter_ == epochs:
        got = np.append(learner.coef_[0], learner.intercept_)
        np.testing.assert_allclose(got, stored.mean(axis=0), rtol=1e-10, atol=1e-10)
        last = np.append(learner.last_coef_[0], learner.last_intercept_)
        np.testing.assert_allclose(last, stored[-1], rtol=1e-10, atol=1e-10)


def test_averaged_accumulates_in_float64_and_keeps_w_in_float32() -> None:
    X, y = random_table(0)
    learner = AveragedPerceptron().fit(X.astype(np.float32), y)
    assert learner.last_coef_.dtype == np.float32
    assert learner.coef_.dtype == np.float64
    assert AveragedPerceptron(which="last").fit(X.astype(np.float32), y).coef_.dtype == np.float32


# ----------------------------------------------------------------------- voted
def votes_by_brute_force(V: Any, X: Any) -> Any:
    """Every stored vector votes once for each row it was there after; ties go to the positive side."""
    return np.where(np.column_stack([X, np.ones(len(X))]) @ V.T >= 0, 1, -1).mean(axis=1)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 3), st.booleans())
def test_voted_equals_brute_force_over_the_stored_vectors(seed: int, epochs: int, as_sparse: bool) -> None:
    X, y = random_table(seed)
    learner = VotedPerceptron(max_iter=epochs, shuffle=False).fit(sp.csr_matrix(X) if as_sparse else X, y)
    V = naive.vectors(X, 2 * y - 1, np.tile(np.arange(40), learner.n_iter_), "margin", 0.0)
    new = np.random.RandomState(seed).randn(20, 4)
    np.testing.assert_allclose(learner.decision_function(new), votes_by_brute_force(V, new))
    assert learner.survival_counts()[0].sum() == learner.n_iter_ * 40
    np.testing.assert_allclose(np.append(learner.coef_[0], learner.intercept_), V[-1], atol=1e-9)


@pytest.mark.parametrize("multi_class", ["ovr", "multiclass"])
def test_voted_of_several_classes(multi_class: str) -> None:
    X, y = load_iris(return_X_y=True)
    learner = VotedPerceptron(max_iter=20, multi_class=multi_class, random_state=0).fit(X, y)
    assert all(counts.sum() == learner.n_iter_ * 150 for counts in learner.survival_counts())
    assert learner.score(X, y) > 0.9
    if multi_class == "ovr":
        for k in range(3):
            alone = VotedPerceptron(max_iter=20, random_state=0).fit(X, y == k)
            if alone.n_iter_ == learner.n_iter_:
                np.testing.assert_array_equal(learner.decision_function(X)[:, k], alone.decision_function(X))
    else:
        np.testing.assert_allclose(learner.decision_function(X).sum(axis=1), 1.0)


def test_voted_holds_the_mistaken_rows_and_one_block_of_scores() -> None:
    rng = np.random.RandomState(0)
    X, y = rng.randn(3000, 200), rng.randint(0, 2, 3000)
    learner = VotedPerceptron(random_state=0).fit(X, y)
    assert len(learner.mistaken_rows_) <= learner.n_updates_
    learner.decision_function(X[:10])  # compiled and warm
    new = rng.randn(40_000, 200)
    tracemalloc.start()
    learner.decision_function(new)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    all_scores = 8 * len(new) * len(learner.mistaken_rows_)
    assert peak < 3 * 8 * (1 << 24) < all_scores


# --------------------------------------------------------------------- Rocchio
@pytest.mark.parametrize("n_classes", [2, 4])
def test_rocchio_is_the_difference_of_means(n_classes: int) -> None:
    X, y = random_table(1, n_classes=n_classes)
    learner = Rocchio().fit(X, y)
    for k, (w, b) in enumerate(zip(learner.coef_, learner.intercept_, strict=True)):
        own = y == (1 if n_classes == 2 else k)
        u, v = X[own].mean(axis=0), X[~own].mean(axis=0)
        np.testing.assert_allclose(w, u - v, atol=1e-12)
        np.testing.assert_allclose(b, -(u - v) @ (u + v) / 2, atol=1e-12)


def test_rocchio_may_fail_on_separable_rows() -> None:
    X, y = np.array([[-1.0], [0.0], [10.0]]), [0, 1, 1]
    assert Rocchio().fit(X, y).score(X, y) < 1
    assert Perceptron().fit(X, y).score(X, y) == 1


# ------------------------------------------------------------- several classes
@quietly
@pytest.mark.parametrize("as_sparse", [False, True])
@pytest.mark.parametrize("n_rows", [60, 61, 63])
def test_one_vs_rest_equals_each_class_alone(as_sparse: bool, n_rows: int) -> None:
    X, y = load_digits(return_X_y=True)
    X, y = X[:n_rows], y[:n_rows]
    rows = sp.csr_matrix(X) if as_sparse else X
    for learner in (Perceptron(max_iter=3), AveragedPerceptron(max_iter=3, shuffle=False)):
        together = learner.fit(rows, y)
        for k in range(10):
            W = together.coef_[k].copy(), together.intercept_[k].copy()
            alone = sklearn.clone(learner).fit(rows, y == k)
            if alone.n_iter_ == together.n_iter_:
                np.testing.assert_array_equal(W[0], alone.coef_[0])
                np.testing.assert_array_equal(W[1], alone.intercept_[0])


@quietly
@pytest.mark.parametrize("seed", range(5))
def test_multiclass_equals_its_twin_and_its_bound(seed: int) -> None:
    rng = np.random.RandomState(seed)
    X, y = rng.randint(-4, 5, (50, 3)).astype(float), rng.randint(0, 4, 50)
    y[:4] = range(4)
    W, mistakes = naive.multiclass(X, y, 4, 5)
    learner = Perceptron(multi_class="multiclass", max_iter=5).fit(X, y)
    np.testing.assert_array_equal(learner.coef_, W[:, :-1])
    assert learner.n_mistakes_ == mistakes


def test_multiclass_mistake_bound() -> None:
    rng = np.random.RandomState(0)
    star = rng.randn(4, 6)
    star /= np.linalg.norm(star)
    X = rng.randn(400, 6)
    z = np.sort(X @ star.T, axis=1)
    keep = z[:, -1] - z[:, -2] > 0.2
    X, y, gamma = X[keep], (X @ star.T).argmax(axis=1)[keep], (z[:, -1] - z[:, -2])[keep].min()
    learner = Perceptron(multi_class="multiclass", max_iter=None, fit_intercept=False).fit(X, y)
    assert learner.stop_reason_ == "clean pass"
    assert learner.n_mistakes_ <= 2 * (X**2).sum(axis=1).max() / gamma**2


@quietly
@settings(max_examples=40, deadline=None)
@given(st.sampled_from(range(len(LEARNERS))), st.integers(0, 10**6), st.sampled_from([2, 5]), st.booleans())
def test_chunks_of_any_size_agree_to_the_bit(which: int, seed: int, n_classes: int, as_sparse: bool) -> None:
    X, y = random_table(seed, n_classes=n_classes)
    rows = sp.csr_matrix(X) if as_sparse else X
    rng = np.random.RandomState(seed)
    one_epoch = {} if isinstance(LEARNERS[which], Rocchio) else {"shuffle": False, "max_iter": 1}
    whole = sklearn.clone(LEARNERS[which]).set_params(**one_epoch).fit(rows, y)
    chunked = sklearn.clone(LEARNERS[which])
    for part in np.split(np.arange(40), np.sort(rng.choice(np.arange(1, 40), rng.randint(0, 39), replace=False))):
        chunked.partial_fit(rows[part], y[part], classes=np.arange(n_classes))
    np.testing.assert_array_equal(whole.coef_, chunked.coef_)
    np.testing.assert_array_equal(whole.intercept_, chunked.intercept_)
    np.testing.assert_array_equal(whole.decision_function(X), chunked.decision_function(X))


def test_labels_of_any_type_and_accuracy_on_iris() -> None:
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    for multi_class in ("ovr", "multiclass"):
        learner = AveragedPerceptron(multi_class=multi_class, max_iter=100, random_state=0).fit(X, names)
        assert learner.decision_function(X).shape == (150, 3)
        assert learner.score(X, names) > 0.9


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        (MarginPerceptron(margin=-1.0), "margin"),
        (PassiveAggressive(variant="pa3"), '"pa", "pa1" or "pa2"'),
        (PassiveAggressive(C=0.0), "C must be above 0"),
        (AveragedPerceptron(which="best"), '"averaged" or "last"'),
        (AveragedPerceptron(multi_class="ovo"), '"ovr" or "multiclass"'),
    ],
)
def test_bad_parameters(learner: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        learner.fit([[1.0], [2.0]], [0, 1])
