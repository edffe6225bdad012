"""Regressions with many dense columns: that no row is separated is proved by weights near exact ones."""

from __future__ import annotations

import contextlib
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from altered_certificates import standalone
from linsep import Separation, separation, separation_scan
from linsep.theory import CertificateError, SeparationProof
from linsep.theory.cone import faces
from linsep.theory.cone.near_weights import Near, near_weights
from linsep.theory.rows.deadline import NEVER
from linsep.theory.separation.search.decide import find_proof
from linsep.theory.verify.consequences import verify_proof
from linsep.types import DataError

PROGRAM = standalone()


@pytest.fixture(autouse=True)
def _few_columns_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faces, "_MANY_COLUMNS", 3)


def verify(folder: Path, claim: Any, X: Any, y: Any) -> tuple[int, str]:
    """The standalone program in this process."""
    (folder / "claim.json").write_text(json.dumps(claim))
    (folder / "data.json").write_text(json.dumps({"X": X.tolist(), "y": y.tolist()}))
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        status = PROGRAM.main([str(folder / "claim.json"), str(folder / "data.json")])
    return status, printed.getvalue()


def designs(seed: int) -> dict[str, Any]:
    """Designs whose rows overlap, some of them beside a level of one outcome alone; and the outcomes."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.standard_normal((60, 4)) * 1024) / 1024
    y = (X[:, 0] + 2 * rng.standard_normal(60) > 0).astype(int)
    level, dependent = np.zeros(60), X[:, 3] - 2 * X[:, 1]
    level[np.flatnonzero(y == 1)[:5]] = 1
    zeros = np.zeros(60)
    tables = {
        "numbers": [X],
        "a column of zeros": [X, zeros],
        "a dependent column": [X, dependent],
        "a level of one outcome": [X, level],
        "all of these": [zeros, X, level, dependent, zeros],
    }
    return {"y": y, **{name: np.column_stack(parts) for name, parts in tables.items()}}


NAMES = tuple(name for name in designs(0) if name != "y")


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_what_is_proved_is_what_exact_weights_prove(
    name: str, seed: int, fit_intercept: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = designs(seed)[name], designs(seed)["y"]
    found = separation(X, y, fit_intercept=fit_intercept)
    with monkeypatch.context() as patch:
        patch.setattr(faces, "_MANY_COLUMNS", 10**9)
        exact = separation(X, y, fit_intercept=fit_intercept)
    assert found.proof is not None
    assert exact.proof is not None
    assert (found.proof.near is None, exact.proof.near is None) == (False, True)
    assert found.proof.overlap == {}
    for what in ("verdict", "separated_rows", "coefficients", "rank"):
        assert getattr(found, what) == getattr(exact, what)
    assert found.summary() == exact.summary()
    claim = json.loads(found.to_json())
    assert (claim["format"], json.loads(exact.to_json())["format"]) == (
        "linsep separation certificate 5",
        "linsep separation certificate 3",
    )
    again = Separation.from_json(found.to_json())
    again.verify(X, y)
    assert again.to_dict() == found.to_dict()
    status, said = verify(tmp_path, claim, X, y)
    assert (status, "have positive weights near those given" in said) == (0, True), said


def altered_proofs(proof: SeparationProof) -> dict[str, tuple[SeparationProof, str]]:
    """Each with what is said of it."""
    near = proof.near
    assert near is not None
    heavy = replace(near, weights=(*near.weights[:-1], near.weights[-1] * 1000))
    far = replace(near, rows=(*near.rows[:-1], 10**6))
    (unit,) = (v for v in proof.null if len(v) == 1 and v != {0: 1} and v != {7: 1})
    both = (*near.basis[1:], near.basis[0])
    half: Any = 0.5
    return {
        "weight": (replace(proof, near=heavy), "more than it says"),
        "rows": (replace(proof, near=far), "different ones"),
        "spanning": (replace(proof, spanning=both), "not the basis"),
        "an overlap too": (replace(proof, overlap={near.rows[0]: 1}), "do not add up to 0"),
        "no weights": (replace(proof, near=None), "may be separated"),
        "no null vectors": (replace(proof, null=()), "has not its own"),
        "one twice": (replace(proof, null=(*proof.null, unit)), "has not its own"),
        "one of two columns": (replace(proof, null=({**unit, 0: 1}, *proof.null[1:])), "has not its own"),
        "another null vector": (replace(proof, null=(*proof.null[:-1], {1: 1})), "orthogonal|of its own|own column"),
        "no integer": (replace(proof, null=({0: half}, *proof.null[1:])), "no integers"),
        "separated rows": (replace(proof, separated=(), directions=()), "not orthogonal"),
        "null vectors of all": (replace(proof, null_all=proof.null), "orthogonal"),
    }


DESIGN, OUTCOME = designs(0)["all of these"], designs(0)["y"]
ALTERED = (
    *("weight", "rows", "spanning", "an overlap too", "no weights", "no null vectors", "one twice"),
    *("one of two columns", "another null vector", "no integer", "separated rows", "null vectors of all"),
)


@pytest.fixture
def proved() -> Any:
    """The rows of the design with everything, without an intercept, and the proof."""
    Z = DESIGN * np.where(OUTCOME == 1, 1.0, -1.0)[:, None]
    equal = np.zeros(len(Z), dtype=bool)
    return Z, equal, find_proof(Z, equal, NEVER, may_be_near=True)


def test_the_proof_holds_before_it_is_altered(proved: Any) -> None:
    Z, equal, proof = proved
    assert tuple(altered_proofs(proof)) == ALTERED
    said = verify_proof(Z, equal, proof)
    assert [said[0], said[5], said[7]] == ["not identified", np.inf, "not identified"]
    assert len(proof.null_all) + 1 == len(proof.null) == 4


@pytest.mark.parametrize("name", ALTERED)
def test_no_alteration_survives(name: str, proved: Any) -> None:
    Z, equal, proof = proved
    altered, why = altered_proofs(proof)[name]
    with pytest.raises(CertificateError, match=why):
        verify_proof(Z, equal, altered)


def test_equalities_are_refused(proved: Any) -> None:
    Z, _, proof = proved
    with pytest.raises(CertificateError):
        verify_proof(Z, np.arange(len(Z)) == proof.near.basis[0], proof)


@pytest.mark.parametrize(
    ("part", "why"),
    [
        ({"format": "linsep separation certificate 3"}, "its format does not say"),
        ({"rows": [0, 0]}, "names one twice"),
        ({"basis": [-1]}, "is not one of 0 to"),
    ],
)
def test_what_is_malformed_is_refused_when_it_is_read(part: dict[str, Any], why: str, tmp_path: Path) -> None:
    claim = separation(DESIGN, OUTCOME).to_dict()
    if "format" in part:
        altered = {**claim, **part}
    else:
        proof = claim["proof"]
        altered = {**claim, "proof": {**proof, "near_weights": {**proof["near_weights"], **part}}}
    with pytest.raises(DataError, match=why):
        Separation.from_json(json.dumps(altered))
    assert verify(tmp_path, altered, DESIGN, OUTCOME)[0] == 1


@pytest.mark.parametrize(
    ("part", "value"), [("weights", 1), ("spanning", 0), ("within", 1e-30), ("overlap", 2), ("bases", 3)]
)
def test_the_standalone_program_refuses_what_is_altered(part: str, value: float, tmp_path: Path) -> None:
    claim = json.loads(separation(DESIGN, OUTCOME).to_json())
    proof = claim["proof"]
    near = proof["near_weights"]
    if part == "weights":
        near["weights"][-1] = 1000 * int(str(near["weights"][-1]), 0)
    elif part == "spanning":
        proof["spanning"] = proof["spanning"][::-1]
    elif part == "within":
        near["within"] = value
    elif part == "overlap":
        proof["overlap"] = {"rows": near["rows"][:2], "weights": [1, 1]}
    else:
        proof["bases"] = [[0]]
    status, said = verify(tmp_path, claim, DESIGN, OUTCOME)
    assert (status, said.split(":")[0]) == (1, "not proved")


def test_a_proof_that_fails_its_check_leaves_the_exact_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(*given: Any) -> Near | None:
        found = near_weights(*given)
        return found and found._replace(weights=replace(found.weights, within=1e-30))

    monkeypatch.setattr(faces, "near_weights", wrong)
    found = separation(DESIGN, OUTCOME)
    assert found.proof is not None
    assert (found.verdict, found.proof.near) == ("quasi-complete", None)


@pytest.mark.parametrize("family", ["poisson", "gamma"])
def test_equalities_and_rows_of_no_row_need_exact_weights(family: Any) -> None:
    X, y = designs(1)["numbers"], designs(1)["y"] + (family == "gamma")
    found = separation(X, y, family=family)
    assert found.proof is not None
    assert (found.verdict, found.proof.near) == ("overlap", None)


def test_screens_of_such_designs_are_asked_one_by_one() -> None:
    X, y = designs(2)["numbers"], designs(2)["y"]
    screen = {"a": X[:, :3], "b": X[:, 1:]}
    found = separation_scan(screen, y)
    for name, one in found.items():
        assert isinstance(one, Separation)
        assert one.proof is not None
        assert (one.verdict, one.proof.near is None) == ("overlap", False)
        one.verify(screen[name], y)
