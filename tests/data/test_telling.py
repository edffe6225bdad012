"""Columns that alone tell the classes apart: beside all thresholds tried one by one, and what chance explains."""

from __future__ import annotations

from itertools import combinations_with_replacement, pairwise
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import datasets

from linsep import DataError, TellingColumn, fit_table, open_data, telling_columns
from linsep.data.columns import Column
from linsep.data.telling import by_levels, by_thresholds


def fewest_errors(values: Any, labels: list[str]) -> int:
    """All ways to cut the line, in every order of two classes, and in that of the medians for more."""
    distinct, classes = sorted(set(values)), sorted(set(labels))
    middles = [-np.inf, *((a + b) / 2 for a, b in pairwise(distinct)), np.inf]
    column, codes = np.array(values), np.array(labels)
    order = sorted(classes, key=lambda one: float(np.median(column[codes == one])))
    found: list[int] = []
    for one in [order, order[::-1]] if len(order) == 2 else [order]:
        for cuts in combinations_with_replacement(middles, len(one) - 1):
            told = [one[sum(v > cut for cut in cuts)] for v in values]
            found.append(sum(a != b for a, b in zip(told, labels, strict=True)))
    return min(found)


@given(
    rows=st.lists(st.tuples(st.integers(0, 6), st.sampled_from("abc")), min_size=1, max_size=20),
    shift=st.sampled_from([0, 0, 5, 9]),
)
def test_thresholds_make_the_fewest_errors(rows: list[tuple[int, str]], shift: int) -> None:
    labels = [label for _, label in rows]
    values = [value + shift * "abc".index(label) for value, label in rows]
    names, codes = np.unique(labels, return_inverse=True)
    found = by_thresholds(Column("x", np.array(values, dtype=float), None), names, codes)
    assert (found.errors, found.rows) == (fewest_errors(values, labels), len(labels))
    assert (found.balanced_accuracy == 1) == (found.errors == 0)
    if len(set(np.bincount(codes).tolist())) == 1:
        assert found.balanced_accuracy == pytest.approx(1 - found.errors / found.rows)
    if shift == 9:
        assert found.errors == 0


@given(rows=st.lists(st.tuples(st.sampled_from("pqrs"), st.sampled_from("ab")), min_size=1, max_size=24))
def test_categories_tell_by_the_other_rows_of_their_level(rows: list[tuple[str, str]]) -> None:
    levels, labels = [level for level, _ in rows], [label for _, label in rows]
    errors, right = 0, dict.fromkeys(labels, 0)
    for i, (level, label) in enumerate(rows):
        others = [b for j, (a, b) in enumerate(rows) if a == level and j != i]
        wrong = others.count(label) <= max([0, *(others.count(other) for other in set("ab") - {label})])
        errors, right[label] = errors + wrong, right[label] + (not wrong)
    found = by_levels(Column("x", None, pa.array(levels)), np.unique(labels, return_inverse=True)[1], 2)
    assert found.errors == errors
    assert found.balanced_accuracy == pytest.approx(np.mean([n / labels.count(label) for label, n in right.items()]))


def frame(n: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    late = rng.random(n) < 0.3
    return pd.DataFrame(
        {
            "days_overdue": np.where(late, rng.integers(3, 90, n), 0),
            "state": np.where(late, "dunned", "closed"),
            "customer": [f"c{i}" for i in range(n)],
            "age": rng.integers(20, 80, n),
            "late": np.where(late, "yes", "no"),
        }
    )


def test_copies_of_the_label_are_found_and_identifiers_are_not() -> None:
    found = telling_columns(open_data(frame(), target="late"))
    assert [one.name for one in found] == ["days_overdue", "state"]
    assert str(found[0]).startswith("column 'days_overdue' alone tells the classes apart (all 60 rows right: no up to ")
    assert isinstance(found[1], TellingColumn)
    assert found[1].rule == "each of its 2 levels has one class"


def test_a_few_wrong_rows_and_missing_values_count_as_errors() -> None:
    table = frame(2000)
    table.loc[:4, "days_overdue"] = np.nan
    found = telling_columns(table.drop(columns="late"), table["late"])
    assert {one.name: one.errors for one in found} == {"state": 0, "days_overdue": 5}
    table.loc[:40, "days_overdue"] = np.nan
    assert [one.name for one in telling_columns(open_data(table, target="late"))] == ["state"]


def test_what_chance_explains_is_not_called_out() -> None:
    X, y = np.arange(8.0)[:, None], np.arange(8) > 3
    assert telling_columns(X, y) == []
    assert len(telling_columns(np.arange(20.0)[:, None], np.arange(20) > 9)) == 1
    rng = np.random.default_rng(1)
    assert telling_columns(rng.normal(size=(30, 2000)), np.arange(30) < 1) == []


def rare(n: int = 4921) -> pd.DataFrame:
    """64 attacks, each of which took hours to close, and one other row that did."""
    rng = np.random.default_rng(2)
    attack = np.arange(n) % 77 == 0
    hours = np.where(attack, rng.uniform(0.4, 20, n), 0.0)
    hours[1] = 4.0
    team = np.where(hours > 0, "security", "none")
    return pd.DataFrame({"hours": hours, "team": team, "bytes": rng.normal(size=n), "attack": attack})


def test_a_few_errors_do_not_hide_a_column_that_tells_a_rare_class() -> None:
    table = rare()
    found = telling_columns(table.drop(columns="attack"), table["attack"])
    assert {one.name: one.errors for one in found} == {"hours": 1, "team": 1}
    assert min(one.balanced_accuracy for one in found) > 0.999
    assert telling_columns(table[["hours"]], table["attack"], least=1.0) == []
    table.loc[2:70, "hours"] = 4.0  # as many errors as always answering "no attack" makes
    assert telling_columns(table[["hours"]], table["attack"]) == []


def left(n: int = 200) -> pd.DataFrame:
    """Who has left, with columns of every kind that are filled in for these alone."""
    rng = np.random.default_rng(4)
    gone = np.arange(n) % 3 == 0
    days = pd.date_range("2024-01-01", periods=n).strftime("%Y-%m-%d").to_numpy()
    return pd.DataFrame(
        {
            "end_date": np.where(gone, days, ""),
            "end_stamp": pd.Series(pd.to_datetime(days)).where(gone),
            "desk": np.where(gone, [f"desk {k}" for k in rng.integers(0, n // 2, n)], ""),
            "note": np.where(gone, [f"word{k} was said by word{k * 7}" for k in range(n)], ""),
            "days_open": np.where(gone, rng.normal(size=n), np.nan),
            "age": np.where(rng.random(n) < 0.3, np.nan, rng.integers(20, 80, n)),
            "left": np.where(gone, "yes", "no"),
        }
    )


def test_a_column_of_any_kind_that_is_there_for_one_class_alone_tells() -> None:
    leaking = ["end_date", "end_stamp", "desk", "note", "days_open"]
    for rows in (left(), left().to_csv(index=False).encode()):
        found = telling_columns(open_data(rows, target="left"))
        assert [(one.name, one.rule) for one in found] == [(name, "by whether it is missing") for name in leaking]
    table = left()
    table.loc[[0, 1, 2], "end_date"] = ["", "2024-01-02", "2024-01-03"]
    [one] = telling_columns(open_data(table[["end_date", "age", "left"]], target="left"), least=0.98)
    assert one.errors == 3


def test_the_receipt_says_so() -> None:
    table = left()[["end_date", "age", "left"]]
    table["seen"] = pd.date_range("2023-01-01", periods=200).strftime("%Y-%m-%d").to_numpy()[::-1]
    receipt = fit_table(open_data(table.to_csv(index=False).encode(), target="left"), holdout=0.25).receipt
    assert receipt.data["telling_columns"] == ["end_date"]
    assert dict(receipt.lines)["too good?"] == (
        "column 'end_date' alone tells the classes apart (all 200 rows right: by whether it is missing): do you "
        "know it before the label?"
    )
    assert "hints" not in receipt.data
    plain = fit_table(open_data(frame()[["age", "late"]], target="late")).receipt
    assert "telling_columns" not in plain.data


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_random_labels_are_told_by_no_column(n_classes: int) -> None:
    for seed in range(40):
        rng = np.random.default_rng(seed)
        y = rng.choice(n_classes, 200, p=rng.dirichlet(np.ones(n_classes)))
        table = pd.DataFrame(
            {
                "number": rng.normal(size=200),
                "count": rng.poisson(0.3, 200).astype(float),
                "gaps": np.where(rng.random(200) < 0.9, np.nan, 1.0),
                "few": rng.choice(list("abc"), 200),
                "many": [f"c{k}" for k in rng.integers(0, 60, 200)],
            }
        )
        assert telling_columns(table, y.astype(str)) == []


@pytest.mark.parametrize("table", ["iris", "wine", "breast_cancer", "digits"])
def test_no_column_of_a_well_known_table_is_called_too_good(table: str) -> None:
    rows = getattr(datasets, f"load_{table}")(as_frame=True)
    assert telling_columns(rows.data, rows.target) == []


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: telling_columns(frame(), least=0.0), "least must be above 0"),
        (lambda: telling_columns(frame()), "these rows have no labels"),
        (lambda: telling_columns(frame(), ["yes"]), "60 rows and y has the shape"),
    ],
)
def test_what_makes_no_sense_is_refused(ask: Any, message: str) -> None:
    with pytest.raises((DataError, ValueError), match=message):
        ask()


@pytest.mark.parametrize(
    ("values", "rule"),
    [
        ([1234567.0] * 20 + [1234568.0] * 20, "a up to 1234567.5, b above 1234567.5"),
        ([1.5e308] * 20 + [1.7e308] * 20, "a up to 1.6e+308, b above 1.6e+308"),
        ([1.0] * 20 + [np.nextafter(1.0, 2.0)] * 20, "a up to 1, b above 1"),
    ],
)
def test_a_threshold_that_is_printed_tells_as_it_is_printed(values: list[float], rule: str) -> None:
    assert telling_columns(np.array(values)[:, None], np.repeat(["a", "b"], 20))[0].rule == rule


def test_labels_and_rows_that_are_none_are_refused() -> None:
    rows = np.arange(40.0)[:, None]
    for y in ([None] * 20 + ["b"] * 20, np.where(np.arange(40) < 20, np.nan, 1.0)):
        with pytest.raises(DataError, match=r"row 0.*: the label is missing"):
            telling_columns(rows, y)
    for odd in (np.arange(3.0), np.array([[1j], [2j]])):
        with pytest.raises(DataError, match=r"must be a table|numbers in every column|complex"):
            telling_columns(odd, [0, 1])
