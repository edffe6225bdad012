"""Logarithms of probabilities, wherever there are probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris

from linsep import MLP, SGDClassifier, TableModel

quietly = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
MODELS = [SGDClassifier("logistic", random_state=0), MLP(max_iter=3, random_state=0)]


@quietly
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("model", [*MODELS, *map(TableModel, MODELS)], ids=repr)
def test_they_are_those_of_the_probabilities_and_finite_where_these_are_0(model: Any, n_classes: int) -> None:
    X, y = load_iris(return_X_y=True)
    X, y = X[y < n_classes], y[y < n_classes]
    model.fit(X, y)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X), rtol=1e-12)
    far, logs = model.predict_proba(1e5 * X), model.predict_log_proba(1e5 * X)
    assert (far == 0).any() and np.isfinite(logs).all()
    assert np.array_equal(logs.argmax(axis=1), far.argmax(axis=1))


def test_there_are_none_where_there_are_no_probabilities() -> None:
    assert not hasattr(SGDClassifier(), "predict_log_proba") and not hasattr(TableModel(), "predict_log_proba")
    alone = SGDClassifier("logistic", eta0=1.0, open_classes=True).partial_fit([[1.0], [2.0]], ["a", "a"])
    assert alone.predict_proba([[1.0]]).tolist() == [[1.0]] and alone.predict_log_proba([[1.0]]).tolist() == [[0.0]]
