"""A time limit does not count the seconds in which Numba compiles."""

from __future__ import annotations

import pytest
from numba import njit
from numba.core import event

from linsep import clock as module
from linsep.clock import clock
from linsep.learners.base import loop
from linsep.learners.base.loop import run_epochs
from linsep.learners.base.trace import make_record
from linsep.theory.rows.deadline import OutOfTimeError, deadline_of, time_left
from linsep.types import Array, Budget, StopReason


class Time:
    """A clock that only moves where a test says so."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    faked = Time()
    for part in (module, loop):
        monkeypatch.setattr(part, "perf_counter", faked)
    return faked


def test_it_stands_still_while_numba_compiles(time: Time) -> None:
    began = clock()
    time.now += 1
    with event.trigger_event("numba:compile"):
        time.now += 10
        with event.trigger_event("numba:compile"):  # a function that the first one calls
            time.now += 100
            assert clock() == began + 1
        time.now += 1000
        assert clock() == began + 1
    time.now += 2
    assert clock() == began + 3


def test_what_numba_compiles_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = iter(range(10))
    monkeypatch.setattr(module, "perf_counter", lambda: float(next(looks)))
    before = clock()  # at 0; compiling begins at 1 and ends at 2
    assert njit(lambda x: x + 1)(1) == 2
    assert clock() == before + 2


def test_a_run_goes_on_after_a_first_pass_that_was_compiled(time: Time) -> None:
    passes: list[int] = []

    def make_passes(most: int) -> Array:
        if not passes:
            with event.trigger_event("numba:compile"):
                time.now += 60
        time.now += 1
        passes.append(most)
        return make_record(mistakes=1, updates=1)

    stop = run_epochs(make_passes, stop_after=lambda record: None, budget=Budget(None, 3.0))
    assert (stop, len(passes)) == (StopReason.TIME_BUDGET, 3)


def test_a_search_has_its_seconds_after_compiling(time: Time) -> None:
    deadline = deadline_of(5)
    with event.trigger_event("numba:compile"):
        time.now += 60
    assert time_left(deadline) == 5
    time.now += 5
    with pytest.raises(OutOfTimeError):
        time_left(deadline)
