"""A vector of one pass to deploy: it is the one of that many rows, and its limit holds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import binom, binomtest
from sklearn.linear_model import SGDClassifier

from linsep import MLP, AveragedPerceptron, Perceptron, select_from_pass
from linsep.types import Array, DataError


def drawn(n: int, seed: int, labels: int = 2) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, np.argmax(X[:, :labels] + 0.4 * rng.normal(size=(n, labels)), axis=1)


@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize("learner", [Perceptron(), AveragedPerceptron(), SGDClassifier(random_state=0)])
def test_the_least_limit_of_the_vectors_after_a_half_a_quarter_and_so_on(learner: Any, labels: int) -> None:
    X, y = drawn(900, 1, labels)
    limits, own, start = {}, type(learner)(**learner.get_params()), 0
    for n in (1, 3, 7, 14, 28, 56, 112, 225, 450):
        own.partial_fit(X[start:n], y[start:n], classes=range(labels))
        wrong, start = int((own.predict(X[n:]) != y[n:]).sum()), n
        limits[n] = (binomtest(wrong, 900 - n, alternative="less").proportion_ci(1 - 0.05 / 9).high, wrong)
    found = select_from_pass(learner, X, y)
    best = min(limits, key=lambda n: limits[n][0])
    assert (found.n_learnt, found.n_tested, found.n_errors) == (best, 900 - best, limits[best][1])
    assert found.error_limit == pytest.approx(limits[best][0], abs=1e-12)
    # It is the limit: with a larger chance of errors so few are rarer than delta / J.
    assert binom.cdf(found.n_errors, found.n_tested, found.error_limit) == pytest.approx(0.05 / 9, rel=1e-9)
    assert (found.learner.predict(X[best:]) != y[best:]).sum() == found.n_errors
    assert not hasattr(learner, "coef_")


def test_the_limit_fails_no_more_often_than_it_may() -> None:
    X_new, y_new = drawn(20_000, 0)
    failed = 0
    for seed in range(1, 101):
        found = select_from_pass(Perceptron(), *drawn(120, seed), delta=0.3)
        failed += (found.learner.predict(X_new) != y_new).mean() > found.error_limit
    assert 1 <= failed <= binom.ppf(0.999, 100, 0.3)


def test_sparse_rows_and_few_rows_and_what_is_refused() -> None:
    X, y = drawn(300, 2)
    dense, sparse = (select_from_pass(Perceptron(), rows, y.astype(str)) for rows in (X, sp.csr_array(X)))
    assert dense[1:] == sparse[1:]
    assert select_from_pass(Perceptron(), [[1.0], [1.0]], [0, 1])[1:] == (1.0, 1, 1, 1)
    with pytest.raises(DataError, match="one row is too few"):
        select_from_pass(Perceptron(), X[:1], y[:1])
    with pytest.raises(DataError, match="MLP has no partial_fit"):
        select_from_pass(MLP(), X, y)
    with pytest.raises(DataError, match="one label a row is needed"):
        select_from_pass(Perceptron(), X, y[1:])
    with pytest.raises(ValueError, match="delta is a probability between 0 and 1"):
        select_from_pass(Perceptron(), X, y, delta=1.0)
