"""Learners inside scikit-learn: its checks, pipelines, searches, calibration, dataframes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

from linsep import TableModel
from linsep.learners import (
    MLP,
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

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

LEARNERS: list[Any] = [
    AveragedPerceptron(random_state=0),
    MarginPerceptron(random_state=0),
    PassiveAggressive(random_state=0),
    Perceptron(max_iter=200),
    PocketPerceptron(random_state=0),
    Rocchio(),
    SGDClassifier(random_state=0),
    VotedPerceptron(random_state=0),
]


def name_of(learner: Any) -> str:
    return type(learner).__name__


# What their base does for all of them is asked of a few: each is another set of kernels to compile.
some_learners = pytest.mark.parametrize("learner", [LEARNERS[0], LEARNERS[5], LEARNERS[7]], ids=name_of)

SCALED_UPDATES = {
    f"check_sample_weight_equivalence_on_{kind}_data": "a weight scales updates; it is not a number of visits"
    for kind in ("dense", "sparse")
}
# What scikit-learn 1.9 asks of each; a check fewer would be a check lost.
COUNTS = {"Rocchio": 63, "KernelPerceptron": 63, "TableModel": 63, "MLP": 55}
# With a numeric step there is partial_fit, with this loss predict_proba.
CHECKED: list[Any] = [
    *(type(learner)() for learner in LEARNERS),
    KernelPerceptron(),
    MLP(max_iter=15, learning_rate_init=0.05),
    SGDClassifier("logistic", eta0=0.1),
    TableModel(),
]


@parametrize_with_checks(
    CHECKED, expected_failed_checks=lambda e: {} if isinstance(e, Rocchio | MLP) else SCALED_UPDATES
)
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("learner", CHECKED, ids=name_of)
def test_number_of_scikit_learn_checks(learner: Any) -> None:
    n = len(list(estimator_checks_generator(type(learner)())))
    assert not sklearn.__version__.startswith("1.9.") or n == COUNTS.get(type(learner).__name__, 64)
    assert n >= 50


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
@some_learners
def test_dataframes_are_arrays_with_names(learner: Any, frame: Any) -> None:
    X, y = load_iris(return_X_y=True)
    names = ["sepal length", "sepal width", "petal length", "petal width"]
    table = frame({name: X[:, j] for j, name in enumerate(names)})
    model = clone(learner).fit(table, y)
    assert model.feature_names_in_.tolist() == names
    np.testing.assert_array_equal(model.predict(table), clone(learner).fit(X, y).predict(X))
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame({name.upper(): X[:, j] for j, name in enumerate(names)}))


def test_names_come_through_a_pipeline_of_tables() -> None:
    table = pd.DataFrame({"age": [20.0, 30.0, 40.0, 50.0], "city": ["Bonn", "Kyiv", "Bonn", "Oslo"]})
    columns = make_column_transformer((StandardScaler(), ["age"]), (OneHotEncoder(sparse_output=False), ["city"]))
    pipeline = (
        make_pipeline(columns, Perceptron()).set_output(transform="pandas").fit(table, ["no", "no", "yes", "yes"])
    )
    names = pipeline[-1].feature_names_in_.tolist()
    assert [name.split("__")[1] for name in names] == ["age", "city_Bonn", "city_Kyiv", "city_Oslo"]
    assert pipeline.predict(table).tolist() == ["no", "no", "yes", "yes"]


def test_sparse_formats_are_read_alike() -> None:
    X, y = load_iris(return_X_y=True)
    expected = Perceptron(max_iter=9).fit(sp.csr_matrix(X), y).predict(X)
    for kind in (sp.csc_matrix, sp.coo_array, sp.csr_array):
        np.testing.assert_array_equal(Perceptron(max_iter=9).fit(kind(X), y).predict(kind(X)), expected)
