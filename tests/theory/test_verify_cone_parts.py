"""The verifier of cones, part by part: each forged proof is refused by one check, and true ones beside them pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
import scipy.sparse as sp

from linsep.theory.verify import cone, exact
from linsep.theory.verify.cone import (
    CertificateError,
    ConeProof,
    Rows,
    _require_near,
    _surely_orthogonal,
    check_sum,
    signs_on,
    some_rows,
    verify,
)

FORMS: list[Callable[[Any], Any]] = [np.asarray, sp.csr_matrix, lambda X: X.astype(object)]
SMALL, UP = 2.0**-52, 1.0 + 2.0**-20


def refused(why: str) -> Any:
    return pytest.raises(CertificateError, match=why)


# ------------------------------------------------------------------ what is given
def test_rows_as_doubles_keep_their_form_and_signs() -> None:
    X = np.array([[1, 2], [3, 4], [5, 6]])
    for form, sparse in ((X, False), (sp.csr_matrix(X), True)):
        rows = Rows(form, np.array([1, -1, 1]), constant=True)
        found = rows.doubles([1, 2], [1, 2])
        assert sp.issparse(found) == sparse and found.dtype == np.float64
        assert (found.toarray() if sparse else found).tolist() == [[-4, -1], [6, 1]]
        large = Rows(form.astype(np.float64))
        stored = [table.data if sparse else table for table in (large.X, large.doubles(slice(None), [0, 1]))]
        assert sparse or np.shares_memory(*stored)  # a table of doubles is not copied
        plain = Rows(form).doubles([0], [0, 1])
        assert (plain.toarray() if sparse else plain).tolist() == [[1, 2]]


def test_a_proof_knows_the_rows_that_are_left() -> None:
    assert ConeProof(3, left=[0, 1, 2]).left == range(3) and ConeProof(3, left=[1]).left == (1,)
    assert ConeProof(3, left=[1]).separated.tolist() == [0, 2]


def test_a_process_without_the_smallest_doubles_proves_nothing() -> None:
    def flushed(values: Any) -> Any:
        found = np.asarray(values)
        return np.where(abs(found) <= 2.0**-1022, 0.0, found)

    with patch.object(np, "array", flushed), refused("makes the smallest doubles 0"):
        verify(Rows(np.eye(1)), ConeProof(1, ({0: 1},)))


# --------------------------------------------------------------------- directions
def test_each_direction_takes_a_row_away() -> None:
    rows = Rows(np.eye(2))
    assert verify(rows, ConeProof(2, ({0: 1}, {1: 1})))
    with refused("direction 1 takes no row away"):
        verify(rows, ConeProof(2, ({0: 1}, {0: 1}), (1,)))
    equal = Rows(np.array([[1, 0], [1, 1], [1, 0]]), equal=np.array([False, True, True]))
    for d in ({0: 1, 1: -1}, {0: 1}):
        with refused("direction 0 is not 0 on an equality"):
            verify(equal, ConeProof(3, (d,)))


def test_a_direction_is_looked_at_on_its_columns() -> None:
    seen: list[tuple[int, bool]] = []

    def signs(A: Any, w: Any, b: int = 0) -> Any:
        seen.append((A.shape[1], np.shares_memory(A, X)))
        return exact.value_signs(A, w, b)

    for p, some, columns in ((8, 2, 2), (8, 3, 8), (9, 3, 9), (9, 2, 2)):
        X: Any = np.ones((2, p), dtype=np.int64)
        rows = Rows(X, np.array([1, -1]), constant=True)
        with patch.object(cone, "value_signs", signs):
            found = signs_on(rows, {**dict.fromkeys(range(some), 1), p: -some - 1})
        assert (found.tolist(), found.dtype) == ([-1, 1], np.int8)
        assert seen.pop() == (columns, columns == p)
    X = np.ones((3, 1))
    with patch.object(cone, "value_signs", signs):
        assert not verify(Rows(X), ConeProof(3, (), range(3)))
        verify(Rows(X), ConeProof(3, ({0: 1},)))
    assert seen[1] == (1, True)  # a table of which all rows are left is not copied


# ------------------------------------------------------------------------ weights
def test_equalities_have_weights_of_any_sign_and_may_stand_in_a_basis() -> None:
    X = np.array([[1, 2], [1, 2], [0, 1], [0, -1]])
    rows = Rows(X, equal=np.array([True, False, False, False]))
    right = ConeProof(4, (), range(4), {0: -1, 1: 1, 2: 1, 3: 1}, 0.0, (0, 2))
    assert verify(rows, right)
    with refused("not positive"):
        verify(rows, replace(right, weights={0: 1, 1: -1, 2: 1, 3: 1}))
    both = replace(right, weights={2: 1, 3: 1})
    assert verify(rows, both)
    for other in (-4, 4, 1):
        with refused(f"row {other} of the basis has no weight"):
            verify(rows, replace(both, basis=(other, 2)))
    last = Rows(X[::-1], equal=np.array([False, False, False, True]))
    with refused("row -1 of the basis has no weight"):
        verify(last, ConeProof(4, (), range(4), {0: 1, 1: 1}, 0.0, (-1, 0)))
    assert verify(Rows(np.eye(1), equal=np.ones(1, dtype=bool)), ConeProof(1, (), (0,), {}, 0.0, (0,)))
    with refused("not there"):
        check_sum(Rows(np.array([[1], [-1]])), {0: 1, -1: 1})


def test_rows_of_zeros_are_a_witness_that_has_to_be_named() -> None:
    rows = Rows(np.array([[0], [1]]))
    right = ConeProof(2, ({0: 1},), (0,), {0: 1}, 0.0, (), ({0: 1},))
    assert verify(rows, right)
    for some in (right, replace(right, directions=(), left=(0, 1))):
        with refused("rows are left, and none has a weight|not orthogonal"):
            verify(rows, replace(some, weights={}))
    assert verify(rows, ConeProof(2, ({0: 1},), (0,), {0: 5}, 0.0, (), ({0: 1},)))
    assert verify(Rows(np.ones((1, 1))), ConeProof(1, ({0: 1},), (), {}, 0.0, (), ({0: 1},)))


@pytest.mark.parametrize("within", [0, -0.5, Fraction(1, 2), np.float32(0.5), True, 1.0, 2.0, float("nan")])
def test_how_near_weights_are_is_a_double_below_1(within: Any) -> None:
    rows = Rows(np.array([[1.0], [-1.0]]))
    right = ConeProof(2, (), (0, 1), {0: 1, 1: 1}, 0.5, (0,))
    assert verify(rows, right) and verify(rows, replace(right, within=0.0))
    with refused("need not be positive"):
        verify(rows, replace(right, within=within))
    with refused("need not be positive"):
        _require_near(rows, right.weights, (0,), [0], 0.0)


# ----------------------------------------------------------------- basis and nulls
def test_ranks_of_integers_that_doubles_do_not_hold() -> None:
    X = np.array([[2**53 + 1, 2**53], [2**53, 2**53]])
    X = np.vstack([X, -X])
    right = ConeProof(4, (), range(4), dict.fromkeys(range(4), 1), 0.0, (0, 1))
    asked: list[int] = []
    for form in FORMS:
        assert verify(Rows(form(X)), right)
        assert some_rows(Rows(form(X), ask=partial(asked.append, 1)), (0,), (1,)).tolist() == [[2**53]]
        with_constant = Rows(form(X[:2]), constant=True)
        assert some_rows(with_constant, (1,), (0, 2)).tolist() == [[2**53, 1]]
    assert asked == [1] * 3
    with patch.object(exact, "lcm", None):
        assert verify(Rows(X[[1, 3]] / 2**53), ConeProof(2, (), (0, 1), {0: 1, 1: 1}, 0.0, (0,), ({0: 1, 1: -1},)))


# Column 1 is all 1, 2 all -1 and 3 all 0; columns 0 and 4 are not alike.
COLUMNS = np.array([[1, 1, -1, 0, 0], [-1, 1, -1, 0, 2], [-1, -1, 1, 0, 1], [1, -1, 1, 0, -3]])
NULL = ({1: 1, 2: 1}, {3: 1})
NULL_PROOF = ConeProof(4, (), range(4), dict.fromkeys(range(4), 1), 0.0, (0, 1, 2), NULL)


@pytest.mark.parametrize("form", FORMS)
def test_each_null_vector_is_orthogonal_and_has_its_own_column(form: Any) -> None:
    rows = Rows(form(COLUMNS))
    accepted: list[tuple[dict[int, int], ...]] = [
        NULL,
        ({1: 1, 2: 1, 3: 0}, {3: 1}),
        ({3: 7}, {1: -2, 2: -2}),
        ({3: 1}, {2: 5, 1: 5}),
    ]
    for null in accepted:
        assert verify(rows, replace(NULL_PROOF, null=null))
        assert verify(Rows(form(COLUMNS * 2), -np.ones(4)), replace(NULL_PROOF, null=null))
    wrong: list[tuple[tuple[Any, ...], str]] = [
        (({1: 1}, {3: 1}), "not orthogonal"),
        (({2: 1}, {3: 1}), "not orthogonal"),
        (({0: 1, 3: 1},), "not orthogonal"),
        (({3: 1, 4: 1},), "not orthogonal"),
        (({3: 2**2000, 4: 2**1999},), "not orthogonal"),
        (({1: 1, 2: 1}, {3: 1.0}), "no integer"),
        (({1: 1, 2: 1}, {3: True}), "no integer"),
        (({1: 1, 2: 1}, {3.0: 1}), "no integer"),
        (({1: 1, 2: 1}, {-2: 1}), "a column that is not there"),
        (({1: 1, 2: 1}, {5: 1}), "a column that is not there"),
        (({1: 1, 2: 1}, {3: 1, 5: 1}), "a column that is not there"),
        (({1: 1, 2: 1}, {3: 1, -2: 1}), "a column that is not there"),
        (({1: 1, 2: 1}, {3: 1, -1: 1}), "a column that is not there"),
        (({3: 0}, {3: 1}), "no column of its own"),
        (({3: 0, 1: 1, 2: 1}, {1: 2, 2: 2}, {3: 1}), "no column of its own"),
        (({1: 1, 2: 1}, {1: 1, 2: 1, 3: 1}, {3: 1}), "no column of its own"),
        (({1: 1, 2: 1},), "do not span"),
        (({3: 1},), "do not span"),
    ]
    for vectors, why in wrong:
        with refused(why):
            verify(rows, replace(NULL_PROOF, null=vectors))


def test_vectors_of_columns_of_zeros_are_not_looked_at() -> None:
    rows = Rows(np.array([[0.0, 1.0], [0.0, -1.0]]))
    proof = ConeProof(2, (), (0, 1), {0: 1, 1: 1}, 0.0, (0,), ({0: 1},))
    for form in FORMS[:2]:
        with patch.object(cone, "signs_on", None), patch.object(cone, "_surely_orthogonal", None):
            assert verify(replace(rows, X=form(rows.X)), proof)
    with refused("a column that is not there"):
        verify(Rows(rows.X[:, ::-1]), replace(proof, null=({1: 1, -1: 1},)))
    seen: list[Any] = []
    X = np.array([[1.0, -1.0], [2.0, -2.0], [-3.0, 3.0]])
    with patch.object(cone, "_surely_orthogonal", lambda part, _: seen.append(part.X)):
        verify(Rows(X), ConeProof(3, (), range(3), {0: 1, 1: 1, 2: 1}, 0.0, (0,), ({0: 1, 1: 1},)))
    assert seen[0] is X


@pytest.mark.parametrize("form", FORMS[:2])
def test_sums_that_doubles_hold_are_looked_at_together(form: Any) -> None:
    def sure(X: Any, *vectors: dict[int, int], constant: bool = False) -> bool:
        return _surely_orthogonal(Rows(form(np.array(X)), constant=constant), vectors)

    two, half = [[1, -1], [2, -2]], [[0.5, -0.5]]
    assert sure(two, {0: 3, 1: 3}) and not sure(two, {0: 3, 1: 2}) and not sure(half, {0: 1, 1: 1})
    assert sure(two, {0: 3, 1: 3}, {0: 1, 1: 1}) and not sure(two, {0: 3, 1: 3}, {0: 1, 1: 2})
    assert sure(two, {0: 2**51 - 1, 1: 2**51 - 1}) and not sure(two, {0: 2**51, 1: 2**51})
    assert not sure(two, {0: -(2**51), 1: -(2**51)}) and not sure([[2**26, -(2**26)]], {0: 2**26, 1: 2**26})
    assert sure([[2**26, -(2**26)]], {0: 2**26 - 1, 1: 2**26 - 1})
    assert sure([[1, -1]], {0: 2**52 - 1, 1: 2**52 - 1}) and not sure([[1, -1]], {0: 2**52, 1: 2**52})
    assert not sure([[0, 0]], {0: 2**2000, 2: 1}, constant=True)
    assert sure([[1, 5], [1, 7]], {0: 1, 2: -1}, constant=True) and not sure([[1], [2]], {0: 1, 1: -1}, constant=True)
    for x in (1, -1):
        with refused("not orthogonal"):
            cone.orthogonal_columns(Rows(form(np.array([[x], [x]]))), ({0: 1},), np.ones(2, dtype=bool))
    # The first two of these sums are 1, and 0 for doubles; the product of the third is rounded.
    for X, v in (
        ([[1, 1, -1]], {0: 1, 1: -(2**60), 2: -(2**60)}),
        ([[1, 1, 1]], {0: 1, 1: 2**60, 2: -(2**60)}),
        ([[0.1, -(3 * 0.1), 0.0]], {0: 3, 1: 1}),
    ):
        assert not sure(X, v)
        with refused("not orthogonal"):
            cone.orthogonal_columns(Rows(form(np.array(X))), (v,), np.ones(1, dtype=bool))


# ------------------------------------------------------------- weights near exact ones
def near(X: Any, weights: list[int], basis: tuple[int, ...], within: float, **more: Any) -> None:
    """These rows on all columns."""
    rows = Rows(np.array(X, dtype=np.float64), **more)
    _require_near(rows, dict(enumerate(weights)), basis, list(range(rows.width)), within)


def test_weights_change_by_what_is_left_and_by_rounding() -> None:
    """One column, halved: C = 1 / 4, R = 4; r is what is left and the error of the sum."""
    for weights, r in (
        ([2**50, 2**50 - 2**20], 2.0**-32 + 10 * SMALL * (0.5 - 2.0**-32) + exact.TINY),
        ([2**50, 2**50], 10 * SMALL * 0.5 + exact.TINY),
    ):
        change = UP * (8 * r)
        for X in ([[1.0], [-1.0]], [[-1.0], [1.0]]):
            near(X, weights, (0,), change)
            near(X, weights, (1,), change * (1 + 1e-8))
            near([[1.0], [1.0]], weights, (0,), change, s=np.array([1, -1]))
            near(np.zeros((2, 0)), weights, (0,), change, constant=True, s=np.array([1, -1]))
            with refused("the weights would change by"):
                near(X, weights, (0,), float(np.nextafter(change, 0)))
    asked: list[int] = []
    near([[1.0], [-1.0]], [1, 1], (0,), 0.5, ask=lambda: asked.append(1))
    assert len(asked) == 1


def test_the_largest_change_of_all_columns_counts() -> None:
    X = np.kron(np.eye(2), [[1.0], [-1.0]])
    for weights in ([2**50, 2**50 - 2**20, 2**50, 2**50], [2**50, 2**50, 2**50, 2**50 - 2**20]):
        near(X, weights, (0, 2), 2.0**-28)
        with refused("the weights would change by"):
            near(X, weights, (0, 2), 2.0**-30)


def test_what_underflow_may_take_counts() -> None:
    """Weights of a column are 2^k times those of a row of zeros: R is 2^(k + 2), and `TINY` counts so often."""
    for k in (895, 896):
        near([[1.0], [-1.0], [0.0]], [1, 1, 2**k], (0,), UP * 2 ** (k - 897) * 1.001)
        with refused("the weights would change by"):
            near([[1.0], [-1.0], [0.0]], [1, 1, 2**k], (0,), 2.0 ** (k - 897))
    with refused("rounding leaves open"):
        near([[1.0], [-1.0], [0.0]], [1, 1, 2**897], (0,), 0.99)
    with refused("rounding leaves open"):  # the column is scaled by the largest entry, whatever its sign
        near([[-(2.0**500)], [2.0**-450], [2.0**-450]], [1, 2**949, 2**949], (1,), 0.99)
    near([[1.0], [-1.0], [2.0**-1030], [-(2.0**-1030)]], [1] * 4, (0,), 1e-9)


def of_a_triangle(*above: float) -> tuple[Any, tuple[int, ...]]:
    """Rows whose half, transposed, is C: 2^-48 on the diagonal, these numbers right of the first; two sum up to 0."""
    p = len(above) + 1
    C = np.eye(p) * 2.0**-48
    C[0, 1:] = above
    far = np.where(np.arange(p) == 0, -0.5, 0.6)
    return np.vstack([2 * C.T, far, -far - 2 * C.sum(axis=1)]), tuple(range(p))


@pytest.mark.parametrize(
    ("above", "error"),  # the sum along the first row of |R| |C|, times p + 8
    [
        ([0.39], 10 * 2 * 0.39),
        ([0.41], 10 * 2 * 0.41),
        ([-0.41], 10 * 2 * 0.41),
        ([0.17, 0.19], 11 * 2 * 0.36),
        ([0.17, 0.2], 11 * 2 * 0.37),
    ],
)
def test_rows_that_rounding_may_make_independent_are_no_basis(above: list[float], error: float) -> None:
    """R C is exactly I, and R is so large that no change is small."""
    X, basis = of_a_triangle(*above)
    why = "the weights would change by" if error * 2.0**-4 < 0.5 else "rounding leaves open"
    with refused(why):
        near(X, [1] * len(X), basis, 0.99)
    X, basis = of_a_triangle(0.0)
    with refused("not independent"):
        near(np.column_stack([X[:, :1], X[:, :1]]), [1] * len(X), basis, 0.99)
    with patch.object(np.linalg, "inv", np.zeros_like), refused("rounding leaves open"):
        near([[1.0], [-1.0]], [1, 1], (0,), 0.99)
    with patch.object(np.linalg, "inv", lambda C: 2 * np.linalg.pinv(C)), refused("rounding leaves open"):
        near([[1.0], [-1.0]], [1, 1], (0,), 0.99)


def test_what_is_inverted_is_not_too_large() -> None:
    rows, far = Rows(np.array([[1], [-1]], dtype=object)), "not too many rows and columns"
    for n, p, why in (
        *((2, 0, far), (2, 1, "are of doubles"), (20_000, 5_000, "are of doubles"), (20_001, 5_000, far)),
        *((2, 5_001, far), (10**6, 100, "are of doubles"), (10**6, 101, far), (1, 5_000, "are of doubles")),
    ):
        with refused(why):
            weights: Any = range(n)
            _require_near(rows, weights, (0,), range(p), 0.5)


def test_a_row_that_is_separated_is_not_among_those_near_exact_weights() -> None:
    """Column 1 is that of the separated row alone, and one that no row left has."""
    rows = Rows(np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]]))
    right = ConeProof(3, ({1: 1},), (0, 1), {0: 1, 1: 1}, 0.5, (0,), ({1: 1},))
    assert verify(rows, right)
    with refused("a row has a weight, and a direction separates it"):
        verify(rows, replace(right, weights={0: 1, 1: 1, 2: 1}))
