"""`linsep separation` as a user meets it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from in_process import run_linsep

EXAMPLES = Path(__file__).parents[2] / "examples"
CLINIC = (
    "age,dose,improved\n34,low,yes\n51,low,no\n29,low,yes\n62,low,no\n41,low,no\n66,low,yes\n44,high,yes\n57,high,yes\n"
)


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    program, *words = command.split()
    if program == "linsep":
        return run_linsep(words, folder)
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, cwd=folder, check=False)


def test_the_command_and_its_exit_status(tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text(CLINIC)
    found = run("linsep separation c.csv --target improved --json", tmp_path)
    data = json.loads(found.stdout)
    assert (found.returncode, data["verdict"], data["separated_rows"]) == (1, "quasi-complete", [6, 7])
    assert data["coefficients"] == {"(Intercept)": "+inf", "age": "finite", "dose=low": "-inf"}
    assert data["groups"] == ["dose=high (2 rows)"]
    said = run("linsep separation c.csv --target improved", tmp_path).stdout
    assert data["summary"] in said
    assert all(text in said for text in data["advice"])
    assert (
        run("linsep separation c.csv --target dose --family multinomial --set fit_intercept=no", tmp_path).returncode
        == 1
    )
    counts = run("linsep separation c.csv --target age --family poisson", tmp_path)
    assert (counts.returncode, counts.stdout.split()[1]) == (0, "overlap")
    assert run("linsep separation c.csv --target improved --time-limit 0", tmp_path).returncode == 3
    bad = run("linsep separation c.csv --target age", tmp_path)
    assert bad.returncode == 2
    assert "a logistic model has two: ask for the family 'multinomial'" in bad.stderr
    assert "name the column of the labels: --target COLUMN" in run("linsep separation c.csv", tmp_path).stderr


def test_the_command_reads_decimals_as_written(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("a,b,y\n0.1,0.3,1\n0.2,0.6,0\n0.3,0.9,1\n")
    found = run("linsep separation d.csv --target y --json", tmp_path)
    assert (found.returncode, json.loads(found.stdout)["rank"]) == (0, 2)


def test_digits_of_what_moves_no_direction_are_not_missed(tmp_path: Path) -> None:
    pytest.importorskip("formulaic", reason="the extra regression is not installed")
    lines = ["k,x,dose,o,w", "0,0.1,low,0.25,0.5", "1,0.2,low,0.75,1.5", "0,0.3,top,1.1,0.1", "0,0.4,top,0.2,0.3"]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    plain = ["linsep separation t.csv --formula", "k ~ x + dose", "--family poisson --json"]
    rounded = "more digits than doubles hold"
    asked = [*plain[0].split()[1:], plain[1], *plain[2].split()]
    for more in ([], ["--set", "offset=o"], ["--set", "weights=w"], ["--set", "offset=o", "--set", "weights=w"]):
        found = run_linsep([*asked, *more], tmp_path)
        assert (found.returncode, rounded in found.stdout + found.stderr) == (1, False)


def test_predictors_are_chosen_by_their_names(tmp_path: Path) -> None:
    rows = [
        f"p{k},{k},{age},{sex},{died}"
        for k, (age, sex, died) in enumerate([(3, "m", 0), (5, "f", 1), (4, "m", 1)] * 40)
    ]
    (tmp_path / "t.csv").write_text("\n".join(["id,visit,age,sex,died", *rows, "p120,120,3,m,1"]) + "\n")
    every = json.loads(run("linsep separation t.csv --target died --json", tmp_path).stdout)
    assert set(every["left_out"]) == {"id", "visit"}
    assert "left out          'id'" in run("linsep separation t.csv --target died", tmp_path).stdout
    some = run("linsep separation t.csv --target died --columns age --certificate proof.json --json", tmp_path)
    assert list(json.loads(some.stdout)["coefficients"]) == ["(Intercept)", "age"]
    by_formula = run("linsep separation t.csv --formula died~age --json", tmp_path)
    assert json.loads(by_formula.stdout)["coefficients"] == json.loads(some.stdout)["coefficients"]
    proved = subprocess.run(
        [sys.executable, EXAMPLES / "verify_certificate.py", "proof.json", "t.csv"],
        capture_output=True, text=True, cwd=tmp_path, check=False,
    )  # fmt: skip
    assert "died by age; with an intercept" in proved.stdout
    chosen = json.loads(run("linsep separation t.csv --target died --columns age,visit --json", tmp_path).stdout)
    assert list(chosen["coefficients"]) == ["(Intercept)", "visit", "age"]
    weighted = run("linsep separation t.csv --target died --columns age --set weights=visit --json", tmp_path)
    assert json.loads(weighted.stdout)["rows_without_weight"] == 1
    wrong = run("linsep separation t.csv --target died --columns agee", tmp_path)
    assert (wrong.returncode, "--columns names 'agee', which is no column beside the target" in wrong.stderr) == (
        2,
        True,
    )
    assert (
        "leave out --target, --columns"
        in run("linsep separation t.csv --columns age --formula died~age", tmp_path).stderr
    )


def test_advice_about_levels_beside_numbers_near_the_largest_double(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("x,g,kind\n-2,v,a\n1.5,u,a\n1e308,w,b\n1,v,b\n-2,u,b\n")
    done = run_linsep(("separation", "t.csv", "--target", "kind"), tmp_path)
    assert "joined with 'u' or 'v' no estimate is infinite" in done.stdout
    assert (done.returncode, done.stderr) == (1, "")


def test_a_bad_row_is_counted_from_1_on_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text("a,k\n1,3\n2,-1\n3,2\n")
    done = run("linsep separation c.csv --target k --family poisson", tmp_path)
    said = "linsep: error: row 2 (counted from 1): a Poisson response is a count of 0 or more, not -1\n"
    assert (done.returncode, done.stderr) == (2, said)
