"""The one training loop: how it stops, counts and reports, and what Ctrl-C does to a pass of either kind."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from linsep.learners.base import loop
from linsep.learners.base.loop import is_interrupted, learn_chunks, run_epochs, uninterrupted
from linsep.learners.base.trace import Trace, make_record
from linsep.passes import RECORD
from linsep.types import Array, Budget, StopReason


def press_ctrl_c() -> None:
    os.kill(os.getpid(), signal.SIGINT)


class Run:
    """A run whose pass number e makes `mistakes[e]` mistakes; it notes what the loop asks of it."""

    def __init__(self, mistakes: list[int], during: Callable[[], None] = lambda: None) -> None:
        self.mistakes, self.during = mistakes, during
        self.asked: list[int] = []
        self.kept: list[float] = []
        self.ends: list[StopReason] = []
        self.reports: list[tuple[int, int]] = []
        self.made = 0

    def make_passes(self, most: int) -> Array:
        self.asked.append(most)
        self.during()
        rows = [make_record(mistakes=k, updates=k) for k in self.mistakes[self.made : self.made + most]]
        self.made += len(rows)
        return np.concatenate(rows)

    def stop_after(self, record: Array) -> StopReason | None:
        return None if record[-1, RECORD.updates] else StopReason.CLEAN_PASS

    def __call__(self, budget: Budget, **options: Any) -> StopReason:
        return run_epochs(
            self.make_passes,
            stop_after=self.stop_after,
            keep=lambda record: self.kept.extend(record[:, RECORD.mistakes]),
            end=self.ends.append,
            budget=budget,
            verbose=lambda epochs, mistakes, seconds: self.reports.append((epochs, mistakes)),
            **options,
        )


def stopped_clock(monkeypatch: pytest.MonkeyPatch, step: float) -> None:
    """Each look at the clock finds it so many seconds later."""
    now = [0.0]

    def clock() -> float:
        now[0] += step
        return now[0]

    monkeypatch.setattr(loop, "perf_counter", clock)


def test_it_ends_with_a_clean_pass() -> None:
    run, trace = Run([3, 1, 0, 9]), Trace(5)
    assert run(Budget(10), trace=trace) is StopReason.CLEAN_PASS
    assert run.asked == [1, 1, 1] and run.kept == [3, 1, 0] and run.ends == [StopReason.CLEAN_PASS]
    assert run.reports == [(1, 3), (2, 1), (3, 0)]
    assert (trace.total_epochs, trace.total_mistakes, trace.total_updates) == (3, 4, 4)


def test_it_ends_with_the_epochs_of_the_budget_and_asks_for_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped_clock(monkeypatch, 0.0)
    run = Run([1] * 20)
    assert run(Budget(12), most=4) is StopReason.EPOCH_BUDGET
    assert run.asked == [1, 4, 4, 3] and len(run.kept) == 12


def test_short_passes_are_made_in_batches_of_a_twentieth_of_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped_clock(monkeypatch, 1 / 64)  # every call takes that long: so each asks for 3.2 times as many as the last
    run = Run([1] * 200)
    assert run(Budget(200), most=4096) is StopReason.EPOCH_BUDGET
    assert run.asked == [1, 3, 9, 28, 89, 70]


def test_long_passes_are_made_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped_clock(monkeypatch, 0.06)
    run = Run([1] * 3)
    assert run(Budget(3), most=4096) is StopReason.EPOCH_BUDGET
    assert run.asked == [1, 1, 1]


def test_it_ends_with_the_time_of_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped_clock(monkeypatch, 1.0)  # two looks a turn
    run = Run([1] * 9)
    assert run(Budget(None, 5.5)) is StopReason.TIME_BUDGET
    assert run.made == 3


def test_a_clean_pass_counts_more_than_a_budget_that_is_used_up() -> None:
    assert Run([1, 0])(Budget(2)) is StopReason.CLEAN_PASS


def test_at_least_one_pass_is_made() -> None:
    run = Run([1, 1])
    assert run(Budget(None, 1e-12)) is StopReason.TIME_BUDGET
    assert run.made == 1


def test_ctrl_c_waits_for_the_pass_and_what_it_keeps() -> None:
    run = Run([2, 2, 2])
    run.during = lambda: press_ctrl_c() if run.made == 1 else None
    with pytest.raises(KeyboardInterrupt):
        run(Budget(3))
    assert run.kept == [2, 2] and run.ends == [StopReason.INTERRUPTED] and run.reports[-1] == (2, 2)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_gives_up_a_pass_that_is_interruptible() -> None:
    run = Run([2, 2, 2])
    run.during = lambda: press_ctrl_c() if run.made == 1 else None
    with pytest.raises(KeyboardInterrupt):
        run(Budget(3), interruptible=True)
    assert run.kept == [2] and run.made == 1 and run.ends == [StopReason.INTERRUPTED]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_error_ends_the_run_as_an_interruption() -> None:
    run = Run([2, 2])

    def fail() -> None:
        raise ZeroDivisionError

    run.during = fail
    with pytest.raises(ZeroDivisionError):
        run(Budget(3))
    assert run.kept == [] and run.ends == [StopReason.INTERRUPTED]


def test_a_handler_that_does_not_raise_lets_the_run_go_on() -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    try:
        run = Run([2, 1, 0])
        run.during = lambda: press_ctrl_c() if run.made == 0 else None
        assert run(Budget(3)) is StopReason.CLEAN_PASS
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard == [signal.SIGINT] and run.kept == [2, 1, 0]


def test_in_another_thread_nothing_is_held_back() -> None:
    run, ends = Run([1, 0]), []
    thread = threading.Thread(target=lambda: ends.append(run(Budget(3), interruptible=True)))
    thread.start()
    thread.join()
    assert ends == [StopReason.CLEAN_PASS]


def test_a_chunk_is_learnt_whole() -> None:
    learnt: list[str] = []
    seen: list[bool] = []

    def learn(chunk: str) -> None:
        if chunk == "b":
            press_ctrl_c()
            seen.append(is_interrupted())
        learnt.append(chunk)

    between: list[int] = []
    with pytest.raises(KeyboardInterrupt):
        learn_chunks(iter("abc"), learn, lambda: between.append(len(learnt)))
    assert learnt == ["a", "b"] and seen == [True] and between == [1]
    learn_chunks(["d"], learnt.append, lambda: between.append(len(learnt)))
    assert learnt[-1] == "d" and between == [1, 3]


def test_what_is_lifted_is_held_back_again() -> None:
    order: list[str] = []
    with pytest.raises(KeyboardInterrupt), uninterrupted() as held:
        with held.lifted():
            order.append("lifted")
        press_ctrl_c()
        order.append("held")
    assert order == ["lifted", "held"]
    with pytest.raises(KeyboardInterrupt), uninterrupted() as held:
        press_ctrl_c()
        with held.lifted():
            order.append("never")
    assert order == ["lifted", "held"]


def test_a_line_on_standard_error_reports_an_epoch(capsys: pytest.CaptureFixture[str]) -> None:
    loop.report_epoch(1, 7, 3, 0.25)
    loop.report_epoch(0, 8, 3, 0.25)
    assert capsys.readouterr().err == "epoch 7: 3 mistakes, 0.2 s\n"
