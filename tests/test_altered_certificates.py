"""A few hundred of the lies that `python -m altered_certificates` tells: what is accepted says what is true."""

from __future__ import annotations

import json

import numpy as np
import pytest

from altered_certificates import EQUAL, REFUSED, WRONG, Design, Tried, altered, by_library, of_one, table
from linsep import separability


@pytest.fixture(scope="module")
def tried() -> list[Tried]:
    return altered(seed=14, count=800)


def test_every_edit_is_refused_or_says_what_is_true(tried: list[Tried]) -> None:
    assert [(one.kind, one.edit, one.why, one.text) for one in tried if WRONG in (one.library, one.program)] == []


def test_the_edits_are_of_all_kinds_and_so_are_the_outcomes(tried: list[Tried]) -> None:
    kinds, edits = {one.kind for one in tried}, {one.edit for one in tried}
    assert {"separable", "quasi-separable", "inseparable", "one against the rest"} <= kinds
    assert {"undecided, cut short", "not-separable, cut short", "quasi-separable, cut short"} <= kinds
    assert {
        "inseparable, near weights",
        "quasi-separable, near weights",
        "quasi-separable, scaled",
        "fewest rows",
    } <= kinds
    assert {"regression, overlap", "regression, quasi-complete", "regression, cut short"} <= kinds
    families = {"binomial", "negative-binomial", "gamma", "cumulative", "adjacent", "continuation", "cox"}
    assert families <= {kind.split(",")[0] for kind in kinds}
    assert edits == {
        "none",
        "text",
        "a value",
        "a list or a key",
        "a part of another",
        "of a verdict",
        "made good",
        "forged",
    }
    assert {one.library for one in tried} >= {REFUSED, EQUAL}
    assert all(one.library == EQUAL for one in tried if one.edit == "none")
    assert {one.program for one in tried if one.kind.startswith("regression")} == {REFUSED, EQUAL}
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
    reversed_classes = separability(X, np.where(y == "a", "b", "a")).to_dict()
    assert by_library(json.dumps(reversed_classes), design)[0] == REFUSED
