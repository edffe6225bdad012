"""Descent without a ball: steps that suit the rows, and the bound against vectors of any length."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer

import naive
from linsep.learners import SGDClassifier
from linsep.theory.bounds.losses import free_eta0, gradient_bound, sgd_bound
from linsep.types import DataError

LOSSES = ["perceptron", "hinge", "logistic", "squared_hinge", "squared"]
BOUNDED = LOSSES[:3]


def text_like(seed: int, n: int = 400, words: int = 3000) -> tuple[Any, Any]:
    """Rows of length 1 of 30 words each, two thirds of which any class uses."""
    rng = np.random.RandomState(seed)
    y = rng.randint(0, 2, n)
    common, own = rng.zipf(1.3, (n, 20)) % 1000, 1000 + 1000 * y[:, None] + rng.randint(0, 1000, (n, 10))
    columns = np.hstack([common, own])
    X = sp.csr_matrix((np.ones(columns.size), (np.repeat(np.arange(n), 30), columns.ravel())), shape=(n, words))
    return sp.csr_matrix(X.multiply(1 / np.sqrt(X.multiply(X).sum(axis=1)))), y


@pytest.mark.parametrize("loss", LOSSES)
def test_defaults_learn_columns_of_any_unit_and_text(loss: str) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    assert SGDClassifier(loss, random_state=0).fit(X, y).score(X, y) > 0.85  # 0.627 are of one class
    X, y = text_like(0)
    assert SGDClassifier(loss, random_state=0).fit(X, y).score(X, y) > 0.97


@pytest.mark.parametrize("loss", LOSSES)
def test_predictions_do_not_depend_on_the_unit(loss: str) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:100] / 64
    a = SGDClassifier(loss, random_state=0, fit_intercept=False).fit(X, y[:100])
    b = SGDClassifier(loss, random_state=0, fit_intercept=False).fit(1024 * X, y[:100])
    np.testing.assert_array_equal(b.coef_ * 1024, a.coef_)


def test_the_step_is_the_one_that_is_documented() -> None:
    X, y, weight = np.array([[3.0, 4.0], [0.0, 1.0], [1.0, 1.0]]), [0, 1, 1], [2.0, 1.0, 1.0]
    assert SGDClassifier("hinge").fit(X, y, weight).eta0_ == 3 / (2 * 26 + 2 + 3)
    assert SGDClassifier("squared").fit(X, y, weight).eta0_ == 1 / (4 * 2 * 26)
    assert SGDClassifier("logistic", fit_intercept=False).fit(X, y).eta0_ == 12 / (25 + 1 + 2)
    assert SGDClassifier("hinge", max_iter=None, time_limit=1e-9).fit(X, y).eta0_ == 3 / (25 + 1 + 2 + 3)
    assert free_eta0("hinge", 0.0, 0.0) == 1.0 and math.isfinite(free_eta0("hinge", 5e-324, 1.0))
    assert gradient_bound("logistic", 3.0, math.inf) == 3.0
    assert gradient_bound("squared", 3.0, math.inf) == math.inf
    assert gradient_bound("squared", 0.0, math.inf) == 0.0


@given(
    st.sampled_from(BOUNDED),
    st.integers(0, 10**6),
    st.floats(0.001, 10),
    st.sampled_from(["constant", "invsqrt"]),
    st.floats(0.01, 30),
)
def test_no_vector_beats_the_steps_by_more_than_the_bound(
    loss: str, seed: int, eta0: float, rate: str, length: float
) -> None:
    rng = np.random.RandomState(seed)
    X, y = rng.randn(30, 3), rng.randint(0, 2, 30)
    y[:2] = 0, 1
    learner = SGDClassifier(loss, eta0=eta0, learning_rate=rate, max_iter=2, shuffle=False).fit(X, y)
    how: Any = {"eta0": eta0, "learning_rate": rate}
    bound = sgd_bound(length, learner.gradient_bound_, learner.t_, **how)
    assert bound.value is not None
    A, s, rows = np.column_stack([X, np.ones(30)]), 2 * y - 1, np.tile(np.arange(30), 2)
    etas = eta0 / np.sqrt(np.arange(1, 61)) if rate == "invsqrt" else np.full(60, eta0)
    stored, _ = naive.sgd(A, s, rows, etas, loss, math.inf, math.inf, np.ones(30))
    values: Any = {
        "perceptron": lambda m: np.maximum(0, -m),
        "hinge": lambda m: np.maximum(0, 1 - m),
        "logistic": lambda m: np.logaddexp(0, -m),
    }
    suffered = values[loss]((s[rows, None] * A[rows] * stored).sum(axis=1))
    for u in (rng.randn(5, 4), A.T @ s[None].T @ np.ones((1, 1))):
        vectors = u if len(u) == 5 else u.T
        for v in vectors:
            v = v * length / np.linalg.norm(v)
            regret = (etas * (suffered - values[loss](s[rows] * (A[rows] @ v)))).sum() / etas.sum()
            assert regret <= bound.value * (1 + 1e-9) + 1e-12


@pytest.mark.parametrize(
    ("parameters", "why"),
    [
        ({"loss": "squared"}, "gradients of the squared loss have no limit"),
        ({"clip_norm": 0.5}, "clipped at 0.5"),
        ({"learning_rate": "invsqrt", "average": "uniform"}, 'average="eta"'),
    ],
)
def test_nothing_is_told_without_a_ball_and_why(parameters: Any, why: str) -> None:
    X, y = text_like(1, n=50)
    bound = SGDClassifier(random_state=0, **parameters).fit(X, y).excess_bound_
    assert (bound.applies, bound.value) == (False, None) and why in bound.why


def test_the_bound_without_a_ball_is_told_where_the_guarantee_would_be() -> None:
    X, y = text_like(1, n=50)
    learner = SGDClassifier(random_state=0, sampling="replacement").fit(X, y)
    slope, free = 1 / (2 * learner.eta0_ * 500), learner.eta0_ * learner.gradient_bound_**2 / 2
    why = learner.excess_bound_.why
    assert not learner.excess_bound_.applies and "not projected" in why
    assert why.endswith(f"exceeds that of u by at most {slope:.3g} |u|^2 + {free:.3g}")
    assert "have no limit" in SGDClassifier("squared").fit(X, y).excess_bound_.why
    later = learner.set_params(eta0=0.1).partial_fit(X, y).excess_bound_
    assert later.why.startswith("it covers one fit from w = 0")


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("average", [None, "uniform"])
@pytest.mark.parametrize("sampling", ["epochs", "replacement"])
@pytest.mark.parametrize("sparse", [False, True])
def test_passes_made_in_one_call_are_those_made_one_by_one(
    n_classes: int, average: str | None, sampling: str, sparse: bool
) -> None:
    rng = np.random.RandomState(n_classes)
    X, y = rng.normal(size=(40, 5)), rng.randint(0, n_classes, 40)
    rows = sp.csr_matrix(X) if sparse else X
    common: dict[str, Any] = {"average": average, "sampling": sampling, "eta0": 0.1}
    whole = SGDClassifier(max_iter=12, random_state=7, **common).fit(rows, y)
    steps = np.random.RandomState(7)  # goes on from call to call
    single = SGDClassifier(max_iter=1, random_state=steps, warm_start=True, **common)
    norms = list[float]()
    for _ in range(12):
        norms.append(float(single.fit(rows, y).trace_.norm_w[-1]))
    np.testing.assert_array_equal(single.coef_, whole.coef_)
    np.testing.assert_array_equal(single.intercept_, whole.intercept_)
    assert norms == whole.trace_.norm_w.tolist() and whole.trace_.epoch.tolist() == list(range(1, 13))
    if n_classes == 2:
        with pytest.raises(DataError, match="not compared with a reference"):
            SGDClassifier(max_iter=12, random_state=7, **common).fit(rows, y, reference=(np.ones(5), 1.0))


def test_a_generator_of_somebody_else_gives_no_order_after_the_last_pass() -> None:
    X = np.array([[1.0, 2.0], [2.0, 1.0], [-1.0, -2.0]])
    given, alone = np.random.RandomState(3), np.random.RandomState(3)
    learner = SGDClassifier("perceptron", average=None, eta0=1.0, max_iter=50, random_state=given).fit(X, [1, 1, 0])
    assert learner.stop_reason_ == "clean pass" and learner.n_iter_ < 50
    for _ in range(learner.n_iter_):
        learner.visiting_order(3, alone)
    assert given.randint(2**31) == alone.randint(2**31)


def test_partial_fit_that_outgrows_the_dtype_has_counted_what_it_moved() -> None:
    X, y = np.array([[1, 2], [2, 1], [-1, 0.5]], np.float32), [0, 1, 1]
    learner = SGDClassifier(eta0=1.0, average=None).partial_fit(X, y, classes=[0, 1])
    learner.eta0 = 1e30
    with pytest.raises(DataError, match=r"w is too large for float32"):
        learner.partial_fit(X, y)
    assert (learner.t_, learner.n_iter_) == (6, 2)
    np.testing.assert_array_equal(learner.coef_, learner._scale[:, None] * learner._v)


def test_the_message_of_a_run_that_diverges_names_the_epoch_and_a_way_out() -> None:
    X, y = np.array([[1.0, 2.0], [2.0, 1.0], [-1.0, 0.5]]), [0, 1, 1]
    SGDClassifier("squared", eta0=1000.0, max_iter=500, clip_norm=1.0).fit(X, y)
    SGDClassifier("squared", eta0=1000.0, max_iter=500, projection_radius=1.0).fit(X, y)
    with pytest.raises(DataError, match=r"not finite after \d+ epochs with eta0 = 1000.*Give a smaller eta0, a proj"):
        SGDClassifier("squared", eta0=1000.0, average=None, max_iter=500, random_state=0).fit(X, y)
    small = X.astype(np.float32)
    with pytest.raises(DataError, match=r"w is too large for float32"):
        SGDClassifier("squared", eta0=1000.0, average=None, max_iter=500, random_state=0).fit(small, y)
