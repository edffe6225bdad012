"""The verifier: right certificates pass, altered ones do not, and signs are exact whatever the numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from linsep.theory.verify import separability
from linsep.theory.verify.separability import (
    CertificateError,
    orthogonal_together,
    rank_is_at_least,
    value_signs,
    verify_directions,
    verify_overlap,
    verify_witness,
)

SQUARE = np.array([[0, 0], [1, 1], [0, 1], [1, 0]])
XOR = np.array([0, 0, 1, 1])
doubles = st.floats(allow_nan=False, allow_infinity=False, width=64)


def exact_sign(row: list[Any], w: list[Any], b: Any) -> int:
    total = sum((Fraction(u) * Fraction(v) for u, v in zip(row, w, strict=True)), Fraction(b))
    return (total > 0) - (total < 0)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(doubles, doubles), min_size=1, max_size=5), doubles, doubles, doubles)
def test_signs_of_any_doubles(rows: list[tuple[float, float]], u: float, v: float, b: float) -> None:
    expected = [exact_sign(list(row), [u, v], b) for row in rows]
    X = np.array(rows)
    assert value_signs(X, np.array([u, v]), b).tolist() == expected
    assert value_signs(X.astype(object), np.array([u, v]), b).tolist() == expected
    assert value_signs(scipy.sparse.csr_matrix(X), np.array([u, v]), b).tolist() == expected


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(doubles, doubles, doubles, *[st.integers(-2, 2)] * 5), min_size=1, max_size=5), doubles)
def test_signs_where_few_columns_have_a_weight(rows: list[tuple[float, ...]], b: float) -> None:
    X = np.array(rows)
    w = [0.0, 0.0, 3.0, *[0.0] * 5]
    table: Any = scipy.sparse.csr_matrix(X)
    for form in (X, table, table.tocsc()):
        for added in (0, b):
            expected = [exact_sign(list(row), w, added) for row in X.tolist()]
            assert value_signs(form, np.array(w), added).tolist() == expected


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-(2**70), 2**70), st.integers(-3, 3)), min_size=1, max_size=5),
    st.integers(-(2**1200), 2**1200),
    st.integers(-(2**70), 2**70),
)
def test_signs_of_any_integers(rows: list[tuple[int, int]], u: int, b: int) -> None:
    X = np.array(rows, dtype=object)
    w = np.array([u, -(2**66)], dtype=object)
    assert value_signs(X, w, b).tolist() == [exact_sign(list(row), w.tolist(), b) for row in rows]


near = st.builds(
    lambda whole, part: whole + Fraction(part, 7), st.integers(-3, 3).map(lambda k: k * 2**25), st.integers(-9, 9)
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(near, near), min_size=1, max_size=4), near, near, st.integers(-1, 1))
def test_signs_of_fractions_that_nearly_cancel(
    rows: list[tuple[Fraction, Fraction]], u: Fraction, v: Fraction, k: int
) -> None:
    b = Fraction(k, 10**9) - rows[0][0] * u - rows[0][1] * v
    w = np.array([u, v], dtype=object)
    expected = [exact_sign(list(row), [u, v], b) for row in rows]
    assert expected[0] == k
    assert value_signs(np.array(rows, dtype=object), w, b).tolist() == expected


@pytest.mark.parametrize("x", [0.1, 1e-308, 1e300, 5e-324])
def test_one_unit_in_the_last_place_is_seen(x: float) -> None:
    above, below = np.nextafter(x, np.inf), np.nextafter(x, -np.inf)
    X = np.array([[above], [x], [below]])
    assert value_signs(X, np.array([1.0]), -x).tolist() == [1, 0, -1]


def test_integers_beyond_two_to_the_53_are_not_rounded() -> None:
    X = np.array([[2**53 + 1], [2**53]])
    assert value_signs(X, np.array([1]), -(2**53)).tolist() == [1, 0]


def test_a_hyperplane_must_have_every_row_strictly_on_its_side() -> None:
    X, y = np.array([[0.0], [1.0], [3.0]]), np.array(["a", "a", "b"])
    verify_directions(X, y, [(np.array([1.0]), -2.0)])
    with pytest.raises(CertificateError, match="1 rows have margin 0"):
        verify_directions(X, y, [(np.array([1.0]), -1.0)])
    with pytest.raises(CertificateError, match="direction 0 has a negative margin at row 0"):
        verify_directions(X, y, [(np.array([-1.0]), 2.0)])
    with pytest.raises(CertificateError, match="two classes"):
        verify_directions(X, np.array([1, 1, 1]), [(np.array([1.0]), 5.0)])


def test_directions_in_turn_name_the_rows_left() -> None:
    X, y = np.array([[0], [1], [1], [3]]), np.array([0, 0, 1, 1])
    verify_directions(X, y, [(np.array([1]), -1)], [1, 2])
    for rows in ([1], [0, 1, 2], []):
        with pytest.raises(CertificateError, match="not the rows named"):
            verify_directions(X, y, [(np.array([1]), -1)], rows)
    with pytest.raises(CertificateError, match="negative margin at row 1"):
        verify_directions(X, y, [(np.array([2]), -1)], [])
    with pytest.raises(CertificateError, match="direction 0 separates none of the 4 rows left"):
        verify_directions(X, y, [(np.array([0]), 0)], [0, 1, 2, 3])
    X, y = np.array([[2, 5], [0, 1], [0, -1]]), np.array([1, 1, 0])
    first, second = (np.array([1, 0]), 0), (np.array([0, 1]), 0)
    verify_directions(X, y, [first, second])
    with pytest.raises(CertificateError, match="direction 0 has a negative margin at row 0"):
        verify_directions(X, y, [(np.array([-1, 0]), 0), second])


def test_a_witness_and_what_is_none() -> None:
    weights = {0: 1, 1: 1, 2: 1, 3: 1}
    verify_witness(SQUARE, XOR, weights)
    verify_witness(SQUARE * 0.1, XOR, {i: 7 * k for i, k in weights.items()})
    verify_witness(scipy.sparse.csr_matrix(SQUARE), XOR, weights)
    for k in range(4):
        with pytest.raises(CertificateError, match="do not add up"):
            verify_witness(SQUARE, XOR, weights | {k: 2})
        X = SQUARE * 0.1
        X[k, 0] = np.nextafter(X[k, 0], 1)
        with pytest.raises(CertificateError, match="column 0"):
            verify_witness(X, XOR, weights)
    with pytest.raises(CertificateError, match="column 2"):  # x adds up, the constant does not
        verify_witness(np.zeros((3, 2)), np.array([0, 1, 1]), {0: 1, 1: 1, 2: 1})
    verify_witness(np.zeros((3, 2)), np.array([0, 1, 1]), {0: 1, 1: 1, 2: 1}, fit_intercept=False)


@pytest.mark.parametrize("weights", [{}, {0: 0, 1: 0}, {0: -1, 1: -1}, {0: 1.0, 1: 1.0, 2: 1.0, 3: 1.0}, {0: True}])
def test_weights_must_be_positive_integers(weights: dict[int, Any]) -> None:
    with pytest.raises(CertificateError, match="weights must be"):
        verify_witness(SQUARE, XOR, weights)


@pytest.mark.parametrize("rows", [[0, 1, 2, 4], [-4, 1, 2, 3]])
def test_rows_must_exist(rows: list[int]) -> None:
    with pytest.raises(CertificateError, match=r"rows must lie in 0\.\.3"):
        verify_witness(SQUARE, XOR, dict.fromkeys(rows, 1))


def test_an_overlap_must_span_every_row() -> None:
    weights, every = {0: 1, 1: 1, 2: 1, 3: 1}, range(4)
    verify_overlap(SQUARE, XOR, weights, [], every)
    far = np.vstack([np.column_stack([SQUARE, np.zeros(4, int)]), [[0, 0, 5]]])
    y = np.append(XOR, 1)
    verify_witness(far, y, weights)
    with pytest.raises(CertificateError, match="do not span"):
        verify_overlap(far, y, weights, [], range(5))
    with pytest.raises(CertificateError, match="null vector 0 is not orthogonal"):
        verify_overlap(far, y, weights, [{2: 1}], range(5))
    verify_overlap(far, y, weights, [], every)  # among the first four alone they do: column 2 is 0 on those
    with pytest.raises(CertificateError, match="rows that a direction separates"):
        verify_overlap(far, y, weights, [], range(3))
    verify_overlap(scipy.sparse.csr_matrix(far), y, weights, [], every)


def test_dependent_columns_need_their_null_vectors() -> None:
    X = np.column_stack([SQUARE, SQUARE[:, 0] * 0.75, np.zeros(4)])
    null, weights = [{0: -3, 2: 4}], {0: 1, 1: 1, 2: 1, 3: 1}
    verify_overlap(X, XOR, weights, null, range(4))
    with pytest.raises(CertificateError, match="do not span"):
        verify_overlap(X, XOR, weights, [], range(4))
    for wrong in ([null[0], null[0]], [{1: 0}], [{7: 1}], [{3: 1}]):
        with pytest.raises(CertificateError, match="a column without entries, or none of its own"):
            verify_overlap(X, XOR, weights, wrong, range(4))
    with pytest.raises(CertificateError, match="null vector 0 is not orthogonal"):
        verify_overlap(X, XOR, weights, [{0: -3, 2: 4, 4: 1}], range(4))


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([6, 60]), st.integers(1, 900), st.integers(1, 60), st.booleans())
def test_long_weights_and_rows_that_cancel(seed: int, n: int, bits: int, size: int, floats: bool) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(-(2**size), 2**size, (n, 3)) if size < 60 else rng.integers(-9, 9, (n, 3))
    rows: Any = np.ldexp(X.astype(np.float64), rng.integers(-60, 60, 3)) if floats else X
    w = [int.from_bytes(rng.bytes(bits // 8 + 1)) - 2**bits for _ in range(3)]
    b = -sum((Fraction(v) * u for v, u in zip(rows[0].tolist(), w, strict=True)), Fraction(0))
    weights = np.array([Fraction(v) for v in w], dtype=object)
    for shift in (Fraction(0), Fraction(1, 2**90), -Fraction(1, 2**90)):
        expected = [exact_sign(row, w, b + shift) for row in rows.tolist()]
        assert value_signs(rows, weights, b + shift).tolist() == expected
        assert value_signs(scipy.sparse.csr_matrix(rows), weights, b + shift).tolist() == expected


# ------------------------------------------------------------------------------------------------------------- rank
@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 20), p=st.integers(1, 20), filled=st.floats(0.05, 0.5))
def test_the_rank_of_sparse_rows_is_that_of_the_dense_ones(seed: int, n: int, p: int, filled: float) -> None:
    rng = np.random.default_rng(seed)
    table = rng.integers(-2, 3, (n, p)) * (rng.random((n, p)) < filled) / 4
    table[-1] = table[0]  # dependent rows
    sparse = scipy.sparse.csr_matrix(table)
    exact = next(k for k in range(min(n, p), -1, -1) if rank_is_at_least(table, k))
    assert [rank_is_at_least(sparse, k) for k in range(min(n, p) + 2)] == [k <= exact for k in range(min(n, p) + 2)]


def test_long_weights_of_many_sparse_rows_add_up_without_a_dense_table() -> None:
    rng = np.random.default_rng(0)
    table: Any = scipy.sparse.random(3_000, 2_000, 0.002, format="csr", random_state=rng)
    table.data = rng.integers(-9, 10, table.nnz) / 8
    weights = np.array([int(v) << 200 | 1 for v in rng.integers(1, 2**40, 3_000)], dtype=object)
    dense = (8 * table.toarray()).astype(int).astype(object)
    sums = (dense * weights[:, None]).sum(axis=0)
    assert value_signs(table.T.tocsr(), weights).tolist() == [(v > 0) - (v < 0) for v in sums]


def test_rows_of_a_million_entries_are_summed_in_digits_and_together(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = 0

    def counted(A: Any, w: list[int]) -> Any:
        nonlocal calls
        calls += 1
        return whole(A, w)

    def one_by_one(A: Any) -> Any:
        raise AssertionError(f"{A.shape[0]} rows are summed in Python's integers")

    whole = separability._whole_signs
    monkeypatch.setattr(separability, "_whole_signs", counted)
    monkeypatch.setattr(separability, "_rows", one_by_one)
    n = 1_200_000
    rows = np.ones((3, n))
    rows[:, 1::2] = -1.0
    rows[1, 0] += 2.0**-30
    rows[2, 0] -= 2.0**-30
    weights = np.repeat(np.random.default_rng(0).integers(2**60, 2**62, n // 2), 2)  # each pair adds up to 0
    assert value_signs(scipy.sparse.csr_matrix(rows), weights).tolist() == [0, 1, -1]
    assert calls == 1


def test_many_null_vectors_are_not_written_out_in_full() -> None:
    """Vectors of two entries on a thousand columns each: a product of all of them would hold a million numbers."""
    X = np.eye(4)[np.arange(400) % 4].T
    null = [{j: 1, j % 4: -1} for j in range(4, 400)]
    assert not orthogonal_together(X, null)
    assert orthogonal_together(X, null[:20])
    assert not orthogonal_together(X, [{4: 1, 0: 1}, *null[:20]])
