"""What columns have to do with a verdict, as another program reads it: examples/verify_columns.py."""

from __future__ import annotations

import ast
import copy
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from in_process import run_linsep
from test_columns_behind import frame
from test_verify_certificate import verify

PROGRAM = Path(__file__).parents[1] / "examples" / "verify_columns.py"


def checked(table: Any, target: str, folder: Path, *more: str) -> tuple[dict[str, Any], str]:
    """The certificate of a table, and its text."""
    table.to_csv(folder / "t.csv", index=False)
    words = ["check", "t.csv", "--target", target, "--explain", "--time-limit", "5", "--certificate", "c.json", *more]
    assert run_linsep(words, folder).returncode in (0, 1)
    return json.loads((folder / "c.json").read_text()), (folder / "t.csv").read_text()


def test_the_program_imports_the_standard_library_and_its_neighbour_alone() -> None:
    names = [node for node in ast.walk(ast.parse(PROGRAM.read_text())) if isinstance(node, ast.Import | ast.ImportFrom)]
    modules = {str(node.module) if isinstance(node, ast.ImportFrom) else node.names[0].name for node in names}
    assert modules <= {*sys.stdlib_module_names, "verify_certificate"}


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
    [part] = claim["columns_behind"]["few"]
    assert part["rows"] == part["certificate"]["separated_rows"] == rome
    for key, value in (("rows", [*rome, 0]), ("places", [0]), ("certificate", claim["fewest_rows"]["rest"])):
        other = copy.deepcopy(claim)
        other["columns_behind"]["few"][0][key] = value
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
    behind["needed"][0]["certificate"] = behind["few"][0]["certificate"]
    assert verify(tmp_path, claim, text, "t.csv")[0] == 1
