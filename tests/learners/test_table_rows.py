"""`predict_one` and `learn_one` of a `TableModel`: to the last bit what tables of one row give."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linsep import AveragedPerceptron, DataError, PassiveAggressive, Perceptron, TableEncoder, TableModel, save

LEARNERS = tuple(kind(max_iter=2, random_state=0) for kind in (Perceptron, AveragedPerceptron, PassiveAggressive))
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
Row = dict[str, Any]

levels = st.sampled_from([f"c{k}" for k in range(12)])


@st.composite
def tables(draw: Any) -> tuple[list[Row], list[str]]:
    """Rows of some numbers and categories, and labels of two or three classes."""
    kinds = draw(st.lists(st.sampled_from(["number", "category"]), min_size=1, max_size=5))
    cells = {f"{kind[0]}{j}": st.floats(-9, 9) if kind == "number" else levels for j, kind in enumerate(kinds)}
    rows = draw(st.lists(st.fixed_dictionaries(cells), min_size=4, max_size=12))
    labels = draw(st.lists(st.sampled_from("abc"), min_size=len(rows), max_size=len(rows)))
    return rows, ["a", "b", *labels[2:]]


def table_of(rows: list[Row]) -> pa.Table:
    return pa.table({name: [row[name] for row in rows] for name in rows[0]})


def state_of(model: TableModel) -> list[Any]:
    meta, arrays = model.encoder_.state() if model.encoder_ is not None else ({}, {})
    learnt, weights = model.learner_.get_state()
    learnt.pop("n_iter_", None)
    return [meta, learnt, *(a.tobytes() for a in {**arrays, **weights}.values()), model.classes_.tolist()]


@settings(max_examples=30)
@given(tables(), st.sampled_from(LEARNERS), st.integers(0, 3))
def test_rows_of_a_stream(table: tuple[list[Row], list[str]], learner: Any, later: int) -> None:
    """`learn_one` leaves what `partial_fit` of one row at a time leaves, also where hashed columns meet."""
    rows, labels = table
    encoder = TableEncoder(bits=8, columns={name: {"n": "number", "c": "category"}[name[0]] for name in rows[0]})
    one, many = (TableModel(learner, encoder=encoder) for _ in range(2))
    for i, (row, label) in enumerate(zip(rows, labels, strict=True)):
        classes = None if i else ["a", "b", "c"]
        one.learn_one(row, label, classes)
        many.partial_fit(table_of([row]), [label], classes)
        assert state_of(one) == state_of(many)
    assert [one.predict_one(row) for row in rows[later:]] == many.predict(table_of(rows)).tolist()[later:]


@settings(max_examples=30)
@given(tables(), st.sampled_from(LEARNERS))
def test_rows_after_fit(table: tuple[list[Row], list[str]], learner: Any) -> None:
    """After `fit` the encoder stays and the learner goes on."""
    rows, labels = table
    columns = {name: {"n": "number", "c": "category"}[name[0]] for name in rows[0]}
    one, many = (TableModel(learner, encoder=TableEncoder(columns=columns)) for _ in range(2))
    for model in (one, many):
        model.fit(table_of(rows), labels)
    assert [one.predict_one(row) for row in rows] == one.predict(table_of(rows)).tolist()
    for row, label in zip(rows, labels, strict=True):
        assert one.learn_one(row, label) is one
        many.partial_fit(table_of([row]), [label])
    assert state_of(one) == state_of(many)


def fitted(**how: Any) -> TableModel:
    rows = {"age": [20.0, None, 40.0, 51.5], "city": ["Oslo", "Rome", "Oslo", "Rome"], "day": ["2026-01-02"] * 4}
    return TableModel(Perceptron(random_state=0), **how).fit(pa.table(rows), ["no", "no", "yes", "yes"])


@pytest.mark.filterwarnings("ignore::linsep.types.MissingWarning")
def test_rows_that_need_a_table() -> None:
    """Missing values, levels that are new, numbers as text, dates, other types and columns: as in a table."""
    model = fitted()
    row = {"age": 30.0, "city": "Oslo", "day": "2026-01-03"}
    for change in ({}, {"age": None}, {"age": "31"}, {"city": "Bari"}, {"city": None}, {"more": 3}, {"age": True}):
        given = row | change
        assert model.predict_one(given) == model.predict(table_of([given])).item(), change
    plain = TableModel(Perceptron(random_state=0)).fit(
        pa.table({"x": [1.0, 2.0, 4.0], "u": [0.5, 1.5, 1.5]}), [1, 1, 2]
    )
    others: list[Row] = [{"x": True, "u": 3}, {"u": np.float32(2), "x": 1}, {"x": float("nan"), "u": 2.0}]
    for given in others:
        assert plain.predict_one(given) == plain.predict(table_of([given])).item()


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"age": 3.0}, "columns missing: 'city', 'day'"),
        ({"age": "old", "city": "Oslo", "day": "2026-01-03"}, "'old' is not a number"),
        ({"age": float("inf"), "city": "Oslo", "day": "2026-01-03"}, "inf is not a finite number"),
        ({"age": object(), "city": "Oslo", "day": "2026-01-03"}, "what no column of a table can hold"),
    ],
)
def test_bad_rows(row: Row, message: str) -> None:
    with pytest.raises(DataError, match=message):
        fitted().predict_one(row)


@pytest.mark.filterwarnings("ignore::linsep.MissingWarning")
@pytest.mark.parametrize("nothing", [pd.NaT, pd.NA, np.datetime64("NaT")])
@pytest.mark.parametrize("column", ["age", "city", "day"])
def test_a_missing_value_of_any_library_is_missing(column: str, nothing: Any) -> None:
    row: Row = {"age": 3.0, "city": "Oslo", "day": "2026-01-03"}
    assert fitted().predict_one(row | {column: nothing}) == fitted().predict_one(row | {column: None})


def test_integers_of_any_size_are_doubles() -> None:
    row: Row = {"city": "Oslo", "day": "2026-01-03"}
    assert fitted().predict_one(row | {"age": 2**63 + 1}) == fitted().predict_one(row | {"age": 2.0**63})


@pytest.mark.parametrize("row", [np.array([1.0, 2.0]), [1.0, 2.0], "ab", None])
def test_a_row_of_named_columns_is_a_dict(row: Any) -> None:
    model = TableModel(Perceptron()).learn_one({"a": 1.0, "g": "u"}, "p")
    for call in (model.predict_one, lambda x: model.learn_one(x, "q")):
        with pytest.raises(DataError, match="is a dict of its columns"):
            call(row)


def test_nothing_changes_after_an_error() -> None:
    """A row or a label that is refused leaves means, weights and classes as they were."""
    model = TableModel(Perceptron())
    for row, label in (({"x": 1.0}, "a"), ({"x": 2.0}, "b"), ({"x": 4.0}, "a")):
        model.learn_one(row, label)
    before = state_of(model)
    refused: list[tuple[Row, Any]] = [({"x": 1e200}, "a"), ({"x": 1.0}, 3), ({"x": "old"}, "a"), ({"y": 1.0}, "a")]
    for row, label in refused:
        with pytest.raises(DataError):
            model.learn_one(row, label)
        assert state_of(model) == before


def test_classes_join_and_positive() -> None:
    """Without classes each label joins; with `positive` all others are the rest."""
    rows, labels = [{"x": float(k), "z": 1.0} for k in range(9)], list("abcabcabc")
    model, rest = TableModel(Perceptron()), TableModel(Perceptron(), positive="b")
    for row, label in zip(rows, labels, strict=True):
        model.learn_one(row, label)
        rest.learn_one(row, label)
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert rest.classes_.tolist() == ["not b", "b"]
    assert rest.predict_one(rows[0]) in ("b", "not b")


def test_rows_of_a_matrix() -> None:
    X = np.array([[1.0, 2.0], [3.0, -1.0], [0.0, 1.0]])
    one = TableModel(Perceptron())
    many = Perceptron().partial_fit(X, [0, 1, 1], classes=[0, 1])
    for x, label in zip(X, [0, 1, 1], strict=True):
        one.learn_one(x, label, [0, 1])
    assert np.array_equal(one.learner_.coef_, many.coef_)
    assert [one.predict_one(x) for x in X] == many.predict(X).tolist()


def test_a_loaded_model_answers_without_numba_or_sklearn(tmp_path: Path) -> None:
    """The first rows are answered without what takes long to load."""
    model = fitted()
    save(model, tmp_path / "m.linsep")
    code = (
        "import sys, linsep\n"
        f"model = linsep.load({str(tmp_path / 'm.linsep')!r})\n"
        "print(model.predict_one({'age': 60.0, 'city': 'Rome', 'day': '2026-01-02'}))\n"
        "print([name for name in ('numba', 'sklearn', 'scipy.stats') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [fitted().predict_one({"age": 60.0, "city": "Rome", "day": "2026-01-02"}), "[]"]
