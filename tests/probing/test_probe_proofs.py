"""The proofs behind the rows of a probe: written, named by the rows, and checked; and what is explained of the rows."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from linsep import FewestRows, Separability, few_columns, fewest_rows, probe
from linsep.theory import CertificateError
from linsep.types import DataError
from pages import ROOT

RNG = np.random.default_rng(5)
HIDDEN = RNG.normal(size=(40, 3))
LAYERS = {"layer/1": HIDDEN**2, "deep one": HIDDEN}
KIND = np.where(HIDDEN[:, 0] > 0, "up", "down").astype(object)
KIND[:4] = None
PLAIN = np.random.default_rng(6).normal(size=(60, 4))
SIDE = PLAIN[:, 1] > 0
FLIPPED = SIDE.copy()
FLIPPED[[3, 9]] = ~FLIPPED[[3, 9]]


def test_each_row_names_the_certificates_that_prove_it(tmp_path: Path) -> None:
    """Of the rows that have a label and their classes by name; of few columns the rows of these columns alone."""
    labels, y = {"kind": KIND, "whole": KIND}, KIND[4:].astype(str)
    found = probe(LAYERS, labels, labels="kind", controls=0, explain=True, certificates=tmp_path / "proofs")
    assert [(row.certificate, row.explain_certificate, row.proof) for row in found.rows] == [
        ("1-layer_1--kind.json", "1-layer_1--kind.explained.json", "exact weights"),
        ("2-deep_one--kind.json", "2-deep_one--kind.explained.json", "hyperplane"),
    ]
    for row, X in zip(found.rows, LAYERS.values(), strict=True):
        first, second = ((tmp_path / "proofs" / str(name)) for name in (row.certificate, row.explain_certificate))
        assert [sha256(path.read_bytes()).hexdigest() for path in (first, second)] == [row.sha256, row.explain_sha256]
        proof = Separability.from_json(first.read_text())
        assert proof.verdict == row.verdict
        proof.verify(X[4:], y)
        with pytest.raises(CertificateError):
            proof.verify(X[4:], np.where(y == "up", "down", "up"))
        if row.few_columns is not None:
            Separability.from_json(second.read_text()).verify(X[4:, row.few_columns], y)
        else:
            fewest = FewestRows.from_json(second.read_text())
            fewest.verify(X[4:], y)
            assert (fewest.lower, fewest.upper) == (row.fewest_low, row.fewest_high)
    plain = probe(LAYERS, labels, labels="kind", controls=0).rows
    assert [(row.certificate, row.sha256, row.explain_certificate) for row in plain] == [(None, None, None)] * 2


def test_certificates_name_the_class_that_is_asked_about(tmp_path: Path) -> None:
    kind = np.digitize(HIDDEN[:, 0], [-0.5, 0.5])
    found = probe(HIDDEN, kind, pairs=True, controls=0, certificates=tmp_path)
    names = [(row.negative_class, row.positive_class) for row in found.rows]
    assert names == [("not 0", "0"), ("not 1", "1"), ("not 2", "2"), ("1", "0"), ("2", "0"), ("2", "1")]
    for row in found.rows:
        rows = (
            kind >= 0
            if row.negative_class.startswith("not")
            else np.isin(kind, [int(row.negative_class), int(row.positive_class)])
        )
        Separability.from_json((tmp_path / str(row.certificate)).read_text()).verify(HIDDEN[rows], kind[rows])
        assert row.positives == (kind == int(row.positive_class)).sum()
    (tmp_path / "data.json").write_text(json.dumps({"X": HIDDEN.tolist(), "y": kind.tolist()}))
    program: list[Any] = [
        sys.executable,
        ROOT / "examples" / "verify_certificate.py",
    ]  # shares no code with the library
    given = [tmp_path / str(found.rows[1].certificate), tmp_path / "data.json"]
    done = subprocess.run([*program, *given], capture_output=True, text=True, check=False)
    assert "proved: " in done.stdout, done.stderr


def test_weights_near_exact_ones_are_called_so_and_an_undecided_row_has_no_certificate(tmp_path: Path) -> None:
    """Floats in more than a hundred columns, with labels that mean nothing."""
    X, positive = RNG.normal(size=(520, 130)).astype(np.float32), RNG.random(520) < 0.5
    asked: dict[str, Any] = {"controls": 0, "certificates": tmp_path}
    (row,) = probe(X, positive, time_limit=0.0, **asked).rows
    assert (row.verdict, row.proof, row.certificate, row.sha256) == ("undecided", None, None, None)
    assert not list(tmp_path.iterdir())
    (row,) = probe(X, positive, **asked).rows
    assert (row.verdict, row.proof) == ("inseparable", "near weights")
    Separability.from_json((tmp_path / str(row.certificate)).read_text()).verify(X, positive)


def test_no_two_certificates_have_one_name(tmp_path: Path) -> None:
    found = probe(dict.fromkeys(["a b", "a_b", "A_b", "x" * 500], HIDDEN), KIND, controls=0, certificates=tmp_path)
    assert [row.certificate for row in found.rows[:3]] == [
        *("1-a_b--label.json", "2-a_b--label.json", "3-A_b--label.json")
    ]
    assert len(list(tmp_path.iterdir())) == 4


def test_without_time_the_bounds_are_wide_and_true() -> None:
    labels = {"a": SIDE, "b": FLIPPED}
    rows = probe(PLAIN, labels, labels=["a", "b"], controls=0, explain=True, explain_limit=0.0).rows
    assert (rows[0].few_columns, rows[0].few_smallest) == ([0, 1, 2, 3], False)
    assert 0 <= (rows[1].fewest_low or 0) <= 2 <= (rows[1].fewest_high or 0)


def test_a_class_of_one_row_has_no_rows_to_drop() -> None:
    alone = np.arange(60) == np.argmin((PLAIN**2).sum(axis=1))  # a row in the middle
    (row,) = probe(PLAIN, alone, controls=0, explain=True).rows
    assert (row.verdict, row.positives, row.fewest_low) == ("inseparable", 1, None)


def test_rows_to_drop_and_columns_that_separate_are_those_of_the_library() -> None:
    found = probe(PLAIN, {"side": SIDE, "flipped": FLIPPED}, labels=["side", "flipped"], controls=0, explain=True)
    side, flipped = found.rows
    few, rows = few_columns(PLAIN, SIDE), fewest_rows(PLAIN, FLIPPED)
    assert (side.few_columns, side.few_smallest, side.fewest_low, side.fewest_high) == ([1], True, None, None)
    assert list(few.columns) == side.few_columns
    assert (flipped.fewest_low, flipped.fewest_high, flipped.few_columns) == (rows.lower, rows.upper, None)
    assert (rows.lower, rows.upper) == (2, 2)
    beside = fewest_rows(PLAIN, FLIPPED, keep=True)
    assert (flipped.intruders_low, flipped.intruders_high) == (beside.lower, beside.upper) == (4, 4)
    assert (side.intruders_low, side.intruders_high) == (None, None)
    first, *lines = found.summary().splitlines()
    assert re.split("  +", first)[-3:] == ["rows to drop", "intruders", "few columns"]
    assert [line.split()[-1] for line in lines[:2]] == ["1", str(beside.upper)]
    plain = probe(PLAIN, FLIPPED, controls=0)
    assert (plain.rows[0].fewest_low, plain.rows[0].few_columns, plain.rows[0].few_smallest) == (None, None, None)
    assert "rows to drop" not in plain.summary()


def test_a_folder_of_certificates_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(DataError, match="cannot make the folder of certificates"):
        probe(PLAIN, SIDE, controls=0, certificates=tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"
