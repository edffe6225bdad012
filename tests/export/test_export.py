"""Exported models say what the model says: run in DuckDB, SQLite, onnxruntime and by hand from JSON."""

from __future__ import annotations

import importlib.util
import json
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from in_process import linsep
from linsep import learners, load, open_data
from linsep.data.features.encoder import TableEncoder
from linsep.export import to_json, to_onnx, to_sql
from linsep.learners.table_model import TableModel
from linsep.types import DataError

FOLDER = Path(__file__).parents[1] / "data" / "models"
EXPORTED = ("averaged", "margin", "pa1", "pocket", "perceptron", "rocchio")
LINEAR = sorted(path.name for path in FOLDER.glob("*.linsep") if path.name.startswith(EXPORTED))
NASTY = ['"', "';DROP TABLE rows;--", "a b\n", "decision_value", "label", "prediction", "é", "t", "s.z1"]


def close(a: Any, b: Any) -> None:
    np.testing.assert_allclose(np.asarray(a, dtype=float), b, rtol=1e-12, atol=1e-12)


def in_duckdb(query: str, columns: dict[str, Any]) -> tuple[Any, list[Any]]:
    with duckdb.connect() as base:
        base.register("rows", pa.table(columns))
        return split(base.execute(query).fetchall(), len(columns))


def in_sqlite(query: str, columns: dict[str, Any]) -> tuple[Any, list[Any]]:
    base = sqlite3.connect(":memory:")
    try:
        names = ", ".join('"' + name.replace('"', '""') + '"' for name in columns)
        base.execute(f"CREATE TABLE rows ({names})")
        marks = ", ".join("?" * len(columns))
        rows = zip(*(np.asarray(values).tolist() for values in columns.values()), strict=True)
        base.executemany(f"INSERT INTO rows VALUES ({marks})", rows)
        return split(base.execute(query).fetchall(), len(columns))
    finally:
        base.close()


def split(rows: list[Any], n_columns: int) -> tuple[Any, list[Any]]:
    """Decision values and labels, before the columns of the table."""
    values = [row[1:-n_columns] for row in rows]
    return (values if len(values[0]) > 1 else [v[0] for v in values]), [row[0] for row in rows]


def in_onnx(graph: bytes, columns: dict[str, Any]) -> tuple[Any, list[Any]]:
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(graph)
    if [x.name for x in session.get_inputs()] == ["X"]:
        given: Any = {"X": np.column_stack(list(columns.values()))}
    else:
        asked = {x.name: x.type for x in session.get_inputs()}
        given = {
            name: np.asarray(columns[name], dtype=object if "string" in kind else float).reshape(-1, 1)
            for name, kind in asked.items()
        }
    label, value = session.run(None, given)
    return value, label.tolist()


def by_hand(text: str, columns: dict[str, Any]) -> tuple[Any, list[Any]]:
    """What a reader makes of the JSON who follows its "how", with the numbers in hex."""
    model = json.loads(text)
    values, labels = [], []
    for i in range(len(next(iter(columns.values())))):
        z = [float.fromhex(b) for b in model["intercept_hex"]]
        for x in model["inputs"]:
            if x["kind"] == "number":
                f = (columns[x["name"]][i] - float.fromhex(x["mean_hex"])) / float.fromhex(x["scale_hex"])
                z = [a + float.fromhex(w) * f for a, w in zip(z, x["weights_hex"], strict=True)]
            elif columns[x["name"]][i] in x["levels_hex"]:
                weights = x["levels_hex"][columns[x["name"]][i]]
                z = [a + float.fromhex(w) for a, w in zip(z, weights, strict=True)]
        values.append(z if len(z) > 1 else z[0])
        labels.append(model["classes"][int(np.argmax(z)) if len(z) > 1 else int(z[0] >= 0)])
    return values, labels


def agree(model: Any, X: Any, columns: dict[str, Any]) -> None:
    """Every export gives the decision values to rounding and the very labels."""
    z, labels = model.decision_function(X), model.predict(X).tolist()
    query = to_sql(model)
    everyone = [in_duckdb(query, columns), in_sqlite(query, columns), by_hand(to_json(model), columns)]
    for value, label in everyone:
        close(value, z)
        assert label == labels
    pytest.importorskip("onnx")
    value, label = in_onnx(to_onnx(model), columns)
    close(value, z)
    assert label == labels


@pytest.mark.parametrize("name", LINEAR)
def test_exports_of_model_files_agree_with_the_model(name: str) -> None:
    model = load(FOLDER / name)
    if "svmlight" in name:
        X = open_data(FOLDER / "rows.svmlight").read().X.toarray()
        columns: dict[str, Any] = {f"x{j + 1}": X[:, j] for j in range(X.shape[1])}
    else:
        table = pd.read_csv(FOLDER / "rows.csv")
        columns = {str(name): values for name, values in table.to_dict(orient="list").items()}
        columns["city"][0] = "Ulm"  # a level that was not there
        X = table.assign(city=columns["city"])
    agree(model, X, columns)


def test_names_and_levels_that_look_like_code() -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(40, len(NASTY))), columns=NASTY)
    table["it's"] = rng.choice([*NASTY, "", "\\"], size=40)
    label = np.where(table['"'] + rng.normal(size=40) > 0, "yes' OR 1=1;--", 'no"')
    model = TableModel(learners.AveragedPerceptron(shuffle=False)).fit(table, label)
    agree(model, table, {str(name): values for name, values in table.to_dict(orient="list").items()})


@pytest.mark.parametrize("labels", [[False, True], [-3, 7], [-1.0, 2.0], [0, 5, 9], ["a", "b", "c", "d"]])
def test_labels_keep_their_type_and_ties_their_side(labels: list[Any]) -> None:
    # Whole numbers, so that every sum is exact and ties are ties everywhere.
    rng = np.random.default_rng(1)
    X = rng.integers(-2, 3, size=(60, 3)).astype(float)
    model = learners.PassiveAggressive(shuffle=False).fit(X, np.array(labels)[rng.integers(len(labels), size=60)])
    model.coef_, model.intercept_ = np.round(model.coef_), np.round(model.intercept_)
    z = model.decision_function(X)
    ties = (z == 0) if z.ndim == 1 else (np.sort(z, axis=1)[:, -1] == np.sort(z, axis=1)[:, -2])
    assert ties.any()
    agree(model, X, {f"x{j + 1}": X[:, j] for j in range(3)})


def test_single_precision_and_named_columns() -> None:
    onnx = pytest.importorskip("onnx")
    X = np.random.default_rng(2).normal(size=(50, 3)).astype(np.float32)
    model = learners.Rocchio().fit(pd.DataFrame(X, columns=["a", "b", "c"]), X[:, 0] > 0.1)
    model.coef_ = model.coef_.astype(np.float32)
    graph = onnx.load_from_string(to_onnx(model))
    assert [x.name for x in graph.graph.input] == ["a", "b", "c"]
    assert {x.type.tensor_type.elem_type for x in graph.graph.input} == {onnx.TensorProto.FLOAT}


@pytest.mark.filterwarnings("ignore::linsep.MissingWarning")
@pytest.mark.parametrize("way", ["mean", "median", "drop", "error"])
def test_a_missing_value_is_what_predict_makes_of_it(way: Any) -> None:
    table = pd.DataFrame({"x": [1.0, -1.0, 2.0, 9.0], "c": ["u", "v", "v", ""]})
    asked = pd.DataFrame({"x": [np.nan, 1.0, np.nan, 1.0], "c": ["u", None, None, "u"]})
    given = {"x": np.array([None, 1.0, None, 1.0]), "c": np.array(["u", None, None, "u"], dtype=object)}
    for labels in ([1, 0, 1, 1], [0, 1, 2, 1]):
        kept = table if way in ("mean", "median") else table.iloc[:3]
        encoder = TableEncoder(missing=way)
        model = TableModel(learners.AveragedPerceptron(shuffle=False), encoder=encoder).fit(kept, labels[: len(kept)])
        for run in (in_duckdb, in_sqlite):
            values, found = run(to_sql(model), given)
            if way in ("mean", "median"):
                close(values, model.decision_function(asked))
                assert found == model.predict(asked).tolist()
            else:
                assert found[:3] == [None] * 3
                assert found[3] is not None
        if way in ("mean", "median") and importlib.util.find_spec("onnx") and importlib.util.find_spec("onnxruntime"):
            values, found = in_onnx(to_onnx(model), {"x": asked["x"], "c": asked["c"].fillna("")})
            close(values, model.decision_function(asked))
            assert found == model.predict(asked).tolist()


def test_true_and_false_are_the_same_in_text_files_and_databases(tmp_path: Path) -> None:
    frame = pd.DataFrame({"on": [True, False, True, False, False], "x": [1.0, 2.0, 0.5, 1.5, 3.0]})
    labels = ["p", "q", "p", "q", "q"]
    frame.assign(y=labels).to_csv(tmp_path / "t.csv", index=False)
    model = TableModel().fit(open_data(tmp_path / "t.csv", target="y"))
    assert np.array_equal(model.learner_.coef_, TableModel().fit(frame, labels).learner_.coef_)
    values, found = in_duckdb(to_sql(model), {"on": frame["on"].to_numpy(), "x": frame["x"].to_numpy()})
    assert found == model.predict(frame).tolist()
    close(values, model.decision_function(frame))


def test_thousands_of_terms_are_not_too_deep() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(3, 1500))
    model = learners.Perceptron().fit(X, [0, 1, 0])
    query = to_sql(model, table="s.t")
    assert 'FROM "s"."t" AS t' in query
    values, _ = in_duckdb(to_sql(model, postgresql=True), {f"x{j + 1}": X[:, j] for j in range(1500)})
    close(values, model.decision_function(X))
    values, _ = in_sqlite(to_sql(model), {f"x{j + 1}": X[:, j] for j in range(1500)})
    close(values, model.decision_function(X))
    wide = learners.Perceptron().fit(np.eye(2, 30_000), [0, 1])
    with pytest.raises(DataError, match="30,000 weights as one SQL expression"):
        to_sql(wide)


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_come_back_to_the_bit(w: float, b: float) -> None:
    model = learners.Perceptron().fit(np.array([[-1.0], [2.0]]), [0, 1])
    model.coef_[0, 0], model.intercept_[0] = w, b
    found = json.loads(to_json(model))
    assert found["inputs"][0]["weights"] == [w]
    assert found["intercept"] == [b]
    assert float.fromhex(found["inputs"][0]["weights_hex"][0]) == w
    with duckdb.connect() as base:
        base.execute("CREATE TABLE rows AS SELECT 0.0 AS x1")
        assert base.execute(to_sql(model)).fetchall()[0][1] == b


# ----------------------------------------------------------------- refusals
def test_what_is_no_formula_is_refused() -> None:
    X, y = np.array([[-1.0], [2.0]]), [0, 1]
    for model, why in [
        (learners.VotedPerceptron().fit(X, y), "does not predict by one weight for each feature"),
        (TableEncoder(), "does not predict by one weight for each feature"),
        (learners.Perceptron().learn_one(np.array([1.0]), 4), "only the class 4"),
    ]:
        for export in (to_json, to_sql):
            with pytest.raises(DataError, match=why):
                export(model)
    broken = learners.Perceptron().fit(X, y)
    broken.coef_[0, 0] = np.inf
    with pytest.raises(DataError, match="not a finite number"):
        to_json(broken)
    for name, why in (("a\0", "cannot hold the character 0"), ("a\r\n", "cannot hold a carriage return")):
        with pytest.raises(DataError, match=f"cannot be written in SQL: its text {why}"):
            to_sql(learners.Perceptron().fit(pd.DataFrame(X, columns=[name]), y))
    with pytest.raises(DataError, match="half a character"):
        to_sql(learners.Perceptron().fit(X, np.array(["a", "\ud800"], dtype=object)))
    with pytest.raises(DataError, match="no empty names"):
        to_sql(learners.Perceptron().fit(pd.DataFrame(X, columns=[""]), y))


def test_an_encoder_that_does_more_is_refused() -> None:
    cities = pa.table({"city": ["Oslo", "Bari"]})
    encoder = TableEncoder(bits=8).partial_fit(cities)
    learner = learners.Perceptron().fit(encoder.transform(cities), [0, 1])
    with pytest.raises(DataError, match="trained on a stream"):
        to_json(TableModel.of(learner, encoder))


def test_a_stream_of_numbers_is_exported() -> None:
    rng = np.random.default_rng(0)
    columns = {"a": rng.normal(3, 2, 200), "b": np.full(200, 7.0), "c": rng.normal(-9, 0.1, 200)}
    encoder = TableEncoder(bits=8)
    for part in (slice(0, 70), slice(70, 200)):
        encoder.partial_fit(pa.table({name: values[part] for name, values in columns.items()}))
    X = encoder.transform(pa.table(columns))
    model = learners.AveragedPerceptron().fit(X, np.where(X @ [1, 0, -2] > 0.3, "up", "down"))
    whole = TableModel.of(model, encoder)
    z, said = in_duckdb(to_sql(whole), columns)
    close(np.ravel(z), model.decision_function(X))
    assert said == model.predict(X).tolist()
    by_hand = sum(
        (columns[x["name"]] - x["mean"]) / x["scale"] * x["weights"][0] for x in json.loads(to_json(whole))["inputs"]
    )
    close(by_hand + model.intercept_[0], model.decision_function(X))


def test_without_onnx_the_message_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"pip install '\.\[onnx\]'"):
        to_onnx(learners.Perceptron().fit(np.array([[-1.0], [2.0]]), [0, 1]))


# -------------------------------------------------------------- command line
def test_the_command(tmp_path: Path) -> None:
    file = FOLDER / "averaged-classes.linsep"
    model = load(file)
    assert linsep("export", file, "--to", "json").stdout == to_json(model)
    assert linsep("export", file, "--to", "sql", "--table", "sales.new").stdout == to_sql(model, table="sales.new")
    assert linsep("export", file, "--to", "sql", "-o", tmp_path / "m.sql").stdout == ""
    assert (tmp_path / "m.sql").read_text() == to_sql(model)
    pytest.importorskip("onnx")
    assert linsep("export", file, "--to", "onnx", "-o", tmp_path / "m.onnx").stdout == ""
    assert (tmp_path / "m.onnx").read_bytes() == to_onnx(model)
    command = [sys.executable, "-m", "linsep", "export", str(file), "--to", "onnx"]
    assert subprocess.run(command, capture_output=True, check=True).stdout == to_onnx(model)


def test_the_command_refuses(tmp_path: Path) -> None:
    done = linsep("export", FOLDER / "voted.linsep", "--to", "sql", "-o", tmp_path / "m.sql", status=2)
    assert done.stdout == ""
    assert "VotedPerceptron cannot be exported" in done.stderr
    assert not list(tmp_path.iterdir())
