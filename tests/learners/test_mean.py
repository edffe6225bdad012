"""Margin and passive-aggressive learners that predict with the mean of their vectors."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import naive
from linsep.export.formula import Number, formula_of
from linsep.learners import AveragedPerceptron, MarginPerceptron, PassiveAggressive, SGDClassifier
from linsep.types import DataError

quietly = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
LEARNERS = [MarginPerceptron(average=True, shuffle=False), PassiveAggressive(average=True, shuffle=False)]


def table(seed: int, *, separable: bool = False) -> tuple[Any, Any]:
    rng = np.random.RandomState(seed)
    X, y = rng.randn(40, 4), rng.randint(0, 2, 40)
    y = (X @ [1.0, -2.0, 1.0, 0.5] > 0.2).astype(int) if separable else y
    y[:2] = y[:2] if y.min() < y.max() else [0, 1]
    return X, y


def plane(learner: Any, prefix: str = "") -> Any:
    return np.append(getattr(learner, f"{prefix}coef_"), getattr(learner, f"{prefix}intercept_"))


@quietly
@given(st.sampled_from(LEARNERS), st.integers(0, 10**6), st.integers(1, 9), st.booleans())
def test_it_is_the_mean_of_the_stored_vectors(learner: Any, seed: int, epochs: int, separable: bool) -> None:
    X, y = table(seed, separable=separable)
    rule, C = ("margin", 1.0) if isinstance(learner, MarginPerceptron) else ("pa1", 1.0)
    stored = naive.vectors(X, 2 * y - 1, np.tile(np.arange(40), epochs), rule, C)
    learner = clone(learner).set_params(max_iter=epochs).fit(X, y)
    assert learner.t_ == epochs * 40
    np.testing.assert_allclose(plane(learner), stored.mean(axis=0), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(plane(learner, "last_"), stored[-1], rtol=1e-9, atol=1e-9)


@quietly
@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_rows_one_by_one_and_the_last_vector_are_as_without_a_mean(learner: Any) -> None:
    X, y = table(0)
    whole = clone(learner).set_params(max_iter=1).fit(X, y)
    plain = clone(whole).set_params(average=False).fit(X, y)
    single = clone(learner)
    for x, label in zip(X, y.tolist(), strict=True):
        single.learn_one(x, label, classes=[0, 1] if not hasattr(single, "classes_") else None)
    assert np.array_equal(plane(single), plane(whole)) and single.t_ == whole.t_ == plain.t_
    assert [single.predict_one(x) for x in X] == whole.predict(X).tolist()
    assert np.array_equal(plane(whole, "last_"), plane(plain))
    assert plain.coef_ is plain.last_coef_
    assert not np.array_equal(plane(whole), plane(plain))
    assert np.array_equal(plane(whole.set_params(average=False)), plane(plain))


@quietly
def test_what_is_exported_is_what_predicts() -> None:
    X, y = table(2)
    learner = PassiveAggressive(average=True, random_state=0).fit(X, y)
    assert not np.array_equal(learner.coef_, learner.last_coef_)
    weights = [column.weights.tolist() for column in formula_of(learner).inputs if isinstance(column, Number)]
    assert weights == learner.coef_.T.tolist()


@quietly
def test_a_mean_that_was_not_kept_is_refused_and_nothing_changes() -> None:
    X, y = table(3)
    learner = MarginPerceptron(max_iter=3, shuffle=False).fit(X, y)
    before = plane(learner)
    learner.set_params(average=True)
    for use in (lambda: learner.predict(X), lambda: learner.partial_fit(X, y), lambda: learner.learn_one(X[0], 1)):
        with pytest.raises(DataError, match="fit it again with average=True"):
            use()
    learner.set_params(average=False)
    assert np.array_equal(plane(learner), before) and learner.t_ == 120
    with pytest.raises(ValueError, match="average must be True or False, got 'eta'"):
        learner.set_params(average="eta").fit(X, y)
    assert plane(learner.set_params(average=True).fit(X, y)).dtype == np.float64


def test_weights_that_are_put_in_place_predict_and_move() -> None:
    X, y = table(4)
    learner = PassiveAggressive(max_iter=1, shuffle=False).fit(X, y)
    learner.coef_ = np.ones((1, 4))
    learner.widen(5, [])
    assert learner.coef_.tolist() == learner.last_coef_.tolist() == [[1.0, 1.0, 1.0, 1.0, 0.0]]
    assert learner.predict_one(np.array([1.0, 0, 0, 0, 0])) in (0, 1)


@pytest.mark.parametrize("rows", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("kind", [AveragedPerceptron, SGDClassifier])
def test_the_mean_is_made_in_the_memory_that_it_takes(kind: Any, rows: Any) -> None:
    rng = np.random.RandomState(0)
    X = rows(rng.rand(40, 20_000))
    learner = kind(max_iter=2).fit(X, np.arange(40) % 4)
    expected = learner.coef_.copy()
    tracemalloc.start()
    try:
        learner.settle()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert learner.coef_.nbytes <= peak < 1.5 * learner.coef_.nbytes
    np.testing.assert_array_equal(learner.coef_, expected)
    if kind is AveragedPerceptron:
        plain = learner.last_coef_ - learner._sum_coef / learner.t_
    else:
        plain = (learner._mean + learner._scale_sum[:, None] * learner._v) / learner._total
    np.testing.assert_array_equal(learner.coef_, plain)


def test_the_mean_of_sparse_classes_lies_in_memory_as_their_weights_do() -> None:
    rng = np.random.RandomState(0)
    X, y = rng.randint(-2, 3, size=(60, 5)).astype(float), rng.randint(0, 9, 60)
    sparse, dense = (AveragedPerceptron(random_state=0).fit(form(X), y) for form in (sp.csr_matrix, np.asarray))
    assert sparse.last_coef_.flags.fnc and sparse.coef_.flags.fnc
    assert dense.coef_.flags.c_contiguous
    assert sparse.coef_.tolist() == dense.coef_.tolist()
