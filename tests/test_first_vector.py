"""`coef_init` and `intercept_init`: training from other weights than 0."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn import linear_model

from linsep import load, save
from linsep.learners import (
    AveragedPerceptron,
    KernelPerceptron,
    MarginPerceptron,
    PassiveAggressive,
    Perceptron,
    PocketPerceptron,
    Rocchio,
    SGDClassifier,
    VotedPerceptron,
)
from linsep.plots import plot_trace
from linsep.reporting.receipt import make_receipt
from linsep.types import DataError

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def table(n_classes: int) -> tuple[Any, Any]:
    rng = np.random.RandomState(n_classes)
    X = rng.randint(-5, 6, (200, 6)).astype(float)
    return X, (X @ rng.randn(6, n_classes) + 3 * rng.randn(200, n_classes)).argmax(axis=1)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("epochs", [1, 2, 5])
def test_equals_scikit_learn_from_the_same_start(n_classes: int, epochs: int) -> None:
    X, y = table(n_classes)
    rng = np.random.RandomState(epochs)
    planes = 1 if n_classes == 2 else n_classes
    w, b = rng.randint(-20, 21, (planes, 6)).astype(float), rng.randint(-9, 10, planes).astype(float)
    theirs = linear_model.Perceptron(shuffle=False, tol=None, max_iter=epochs)
    theirs.fit(X, y, coef_init=w.copy(), intercept_init=b.copy())
    ours = Perceptron(max_iter=epochs).fit(X, y, coef_init=w, intercept_init=b)
    np.testing.assert_array_equal(ours.coef_, theirs.coef_)
    np.testing.assert_array_equal(ours.intercept_, theirs.intercept_)


@pytest.mark.parametrize(
    "learner", [Perceptron(), AveragedPerceptron(random_state=0), PocketPerceptron(random_state=0)]
)
def test_a_start_at_zero_is_no_start(learner: Any) -> None:
    X, y = table(2)
    plain = type(learner)(**learner.get_params()).fit(X, y)
    learner.fit(X, y, coef_init=np.zeros(6), intercept_init=0)
    assert learner.from_zero
    np.testing.assert_array_equal(learner.coef_, plain.coef_)
    np.testing.assert_array_equal(learner.intercept_, plain.intercept_)
    assert learner.get_state()[0] == plain.get_state()[0]


@pytest.mark.parametrize("kind", [MarginPerceptron, PassiveAggressive])
def test_a_run_cut_in_two_is_the_whole_run(kind: Any) -> None:
    X, y = table(2)
    whole = kind(max_iter=6, shuffle=False).fit(X, y)
    half = kind(max_iter=3, shuffle=False).fit(X, y)
    half = kind(max_iter=3, shuffle=False).fit(X, y, coef_init=half.coef_[0], intercept_init=half.intercept_)
    np.testing.assert_array_equal(half.coef_, whole.coef_)
    assert not half.from_zero


def test_the_mean_is_that_of_the_vectors_from_the_start_on() -> None:
    X = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
    start = np.array([5.0, -3.0])
    learner = AveragedPerceptron(max_iter=1, fit_intercept=False, shuffle=False).fit(X, [1, 1, 0], coef_init=start)
    # Row 0 is right, row 1 is a mistake, row 2 is right: the vectors after the visits.
    np.testing.assert_allclose(learner.coef_[0], np.mean([[5, -3], [5, -2], [5, -2]], axis=0))


def test_the_pocket_keeps_the_start_if_nothing_is_better() -> None:
    X, y = np.array([[-2.0], [-1.0], [1.0], [2.0], [9.0]]), [0, 0, 1, 1, 0]
    learner = PocketPerceptron(random_state=0, max_iter=1, fit_intercept=False).fit(X, y, coef_init=[7.0])
    assert (learner.coef_[0, 0], learner.pocket_mistakes_) == (7.0, 1)


def test_no_bound_is_claimed_of_a_run_from_elsewhere(tmp_path: Path) -> None:
    X, y = np.array([[2.0, 1.0], [-2.0, 1.0]]), np.array([1, 0])
    learner = Perceptron().fit(X, y, coef_init=[-50.0, 0.0])
    assert learner.n_mistakes_ > 5 / 4  # what Novikoff allows from 0
    save(learner, tmp_path / "m.linsep")
    for model in (learner, load(tmp_path / "m.linsep")):
        receipt = make_receipt(model, X, y, seconds=None, held_out=None, prove=True)
        assert {row["why"] for row in receipt.data["bounds"]} == {"the run did not start from w = 0"}
    with pytest.raises(DataError, match="sandwich is about runs from w = 0"):
        plot_trace(learner, "norm", X=X, y=y, reference=([1.0, 0.0], 0.0))
    assert Perceptron().fit(X, y).from_zero and learner.fit(X, y).from_zero


def test_kept_updates_are_replayed_from_the_start() -> None:
    X, y = table(2)
    learner = Perceptron(max_iter=2, trace="updates").fit(X, y, coef_init=np.full(6, 3.0), intercept_init=[2.0])
    *_, (_, w, b) = learner.trace_.iter_weights(X, np.where(y == 1, 1.0, -1.0))
    np.testing.assert_array_equal(w, learner.coef_[0])
    assert b == learner.intercept_[0]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"coef_init": np.zeros(5)}, r"coef_init has the shape \(5,\); give \(6,\) or \(1, 6\)"),
        ({"coef_init": np.zeros((2, 6))}, r"coef_init has the shape \(2, 6\); give \(6,\) or \(1, 6\)"),
        ({"intercept_init": np.zeros(2)}, r"intercept_init has the shape \(2,\); give \(1,\) or \(\)"),
        ({"coef_init": [0, 0, 0, 0, 0, np.nan]}, "coef_init holds NaN, infinity, or numbers whose squares"),
        ({"coef_init": [0, 0, 0, 0, 0, 1e200]}, "squares are too large for float64"),
        ({"intercept_init": np.inf}, "intercept_init holds NaN, infinity"),
        ({"coef_init": ["a"] * 6}, "coef_init holds something that is not a number"),
        ({"coef_init": [2**2000] * 6}, "coef_init holds something that is not a number"),
    ],
)
def test_a_start_that_does_not_fit_changes_nothing(given: dict[str, Any], message: str) -> None:
    X, y = table(2)
    learner = Perceptron(max_iter=2).fit(X, y)
    before = learner.__dict__.copy()
    with pytest.raises(ValueError, match=message):
        learner.fit(X, y, **given)
    assert learner.__dict__ == before


def test_classes_have_a_row_each() -> None:
    X, y = table(4)
    with pytest.raises(DataError, match=r"coef_init has the shape \(6,\); give \(4, 6\)"):
        Perceptron().fit(X, y, coef_init=np.zeros(6))
    with pytest.raises(DataError, match=r"intercept_init has the shape \(1,\); give \(4,\)"):
        Perceptron().fit(X, y, intercept_init=[1.0])


def test_float32_rows_take_what_float32_holds() -> None:
    X, y = table(2)
    with pytest.raises(DataError, match="too large for float32"):
        Perceptron().fit(X.astype(np.float32), y, coef_init=np.full(6, 1e30))


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        (VotedPerceptron(), "VotedPerceptron starts from w = 0 alone: it keeps rows, and its vectors are sums of them"),
        (KernelPerceptron(), "KernelPerceptron starts from w = 0 alone: it keeps rows"),
        (SGDClassifier(), "SGDClassifier starts from w = 0 alone: its ball and its guarantee"),
        (Perceptron(fit_intercept=False), "intercept_init is not 0, but fit_intercept=False"),
    ],
)
def test_who_has_no_such_start_says_so(learner: Any, message: str) -> None:
    X, y = table(2)
    with pytest.raises(ValueError, match=message):
        learner.fit(X, y, coef_init=np.ones(6), intercept_init=1.0)
    assert not hasattr(learner, "classes_")


def test_a_mean_of_rows_has_no_start() -> None:
    keyword: dict[str, Any] = {"coef_init": np.ones(6)}
    with pytest.raises(TypeError, match="coef_init"):
        Rocchio().fit(*table(2), **keyword)


def test_a_warm_start_has_its_own_weights() -> None:
    X, y = table(2)
    learner = Perceptron(max_iter=1, warm_start=True).fit(X, y, coef_init=np.ones(6))
    with pytest.raises(ValueError, match="warm_start goes on from the weights so far"):
        learner.fit(X, y, coef_init=np.ones(6))
    assert not learner.fit(X, y).from_zero
