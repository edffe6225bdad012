"""The search of the cone: what its shortcuts say is what all rows say, whatever form the table has."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from exact_cone import reaches
from linsep.theory.cone import search
from linsep.theory.cone.search import solve_cone
from linsep.types import Array


def drawn(rng: np.random.Generator, n: int, p: int, kind: str) -> Array:
    Z = rng.integers(-2, 3, (n, p)).astype(float)
    if kind == "missing":  # a number that stands for "missing", and a prime
        Z[rng.random((n, p)) < 0.3] = 2.0**31 - 1
    elif kind == "far":
        Z = np.ldexp(Z, rng.integers(-600, 600, p))
    elif kind == "dependent":
        Z[:, -1] = Z[:, 0] + 2 * Z[:, 1]
    return Z


@given(
    st.integers(0, 10**6),
    st.integers(2, 9),
    st.integers(2, 4),
    st.sampled_from(["whole", "missing", "far", "dependent"]),
    st.booleans(),
)
def test_a_row_is_separated_just_where_its_opposite_is_no_sum_of_rows(
    seed: int, n: int, p: int, kind: str, sparse: bool
) -> None:
    rng = np.random.default_rng(seed)
    Z, equal = drawn(rng, n, p, kind), rng.random(n) < 0.2
    table: Any = sp.csr_matrix(Z) if sparse else Z
    end = solve_cone(table, np.ones(n), constant=False, equal=equal)
    rows = [[int(v) << 1200 if float(v).is_integer() else int(v * 2.0**1000) << 200 for v in z] for z in Z.tolist()]
    both = rows + [[-v for v in z] for z, e in zip(rows, equal.tolist(), strict=True) if e]
    # z.d = 0 throughout the cone just where -z is in the cone of all rows (Farkas).
    for z, e, taken in zip(rows, equal.tolist(), end.separated.tolist(), strict=True):
        assert taken == (not e and not reaches(both, [-v for v in z]))


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("dependent", [0, 1, 9])
def test_a_sample_says_what_all_rows_say(sparse: bool, dependent: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60_000, 3)).round(2)
    X = np.column_stack([X, *[X[:, 0]] * dependent])
    s = np.where(rng.logistic(size=60_000) < X[:, 0], 1.0, -1.0)
    table: Any = sp.csr_matrix(X) if sparse else X
    few = solve_cone(table, s, constant=True)
    monkeypatch.setattr(search, "_MANY", 10**9)
    every = solve_cone(table, s, constant=True)
    assert few.rows_left.tolist() == every.rows_left.tolist() == list(range(60_000))
    assert len(few.basis) == len(every.basis) == 4
    assert few.witness is not None
    for column in [*X.T.tolist(), [1.0] * len(X)]:
        assert not sum(Fraction(column[i]) * int(s[i]) * w for i, w in few.witness.items())


def test_columns_in_any_order_are_read_right() -> None:
    rng = np.random.default_rng(0)
    X = sp.csr_matrix(rng.integers(-2, 3, (60, 20)) * (rng.random((60, 20)) < 0.3) * 1.0)
    s = rng.choice([-1.0, 1.0], 60)
    starts, columns, values = X.indptr, X.indices.copy(), X.data.copy()
    for a, b in pairwise(starts):
        columns[a:b], values[a:b] = columns[a:b][::-1], values[a:b][::-1]
    turned = sp.csr_matrix((values, columns, starts), shape=X.shape)
    one, other = (solve_cone(table, s, constant=True) for table in (X, turned))
    assert one.rows_left.tolist() == other.rows_left.tolist()
    assert (one.witness, one.overlap) == (other.witness, other.overlap)
