"""Threads change the time and nothing else; and where two are asked for, two run at the same time."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from linsep.kernels.linear import sums
from linsep.learners import (
    AveragedPerceptron,
    MarginPerceptron,
    PassiveAggressive,
    Perceptron,
    VotedPerceptron,
)
from linsep.learners.engine import threads
from linsep.learners.engine.threads import count_threads

DEALT_OUT = [
    Perceptron(max_iter=4),
    AveragedPerceptron(max_iter=4, random_state=0),
    MarginPerceptron(max_iter=4, random_state=0),
    PassiveAggressive(max_iter=4, random_state=0),
]
# Two classes move together, or the updates of all classes stand in one log.
IN_ONE_THREAD = [
    Perceptron(max_iter=4, multi_class="multiclass"),
    Perceptron(max_iter=4, trace="updates", class_weight="balanced"),
    VotedPerceptron(max_iter=2, random_state=0),
]
FORMS = pytest.mark.parametrize(("form", "n_classes"), [(np.asarray, 5), (sp.csr_matrix, 50)])


def rows(form: Any, n_classes: int) -> tuple[Any, Any]:
    rng = np.random.RandomState(0)
    return form(rng.randn(2500, 6) * (rng.rand(2500, 6) < 0.5)), rng.randint(0, n_classes, 2500)


def noting_threads(monkeypatch: pytest.MonkeyPatch, name: str, n_threads: int) -> set[int]:
    """The threads that call a function from now on; of so many, each waits there until all have come."""
    seen: set[int] = set()
    all_there = threading.Barrier(n_threads)
    home = sums if name == "products" else threads  # which is imported when it is called
    function: Callable[..., Any] = vars(home)[name]

    def call(*given: Any) -> Any:
        seen.add(threading.get_ident())
        all_there.wait(timeout=30)  # a thread that is alone fails here
        return function(*given)

    monkeypatch.setattr(home, name, call)
    return seen


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("learner", DEALT_OUT, ids=repr)
@FORMS
def test_two_threads_learn_at_the_same_time(
    monkeypatch: pytest.MonkeyPatch, learner: Any, form: Any, n_classes: int
) -> None:
    X, y = rows(form, n_classes)
    one = clone(learner).fit(X, y)
    seen = noting_threads(monkeypatch, "one_pass", 2)
    two = clone(learner).set_params(n_jobs=2).fit(X, y)
    assert len(seen) > 1  # a later run of passes may have threads of its own
    assert threading.get_ident() not in seen
    np.testing.assert_array_equal(two.coef_, one.coef_)
    np.testing.assert_array_equal(two.intercept_, one.intercept_)
    assert two.n_updates_ == one.n_updates_


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("learner", IN_ONE_THREAD, ids=repr)
@FORMS
def test_what_has_one_order_is_learnt_in_one_thread(
    monkeypatch: pytest.MonkeyPatch, learner: Any, form: Any, n_classes: int
) -> None:
    seen = noting_threads(monkeypatch, "one_pass", 1)
    clone(learner).set_params(n_jobs=2).fit(*rows(form, n_classes))
    assert seen == {threading.get_ident()}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_two_threads_predict_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = rows(sp.csr_matrix, 50)
    learner = Perceptron(max_iter=2).fit(X, y)
    one = learner.decision_function(X)
    seen = noting_threads(monkeypatch, "products", 2)
    np.testing.assert_array_equal(learner.set_params(n_jobs=2).decision_function(X), one)
    assert len(seen) == 2
    assert threading.get_ident() not in seen


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("learner", [*DEALT_OUT, *IN_ONE_THREAD], ids=repr)
@pytest.mark.parametrize("n_jobs", [2, 3, -1])
@FORMS
def test_any_number_of_threads_gives_the_same_bits(learner: Any, n_jobs: int, form: Any, n_classes: int) -> None:
    X, y = rows(form, n_classes)
    one = clone(learner).fit(X, y)
    many = clone(learner).set_params(n_jobs=n_jobs).fit(X, y)
    np.testing.assert_array_equal(many.coef_, one.coef_)
    np.testing.assert_array_equal(many.intercept_, one.intercept_)
    np.testing.assert_array_equal(many.decision_function(X), one.decision_function(X))
    np.testing.assert_array_equal(many.trace_.mistakes, one.trace_.mistakes)
    assert many.n_updates_ == one.n_updates_
    for run in (one, many):
        run.partial_fit(X[:7], y[:7])
    np.testing.assert_array_equal(many.coef_, one.coef_)


def test_threads_are_counted_as_joblib_counts_them() -> None:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    assert count_threads(-1, 1000) == cores
    assert count_threads(-cores - 5, 1000) == 1
    assert count_threads(7, 1000) == 7
    with pytest.raises(ValueError, match="n_jobs must not be 0"):
        count_threads(0, 10)
