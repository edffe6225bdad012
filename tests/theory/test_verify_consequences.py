"""What follows from a cone: coefficients and rows to go. Right proofs pass; each wrong one fails in one place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from linsep.theory.verify import consequences
from linsep.theory.verify.cone import CertificateError, ConeProof, Rows
from linsep.theory.verify.consequences import (
    FINITE,
    UNDETERMINED,
    UNIDENTIFIED,
    UNSIGNED,
    SeparationProof,
    coefficients,
    fewest,
    rows_to_go,
)

FORMS: list[Callable[[Any], Any]] = [np.asarray, sp.csr_matrix, lambda X: X.astype(object)]


def refused(why: str) -> Any:
    return pytest.raises(CertificateError, match=why)


# ------------------------------------------------------- where coefficients go
# d = (1, 0, 0, 0) is >= 0 on all rows and > 0 on row 2 alone; nothing else is but for multiples and the last column.
RAY = Rows(np.array([[0, 1, 0, 0], [0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, -1, 0]]))
RAY_CONE = ConeProof(5, ({0: 1},), (0, 1, 3, 4), {0: 1, 1: 1, 3: 2, 4: 2}, 0.0, (0, 3), ({0: 1}, {3: 1}))
RAY_PROOF = SeparationProof(RAY_CONE, (0, 2, 4), ({3: 1},))


def test_on_a_ray_each_coefficient_follows_from_the_directions() -> None:
    expected = [inf, FINITE, FINITE, UNIDENTIFIED]
    for form in FORMS:
        assert coefficients(replace(RAY, X=form(RAY.X)), RAY_PROOF) == expected
    assert coefficients(
        replace(RAY, s=np.array([1, 1, -1, 1, 1]), X=RAY.X * [[1], [1], [-1], [1], [1]]), RAY_PROOF
    ) == (expected)
    turned = replace(RAY_PROOF, cone=replace(RAY_CONE, directions=({0: -3},)))
    assert coefficients(Rows(RAY.X * [-1, 1, 1, 1]), turned) == [-inf, *expected[1:]]
    zeros = replace(RAY_PROOF, cone=replace(RAY_CONE, null=({0: 1, 1: 0}, {3: 1})), null=({3: 1, 2: 0},))
    asked: list[int] = []
    assert coefficients(replace(RAY, X=RAY.X), zeros) == expected
    assert consequences._Coordinates(replace(RAY, ask=lambda: asked.append(1)), zeros).every() == expected
    assert asked == [1]  # of the one coefficient that is neither finite nor not identified
    assert (RAY_PROOF.rank(4), replace(RAY_PROOF, bases=((0, 1), (2,))).rank(4)) == (3, 2)


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ({"cone": replace(RAY_CONE, basis=None, null=())}, "not shown that no more rows"),
        ({"cone": ConeProof(5, ({0: 1},), (0, 1, 3, 4))}, "not shown that no more rows"),
        ({"basis": (0, 2, 5)}, "not there"),
        ({"basis": (0, 2, -1)}, "not there"),
        ({"basis": (0, True, 4)}, "not there"),
        ({"basis": (0, 1, 4)}, "do not span all"),
        ({"basis": (0, 2)}, "do not span all"),
        ({"null": ()}, "do not span all"),
        ({"null": ({0: 1}, {3: 1})}, "not orthogonal"),
        ({"basis": RAY_CONE.basis, "null": RAY_CONE.null}, "not orthogonal"),
    ],
)
def test_what_is_said_of_all_rows_is_checked(parts: dict[str, Any], why: str) -> None:
    with refused(why):
        coefficients(RAY, replace(RAY_PROOF, **parts))


def test_where_all_rows_are_left_their_basis_is_that_of_the_cone() -> None:
    rows = Rows(RAY.X[[0, 1, 3, 4]][:, [1, 2]])
    cone = ConeProof(4, (), range(4), dict.fromkeys(range(4), 1), 0.0, (0, 2))
    assert coefficients(rows, SeparationProof(cone, (0, 2))) == [FINITE, FINITE]
    assert coefficients(rows, SeparationProof(cone, (1, 3))) == [FINITE, FINITE]
    for proof, why in ((SeparationProof(cone, (0, 1)), "do not span all"), (SeparationProof(cone, ()), "do not span")):
        with refused(why):
            coefficients(rows, proof)
    wide = Rows(np.column_stack([rows.X, rows.X[:, 0]]))
    null = ({0: 1, 2: -1},)
    asked = []
    right = SeparationProof(replace(cone, null=null), (0, 2), null)
    assert coefficients(replace(wide, ask=lambda: asked.append(1)), right) == [UNIDENTIFIED, FINITE, UNIDENTIFIED]
    with refused("do not span all"):
        coefficients(wide, replace(right, null=()))
    first = len(asked)
    coefficients(replace(wide, ask=lambda: asked.append(1)), replace(right, basis=(2, 0)))
    assert len(asked) > 2 * first  # nothing is checked twice where it is the same


# Rows on which d >= |e| is asked: column 1 takes both signs.
FAN = Rows(np.array([[1.0, 0.0], [0.75, 0.75], [0.5, -0.5]]))
FAN_PROOF = SeparationProof(ConeProof(3, ({0: 2, 1: 1},), (), {}, 0.0, (), ({0: 1}, {1: 1})), (0, 1))
OPPOSITE = {1: ({0: 2, 1: -1},)}


def test_a_sign_is_a_sum_of_separated_rows() -> None:
    for form in FORMS:
        for weights in ({0: 5}, {1: 2, 2: 3}, {0: 1, 1: 2, 2: 3}):
            right = replace(FAN_PROOF, signs={0: weights}, opposite=OPPOSITE)
            rows = replace(FAN, X=form(FAN.X))
            assert coefficients(rows, right) == [inf, UNDETERMINED]
            assert coefficients(replace(rows, X=form(-FAN.X), s=-np.ones(3)), right) == [inf, UNDETERMINED]
            odd: list[Mapping[Any, Any]] = [
                {},
                {0: 0},
                {0: -1},
                {0: True},
                {True: 1},
                {-3: 1},
                {3: 1},
                {1: 1},
                {0: 1.0},
            ]
            for wrong in odd:
                with refused("a weight for coefficient 0 is not > 0, or of a row|sign of coefficient 0 is not proved"):
                    coefficients(rows, replace(right, signs={0: wrong}))
    # The direction says that it is positive; what adds up to it has to have the same sign.
    with refused("sign of coefficient 0 is not proved"):
        coefficients(Rows(FAN.X * [[-1], [1], [1]], np.array([-1, 1, 1])), replace(FAN_PROOF, signs={0: {2: 1}}))
    assert coefficients(FAN, replace(FAN_PROOF, signs={0: {0: 1}}, unsigned=(1,))) == [inf, UNSIGNED]
    with refused("orthogonal to the rows left are not given"):  # else no coefficient seems to move
        coefficients(FAN, replace(FAN_PROOF, cone=replace(FAN_PROOF.cone, basis=None, null=())))
    with refused("sign of coefficient 1 is not proved"):
        coefficients(FAN, replace(FAN_PROOF, signs={0: {0: 1}}))


def test_a_row_that_is_left_proves_no_sign() -> None:
    """In row 3 there stands the coefficient that goes to infinity, but it is an equality with another one."""
    X = np.array([[1, 0, 0], [1, 1, 0], [1, -1, 0], [1, 0, -1]])
    rows = Rows(X, equal=np.array([False, False, False, True]))
    null = ({0: 1, 2: 1}, {1: 1})
    cone = ConeProof(4, ({0: 2, 1: 1, 2: 2},), (3,), {}, 0.0, (3,), null)
    right = SeparationProof(cone, (0, 1, 3), (), {0: {0: 1}, 2: {1: 1, 2: 1}}, {1: ({0: 2, 1: -1, 2: 2},)})
    assert coefficients(rows, right) == [inf, UNDETERMINED, inf]
    with refused("of a row that is not separated"):
        coefficients(rows, replace(right, signs={0: {0: 1, 3: 1}, 2: {0: 1}}))
    with refused("sign of coefficient 2 is not proved"):
        coefficients(rows, replace(right, signs={0: {0: 1}, 2: {1: 1}}))


def test_a_constant_and_null_vectors_of_several_entries() -> None:
    """Columns x, 2 x and 1: with their signs rows are (1/2, 1, 1), (1, 2, 1) and (-1/4, -1/2, -1)."""
    for form in FORMS[::2]:
        X = form(np.array([[Fraction(1, 2), 1], [1, 2], [Fraction(1, 4), Fraction(1, 2)]]))
        rows = Rows(X, np.array([1, 1, -1]), constant=True)
        null = ({0: 2, 1: -1},)
        cone = ConeProof(3, ({0: 12, 2: -4},), (), {}, 0.0, (), ({0: 1}, {1: 1}, {2: 1}))
        right = SeparationProof(cone, (0, 1), null, {2: {0: 1, 2: 2}})
        assert coefficients(rows, right) == [UNIDENTIFIED, UNIDENTIFIED, -inf]
        for wrong in ({0: 1, 2: 1}, {0: 2, 2: 1}, {1: 1, 2: 2}, {0: 1}):
            with refused("sign of coefficient 2 is not proved"):
                coefficients(rows, replace(right, signs={2: wrong}))


def test_the_other_sign_is_one_of_directions_of_the_cone() -> None:
    right = replace(FAN_PROOF, signs={0: {0: 1}}, opposite=OPPOSITE)
    for directions in (({0: 1}, {1: -1}), ({0: 1, 1: -1},), ({0: 2, 1: -1}, {1: 1}), ({0: 1, 1: 0}, {1: -5})):
        assert coefficients(FAN, replace(right, opposite={1: directions})) == [inf, UNDETERMINED]
    odd: list[tuple[Any, str]] = [
        (({0: 1},), "coefficient 1 has one sign only"),
        (({0: 1, 1: 1},), "coefficient 1 has one sign only"),
        (({0: 1, 1: -2},), "direction 0 is negative at row 1"),
        (({0: 2, 1: 1}, {1: -1}, {1: -1}), "direction 2 takes no row away"),
        (({0: 1}, {}, {1: -1}), "direction 2 takes no row away"),
        (({0: 2, 1: -1.0},), "no integer"),
    ]
    for directions, why in odd:
        with refused(why):
            coefficients(FAN, replace(right, opposite={1: directions}))
    # One whose sign has a proof and an opposite: directions decide.
    with refused("coefficient 0 has one sign only"):
        coefficients(FAN, replace(right, opposite={0: OPPOSITE[1], **OPPOSITE}))


def test_directions_that_many_coefficients_share_are_checked_once() -> None:
    X = np.array([[1, 0, 0], [1, 1, 0], [1, -1, 0], [1, 0, 1], [1, 0, -1]])
    asked: list[int] = []
    cone = ConeProof(5, ({0: 2, 1: 1, 2: 1},), (), {}, 0.0, (), ({0: 1}, {1: 1}, {2: 1}))
    both = ({0: 2, 1: -1, 2: -1},)
    right = SeparationProof(cone, (0, 1, 3), (), {0: {0: 1}}, {1: both, 2: both})
    rows = Rows(X, ask=lambda: asked.append(1))
    assert coefficients(rows, right) == [inf, UNDETERMINED, UNDETERMINED]
    once = len(asked)
    coefficients(rows, replace(right, opposite={1: both, 2: tuple(map(dict, both))}))
    assert len(asked) - once == once + 1


def test_mirrored_rows_have_the_other_signs() -> None:
    """Coefficient 1 goes the other way: what shows its other sign has to be positive."""
    right = replace(
        FAN_PROOF,
        cone=ConeProof(3, ({0: 2, 1: -1},), (), {}, 0.0, (), ({0: 2}, {1: -3})),
        signs={0: {0: 1}},
        opposite={1: ({0: 1, 1: 0}, {1: 5})},
    )
    assert coefficients(FAN, right) == [inf, UNDETERMINED]
    for directions in (({0: 1},), ({0: 1}, {1: -1})):
        with refused("coefficient 1 has one sign only"):
            coefficients(FAN, replace(right, opposite={1: directions}))
    assert coefficients(FAN, replace(right, signs={0: {1: 2, 2: 3}})) == [inf, UNDETERMINED]
    for wrong in ({0: -1, 1: 2, 2: 3}, {0: 0, 1: 2, 2: 3}, {1: 2, -1: 3}, {1: 2, 2: 3, 3: 1}):
        with refused("a weight for coefficient 0 is not > 0"):
            coefficients(FAN, replace(right, signs={0: wrong}))


def test_a_null_vector_of_several_entries_gives_them_one_sign() -> None:
    """Rows 0 and 1 say that 2 d_0 = d_1 = d_2; the others that both are positive, and d_3 has any sign."""
    X = np.array([[2, -1, 0, 0], [0, 1, -1, 0], [1, 0, 0, 0], [1, 0, 0, 1], [1, 0, 0, -1]])
    rows = Rows(X, equal=np.array([True, True, False, False, False]))
    null = ({0: 1, 1: 2, 2: 2, 3: 0}, {3: 2})
    cone = ConeProof(5, ({0: 1, 1: 2, 2: 2},), (0, 1), {}, 0.0, (0, 1), null)
    signs = {0: {2: 1}, 1: {3: 1, 4: 1}, 2: {2: 1}}
    right = SeparationProof(cone, (0, 1, 2, 3), (), signs)
    assert coefficients(rows, right) == [inf, inf, inf, UNDETERMINED]
    for j in range(3):
        with refused(f"sign of coefficient {j} is not proved"):
            coefficients(rows, replace(right, signs={**signs, j: {3: 1}}))


def test_entries_of_all_columns_count_in_the_sum_of_rows() -> None:
    """Row 1 is orthogonal to (2, -3, 0, 0); in row 5 it is column 0 less the constant that is above 0."""
    X = np.array([[3, 2, 0], [Fraction(1, 2), Fraction(1, 3), 1], [1, 0, 1], [-1, 0, 1], [0, 0, 1]], dtype=object)
    rows = Rows(X, equal=np.arange(5) == 0)
    cone = ConeProof(5, ({2: 1},), (0,), {}, 0.0, (0,), ({0: 2, 1: -3}, {2: 1}))
    right = SeparationProof(cone, (0, 2, 4), (), {2: {1: 1}})
    assert coefficients(rows, right) == [UNDETERMINED, UNDETERMINED, inf]
    for form in FORMS[:2]:
        X = np.array([[1.0, 0.0], [1.5, 0.0], [2.0, 1.0], [2.0, -1.0]])
        rows = Rows(form(X), equal=np.arange(4) == 0, constant=True)
        cone = ConeProof(4, ({0: 2, 1: 1, 2: -2},), (0,), {}, 0.0, (0,), ({0: 1, 2: -1}, {1: 1}))
        right = SeparationProof(cone, (0, 1, 2), (), {0: {1: 1}, 2: {1: 3}}, {1: ({0: 2, 1: -1, 2: -2},)})
        assert coefficients(rows, right) == [inf, UNDETERMINED, -inf]


def test_where_directions_have_a_0_null_vectors_have_both_signs() -> None:
    X = np.array([[1, 0], [1, 1], [1, -1]])
    cone = ConeProof(3, ({0: 1},), (), {}, 0.0, (), ({0: 1}, {1: 1}))
    assert coefficients(Rows(X), SeparationProof(cone, (0, 1), (), {0: {1: 1, 2: 1}})) == [inf, UNDETERMINED]


WIDE = Rows(np.array([[1, 0, 1, 0], [0, 1, 0, 1]]))
WIDE_PROOF = SeparationProof(ConeProof(2, ({0: 1, 1: 1},)), bases=((0, 1), (2, 3)))


def test_two_bases_of_columns_without_a_common_one_identify_nothing() -> None:
    for form in FORMS:
        assert coefficients(replace(WIDE, X=form(WIDE.X)), WIDE_PROOF) == [UNIDENTIFIED] * 4
    assert coefficients(WIDE, replace(WIDE_PROOF, bases=((0, 1), (2, 1), (2, 3)))) == [UNIDENTIFIED] * 4
    assert coefficients(WIDE, replace(WIDE_PROOF, bases=((0, 1), (2, 3)) * 32)) == [UNIDENTIFIED] * 4
    odd: list[tuple[Any, str]] = [
        (((0, 1),), "in every basis"),
        (((0, 1), (0, 3)), "in every basis"),
        (((0, 1), (2, 0)), "full rank"),
        (((0, 1), (2, 2)), "full rank"),
        (((0, 1), (2, 3, 0)), "full rank"),
        (((0, 1), (3,)), "full rank"),
        (((0, 1), (2, 4)), "full rank"),
        (((0, 1), (2, -1)), "full rank"),
        (((0, True), (2, 3)), "full rank"),
        (((0, 1), (2, 3)) * 32 + ((0, 1),), "more than 64 bases"),
    ]
    for bases, why in odd:
        with refused(why):
            coefficients(WIDE, replace(WIDE_PROOF, bases=bases))
    with refused("do not have full rank|does not have full rank"):
        coefficients(Rows(np.array([[1, 0, 1, 2], [0, 1, 2, 4]])), WIDE_PROOF)


def test_a_basis_names_each_column_once() -> None:
    square = Rows(np.eye(2))  # of rank 2, as its columns 0, 0 are of a matrix that is taken whole
    with pytest.raises(CertificateError, match="does not have full rank"):
        coefficients(square, SeparationProof(ConeProof(2, ({0: 1, 1: 1},)), bases=((0, 0), (1, 1))))


def test_bases_need_all_rows_separated_or_equal() -> None:
    left = replace(WIDE_PROOF, cone=ConeProof(2, ({0: 1},), (1,)))
    assert coefficients(replace(WIDE, equal=np.array([False, True])), left) == [UNIDENTIFIED] * 4
    both = ConeProof(3, ({0: 1},), (1, 2), {1: 1, 2: 1}, 0.0, (1,), ({0: 1}, {2: 1}, {1: 1, 3: -1}))
    rows = Rows(np.array([[1, 0, 1, 0], [0, 1, 0, 1], [0, -1, 0, -1]]), constant=True)
    both = replace(both, null=(*both.null[:2], {1: 1, 3: -1}))
    with refused("a row left is no equality"):
        coefficients(replace(rows, constant=False), replace(left, cone=both))
    with refused("not shown that no more rows"):
        coefficients(WIDE, left)
    constant = Rows(np.array([[1, 2], [3, 4]]), np.array([1, 1]), constant=True)
    some = SeparationProof(ConeProof(2, ({0: 1},)), bases=((0, 1), (1, 2), (0, 2)))
    assert coefficients(constant, some) == [UNIDENTIFIED] * 3


# ----------------------------------------------------------- rows that have to go
LINE = Rows(np.array([[0], [1], [2], [3], [1]]), np.array([1, -1, 1, -1, 1]), constant=True)
TRIANGLE = [{0: 1, 1: 1}, {1: 1, 2: 1}, {0: 1, 2: 1}]
HALVES = {"unit": 2, "weights": {0: 1, 1: 1, 2: 1}}


def test_witnesses_are_rows_that_add_up_to_0() -> None:
    witnesses = [{1: 1, 4: 1}, {0: 1, 1: 2, 2: 1}]
    packing = {"unit": 1, "weights": {0: 1}}
    assert rows_to_go(LINE, witnesses, packing) == 1
    for wrong, why in (({1: 1}, "do not add up"), ({}, "no rows"), ({0: 1, 1: 2, 2: 0}, "not positive")):
        with refused(why):
            rows_to_go(LINE, [*witnesses, wrong], packing)
        with refused(why):
            rows_to_go(LINE, [wrong, *witnesses], packing)
    asked: list[int] = []
    rows_to_go(replace(LINE, ask=lambda: asked.append(1)), witnesses * 10, packing)
    assert len(asked) == 2  # equal ones are looked at once


def test_rows_of_a_class_that_keeps_all_are_not_counted() -> None:
    witnesses, two = [{1: 1, 4: 1}, {0: 1, 1: 2, 2: 1}], {"unit": 1, "weights": {0: 1, 1: 1}}
    assert rows_to_go(LINE, witnesses, two, -1) == 2  # row 1 alone is in both, and is of this sign
    for keep in ((), (0,), (1,)):
        with refused("above 1 together"):
            rows_to_go(LINE, witnesses, two, *keep)
    opposite, both = Rows(np.array([[1], [-1], [1]]), np.array([1, 1, -1])), [{0: 1, 1: 1}, {0: 1, 2: 1}]
    for keep in ((), (-1,)):
        assert rows_to_go(opposite, both, {"unit": 1, "weights": {0: 1}}, *keep) == 1
    without_signs = Rows(np.array([[1], [-1]]))
    assert rows_to_go(without_signs, both[:1], {"unit": 1, "weights": {0: 1}}) == 1
    with refused("no row that may go"):
        rows_to_go(opposite, both, {"unit": 1, "weights": {1: 1}}, 1)


def test_weights_of_witnesses_bound_the_rows() -> None:
    assert fewest(HALVES, TRIANGLE) == 2
    assert fewest({"unit": 1, "weights": {}}, []) == 0
    assert fewest({"unit": 3, "weights": {0: 3}}, TRIANGLE) == 1
    assert fewest({"unit": 3, "weights": {0: 1, 2: 2}}, TRIANGLE) == 1
    assert fewest({"unit": 5, "weights": {0: 3, 1: 2, 2: 2}}, TRIANGLE) == 2
    odd: list[tuple[Any, str]] = [
        ([], "no such form"),
        ({}, "no such form"),
        ({"unit": 2}, "no such form"),
        ({**HALVES, "witness": 0}, "no such form"),
        ({"unit": 1, "weights": {0: 1, 1: 1}}, "above 1 together"),
        ({"unit": 0, "weights": {}}, "positive integers"),
        ({"unit": -1, "weights": {}}, "positive integers"),
        ({"unit": True, "weights": {}}, "positive integers"),
        ({"unit": 2, "weights": {0: 0}}, "positive integers"),
        ({"unit": 2, "weights": {0: 1.0}}, "positive integers"),
        ({"unit": 2, "weights": {0: -1}}, "positive integers"),
        ({"unit": 2, "weights": {3: 1}}, "not there"),
        ({"unit": 2, "weights": {-1: 1}}, "not there"),
        ({"unit": 2, "weights": {True: 1}}, "not there"),
    ]
    for wrong, why in odd:
        with refused(why):
            fewest(wrong, TRIANGLE)


def test_branches_have_a_proof_for_each_row_of_a_witness() -> None:
    second = {"unit": 1, "weights": {1: 1}}
    third = {"unit": 1, "weights": {2: 1}}
    assert fewest({"witness": 0, "without": [second, third]}, TRIANGLE) == 2
    less = {"unit": 1, "weights": {}}
    assert fewest({"witness": 0, "without": [second, less]}, TRIANGLE) == 1
    odd: list[tuple[Any, str]] = [
        ({"witness": 0, "without": [third, second]}, "a row that has gone"),
        ({"witness": 0, "without": [second]}, "one part for each row"),
        ({"witness": 0, "without": [second, third, third]}, "one part for each row"),
        ({"witness": 3, "without": [second, third]}, "not there"),
        ({"witness": 0, "without": [{"witness": 0, "without": [less, less]}, third]}, "a row that has gone"),
        ({"witness": 0, "without": [second, third], "unit": 1}, "no such form"),
    ]
    for wrong, why in odd:
        with refused(why):
            fewest(wrong, TRIANGLE)
    one, deep = [{k: 1} for k in range(300)], dict[str, Any](less)
    for k in reversed(range(200)):
        deep = {"witness": k, "without": [deep]}
    assert fewest(deep, one) == 200
    with refused("no such form"):
        fewest({"witness": 299, "without": [deep]}, one)
    two = {"witness": 0, "without": [third, second]}  # row 3, then row 5
    assert fewest(two, [{5: 1, 3: 1}, {3: 1}, {5: 1}]) == 2
