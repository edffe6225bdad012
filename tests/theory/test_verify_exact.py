"""Signs and ranks, part by part: where rounding leaves a sign open, and which way each table goes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from fractions import Fraction
from itertools import product
from math import isqrt
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
import scipy.sparse as sp
from flint import fmpz_mat, nmod_mat

from exact_cone import rank
from linsep.theory.verify import exact
from linsep.theory.verify.exact import (
    _digit_signs,
    _eliminated,
    _rank_modulo,
    _rounded_signs,
    holds_doubles,
    rank_is,
    value_signs,
)

FORMS: tuple[Callable[[Any], Any], ...] = (np.asarray, sp.csr_matrix)
Q = 2**31 - 1


def signs(rows: Any, w: list[int], b: int = 0) -> list[int]:
    sums = [
        sum((Fraction(u) * v for u, v in zip(row, w, strict=True)), Fraction(b)) for row in np.asarray(rows).tolist()
    ]
    return [(v > 0) - (v < 0) for v in sums]


@contextmanager
def without(*names: str) -> Iterator[None]:
    """No call of these parts is allowed."""
    with ExitStack() as stack:
        for name in names:
            stack.enter_context(patch.object(exact, name, None))
        yield


# ---------------------------------------------------------------- what doubles hold
def test_doubles_hold_integers_up_to_two_to_the_53() -> None:
    for form in FORMS:
        for kind, least, most in ((np.int64, -(2**53), 2**53), (np.uint64, 0, 2**53), (np.int32, -(2**31), 2**31 - 1)):
            assert holds_doubles(form(np.array([[least, most]], dtype=kind)))
        for far in (2**53 + 1, -(2**53) - 1):
            assert not holds_doubles(form(np.array([[0, far]])))
        assert not holds_doubles(form(np.array([[2**64 - 1, 0]], dtype=np.uint64)))
        assert holds_doubles(form(np.array([[1e300]]))) and holds_doubles(form(np.array([[1e30]], dtype=np.float32)))
        assert not holds_doubles(form(np.array([[1.0]], dtype=np.longdouble)))
        assert holds_doubles(form(np.zeros((0, 2), dtype=np.int64)))
    assert not holds_doubles(np.array([[1]], dtype=object))
    assert not holds_doubles(np.array([[True]]))


# --------------------------------------------------------------- signs by rounding
def test_a_sum_beyond_the_bound_on_its_error_has_a_sign() -> None:
    """Eight numbers of sizes 2^61 together: the error is at most 16 * 2^-52 of that, 2^13."""
    for form, u, v in product(FORMS, (1, -1), (1, -1)):
        for more, sure in ((2**12, False), (2**12 + 2**8, True)):
            large, small = 2**60 + more, 2**60 - more
            of_two = form(np.array([[u, -v] + [0] * 5], dtype=np.float64))
            with_b = form(np.array([[u] + [0] * 6], dtype=np.float64))
            for A, w, b in ((of_two, [u * large, v * small], 0), (with_b, [u * v * large], -v * small)):
                found, unsure = _rounded_signs(A, w + [0] * (7 - len(w)), b)
                sign = 1 if A is of_two else v
                assert (found.tolist(), unsure.tolist()) == ([sign * sure], [not sure])
    for form in FORMS:
        assert value_signs(form([[1.0, -1.0]]), [2**60 + 1, 2**60]).tolist() == [1]


def test_no_sum_that_may_overflow_or_underflow_has_a_sign() -> None:
    def is_sure(x: float, *w: int, b: int = 0) -> bool:
        A = np.zeros((1, len(w)))
        A[0, 0] = x
        found = [(_rounded_signs(form(A), list(w), b), value_signs(form(A), list(w), b)) for form in FORMS]
        assert all(of_all.tolist() == signs(A, list(w), b) for _, of_all in found)
        assert all(found.tolist() == [0] for (found, unsure), _ in found if unsure[0])
        (one,), (other,) = (unsure.tolist() for (_, unsure), _ in found)
        assert one == other
        return not one

    assert is_sure(2.0**500, 2**499) and not is_sure(2.0**501, 2**499)
    assert is_sure(2.0**500, 2**500) and not is_sure(2.0**501, 2**500)  # the weight is halved
    assert not is_sure(1e300, 1, 2**2000)  # the weight becomes 0
    assert not is_sure(-1e300, 1, 2**2000)
    assert not is_sure(2.0**-1000, 2**60) and not is_sure(2.0**-1000, -(2**60))  # a number near those that underflow
    assert not is_sure(2.0**-1000, 2**60, -(2**60))
    assert is_sure(2.0**-800, 2**60)
    assert is_sure(1.0, 3, b=-(2**1100)) and is_sure(1.0, -(2**1100), b=3)


def test_sums_of_small_integers_are_exact() -> None:
    for form in FORMS:
        for w, sure in (([2**51 - 1, -(2**51) + 1], True), ([2**51, -(2**51)], False)):
            found, unsure = _rounded_signs(form(np.array([[1.0, 1.0]])), w, 0)
            assert (found.tolist(), unsure.tolist()) == ([0], [not sure])
        assert not _rounded_signs(form(np.array([[3, 1]])), [1, -3], 0)[1][0]
        assert _rounded_signs(form(np.array([[1.5, 1.0]])), [2, -3], 0)[1][0]
        # Beside a long weight others are fractions that are rounded.
        long = form(np.array([[1.0, -1.0, 0.0]]))
        assert _rounded_signs(long, [2**60 + 1, 2**60, 2**600], 0)[1][0]
        assert value_signs(long, [2**60 + 1, 2**60, 2**600]).tolist() == [1]


def test_an_empty_sparse_row_is_0() -> None:
    A = sp.csr_matrix(np.array([[0.0, 0.0], [1.5, 0.0], [0.0, -1.5]]))
    found, unsure = _rounded_signs(A, [0, 2**2000], 0)
    assert (found.tolist(), unsure.tolist()) == ([0, 0, -1], [False, True, False])
    assert value_signs(A, [0, 2**2000], 1).tolist() == [1, 1, -1]  # 1 is nothing beside 2^2000, and something alone
    assert value_signs(A, [0, 2**2000], -1).tolist() == [-1, -1, -1]


def test_rows_are_looked_at_in_parts() -> None:
    parts: list[tuple[int, int]] = []

    def seen(A: Any, w: Any, b: int) -> Any:
        parts.append(A.shape)
        assert A.dtype == np.float64
        return _rounded_signs(A, w, b)

    full: Any = np.arange(1, 31).reshape(10, 3)
    thin: Any = sp.csr_matrix(np.eye(10, 30))
    A: Any
    for A, step in ((full, [4, 4, 2]), (sp.csr_matrix(full), [4, 4, 2]), (full[:4], [4]), (thin, [10])):
        for w, b in (([1, -2, 1], 0), ([5, 0, 0], -40), ([0, 0, 1], -(2**1100))):
            parts.clear()
            long = w * (A.shape[1] // 3)
            with patch.object(exact, "_ENTRIES", 12), patch.object(exact, "_rounded_signs", seen):
                assert value_signs(A, long, b).tolist() == signs(A.toarray() if exact.is_sparse(A) else A, long, b)
            assert [n for n, _ in parts] == step
    with patch.object(exact, "_ENTRIES", 28), patch.object(exact, "_rounded_signs", seen):
        parts.clear()
        assert value_signs(full, [1, -2, 1]).tolist() == [0] * 10
        assert [n for n, _ in parts] == [10]
    with patch.object(exact, "_ENTRIES", 1), patch.object(exact, "_rounded_signs", seen):
        for A, step in ((np.ones((30, 40)), [4] * 7 + [2]), (sp.csr_matrix((5, 2)), [5]), (np.ones((3, 1)), [3])):
            parts.clear()
            value_signs(A, [1] * A.shape[1])
            assert [n for n, _ in parts] == step
    assert value_signs(np.zeros((0, 2)), [1, 1]).tolist() == []
    with without("_whole_signs"):
        assert value_signs(full, [1, 2, 3]).tolist() == [1] * 10


def test_what_rounding_leaves_open_is_all_that_is_done_in_integers() -> None:
    """One row of two is sure: the other alone goes on."""
    A = np.array([[1.0, 1.0], [1.0, -1.0]])
    w = [2**60 + 1, 2**60]
    for form in FORMS:
        with patch.object(exact, "_digit_signs", side_effect=lambda B, w: B.shape == (1, 3) and _digit_signs(B, w)):
            assert value_signs(form(A), w).tolist() == [1, 1]


# ----------------------------------------------------------------- signs by integers
def test_fractions_and_long_integers_have_the_signs_of_their_sums() -> None:
    rows = np.array([[Fraction(1, 3), Fraction(1, 6)], [10**400, 1], [Fraction(1, 3), Fraction(-1, 7)], [0, 0]], object)
    for w, b in (([1, -2], 0), ([-1, 10**400], 0), ([3, 0], -1), ([3, 7], 0), ([-3, 0], 1), ([6, 6], -3), ([6, 6], -2)):
        assert value_signs(rows, w, b).tolist() == signs(rows, w, b)
    for w in ([1, 1], [-1, -1], [2, -3]):
        long = np.array([[2**60 + 1, 2**60], [3 * 2**58 + 3, 2**59 + 2], [0, 7]])
        for form in FORMS:
            assert value_signs(form(long), w, -1).tolist() == signs(long, w, -1)


def digits(A: Any, w: list[int]) -> list[int] | None:
    """By digits, dense and sparse."""
    found, other = (None if signs is None else signs.tolist() for signs in (_digit_signs(form(A), w) for form in FORMS))
    assert found == other
    return found


def test_digits_of_doubles_of_any_size_add_up_to_the_sign() -> None:
    rng = np.random.default_rng(5)
    for _ in range(60):
        n, p = rng.integers(1, 5, 2)
        A = np.ldexp(rng.integers(-3, 4, (n, p)).astype(float), rng.integers(-60, 60, p) + rng.integers(-30, 30))
        A *= 1 + rng.integers(0, 2, (n, p)) * 2.0**-52
        A = np.vstack([A, A[:1] * 2.0**-20, -A[:1]])
        w = [int(v) << int(k) for v, k in zip(rng.integers(-9, 10, p), rng.integers(0, 90, p), strict=True)]
        if p > 1 and A[0, 1]:
            ratio = -Fraction(A[0, 0]) / Fraction(A[0, 1])
            w[:2] = [ratio.denominator, ratio.numerator]
        for shift in (0, 1, -1):
            w[0] += shift
            assert digits(A, w) == signs(A, w)
    assert digits(np.array([[1.0, 0.0], [-(2.0**100), 1.0]]), [1, 2**50]) == [1, -1]
    assert digits(np.array([[2.0**100, 0.0], [1.0, -1.0]]), [1, 1]) == [1, 0]
    # Sums of 1, 0 and -1 times 2^16, and of 2^32, which ends beyond the last digit.
    for k in range(-2, 3):
        assert digits(np.array([[1.0, 1.0]]), [2**16, k - 2**16]) == [(k > 0) - (k < 0)]
    assert digits(np.full((1, 8), 0.5), [2**14] * 8) == [1]
    assert digits(np.full((2, 8), [[0.5], [-0.5]]), [2**14] * 8) == [1, -1]
    assert digits(np.full((1, 9), 0.5), [2**14] * 8 + [-(2**17)]) == [0]


def test_digits_are_left_to_others_where_they_are_too_many() -> None:
    assert digits(np.array([[1.0], [2.0**-959]]), [1]) == [1, 1]
    assert digits(np.array([[1.0], [2.0**-960]]), [1]) is None
    lost = np.array([[2.0**1000], [2.0**-1074], [-(2.0**-1074)]])
    assert digits(lost, [1]) is None
    for form in FORMS:
        assert value_signs(form(lost), [2**900]).tolist() == [1, 1, -1]
    for most, w, fits in ((4, 1, True), (3, 1, False), (4, 2**14, True), (4, 2**15 - 1, True), (4, 2**15, False)):
        with patch.object(exact, "_MOST_DIGITS", most):
            assert (digits(np.array([[0.5]]), [w]) is not None) == fits
    with patch.object(exact, "_MOST_DIGITS", 5):
        assert digits(np.array([[0.5]]), [2**16]) is None
    with patch.object(exact, "_MOST_DIGITS", 6):
        assert digits(np.array([[0.5]]), [2**16]) == [1]
        assert digits(np.array([[0.5], [0.5]]), [1]) == [1, 1]
        assert digits(np.array([[0.5], [0.5]]), [2**16]) is None


def test_digits_stand_for_rows_up_to_a_length() -> None:
    full, thin = np.array([[1.0, 1.0, 1.0]]), sp.csr_matrix(np.array([[1.0, 0, 1.0], [0, 1.0, 0]]))
    for longest, found in (({True: 2, False: 3}, True), ({True: 1, False: 2}, False)):
        with patch.object(exact, "_LONGEST", longest):
            assert (_digit_signs(full, [1, 1, 1]) is not None) == found
            assert (_digit_signs(thin, [1, 1, 1]) is not None) == found
    with patch.object(exact, "_LONGEST", {True: 0, False: 0}):
        assert not np.any(_digit_signs(sp.csr_matrix((2, 2)), [1, 1]))
    with patch.object(exact, "_LONGEST", {True: 0, False: 9}), without("lcm"):
        assert value_signs(np.array([[1.0, -1.0]]), [2**60 + 1, 2**60]).tolist() == [1]
    with patch.object(exact, "_LONGEST", {True: 9, False: 0}), without("lcm"):
        assert value_signs(sp.csr_matrix([[1.0, -1.0]]), [2**60 + 1, 2**60]).tolist() == [1]


def test_the_limits_keep_what_they_promise() -> None:
    assert all(q < 2**31 and all(q % k for k in range(2, isqrt(q) + 1)) for q in exact._PRIMES)
    assert len(set(exact._PRIMES)) == 3
    largest = (2**16 - 1) ** 2
    assert 62 * largest * exact._LONGEST[True] < 2**63 and largest * exact._LONGEST[False] < 2**53


# ------------------------------------------------------------------------------ ranks
def test_ranks_of_all_forms_are_those_of_fractions() -> None:
    rng = np.random.default_rng(2)
    for k in range(60):
        n, p = rng.integers(1, 9, 2)
        A = rng.integers(-2, 3, (n, p)) * (rng.random((n, p)) < rng.choice([0.2, 0.5, 1.0])).astype(float)
        A[-1] = A[0] + A[n // 2]
        A = np.ldexp(A, rng.integers(-40, 40, (n, 1)) + rng.integers(-400, 400, p))
        true = rank([[Fraction(v) for v in row] for row in A.tolist()])
        thin = sp.csr_matrix(A)
        thin.data[: k % 2] = 0  # stored zeros
        A = thin.toarray()
        true = rank([[Fraction(v) for v in row] for row in A.tolist()])
        whole = np.array([[Fraction(v) for v in row] for row in A.tolist()], dtype=object).reshape(A.shape)
        for table in (A, thin, whole):
            assert _rank_modulo(table, Q) == true
    forms: tuple[Callable[[Any], Any], ...] = (*FORMS, lambda A: A.astype(object))
    for form in forms:
        one_bit = form(np.array([[1.0, 1.0], [1.0, np.nextafter(1.0, 2)]]))
        assert (_rank_modulo(one_bit, Q), rank_is(one_bit, 2), rank_is(one_bit, 3)) == (2, True, False)
        far = form(np.array([[5e-324, 1.7e308], [1.7e308, 5e-324], [0.0, 5e-324]]))
        assert (rank_is(far, 2), rank_is(far[:0], 0), rank_is(far[:, :0], 1)) == (True, True, False)
    wide = np.array([[2**53 + 1, 2**53], [2**53, 2**53], [0, 0]])
    assert [_rank_modulo(form(wide), Q) for form in FORMS] == [2, 2]
    assert rank_is(np.array([[Fraction(1, 3), Fraction(2, 3)], [Fraction(1, 2), 1]], dtype=object), 1)
    assert not rank_is(np.array([[Fraction(1, 3), Fraction(2, 3)], [Fraction(1, 2), 1]], dtype=object), 2)
    assert rank_is(np.array([[float(np.prod(exact._PRIMES[:2], dtype=float))]]), 1)
    for form in FORMS:
        assert rank_is(form(np.array([[float(Q), 0.0], [0.0, 1.0]])), 2)


def test_which_way_a_rank_goes() -> None:
    with without("lcm"):
        assert _rank_modulo(np.array([[1.0, 2.0], [2.0, 4.0]]), Q) == 1
    zeros = sp.csr_matrix(np.diag(np.arange(1.0, 41)))
    zeros.data[[3, 7]] = 0.0, float(Q)
    assert _rank_modulo(zeros, Q) == 38


@pytest.mark.parametrize("filled", [0.0, 0.1, 0.3, 10.0])
@pytest.mark.parametrize("q", [2, 3, Q])
def test_what_is_eliminated_thin_has_the_rank_of_the_dense_table(filled: float, q: int) -> None:
    rng = np.random.default_rng(4)
    for n, p, part in ((1, 1, 1.0), (12, 12, 0.1), (25, 20, 0.08), (20, 25, 0.2), (9, 9, 0.5)):
        A = rng.integers(0, q, (n, p)) * (rng.random((n, p)) < part)
        rows = [{j: v for j, v in enumerate(row) if v} for row in A.tolist()]
        true = nmod_mat(fmpz_mat(A.tolist()), q).rank()
        again = [{j: (7 * row.get(j, 0) + 2 * v) % q for j, v in rows[0].items()} | row for row in rows[1:]]
        again = [{j: v for j, v in row.items() if v} for row in again]
        table = [[row.get(j, 0) for j in range(p)] for row in (*rows, *again)]
        with patch.object(exact, "_FILLED", filled):
            assert _eliminated(list(map(dict, rows)), q) == true
            assert _eliminated([*map(dict, rows), *again], q) == nmod_mat(fmpz_mat(table), q).rank()


def test_a_thin_table_that_does_not_fill_up_is_never_dense() -> None:
    rng = np.random.default_rng(0)
    order = rng.permutation(60).tolist()
    chain = [{order[k]: 1 + k, order[k - 1]: 5} if k else {order[0]: 3} for k in range(60)]
    tables: list[list[Any]] = []

    def seen(table: list[Any]) -> Any:
        tables.append(table)
        return fmpz_mat(table)

    def rank_of(A: Any) -> int:
        return int(nmod_mat(fmpz_mat(A.tolist()), Q).rank())

    with patch.object(exact, "fmpz_mat", seen):
        with patch.object(exact, "_FILLED", 1.0):
            assert _eliminated([dict(row) for row in chain], Q) == 60
        assert tables == [[]]
        full = [{j: int(v) for j, v in enumerate(row)} for row in rng.integers(1, 99, (12, 10))]
        assert _eliminated([*map(dict, chain), *({j + 60: v for j, v in row.items()} for row in full)], Q) == 70
        assert [len(tables[1]), len(tables[1][0])] == [12, 10]
        # One row and one column are full: the others go first, and none of them fills up.
        arrow = [dict.fromkeys(range(60), 1), *({0: 1, j: j} for j in range(1, 60))]
        assert _eliminated(arrow, Q) == 60
        assert len(tables[2]) < 25
        # Of the rows with an entry the shortest goes: else more fills up.
        rng = np.random.default_rng(1)
        A = rng.integers(1, 9, (200, 200)) * (rng.random((200, 200)) < 0.015)
        assert _eliminated([{j: v for j, v in enumerate(row) if v} for row in A.tolist()], Q) == rank_of(A)
    assert len(tables[3]) < 53
