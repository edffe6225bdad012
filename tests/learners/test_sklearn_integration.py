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
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.feature_selection import SelectFromModel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

from linsep.learners import (
    AveragedPerceptron,
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


every_learner = pytest.mark.parametrize("learner", LEARNERS, ids=name_of)
# What their base does for all of them is asked of a few: each is another set of kernels to compile.
some_learners = pytest.mark.parametrize("learner", [LEARNERS[0], LEARNERS[5], LEARNERS[7]], ids=name_of)

SCALED_UPDATES = {
    f"check_sample_weight_equivalence_on_{kind}_data": "a weight scales updates; it is not a number of visits"
    for kind in ("dense", "sparse")
}
# What scikit-learn 1.9 asks of each; a check fewer would be a check lost.
COUNTS = {"Rocchio": 63}


@parametrize_with_checks(
    [type(learner)() for learner in LEARNERS],
    expected_failed_checks=lambda e: {} if isinstance(e, Rocchio) else SCALED_UPDATES,
)
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@every_learner
def test_number_of_scikit_learn_checks(learner: Any) -> None:
    n = len(list(estimator_checks_generator(type(learner)())))
    assert not sklearn.__version__.startswith("1.9.") or n == COUNTS.get(type(learner).__name__, 64)
    assert n >= 50


@every_learner
def test_in_a_pipeline_scores_as_well_as_alone(learner: Any) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    Z = StandardScaler().fit_transform(X)
    pipeline = make_pipeline(StandardScaler(), clone(learner)).fit(X, y)
    assert pipeline.score(X, y) == clone(learner).fit(Z, y).score(Z, y) > 0.9
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.9


def test_grid_search_finds_the_best_of_its_candidates() -> None:
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), PassiveAggressive(random_state=0))
    grid = {"passiveaggressive__C": [1e-6, 1.0], "passiveaggressive__variant": ["pa1", "pa2"]}
    search: Any = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
    scores = search.cv_results_["mean_test_score"]
    assert search.best_score_ == scores.max() > scores.min()
    assert search.best_params_["passiveaggressive__C"] == 1.0


@some_learners
def test_calibration_gives_probabilities(learner: Any) -> None:
    X, y = load_iris(return_X_y=True)
    model = CalibratedClassifierCV(make_pipeline(StandardScaler(), clone(learner)), cv=3).fit(X, y)
    probabilities = model.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    assert model.score(X, y) > 0.8


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


@every_learner
def test_weights_select_features(learner: Any) -> None:
    if isinstance(learner, VotedPerceptron):
        pytest.skip("a vote has no weights of its own")
    X, y = load_breast_cancer(return_X_y=True)
    chosen = SelectFromModel(clone(learner), threshold=-np.inf, max_features=3).fit(
        StandardScaler().fit_transform(X), y
    )
    weights = np.abs(chosen.estimator_.coef_).ravel()
    assert set(np.flatnonzero(chosen.get_support())) == set(np.argsort(-weights)[:3])


def test_sparse_formats_are_read_alike() -> None:
    X, y = load_iris(return_X_y=True)
    expected = Perceptron(max_iter=9).fit(sp.csr_matrix(X), y).predict(X)
    for kind in (sp.csc_matrix, sp.coo_array, sp.csr_array):
        np.testing.assert_array_equal(Perceptron(max_iter=9).fit(kind(X), y).predict(kind(X)), expected)
