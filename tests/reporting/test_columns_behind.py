"""The columns behind a verdict: all pairs and all removals tried, planted pairs, what is printed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file

from in_process import run_linsep
from linsep import DataError, open_data, separability
from linsep.reporting.table_check import check_table, explain

Kinds = dict[str, list[tuple[str, ...]]]


def kinds(table: Any, target: Any = None, **asked: Any) -> Kinds:
    """What is said of the only question: each kind, and the columns."""
    [behind] = explain(table, target, **asked).behind
    return {kind: [one.columns for one in behind.of_kind(kind)] for kind in ("alone", "nearly", "few", "needed")}


def nothing(**but: Any) -> Kinds:
    return {"alone": [], "nearly": [], "few": [], "needed": []} | but


def planted(n: int = 200, columns: int = 6) -> tuple[Any, Any]:
    """Columns 1 and 3 separate by their difference alone."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 300, (n, columns)).astype(float), rng.integers(0, 2, n)
    X[:, 3] = X[:, 1] + np.where(y == 1, rng.integers(31, 60, n), rng.integers(1, 30, n))
    return X, y


# ------------------------------------------------------------------- the table
def frame() -> pd.DataFrame:
    X, y = planted()
    table = pd.DataFrame(X.astype(int), columns=["age", "begin", "size", "end", "weight", "height"])
    table["city"] = [("Oslo", "Rome", "Bari")[k % 3] for k in range(len(y))]
    table["late"] = np.where(y == 1, "yes", "no")
    return table


def test_columns_that_separate_together_and_are_needed_are_named(tmp_path: Path) -> None:
    table = frame()
    table.to_csv(tmp_path / "t.csv", index=False)
    words = ["check", "t.csv", "--target", "late", "--explain"]
    said = dict(line.split(maxsplit=1) for line in run_linsep(words, tmp_path).stdout.splitlines())
    assert said["needed"] == "leave out any one of 'begin', 'end', and the classes are not separable"
    assert said["separated"].startswith("by     'begin', 'end' together (+1 end -")
    assert said["separated"].endswith("), and no fewer columns do")
    plain = json.loads(run_linsep([*words, "--json"], tmp_path).stdout)["columns_behind"]
    [few] = plain["few"]
    assert (few["columns"], few["is_smallest"], plain["needed_asked"]) == (["begin", "end"], True, 7)
    assert separability(table[["begin", "end"]].to_numpy(float), table.late).verdict == "separable"
    assert [one["columns"] for one in plain["needed"]] == [["begin"], ["end"]]
    for one in plain["needed"]:
        levels = pd.get_dummies(table.city, dtype=float)
        numbers = table.drop(columns=["city", "late", *one["columns"]]).astype(float)
        assert separability(np.hstack([numbers, levels]), table.late).verdict == "inseparable"


def test_a_column_that_is_missing_in_one_class_is_named() -> None:
    table = frame()
    table["reason"] = ["other" if late == "yes" else None for late in table.late]
    assert kinds(table, "late") == nothing(alone=[("reason",)])
    lines = check_table(open_data(table, target="late"), explain=True).lines
    [said] = [text for _, text in lines if "alone tells" in text]
    assert said == (
        "column 'reason' alone tells the classes apart (all 200 rows right: each of its 2 levels has one class): do "
        "you know it before the label?"
    )


def test_one_wrong_label_of_a_column_that_separates_is_named(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"dose": np.arange(100) / 10, "age": rng.integers(20, 60, 100), "city": ["Oslo", "Rome"] * 50})
    table["ill"] = np.where(table.dose > 4.55, "yes", "no")
    table.loc[83, "ill"] = "no"
    table.to_csv(tmp_path / "t.csv", index=False)
    words = ["check", "t.csv", "--target", "ill", "--explain"]
    said = dict(line.split(maxsplit=1) for line in run_linsep(words, tmp_path).stdout.splitlines())
    assert said["nearly"] == (
        "column 'dose' alone tells the classes apart (1 of 100 rows wrong: no up to 4.55, yes above 4.55)"
    )
    assert said["suspects"] == "row 84 (class no), counted from 1: the others are separable, checked exactly"
    plain = json.loads(run_linsep([*words, "--json"], tmp_path).stdout)["columns_behind"]
    [near] = plain["nearly"]
    assert (near["columns"], near["errors"]) == (["dose"], 1)
    table.loc[[2, 50, 97], "ill"] = ["yes", "no", "no"]
    assert kinds(table, "ill") == nothing()  # four rows are more than a few
    assert kinds(table[79:92:2], "ill")["nearly"] == []  # chance does that


def test_a_category_counts_as_one_column() -> None:
    rng = np.random.default_rng(0)
    city = rng.choice(["Oslo", "Rome", "Bari"], 300)
    shift = pd.Series(city).map({"Oslo": 0, "Rome": 100, "Bari": 200}).to_numpy()
    size = rng.integers(-30, 31, 300)
    size += 2 * np.sign(size) + (size == 0)
    table = pd.DataFrame({"size": size + shift, "city": city, "noise": rng.integers(0, 50, 300), "y": size > 0})
    found = kinds(table, "y")
    assert found["needed"] == [("size",), ("city",)]
    [few] = found["few"]
    assert len(few) == 3  # two of the three indicators tell the city, with the constant


def test_columns_that_separate_part_of_the_rows_are_named() -> None:
    table = frame()[["age", "city", "late"]]
    table.loc[table.city == "Rome", "late"] = "yes"
    found = check_table(open_data(table, target="late"), explain=True, time_limit=5)
    assert found.verdict == "quasi-separable"
    assert found.explanation is not None
    [behind] = found.explanation.behind
    [part] = behind.of_kind("few")
    rome = np.flatnonzero(table.city == "Rome").tolist()
    assert (part.columns, part.more) == (("city=Rome",), {"is_smallest": True, "rows": rome})
    assert separability((table[["city"]] == "Rome").to_numpy(float), table.late).separated_rows.tolist() == rome
    [line] = [text for label, text in found.lines if label == "separated by"]
    assert line.startswith(f"'city=Rome' alone; rows on their side: {len(rome)} (2, 5, 8, ")
    [line] = [text for label, text in found.lines if label == "needed"]
    assert line == "leave out 'city', and no row is separated (inseparable)"
    assert separability(table[["age"]].to_numpy(dtype=float), table.late).verdict == "inseparable"


def test_each_class_has_its_columns_and_labels_may_be_numbers() -> None:
    table = frame()
    table["late"] = np.where(table.late == "yes", 2, np.where(table.age > 150, 1, 0))
    found = check_table(open_data(table, target="late"), explain=True, time_limit=5)
    assert found.explanation is not None
    assert [one.title for one in found.explanation.behind] == ["0", "1", "2"]
    assert [len(one.of_kind("few")) for one in found.explanation.behind] == [0, 0, 1]
    assert found.data["columns_behind"]["one_against_rest"]["2"]["few"][0]["columns"] == ["begin", "end"]
    assert kinds(table[table.late != 0], "late")["few"] == [("begin", "end")]


@pytest.mark.parametrize("limit", [0.0, None])
def test_without_time_nothing_is_asked(limit: float | None) -> None:
    found = check_table(open_data(frame(), target="late"), explain=True, time_limit=limit)
    assert found.explanation is not None
    [behind] = found.explanation.behind
    assert (behind.asked, len(behind.of_kind("few"))) == ((0, 0) if limit == 0.0 else (7, 1))


@pytest.mark.parametrize("alone", [True, False])
def test_rows_of_a_matrix_have_columns_too(tmp_path: Path, alone: bool) -> None:
    X, y = planted()
    X[:, 0] = X[:, 0] + 400 * y if alone else X[:, 0]
    dump_svmlight_file(X, y, str(tmp_path / "rows.svmlight"), zero_based=False)
    pair = {"few": [("x2", "x4")], "needed": [("x2",), ("x4",)]}
    assert kinds(open_data(tmp_path / "rows.svmlight")) == nothing(**({"alone": [("x1",)]} if alone else pair))


# ---------------------------------------------------------------- as tables
def test_every_column_behind_a_verdict_is_a_line() -> None:
    table = frame().drop(columns="city")
    table["known"] = np.where(table.late == "yes", 9, 2)
    why = explain(table, "late")
    lines = why.columns.to_pylist()
    assert {(line["kind"], *line["columns"]) for line in lines} == {("alone", "known")}
    assert json.loads(why.to_json())["columns_behind"]["alone"][0]["columns"] == ["known"]
    needed = explain(table.drop(columns="known"), "late").columns.to_pylist()
    assert [(line["kind"], *line["columns"]) for line in needed] == [
        ("few", "begin", "end"),
        ("needed", "begin"),
        ("needed", "end"),
    ]


@pytest.mark.parametrize("form", ["named", "frame and labels", "polars", "matrix", "sparse", "source"])
def test_rows_have_their_cells(form: str) -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(80, 2)) * [1, 50], columns=["x1", "label"])
    kind = np.where(table.x1 > 0, "p", "n")
    wrong = int(table.x1.argmax())
    kind[wrong] = "n"
    why = {
        "named": lambda: explain(table.assign(kind=kind), "kind"),
        "frame and labels": lambda: explain(table, kind),
        "polars": lambda: explain(pl.DataFrame({name: table[name].to_numpy() for name in table}), kind),
        "matrix": lambda: explain(table.to_numpy(), kind),
        "sparse": lambda: explain(sp.csr_matrix(table.to_numpy()), kind),
        "source": lambda: explain(open_data((table.to_numpy(), kind))),
    }[form]()
    rows = why.rows.to_pandas()
    assert why.summary() == "exactly 1 of 80 rows must be removed to make the rest separable"
    assert rows["row"].tolist() == [wrong]
    assert rows["x1"].tolist() == table.x1[rows["row"]].tolist()
    last = "label " if "label " in rows else "x2"
    assert rows[last].tolist() == table.label[rows["row"]].tolist()


def test_what_cannot_be_explained_is_refused() -> None:
    X, y = planted()
    for table, labels, said in (
        (open_data((X, y)), y, "a source has its labels"),
        (X, None, "give them as y"),
        (pd.DataFrame(X), y[:-1], "give a label for each row"),
    ):
        with pytest.raises(DataError, match=said):
            explain(table, labels)
