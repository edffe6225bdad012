"""Verdicts on small designs against a plain simplex in exact rationals, and what a certificate promises."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import example, given
from hypothesis import strategies as st

from exact_cone import reaches
from linsep.theory.margin.max_margin import max_margin
from linsep.theory.separability.certificate import Separability
from linsep.theory.separability.decide import separability
from linsep.theory.verify.cone import CertificateError
from linsep.types import Array, DataError


def truth(X: Array, s: Array, fit_intercept: bool) -> tuple[str, list[int]]:
    """By Farkas' lemma: d.z_i > 0 for some d that has d.z >= 0 on all rows iff -z_i is not in cone{z}."""
    Z = [[int(sign) * v for v in [*row, *[1] * fit_intercept]] for row, sign in zip(X.tolist(), s, strict=True)]
    strict = not reaches([[*z, 1] for z in Z], [0] * len(Z[0]) + [1])
    separated = [i for i, z in enumerate(Z) if not reaches(Z, [-v for v in z])]
    assert strict == (len(separated) == len(Z))
    return "separable" if strict else "quasi-separable" if separated else "inseparable", separated


@st.composite
def designs(draw: st.DrawFn) -> tuple[Array, Array]:
    n, p, size = draw(st.integers(2, 12)), draw(st.integers(1, 4)), draw(st.integers(1, 4))
    entries = st.lists(st.integers(-size, size), min_size=p, max_size=p)
    X = np.array(draw(st.lists(entries, min_size=n, max_size=n)))
    y = np.array([-1, 1, *draw(st.lists(st.sampled_from([-1, 1]), min_size=n - 2, max_size=n - 2))])
    if draw(st.booleans()):  # more of those between separable and inseparable
        X[:, 0] = np.abs(X[:, 0]) * y * draw(st.lists(st.sampled_from([0, 0, 1]), min_size=n, max_size=n))
    return X, y


def in_form(X: Array, form: str) -> tuple[Any, Array]:
    """The table as it is given, and whole numbers in the proportions of its own."""
    if form == "tenths":  # doubles beside the decimals: what nearly adds up to 0 is everywhere
        return X / 10, np.array([[int(Fraction(v) * 2**60) for v in row] for row in (X / 10).tolist()], dtype=object)
    if form == "csr":
        return scipy.sparse.csr_matrix(X.astype(np.float32)), X
    if form == "object":
        return np.array([[Fraction(v, 10) for v in row] for row in X.tolist()], dtype=object), X
    return X, X


DOUBLES = np.array([[-1, 1, 2], [-3, 1, 0], [-1, 2, 3], [0, 3, 3], [2, 1, 0]])
ONE_WAY = np.array([1, -1, 1, 1, -1, -1, 1])


@given(designs(), st.booleans(), st.sampled_from(["int", "csr", "object", "tenths"]))
@example((DOUBLES, np.array([-1, 1, 1, -1, 1])), False, "tenths")
@example((np.array([[-6, 3], [-2, -9], [4, 8], [0, -8], [-1, -9], [-7, 6], [1, 2]]), ONE_WAY), True, "tenths")
def test_the_verdict_and_the_separated_rows_are_true(
    design: tuple[Array, Array], fit_intercept: bool, form: str
) -> None:
    X, y = design
    X, exact = in_form(X, form)
    found = separability(X, y, fit_intercept=fit_intercept)
    verdict, separated = truth(exact, y, fit_intercept)
    assert (found.verdict, found.separated_rows.tolist()) == (verdict, separated)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False, default=str))["verdict"] == verdict
    rank = int(np.linalg.matrix_rank(np.column_stack([design[0], np.ones(len(y))]) if fit_intercept else design[0]))
    rank = min(len(y), exact.shape[1] + fit_intercept) if form == "tenths" else rank
    assert found.witness is None or len(found.witness.rows) <= max(2, 2 * rank)
    assert found.overlap is None or len(found.overlap.rows) <= max(1, 2 * rank)
    assert (found.witness is None) == (verdict == "separable")
    again = Separability.from_json(found.to_json())
    again.verify(X, y)
    assert again.to_json() == found.to_json()
    left = [n for n in ("verdict", "witness", "overlap", "null", "fragile") if getattr(again, n) != getattr(found, n)]
    assert left == []
    assert again.separated_rows.tolist() == separated


@given(designs(), st.booleans(), st.integers(0, 2**32))
def test_no_alteration_survives(design: tuple[Array, Array], fit_intercept: bool, seed: int) -> None:
    X, y = design
    rng = np.random.default_rng(seed)
    found = separability(X, y, fit_intercept=fit_intercept)
    moved = X.copy()
    moved[rng.integers(len(y)), rng.integers(X.shape[1])] += 1
    turned = np.where(np.arange(len(y)) == rng.integers(len(y)), -y, y)
    stored = Separability.from_json(found.to_json())
    for other in ((moved, y), (X, turned)):
        with pytest.raises((CertificateError, DataError)):
            stored.verify(*other)
    weights = dict(found.proof.weights)
    for i in list(weights)[: 1 + int(rng.integers(2))]:
        whole = [*X[i].tolist(), int(fit_intercept)]
        for changed in ({**weights, i: weights[i] + 1}, {k: v for k, v in weights.items() if k != i}):
            if any(whole):  # a row of zeros may have any weight
                with pytest.raises(CertificateError):
                    replace(found, proof=replace(found.proof, weights=changed)).verify(X, y)
    if found.verdict == "quasi-separable":
        with pytest.raises(CertificateError):
            replace(found, proof=replace(found.proof, left=())).verify(X, y)
        with pytest.raises(CertificateError):
            replace(found, proof=replace(found.proof, directions=())).verify(X, y)


@given(designs(), st.lists(st.sampled_from([3.0, 0.3, 2.0**300, 2.0**-300, 1e5, 1e-5, 7e-9]), min_size=16, max_size=16))
def test_units_of_columns_and_of_rows_change_nothing(design: tuple[Array, Array], units: list[float]) -> None:
    X, y = design
    n, p = X.shape
    exact = np.array([[Fraction(v) * Fraction(u) for v, u in zip(row, units[:p], strict=True)] for row in X.tolist()])
    whole = separability(X, y)
    assert separability(exact, y).separated_rows.tolist() == whole.separated_rows.tolist()
    powers = 2.0 ** np.round(np.log2(units))
    for other in (X * powers[:p], scipy.sparse.csr_matrix(X * powers[:p])):
        assert separability(other, y).separated_rows.tolist() == whole.separated_rows.tolist()
    # Without an intercept a row may be any multiple of itself.
    through = separability(X, y, fit_intercept=False).separated_rows.tolist()
    assert (
        separability(X * powers[p:][:n, None] if n <= 16 - p else X, y, fit_intercept=False).separated_rows.tolist()
        == through
    )


@given(designs())
def test_what_holds_the_numbers_changes_nothing(design: tuple[Array, Array]) -> None:
    X, y = design
    first = json.loads(separability(X, y).to_json())
    same = ("format", "sha256", "question")
    rows = separability(X, y).separated_rows.tolist()
    doubles = X.astype(np.float64)
    for form in (doubles, X.astype(np.float32), X.astype(object), doubles.astype(object), scipy.sparse.csr_matrix(X)):
        found = separability(form, y)
        other = json.loads(found.to_json())
        assert [other[name] for name in same] == [first[name] for name in same]
        assert found.separated_rows.tolist() == rows
        Separability.from_json(json.dumps(other)).verify(X, y)


@pytest.mark.parametrize("p", [3, 20])
def test_no_overlap_of_the_axes_has_fewer_rows_than_twice_their_number(p: int) -> None:
    found = separability(np.vstack([np.eye(p), np.eye(p)]), np.repeat([1, 0], p), fit_intercept=False)
    assert found.verdict == "inseparable"
    assert found.overlap is not None
    assert len(found.overlap.rows) == 2 * p


@pytest.mark.parametrize(("n", "p"), [(40, 3), (80, 25), (150, 40)])
def test_a_witness_that_spans_is_the_overlap_too(n: int, p: int) -> None:
    rng = np.random.default_rng(p)
    X, y = rng.normal(size=(n, p)), rng.integers(0, 2, n)
    found = separability(X, y)
    assert (found.verdict, found.overlap) == ("inseparable", found.witness)
    assert found.witness is not None
    assert len(found.witness.rows) == p + 2
    # A column of its own on some rows of one class: a direction takes these away, the others are what they were.
    far = (np.arange(n) < 3) & (y == y[0])
    beside = separability(np.column_stack([X, far]), y)
    assert (beside.verdict, beside.overlap) == ("quasi-separable", beside.witness)
    assert beside.separated_rows.tolist() == np.flatnonzero(far).tolist()


@pytest.mark.parametrize("seed", range(5))
def test_planted_cones(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, p, r = 300, 12, 4
    y = np.where(rng.random(n) < 0.5, 1, -1)
    ahead = rng.random(n) < 0.2  # these alone leave the plane of the first r columns, to their own side
    rest = rng.integers(-3, 4, (n, p - r)) * ahead[:, None]
    rest[ahead, 0] = (1 + np.abs(rest[ahead]).sum(axis=1)) * y[ahead]
    X = np.column_stack([rng.integers(-3, 4, (n, r)), rest]) @ rng.integers(-2, 3, (p, p))
    if np.linalg.matrix_rank(X) == p:
        found = separability(X, y)
        assert (found.verdict, found.separated_rows.tolist()) == ("quasi-separable", np.flatnonzero(ahead).tolist())


def test_categories_that_contradict_each_other_and_one_that_occurs_once() -> None:
    rng = np.random.default_rng(0)
    columns = [np.eye(k)[rng.integers(0, k, 20_000)] for k in (12, 40, 7)]
    once = np.zeros((20_000, 1))
    once[17] = 1
    X = scipy.sparse.csr_matrix(np.hstack([*columns, once]).astype(np.float32))
    y = rng.random(20_000) < 0.3
    found = separability(X, y)
    assert (found.verdict, found.separated_rows.tolist()) == ("quasi-separable", [17])
    assert found.witness is not None
    assert found.overlap is not None
    assert len(found.witness.rows) == 2
    assert len(found.overlap.rows) <= 2 * (12 + 40 + 7 - 2)
    without = separability(X[:, :-1], y)
    assert without.verdict == "inseparable"


def test_wide_sparse_rows_are_learnt() -> None:
    rng = np.random.default_rng(0)
    X = scipy.sparse.random(300, 700, 0.02, "csr", random_state=1, data_rvs=lambda m: rng.integers(-3, 4, m))
    assert separability(X, rng.random(300) < 0.5).verdict == "separable"


def test_fragile_verdicts_say_so() -> None:
    y = np.array([1, 0, 1])
    tenths = np.array([[0.1, 0.3], [0.2, 0.6], [0.3, 0.9]])
    found = separability(tenths, y)
    assert (found.verdict, found.fragile) == ("separable", True)
    assert "Fragile" in found.summary()
    assert not separability(np.array([[1, 3], [2, 6], [3, 9]]), y).fragile
    assert not separability(np.array([[0.1], [0.2], [5.3]]), np.array([0, 0, 1])).fragile
    # The middle row in the middle: moving any of the three by half a last place may let it out.
    line = np.array([[0.25, 0.5], [0.5, 1.0], [0.75, 1.5]])
    found = separability(line, y)
    assert (found.verdict, found.fragile) == ("inseparable", True)
    rng = np.random.default_rng(0)
    assert not separability(rng.normal(size=(80, 3)), rng.random(80) < 0.5).fragile
    assert separability(np.array([[0.1], [0.1 + 1e-17], [np.nextafter(0.1, 1)]]), np.array([0, 0, 1])).fragile


@pytest.mark.parametrize("scale", [2.0**-700, 2.0**1015])
def test_the_margin_of_tiny_and_of_huge_numbers(scale: float) -> None:
    X, y = np.array([[1.0, 1.0], [2.0, -1.0], [-1.0, 0.0], [-1.0, 1.0]]), [1, 1, 0, 0]
    plain, found = separability(X, y).margin, separability(X * scale, y).margin
    assert plain is not None and found is not None
    # Their squares are no doubles: norms are scaled as they are summed.
    np.testing.assert_allclose([found.lower / scale, found.upper / scale], [plain.lower, plain.upper])
    for table in (X, scipy.sparse.csr_matrix(X)):
        for bias in ("free", "homogeneous", None):
            best = max_margin(table * scale, y, bias=bias)
            if bias != "homogeneous" or scale > 1:  # else the constant outweighs all that the rows say
                np.testing.assert_allclose([best.lower / scale, best.upper / scale], 1.0)
                assert best.hyperplane.w[0] > 0 and abs(best.hyperplane.w[1]) < 1e-9 * best.hyperplane.w[0]
