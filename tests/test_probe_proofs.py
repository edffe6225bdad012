"""The proofs behind the rows of a probe: written, named by the rows, and checked without the library."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from linsep import DataError, FewestRows, probe
from linsep.app.commands.probe import probe as command
from linsep.theory import verify_certificate
from pages import ROOT

RNG = np.random.default_rng(5)
HIDDEN = RNG.normal(size=(40, 3))
LAYERS = {"layer/1": HIDDEN**2, "deep one": HIDDEN}
KIND = np.where(HIDDEN[:, 0] > 0, "up", "down").astype(object)
KIND[:4] = None


def checked_alone(certificate: Path, X: Any, y: Any, folder: Path) -> str:
    """What the program that shares no code with the library prints of a certificate."""
    data = folder / "data.json"
    data.write_text(json.dumps({"X": X.tolist(), "y": y.tolist()}))
    program = [sys.executable, str(ROOT / "examples" / "verify_certificate.py"), str(certificate), str(data)]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_each_row_names_the_certificate_that_proves_it(tmp_path: Path) -> None:
    found = probe(LAYERS, {"kind": KIND}, labels="kind", controls=0, certificates=tmp_path / "proofs")
    assert [(row.certificate, row.proof) for row in found.rows] == [
        ("layer_1--kind.json", "exact weights"),
        ("deep_one--kind.json", "hyperplane"),
    ]
    labelled = np.arange(4, 40)
    y = KIND[labelled].astype(str)
    for row, X in zip(found.rows, LAYERS.values(), strict=True):
        path = tmp_path / "proofs" / str(row.certificate)
        assert verify_certificate(path.read_text(), X[labelled], y)[""].verdict == row.verdict
        assert json.loads(path.read_text())["classes"] == [row.negative_class, row.positive_class] == ["down", "up"]
        assert json.loads(path.read_text())["sha256"] == row.sha256
        assert row.verdict in checked_alone(path, X[labelled], y, tmp_path)


def test_what_is_explained_has_its_certificate(tmp_path: Path) -> None:
    labelled = np.arange(4, 40)
    y = KIND[labelled].astype(str)
    asked: dict[str, Any] = {"labels": "kind", "controls": 0, "explain": True}
    flat, deep = probe(LAYERS, {"kind": KIND}, certificates=tmp_path / "proofs", **asked).rows
    assert (flat.explain_certificate, deep.explain_certificate) == (
        "layer_1--kind.explained.json",
        "deep_one--kind.explained.json",
    )
    path = tmp_path / "proofs" / str(flat.explain_certificate)
    fewest = FewestRows.from_json(path.read_text())
    fewest.verify(LAYERS["layer/1"][labelled], y)
    assert (fewest.lower, fewest.upper, fewest.rest.classes) == (flat.fewest_low, flat.fewest_high, ("down", "up"))
    said = checked_alone(path, LAYERS["layer/1"][labelled], y, tmp_path)
    assert f"proved: exactly {flat.fewest_low} of 36 rows have to go" in said
    path = tmp_path / "proofs" / str(deep.explain_certificate)
    assert "proved: separable" in checked_alone(path, HIDDEN[labelled][:, deep.few_columns], y, tmp_path)
    assert json.loads(path.read_text())["sha256"] == deep.explain_sha256
    plain = probe(LAYERS, {"kind": KIND}, **asked).rows
    assert [row.explain_certificate for row in plain] == [None, None]


@pytest.mark.parametrize("pairs", [False, True])
def test_certificates_name_the_class_that_is_asked_about(pairs: bool, tmp_path: Path) -> None:
    kind = np.digitize(HIDDEN[:, 0], [-0.5, 0.5])
    found = probe(HIDDEN, kind, pairs=pairs, controls=0, certificates=tmp_path)
    named = [json.loads((tmp_path / str(row.certificate)).read_text())["classes"] for row in found.rows]
    assert named[:3] == [["not 0", "0"], ["not 1", "1"], ["not 2", "2"]]
    assert named[3:] == ([["1", "0"], ["2", "0"], ["2", "1"]] if pairs else [])
    verify_certificate((tmp_path / str(found.rows[1].certificate)).read_text(), HIDDEN, kind)
    assert "proved: " in checked_alone(tmp_path / str(found.rows[1].certificate), HIDDEN, kind, tmp_path)
    for row in found.rows:
        assert row.positives == (kind == int(row.positive_class)).sum()


def test_weights_near_exact_ones_are_called_so(tmp_path: Path) -> None:
    """Floats in more than a hundred columns, with labels that mean nothing."""
    X = RNG.normal(size=(520, 130)).astype(np.float32)
    positive = RNG.random(520) < 0.5
    (row,) = probe(X, positive, controls=0, certificates=tmp_path).rows
    assert (row.verdict, row.proof) == ("inseparable", "near weights")
    assert "inseparable" in checked_alone(tmp_path / str(row.certificate), X, positive, tmp_path)


def test_an_undecided_row_has_no_certificate(tmp_path: Path) -> None:
    X = RNG.normal(size=(300, 30))
    (row,) = probe(X, X[:, 0] ** 2 > 1, controls=0, time_limit=0.0, certificates=tmp_path).rows
    assert (row.verdict, row.proof, row.certificate, row.sha256) == ("undecided", None, None, None)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("layers", "said"), [(("a b", "a_b"), "would both be called"), (("a", "A"), "rename one")])
def test_certificates_of_one_name_are_refused(layers: tuple[str, str], said: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=said):
        probe(dict.fromkeys(layers, HIDDEN), KIND, controls=0, certificates=tmp_path)
    assert not list(tmp_path.iterdir())


def test_other_files_are_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "X--label.json").write_text('{"mine": 1}')
    with pytest.raises(DataError, match="is there and is no certificate"):
        probe(HIDDEN, KIND, controls=0, certificates=tmp_path)
    assert (tmp_path / "X--label.json").read_text() == '{"mine": 1}'
    with pytest.raises(DataError, match="cannot make the folder of certificates"):
        probe(HIDDEN, KIND, controls=0, certificates=tmp_path / "X--label.json")


def test_a_run_goes_on_where_the_certificates_are_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    np.savez("x.npz", flat=HIDDEN**2, deep=HIDDEN)
    Path("y.csv").write_text("kind,of\n" + "".join(f"{kind or ''},it\n" for kind in KIND))
    asked: dict[str, Any] = {"labels": "y.csv", "label": ["kind"], "controls": 0, "output": Path("o.jsonl")}
    command(["x.npz"], **asked)  # without certificates: these rows are asked again
    asked["certificates"] = Path("proofs")
    assert dict(command(["x.npz"], **asked).lines)["rows"] == "o.jsonl: 2 of 2"
    again = command(["x.npz"], **asked)
    assert dict(again.lines)["rows"] == "o.jsonl: 2 of 2; 2 of them were there before"
    assert dict(again.lines)["certificates"] == "proofs: 2 of 2 rows"
    first, second = Path("proofs/flat--kind.json"), Path("proofs/deep--kind.json")
    first.write_bytes(second.read_bytes())  # it is of other rows
    assert dict(command(["x.npz"], **asked).lines)["rows"] == "o.jsonl: 2 of 2; 1 of them were there before"
    asked["explain"] = 5.0
    asked["output"] = Path("e.jsonl")
    assert dict(command(["x.npz"], **asked).lines)["certificates"] == "proofs: 2 of 2 rows, and 2 of what is explained"
    Path("proofs/deep--kind.explained.json").unlink()
    assert dict(command(["x.npz"], **asked).lines)["rows"] == "e.jsonl: 2 of 2; 1 of them were there before"
    rows = [json.loads(line) for line in Path("o.jsonl").read_text().splitlines()[1:]]
    assert [row["sha256"] for row in rows] == [json.loads(path.read_text())["sha256"] for path in (first, second)]
