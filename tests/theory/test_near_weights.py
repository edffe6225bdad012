"""Weights near exact ones: what is proved is true, what is altered is refused, and words say which proof it is."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_verify_certificate import plain, verify

from claims import exact_change
from in_process import run_linsep
from linsep import separability, separability_one_vs_rest
from linsep.plots import plot_witness
from linsep.reporting.proof import proof_lines
from linsep.theory import CertificateError, Separability
from linsep.theory.cone import faces
from linsep.theory.cone.near_weights import Near, near_weights
from linsep.theory.rows.deadline import Deadline, OutOfTimeError
from linsep.theory.rows.signed import SignedRows
from linsep.theory.verify.cone import ConeProof, Rows
from linsep.theory.verify.cone import verify as verify_proof
from linsep.theory.words.of_classes import one_digit


@pytest.fixture(autouse=True)
def _few_columns_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faces, "_MANY_COLUMNS", 3)


def noise(n: int = 30, p: int = 3, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)).astype(np.float32), np.where(rng.random(n) < 0.5, "a", "b")


def found_by(X: Any, s: Any, *, constant: bool = True) -> Near:
    found = near_weights(SignedRows(X, s, constant=constant), np.arange(len(s)), Deadline())
    assert found is not None
    return found


def proof_of(X: Any, near: Near, constant: bool = True) -> ConeProof:
    """The proof that the weights are near exact ones, with the columns of zeros among the null vectors."""
    n = X.shape[0]
    gone = tuple({j: 1} for j in range(X.shape[1]) if not X[:, j].any())
    return ConeProof(n, (), range(n), near.weights, near.within, tuple(near.basis), (*gone, *near.null))


def signed(X: Any, s: Any, *, constant: bool = True) -> list[list[Fraction]]:
    ones = [1] * constant
    return [[Fraction(v) * int(sign) for v in [*row, *ones]] for row, sign in zip(X.tolist(), s, strict=True)]


@given(
    st.integers(0, 10**6), st.integers(1, 4), st.booleans(), st.sampled_from(["f4", "f8", "i4"]), st.integers(0, 200)
)
def test_exact_weights_are_as_near_as_it_says(seed: int, p: int, constant: bool, kind: str, spread: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12 * p + 8, p)) * (100 if kind == "i4" else 1)
    if kind == "f8":
        X = np.ldexp(X, rng.integers(-spread, spread + 1, p))
    X = X.astype(kind)
    s = np.where(rng.random(len(X)) < 0.5, 1.0, -1.0)
    s[:2] = 1.0, -1.0
    found = near_weights(SignedRows(X, s, constant=constant), np.arange(len(s)), Deadline())
    if found is None:
        return
    proof = proof_of(X, found, constant)
    assert verify_proof(Rows(X, s, constant), proof)
    assert exact_change(signed(X, s, constant=constant), proof) <= proof.within < 1
    with pytest.raises(CertificateError, match="more than it says"):
        verify_proof(Rows(X, s, constant), replace(proof, within=1e-300))


@pytest.mark.parametrize("power", [1, 7])
def test_rows_that_nearly_lie_in_a_plane(power: int) -> None:
    rng = np.random.default_rng(5)
    turned = np.linalg.qr(rng.normal(size=(8, 8)))[0]
    X = (rng.normal(size=(80, 8)) * np.logspace(0, -power, 8)) @ turned
    s = np.where(rng.random(80) < 0.5, 1.0, -1.0)
    proof = proof_of(X, found_by(X, s))
    assert verify_proof(Rows(X, s, constant=True), proof)
    assert exact_change(signed(X, s), proof) <= proof.within


def test_rows_that_lie_in_a_plane_but_for_rounding_are_turned_first() -> None:
    rng = np.random.default_rng(1)
    X = (rng.normal(size=(90, 4)) @ rng.normal(size=(4, 10))).astype(np.float32)
    centred = rng.normal(size=(90, 10)).astype(np.float32)
    centred -= centred.mean(axis=1)[:, None]
    s = np.where(rng.random(90) < 0.5, 1.0, -1.0)
    for rows in (X, centred):
        proof = proof_of(rows, found_by(rows, s))
        assert verify_proof(Rows(rows, s, constant=True), proof)
        assert len(proof.basis or ()) == 11
        assert exact_change(signed(rows, s), proof) <= proof.within < 1
    assert near_weights(SignedRows(X[:, :4] @ np.eye(4, 9), s, constant=True), np.arange(90), Deadline()) is not None
    thirds = np.column_stack([X[:, :4].astype(float), X[:, :4].astype(float) @ [1 / 3, 1 / 7, 1 / 9, 1 / 11]])
    assert near_weights(SignedRows(thirds, s, constant=True), np.arange(90), Deadline()) is None  # not even nearly


def test_wide_noise_is_proved_inseparable_by_weights_near_exact_ones() -> None:
    X, y = noise()
    found = separability(X, y)
    assert found.verdict == "inseparable"
    assert found.maximal
    assert found.witness is not None
    assert found.witness == found.overlap
    assert 0 < found.witness.within == found.proof.within <= 1e-8
    said = (
        f"some positive weights within {one_digit(found.witness.within)} of those given make the weighted sum exactly 0"
    )
    assert found.summary().endswith(f"cannot be separated: {said}, checked exactly")
    assert dict(proof_lines(found, list("abc"), [0] * 3)[0])["witness"].endswith(
        f"multiply each row by its label and its weight; the sum is nearly 0: {said}"
    )
    assert "weights near exact ones: rows counted from 0" in found._repr_html_()
    again = Separability.from_json(found.to_json())
    again.verify(X, y)
    assert again.to_json() == found.to_json()
    assert (again.summary(), again.witness) == (found.summary(), found.witness)


def test_columns_of_decimals_that_depend_on_each_other_stay_fragile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faces, "_MANY_COLUMNS", 100)
    X, y = noise()
    X = np.column_stack([X, X[:, 0]])
    found = separability(X, y)
    assert (found.proof.within, found.fragile) == (0.0, True)
    Separability.from_json(found.to_json()).verify(X, y)


def test_the_exact_search_agrees(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(20):
        X, y = noise(16, 4, seed)
        X[:, 0] = np.where(np.arange(16) < 3 * (seed % 3), (y == "a") * 2 - 1, 0) if seed % 2 else X[:, 0]
        fast = separability(X, y)
        monkeypatch.setattr(faces, "_MANY_COLUMNS", 100)
        slow = separability(X, y)
        monkeypatch.setattr(faces, "_MANY_COLUMNS", 3)
        assert slow.proof.within == 0.0
        assert (fast.verdict, fast.separated_rows.tolist()) == (slow.verdict, slow.separated_rows.tolist())


def test_rows_that_a_column_takes_away_are_no_part_of_it() -> None:
    X, y = noise()
    X = np.column_stack([np.where(np.arange(30) < 5, (y == "b") * 2.0 - 1, 0), X])
    found = separability(X, y)
    assert (found.verdict, found.maximal, found.separated_rows.tolist()) == ("quasi-separable", True, list(range(5)))
    assert found.proof.within and tuple(found.proof.weights) == tuple(range(5, 30))
    assert "some positive weights within" in found.summary()
    Separability.from_json(found.to_json()).verify(X, y)


def test_two_equal_rows_are_an_exact_witness_beside_weights_that_are_near() -> None:
    X, y = noise(400, 300)
    X, y = np.vstack([X[:, :3], X[:1, :3]]), np.append(y, "a" if y[0] == "b" else "b")
    found = separability(np.tile(X, (1, 1)), y)
    assert found.overlap is not None
    assert found.overlap.within
    assert found.witness is not None
    if len(found.witness.rows) == 2:
        assert found.witness.within == 0.0
    Separability.from_json(found.to_json()).verify(X, y)


def test_columns_that_others_give_have_exact_vectors(tmp_path: Path) -> None:
    X, y = noise(60, 4)
    X = np.column_stack([X, X[:, 1] * -2, np.full(60, 0.1, dtype=np.float32), X[:, 0], np.zeros(60)]).astype(np.float32)
    found = separability(X, y)
    assert found.proof.within
    assert (len(found.null), len(found.proof.basis or ())) == (4, 5)
    claim = json.loads(found.to_json())
    Separability.from_dict(claim).verify(X, y)
    assert verify(tmp_path, claim, plain(X, y))[0] == 0
    with pytest.raises(CertificateError, match="as many rows as columns"):
        replace(found, proof=replace(found.proof, null=found.null[:3])).verify(X, y)


def test_other_rows_are_refused(tmp_path: Path) -> None:
    X, y = noise()
    found = separability(X, y)
    moved = X.copy()
    moved[(found.proof.basis or (0,))[0], 0] += 0.01
    s = np.where(y == "b", 1.0, -1.0)
    for rows, why in (
        (moved, "more than it says"),
        (X.astype(object), "of doubles"),
        (X[:, :2], "as many rows as"),
    ):
        with pytest.raises(CertificateError, match=why):
            verify_proof(Rows(rows, s, constant=True), found.proof)
    with pytest.raises(CertificateError, match="other rows"):
        Separability.from_json(found.to_json()).verify(moved, y)
    assert verify(tmp_path, json.loads(found.to_json()), plain(moved, y))[0] == 1


def test_a_proof_that_fails_its_check_leaves_the_exact_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(*given: Any) -> Near | None:
        found = near_weights(*given)
        return found and found._replace(within=1e-30)

    monkeypatch.setattr(faces, "near_weights", wrong)
    X, y = noise()
    found = separability(X, y)
    assert (found.verdict, found.proof.within) == ("inseparable", 0.0)


def test_the_picture_says_how_near_they_are() -> None:
    X, y = noise()
    found = separability(X, y)
    assert found.witness is not None
    ax = plot_witness(found, X, y)
    assert f"the meeting is within {one_digit(found.witness.within)} in all features" in ax.get_xlabel()
    plt.close("all")


def test_the_clock_ends_it() -> None:
    X, _ = noise()
    rows = SignedRows(X, np.where(np.arange(30) % 2, 1.0, -1.0), constant=True)
    with pytest.raises(OutOfTimeError):
        near_weights(rows, np.arange(30), Deadline(-np.inf))


def test_the_program_alone_checks_it(tmp_path: Path) -> None:
    for X in (noise()[0], noise()[0].astype(np.float64) * 1e9 + 0.1, np.rint(noise()[0] * 100).astype(int)):
        y = noise()[1]
        found = separability(X, y)
        assert found.proof.within
        status, said = verify(tmp_path, json.loads(found.to_json()), plain(X, y))
        assert status == 0, said
        assert said.endswith("proved: inseparable, 0 of 30 rows are separated\n")


def test_the_command_says_it(tmp_path: Path) -> None:
    X, y = noise()
    np.savetxt(tmp_path / "rows.csv", np.column_stack([np.rint(X * 1000), y == "a"]), fmt="%d", delimiter=",")
    text = "a,b,c,kind\n,1,2,0\n" + (tmp_path / "rows.csv").read_text()
    (tmp_path / "rows.csv").write_text(text)
    asked = "check rows.csv --target kind --missing drop --certificate proof.json --report p.html"
    done = run_linsep(asked.split(), tmp_path)
    near = "some positive weights within"
    assert f"multiply each row by its label and its weight; the sum is nearly 0: {near}" in done.stdout
    claim = json.loads((tmp_path / "proof.json").read_text())
    assert 0 < claim["proof"]["within"] < 1e-6 and claim["rows_left_out"] == [0]
    page = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert f"Multiply each row by its label and its weight: the sum is nearly 0, and {near}" in page
    design = (tmp_path / "proof.design.json").read_text()
    assert verify(tmp_path, claim, design)[0] == 0


def test_exact_weights_are_found_where_they_are_asked_for(tmp_path: Path) -> None:
    X, y = noise()
    found = separability(X, y, exact=True)
    assert (found.verdict, found.proof.within) == ("inseparable", 0.0)
    assert all(one.proof.within == 0.0 for one in separability_one_vs_rest(X, y, exact=True).values())
    table = np.column_stack([np.rint(X * 1000), y == "a"])
    np.savetxt(tmp_path / "rows.csv", table, fmt="%d", delimiter=",", header="a,b,c,kind", comments="")
    for command in ("check", "separation"):
        asked = [command, "rows.csv", "--target", "kind", "--certificate", "proof.json", "--set", "exact"]
        run_linsep(asked, tmp_path)
        claim = json.loads((tmp_path / "proof.json").read_text())
        assert claim["proof"].get("cone", claim["proof"])["within"] == 0.0
        assert verify(tmp_path, claim, (tmp_path / "rows.csv").read_text(), "rows.csv")[0] == 0


@pytest.mark.parametrize("power", [0, -1060, -500, 500, 1000])
@pytest.mark.parametrize("length", [0, 449, 1100, 5000])
def test_rows_that_a_threshold_separates_are_not_proved_inseparable(power: int, length: int) -> None:
    weight = 2**length
    X, s = np.ldexp([[1.0], [2.0], [4.0], [5.0]], power), np.array([-1, -1, 1, 1])
    for weights in ((1, 1, weight), (weight, 1, 1), (1, weight, 1), (weight, weight, 1)):
        for basis in ((0, 1), (1, 2), (2, 0)):
            lie = ConeProof(4, (), range(4), dict(enumerate(weights)), 0.5, basis)
            with pytest.raises(CertificateError):
                verify_proof(Rows(X, s, constant=True), lie)


def test_a_basis_that_is_singular_or_beyond_doubles_is_refused() -> None:
    s = np.array([1.0, -1.0, 1.0, -1.0])
    for X in (
        np.array([[1.0, 1.0], [1.0, 1.0], [2.0, 2.0], [3.0, 5.0]]),
        np.array([[1.0, 1.0], [1.0, 1.0 + 2.0**-52], [2.0, 2.0], [3.0, 5.0]]),
        np.array([[0.0, 1.0], [0.0, 2.0], [0.0, 3.0], [3.0, 5.0]]),
        np.array([[2.0**-600, 1.0], [1.0, 2.0], [1.0, 3.0], [3.0, 5.0]]),
        np.array([[1.0, 1.0], [1.0, 2.0], [1.0, 3.0], [2.0**-1074, 2.0**1000]]),
    ):
        with pytest.raises(CertificateError, match=r"independent|more than it says"):
            verify_proof(Rows(X, s), ConeProof(4, (), range(4), dict.fromkeys(range(4), 1), 0.5, (0, 1)))
