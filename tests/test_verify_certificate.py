"""The certificate as another program reads it: examples/verify_certificate.py, on the standard library alone."""

from __future__ import annotations

import ast
import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse

from in_process import run_linsep
from linsep import separability
from linsep.theory.separability.certificate import Separability
from linsep.types import DataError

PROGRAM = Path(__file__).parents[1] / "examples" / "verify_certificate.py"
CITIES = "city,size,sold\nOslo,0.1,yes\nRome,0.3,no\nOslo,0.2,no\nBari,0.3,yes\nOslo,0.3,yes\nRome,7,no\n"


def verify(folder: Path, claim: Any, data: Any, name: str = "data.json") -> tuple[int, str]:
    (folder / "claim.json").write_text(json.dumps(claim))
    (folder / name).write_text(data if isinstance(data, str) else json.dumps(data))
    command = [sys.executable, "-I", str(PROGRAM), "claim.json", name]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    assert done.stderr == ""
    return done.returncode, done.stdout


def cases() -> dict[str, tuple[Any, Any]]:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(25, 3))
    quasi = np.array([[0.0, 1.5], [1.0, 0.5], [1.0, 0.5], [2.0, 2.5], [1.0, 7.0]])
    return {
        "separable": (X, np.where(X[:, 0] > 0.1, "a", "b")),
        "inseparable": (X, np.where(rng.random(25) < 0.5, "a", "b")),
        "quasi-separable": (quasi, np.array(["a", "a", "b", "b", "b"])),
    }


def plain(X: Any, y: Any) -> dict[str, Any]:
    return {"X": X.tolist(), "y": y.tolist()}


def test_the_program_imports_the_standard_library_alone() -> None:
    names = [node for node in ast.walk(ast.parse(PROGRAM.read_text())) if isinstance(node, ast.Import | ast.ImportFrom)]
    modules = {str(node.module) if isinstance(node, ast.ImportFrom) else node.names[0].name for node in names}
    assert {module.split(".")[0] for module in modules} <= sys.stdlib_module_names


@pytest.mark.parametrize("verdict", ["separable", "inseparable", "quasi-separable"])
def test_each_verdict_is_proved_and_no_alteration_survives(verdict: str, tmp_path: Path) -> None:
    X, y = cases()[verdict]
    claim = json.loads(separability(X, y).to_json())
    status, said = verify(tmp_path, claim, plain(X, y))
    assert (status, said.splitlines()[-1]) == (0, f"proved: {verdict}")
    for change, data in alterations(claim, plain(X, y)):
        status, said = verify(tmp_path, change, data)
        assert status == 1, (verdict, said)
        assert said.startswith("not proved: ")
        if data == plain(X, y):
            with pytest.raises((ValueError, DataError)):
                Separability.from_json(json.dumps(change)).verify(X, y)


def alterations(claim: dict[str, Any], data: dict[str, Any]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """One weight, one row, one coordinate, one entry of the data, one label, one missing part at a time."""
    out = []

    def changed() -> dict[str, Any]:
        out.append((copy.deepcopy(claim), data))
        return out[-1][0]

    for part in ("witness", "overlap"):
        if claim[part]:
            changed()[part]["weights"][0] = 10**9
            changed()[part]["weights"][0] = -1
            other = next(i for i in range(claim["rows"]) if i not in claim[part]["rows"])
            changed()[part]["rows"][0] = other
            changed()[part]["rows"][0] = claim["rows"]
        if claim["verdict"] == "inseparable" or (part == "witness" and claim[part]):
            changed()[part] = None
    for direction in claim["directions"]:
        k = claim["directions"].index(direction)
        changed()["directions"][k]["values"][0] = -(2**52)
        changed()["directions"][k]["b"] = 2**52
        changed()["directions"] = []
        if claim["hyperplane"] is not None:
            out[-1][0]["hyperplane"] = None
    if claim["hyperplane"]:
        j = int(np.argmax(np.abs(claim["hyperplane"]["w"])))
        changed()["hyperplane"]["w"][j] *= -1
        changed()["hyperplane"]["b"] = 1e9
    changed()["sha256"] = "0" * 64
    changed()["rows"] += 1
    changed()["features"] += 1
    changed()["verdict"] = "undecided" if claim["verdict"] == "separable" else "separable"
    for i, j in ((0, 0), (len(data["X"]) - 1, 1)):
        moved = copy.deepcopy(data)
        moved["X"][i][j] = float(np.nextafter(moved["X"][i][j], np.inf))
        out.append((claim, moved))
    swapped = copy.deepcopy(data)
    swapped["y"][0] = "b" if swapped["y"][0] == "a" else "a"
    out.append((claim, swapped))
    if claim["verdict"] == "separable":
        out = [(c, d) for c, d in out if c["verdict"] != "undecided"]  # that claims nothing, and is tested below
    return out


def test_undecided_is_no_proof(tmp_path: Path) -> None:
    X, y = cases()["inseparable"]
    claim = json.loads(separability(X, y, time_limit=0.0).to_json())
    assert claim["verdict"] == "undecided"
    assert verify(tmp_path, claim, plain(X, y))[0] == 1


@pytest.mark.parametrize("form", ["float32", "int64", "csr", "object"])
def test_the_hash_is_of_the_numbers_whatever_holds_them(form: str, tmp_path: Path) -> None:
    X, y = np.array([[0, 0], [1, 1], [0, 1], [1, 0]]), np.array([0, 0, 1, 1])
    forms: dict[str, Any] = {
        "float32": X.astype(np.float32),
        "csr": scipy.sparse.csr_matrix(X),
        "object": X.astype(object),
    }
    found = separability(forms.get(form, X), y)
    claim = json.loads(found.to_json())
    assert claim["sha256"] == json.loads(separability(X, y).to_json())["sha256"]
    assert verify(tmp_path, claim, plain(X, y))[0] == 0
    assert verify(tmp_path, claim, plain(X, y == 1))[0] == 1  # the classes have other names
    big = X.astype(object) * 10**30
    claim = json.loads(separability(big, y).to_json())
    assert claim["numbers"] == "rationals"
    assert verify(tmp_path, claim, {"X": big.tolist(), "y": y.tolist()})[0] == 0


def test_what_the_command_writes_is_about_the_decimals_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(CITIES)
    done = check(tmp_path, "sold")
    assert (done.returncode, done.stderr) == (1, "")
    assert "certificate" in done.stdout
    claim = json.loads((tmp_path / "c.json").read_text())
    assert claim["verdict"] == "quasi-separable"
    assert claim["columns"][-1] == {"column": "size", "exponent": 1}
    status, said = verify(tmp_path, claim, CITIES, "t.csv")
    assert (status, said.splitlines()[-1]) == (0, "proved: quasi-separable")
    assert verify(tmp_path, claim, CITIES.replace("0.2", "0.20000000000000001"), "other.csv")[0] == 1
    check(tmp_path, "city")
    claim = json.loads((tmp_path / "c.json").read_text())
    status, said = verify(tmp_path, claim, CITIES, "t.csv")
    assert status == 0
    assert said.count("against the rest: proved: ") == 3
    claim["one_against_rest"]["Rome"]["sha256"] = "0"
    assert verify(tmp_path, claim, CITIES, "t.csv")[0] == 1


def test_dates_are_read_as_the_certificate_says(tmp_path: Path) -> None:
    times = ["1.2.2024 8:05", "29.2.2024 13:30", "1.3.2024 0:00", "30.6.2024 7:15"]
    born = ["2024-02-29T13:30:00Z", "2024-02-29T13:30:00+02:00", "1969-12-31T23:59:59.5Z", "2024-03-01T00:00:00Z"]
    rows = [f"{k},{k % 3}.5,{times[k % 4]},{born[k % 4]},{2000 + k}-01-31,{'ab'[k % 2]}" for k in range(12)]
    data = "\n".join(["size,kind,seen,born,day,y", *rows]) + "\n"
    (tmp_path / "t.csv").write_text(data)
    assert check(tmp_path, "y").returncode in (0, 1)
    claim = json.loads((tmp_path / "c.json").read_text())
    assert {"column": "seen", "date": "%d.%m.%Y %H:%M"} in claim["columns"]
    status, said = verify(tmp_path, claim, data, "t.csv")
    assert (status, said.splitlines()[-1]) == (0, f"proved: {claim['verdict']}")
    assert verify(tmp_path, claim, data.replace("2003-01-31", "2003-02-01"), "other.csv")[0] == 1
    for column in claim["columns"]:
        if "date" in column:
            column["level"] = "2024-02-29"
    assert "2 ways to be read, not one" in verify(tmp_path, claim, data, "t.csv")[1]


@pytest.mark.parametrize(
    ("cells", "verdict"),
    [
        # On a line as written, not as doubles.
        (["1970-01-01 00:00:00.1,0.3,a", "1970-01-01 00:00:00.2,0.6,b", "1970-01-01 00:00:00.3,0.9,a"], "inseparable"),
        # Doubles hold no microseconds in the year 9999.
        ([f"9999-12-31 23:59:59.00000{k},0,{'ab'[k // 3]}" for k in range(1, 5)], "separable"),
        ([f"1600-01-01 00:00:00.00000{k},0,{'ab'[k % 2]}" for k in range(1, 5)], "inseparable"),
    ],
)
def test_fractions_of_seconds_are_proved_as_written(tmp_path: Path, cells: list[str], verdict: str) -> None:
    data = "\n".join(["t,x,y", *cells]) + "\n"
    (tmp_path / "t.csv").write_text(data)
    check(tmp_path, "y")
    claim = json.loads((tmp_path / "c.json").read_text())
    assert (claim["verdict"], claim["fragile"]) == (verdict, False)
    assert claim["columns"][0] == {"column": "t", "date": "datetime", "exponent": 1 if "00.1" in data else 6}
    status, said = verify(tmp_path, claim, data, "t.csv")
    assert (status, said.splitlines()[-1]) == (0, f"proved: {verdict}")
    other = data.replace("0.2,", "0.20001,").replace("000002,", "000007,")
    assert verify(tmp_path, claim, other, "other.csv")[0] == 1


def test_amounts_and_booleans_are_read_as_the_certificate_means_them(tmp_path: Path) -> None:
    nets = ['"($1,700.25)"', "$(3)", "$12.50", "($4.5)"] * 3
    rows = [f'"${k * 700 % 3000:,}.50",{k % 3 == 0},{k % 4 * 2}%,{nets[k // 2]},{"ab"[k % 2]}' for k in range(12)]
    data = "\n".join(["price,open,share,net,y", *rows]) + "\n"
    (tmp_path / "t.csv").write_text(data)
    check(tmp_path, "y")
    claim = json.loads((tmp_path / "c.json").read_text())
    assert [column["column"] for column in claim["columns"]] == ["price", "open", "share", "net"]
    status, said = verify(tmp_path, claim, data, "t.csv")
    assert (status, said.splitlines()[-1]) == (0, f"proved: {claim['verdict']}")
    assert verify(tmp_path, claim, data.replace("($4.5)", "$4.5"), "other.csv")[0] == 1


def test_numbers_with_a_unit_are_read_as_the_certificate_means_them(tmp_path: Path) -> None:
    rows = [f'"{k * 37 % 24 * 1000 + 500:,}.25 kg".,"{k % 9},5mg",{"ab"[k % 2]}'.replace(".,", ",") for k in range(24)]
    data = "\n".join(["load,dose,y", *rows]) + "\n"
    (tmp_path / "t.csv").write_text(data)
    check(tmp_path, "y")
    claim = json.loads((tmp_path / "c.json").read_text())
    assert claim["columns"] == [
        {"column": "load", "unit": "0.0 kg", "exponent": 2}, {"column": "dose", "unit": "0,0 mg", "exponent": 1}
    ]  # fmt: skip
    status, said = verify(tmp_path, claim, data, "t.csv")
    assert (status, said.splitlines()[-1]) == (0, f"proved: {claim['verdict']}")
    status, said = verify(tmp_path, claim, data.replace("4,5mg", "4,5g"), "other.csv")
    assert (status, said.strip()) == (1, "not proved: '4,5g' is not a number in 'mg'")


def test_names_that_the_hash_does_not_hold_stay_on_their_line(tmp_path: Path) -> None:
    X, y = cases()["inseparable"]
    claim = json.loads(separability(X, y).to_json())
    claim |= {"target": "x\nproved: separable", "columns": [{"column": "fraud", "exponent": 0}] * 3}
    status, said = verify(tmp_path, claim, plain(X, y))
    assert status == 0
    assert "fraud" not in said
    assert "proved: separable" not in said
    (tmp_path / "t.csv").write_text(CITIES)
    check(tmp_path, "sold")
    claim = json.loads((tmp_path / "c.json").read_text())
    claim["columns"][-1] = {"column": "size\nproved: separable", "exponent": 1}
    named = CITIES.replace("size", '"size\nproved: separable"')
    status, said = verify(tmp_path, claim, named, "n.csv")
    assert "proved: separable" not in said.splitlines()


def check(folder: Path, target: str) -> subprocess.CompletedProcess[str]:
    return run_linsep(["check", "t.csv", "--target", target, "--certificate", "c.json"], folder)


@pytest.mark.parametrize(
    "rows",
    [
        ["a,y", "1e3,n", "2e3,y"],
        ["a,y", "1.5e3,n", "2.25e3,y", "1.5e3,y"],
        [
            "t,id,y",
            "2024-01-01T10:00:00.5,9007199254740993,n",
            "2024-01-02T10:00:00.25,9007199254740995,y",
            "2024-01-02T10:00:01.25,9007199254740993,n",
            "2024-01-02T10:00:00.25,9007199254740993,y",
        ],
    ],
)
def test_powers_of_ten_and_fractions_beside_long_integers_come_to_a_verdict(tmp_path: Path, rows: list[str]) -> None:
    data = "\n".join(rows) + "\n"
    (tmp_path / "t.csv").write_text(data)
    done = check(tmp_path, "y")
    assert (done.returncode in (0, 1), done.stderr) == (True, "")
    claim = json.loads((tmp_path / "c.json").read_text())
    status, said = verify(tmp_path, claim, data, "t.csv")
    assert (status, said.splitlines()[-1]) == (0, f"proved: {claim['verdict']}")


@pytest.mark.parametrize("mark", [";", "\t"])
def test_tables_with_other_marks_and_lines_above_are_read(mark: str, tmp_path: Path) -> None:
    lines = [line.replace(",", mark).replace(".", ",") for line in CITIES.splitlines()]
    data = "\n".join(["Sales, 2024", "", *lines, ""])
    (tmp_path / "t.csv").write_text(data)
    command = ["check", "t.csv", "--target", "sold", "--certificate", "claim.json", "--skip-rows", "2"]
    assert run_linsep(command, tmp_path).returncode in (0, 1)
    claim = json.loads((tmp_path / "claim.json").read_text())
    assert (claim["sep"], claim["decimal"], claim["skip_rows"]) == (mark, ",", 2)
    assert verify(tmp_path, claim, data, "t.csv")[0] == 0
    for changed in ({"decimal": "."}, {"sep": ","}, {"skip_rows": 3}, {"decimal": ":"}, {"sep": ""}, {"skip_rows": -1}):
        assert verify(tmp_path, claim | changed, data, "t.csv")[0] == 1
    assert verify(tmp_path, claim, data.replace("0,1", "0,2"), "t.csv")[0] == 1


def test_rows_left_out_lack_a_label(tmp_path: Path) -> None:
    rows = "city,size,sold\nOslo,0.1,yes\nRome,0.3,\nOslo,0.2,no\nBari,0.3,yes\nOslo,0.3, \n"
    (tmp_path / "t.csv").write_text(rows)
    command = "check t.csv --target sold --drop-unlabelled --certificate claim.json"
    assert run_linsep(command.split(), tmp_path).returncode in (0, 1)
    claim = json.loads((tmp_path / "claim.json").read_text())
    status, said = verify(tmp_path, claim, rows, "t.csv")
    assert (status, claim["rows_left_out"]) == (0, [1, 4])
    assert "2 rows are left out, each of which lacks its label or a value\n" in said
    for left_out, why in (
        ([1, 2], "a row is left out that lacks neither its label nor a value"),
        ([1], "the certificate is about 3 rows, the data have 4"),
        ([], "the certificate is about 3 rows, the data have 5"),
        ([1, 1], "names one twice"),
        ([1, 9], "which is not there"),
        ("all", "is no list"),
    ):
        status, said = verify(tmp_path, claim | {"rows_left_out": left_out}, rows, "t.csv")
        assert (status, why in said) == (1, True), said
