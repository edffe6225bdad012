"""Threads change the time and nothing else."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from linsep.learners import AveragedPerceptron, MarginPerceptron, PassiveAggressive, Perceptron, VotedPerceptron
from linsep.learners.engine.threads import count_threads

LEARNERS = [
    Perceptron(max_iter=4),
    Perceptron(max_iter=4, multi_class="multiclass"),
    Perceptron(max_iter=4, trace="updates", class_weight="balanced"),
    AveragedPerceptron(max_iter=4, random_state=0),
    MarginPerceptron(max_iter=4, random_state=0),
    PassiveAggressive(max_iter=4, random_state=0),
    VotedPerceptron(max_iter=2, random_state=0),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@pytest.mark.parametrize("n_jobs", [2, 3, -1])
@pytest.mark.parametrize(("form", "n_classes"), [(np.asarray, 5), (sp.csr_matrix, 50)])
def test_any_number_of_threads_gives_the_same_bits(learner: Any, n_jobs: int, form: Any, n_classes: int) -> None:
    rng = np.random.RandomState(0)
    X, y = form(rng.randn(2500, 6) * (rng.rand(2500, 6) < 0.5)), rng.randint(0, n_classes, 2500)
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
