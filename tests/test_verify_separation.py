"""Certificates of regressions as examples/verify_separation.py reads them, on the standard library alone."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from altered_certificates import PROGRAM, standalone
from linsep import separation
from linsep.app.commands.separation import separation as command
from linsep.types import DataError
from naive_regressions import ORDERED

FAMILIES = [
    *("logistic", "binomial", "fractional", "poisson", "negative-binomial", "gamma", "inverse-gaussian"),
    *("multinomial", "cumulative", "adjacent", "continuation", "cox"),
]


def verify(folder: Path, claim: Any, data: Any) -> tuple[int, str]:
    """What the program says of a certificate and its data, which are JSON or the name of a CSV file."""
    (folder / "claim.json").write_text(json.dumps(claim), encoding="utf-8")
    name = folder / (data if isinstance(data, str) else "data.json")
    if not isinstance(data, str):
        name.write_text(json.dumps(data), encoding="utf-8")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        status = standalone().main([str(folder / "claim.json"), str(name)])
    return status, printed.getvalue()


def said_of(lines: str) -> dict[str, str]:
    """Coefficient -> what the program printed of it."""
    kinds = ("finite", "+inf", "-inf", "undetermined sign", "not identified")
    found = [line.split(": ", 1) for line in lines.splitlines() if line.split(":")[0] in kinds]
    return {name: kind for kind, names in found for name in names.split(", ")}


def design(rng: np.random.Generator, kind: str) -> tuple[Any, Any, dict[str, Any]]:
    """A small design, its response and the options: separated in part, in all or not at all."""
    n, p = int(rng.integers(4, 12)), int(rng.integers(1, 4))
    p = n + 3 if rng.random() < 0.08 else p
    X: Any = rng.integers(-1, 3, (n, p)) * rng.choice([1, 1, 0.5, 0.1])
    X = np.column_stack([X, X[:, 0]]) if rng.random() < 0.2 else X
    X[:, 0] = 1 if rng.random() < 0.1 else X[:, 0]
    more: dict[str, Any] = {"weights": rng.choice([0, 0.5, 1, 2.5], n)} if rng.random() < 0.3 else {}
    y: Any = rng.integers(0, 3, n)
    if rng.random() < 0.5:
        y = np.where(X[:, 0] > X[:, 0].mean(), 2, rng.integers(0, 2, n))
    if kind == "logistic":
        y, more["link"] = np.where(y > 1, "yes", "no"), str(rng.choice(["logit", "probit", "cauchit"]))
    elif kind == "binomial":
        more["trials"] = rng.integers(0, 4, n)
        y = np.minimum(rng.integers(0, 4, n), more["trials"])
    elif kind in ("fractional", "poisson", "negative-binomial", "gamma"):
        y = {"fractional": y / 2, "gamma": y * 0.75}.get(kind, np.maximum(y - 1, 0))
    elif kind == "inverse-gaussian":
        y = y + 1.0
    elif kind in ORDERED and rng.random() < 0.5:
        y, more["order"] = np.array(["b", "a", "c"])[y], ["b", "a", "c"]
    elif kind == "cox":
        y = rng.integers(1, 6, n) if rng.random() < 0.5 else 15 - np.round(X[:, 0] * 3).astype(int)
        beside = {
            "event": rng.integers(0, 2, n),
            "strata": rng.choice(["u", "v"], n),
            "entry": y - rng.integers(1, 4, n),
        }
        more |= {name: column for name, column in beside.items() if rng.random() < 0.5}
    if kind not in (*ORDERED, "cox"):
        more["fit_intercept"] = bool(rng.random() < 0.7)
    return X, y, more


def as_data(X: Any, y: Any, more: dict[str, Any]) -> dict[str, Any]:
    beside = {name: values.tolist() for name, values in more.items() if isinstance(values, np.ndarray)}
    return {"X": X.tolist(), "y": y.tolist(), **beside}


def told(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:+}"


@pytest.mark.parametrize("kind", FAMILIES)
def test_the_program_says_of_every_coefficient_what_the_library_says(kind: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(FAMILIES.index(kind))
    seen: Counter[str] = Counter()
    for _ in range(40):
        X, y, more = design(rng, kind)
        try:
            found = separation(X, y, family="binomial" if kind == "fractional" else kind, **more)  # type: ignore[arg-type]
        except DataError:
            continue  # one class is left, or no event has another row at risk
        status, said = verify(tmp_path, found.to_dict(), as_data(X, y, more))
        assert status == 0, said
        names = {
            f"{name[1]} of class {name[0]}" if isinstance(name, tuple) else name: name for name in found.coefficients
        }
        assert said_of(said) == {text: told(found.coefficients[name]) for text, name in names.items()}
        assert f"proved: {found.verdict}" in said
        seen.update([found.verdict, *map(told, found.coefficients.values())])
    assert seen["overlap"] and seen["not identified"] and seen["finite"]
    if kind != "inverse-gaussian":  # that always has an estimate
        assert seen["quasi-complete"] + seen["complete"] and seen["undetermined sign"] + seen["+inf"] + seen["-inf"]


TABLE = """size,city,seen,id,a,b,n,w,t,died,ward,from
0.1,Oslo,2024-01-05,r1,yes,low,0,1,5.5,1,1.50,1
0.25,Rome,2024-01-09,r2,no,mid,1,1,4,1,2,1
0.3,,2024-02-01,r3,yes,high,2,2,3,0,1.5,2
1e-1,Oslo,2024-03-05,r4,no,low,0,0,3,1,10,0
k.A.,Bari,2024-03-06,r5,no,low,0,1,3,1,10,0
2,Bari,2024-04-05,r6,no,mid,3,1,4,1,2,1
0.7,Bari,2024-05-05,r7,yes,high,1,1,7,1,2,1
0.5,Rome,2024-05-06,r8,no,low,0,0.5,1,0,1.5,0
0.45,Oslo,2024-05-07,r9,yes,high,0,1,6,1,2,3
"""
QUESTIONS: dict[str, dict[str, Any]] = {
    "logistic": {"target": "a", "link": "probit"},
    "multinomial": {"target": "b", "beside": {"weights": "w"}},
    "binomial": {"target": "n", "beside": {"trials": "t", "offset": "died"}},
    "poisson": {"target": "n", "beside": {"weights": "w"}},
    "negative-binomial": {"target": "n", "fit_intercept": False},
    "gamma": {"target": "n", "beside": {"weights": "w"}},
    "inverse-gaussian": {"target": "t"},
    "cumulative": {"target": "b", "order": ["low", "mid", "high"], "link": "cloglog"},
    "adjacent": {"target": "b", "order": ["low", "mid", "high"], "beside": {"weights": "w"}},
    "continuation": {"target": "died"},
    "cox": {"target": "t", "beside": {"event": "died", "strata": "ward", "entry": "from"}},
}


def test_a_table_with_decimal_commas_is_read_as_the_certificate_says(tmp_path: Path) -> None:
    rows = ["dose;n;weight", "0,5;1;1,5", "1,5;0;2,25", "2,5;3;0,5", "3,5;4;1", "7;2;1,5"]
    (tmp_path / "t.csv").write_text("\n".join([*rows, ""]))
    asked: dict[str, Any] = {"target": "n", "family": "poisson", "link": None, "fit_intercept": True}
    asked |= {"time_limit": None, "missing": None, "beside": {"weights": "weight"}, "certificate": tmp_path / "c.json"}
    done = command(str(tmp_path / "t.csv"), **asked)
    assert (done.data["sep"], done.data["decimal"]) == (";", ",")
    claim = json.loads((tmp_path / "c.json").read_text())
    assert verify(tmp_path, claim, "t.csv")[0] == 0
    assert verify(tmp_path, claim | {"decimal": "."}, "t.csv")[0] == 1


@pytest.mark.parametrize("family", QUESTIONS)
def test_what_the_command_writes_is_about_the_table(family: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TABLE)
    asked: dict[str, Any] = {
        "link": None,
        "fit_intercept": True,
        "time_limit": None,
        "missing": "drop",
        **QUESTIONS[family],
    }
    kept = {"size", "city", "seen", asked["target"], *asked.get("beside", {}).values()}
    skipped = dict.fromkeys(set(TABLE.splitlines()[0].split(",")) - kept, "skip")
    asked |= {"family": family, "certificate": tmp_path / "c.json", "columns": skipped, "na": ("k.A.",)}
    done = command(str(tmp_path / "t.csv"), **asked)
    claim = json.loads((tmp_path / "c.json").read_text())
    assert done.lines[-1] == ("certificate", str(tmp_path / "c.json"))
    assert (claim, claim["rows_left_out"]) == (json.loads(json.dumps(done.data)), [2, 4])
    status, said = verify(tmp_path, claim, "t.csv")
    assert (status, f"proved: {claim['verdict']}" in said) == (0, True), said
    assert "2 rows are left out" in said
    assert said_of(said).keys() >= {"size", "seen (days)", "city=Rome"} or family == "multinomial"
    for old, new in (("0.7,Bari", "0.70001,Bari"), ("r7,yes,high,1,1,7,", "r7,no,low,0,1,8,"), ("r4,no", "r4,yes")):
        (tmp_path / "other.csv").write_text(TABLE.replace(old, new))
        status, said = verify(tmp_path, claim, "other.csv")
        changed = (
            old[0] == "0"
            or (old == "r4,no" and family == "logistic")
            or (new[:5] == "r7,no" and family != "continuation")
        )
        assert (status == 1) == changed, (old, said)


FORMULAS: list[tuple[str, str, dict[str, Any]]] = [
    ("logistic", "a ~ t * size + C(city):size", {}),
    ("poisson", "n ~ size + C(t) | city + died:b", {"weights": "w"}),
    ("multinomial", "b ~ 0 + city + C(died)", {}),
    ("cumulative", "b ~ size | city", {}),
    ("cox", "t ~ size * city", {"event": "died", "strata": "ward", "entry": "from"}),
    ("gamma", "n ~ np.log(t) + city", {"weights": "w"}),  # of these three the design is written beside it
    ("multinomial", "b ~ size + I(t**2) | city", {}),
    ("poisson", "n ~ w + C(t, Sum)", {}),
]


@pytest.mark.parametrize(("family", "formula", "beside"), FORMULAS)
def test_a_formula_is_about_the_table_or_about_a_design_that_is_written(
    family: str, formula: str, beside: dict[str, str], tmp_path: Path
) -> None:
    pytest.importorskip("formulaic")
    (tmp_path / "t.csv").write_text(TABLE)
    asked: dict[str, Any] = {"order": ["low", "mid", "high"]} if family == "cumulative" else {}
    asked |= {
        "family": family,
        "formula": formula,
        "beside": beside,
        "na": ("k.A.",),
        "certificate": tmp_path / "c.json",
    }
    done = command(str(tmp_path / "t.csv"), target=None, fit_intercept=True, time_limit=None, **asked)
    claim = json.loads((tmp_path / "c.json").read_text())
    status, said = verify(tmp_path, claim, "t.csv")
    written = ("design", str(tmp_path / "c.design.json")) in done.lines
    assert written == (claim.get("design") == "c.design.json") == ((family, formula, beside) in FORMULAS[-3:])
    if written:
        assert (status, "give its design as JSON" in said) == (1, True)
        data = json.loads((tmp_path / "c.design.json").read_text())
        status, said = verify(tmp_path, claim, data)
        data["names"][0] += "2"
        assert verify(tmp_path, claim, data)[0] == 1
    else:
        (tmp_path / "other.csv").write_text(TABLE.replace(",no,mid,3,1,4,1,2,1", ",yes,low,0,1,4.5,0,2,1"))
        assert verify(tmp_path, claim, "other.csv")[0] == 1
        assert claim["rows_left_out"] == [2] * ("city" in formula) + [4] * ("size" in formula)
    assert (status, f"proved: {claim['verdict']}" in said) == (0, True), said


def test_a_formula_says_which_columns_its_coefficients_are_of(tmp_path: Path) -> None:
    pytest.importorskip("formulaic")
    (tmp_path / "t.csv").write_text(TABLE)
    asked: dict[str, Any] = {"family": "poisson", "formula": "n ~ w:C(city) | died", "certificate": tmp_path / "c.json"}
    command(str(tmp_path / "t.csv"), target=None, fit_intercept=True, time_limit=None, **asked)
    claim = json.loads((tmp_path / "c.json").read_text())
    assert claim["columns"][1] == {
        "name": "w:C(city)[Oslo]",
        "factors": [{"column": "w", "exponent": 1}, {"column": "city", "level": "Oslo"}],
    }
    assert claim["columns"][-1] == {"name": "died=1", "factors": [{"column": "died", "equals": "1"}], "effect": "died"}
    assert "w:C(city)[Oslo] (which is w x city=Oslo)" in verify(tmp_path, claim, "t.csv")[1]
    for change, why in (
        ({"formula": {**claim["formula"], "fixed_effects": {"died": {"finite": 3}}}}, "counts of fixed effects"),
        ({"formula": {**claim["formula"], "missing": 7}}, "the number of rows with missing values is another"),
        ({"rows_left_out": [1]}, "a row is left out that lacks neither its label nor a value"),
        ({"columns": [{**claim["columns"][0], "name": claim["columns"][1]["name"]}, *claim["columns"][1:]]}, "names"),
    ):
        status, said = verify(tmp_path, {**claim, **change}, "t.csv")
        assert (status, why in said) == (1, True), said


def test_it_runs_alone_and_prints_what_the_page_shows(tmp_path: Path) -> None:
    page = (PROGRAM.parents[1] / "docs" / "commands" / "separation.md").read_text(encoding="utf-8")
    table, shown = re.search(r"cat trial.csv\n(.*?)\$ ", page, re.S), re.search(r"```text\n(.*?)```", page, re.S)
    assert table is not None and shown is not None
    (tmp_path / "trial.csv").write_text(table[1])
    start = [sys.executable, "-m", "linsep", "separation", "trial.csv", "--target", "cured"]
    start += ["--certificate", "proof.json"]
    assert subprocess.run(start, cwd=tmp_path, capture_output=True, check=False).returncode == 1
    words = [sys.executable, "-I", str(PROGRAM), "proof.json", "trial.csv"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", shown[1])
    start[-2:] = ["--certificate", "trial.csv"]
    refused = subprocess.run(start, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (refused.returncode, "would be replaced by the certificate" in refused.stderr) == (2, True)


def test_names_of_columns_stand_beside_json(tmp_path: Path) -> None:
    frame = pd.DataFrame({"age": [0, 1, 2, 3], "rare": [0, 0, 0, 1]})
    y = [0, 1, 0, 1]
    claim, data = separation(frame, y).to_dict(), {"X": frame.to_numpy().tolist(), "y": y}
    status, said = verify(tmp_path, claim, data)
    assert (status, 'give them as "names" in the JSON of the data' in said) == (1, True)
    status, said = verify(tmp_path, claim, {**data, "names": ["age", "rare"]})
    assert (status, "proved: quasi-complete" in said) == (0, True), said


def test_the_programs_import_the_standard_library_and_each_other_alone() -> None:
    for name in ("regression_rows", "verify_separation"):
        nodes = ast.walk(ast.parse((PROGRAM.parent / f"{name}.py").read_text(encoding="utf-8")))
        found = [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
        modules = {str(node.module) if isinstance(node, ast.ImportFrom) else node.names[0].name for node in found}
        assert modules <= {*sys.stdlib_module_names, "verify_certificate", "regression_rows"}


@pytest.mark.parametrize("units", ["floats", "fractions", "rationals"])
def test_a_proof_may_be_about_columns_multiplied_to_whole_numbers(units: str, tmp_path: Path) -> None:
    from fractions import Fraction

    X: Any = np.array([[0.5, 0.25], [1.5, 0.5], [2.0, 1.0], [0.625, 3.0]])
    y = np.array([0, 1, 1, 0])
    whole = {"floats": X, "fractions": np.vectorize(Fraction, otypes=[object])(X), "rationals": X.astype(object)}[units]
    if units == "rationals":
        whole = np.array([[int(v * 8) * 10**20 for v in row] for row in X.tolist()], dtype=object)
    found = separation(whole, y)
    data = {"X": whole.tolist() if units == "rationals" else X.tolist(), "y": y.tolist()}
    assert verify(tmp_path, found.to_dict(), data)[0] == 0


def test_rows_may_be_sparse_and_columns_have_names(tmp_path: Path) -> None:
    import pandas as pd

    frame = pd.DataFrame({"dose": [1, 2, 2, 1, 4], "site": ["north", "north", "south", "north", "south"]})
    y = ["no", "no", "yes", "yes", "yes"]
    claim = separation(frame, y).to_dict()
    data = {"X": [{"0": 1}, {"0": 2}, {"0": 2, "1": 1}, {"0": 1}, {"0": 4, "1": 1}], "y": y}
    status, said = verify(tmp_path, claim, {**data, "names": ["dose", "site=south"]})
    assert (status, said_of(said)["site=south"]) == (0, "+inf")
    without = (
        'not proved: the columns have other names in the certificate: give them as "names" in the JSON of the data\n'
    )
    assert verify(tmp_path, claim, data) == (1, without)
    assert verify(tmp_path, claim, {**data, "names": ["dose", "dose"]})[1].endswith("2 names of columns\n")


def test_undecided_is_no_proof_and_other_formats_are_refused(tmp_path: Path) -> None:
    X, y = np.arange(6).reshape(3, 2), np.array([0, 1, 0])
    data = {"X": X.tolist(), "y": y.tolist()}
    claim = separation(X, y, time_limit=0.0).to_dict()
    assert verify(tmp_path, claim, data) == (1, "not proved: the verdict is 'undecided': nothing to prove\n")
    claim = separation(X, y).to_dict()
    assert verify(tmp_path, {**claim, "format": "linsep separation certificate 2"}, data)[0] == 1
    for features in (10**6 + 1, 2**53, 3, "2"):
        status, said = verify(tmp_path, {**claim, "features": features}, data)
        assert (status, said.startswith("not proved: ")) == (1, True)
    assert "does not check the family 'tobit'" in verify(tmp_path, {**claim, "family": "tobit"}, data)[1]
