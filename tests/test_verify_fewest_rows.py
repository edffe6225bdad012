"""The rows that have to go as another program reads them: examples/verify_fewest_rows.py, on the standard library."""

from __future__ import annotations

import ast
import copy
import importlib
import itertools
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from in_process import run_linsep
from linsep import fewest_rows
from linsep.theory.verify.fewest_rows import proved_rows
from test_verify_certificate import verify

PROGRAM = Path(__file__).parents[1] / "examples" / "verify_fewest_rows.py"


def case() -> tuple[Any, dict[str, Any], dict[str, Any]]:
    X = np.array([[0], [1], [2], [3], [4], [5], [1], [4]])
    y = np.array(["a", "a", "b", "a", "b", "b", "b", "a"])
    found = fewest_rows(X, y)
    return found, json.loads(found.to_json()), {"X": X.tolist(), "y": y.tolist()}


def test_the_program_imports_the_standard_library_and_its_neighbour_alone() -> None:
    names = [node for node in ast.walk(ast.parse(PROGRAM.read_text())) if isinstance(node, ast.Import | ast.ImportFrom)]
    modules = {str(node.module) if isinstance(node, ast.ImportFrom) else node.names[0].name for node in names}
    assert modules <= {*sys.stdlib_module_names, "verify_certificate"}


def test_both_bounds_are_proved_and_no_alteration_survives(tmp_path: Path) -> None:
    found, claim, data = case()
    assert found.lower == found.upper == 3
    assert verify(tmp_path, claim, data)[1].splitlines()[-1] == "proved: exactly 3 of 8 rows have to go"
    changes: list[dict[str, Any]] = [
        {"at_least": 4},
        {"at_most": 2},
        {"removed": claim["removed"][1:], "at_most": 2},
        {"removed": [*claim["removed"][1:], claim["removed"][1]]},
        {"witnesses": claim["witnesses"][1:]},
        {"witnesses": [{**one, "rows": [*one["rows"][1:], 99]} for one in claim["witnesses"]]},
        {"proof": {"unit": 1, "witnesses": [], "weights": []}},
        {"fit_intercept": False},
        {"rows": 7},
        {"rest": {**claim["rest"], "verdict": "inseparable"}},
    ]
    for change in changes:
        status, said = verify(tmp_path, {**claim, **change}, data)
        assert (status, said[:12]) == (1, "not proved: "), change
    other = copy.deepcopy(data)
    other["X"][6] = [7]
    assert verify(tmp_path, claim, other)[0] == 1


def test_a_proof_by_branches_is_read_as_the_library_reads_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(PROGRAM.parent))
    program = importlib.import_module("verify_fewest_rows")
    clique = [{i: 1, j: 1} for i, j in itertools.combinations(range(4), 2)]

    def triangle(i: int) -> dict[str, Any]:
        return {"unit": 2, "weights": {k: 1 for k, pair in enumerate(clique) if i not in pair}}

    def as_plain(part: dict[str, Any]) -> dict[str, Any]:
        return {"unit": part["unit"], "witnesses": list(part["weights"]), "weights": list(part["weights"].values())}

    proof = {"witness": 0, "without": [triangle(0), triangle(1)]}
    plain: dict[str, Any] = {"witness": 0, "without": [as_plain(triangle(0)), as_plain(triangle(1))]}
    witnesses = [set(one) for one in clique]
    assert program.proved(plain, witnesses, frozenset()) == proved_rows(proof, clique) == 3
    for bad in (
        {"witness": 0, "without": plain["without"][:1]},
        {"witness": 0, "without": [as_plain(triangle(1))] * 2},
        {"unit": 1, "witnesses": [0, 1], "weights": [1, 1]},
    ):
        with pytest.raises(program.require.__globals__["NotProvedError"]):
            program.proved(bad, witnesses, frozenset())


@pytest.mark.parametrize("classes", [2, 3])
def test_certificates_of_tables_are_proved(classes: int, tmp_path: Path) -> None:
    rows = [(h, 7 * h % 13, "abc"[(h // 10 + (h in (3, 14))) % classes]) for h in range(20)]
    rows += [(h, 1, "c") for h in range(40, 50)] if classes == 3 else []
    text = "height,weight,kind\n" + "".join(f"{h}.5,{w},{kind}\n" for h, w, kind in rows)
    (tmp_path / "t.csv").write_text(text)
    words = ["check", "t.csv", "--target", "kind", "--explain", "--time-limit", 2, "--certificate", "c.json"]
    assert run_linsep(words, tmp_path).returncode in (0, 1)
    claim = json.loads((tmp_path / "c.json").read_text())
    status, said = verify(tmp_path, claim, text, "t.csv")
    assert status == 0, said
    assert said.count("to go\n") == (1 if classes == 2 else 3)
    assert verify(tmp_path, claim, text.replace("3.5,", "3.6,", 1), "t.csv")[0] == 1
