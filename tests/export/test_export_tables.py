"""SQL scores the rows of a table as `linsep predict` does, however SQLite or DuckDB came by the table."""

from __future__ import annotations

import csv
import io
import itertools
import json
import re
import sqlite3
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from linsep import DataError, MissingWarning, TableEncoder, TableModel, fit_stream, fit_table, open_data
from linsep.data.cells import MISSING_WORDS, NUMBER
from linsep.export import to_json, to_onnx, to_sql
from linsep.export.as_sql import _SHAPES, _shape
from linsep.reporting.scores import iter_predictions

pytestmark = pytest.mark.filterwarnings("ignore::linsep.MissingWarning")

# Cells of a column of numbers, whatever becomes of them: read, missing, or refused.
NUMBERS = [
    "7",
    " 7",
    "7 ",
    "\t7",
    "\u00a07",
    "+7",
    "-7.",
    ".5",
    "007",
    "1e1",
    "1E+1",
    "2.5e-1",
    "-0",
    "1e400",
    "-1e-400",
]
WORDS = [*MISSING_WORDS, " ", "NA", "NaN", "None", " null ", "N/A", "True", "false"]
STRANGE = ["1_000", "0x1F", "0b1", "7f", "7L", "1d", "inf", "-Infinity", "--7", "-+7", "+-7", "1-2", "7-", ".", "e7"]
STRANGE += ["1e", "1e+", "1.2.3", "1e2.5", "2024-01-02", "7 8", "x", "½", "٣", "7%", "$7", "1,000", "'", "7;"]
ONLY_HERE = ["7%", "$7", "1,000"]  # what linsep alone reads has no prediction in SQL


def text_of(rows: list[list[str]]) -> bytes:
    written = io.StringIO()
    csv.writer(written).writerows(rows)
    return written.getvalue().encode()


def as_imported(rows: list[list[str]]) -> sqlite3.Connection:
    """A table of SQLite as `.import` makes it: all columns are text, what is empty too."""
    base = sqlite3.connect(":memory:")
    base.execute(f"CREATE TABLE rows ({', '.join(f'{chr(34)}{name}{chr(34)} TEXT' for name in rows[0])})")
    base.executemany(f"INSERT INTO rows VALUES ({', '.join('?' * len(rows[0]))})", rows[1:])
    return base


def as_read(rows: list[list[str]], path: Path, how: str) -> duckdb.DuckDBPyConnection:
    """A table of DuckDB as `read_csv` makes it."""
    path.write_bytes(text_of(rows))
    base = duckdb.connect()
    base.execute(f"CREATE TABLE rows AS SELECT * FROM read_csv('{path}', header=true{how})")
    return base


def scored(base: Any, query: str, planes: int) -> tuple[Any, list[Any]]:
    """Decision values and labels, in the order of the rows."""
    found = base.execute(query).fetchall()
    base.close()
    return np.array([row[1 : 1 + planes] for row in found], dtype=float).squeeze(), [row[0] for row in found]


def predicted(model: TableModel, table: Any) -> list[Any]:
    return [label for part in iter_predictions(model, table) for label in part.labels.tolist()]


def a_table(n: int, classes: int, *, seed: int, missing: bool) -> list[list[str]]:
    """Numbers written in many ways, categories of words and of digits, yes or no, and labels."""
    rng = np.random.default_rng(seed)
    size, cost = rng.normal(50, 9, n), rng.normal(0, 1e-3, n)
    ways: list[Any] = ["{:.3f}", " {:.2f}", "{:.5e} ", "{:+.4f}", "{:.0f}", "{:.6E}"]
    rows = [["size", "cost", "grade", "it's", "open", "y"]]
    for k in range(n):
        cells = [ways[rng.integers(len(ways))].format(size[k]), repr(float(cost[k])), str(rng.integers(1, 4))]
        cells += [str(rng.choice(["a b", "None", 'q"', "ä", "a"])), str(rng.choice(["True", "false"]))]
        for j, words in enumerate([["", "NA", " nan ", "-"], [""], [""], [""], ["", "null"]] if missing else []):
            if rng.random() < 0.2:
                cells[j] = str(rng.choice(words))
        noisy = size[k] + 4 * (cells[2] == "2") + rng.normal(0, 3)
        rows.append([*cells, "klm"[int(np.digitize(noisy, [47, 54][: classes - 1]))]])
    return rows


@pytest.mark.parametrize("way", ["mean", "median", None, "drop", "error"])
@pytest.mark.parametrize("classes", [2, 3])
def test_every_label_is_the_one_that_predict_gives(way: Any, classes: int, tmp_path: Path) -> None:
    train = a_table(150, classes, seed=1, missing=way in ("mean", "median", "drop"))
    rows = a_table(200, classes, seed=2, missing=way not in ("drop", "error"))
    rows[7][3], rows[9][2] = "never seen", "17"
    model = fit_table(open_data(text_of(train), target="y", categorical=["grade"]), missing=way).model
    path = tmp_path / "rows.csv"
    path.write_bytes(text_of(rows))
    labels, planes = predicted(model, path), 1 if classes == 2 else classes
    z = model.decision_function(open_data(path, target="y", categorical=["grade"]))
    query = to_sql(model)
    everyone: list[Any] = [as_imported(rows)]
    everyone += [as_read(rows, path, how) for how in ("", ", all_varchar=true", ", nullstr=['', 'NA', 'null']")]
    for base in everyone:
        values, found = scored(base, query, planes)
        assert found == labels
        np.testing.assert_allclose(values, z, rtol=1e-12, atol=1e-12)
    assert len(set(labels)) == classes


def one_row(model: TableModel, names: list[str], cells: list[str]) -> tuple[Any, Any]:
    """Label and decision value of a row of CSV; None for both where `linsep predict` refuses it."""
    try:
        (part,) = iter_predictions(model, io.BytesIO(text_of([names, cells])), format="csv", sep=",")
    except DataError as error:
        assert "column '" in str(error)
        return None, np.nan
    return part.labels[0], part.decision_values[0]


@pytest.mark.parametrize("way", ["mean", "drop"])
@pytest.mark.parametrize("na", [[], ["none yet", "-999", "2.5e-1"]])
def test_a_cell_is_read_as_predict_reads_it_or_has_no_prediction(way: Any, na: list[str], tmp_path: Path) -> None:
    train = [
        ["a", "c", "y"],
        ["-3", "u", "no"],
        ["4", "v", "yes"],
        ["", "None", "yes"],
        ["6", "", "no"],
        ["1", "7", "no"],
    ]
    model = fit_table(open_data(text_of(train), target="y", na=na, categorical=["c"]), missing=way).model
    cells = [
        *NUMBERS,
        *WORDS,
        *STRANGE,
        "none yet",
        " none yet ",
        "None yet",
        "-999",
        "-999.0",
        "-99.9e1",
        "7",
        "u",
        "U",
    ]
    rows = [["a", "c"], *([cell, "u"] for cell in cells), *(["1", cell] for cell in cells)]
    wanted = [one_row(model, *pair) for pair in zip(itertools.repeat(rows[0]), rows[1:])]
    wanted = [(None, np.nan) if row[0] in ONLY_HERE else pair for row, pair in zip(rows[1:], wanted, strict=True)]
    assert sum(label is None for label, _ in wanted) > 30
    for base in (as_imported(rows), as_read(rows, tmp_path / "rows.csv", ", all_varchar=true, nullstr='NULL!'")):
        values, found = scored(base, to_sql(model), 1)
        said = [
            (row, label, want) for row, label, (want, _) in zip(rows[1:], found, wanted, strict=True) if label != want
        ]
        assert said == []
        values = np.where(np.isinf(values), np.nan, values)  # 1e400
        np.testing.assert_allclose(values, [z for _, z in wanted], rtol=1e-12, atol=1e-12)


def test_the_shape_of_text_tells_numbers_from_all_other_text() -> None:
    cells = ["".join(one) for n in range(1, 7) for one in itertools.product("0+-.e", repeat=n)]
    query = f"SELECT {_shape('t.a')} IN {_SHAPES} FROM t"
    with sqlite3.connect(":memory:") as base:
        base.execute("CREATE TABLE t (a TEXT)")
        base.executemany("INSERT INTO t VALUES (?)", [(cell,) for cell in cells])
        found = [bool(row[0]) for row in base.execute(query)]
    with duckdb.connect() as other:
        other.register("t", pa.table({"a": cells}))
        assert found == [row[0] for row in other.execute(query).fetchall()]
    assert found == [bool(re.match(NUMBER, cell)) for cell in cells]


def test_typed_columns_of_duckdb(tmp_path: Path) -> None:
    """Decimals, whole numbers, booleans, NaN, codes as doubles; the rows keep their order."""
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"a": rng.normal(size=5000), "code": rng.integers(1, 4, 5000).astype(float)})
    frame["on"], frame["cents"], label = rng.random(5000) < 0.5, rng.integers(-999, 999, 5000), frame["a"] > 0.1
    model = TableModel(encoder=TableEncoder(columns={"code": "category"}, missing="mean")).fit(frame, label)
    frame.loc[3, "a"], frame.loc[4, "a"] = np.nan, np.inf
    with duckdb.connect() as base:
        base.execute('CREATE TABLE rows AS SELECT a, code, "on", CAST(cents AS DECIMAL(9, 2)) AS cents FROM frame')
        found = base.execute(to_sql(model)).fetchall()
    with pytest.warns(MissingWarning, match="column 'a': 1 value is missing"):
        wanted = model.predict(frame.drop(index=4)).tolist()
    assert [row[0] for row in found[:4] + found[5:]] == wanted
    assert found[4][0] is None
    assert np.array_equal([row[-1] for row in found], frame["cents"])


@pytest.mark.parametrize("all_varchar", [False, True])
@pytest.mark.parametrize(
    "levels",
    [
        ("9:15", "10:00"),
        ("1.50", "2.50"),
        ("1E1", "1E2"),
        ("01.02.2020", "02.03.2020"),
        ("2020-01-01 10:00", "2020-01-02 10:00"),
        ("True", "False"),
        ("1", "2"),
        ("1.5", "2.5"),
        ("a", "b"),
    ],
)
def test_a_category_that_a_type_has_written_anew_has_no_wrong_label(
    tmp_path: Path, levels: tuple[str, str], all_varchar: bool
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("c,y\n" + f"{levels[0]},p\n{levels[1]},q\n" * 3)
    source = open_data(path, target="y", categorical=["c"])
    model = fit_table(source, columns={"c": "category"}, missing="mean").model
    with duckdb.connect() as base:
        base.execute(f"CREATE TABLE rows AS SELECT * FROM read_csv('{path}', header=true, all_varchar={all_varchar})")
        found = [row[0] for row in base.execute(to_sql(model)).fetchall()]
    right = ["p", "q"] * 3
    kept = all_varchar or levels in (("1", "2"), ("1.5", "2.5"), ("a", "b"))
    assert found == (right if kept else [None] * 6)


def test_numbers_with_a_decimal_comma() -> None:
    train = [["a", "b", "y"], *([f"{k},5", f"{k % 3},25", "no" if k < 9 else "yes"] for k in range(20))]
    model = fit_table(open_data(text_of(train), target="y", decimal=",")).model
    values, found = scored(
        as_imported([["a", "b"], ["12,5", "-1,25e0"], ["1.5", "0"], ["3", ""], ["1,5,1", "2"]]), to_sql(model), 1
    )
    rows = pd.DataFrame({"a": [12.5, 3.0], "b": [-1.25, np.nan]})
    assert found[1::2] == [None, None]
    assert found[::2] == model.predict(rows).tolist()
    np.testing.assert_allclose(values[::2], model.decision_function(rows), rtol=1e-12)


def test_names_that_sql_does_not_tell_apart() -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(90, 2))
    labels = np.array(["k", "K", "l"])[np.argmax(X @ [[1, -1, 0.2], [0, 1, -1]], axis=1)]
    model = TableModel().fit(pd.DataFrame(X, columns=["a", "decision_value k"]), labels)
    rows = [["a", "decision_value k", "decision_value K__"], *([str(x), str(y), "7"] for x, y in X)]
    _, found = scored(as_imported(rows), to_sql(model), 3)
    assert found == labels.tolist() == model.predict(pd.DataFrame(X, columns=rows[0][:2])).tolist()
    with pytest.raises(DataError, match="does not tell the columns 'a' and 'A' apart: rename one"):
        to_sql(TableModel().fit(pd.DataFrame(X, columns=["a", "A"]), labels))


def test_a_missing_number_of_a_stream_counts_as_the_mean() -> None:
    rows = [["a", "b", "y"], *([str(k % 7), str(k % 3), "no" if k % 7 < 3 else "yes"] for k in range(60))]
    model = fit_stream(open_data(text_of(rows), target="y")).model
    asked = [["a", "b"], ["", "2"], ["5", "null"], ["1", "1"]]
    values, found = scored(as_imported(asked), to_sql(model), 1)
    frame = pd.DataFrame({"a": [np.nan, 5, 1], "b": [2, np.nan, 1]})
    assert found == model.predict(frame).tolist()
    np.testing.assert_allclose(values, model.decision_function(frame), rtol=1e-12)


def test_json_and_onnx_say_what_a_missing_value_is() -> None:
    pytest.importorskip("onnx", reason="the extra onnx is not installed")
    frame = pd.DataFrame({"a": [-1.0, 2, 3, -4], "c": ["u", "v", "v", "u"]})
    whole, known = frame.copy(), frame.assign(c=["u", "v", "", "u"])
    cases: list[tuple[Any, Any, Any]] = [(whole, "drop", None), (whole, "mean", [0.0]), (known, "mean", "level")]
    for table, way, expected in cases:
        model = TableModel(encoder=TableEncoder(missing=way)).fit(table, [0, 1, 1, 0])
        number, category = json.loads(to_json(model))["inputs"]
        assert ("missing" in number) == (way == "mean")
        assert category.get("missing") == (category["levels"][""] if expected == "level" else expected)
        runtime = pytest.importorskip("onnxruntime")
        asked = {"a": np.array([[2.0], [np.nan], [1.0]]), "c": np.array([["u"], ["v"], [""]], dtype=object)}
        label, z = runtime.InferenceSession(to_onnx(model)).run(None, asked)
        rows = pd.DataFrame({"a": [2.0, np.nan, 1.0], "c": ["u", "v", None]})
        if way == "drop":
            assert np.isnan(z).tolist() == [False, True, True]
        else:
            np.testing.assert_allclose(z, model.decision_function(rows), rtol=1e-12)
            assert label.tolist() == model.predict(rows).tolist()
