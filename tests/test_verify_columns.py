"""What columns have to do with a verdict, as another program reads it: examples/verify_columns.py."""

from __future__ import annotations

import ast
import copy
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from in_process import run_linsep
from linsep.theory.separability.certificate import Separability
from test_columns_behind import frame
from test_verify_certificate import verify

PROGRAM = Path(__file__).parents[1] / "examples" / "verify_columns.py"


def checked(table: Any, target: str, folder: Path, *more: str) -> tuple[dict[str, Any], str]:
    """The certificate of a table, and its text."""
    table.to_csv(folder / "t.csv", index=False)
    words = ["check", "t.csv", "--target", target, "--explain", "--time-limit", "5", "--certificate", "c.json", *more]
    assert run_linsep(words, folder).returncode in (0, 1)
    return json.loads((folder / "c.json").read_text()), (folder / "t.csv").read_text()


def dosed() -> Any:
    """A table whose first column separates all rows but 83, and of which row 2 lacks a value."""
    table = pd.DataFrame({"dose": np.arange(100) / 10, "age": np.arange(100) * 37 % 41, "city": ["Oslo", "Rome"] * 50})
    table["ill"] = np.where(table.dose > 4.55, "yes", "no")
    table.loc[83, "ill"] = "no"
    table["age"] = table.age.astype(object)
    table.loc[2, "age"] = ""
    return table


def test_the_program_imports_the_standard_library_and_its_neighbour_alone() -> None:
    names = [node for node in ast.walk(ast.parse(PROGRAM.read_text())) if isinstance(node, ast.Import | ast.ImportFrom)]
    modules = {str(node.module) if isinstance(node, ast.ImportFrom) else node.names[0].name for node in names}
    assert modules <= {*sys.stdlib_module_names, "verify_certificate"}


def test_a_column_that_separates_nearly_all_rows_is_proved(tmp_path: Path) -> None:
    table = dosed()
    claim, text = checked(table, "ill", tmp_path, "--missing", "drop")
    status, said = verify(tmp_path, claim, text, "t.csv")
    assert (status, said.splitlines()[-1]) == (0, "proved: separable by dose alone without 1 of the rows: 83")
    [one] = claim["columns_behind"]["nearly"]
    assert (one["wrong"], one["removed"], one["places"]) == ([83], [82], [0])
    assert one["certificate"]["classes"] == claim["fewest_rows"]["rest"]["classes"] == ["no", "yes"]
    kept = table.drop(index=[2, 83])
    proof = Separability.from_dict(one["certificate"])
    proof.verify(np.rint(kept[["dose"]].to_numpy(float) * 10), kept.ill.to_numpy())
    assert proof.verdict == "separable"
    changes: list[dict[str, Any]] = [{"removed": [81]}, {"wrong": [82]}, {"places": [1]}, {"removed": [], "wrong": []}]
    for change in changes:
        other = copy.deepcopy(claim)
        other["columns_behind"]["nearly"][0].update(change)
        assert verify(tmp_path, other, text, "t.csv")[0] == 1, change


def test_columns_that_separate_some_rows_are_proved(tmp_path: Path) -> None:
    table = frame()[["age", "city", "late"]]
    table.loc[table.city == "Rome", "late"] = "yes"
    claim, text = checked(table, "late", tmp_path)
    status, said = verify(tmp_path, claim, text, "t.csv")
    assert status == 0, said
    rome = np.flatnonzero(table.city == "Rome").tolist()
    assert said.splitlines()[-2:] == [
        "proved: inseparable without city=Bari, city=Oslo, city=Rome",
        f"proved: {len(rome)} rows separated by city=Rome alone",
    ]
    part = claim["columns_behind"]["part"]
    assert part["rows"] == part["certificate"]["separated_rows"] == rome
    for key, value in (("rows", [*rome, 0]), ("places", [0]), ("certificate", claim["fewest_rows"]["rest"])):
        other = copy.deepcopy(claim)
        other["columns_behind"]["part"][key] = value
        assert verify(tmp_path, other, text, "t.csv")[0] == 1, key


@pytest.mark.parametrize("several", [False, True])
def test_columns_that_separate_or_are_needed_are_proved(several: bool, tmp_path: Path) -> None:
    table = frame().drop(columns="city")
    rest = np.where(table.age > 150, "no", "perhaps") if several else "no"
    table["late"] = np.where(table.late == "yes", "yes", rest)
    claim, text = checked(table, "late", tmp_path)
    status, said = verify(tmp_path, claim, text, "t.csv")
    assert status == 0, said
    first = "yes against the rest: " if several else ""
    for line in ("separable by begin, end alone", "inseparable without begin", "inseparable without end"):
        assert f"{first}proved: {line}\n" in said
    behind = claim["columns_behind"]
    behind = behind["one_against_rest"]["yes"] if several else behind
    behind["needed"][0]["without"] = behind["pairs"][0]["certificate"]
    assert verify(tmp_path, claim, text, "t.csv")[0] == 1


def test_a_class_of_one_row_may_be_the_one_that_goes(tmp_path: Path) -> None:
    """Without it the labels left are two, of a question of one class against the rest."""
    table = pd.DataFrame({"x": range(60), "kind": ["a"] * 30 + ["b"] * 30})
    table.loc[7, "kind"] = "c"
    claim, text = checked(table, "kind", tmp_path)
    [one] = claim["columns_behind"]["one_against_rest"]["a"]["nearly"]
    assert (one["wrong"], one["certificate"]["classes"]) == ([7], ["not a", "a"])
    kept = table.drop(index=7)
    Separability.from_dict(one["certificate"]).verify(kept[["x"]].to_numpy(float), kept.kind.to_numpy())
    status, said = verify(tmp_path, claim, text, "t.csv")
    assert (status, "a against the rest: proved: separable by x alone without 1 of the rows: 7\n" in said) == (0, True)
