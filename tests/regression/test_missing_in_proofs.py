"""Missing values where something is proved: refused with a way on, or left out, counted, and told."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from in_process import run_linsep
from linsep import DataError, open_data
from linsep.reporting.table_check import check_table
from linsep.theory import Separability

PROGRAM = Path(__file__).parents[2] / "examples" / "verify_certificate.py"
CITIES = ("Oslo", "Rome", "", "Bari")


def lines_of(n: int = 40) -> list[str]:
    """Names of rows, a category, a number and a date with gaps, text that differs in each row, labels, one missing."""
    rows = []
    for k in range(1, n + 1):
        size, paid = "" if k % 7 == 3 else f"{k * 1.5}", "" if k == 5 else f"2024-01-{k % 28 + 1:02d}"
        rows.append(f"{k},{CITIES[k % 4]},{size},{paid},N{k}{k},{'' if k == 9 else 'no' if k % 3 else 'yes'}")
    return rows


def csv(rows: list[str]) -> str:
    return "\n".join(["id,city,size,paid,name,late", *rows, ""])


def complete(row: str) -> bool:
    return "" not in row.split(",")


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    if words[0] != str(PROGRAM):
        return run_linsep(words, folder)
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, cwd=folder, check=False)


def opened(rows: list[str]) -> Any:
    return open_data(csv(rows).encode(), target="late", drop_unlabelled=True)


def test_dropped_rows_are_as_if_they_were_not_there() -> None:
    rows = lines_of()
    gone = [k for k, row in enumerate(rows) if not complete(row)]
    known = {"id": "skip", "name": "skip"}  # too few rows are left to find that out
    found = check_table(opened(rows), missing="drop", columns=known)
    twin = check_table(opened([row for row in rows if complete(row)]), columns=known)
    own = ("summary", "file_rows", "rows_left_out")
    assert {key: value for key, value in found.data.items() if key not in own} == {
        key: value for key, value in twin.data.items() if key not in own
    }
    assert found.data["rows_left_out"] == gone
    np.testing.assert_array_equal(found.numbers.X, twin.numbers.X)
    assert ("unlabelled", "1 row without a label is left out; --read drop_unlabelled") in found.lines
    assert found.lines[2][1].startswith("15 rows have one ('city' 10, 'size' 6, 'paid (days)' 1) and are left out: the")
    labels = ["a", "b", "c"]
    many = [f"{row.rpartition(',')[0]},{labels[k % 3]}" for k, row in enumerate(rows)]
    every = check_table(opened(many), missing="drop").data["one_against_rest"]
    assert all(one["rows_left_out"] == [k for k, row in enumerate(many) if not complete(row)] for one in every.values())


def test_rows_have_their_numbers_in_the_file(tmp_path: Path) -> None:
    table = b"x,y,kind\n,9,in\n0,0,in\n1,,in\n2,2,out\n1,1,in\n,4,out\n1,1,out\n"
    found = check_table(open_data(table, target="kind"), missing="drop")
    said = dict(found.lines)
    assert "the 2 rows 5, 7 (counted from 1, rows left out too)" in said["why"]
    assert said["witness"].startswith("row 5, row 7: ")
    assert (said["separated rows"], said["rows left"]) == (
        "2 (2, 4; counted from 1)",
        "2 (5, 7; counted from 1): all such planes go through them",
    )
    assert found.data["proof"]["left"] == found.data["proof"]["weights"]["rows"] == [2, 3]
    assert found.data["file_rows"] == {"witness": [4, 6], "separated_rows": [1, 3]}
    read = Separability.from_dict(found.data)
    assert "the 2 rows 2, 3 (counted from 0)" in read.summary()  # which rows the file had besides is not proved
    (tmp_path / "t.csv").write_bytes(table)
    run(tmp_path, "check", "t.csv", "--target", "kind", "--missing", "drop", "--report", "r.html")
    page = (tmp_path / "r.html").read_text()
    assert re.findall(r"<td[^>]*>(\d)</td>", page.rpartition("Rows that no hyperplane separates")[2])[:1] == ["5"]
    asked = ("separation", "t.csv", "--target", "kind", "--missing", "drop")
    assert "separated rows  2, 4 (counted from 1)" in run(tmp_path, *asked).stdout


@pytest.mark.parametrize(
    ("missing", "rows", "message"),
    [
        (
            None,
            ["1,Rome,,2024-01-01,a,no"],
            r"buffer:2, column 'size': the value is missing|'' where .*; --missing drop",
        ),
        (
            "error",
            ["1,,2,2024-01-01,a,no"],
            r"buffer:2, column 'city': the value is missing; --missing drop \(missing=",
        ),
        (
            "drop",
            ["1,,2,2024-01-01,a,no", "2,Rome,,2024-01-01,a,yes"],
            r"buffer: every row has a missing value \('.*' 1, '.*' 1\), and none is left: do not drop them, or",
        ),
        ("mean", ["1,Rome,2,2024-01-01,a,no"], r"missing \(--missing\) of a proof is drop or error, not 'mean'"),
    ],
)
def test_what_is_refused(missing: Any, rows: list[str], message: str) -> None:
    others = [] if missing == "drop" else ["3,Oslo,4,2024-01-02,a,yes"]
    with pytest.raises(DataError, match=message):
        check_table(opened([*rows, *others]), missing=missing)


def test_a_missing_category_is_one_of_its_own_unless_asked() -> None:
    found = check_table(opened(["1,,2,2024-01-01,a,no", "2,Rome,3,2024-01-01,a,yes"]))
    assert "city=" in found.numbers.names
    assert "rows_left_out" not in found.data


def test_the_certificate_is_checked_with_the_rows_left_out(tmp_path: Path) -> None:
    rows = lines_of()
    (tmp_path / "t.csv").write_text(csv(rows))
    asked = ("t.csv", "--target", "late", "--read", "drop_unlabelled", "--missing", "drop")
    made = run(tmp_path, "check", *asked, "--certificate", "c.json", "--report", "r.html")
    assert made.returncode in (0, 1), made.stderr
    proved = run(tmp_path, str(PROGRAM), "c.json", "c.design.json")
    assert proved.returncode == 0, proved.stdout
    claim = json.loads((tmp_path / "c.json").read_text())
    design = json.loads((tmp_path / "c.design.json").read_text())
    assert design["rows"] == [k for k, row in enumerate(rows) if complete(row)]
    assert sorted([*claim["rows_left_out"], *design["rows"]]) == list(range(len(rows)))


def test_an_empty_column_is_no_part_of_the_question(tmp_path: Path) -> None:
    rows = ["size,blank,late", *(f"{k},,{'ny'[k % 9 > 4]}" for k in range(20)), ",,n"]
    (tmp_path / "t.csv").write_text("\n".join(rows) + "\n")
    without = "\n".join(row.replace(",,", ",") for row in ["size,late", *rows[1:]]) + "\n"
    one = check_table(open_data(tmp_path / "t.csv", target="late"), missing="drop")
    two = check_table(open_data(without.encode(), target="late"), missing="drop")
    assert one.asked[0].found.to_dict() == two.asked[0].found.to_dict()
    assert dict(one.lines)["left out"] == "'blank': no value in any row"
    asked = ("t.csv", "--target", "late", "--missing", "drop")
    assert "'blank': no value in any row" in run(tmp_path, "separation", *asked).stdout
    run(tmp_path, "check", *asked, "--certificate", "c.json")
    assert run(tmp_path, str(PROGRAM), "c.json", "c.design.json").returncode == 0


def test_cells_that_are_said_to_stand_for_no_value_are_left_out_of_the_design(tmp_path: Path) -> None:
    rows = ["size,coat,late", "1,red,n", "2,k.A.,n", "3,red,y", "k.A.,blue,y", "-99.0,blue,n", "5,blue, k.A. "]
    (tmp_path / "t.csv").write_text("\n".join(rows) + "\n")
    asked = (
        "t.csv",
        "--target",
        "late",
        "--missing",
        "drop",
        "--read",
        "na=k.A.",
        "--read",
        "na=-99",
        "--read",
        "drop_unlabelled",
    )
    made = run(tmp_path, "check", *asked, "--certificate", "c.json")
    assert made.returncode == 0, made.stderr
    claim = json.loads((tmp_path / "c.json").read_text())
    assert claim["rows_left_out"] == [1, 3, 4, 5]
    assert run(tmp_path, str(PROGRAM), "c.json", "c.design.json").returncode == 0


def test_separation_leaves_out_rows_and_columns(tmp_path: Path) -> None:
    rows = lines_of()
    (tmp_path / "t.csv").write_text(csv(rows))
    (tmp_path / "twin.csv").write_text(csv([row for row in rows if complete(row)]))
    asked = ("--target", "late", "--json", "--column", "id=skip", "--column", "name=skip")
    found = run(tmp_path, "separation", "t.csv", *asked, "--missing", "drop", "--read", "drop_unlabelled")
    data, twin = json.loads(found.stdout), json.loads(run(tmp_path, "separation", "twin.csv", *asked).stdout)
    assert data.pop("rows_left_out") == [k for k, row in enumerate(rows) if not complete(row)]
    whole = [k for k, row in enumerate(rows) if complete(row)]
    assert data.pop("file_rows") == {"separated_rows": [whole[row] for row in twin["separated_rows"]]}
    assert data == twin
    assert list(twin["coefficients"]) == ["(Intercept)", "city=Oslo", "city=Rome", "size", "paid (days)"]
    (tmp_path / "full.csv").write_text(csv([row for row in lines_of(80) if complete(row)]))
    said = run(tmp_path, "separation", "full.csv", "--target", "late").stdout
    assert "left out          'id' (49 values in 49 rows), 'name' (49 levels in 49 rows): names of rows; to use" in said
    kept = run(tmp_path, "separation", "full.csv", "--target", "late", "--column", "id=number").stdout
    assert ("  id " in kept, "'id'" in kept) == (True, False)
    strange = run(tmp_path, "separation", "full.csv", "--target", "late", "--column", "cities=skip")
    assert (strange.returncode, "did you mean 'city'?" in strange.stderr) == (2, True)
