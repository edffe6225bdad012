"""A few hundred of the lies that `python -m altered_certificates` tells: what is accepted says what is true."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy.sparse as sp

from altered_certificates import EQUAL, OTHER, REFUSED, WRONG, Design, Tried, altered, by_library, of_one, table
from linsep import separability
from linsep.theory import CertificateError
from linsep.theory.verify.cone import ConeProof, Rows, verify
from linsep.theory.verify.exact import value_signs


@pytest.fixture(scope="module")
def tried() -> list[Tried]:
    return altered(seed=14, count=500)


def test_every_edit_is_refused_or_says_what_is_true(tried: list[Tried]) -> None:
    assert [(one.kind, one.edit, one.why, one.text) for one in tried if WRONG in (one.library, one.program)] == []


def test_the_edits_are_of_all_kinds_and_so_are_the_outcomes(tried: list[Tried]) -> None:
    kinds, edits = {one.kind for one in tried}, {one.edit for one in tried}
    assert {"separable", "quasi-separable", "inseparable", "one against the rest"} <= kinds
    assert {"undecided, cut short", "not-separable, cut short", "quasi-separable, cut short"} <= kinds
    assert {"inseparable, near weights", "quasi-separable, near weights", "fewest rows"} <= kinds
    assert any(kind.endswith(", scaled") for kind in kinds)
    assert {"regression, overlap", "regression, quasi-complete", "regression, cut short"} <= kinds
    families = {"binomial", "negative-binomial", "cumulative", "adjacent", "continuation", "cox"}
    assert families <= {kind.split(",")[0] for kind in kinds}
    assert edits == {
        "none",
        "text",
        "a value",
        "a list or a key",
        "a part of another",
        "forged",
    }
    assert {one.library for one in tried} >= {REFUSED, EQUAL}
    assert all(one.library == EQUAL for one in tried if one.edit == "none")
    assert {one.program for one in tried if one.kind.startswith("regression")} - {OTHER} == {REFUSED, EQUAL}
    assert "other question" in table(tried)


def test_a_false_claim_that_is_accepted_would_be_seen() -> None:
    X, y = np.array([[0.0], [1.0], [1.0], [2.0], [5.0]]), np.array(["a", "a", "b", "b", "b"])
    design = of_one(X, y)
    assert by_library(json.dumps(design.plain), design) == (EQUAL, "")
    # The same certificate, held against what would be true of rows 1 and 2 moved apart.
    moved = of_one(X + np.array([[0.0], [0.0], [0.5], [0.0], [0.0]]), y)
    assert by_library(json.dumps(design.plain), Design("", {}, X, y.tolist(), moved.truth)) == (
        WRONG,
        "quasi-separable, but it is separable",
    )
    reversed_classes = separability(X, np.where(y == "a", "b", "a")).to_json()
    assert by_library(reversed_classes, design)[0] == REFUSED


def test_an_intercept_that_vanishes_beside_long_weights_is_not_taken_for_0() -> None:
    # Rows without entries have the margin b, here 1 or -1, which a double beside 2^1700 does not show.
    X = sp.csr_matrix(np.array([[0.0, 0.0], [0.0, 0.0], [1.0, -1.0], [2.0, -2.0]]))
    s, whole = np.array([1, -1, 1, -1]), 2**1700
    assert separability(X, s).verdict == "inseparable"
    for one, other in ((whole - 1, whole), (whole, whole + 1), (-whole, 1 - whole)):
        for b in (1, -1):
            with pytest.raises(CertificateError, match="is negative at row"):
                verify(Rows(X, s, constant=True), ConeProof(4, ({0: one, 1: other, 2: b},), (0, 1, 2)))


@pytest.mark.parametrize("kind", ["int8", "int32", "int64", "float32", "float64"])
def test_products_that_leave_64_bits_are_not_taken_for_0(kind: str) -> None:
    least = -(2**31) if kind in ("int32", "int64") else -128
    Z = sp.csr_matrix(np.full((1, 5), least, dtype=kind))
    null = ({0: 2**31 - 1, 1: 2**31 - 1, 2: 2**31 - 1, 3: 2**31 - 1, 4: 4},)  # 2^33 in all, and 2^31 2^33 = 2^64
    with pytest.raises(CertificateError, match="not orthogonal"):
        verify(Rows(Z), ConeProof(1, (), (0,), {}, 0.0, (), null))


def test_numbers_that_no_double_holds_are_not_rounded() -> None:
    fine = np.longdouble(2) ** 53 + 1  # a double of it is one less
    tables = (np.array([[fine, 2.0**53]]), np.array([[2**53 + 1, 2**53]]), np.array([[2**63 + 1, 2**63]], "u8"))
    for values in tables:
        assert value_signs(values, [1, -1]).tolist() == [1]
    duplicates = sp.csr_matrix((np.array([2.0**60, -(2.0**60), 1.0]), np.array([0, 0, 1]), np.array([0, 3])), (1, 2))
    assert value_signs(duplicates, [7, 0]).tolist() == [0]
    assert value_signs(duplicates, [7, -1]).tolist() == [-1]
