"""Weights of rows and classes: a weight of 0 is the row left out, in every way of learning."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from drawn import integer_table
from linsep.learners import (
    AveragedPerceptron,
    KernelPerceptron,
    PassiveAggressive,
    Perceptron,
    PocketPerceptron,
    Rocchio,
    SGDClassifier,
    VotedPerceptron,
)
from linsep.types import DataError

quietly = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
LEARNERS = [
    Perceptron(),
    Perceptron(multi_class="multiclass"),
    AveragedPerceptron(),
    VotedPerceptron(),
    PassiveAggressive(),
]


def check_same(a: Any, b: Any) -> None:
    for name in ("coef_", "intercept_", "classes_", "t_", "n_mistakes_", "n_updates_"):
        np.testing.assert_array_equal(getattr(a, name, None), getattr(b, name, None))


# ------------------------------------------------------------------ weight zero
@pytest.mark.parametrize("learner", [*LEARNERS, Rocchio()], ids=repr)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_chunk_of_weight_zero_is_not_there(learner: Any, n_classes: int) -> None:
    X, y = integer_table(n_classes, n_classes=n_classes)
    weight = np.arange(40) % 3 / 2
    whole, chunks = clone(learner), clone(learner)
    whole.partial_fit(X[weight > 0], y[weight > 0], classes=np.arange(n_classes), sample_weight=weight[weight > 0])
    for i in range(40):
        chunks.partial_fit(X[[i]], y[[i]], classes=np.arange(n_classes), sample_weight=weight[[i]])
    check_same(whole, chunks)


def test_an_open_learner_does_not_start_with_rows_of_weight_zero() -> None:
    learner = Perceptron(open_classes=True).partial_fit([[1.0, 2.0]], ["a"], sample_weight=[0.0])
    assert not any(name.endswith("_") for name in vars(learner) if not name.startswith("_"))
    assert learner.partial_fit([[1.0]], ["b"]).classes_.tolist() == ["b"]
    with pytest.raises(ValueError, match="weights of all rows are zero"):
        Perceptron().fit([[1.0], [2.0]], [0, 1], sample_weight=[0.0, 0.0])


@quietly
@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_class_of_weight_zero(learner: Any, n_classes: int) -> None:
    X, y = integer_table(n_classes, n_classes=n_classes)
    learner = clone(learner).set_params(class_weight={0: 0.0})
    table = clone(learner).partial_fit(X, y, classes=np.arange(n_classes))
    one = clone(learner).partial_fit(X[:1], y[:1], classes=np.arange(n_classes))
    for x, label in zip(X[1:], y[1:], strict=True):
        one.learn_one(x, label) if hasattr(one, "learn_one") else one.partial_fit(x[None], [label])
    check_same(one, table)
    if n_classes == 2 or learner.multi_class == "multiclass":
        rest = clone(learner).partial_fit(X[y > 0], y[y > 0], classes=np.arange(n_classes))
        check_same(rest, table)


@pytest.mark.parametrize("own", [{0: 0.0}, {0: 0.0, 1: 0.0, 2: 0.0}])
def test_one_vs_rest_comes_to_a_clean_pass_without_a_class_of_weight_zero(own: Any) -> None:
    X, y = np.array([[2.0, 1.0], [-2.0, 1.0], [0.0, 1.0], [0.0, 1.0]]), np.array([1, 2, 0, 0])
    learner = Perceptron(class_weight=own).fit(X, y)
    assert learner.stop_reason_ == "clean pass"
    assert learner.coef_[0].any() and not (X[2:] @ learner.coef_[0] + learner.intercept_[0] > 0).any()


@quietly
@pytest.mark.parametrize("learner", [Perceptron(), PocketPerceptron(), AveragedPerceptron()], ids=repr)
@pytest.mark.parametrize("how", ["sample_weight", "class_weight"])
def test_rows_are_counted_in_the_table_given(learner: Any, how: str) -> None:
    X, y = integer_table(2)
    X, y = np.repeat(X, 2, axis=0), np.repeat(y, 2)
    learner = clone(learner).set_params(trace="updates", max_iter=3, shuffle=False)
    if how == "class_weight":
        learner.set_params(class_weight={0: 0.0}).fit(X, y)
        left = np.flatnonzero(y == 1)
    else:
        learner.fit(X, y, sample_weight=np.tile([0.0, 1.0], 40))
        left = np.arange(1, 80, 2)
    assert learner.n_updates_ > 0
    assert np.isin(learner.trace_.update_rows, left).all()


def test_an_error_names_the_row_given() -> None:
    learner = Perceptron().partial_fit([[1.0], [2.0]], [0, 1], classes=[0, 1])
    with pytest.raises(ValueError, match=r"row 2 .counted from 0.: label 7 is not one of the classes 0, 1"):
        learner.partial_fit([[1.0], [1.0], [1.0]], [0, 1, 7], sample_weight=[0.0, 1.0, 1.0])


# ---------------------------------------------------------------- class weights
@pytest.mark.parametrize("weights", [{0: np.nan}, {0: -1.0}, {0: np.inf}, {1: "2"}, "even", 3.0])
def test_class_weights_are_finite_and_not_negative(weights: Any) -> None:
    learner = Perceptron().fit([[1.0], [-1.0]], [0, 1])
    before = learner.coef_.tolist()
    learner.set_params(class_weight=weights)
    for learn in (learner.fit, learner.partial_fit):
        with pytest.raises(ValueError, match="class_weight"):
            learn([[1.0], [-1.0]], [0, 1])
    with pytest.raises(ValueError, match="class_weight"):
        learner.learn_one(np.array([1.0]), 0)
    assert learner.coef_.tolist() == before


def test_a_misspelt_class_in_the_mapping() -> None:
    with pytest.raises(ValueError, match=r"class_weight names 'on'.*not the class 'no'"):
        Perceptron(class_weight={"yes": 1.0, "on": 2.0}).fit([[1.0], [-1.0]], ["yes", "no"])


def test_a_mapping_where_classes_may_join() -> None:
    X, y = np.array([[1.0], [2.0], [3.0]]), ["a", "c", "b"]
    table = Perceptron(class_weight={"b": 2.0}, open_classes=True).partial_fit(X, y)
    named = Perceptron(class_weight={"a": 1.0, "b": 2.0, "c": 1.0}, open_classes=True).partial_fit(X, y)
    online = Perceptron(class_weight={"b": 2.0})
    for x, label in zip(X, y, strict=True):
        online.learn_one(x, label)
    check_same(named, table)
    check_same(online, table)


@quietly
def test_balanced_is_what_scikit_learn_computes() -> None:
    X, y = integer_table(3, n_classes=3)
    own = len(y) / (3 * np.bincount(y))
    fitted = Perceptron(class_weight="balanced", max_iter=5).fit(X, y)
    check_same(fitted, Perceptron(class_weight=dict(enumerate(own)), max_iter=5).fit(X, y))


# ------------------------------------------------------------------------ trace
@quietly
def test_a_trace_of_a_warm_start_counts_its_own_epochs_and_knows_no_reference() -> None:
    X, y = integer_table(2)
    learner = Perceptron(max_iter=3, warm_start=True, trace="updates").fit(X, y).fit(X, y)
    assert set(learner.trace_.update_epochs.tolist()) == set(learner.trace_.epoch.tolist()) == {1, 2, 3}
    assert np.isnan(learner.trace_.cos).all() and np.isnan(learner.trace_.w_dot_reference).all()
    learner.fit(X, y, reference=(np.ones(3), 0.0))
    assert np.isfinite(learner.trace_.cos).all()


def test_a_reference_is_for_two_classes() -> None:
    X, y = integer_table(3, n_classes=3)
    with pytest.raises(ValueError, match="a reference is one hyperplane, for two classes; here are 3"):
        Perceptron().fit(X, y, reference=(np.ones(3), 0.0))


@quietly
@pytest.mark.parametrize(
    ("learner", "changed"),
    [
        (VotedPerceptron(), {"multi_class": "multiclass"}),
        (AveragedPerceptron(), {"fit_intercept": False}),
        (KernelPerceptron("rbf"), {"gamma": 2.0}),
        (SGDClassifier(eta0=0.1), {"average": None}),
        (KernelPerceptron(), {"budget": 3}),
    ],
)
def test_what_was_learnt_is_used_with_the_parameters_that_it_was_learnt_with(
    learner: Any, changed: dict[str, Any]
) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), np.arange(40) % 3
    learner.fit(X, y)
    before, expected = learner.get_params(), learner.predict(X)
    learner.set_params(**changed)
    for use in (lambda: learner.predict(X), lambda: learner.partial_fit(X, y), learner.get_state):
        with pytest.raises(DataError, match=r"was set after training: put .* back, or fit again"):
            use()
    assert (learner.set_params(**before).predict(X) == expected).all()
    learner.set_params(**changed).fit(X, y).predict(X)
