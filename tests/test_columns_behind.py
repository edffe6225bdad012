"""The columns behind a verdict: all pairs and all removals tried, proofs that hold, planted pairs, what is printed."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file

from in_process import run_linsep
from linsep import DataError, open_data, separability
from linsep.data.columns import TableChunk
from linsep.reporting.explanation.columns import ExplainedColumns
from linsep.reporting.explanation.gaps import Gap, telling_gaps
from linsep.reporting.explanation.nearly import nearly_alone
from linsep.reporting.table_check import TableCheck, check_table, explain
from linsep.theory.explanation.columns import MOST_COLUMNS, needed_columns, separating_pairs
from linsep.theory.separability.certificate import Separability


def behind_of(found: TableCheck) -> list[ExplainedColumns]:
    assert found.explanation is not None
    return found.explanation.behind


def separates(X: Any, y: Any, columns: Any) -> bool:
    return separability(X[:, list(columns)], y).verdict == "separable"


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 9), p=st.integers(1, 5))
def test_pairs_are_those_of_all_pairs(seed: int, n: int, p: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-3, 4, (n, p)).astype(float), rng.integers(0, 2, n)
    y[:2] = 0, 1
    several = [j for j in range(p) if not separates(X, y, [j])]
    every = list(itertools.combinations(several, 2))
    found = separating_pairs(X, y)
    assert [pair.columns for pair in found.found] == [pair for pair in every if separates(X, y, pair)]
    assert found.asked == found.of == len(every)
    for pair in found.found:
        pair.proof.verify(X[:, pair.columns], y)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), p=st.integers(2, 6), sparse=st.booleans())
def test_needed_columns_are_those_of_all_removals(seed: int, p: int, sparse: bool) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, (12, p)).astype(float)
    score = X @ rng.integers(-2, 3, p)
    X, y = X[score != 0], (score[score != 0] > 0).astype(int)
    if np.unique(y).size < 2:
        return
    cut = int(rng.integers(1, p))
    groups = [list(range(cut)), *([j] for j in range(cut, p))]
    without = [np.setdiff1d(np.arange(p), group) for group in groups]
    least = [k for k, kept in enumerate(without) if not separates(X, y, kept)]
    given: Any = sp.csr_matrix(X) if sparse else X
    found = needed_columns(given, y, groups)
    assert [k for k, _ in found.found] == least
    assert found.asked == len(groups)
    for k, proof in found.found:
        assert proof.verdict in ("inseparable", "quasi-separable")
        proof.verify(given[:, without[k]], y)
    known = [pair.columns for pair in separating_pairs(X, y).found]
    assert [k for k, _ in needed_columns(given, y, groups, separating=known).found] == least


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), p=st.integers(2, 4))
def test_columns_needed_for_some_rows_are_those_of_all_removals(seed: int, p: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (9, p)).astype(float)
    y = rng.integers(0, 2, 9)
    y[:2] = 0, 1
    if separability(X, y).verdict != "quasi-separable":
        return
    groups = [[j] for j in range(p)]
    without = [np.delete(np.arange(p), j) for j in range(p)]
    least = [j for j in range(p) if separability(X[:, without[j]], y).verdict == "inseparable"]
    found = needed_columns(X, y, groups, verdict="quasi-separable")
    assert ([k for k, _ in found.found], found.asked) == (least, p)
    for k, proof in found.found:
        assert proof.verdict == "inseparable"
        proof.verify(X[:, without[k]], y)
    known = [np.flatnonzero(separability(X, y).directions[0].w != 0).tolist()]
    again = needed_columns(X, y, groups, verdict="quasi-separable", separating=known)
    assert [k for k, _ in again.found] == least


def planted(n: int = 200, columns: int = 6) -> tuple[Any, Any]:
    """Columns 1 and 3 separate by their difference alone."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 300, (n, columns)).astype(float), rng.integers(0, 2, n)
    X[:, 3] = X[:, 1] + np.where(y == 1, rng.integers(31, 60, n), rng.integers(1, 30, n))
    return X, y


def test_a_planted_pair_is_found_among_many_columns() -> None:
    X, y = planted(400, 120)
    found = separating_pairs(X, y)
    assert [pair.columns for pair in found.found] == [(1, 3)]
    assert found.asked == found.of == 120 * 119 // 2
    assert [k for k, _ in needed_columns(X[:, :9], y, [[j] for j in range(9)]).found] == [1, 3]


def test_integers_beyond_doubles_are_told_apart() -> None:
    X, y = planted()
    far = np.array([[int(v) + 2**80 for v in row] for row in X.tolist()], dtype=object)
    assert [pair.columns for pair in separating_pairs(far, y).found] == [(1, 3)]


def test_no_more_than_so_many_columns_are_paired() -> None:
    X, y = planted(60, MOST_COLUMNS + 5)
    found = separating_pairs(X, y)
    assert found.asked == MOST_COLUMNS * (MOST_COLUMNS - 1) // 2
    assert found.of == (MOST_COLUMNS + 5) * (MOST_COLUMNS + 4) // 2


def test_without_time_nothing_is_asked() -> None:
    X, y = planted()
    assert separating_pairs(X, y, time_limit=0) == ([], 0, 15)
    assert needed_columns(X, y, [[j] for j in range(6)], time_limit=0) == ([], 0)


# ------------------------------------------------------------------- the table
def frame() -> pd.DataFrame:
    X, y = planted()
    table = pd.DataFrame(X.astype(int), columns=["age", "begin", "size", "end", "weight", "height"])
    table["city"] = [("Oslo", "Rome", "Bari")[k % 3] for k in range(len(y))]
    table["late"] = np.where(y == 1, "yes", "no")
    return table


def test_a_pair_of_columns_that_tells_the_label_is_named_and_proved(tmp_path: Path) -> None:
    table = frame()
    table.to_csv(tmp_path / "t.csv", index=False)
    words = ["check", "t.csv", "--target", "late", "--explain"]
    said = run_linsep(words, tmp_path).stdout
    assert "columns 'begin' and 'end' together separate the classes (" in said
    assert "without any one of 'begin', 'end' the classes are not separable" in said
    plain = json.loads(run_linsep([*words, "--json"], tmp_path).stdout)["columns_behind"]
    [pair] = plain["pairs"]
    assert pair["columns"] == ["begin", "end"]
    Separability.from_dict(pair["certificate"]).verify(table[["begin", "end"]].to_numpy(float), table.late.to_numpy())
    assert [one["column"] for one in plain["needed"]] == ["begin", "end"]
    assert plain["needed_asked"] == 7
    assert plain["pairs_asked"] == plain["pairs_of"] == 15
    for one in plain["needed"]:
        proof = Separability.from_dict(one["without"])
        assert proof.verdict == "inseparable"
        levels = pd.get_dummies(table.city, dtype=float)
        numbers = table.drop(columns=["city", "late", one["column"]]).astype(float)
        proof.verify(np.hstack([numbers, levels]), table.late.to_numpy())


def test_a_column_that_is_missing_in_one_class_is_named() -> None:
    table = frame()
    table["reason"] = ["other" if late == "yes" else None for late in table.late]
    found = check_table(open_data(table, target="late"), explain=True)
    [behind] = behind_of(found)
    assert [one.name for one in behind.alone] == ["reason"]
    assert behind.needed.found == []
    assert behind.needed.asked == 8
    assert any(text.startswith("column 'reason' alone tells the classes apart (") for _, text in found.lines)


def leaking(lacks: Any) -> pd.DataFrame:
    """Days overdue of those rows of 80 that do not lack it; half of the rows are late."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"age": rng.integers(20, 70, 80), "overdue": rng.integers(1, 30, 80).astype(float)})
    table["late"] = [("no", "yes")[k % 2] for k in range(80)]
    table.loc[lacks(table), "overdue"] = np.nan
    return table


def test_a_number_that_is_missing_in_every_row_of_a_class_is_named_where_it_is_refused() -> None:
    source = open_data(leaking(lambda table: table.late == "no"), target="late")
    said = (
        r"; column 'overdue' alone tells the classes apart \(missing in every row of no, and in no row of another class"
        r"\): is it known before the label is\? --column overdue=skip asks without it$"
    )
    for missing in (None, "drop"):
        for asked in (False, True):
            with pytest.raises(DataError, match=said):
                check_table(source, missing=missing, explain=asked)
    without = check_table(source, columns={"overdue": "skip"}, explain=True)
    assert without.data["telling_gaps"] == []


def test_a_number_that_is_missing_in_rows_of_one_class_alone_is_named_and_proved() -> None:
    table = leaking(lambda table: (table.late == "yes") & (np.arange(80) % 3 > 0))
    found = check_table(open_data(table, target="late"), missing="drop", explain=True)
    assert (
        "too good?",
        "column 'overdue' alone tells some rows apart (missing in 27 of 40 rows of yes, and in no row of another "
        "class): is it known before the label is?",
    ) in found.lines
    [gap] = found.data["telling_gaps"]
    proof = Separability.from_dict(gap.pop("certificate"))
    assert gap == {"column": "overdue", "label": "yes", "missing": True, "rows": 27, "of": 40}
    assert proof.verdict == "quasi-separable"
    proof.verify(table[["overdue"]].isna().to_numpy(int), table.late.to_numpy())


def gaps_of(lacks: Any, labels: list[str]) -> list[Gap]:
    column = [None if one else f"{k}" for k, one in enumerate(lacks)]
    chunk = open_data(pd.DataFrame({"reason": column, "age": range(len(labels)), "y": labels}), target="y").read()
    assert isinstance(chunk, TableChunk)
    return telling_gaps(chunk, chunk.y)


def test_gaps_that_tell() -> None:
    two, three = ["a", "b"] * 30, ["a", "b", "c"] * 20
    there = np.array([label == "b" and k % 4 == 1 for k, label in enumerate(two)])
    [gap] = gaps_of(~there, two)
    assert (gap.label, gap.missing, gap.rows, gap.of) == ("b", False, 15, 30)
    [gap] = gaps_of(np.array(three) == "c", three)
    assert (gap.label, gap.missing, gap.tells_all, gap.proof.verdict) == ("c", True, True, "separable")
    assert str(gap).startswith(
        "column 'reason' alone tells c from the other classes (missing in every row of c, and in"
    )
    gap.proof.verify((np.array(three) == "c")[:, None].astype(int), np.array(three))
    [gap] = gaps_of(np.array(three) != "c", three)
    assert (gap.label, gap.missing, gap.tells_all) == ("c", False, True)
    few = np.arange(60) < 5  # a, b, a, b, a
    assert gaps_of(few, two) == gaps_of(few & (np.array(two) == "a"), two) == []


def test_a_category_that_is_missing_in_one_class_is_named_once() -> None:
    table = frame()
    table["reason"] = ["other" if late == "yes" else None for late in table.late]
    lines = check_table(open_data(table, target="late"), explain=True).lines
    [said] = [text for _, text in lines if "alone tells" in text]
    assert said.startswith("column 'reason' alone tells the classes apart (missing in every row of no, and in no row")


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), turned=st.integers(0, 4), far=st.booleans())
def test_a_column_that_separates_all_rows_but_a_few_has_the_fewest_errors(seed: int, turned: int, far: bool) -> None:
    rng = np.random.default_rng(seed)
    x, n = rng.integers(0, 30, 60), 60
    y = (x > np.median(x)) ^ (rng.permutation(n) < turned) ^ bool(seed % 2)
    X = np.array([[int(v) + 2**70 if far else int(v), 5] for v in x], dtype=object)
    found = nearly_alone(X, y.astype(int), ["x", "constant"])
    errors = [int(((x > cut) != y).sum()) for cut in np.unique(x)[:-1]]
    fewest = min(min(e, n - e) for e in errors)
    assert bool(found) == (0 < fewest < 4)
    for one in found:
        assert (one.column, len(one.wrong)) == ("x", fewest)
        assert separates(np.delete(x[:, None].astype(float), one.wrong, 0), np.delete(y, one.wrong), [0])


def test_one_wrong_label_of_a_column_that_separates_is_named(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"dose": np.arange(100) / 10, "age": rng.integers(20, 60, 100), "city": ["Oslo", "Rome"] * 50})
    table["ill"] = np.where(table.dose > 4.55, "yes", "no")
    table.loc[83, "ill"] = "no"
    table.to_csv(tmp_path / "t.csv", index=False)
    words = ["check", "t.csv", "--target", "ill", "--explain"]
    said = dict(line.split(maxsplit=1) for line in run_linsep(words, tmp_path).stdout.splitlines())
    assert said["nearly"] == "column 'dose' alone separates all rows but 1: row 83"
    assert said["suspects"] == "row 83 (no): the others are separable, checked exactly"
    plain = json.loads(run_linsep([*words, "--json"], tmp_path).stdout)["columns_behind"]
    [near] = plain["nearly"]
    assert (near["column"], near["wrong"], near["removed"]) == ("dose", [83], [83])
    [line] = [line for line in explain(table, "ill").columns.to_pylist() if line["kind"] == "nearly"]
    proof, kept = Separability.from_json(line["certificate"]), table.drop(index=83)
    proof.verify(kept[["dose"]].to_numpy(float), kept.ill.to_numpy())
    assert proof.verdict == "separable"
    table.loc[0, "age"] = np.nan  # rows are counted as in the file
    [behind] = explain(table, "ill", missing="drop").behind
    assert [str(one) for one in behind.nearly] == ["column 'dose' alone separates all rows but 1: row 83"]
    [few] = explain(table[79:92:2], "ill", missing="drop").behind
    assert few.nearly == []  # chance does that


def test_a_category_counts_as_one_column() -> None:
    rng = np.random.default_rng(0)
    city = rng.choice(["Oslo", "Rome", "Bari"], 300)
    shift = pd.Series(city).map({"Oslo": 0, "Rome": 100, "Bari": 200}).to_numpy()
    size = rng.integers(-30, 31, 300)
    size += 2 * np.sign(size) + (size == 0)
    table = pd.DataFrame({"size": size + shift, "city": city, "noise": rng.integers(0, 50, 300), "y": size > 0})
    [behind] = explain(table, "y").behind
    assert [list(behind.groups)[k] for k, _ in behind.needed.found] == ["size", "city"]
    assert [behind.names[j] for j in behind.groups["city"]] == ["city=Bari", "city=Oslo", "city=Rome"]
    assert behind.pairs.found == []


def test_columns_that_separate_part_of_the_rows_are_named() -> None:
    table = frame()[["age", "city", "late"]]
    table.loc[table.city == "Rome", "late"] = "yes"
    found = check_table(open_data(table, target="late"), explain=True, time_limit=1)
    assert found.verdict == "quasi-separable"
    [behind] = behind_of(found)
    assert behind.part is not None
    assert behind.part.columns == ("city=Rome",)
    assert behind.part.rows == tuple(np.flatnonzero(table.city == "Rome"))
    assert behind.part_proof is not None
    behind.part_proof.verify((table[["city"]] == "Rome").to_numpy(float), table.late.to_numpy())
    assert behind.part_proof.separated_rows.tolist() == list(behind.part.rows)
    [line] = [text for label, text in found.lines if label == "separated by"]
    assert line.startswith(f"'city=Rome' alone; rows on their side: {len(behind.part.rows)} (1, 4, 7, ")
    [line] = [text for label, text in found.lines if label == "needed"]
    assert line == "without 'city' no row is separated: inseparable"
    [proof] = [proof for _, proof in behind.needed.found]
    proof.verify(table[["age"]].to_numpy(dtype=float), table.late.to_numpy())
    assert proof.verdict == "inseparable"


def test_few_rows_have_a_pair_by_chance() -> None:
    table = pd.DataFrame({"a": [0, 1, 2, 3, 4, 5], "b": [0, 2, 1, 4, 3, 9], "y": [0, 1, 0, 1, 0, 1]})
    [behind] = explain(table, "y").behind
    assert (behind.alone, behind.pairs.asked) == ([], 0)


def test_each_class_has_its_columns_and_labels_may_be_numbers() -> None:
    table = frame()
    table["late"] = np.where(table.late == "yes", 2, np.where(table.age > 150, 1, 0))
    found = check_table(open_data(table, target="late"), explain=True, time_limit=1)
    assert [one.title for one in behind_of(found)] == ["0", "1", "2"]
    assert [len(one.pairs.found) for one in behind_of(found)] == [0, 0, 1]
    assert found.data["columns_behind"]["one_against_rest"]["2"]["pairs"][0]["columns"] == ["begin", "end"]
    two = table[table.late != 0]
    [behind] = explain(two, "late").behind
    assert len(behind.pairs.found) == 1


@pytest.mark.parametrize("alone", [True, False])
def test_rows_of_a_matrix_have_columns_too(tmp_path: Path, alone: bool) -> None:
    X, y = planted()
    X[:, 0] = X[:, 0] + 400 * y if alone else X[:, 0]
    dump_svmlight_file(X, y, str(tmp_path / "rows.svmlight"), zero_based=False)
    [behind] = explain(open_data(tmp_path / "rows.svmlight")).behind
    assert [one.name for one in behind.alone] == (["x1"] if alone else [])
    assert [[behind.names[j] for j in pair.columns] for pair in behind.pairs.found] == [["x2", "x4"]]


# ---------------------------------------------------------------- as tables
def test_every_column_behind_a_verdict_is_a_line_with_its_proof() -> None:
    table = frame().drop(columns="city")
    table["known"] = np.where(table.late == "yes", 9, 2)
    why = explain(table, "late")
    lines = why.columns.to_pylist()
    assert {(line["kind"], *line["columns"]) for line in lines} == {("alone", "known"), ("pair", "begin", "end")}
    y = (table.late == "yes").astype(int).to_numpy()
    for line in lines:
        proof = Separability.from_json(line["certificate"])
        assert proof.verdict == "separable"
        proof.verify(table[line["columns"]].to_numpy(dtype=float), table.late.to_numpy())
    assert json.loads(why.to_json())["columns_behind"]["alone"][0]["certificate"]["verdict"] == "separable"
    needed = explain(table.drop(columns="known"), "late").columns.to_pylist()
    assert [(line["kind"], line["columns"]) for line in needed[1:]] == [("needed", ["begin"]), ("needed", ["end"])]
    without = Separability.from_json(needed[1]["certificate"])
    kept = [name for name in table.columns if name not in ("begin", "known", "late")]
    without.verify(table[kept].to_numpy(dtype=float), table.late.to_numpy())
    assert without.verdict == "inseparable"
    assert y.sum() > 0


@pytest.mark.parametrize("form", ["named", "frame and labels", "polars", "matrix", "sparse", "source"])
def test_rows_stand_before_their_nearest_neighbours(form: str) -> None:
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
    assert why.summary() == "exactly 1 of 80 rows has to go before the rest is separable"
    assert rows["suspect"].tolist() == [wrong] * 4
    assert rows["is"].tolist() == ["suspect", *["neighbour"] * 3]
    scaled = table.to_numpy() / table.to_numpy().std(axis=0)
    far = np.where(kind == "p", np.linalg.norm(scaled - scaled[wrong], axis=1), np.inf)
    assert rows["row"].tolist() == [wrong, *np.argsort(far)[:3].tolist()]
    assert rows["distance"].tolist()[1:] == pytest.approx(np.sort(far)[:3].tolist(), rel=1e-5)
    assert np.isnan(rows["distance"][0])
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
