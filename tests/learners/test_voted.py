"""The rows that the voted perceptron stores: their memory, their form, and rows that come later."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from drawn import integer_table
from linsep.learners import Perceptron, VotedPerceptron


@pytest.mark.parametrize("as_sparse", [False, True])
def test_predicting_holds_one_block_of_scores(as_sparse: bool) -> None:
    rng = np.random.RandomState(0)
    X: Any = rng.randn(3000, 20)
    new: Any = rng.randn(30_000, 20)
    y = rng.randint(0, 2, 3000)
    if as_sparse:
        X, new = sp.csr_matrix(X), sp.csr_matrix(new)
    learner = VotedPerceptron(random_state=0).fit(X, y)
    learner.decision_function(X[:10])  # compiled and warm
    tracemalloc.start()
    learner.decision_function(new)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    block, all_scores = 8 * (1 << 24), 8 * new.shape[0] * learner.mistaken_rows_.shape[0]
    assert peak < 1.25 * block < 0.6 * all_scores


def test_a_fit_stores_each_mistaken_row_once_and_an_update_takes_32_bytes() -> None:
    X, y = integer_table(0)
    learner = VotedPerceptron(max_iter=20, random_state=0).fit(X, y)
    assert len(learner.mistaken_rows_) == len(np.unique(learner.mistake_rows_)) <= 40 < learner.n_updates_
    arrays = (learner.mistake_rows_, learner.mistake_visits_, learner.mistake_classes_, learner.mistake_steps_)
    assert sum(a.nbytes for a in arrays) == 32 * learner.n_updates_


def test_rows_that_come_one_by_one_are_not_copied_again_and_again() -> None:
    X, y = integer_table(1, n=600)
    learner = VotedPerceptron().partial_fit(X[:1], y[:1], classes=[0, 1])
    moves, before = 0, learner.mistaken_rows_
    for x, label in zip(X, y, strict=True):
        learner.partial_fit(x[None], [label])
        moves += not np.shares_memory(before, learner.mistaken_rows_)
        before = learner.mistaken_rows_
    assert learner.n_updates_ > 100 and moves < 40


def test_rows_of_all_forms_mix() -> None:
    X, y = integer_table(2)
    mixed = VotedPerceptron().partial_fit(X[:10], y[:10], classes=[0, 1])
    table = VotedPerceptron().partial_fit(X[:10], y[:10], classes=[0, 1])
    for i in range(10, 40):
        mixed.partial_fit(sp.csr_matrix(X[[i]]) if i % 2 else X[[i]], y[[i]])
        table.partial_fit(X[[i]], y[[i]])
    np.testing.assert_array_equal(mixed.decision_function(X), table.decision_function(X))
    np.testing.assert_array_equal(mixed.mistaken_rows_, table.mistaken_rows_)
    sparse_last = VotedPerceptron(random_state=0).fit(X, y)
    dense_last = VotedPerceptron(random_state=0).fit(sp.csr_matrix(X), y)
    np.testing.assert_array_equal(
        sparse_last.partial_fit(sp.csr_matrix(X), y).decision_function(X),
        dense_last.partial_fit(X, y).decision_function(sp.csr_matrix(X)),
    )


def test_the_trace_names_the_updates_that_a_perceptron_makes() -> None:
    X, y = integer_table(3)
    asked: dict[str, Any] = {"max_iter": 3, "shuffle": False, "trace": "updates"}
    with pytest.warns(ConvergenceWarning):
        voted, plain = VotedPerceptron(**asked).fit(X, y), Perceptron(**asked).fit(X, y)
    assert voted.n_updates_ == voted.trace_.update_rows.size > 3
    assert voted.trace_.update_rows.tolist() == plain.trace_.update_rows.tolist()
