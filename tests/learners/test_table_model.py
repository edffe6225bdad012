"""TableModel: a table goes in, labels by name come out, and what the learner computes is what it computes alone."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

from linsep import (
    MLP,
    AveragedPerceptron,
    KernelPerceptron,
    Perceptron,
    Rocchio,
    TableEncoder,
    TableModel,
    VotedPerceptron,
    fit_table,
    load,
    load_with_extra,
    open_data,
    save,
)
from linsep.learners.predicting import default_learner
from linsep.types import DataError

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def shop(n: int = 120, seed: int = 0) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(seed)
    city = rng.choice(["Oslo", "Rome", "Bonn"], size=n)
    frame = pd.DataFrame({"age": rng.normal(40, 9, n), "city": city, "visits": rng.integers(0, 9, n)})
    z = (frame["age"] - 40) / 9 + (city == "Rome") - (city == "Oslo") + 0.2 * rng.normal(size=n)
    return frame, np.where(z > 0, "buys", "leaves")


# ------------------------------------------------------------------ the learner
@pytest.mark.parametrize(
    "learner", [Perceptron(), AveragedPerceptron(random_state=0), Rocchio(), MLP(max_iter=9, random_state=0)]
)
def test_a_matrix_goes_to_the_learner_as_it_is(learner: Any) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    for rows in (X[:99], sp.csr_matrix(X[:99])):
        model = TableModel(learner).fit(rows, y[:99])
        assert model.encoder_ is None
        alone = clone(learner).fit(rows, y[:99])
        np.testing.assert_array_equal(model.decision_function(rows), alone.decision_function(rows))
        np.testing.assert_array_equal(model.predict(rows), alone.predict(rows))
        assert model.score(rows, y[:99]) == alone.score(rows, y[:99])


@pytest.mark.parametrize("positive", [None, "buys", "leaves"])
def test_a_table_gives_the_weights_of_its_encoded_rows(positive: str | None) -> None:
    frame, y = shop()
    model = TableModel(AveragedPerceptron(random_state=1), positive=positive).fit(frame, y)
    rows = TableEncoder().fit(frame).transform(frame)
    alone = AveragedPerceptron(random_state=1).fit(rows, y if positive is None else (y == positive).astype(int))
    np.testing.assert_array_equal(model.learner_.coef_, alone.coef_)
    assert model.classes_.tolist() == (["buys", "leaves"] if positive in (None, "leaves") else ["leaves", "buys"])
    assert model.encoder_ is not None
    np.testing.assert_array_equal(model.encoder_.transform(frame), rows)
    said = model.classes_[(alone.decision_function(rows) >= 0).astype(int)]
    assert model.predict(frame).tolist() == said.tolist()


def test_frames_of_every_kind_are_the_same_table() -> None:
    frame, y = shop()
    expected = TableModel().fit(frame, y).decision_function(frame)
    for table in (
        pl.DataFrame(frame.to_dict(orient="list")),
        pa.table({str(name): values for name, values in frame.to_dict(orient="list").items()}),
    ):
        model = TableModel().fit(table, pd.Series(y, dtype="category"))
        np.testing.assert_array_equal(model.decision_function(table), expected)
    source = open_data(frame.assign(y=y), target="y")
    np.testing.assert_array_equal(TableModel().fit(source).decision_function(source), expected)
    assert TableModel().fit(source).score(source) == TableModel().fit(frame, y).score(frame, y) > 0.7


# -------------------------------------------------------------------- the names
LABELS: list[Any] = [[False, True], [-3, 7], [0.5, 1.5], ["no", "yes"], [0, 5, 9], [0.5, 1.5, 2.5], ["a", "b", "c"]]


@pytest.mark.parametrize("labels", LABELS)
def test_labels_of_any_type_are_names(labels: list[Any], tmp_path: Path) -> None:
    frame, _ = shop(60)
    y = np.array(labels)[np.arange(60) % len(labels)]
    model = TableModel().fit(frame, y)
    assert model.classes_.tolist() == labels
    codes = np.arange(60) % len(labels)
    expected = default_learner().fit(TableEncoder().fit(frame).transform(frame), codes)
    np.testing.assert_array_equal(model.learner_.coef_, expected.coef_)
    assert model.encoder_ is not None
    said = np.array(labels)[expected.predict(model.encoder_.transform(frame))].tolist()
    assert model.predict(frame).tolist() == said
    right = np.mean([a == b for a, b in zip(said, y.tolist(), strict=True)])
    assert (
        model.score(frame, y)
        == fit_table(open_data(frame.assign(y=y), target="y")).receipt.data["training_accuracy"]
        == right
    )
    streamed = TableModel(AveragedPerceptron()).partial_fit(frame, y, classes=labels)
    assert streamed.classes_.tolist() == labels == streamed.partial_fit(frame, y).classes_.tolist()
    save(model, tmp_path / "m")
    again = load(tmp_path / "m")
    assert again.classes_.dtype == model.classes_.dtype
    assert again.predict(frame).tolist() == said


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        (np.array(["2020-01-01", "2021-01-01"], "datetime64[ns]"), ["2020-01-01 00:00:00", "2021-01-01 00:00:00"]),
        (np.array([1, 2], "timedelta64[D]"), ["1 day, 0:00:00", "2 days, 0:00:00"]),
        ([date(2020, 1, 1), date(2021, 1, 1)], ["2020-01-01", "2021-01-01"]),
        ([Decimal("0.1"), Decimal("0.2")], ["0.1", "0.2"]),
        (np.array([b"a", b"b"]), ["a", "b"]),
    ],
)
def test_other_labels_are_called_as_they_are_written(labels: Any, names: list[str]) -> None:
    frame, _ = shop(60)
    y = pd.Series([labels[k % 2] for k in range(60)])
    model = TableModel().fit(frame, y)
    assert model.classes_.tolist() == names
    assert model.score(frame, y) == model.score(frame, [names[k % 2] for k in range(60)])


def test_a_matrix_goes_to_the_learner_as_it_is_so_fractions_are_refused() -> None:
    model = TableModel()
    with pytest.raises(DataError, match=r"Unknown label type: 0.5"):
        model.fit(np.eye(4), [0.5, 1.5, 0.5, 1.5])
    assert not hasattr(model, "learner_")


def test_one_class_against_the_rest() -> None:
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = TableModel(positive="virginica").fit(X, names)
    assert model.classes_.tolist() == ["not virginica", "virginica"]
    alone = default_learner().fit(X, (names == "virginica").astype(int))
    np.testing.assert_array_equal(model.learner_.coef_, alone.coef_)
    assert model.score(X, names) == alone.score(X, (names == "virginica").astype(int))
    with pytest.raises(DataError, match="no row has the label 'rosa': the labels are setosa, versicolor, virginica"):
        TableModel(positive="rosa").fit(X, names)
    weighted = TableModel(Perceptron(class_weight={"virginica": 3.0}), positive="virginica").fit(X, names)
    assert weighted.learner_.class_weight == {1: 3.0}
    with pytest.raises(DataError, match="class_weight names 'setosa', which is not one of the classes"):
        TableModel(Perceptron(class_weight={"setosa": 3.0}), positive="virginica").fit(X, names)


def test_columns_are_found_by_name() -> None:
    frame, y = shop()
    model = TableModel().fit(frame, y)
    assert model.feature_names_in_.tolist() == ["age", "city", "visits"]
    assert model.n_features_in_ == 3
    z = model.decision_function(frame)
    np.testing.assert_array_equal(model.decision_function(frame[["visits", "city", "age"]].assign(more="x")), z)
    with pytest.raises(DataError, match="columns missing: 'age'"):
        model.predict(frame.drop(columns="age"))
    with pytest.raises(DataError, match="is not a number, and the column holds numbers"):
        model.predict(frame.assign(age="old"))
    with pytest.warns(UserWarning, match="X does not have valid feature names, but TableModel was fitted"):
        np.testing.assert_array_equal(model.predict(frame.to_numpy()), model.predict(frame))
    with pytest.raises(DataError, match="trained on 3 columns, and these rows have shape"):
        model.predict(np.eye(2))


# --------------------------------------------------------------- in scikit-learn
def test_pipelines_searches_and_clones() -> None:
    frame, y = shop()
    model = TableModel(AveragedPerceptron(random_state=0))
    assert cross_val_score(model, frame, y, cv=3).mean() > 0.8
    search = GridSearchCV(model, {"learner__max_iter": [1, 20]}, cv=3, scoring="accuracy").fit(frame, y)
    assert search.best_estimator_.learner_.max_iter in (1, 20)
    pipeline = make_pipeline("passthrough", model).fit(frame, y)
    np.testing.assert_array_equal(pipeline.predict(frame), clone(model).fit(frame, y).predict(frame))
    copied = clone(pipeline[-1])
    assert not hasattr(copied, "learner_")
    assert not hasattr(copied, "n_features_in_")
    with pytest.raises(NotFittedError):
        copied.predict(frame)
    assert not hasattr(TableModel(), "predict_proba")
    assert not hasattr(TableModel(KernelPerceptron()), "nothing")
    assert not hasattr(TableModel(VotedPerceptron()), "predict_proba")
    assert not hasattr(TableModel(MLP()), "partial_fit")


# ------------------------------------------------------------------ streams, errors
def test_partial_fit_is_the_encoder_and_the_learner_in_turn() -> None:
    frame, y = shop()
    model, learner, encoder = TableModel(), default_learner(), TableEncoder()
    for part in (slice(0, 50), slice(50, 120)):
        model.partial_fit(frame[part], y[part], classes=["buys", "leaves"])
        rows = encoder.learn_chunk(open_data(frame[part]).read())
        learner.partial_fit(rows, y[part], classes=["buys", "leaves"])
    np.testing.assert_array_equal(model.learner_.coef_, learner.coef_)
    assert model.score(frame, y) == learner.score(encoder.transform(frame), y)
    once = TableModel(positive="leaves").partial_fit(frame, y)
    assert once.classes_.tolist() == ["not leaves", "leaves"]
    assert once.partial_fit(frame, np.where(y == "buys", "asks", y)).learner_.t_ == 240
    fitted = TableModel().fit(frame, y)
    names = fitted.get_feature_names_out().tolist()
    assert fitted.partial_fit(frame, y).get_feature_names_out().tolist() == names
    matrix = TableModel().partial_fit(np.eye(2), [0, 1], classes=[0, 1])
    np.testing.assert_array_equal(
        matrix.learner_.coef_, default_learner().partial_fit(np.eye(2), [0, 1], classes=[0, 1]).coef_
    )


def everything(model: TableModel) -> str:
    arrays = model.learner_.get_state()[1] | model.encoder_.state()[1] if model.encoder_ else {}
    told = {name: array.tolist() for name, array in arrays.items()}
    return repr((model.get_params(), model.classes_.tolist(), told))


def test_an_error_changes_nothing() -> None:
    frame, y = shop()
    streamed = TableModel().partial_fit(frame, y, classes=["buys", "leaves"])
    before = everything(streamed)
    for X, labels in [
        (frame, np.where(y == "buys", "asks", y)),
        (frame.assign(age="old"), y),
        (frame.drop(columns="city"), y),
        (frame, y[:5]),
        (frame, None),
    ]:
        with pytest.raises(ValueError, match=r".+"):
            streamed.partial_fit(X, labels)
        assert everything(streamed) == before
    fitted = TableModel().fit(frame, y)
    before = everything(fitted)
    wrong: list[tuple[Any, Any]] = [(frame, ["a"] * 120), (frame.assign(age=np.inf), y), ("t.csv", y), (frame, y[:5])]
    for X, labels in wrong:
        with pytest.raises(ValueError, match=r".+"):
            fitted.fit(X, labels)
        assert everything(fitted) == before


def test_ctrl_c_keeps_the_model_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Perceptron, "batch_epochs", 1)  # `verbose` is asked after each epoch
    frame, y = shop()

    def stop(epochs: int, mistakes: int, seconds: float) -> None:
        if epochs >= 3:
            raise KeyboardInterrupt

    model = TableModel(Perceptron(verbose=stop, max_iter=None))
    with pytest.raises(KeyboardInterrupt):
        model.fit(frame, y)
    assert model.learner_.n_iter_ == 3
    assert model.score(frame, y) > 0.5


# ------------------------------------------------------------------------ files
@pytest.mark.parametrize("positive", [None, "buys"])
def test_a_saved_model_goes_on_as_if_it_had_not_stopped(positive: str | None, tmp_path: Path) -> None:
    frame, y = shop()
    straight = TableModel(Perceptron(class_weight={"buys": 2.0}), positive=positive)
    straight.partial_fit(frame[:60], y[:60], classes=["buys", "leaves"])
    save(straight, tmp_path / "m")
    again = load(tmp_path / "m")
    assert again.learner.class_weight == {"buys": 2.0}
    again.partial_fit(frame[60:], y[60:])
    straight.partial_fit(frame[60:], y[60:])
    np.testing.assert_array_equal(straight.decision_function(frame), again.decision_function(frame))
    np.testing.assert_array_equal(straight.predict(frame), again.predict(frame))


def test_extra_values_are_kept_beside_the_model(tmp_path: Path) -> None:
    model = TableModel().fit(np.eye(2), [0, 1])
    extra = {"stream": {"rows": [1, 2], "name": "a"}, "pair": (1, 2)}
    save(model, tmp_path / "m", extra=extra)
    again, found = load_with_extra(tmp_path / "m")
    assert found == extra
    assert again.predict(np.eye(2)).tolist() == [0, 1]
    save(again, tmp_path / "m")
    assert load_with_extra(tmp_path / "m")[1] == {}
    with pytest.raises(DataError, match="extra is or holds a ndarray"):
        save(model, tmp_path / "m", extra={"a": np.eye(2)})


def test_parts_that_are_trained_already() -> None:
    frame, y = shop()
    encoder = TableEncoder().fit(frame)
    learner = Perceptron().fit(encoder.transform(frame), (y == "buys").astype(int))
    model = TableModel.of(learner, encoder, ["leaves", "buys"])
    assert model.learner_ is learner
    assert (
        model.predict(frame).tolist() == np.where(learner.predict(encoder.transform(frame)), "buys", "leaves").tolist()
    )
    with pytest.raises(DataError, match="the learner has 2 classes, and 3 names were given"):
        TableModel.of(learner, encoder, ["a", "b", "c"])
    with pytest.raises(NotFittedError):
        TableModel.of(Perceptron())
