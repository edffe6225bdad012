"""Rows and labels that are refused one at a time: by name, and before anything has changed."""

from __future__ import annotations

import datetime
import enum
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from drawn import integer_table
from linsep.learners import AveragedPerceptron, Perceptron
from linsep.types import DataError, PrecisionWarning


class Colour(enum.Enum):
    RED = 1


def planes(learner: Any) -> Any:
    return np.column_stack([learner.coef_, learner.intercept_])


# --------------------------------------------------------------------- errors
BAD = [
    ({"a": np.nan}, "x", "feature 'a': nan is not a finite number"),
    ({"a": "1.5"}, "x", "feature 'a': '1.5' is not a number"),
    ({"a": 1.0, "b": None}, "x", "feature 'b': None is not a number"),
    (sp.csr_matrix([[1.0, 2.0]]), "x", "this is a csr_matrix"),
    ("ab", "x", "a row is a dict of named features"),
    ({"a": 1.0}.items(), "x", "this is a dict_items"),
    ({"new": np.inf}, "x", "feature 'new': inf is not a finite number"),
    ({"a": "red"}, "x", "feature 'a': 'red' is not a number"),
    ({"new": None}, "x", "feature 'new': None is not a number"),
    ({1: 2.0}, "x", "a feature is named by a string, not by 1"),
    ({"a": np.inf, "b": -np.inf}, "x", "feature 'a': inf is not a finite number"),
    ({"a": np.nan}, "new", "feature 'a': nan is not a finite number"),
    ({"a": 1e200}, "x", "beyond 1e154"),
    ({"a": 1.0, "new": 1e200}, "x", "beyond 1e154"),
    (np.zeros((2, 2)), "x", "has shape"),
    (np.array([1.0, np.nan]), "x", "not a finite number"),
    ({"a": 1.0}, ["x"], "Unknown label type"),
    ({"a": 1.0}, None, "Unknown label type"),
]
BAD_LATER = [
    (np.zeros(3), "x", "a row of this learner has 2 values, this has shape"),
    ({"a": 1.0}, 3, "label 3 is of another kind than the classes x, y"),
]


@pytest.mark.parametrize(("x", "y", "message"), [*BAD, *BAD_LATER], ids=[m for *_, m in [*BAD, *BAD_LATER]])
def test_an_error_leaves_the_learner_as_it_was(x: Any, y: Any, message: str) -> None:
    learner = Perceptron(class_weight={"x": 2.0}).learn_one({"a": 1.0, "b": -2.0}, "x").learn_one({"a": -1.0}, "y")
    before = planes(learner).tolist(), learner.t_, learner.classes_.tolist(), learner.feature_names_in_.tolist()
    with pytest.raises(DataError, match=message):
        learner.learn_one(x, y)
    assert before == (planes(learner).tolist(), learner.t_, learner.classes_.tolist(), [*learner.feature_names_in_])


@pytest.mark.parametrize(("x", "y", "message"), BAD, ids=[m for *_, m in BAD])
def test_a_first_row_that_is_refused_leaves_nothing_behind(x: Any, y: Any, message: str) -> None:
    learner = Perceptron(class_weight={"x": 2.0})
    before = vars(learner).copy()
    with pytest.raises(DataError, match=message):
        learner.learn_one(x, y)
    assert vars(learner) == before


def test_a_closed_learner_refuses_a_new_class() -> None:
    learner = Perceptron().partial_fit([[1.0], [2.0]], ["x", "y"], classes=["x", "y"])
    with pytest.raises(DataError, match="label z is not one of the classes x, y; open_classes=True"):
        learner.learn_one(np.array([1.0]), "z")
    with pytest.raises(ValueError, match=r"row 0 .counted from 0.: label z is not one of the classes x, y"):
        learner.partial_fit([[1.0]], ["z"])


def test_parameters_are_checked_at_the_first_row() -> None:
    with pytest.raises(ValueError, match="max_iter"):
        Perceptron(max_iter=0).learn_one({"a": 1.0}, "x")


@pytest.mark.parametrize(
    "x", [{"a": np.nan}, {"a": "1.5"}, {"a": np.inf, "b": -np.inf}, np.array([np.nan, 0.0])], ids=repr
)
@pytest.mark.parametrize("learner", [Perceptron(), AveragedPerceptron()], ids=repr)
def test_predict_one_refuses_what_is_no_number(x: Any, learner: Any) -> None:
    for n_classes in (2, 3):
        online = clone(learner)
        for label in range(n_classes):
            online.learn_one({"a": 1.0 - label, "b": 2.0}, label)
        with pytest.raises(DataError, match=r"is not a finite number|is not a number"):
            online.predict_one(x)
        assert online.predict_one({"a": 1.0, "never seen": np.nan}) in range(n_classes)


def test_finite_numbers_may_have_too_large_a_sum() -> None:
    learner = Perceptron().learn_one({"a": 0.0, "b": 0.0}, 0)
    assert learner.predict_one({"a": 1.7e308, "b": 1.7e308}) == 0


@pytest.mark.parametrize("column", [10**13, 2**62])
def test_a_column_beyond_memory_is_named(column: int) -> None:
    learner = Perceptron().learn_one(np.array([1.0, 0.0, 2.0]), 1)
    with pytest.raises(DataError, match=f"{column + 1} features; this learner has 3"):
        learner.widen(column + 1, [])
    assert learner.n_features_in_ == 3 and learner.coef_.shape == (1, 3)


# ---------------------------------------------------------------------- labels
STRANGE = [np.nan, 2.5, None, datetime.date(2020, 1, 1), (1, 2), np.datetime64("2020-01-01"), Colour.RED, b"x"]


@pytest.mark.parametrize("label", STRANGE, ids=repr)
def test_labels_of_other_types_are_refused_by_name(label: Any) -> None:
    for learner in (Perceptron(), Perceptron().learn_one(np.array([1.0]), 1)):
        with pytest.raises(DataError, match=r"Unknown label type: .*Labels are text, whole numbers or truth values"):
            learner.learn_one(np.array([1.0]), label)
    y = np.empty(2, dtype=object)
    y[:] = [label, label]
    for labels in (y, y.tolist()):
        with pytest.raises(DataError, match="Unknown label type"):
            Perceptron().fit([[1.0], [2.0]], labels)


@pytest.mark.parametrize("labels", [[1, "a"], [1, True], ["a", None], [1, 2.5], [True, "True"]], ids=repr)
def test_labels_of_two_kinds_are_refused(labels: Any) -> None:
    for y in (labels, np.array(labels, dtype=object)):
        with pytest.raises(DataError, match="Unknown label type"):
            Perceptron().fit([[1.0], [2.0]], y)
        with pytest.raises(DataError, match="Unknown label type"):
            Perceptron().partial_fit([[1.0]], [labels[0]], classes=y)
    online = Perceptron().learn_one(np.array([1.0]), labels[0])
    with pytest.raises(DataError, match=r"Unknown label type|of another kind than the classes"):
        online.learn_one(np.array([1.0]), labels[1])
    with pytest.raises(DataError, match=r"Unknown label type|of another kind than the classes"):
        online.partial_fit([[1.0]], [labels[1]])
    assert online.classes_.tolist() == [labels[0]]


def test_whole_numbers_of_any_type_are_the_same_labels() -> None:
    learner = Perceptron().learn_one(np.array([1.0]), 1).learn_one(np.array([1.0]), np.int8(1))
    learner.learn_one(np.array([1.0]), 1.0).learn_one(np.array([-1.0]), 2.0)
    assert learner.classes_.dtype.kind == "i" and learner.classes_.tolist() == [1, 2]
    assert learner.fit([[1.0], [-1.0]], np.array([1, 2], dtype=object)).classes_.tolist() == [1, 2]


@pytest.mark.parametrize("multi_class", ["ovr", "multiclass"])
def test_classes_named_at_the_first_row_are_there_from_the_start(multi_class: str) -> None:
    X, y = integer_table(8, 60, 4, 3)
    online = Perceptron(multi_class=multi_class)
    table = Perceptron(multi_class=multi_class)
    for x, label in zip(X, y, strict=True):
        online.learn_one({f"x{j}": v for j, v in enumerate(x)}, label, classes=[2, 1, 0])
        table.partial_fit(x[None], [label], classes=[0, 1, 2])
    np.testing.assert_array_equal(planes(online), planes(table))
    with pytest.raises(DataError, match="label 3 is not one of the classes 0, 1, 2"):
        online.learn_one({"x0": 1.0}, 3)
    with pytest.raises(ValueError, match="not the same as on the first call"):
        online.learn_one({"x0": 1.0}, 1, classes=[0, 1])
    with pytest.raises(DataError, match="label 7 is not one of the classes 0, 1"):
        Perceptron().learn_one({"x0": 1.0}, 7, classes=[0, 1])


def test_weights_that_count_all_rows_are_refused_for_some() -> None:
    learner = Perceptron(class_weight="balanced")
    with pytest.raises(ValueError, match="counts all rows, and these come in parts"):
        learner.learn_one({"a": 1.0}, "x")
    with pytest.raises(ValueError, match="counts all rows, and these come in parts"):
        learner.partial_fit([[1.0]], ["x"], ["x", "y"])
    assert not hasattr(learner, "classes_")


def test_an_absorbed_row_warns() -> None:
    learner = Perceptron(fit_intercept=False).learn_one(np.array([2.0**54]), 1)
    with pytest.warns(PrecisionWarning, match="1 update"):
        learner.learn_one(np.array([1.0]), 0)
