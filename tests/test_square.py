"""Systems with columns that are eliminated first: the solutions and ranks are those of FLINT, from both sides."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction

import numpy as np
import pytest
from flint import fmpz_mat
from hypothesis import given, settings
from hypothesis import strategies as st

from linsep import separability
from linsep.theory.rows.signed import SignedRows
from linsep.theory.rows.span import IntegerRows, Span
from linsep.theory.rows.square import Square

KINDS = ("levels", "two factors", "sparse", "dense", "long levels")


def drawn(seed: int, n: int, m: int, kind: str) -> np.ndarray:
    """An n x m table of Python integers: columns of levels beside others, or entries here and there."""
    rng = np.random.default_rng(seed)
    table = rng.integers(-(2**40), 2**40, (n, m)).astype(object)
    if kind == "sparse":
        return table * (rng.random((n, m)) < 0.3)
    for start, width in {
        "levels": [(0, m // 2)],
        "long levels": [(0, m // 2)],
        "two factors": [(0, m // 3), (m // 3, m // 3)],
    }.get(kind, []):
        if width:
            level = np.eye(width, dtype=int)[rng.integers(0, width, n)].astype(object)
            sizes = 2 ** rng.integers(0, 9, n).astype(object) if kind != "long levels" else rng.integers(1, 2**20, n)
            table[:, start : start + width] = level * (sizes * rng.choice([-1, 1], n))[:, None]
    order = rng.permutation(m)
    return table[:, order]


def square(table: np.ndarray) -> Square:
    return Square([[int(v) for v in row] for row in table.tolist()], table != 0)


def fractions(numerators: list[int], q: int) -> list[Fraction]:
    assert q > 0
    return [Fraction(v, q) for v in numerators]


def of_flint(A: fmpz_mat, b: list[int]) -> list[Fraction]:
    return [Fraction(int(v.p), int(v.q)) for v in A.solve(fmpz_mat([[v] for v in b])).entries()]


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 14), st.sampled_from(KINDS), st.booleans())
def test_solutions_are_those_of_flint(seed: int, n: int, kind: str, short: bool) -> None:
    table = drawn(seed, n, n, kind)
    A, rng = fmpz_mat(table.tolist()), np.random.default_rng(seed)
    wanted = rng.integers(-3, 4, (2, n)).tolist() if short else rng.integers(-(2**60), 2**60, (2, n)).tolist()
    S = square(table)
    if A.det() == 0:  # what the pivots alone bring about is found all the same
        with suppress(ZeroDivisionError):
            x, q = S.rows_to(wanted[0])
            assert (np.array(x, object) @ table).tolist() == [q * v for v in wanted[0]] and q > 0
        with suppress(ZeroDivisionError):
            found, q = S.columns_to(wanted)
            assert (table @ np.array(found, object).T).T.tolist() == [[q * v for v in b] for b in wanted] and q > 0
        return
    found, q = S.columns_to(wanted)
    assert [fractions(x, q) for x in found] == [of_flint(A, b) for b in wanted]
    assert fractions(*S.rows_to(wanted[0])) == of_flint(A.transpose(), wanted[0])


def test_a_singular_matrix_is_refused_where_all_of_it_is_asked() -> None:
    S = square(np.ones((3, 3), dtype=object))
    for solve in (lambda: S.columns_to([[1, 2, 3]]), lambda: S.rows_to([1, 2, 3])):
        with pytest.raises(ZeroDivisionError):
            solve()


def test_levels_go_before_the_others_are_solved() -> None:
    levels = np.eye(6, dtype=int)[[0, 1, 2, 3, 4, 5, 0, 1, 2, 3]]
    numbers = np.random.default_rng(0).integers(-9, 10, (10, 4))
    S = square(np.column_stack([levels, numbers]).astype(object))
    assert (S.core.nrows(), sorted(c for _, c in S.pivots)) == (4, [0, 1, 2, 3, 4, 5])
    # Of entries without a short quotient the rows would grow too long.
    long = square(np.column_stack([levels * (2**20 + np.arange(10))[:, None], numbers]).astype(object))
    assert sorted(c for _, c in long.pivots) == [4, 5]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([True, False]))
def test_null_vectors_of_levels_and_what_is_in_their_span(seed: int, constant: bool) -> None:
    rng = np.random.default_rng(seed)
    levels = np.eye(4)[rng.integers(0, 4, 30)]
    X = np.column_stack([levels, rng.normal(size=(30, 3)), levels.sum(axis=1)])
    rows = SignedRows(X, rng.choice([-1, 1], 30), constant=constant)
    span = Span(rows, [int(i) for i in _independent(IntegerRows(rows, range(30)).entries)])
    Z = fmpz_mat(IntegerRows(rows, range(30)).entries)
    for vector in span.null_vectors():
        scaled = [vector.get(j, 0) * 2 ** int(e) for j, e in enumerate(rows.column_exps)]
        assert not any(map(int, (Z * fmpz_mat([[v] for v in scaled])).entries()))
    normal = span.normal(list(range(1, len(span.others) + 1)))
    assert not any(map(int, (Z * fmpz_mat([[v] for v in normal])).entries()))
    assert span.inside(np.ones(30, dtype=bool)).all()


def _independent(entries: list[list[int]]) -> list[int]:
    found: list[int] = []
    for i in range(len(entries)):
        if fmpz_mat([entries[k] for k in (*found, i)]).rank() > len(found):
            found.append(i)
    return found


@pytest.mark.parametrize("seed", range(5))
def test_levels_beside_numbers_are_proved(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = np.column_stack([np.eye(12)[rng.integers(0, 12, 80)], rng.standard_normal((80, 13))])
    y = (X @ rng.standard_normal(25) > 0).astype(int)
    y = np.where(rng.random(80) < 0.3, 1 - y, y)
    found = separability(X, y)
    assert found.verdict in ("inseparable", "quasi-separable")
    s = 2 * y - 1
    for part in (found.witness, found.overlap):
        assert part is not None
        weights = {i: int(w) for i, w in part.as_dict().items()}
        for column in [*X.T.tolist(), [1.0] * 80]:
            assert sum((Fraction(column[i]) * int(s[i]) * w for i, w in weights.items()), Fraction()) == 0
