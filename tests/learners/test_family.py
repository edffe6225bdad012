"""The rest of the perceptron family: twins, theorems, several classes, scikit-learn's contract."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_digits, load_iris
from sklearn.neighbors import NearestCentroid

import naive
from linsep.learners import (
    AveragedPerceptron,
    KernelPerceptron,
    MarginPerceptron,
    PassiveAggressive,
    Perceptron,
    Rocchio,
    SGDClassifier,
    VotedPerceptron,
)

quietly = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

LEARNERS = [
    AveragedPerceptron(intercept_scaling=0.3),
    PassiveAggressive(),
    Perceptron(multi_class="multiclass"),
    Rocchio(),
    VotedPerceptron(),
    MarginPerceptron(average=True),
    SGDClassifier("logistic", projection_radius=0.7, eta0=0.2),
]


def make_learner(rule: str, C: float, **parameters: Any) -> Any:
    if rule == "perceptron":
        return Perceptron(**parameters)
    if rule == "margin":
        return MarginPerceptron(margin=C, shuffle=False, **parameters)
    return PassiveAggressive(variant=rule, C=C, shuffle=False, **parameters)


def random_table(seed: int, n: int = 40, p: int = 4, n_classes: int = 2) -> tuple[Any, Any]:
    rng = np.random.RandomState(seed)
    y = rng.randint(0, n_classes, n)
    y[:n_classes] = np.arange(n_classes)
    return rng.randn(n, p), y


def few_rows(seed: int, *, separable: bool) -> tuple[Any, Any]:
    """40 rows of whole numbers, so that sums are exact; with a plane between the classes or with labels at random."""
    X, y = random_table(seed)
    X = np.round(5 * X)
    y = (X @ [1.0, -2.0, 1.0, 0.5] > 1).astype(int) if separable else y
    y[:2] = y[:2] if y.min() < y.max() else [0, 1]
    return X, y


rules = st.sampled_from(["perceptron", "margin", "pa", "pa1", "pa2"])


def naive_rule(rule: str, C: float) -> tuple[str, float]:
    """The step of a perceptron is that of margin 0."""
    return ("margin", 0.0) if rule == "perceptron" else (rule, C)


@quietly
@given(rules, st.floats(0.01, 10), st.integers(0, 10**6))
def test_step_rules_equal_their_twins(rule: str, C: float, seed: int) -> None:
    X, y = random_table(seed)
    stored = naive.vectors(X, 2 * y - 1, np.tile(np.arange(40), 3), *naive_rule(rule, C))
    learner = make_learner(rule, C, max_iter=3).fit(X, y)
    if learner.n_iter_ == 3:
        got = np.append(learner.coef_[0], learner.intercept_)
        np.testing.assert_allclose(got, stored[-1], rtol=1e-9, atol=1e-9)


# -------------------------------------------------------------------- averaged
@given(st.integers(0, 10**6), st.integers(1, 12), st.booleans())
def test_averaged_is_the_mean_of_the_stored_vectors_of_all_epochs(seed: int, epochs: int, separable: bool) -> None:
    X, y = few_rows(seed, separable=separable)
    stored = naive.vectors(X, 2 * y - 1, np.tile(np.arange(40), epochs), "margin", 0.0)
    learner = AveragedPerceptron(max_iter=epochs, shuffle=False).fit(X, y)
    assert learner.t_ == epochs * 40
    got = np.append(learner.coef_[0], learner.intercept_)
    np.testing.assert_allclose(got, stored.mean(axis=0), rtol=1e-10, atol=1e-10)
    last = np.append(learner.last_coef_[0], learner.last_intercept_)
    np.testing.assert_allclose(last, stored[-1], rtol=1e-10, atol=1e-10)


MANY_VECTORS = [
    AveragedPerceptron(shuffle=False),
    VotedPerceptron(shuffle=False),
    KernelPerceptron("linear", average="averaged", shuffle=False),
    KernelPerceptron("linear", average="voted", shuffle=False),
]


@pytest.mark.parametrize("learner", MANY_VECTORS, ids=repr)
def test_epochs_after_a_clean_pass_count_without_being_made(learner: Any) -> None:
    X, y = few_rows(1, separable=True)
    made, counted = sklearn.clone(learner), sklearn.clone(learner)
    made.set_params(max_iter=None).fit(X, y)
    counted.set_params(max_iter=made.n_iter_ + 7).fit(X, y)
    for run in (made, counted):
        assert run.stop_reason_ == "clean pass" and run.trace_.total_epochs == run.n_iter_ == made.n_iter_ > 2
    assert (made.t_, counted.t_) == (made.n_iter_ * 40, (made.n_iter_ + 7) * 40)
    assert not np.array_equal(made.decision_function(X), counted.decision_function(X))
    # Passes after the clean one, made one by one, change nothing else.
    for _ in range(7):
        made.partial_fit(X, y)
    np.testing.assert_allclose(made.decision_function(X), counted.decision_function(X), rtol=1e-12)
    # A count that a file could not hold is cut.
    assert counted.set_params(max_iter=2**52).fit(X, y).t_ == 2**53


def test_every_pass_counts() -> None:
    learner = VotedPerceptron(max_iter=50, fit_intercept=False).fit([[1.0], [0.0], [-1.0]], [1, 1, 0])
    assert learner.stop_reason_ == "epoch budget" and learner.n_iter_ == 50
    assert learner.survival_counts()[0].sum() == 150
    stopped = VotedPerceptron(max_iter=50, time_limit=1e-9, shuffle=False).fit([[1.0], [2.0], [-1.0]], [1, 0, 0])
    assert (stopped.stop_reason_, stopped.t_) == ("time budget", 3)


def test_which_vector_predicts_may_be_changed_after_training() -> None:
    X, y = random_table(3)
    learner, last = AveragedPerceptron(random_state=0).fit(X, y), AveragedPerceptron(average="last", random_state=0)
    mean = learner.coef_.copy()
    np.testing.assert_array_equal(learner.set_params(average="last").coef_, last.fit(X, y).coef_)
    np.testing.assert_array_equal(learner.predict(X), last.predict(X))
    assert learner.predict_one(X[0]) == last.predict_one(X[0])
    np.testing.assert_array_equal(learner.set_params(average="averaged").coef_, mean)


@pytest.mark.parametrize("learner", [AveragedPerceptron(), VotedPerceptron(max_iter=20)])
def test_a_class_that_is_clean_early_goes_on_counting(learner: Any) -> None:
    X, y = load_iris(return_X_y=True)
    X = np.round(10 * X)  # whole numbers: sums are exact in any order
    together = sklearn.clone(learner).set_params(shuffle=False).fit(X, y)
    early = Perceptron().fit(X, y == 0)
    assert early.stop_reason_ == "clean pass" and early.n_iter_ < together.n_iter_
    for k in range(3):
        alone = sklearn.clone(learner)
        for _ in range(together.n_iter_):  # unlike fit it does not stop at a clean pass
            alone.partial_fit(X, y == k, classes=[False, True])
        np.testing.assert_array_equal(together.coef_[k], alone.coef_[0])
        z = together.decision_function(X)[:, k]
        np.testing.assert_allclose(z, alone.decision_function(X), rtol=1e-12)


def test_averaged_accumulates_in_float64_and_keeps_w_in_float32() -> None:
    X, y = random_table(0)
    learner = AveragedPerceptron().fit(X.astype(np.float32), y)
    assert learner.last_coef_.dtype == np.float32
    assert learner.coef_.dtype == np.float64
    assert AveragedPerceptron(average="last").fit(X.astype(np.float32), y).coef_.dtype == np.float32


# ----------------------------------------------------------------------- voted
def votes_by_brute_force(V: Any, X: Any) -> Any:
    """Every stored vector votes once for each row it was there after; ties go to the positive side."""
    return np.where(np.column_stack([X, np.ones(len(X))]) @ V.T >= 0, 1, -1).mean(axis=1)


@given(st.integers(0, 10**6), st.integers(1, 12), st.booleans(), st.booleans())
def test_voted_equals_brute_force_over_the_stored_vectors_of_all_epochs(
    seed: int, epochs: int, as_sparse: bool, separable: bool
) -> None:
    X, y = few_rows(seed, separable=separable)
    learner = VotedPerceptron(max_iter=epochs, shuffle=False).fit(sp.csr_matrix(X) if as_sparse else X, y)
    V = naive.vectors(X, 2 * y - 1, np.tile(np.arange(40), epochs), "margin", 0.0)
    new = np.random.RandomState(seed).randn(20, 4)
    np.testing.assert_allclose(learner.decision_function(new), votes_by_brute_force(V, new))
    assert learner.survival_counts()[0].sum() == epochs * 40
    np.testing.assert_allclose(np.append(learner.coef_[0], learner.intercept_), V[-1], atol=1e-9)


@pytest.mark.parametrize("multi_class", ["ovr", "multiclass"])
def test_voted_of_several_classes(multi_class: str) -> None:
    X, y = load_iris(return_X_y=True)
    learner = VotedPerceptron(max_iter=20, multi_class=multi_class, random_state=0).fit(X, y)
    assert all(counts.sum() == 20 * 150 for counts in learner.survival_counts())
    assert learner.score(X, y) > 0.9
    if multi_class == "multiclass":
        np.testing.assert_allclose(learner.decision_function(X).sum(axis=1), 1.0)


# --------------------------------------------------------------------- Rocchio
def test_rocchio_of_two_classes_is_the_difference_of_means() -> None:
    X, y = random_table(1)
    learner = Rocchio().fit(X, y)
    u, v = X[y == 1].mean(axis=0), X[y == 0].mean(axis=0)
    np.testing.assert_allclose(learner.coef_, [u - v], atol=1e-12)
    np.testing.assert_allclose(learner.intercept_, [-(u - v) @ (u + v) / 2], atol=1e-12)
    assert np.array_equal(Rocchio(fit_intercept=False).fit(X, y).intercept_, [0.0])


@pytest.mark.parametrize("as_sparse", [False, True])
def test_rocchio_of_several_classes_predicts_the_nearest_mean(as_sparse: bool) -> None:
    X, y = load_iris(return_X_y=True)
    means = np.array([X[y == k].mean(axis=0) for k in range(3)])
    distances = ((X[:, None] - means) ** 2).sum(axis=2)
    rows = sp.csr_matrix(X) if as_sparse else X
    learner = Rocchio().fit(rows, y)
    np.testing.assert_allclose(2 * learner.decision_function(rows), (X**2).sum(axis=1)[:, None] - distances, atol=1e-9)
    assert np.array_equal(learner.predict(rows), distances.argmin(axis=1))
    assert np.array_equal(learner.predict(rows), NearestCentroid().fit(X, y).predict(X))
    assert learner.score(rows, y) > 0.92
    inner = Rocchio(fit_intercept=False).fit(rows, y)
    np.testing.assert_allclose(inner.decision_function(rows), X @ means.T, atol=1e-9)
    assert np.array_equal(inner.intercept_, np.zeros(3))


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
@given(rules, st.floats(0.01, 10), st.integers(0, 10**6))
def test_multiclass_steps_equal_their_twins(rule: str, C: float, seed: int) -> None:
    X, y = random_table(seed, n_classes=4)
    stored = naive.multiclass_vectors(X, y, 4, np.tile(np.arange(40), 2), *naive_rule(rule, C))
    learner = make_learner(rule, C, max_iter=2, multi_class="multiclass").fit(X, y)
    if learner.n_iter_ == 2:
        got = np.column_stack([learner.coef_, learner.intercept_])
        np.testing.assert_allclose(got, stored[-1], rtol=1e-9, atol=1e-9)
    stored = naive.multiclass_vectors(X, y, 4, np.tile(np.arange(40), 2), "margin", 0.0)
    mean = AveragedPerceptron(multi_class="multiclass", max_iter=2, shuffle=False).fit(X, y)
    if mean.n_iter_ == 2:
        got = np.column_stack([mean.coef_, mean.intercept_])
        np.testing.assert_allclose(got, stored.mean(axis=0), rtol=1e-9, atol=1e-9)


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
@given(st.sampled_from(range(len(LEARNERS))), st.integers(0, 10**6), st.sampled_from([2, 5]), st.booleans())
def test_chunks_of_any_size_agree_to_the_bit(which: int, seed: int, n_classes: int, as_sparse: bool) -> None:
    X, y = random_table(seed, n_classes=n_classes)
    rows = sp.csr_matrix(X) if as_sparse else X
    rng = np.random.RandomState(seed)
    learner = sklearn.clone(LEARNERS[which])
    if isinstance(learner, SGDClassifier):
        learner.set_params(class_weight={k: 1.0 + k for k in range(n_classes)})
    one_epoch = {} if isinstance(learner, Rocchio) else {"shuffle": False, "max_iter": 1}
    whole, chunked = sklearn.clone(learner).set_params(**one_epoch).fit(rows, y), sklearn.clone(learner)
    for part in np.split(np.arange(40), np.sort(rng.choice(np.arange(1, 40), rng.randint(0, 39), replace=False))):
        chunked.partial_fit(rows[part], y[part], classes=np.arange(n_classes))
    np.testing.assert_array_equal(whole.coef_, chunked.coef_)
    np.testing.assert_array_equal(whole.intercept_, chunked.intercept_)
    np.testing.assert_array_equal(whole.decision_function(X), chunked.decision_function(X))
