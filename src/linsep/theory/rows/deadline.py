"""When a search has to end: a time limit in seconds becomes a time of `time.perf_counter`.

A search compares the clock with its deadline between two steps, and never predicts how long a step takes: whether an
answer is `undecided` depends on the clock alone, not on what some machine once needed. In a block of `ended_by_ctrl_c`
the user may end the time: what is known by then is the answer.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from linsep.types import DataError


class OutOfTimeError(Exception):
    """The deadline passed."""


@dataclass
class Ending:
    """Whether Ctrl-C has ended the searches of a block, and whether one had begun that it could end."""

    came: bool = False
    searching: bool = False


class _Deadline(float):
    """A deadline that has also passed when Ctrl-C came: searches compare it with the clock, as `clock > deadline`."""

    ending: Ending

    def __lt__(self, clock: float) -> bool:
        self.ending.searching = True
        return self.ending.came or float(self) < clock


# The innermost block of `ended_by_ctrl_c`; outside of any, Ctrl-C is an error as everywhere.
_ending: Ending | None = None


def deadline_of(time_limit: float | None) -> float:
    """Return the time of `time.perf_counter` after so many seconds; infinity without a limit.

    Raises
    ------
    DataError
        The limit is no number of seconds.

    Examples
    --------
    >>> deadline_of(None)
    inf
    """
    if time_limit is None:
        return _ended_too(np.inf)
    given: Any = time_limit
    if isinstance(given, bool) or not isinstance(given, int | float | np.number) or not given >= 0:
        raise DataError(f"time_limit is a number of seconds, 0 or more, or None for no limit; not {time_limit!r}")
    return _ended_too(time.perf_counter() + float(time_limit))


def _ended_too(deadline: float) -> float:
    """The deadline, ended by Ctrl-C too where a block asks for that."""
    if _ending is None:
        return deadline
    ended = _Deadline(deadline)
    ended.ending = _ending
    return ended


def why_over(time_limit: float | None) -> str:
    """Say what ended a search that ran out of time."""
    if time_limit is None or (_ending is not None and _ending.came):
        return "Ctrl-C ended the search"
    return f"the time limit of {time_limit:g} s ended the search"


def time_left(deadline: float) -> float:
    """Return the seconds that are left; raise OutOfTimeError if none are."""
    left = deadline - time.perf_counter()
    if left <= 0 or time.perf_counter() > deadline:
        raise OutOfTimeError
    return left


@contextmanager
def ended_by_ctrl_c() -> Iterator[Ending]:
    """Let Ctrl-C end the searches of this block as a deadline would; the second one is an error as everywhere.

    So is the first one where no search has begun, and any in a thread that is not the main one.

    Examples
    --------
    >>> with ended_by_ctrl_c() as ending:
    ...     deadline = deadline_of(None)
    ...     print(time.perf_counter() > deadline)
    ...     signal.raise_signal(signal.SIGINT)
    ...     print(time.perf_counter() > deadline, ending.came)
    False
    True True
    """
    global _ending
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler) or threading.current_thread() is not threading.main_thread():
        yield Ending()
        return
    before, ending = _ending, Ending()

    def end(*received: Any) -> None:
        if ending.came or not ending.searching:
            handler(*received)
        ending.came = True

    _ending = ending
    signal.signal(signal.SIGINT, end)
    try:
        yield ending
    finally:
        signal.signal(signal.SIGINT, handler)
        _ending = before
