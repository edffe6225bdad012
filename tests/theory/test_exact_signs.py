"""The signs that the search uses: exact whatever the numbers are, found without the verifier."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from linsep.theory.rows.exact_signs import row_signs, vanishing

doubles = st.floats(allow_nan=False, allow_infinity=False, width=64)
whole = st.integers(-(2**200), 2**200)


def expected(rows: list[tuple[Any, ...]], d: list[int]) -> list[int]:
    sums = [sum((Fraction(v) * k for v, k in zip((*row, 1)[: len(d)], d, strict=True)), Fraction()) for row in rows]
    return [(s > 0) - (s < 0) for s in sums]


@given(st.lists(st.tuples(doubles, doubles), min_size=1, max_size=5), st.lists(whole, min_size=2, max_size=3))
def test_signs_of_any_doubles(rows: list[tuple[float, float]], d: list[int]) -> None:
    signs = expected(rows, d)
    X = np.array(rows)
    for table in (X, X.astype(object), scipy.sparse.csr_matrix(X)):
        assert row_signs(table, d).tolist() == signs
        assert vanishing(table, d).tolist() == [sign == 0 for sign in signs]


@given(
    st.lists(st.tuples(st.integers(-(2**62), 2**62), st.integers(-3, 3)), min_size=1, max_size=5),
    st.sampled_from([1, 3, -(2**61) + 1, 2**300]),
)
def test_signs_of_integers_beyond_doubles(rows: list[tuple[int, int]], u: int) -> None:
    d = [u, -u * (rows[0][0] or 1), 2]
    for table in (np.array(rows), np.array(rows, dtype=object)):
        assert row_signs(table, d).tolist() == expected(rows, d)
        assert vanishing(table, d).tolist() == [sign == 0 for sign in expected(rows, d)]


@given(st.integers(0, 2**32), st.integers(1, 5), st.integers(-60, 60))
def test_rows_that_are_0_and_rows_that_are_nearly(seed: int, p: int, power: int) -> None:
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(20, p)) * 2.0**power
    X = np.column_stack([A, -A])
    off = rng.random(20) < 0.5
    X[off, 0] = np.nextafter(X[off, 0], np.inf)
    d = [int(v) for v in rng.integers(1, 2**40, p)] * 2
    assert vanishing(X, d).tolist() == (~off).tolist()
    assert row_signs(scipy.sparse.csr_matrix(X), d).tolist() == off.astype(int).tolist()


def test_many_rows_are_asked_in_slices() -> None:
    X = np.ones((30_000, 200))
    X[::7, 1] = 0.0
    d = [1, -1] + [0] * 198
    zero = np.arange(30_000) % 7 != 0
    assert np.array_equal(vanishing(X, d), zero)
    assert np.array_equal(row_signs(X, d), (~zero).astype(int))
