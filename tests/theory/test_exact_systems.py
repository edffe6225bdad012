"""Exact systems: fractions are found from their residues, and a system that would end too late is not begun."""

from __future__ import annotations

import numpy as np
import pytest
from flint import fmpz_mat
from hypothesis import given
from hypothesis import strategies as st

from linsep import separability
from linsep.clock import clock
from linsep.theory.cone.digits import common_fractions
from linsep.theory.rows.deadline import Deadline, OutOfTimeError
from linsep.theory.rows.integers import solve


@given(st.lists(st.tuples(st.integers(-(10**8), 10**8), st.integers(1, 10**3)), min_size=1, max_size=5))
def test_fractions_are_found_from_their_residues(pairs: list[tuple[int, int]]) -> None:
    base = (2**61 - 1) ** 3
    numerators, q = common_fractions([a * pow(b, -1, base) % base for a, b in pairs], base) or ([], 0)
    assert [v * b for v, (_, b) in zip(numerators, pairs, strict=True)] == [a * q for a, _ in pairs]


def test_a_system_that_would_end_too_late_is_not_begun() -> None:
    rng = np.random.default_rng(0)
    A = fmpz_mat(rng.integers(-(2**53), 2**53, (60, 60)).tolist())
    b = fmpz_mat(rng.integers(-5, 5, (60, 1)).tolist())
    x, q = solve(A, b, Deadline(clock() + 1000))
    assert A * x == q * b
    with pytest.raises(OutOfTimeError):
        solve(A, b, Deadline(clock() + 1e-4))
    with pytest.raises(ZeroDivisionError):
        solve(fmpz_mat([[1, 2], [2, 4]]), fmpz_mat([[1], [1]]))


def test_null_vectors_that_come_too_late_leave_the_witness(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), rng.integers(0, 2, 40)

    def late(*_: object) -> None:
        raise OutOfTimeError

    monkeypatch.setattr("linsep.theory.cone.exact.Span.null_vectors", late)
    found = separability(X, y, time_limit=1000.0)
    assert (found.verdict, found.overlap) == ("not-separable", None)
    assert found.reason == "the time limit of 1000 s ended the search"
