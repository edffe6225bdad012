"""Hints and doubts: said where they are due, and no false alarm on ordinary columns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from linsep import DataError, fit_table, open_data
from linsep.app.commands.check import check
from linsep.data.features.aside import held_out_split
from linsep.data.features.kinds import find_kinds
from linsep.data.hints import hint_on_copies, hints_on_holding_out
from linsep.reporting.table_check import check_table

N = 120
RNG = np.random.default_rng(0)
DAYS = pd.date_range("2024-01-01", periods=N).strftime("%Y-%m-%d")
GROUPS = [f"g{k % 30}" for k in range(N)]


def hints(**columns: Any) -> list[str]:
    """What is said of a table of these columns and one more number."""
    chunk = open_data(pd.DataFrame({**columns, "size": RNG.normal(size=N)}).to_csv(index=False).encode()).read()
    return [text for _, text in hints_on_holding_out(chunk, find_kinds(chunk, {}).kinds)]


@pytest.mark.parametrize(
    "name",
    [
        *("patient", "customer_id", "userId", "Subject", "PATIENT_ID", "session id", "customer_no", "client_number"),
        "userid",
    ],
)
def test_groups_are_named(name: str) -> None:
    option = f"'{name}'" if " " in name else name
    assert hints(**{name: GROUPS}) == [
        f"30 values of {name!r} in 120 rows: --group {option} keeps all rows of one together"
    ]
    assert hints(**{name: [k % 30 for k in range(N)]})[0].startswith("30 values of")


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("city", GROUPS),  # an ordinary category, however many levels
        ("user_type", GROUPS),
        ("member", ["yes", "no"] * 60),  # two values
        ("patient", [f"p{k % 110}" for k in range(N)]),  # hardly two rows of any
        ("city", RNG.choice([f"c{k}" for k in range(50)], N)),
        ("patient", [f"p{k}" for k in range(N)]),  # names of rows, which are left out
        ("account", RNG.normal(size=N).round(3)),  # an amount
        ("date", DAYS),
    ],
)
def test_no_false_alarms(name: str, values: Any) -> None:
    assert hints(**{name: values}) == []


@pytest.mark.parametrize("written", ["p{:05d}", "{}"])
def test_groups_of_hardly_two_rows_are_named(written: str) -> None:
    whose = RNG.permutation(np.repeat(np.arange(700), RNG.integers(1, 4, 700)))[:1200]
    n_groups = len(set(whose.tolist()))
    patient = [written.format(300 + 7 * k) for k in whose]
    frame = pd.DataFrame({"patient": patient, "size": RNG.normal(size=1200), "y": RNG.integers(0, 2, 1200)})
    source = open_data(frame.to_csv(index=False).encode(), target="y")
    fitted = fit_table(source, holdout=0.25)
    assert fitted.receipt.data["hints"] == [
        f"{n_groups} values of 'patient' in 1,200 rows: --group patient keeps all rows of one together"
    ]


def many(name: str, n_rows: int, n_values: int, written: str = "v{}", **kinds: str) -> list[str]:
    """What is said of a column with so many values, each as often as the others."""
    cells = [written.format(k % n_values) for k in range(n_rows)]
    text = pd.DataFrame({name: cells, "size": RNG.normal(size=n_rows)}).to_csv(index=False)
    chunk = open_data(text.encode()).read()
    return [text for _, text in hints_on_holding_out(chunk, find_kinds(chunk, kinds).kinds)]


def test_a_category_of_very_many_levels_is_named_whatever_it_is_called() -> None:
    said = (
        "923 values of 'N° x' in 1,500 rows: --group 'N° x' keeps all rows of one together, if they belong "
        "together, and --column 'N° x'=skip leaves it out if new rows have other values"
    )
    assert many("N° x", 1500, 923) == [said]
    assert len(many("ref", 1000, 100)) == len(many("ref", 60, 30)) == 1
    assert many("ref", 1500, 923, "{}") == []  # numbers
    assert many("ref", 1500, 923, "{}", ref="category")[0].startswith("923 values of 'ref' in 1,500 rows: --group ref")
    assert many("ref", 1500, 1400) == []  # names of rows, which are left out


@pytest.mark.parametrize(
    ("name", "n_rows", "n_values"),
    [("state", 120, 50), ("state", 5000, 50), ("product", 400, 99), ("city", 1200, 119), ("airport", 5000, 320)],
)
def test_ordinary_categories_are_not_named(name: str, n_rows: int, n_values: int) -> None:
    assert many(name, n_rows, n_values) == []


def test_a_category_that_is_mostly_missing_is_not_named() -> None:
    why = [f"w{k % 44}" if k % 3 == 0 else "" for k in range(200)]
    chunk = open_data(pd.DataFrame({"why": why, "size": RNG.normal(size=200)})).read()
    assert hints_on_holding_out(chunk, {}) == []


@pytest.mark.parametrize(
    ("cells", "merged"),
    [
        (["1704067200000000001", "1704067200000000002"], True),
        (["1.00000000000000001", "1.00000000000000002"], True),
        (["0.10000000000000001", "0.30000000000000004"], False),  # as other programs write doubles
        (["1704067200000000001", "1704067200000001001"], False),
    ],
)
def test_numbers_that_are_one_double_are_named(cells: list[str], merged: bool) -> None:
    rows = "".join(f"{cell},{label}\n" for cell, label in zip(cells, "ab", strict=True))
    said = str(fit_table(open_data(f"x,y\n{rows}".encode(), target="y")).receipt.data.get("hints"))
    assert ("'x' has more digits than double precision holds: different numbers" in said) == merged


def test_groups_by_name_come_before_categories() -> None:
    chunk = open_data(
        pd.DataFrame({"street": [f"s{k % 300}" for k in range(600)], "user": [f"u{k % 40}" for k in range(600)]})
    ).read()
    [(_, said)] = hints_on_holding_out(chunk, {})
    assert said == "40 values of 'user' in 600 rows: --group user keeps all rows of one together"


def test_copies_of_training_rows_are_counted_and_chance_is_no_copy() -> None:
    rows = pd.DataFrame({"size": RNG.normal(size=60).round(2), "city": RNG.choice([*"abc"], 60), "id": range(60)})
    rows["age"] = RNG.integers(20, 70, 60)
    rows["y"] = np.where(rows["size"] > 0, "no", "yes")
    frame = pd.concat([rows, rows, rows.assign(y=["no", "yes"] * 30)], ignore_index=True)
    fitted = fit_table(open_data(frame, target="y"), holdout=0.2, columns={"id": "skip"})
    train, test = held_out_split(180, 0.2)
    cells = list(frame.drop(columns="id").itertuples(index=False, name=None))
    copies = sum(cells[k] in {cells[i] for i in train} for k in test)
    assert fitted.receipt.data["held_out_copies"] == copies >= 20
    said = (
        f"{copies} of 36 held-out rows are copies of training rows, in all columns in use and the label: the accuracy "
        "is too good for new rows; drop the copies, or keep them together with --group COLUMN"
    )
    assert fitted.receipt.data["hints"] == [said]
    assert ("hint", said) in fitted.receipt.lines
    few = pd.concat([rows, rows[:10]], ignore_index=True)
    kept_together = fit_table(open_data(frame, target="y"), holdout=0.2, group="id")
    distinct = fit_table(open_data(rows, target="y"), holdout=0.2, columns={"id": "skip"})
    hardly = fit_table(open_data(few, target="y"), holdout=0.2, columns={"id": "skip"})
    for found in (kept_together, distinct, hardly):
        assert "held_out_copies" not in found.receipt.data


def test_rows_of_few_values_are_no_copies() -> None:
    n = 400
    zips = RNG.integers(0, 40, n)
    columns = {"zip": [f"z{k}" for k in zips], "city": [f"c{k}" for k in zips], "near": [f"n{k // 2}" for k in zips]}
    frame = pd.DataFrame({**columns, "sex": RNG.choice([*"fm"], n), "y": RNG.choice([*"ab"], n)})
    train, test = held_out_split(n, 0.25)
    chunk = open_data(frame, target="y").read()
    cells = list(frame.itertuples(index=False, name=None))
    assert sum(cells[k] in {cells[i] for i in train} for k in test) > 50
    assert hint_on_copies(chunk, train, test) == (0, [])
    told_apart = open_data(frame.assign(size=np.tile(RNG.normal(size=n // 4), 4)), target="y").read()
    assert hint_on_copies(told_apart, train, test) == (0, [])


def test_a_proof_of_separation_says_that_it_may_be_about_whom_the_rows_are_about(tmp_path: Path) -> None:
    label = np.arange(N) % 30 < 15
    frame = pd.DataFrame({"patient": GROUPS, "size": RNG.normal(size=N), "y": np.where(label, "ill", "well")})
    expected = (
        "30 values of 'patient' in 120 rows: the classes may be separable by 'patient' alone, which says nothing "
        "about new values; --column patient=skip leaves it out"
    )
    found = check_table(open_data(frame, target="y"))
    assert (found.verdict, found.hints, found.lines[-1]) == ("separable", [expected], ("hint", expected))
    asked = check_table(open_data(frame, target="y"), columns={"patient": "skip"})
    assert (asked.verdict, asked.hints, dict(asked.lines).get("hint")) == ("inseparable", [], None)
    assert check_table(open_data(frame.rename(columns={"patient": "city"}), target="y")).hints == []
    both = frame.assign(y=np.where(np.arange(N) // 30 % 2, "ill", "well"))
    mixed = check_table(open_data(both, target="y"))
    assert (mixed.verdict, mixed.hints) == ("inseparable", [])
    one_told = both.assign(y=np.where(np.arange(N) % 30 == 3, "dead", both["y"]))
    parts = check_table(open_data(one_told, target="y"))
    assert [part.found.verdict for part in parts.asked] == ["separable", "quasi-separable", "quasi-separable"]
    assert parts.hints == [expected]
    frame.to_csv(tmp_path / "t.csv", index=False)
    shown = check(tmp_path / "t.csv", target="y", positive=None, time_limit=None, certificate=tmp_path / "c.json")
    assert shown.data["hints"] == [expected]
    assert "hints" not in json.loads((tmp_path / "c.json").read_text())


def test_the_receipt_has_hints_only_where_rows_are_drawn_at_random() -> None:
    frame = pd.DataFrame({"seen": DAYS, "user": GROUPS, "size": RNG.normal(size=N), "y": RNG.integers(0, 2, N)})

    def said(**asked: Any) -> list[str]:
        receipt = fit_table(open_data(frame.to_csv(index=False).encode(), target="y"), **asked).receipt
        found = [text for label, text in receipt.lines if label == "hint"]
        assert receipt.data.get("hints", []) == found
        return found

    drawn = said(holdout=0.25)
    assert len(drawn) == 1
    assert said(after=DAYS[90]) == said() == said(holdout=0.25, group="user") == []
    skip = {"seen": "skip", "user": "skip"}
    assert said(holdout=0.25, columns=skip) == []


@pytest.mark.parametrize(
    ("name", "cells", "doubted"),
    [
        ("zip", [f"{10000 + 37 * (k % 40)}" for k in range(N)], False),  # a name alone proves nothing
        ("shop", ["" if k == 3 else f"{k % 40:02d}" for k in range(N)], True),
        ("area", [f"{k % 40:05d}" for k in range(N)], True),  # zeros before
        ("area", [f"{k % 2:05d}" for k in range(N)], False),
        ("area", [f"{k % 40:05d}.5" for k in range(N)], False),
        ("area", [f"-{k % 40:05d}" for k in range(N)], False),
        ("dose", [f"{k % 7 + 1}E{k % 3}" for k in range(N)], True),
        ("dose", [f"{k % 7 + 1}E+{k % 3}" for k in range(N)], False),
        ("year", [f"{1990 + k % 40}" for k in range(N)], False),
    ],
)
def test_numbers_written_like_codes_are_doubted(name: str, cells: list[str], doubted: bool) -> None:
    text = f"{name},size\n" + "".join(f"{cell},{k * k % 17}.5\n" for k, cell in enumerate(cells))
    chunk = open_data(text.encode()).read()
    said = f"column {name!r} is read as a number; if it holds codes, use --column {name}=category (or skip)"
    assert find_kinds(chunk, {}).doubts == ([said] if doubted else [])
    assert find_kinds(chunk, {name: "number"}).doubts == []


def test_names_that_are_values_and_labels_that_are_nearly_alike_are_doubted() -> None:
    [said] = fit_table(open_data(b"2.1,0.4,oak\n2.4,0.3,oak\n1.9,0.5,elm\n", target="oak")).warnings
    assert said.startswith("columns are called '2.1' and the like: if these are values, use --read header=no")
    assert find_kinds(open_data(b"name,2019,20.5\nx,1,2\n").read(), {}).doubts == []
    rows = b"a,y\n1,high\n2,low\n3,high.\n"
    for found in (fit_table(open_data(rows, target="y")), check_table(open_data(rows, target="y"))):
        said = "the labels 'high' and 'high.' count as two classes: if they are the same, write them alike"
        assert said in found.warnings


def test_a_whole_number_stands_for_no_value_with_decimals_too() -> None:
    rows = b"a,b\n1,-999.0\n-999,2.5\n-9990,-999.5\n"
    chunk = open_data(rows, na=["-999"]).read()
    gone = [chunk.cells(name).missing.tolist() for name in "ab"]
    assert gone == [[False, True, False], [True, False, False]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a b y\n1 2 p\n", "if blanks separate the columns, use --read 'sep= '"),
        ("A title\na,b,y\n1,2,p\n", "skip_rows"),
    ],
)
def test_one_column_without_the_label_is_told_how_it_may_be_read(text: str, said: str) -> None:
    with pytest.raises(DataError, match="buffer:1: one column only") as told:
        open_data(text.encode(), format="csv", target="y").read()
    assert said in str(told.value)
