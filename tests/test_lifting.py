"""Systems solved by digits modulo a prime: the answers are those of FLINT, and the clock is seen between digits."""

from __future__ import annotations

import numpy as np
import pytest
from flint import fmpz_mat
from hypothesis import given
from hypothesis import strategies as st

from linsep import separability
from linsep.theory.rows import integers, lifting
from linsep.theory.rows.deadline import Deadline, OutOfTimeError
from linsep.theory.rows.integers import solve
from linsep.theory.rows.lifting import common_fractions, lifted_solution

LATE = Deadline(1e300)


def drawn(seed: int, n: int, m: int, bits: int) -> tuple[fmpz_mat, fmpz_mat]:
    rng = np.random.default_rng(seed)
    A, B = (rng.integers(-(2**20), 2**20, (n, k)).tolist() for k in (n, m))
    up = max(0, bits - 20)
    return fmpz_mat([[v << (up * (i % 2)) for i, v in enumerate(row)] for row in A]), fmpz_mat(B)


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 3), st.integers(1, 200))
def test_the_answer_is_that_of_flint(seed: int, n: int, m: int, bits: int) -> None:
    A, B = drawn(seed, n, m, bits)
    if A.det() == 0:
        return
    assert lifted_solution(A, B, LATE) == solve(A, B)


@given(st.lists(st.tuples(st.integers(-(10**8), 10**8), st.integers(1, 10**3)), min_size=1, max_size=5))
def test_fractions_are_found_from_their_residues(pairs: list[tuple[int, int]]) -> None:
    base = (2**61 - 1) ** 3
    numerators, q = common_fractions([a * pow(b, -1, base) % base for a, b in pairs], base) or ([], 0)
    assert [v * b for v, (_, b) in zip(numerators, pairs, strict=True)] == [a * q for a, _ in pairs]


def test_a_system_that_is_singular_is_one_for_both(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(integers, "_MANY", 2)
    for entries in ([[1, 2], [2, 4]], [[2**61 - 1, 0], [0, 0]]):
        with pytest.raises(ZeroDivisionError):
            solve(fmpz_mat(entries), fmpz_mat([[1], [1]]), LATE)
    # Regular, but not modulo the prime: solved in the other way.
    found = solve(fmpz_mat([[2**61 - 1, 0], [0, 1]]), fmpz_mat([[1], [1]]), LATE)
    assert found == (fmpz_mat([[1], [2**61 - 1]]), 2**61 - 1)


def test_the_clock_is_seen_between_two_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    A, B = drawn(0, 30, 1, 40)
    seen = []

    def clock(_: Deadline) -> float:
        seen.append(1)
        if len(seen) == 4:
            raise OutOfTimeError
        return 1.0

    monkeypatch.setattr(lifting, "time_left", clock)
    with pytest.raises(OutOfTimeError):
        lifted_solution(A, B, LATE)
    monkeypatch.setattr(lifting, "time_left", lambda _: 1e-6)  # the inverse alone would take longer
    with pytest.raises(OutOfTimeError):
        lifted_solution(A, B, LATE)


def test_a_verdict_with_a_limit_is_the_same_as_without(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 8)), rng.integers(0, 2, 40)
    X = np.column_stack([X, X[:, 0] + 2 * X[:, 1]])
    plainly = separability(X, y)
    monkeypatch.setattr(integers, "_MANY", 2)
    assert separability(X, y, time_limit=1000.0).to_dict() == plainly.to_dict()


def test_null_vectors_that_come_too_late_leave_the_witness(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), rng.integers(0, 2, 40)

    def late(*_: object) -> None:
        raise OutOfTimeError

    monkeypatch.setattr("linsep.theory.rows.span.Span.null_vectors", late)
    found = separability(X, y, time_limit=1000.0)
    assert (found.verdict, found.overlap) == ("not-separable", None)
    assert found.reason == "the time limit of 1000 s ended the search"
