"""What can be done about separation ends with its time, and gives what is known by then."""

from __future__ import annotations

from itertools import count
from math import inf

import numpy as np
import pytest

from linsep import Separation, separation
from linsep.clock import clock
from linsep.theory.rows import deadline
from linsep.theory.separation import likelihood

STEP = 1000.0  # seconds from one look at the clock to the next


def one_infinite() -> Separation:
    """An intercept, a number, a level whose rows all have the outcome 1."""
    X = [[0, 1], [0, 2], [0, 3], [0, 4], [1, 1], [1, 2]]
    return separation(X, [0, 1, 0, 1, 1, 1])


def each_look_is_later(monkeypatch: pytest.MonkeyPatch) -> None:
    # It begins now: other clocks, as that of HiGHS, then never say that it is late.
    ticks = count(1)
    began = clock()
    monkeypatch.setattr(deadline, "clock", lambda: began + STEP * next(ticks))


def test_without_time_nothing_is_estimated_and_this_is_said() -> None:
    part = one_infinite().finite_part(time_limit=0)
    assert part.not_computed == ("(Intercept)", "x1", "x2")
    assert part.reason == "the time limit of 0 s ended the search"
    assert part.estimates["x1"].value == inf
    assert np.isnan([*part.estimates["x2"], *part.estimates["x1"][1:], part.log_likelihood]).all()
    assert (part.tests, part.n_rows) == ({}, 4)
    assert "(Intercept), x1, x2: the time limit of 0 s ended the search" in repr(part)
    whole = one_infinite().finite_part()
    assert (whole.not_computed, whole.reason) == ((), "")
    assert "not computed" not in repr(whole)


def test_whenever_the_clock_ends_the_estimates_what_is_there_is_right(monkeypatch: pytest.MonkeyPatch) -> None:
    found = one_infinite()
    whole = found.finite_part()
    left: list[int] = []
    while not left or left[-1]:
        each_look_is_later(monkeypatch)
        part = found.finite_part(time_limit=1.5 * STEP * 1.3 ** len(left))
        monkeypatch.undo()
        left.append(len(part.not_computed))
        assert bool(part.reason) == bool(part.not_computed)
        for name, told in part.estimates.items():
            if name not in part.not_computed:
                assert told == pytest.approx(whole.estimates[name], nan_ok=True)
        for name, test in part.tests.items():
            assert test == whole.tests[name]
    assert left == sorted(left, reverse=True)
    assert {0, 1, 3} == set(left)  # first the finite ones, then the infinite one


def test_a_long_product_is_cut_into_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    found = one_infinite()
    whole = found.finite_part()
    monkeypatch.setattr(likelihood, "_AT_ONCE", 1)
    monkeypatch.setattr(likelihood, "_FEWEST_ROWS", 1)
    cut = found.finite_part()
    assert cut.log_likelihood == pytest.approx(whole.log_likelihood)
    assert cut.estimates["x2"] == pytest.approx(whole.estimates["x2"])
    assert cut.estimates["x1"].lower == pytest.approx(whole.estimates["x1"].lower)
