"""The pocket perceptron: its twin, the ratchet, the least error there is, weights, warm starts."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification

import naive
from drawn import integer_table
from linsep.learners import PocketPerceptron
from linsep.learners.base.loop import drawn_order
from linsep.types import StopReason


def noisy_table(seed: int, n: int = 400) -> tuple[Any, Any]:
    return make_classification(n, 8, n_informative=4, flip_y=0.25, random_state=seed)


def twin(X: Any, y: Any, orders: Any, weight: Any, n_classes: int = 2) -> naive.PocketRun:
    """`naive.pocket` for two classes, or for several that move together."""
    A = np.column_stack([X, np.ones(len(X))])
    if n_classes == 2:
        s = 2 * y - 1
        return naive.pocket(
            np.zeros(A.shape[1]),
            orders,
            lambda v: s * (A @ v) <= 0,
            lambda v, i: v + weight[i] * s[i] * A[i],
            weight,
        )
    own = np.eye(n_classes, dtype=bool)[y]

    def scores(V: Any) -> tuple[Any, Any]:
        Z = A @ V.T
        return Z[own], np.where(own, -np.inf, Z)

    def move(V: Any, i: int) -> Any:
        V = V.copy()
        rival = scores(V)[1][i].argmax()
        V[y[i]] += weight[i] * A[i]
        V[rival] -= weight[i] * A[i]
        return V

    W = np.zeros((n_classes, A.shape[1]))
    return naive.pocket(W, orders, lambda V: scores(V)[0] <= scores(V)[1].max(axis=1), move, weight)


def planes(learner: Any, prefix: str = "") -> Any:
    return np.column_stack([getattr(learner, prefix + "coef_"), getattr(learner, prefix + "intercept_")])


# ------------------------------------------------------------------------ twin
@given(
    st.integers(0, 10**6),
    st.integers(1, 12),
    st.sampled_from([(2, True), (2, False), (4, True)]),
)
def test_equals_its_twin(seed: int, epochs: int, kind: tuple[int, bool]) -> None:
    # Each combination is a kernel to compile, so there are two: all ways at once, and none.
    n_classes, plain = kind
    shuffle, weighted, as_sparse, dtype = (False, False, False, np.float64) if plain else (True, True, True, np.float32)
    X, y = integer_table(seed, n_classes=n_classes)
    weight = np.random.RandomState(seed).randint(1, 4, len(y)).astype(float) if weighted else np.ones(len(y))
    rng = np.random.RandomState(seed)
    orders = [drawn_order(len(y), rng) if shuffle else np.arange(len(y)) for _ in range(epochs)]
    expected = twin(X, y, orders, weight, n_classes)
    learner = PocketPerceptron(multi_class="multiclass", max_iter=epochs, shuffle=shuffle, random_state=seed)
    rows = sp.csr_matrix(X.astype(dtype)) if as_sparse else X.astype(dtype)
    learner.fit(rows, y, weight if weighted else None)
    np.testing.assert_array_equal(planes(learner), np.atleast_2d(expected.kept))
    np.testing.assert_array_equal(planes(learner, "last_"), np.atleast_2d(expected.last))
    assert learner.coef_.dtype == dtype
    assert learner.pocket_mistakes_ == expected.errors[-1]
    assert isinstance(learner.pocket_mistakes_, float if weighted else int)
    assert learner.n_evaluations_ == len(expected.judged)


@given(st.integers(0, 10**6), st.sampled_from([2, 3]))
def test_never_worse_than_a_vector_it_judged_and_never_rising(seed: int, n_classes: int) -> None:
    X, y = integer_table(seed, n_classes=n_classes)
    orders = [np.arange(len(y))] * 12
    run = twin(X, y, orders, np.ones(len(y)), n_classes)
    learner = PocketPerceptron(multi_class="multiclass", shuffle=False)
    fits = [clone(learner).set_params(max_iter=epochs).fit(X, y) for epochs in range(1, 13)]
    errors = [fit.pocket_mistakes_ for fit in fits]
    assert errors == sorted(errors, reverse=True)
    assert run.errors == sorted(run.errors, reverse=True)
    assert errors[-1] == min(run.judged)
    for fit in fits:
        assert (fit.predict(X) != y).sum() <= fit.pocket_mistakes_  # fewer only by rows on the plane


# ---------------------------------------------------------------- how good it is
def least_mistakes(X: Any, y: Any) -> int:
    """The fewest rows to leave out so that a hyperplane strictly separates the others, by trying all ways."""
    signed = (2 * y - 1)[:, None] * np.column_stack([X, np.ones(len(X))])
    for k in range(len(X)):
        for left_out in itertools.combinations(range(len(X)), k):
            A = np.delete(signed, left_out, axis=0)
            problem = scipy.optimize.linprog(np.zeros(A.shape[1]), A_ub=-A, b_ub=-np.ones(len(A)), bounds=(None, None))
            if problem.status == 0:
                return k
    return len(X)


@pytest.mark.parametrize("seed", range(10))
def test_reaches_the_least_error_of_random_sets(seed: int) -> None:
    X, y = integer_table(seed, n=9, p=2)
    learner = PocketPerceptron(max_iter=4000, random_state=seed).fit(X, y)
    assert learner.pocket_mistakes_ == least_mistakes(X, y)


def test_judging_costs_little() -> None:
    X, y = noisy_table(0, n=2000)
    learner = PocketPerceptron(random_state=0).fit(X, y)
    assert 1 <= learner.n_evaluations_ < learner.n_updates_ / 10  # 0.2 to 6 % in twelve seeds: luck of a long first run
    assert 0 < learner.trace_.total_dots - learner.n_iter_ * len(y) <= learner.n_evaluations_ * len(y)


def test_separable_rows_end_with_no_mistakes() -> None:
    X, y = load_iris(return_X_y=True)
    learner = PocketPerceptron(max_iter=None, random_state=0).fit(X, y == 0)
    assert learner.stop_reason_ is StopReason.CLEAN_PASS
    assert learner.pocket_mistakes_ == 0
    np.testing.assert_array_equal(planes(learner), planes(learner, "last_"))


# ------------------------------------------------------------ classes and weights


def test_weights_decide_which_vector_is_best() -> None:
    X, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])
    for dear in range(4):
        weight = np.where(np.arange(4) == dear, 1.0, 8.0)
        learner = PocketPerceptron(max_iter=2000, random_state=0).fit(X, y, weight)
        assert learner.pocket_mistakes_ == 1.0
        assert (learner.predict(X) != y).nonzero()[0].tolist() == [dear]


# ----------------------------------------------------------------------- state


def test_warm_start_goes_on_from_both_vectors() -> None:
    X, y = integer_table(5, n=80)
    learner = PocketPerceptron(max_iter=5, warm_start=True, random_state=0).fit(X, y)
    last = planes(learner, "last_")
    errors = [learner.pocket_mistakes_, *(learner.fit(X, y).pocket_mistakes_ for _ in range(11))]
    assert errors == sorted(errors, reverse=True)
    assert (planes(learner, "last_") != last).any()
    other = integer_table(6, n=80)
    before = ((2 * other[1] - 1) * (other[0] @ learner.coef_[0] + learner.intercept_[0]) <= 0).sum()
    assert learner.fit(*other).pocket_mistakes_ <= before


def test_has_no_partial_fit_and_says_so() -> None:
    for learner in (PocketPerceptron(), PocketPerceptron().fit(*noisy_table(0))):
        assert not hasattr(learner, "partial_fit")
        assert not hasattr(learner, "learn_one")
    assert "partial_fit" in str(PocketPerceptron.__doc__)
    assert not hasattr(PocketPerceptron(), "pocket_mistakes_")
