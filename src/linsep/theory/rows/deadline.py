"""When a search has to end: a time limit in seconds becomes a time of `linsep.clock`.

A search compares the clock with its deadline between two steps. Large matrix products and inverses, which nothing can
interrupt, are not begun where they would end after it at the pace of this run. In a block of `ended_by_ctrl_c`
the user may end the time: what is known by then is the answer.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from linsep.clock import clock
from linsep.types import Array, DataError

T = TypeVar("T")
INTERRUPTED, UNCHECKED = "interrupt", "unchecked"  # what ended a search that a limit did not end
_WHY = {INTERRUPTED: "Ctrl-C ended the search", UNCHECKED: "a proof was found but failed its check; please report it"}
_LOOK = 0.1  # seconds between two looks at the clock while another thread works


class OutOfTimeError(Exception):
    """The deadline passed."""


@dataclass
class Deadline:
    """The time of the clock at which searches end; Ctrl-C brings it forward. `began` is when they began."""

    at: float = np.inf
    began: float = field(default_factory=clock)

    @contextmanager
    def with_time_to_check(self, part: float) -> Iterator[None]:
        """In this block the deadline is earlier, by this part of the seconds that went by since it began.

        Examples
        --------
        >>> deadline = Deadline(100.0, clock() - 60)
        >>> with deadline.with_time_to_check(0.5):
        ...     round(deadline.at)
        70
        >>> round(deadline.at)
        100
        """
        seconds = part * (clock() - self.began)
        self.at -= seconds
        try:
            yield
        finally:
            self.at += seconds

    @contextmanager
    def share(self, part: float) -> Iterator[None]:
        """In this block the deadline is after this part of the time that is left; Ctrl-C ends the block and the rest.

        Examples
        --------
        >>> deadline = Deadline(clock() + 100)
        >>> with deadline.share(0.3):
        ...     round(deadline.at - clock())
        30
        >>> round(deadline.at - clock())
        100
        """
        later = max(0.0, (1 - part) * (self.at - clock())) if np.isfinite(self.at) else 0.0
        self.at -= later
        try:
            yield
        finally:
            self.at += later


NEVER = Deadline()


class Pace:
    """Ends a search before work that would end after the deadline, at the pace of the multiplications so far.

    Examples
    --------
    >>> pace = Pace(Deadline(clock() + 60), began=clock() - 2)
    >>> pace.done = 1e6  # in 2 seconds
    >>> pace.ask(5e6)
    >>> try:
    ...     pace.ask(1e9)
    ... except OutOfTimeError:
    ...     1e9 / pace.done
    1000.0
    """

    def __init__(self, deadline: Deadline, began: float | None = None) -> None:
        self.deadline, self.began = deadline, clock() if began is None else began
        self.done = 0.0

    def ask(self, work: float) -> None:
        """Raise OutOfTimeError unless there is time for so many multiplications."""
        now = clock()
        needs = (now - self.began) * work / self.done if self.done else 0.0
        if now + needs > self.deadline.at:
            raise OutOfTimeError


@dataclass
class Ending:
    """Whether Ctrl-C has ended the searches of a block, and the deadlines of those that had begun."""

    came: bool = False
    deadlines: list[Deadline] = field(default_factory=list)


# The innermost block of `ended_by_ctrl_c`; outside of any, Ctrl-C is an error as everywhere.
_ending: Ending | None = None


def deadline_of(time_limit: float | None) -> Deadline:
    """Return when a search that begins now has to end: after so many seconds, or without a limit never.

    Raises
    ------
    DataError
        The limit is no number of seconds.

    Examples
    --------
    >>> deadline_of(None).at
    inf
    """
    given: Any = np.inf if time_limit is None else time_limit
    if isinstance(given, bool) or not isinstance(given, int | float | np.number) or not given >= 0:
        raise DataError(f"time_limit is a number of seconds, 0 or more, or None for no limit; not {time_limit!r}")
    deadline = Deadline(clock() + float(given))
    if _ending is not None:
        _ending.deadlines.append(deadline)
        if _ending.came:
            deadline.at = -np.inf
    return deadline


def what_ended(time_limit: float | None) -> str | float:
    """Return what ended a search that ran out of time: `INTERRUPTED`, or the limit in seconds."""
    if time_limit is None or (_ending is not None and _ending.came):
        return INTERRUPTED
    return float(time_limit)


def why_over(time_limit: float | None) -> str:
    """Say what ended a search that ran out of time."""
    return why_ended(what_ended(time_limit))


def why_ended(ended: str | float | None) -> str:
    """Say what ended a search.

    Examples
    --------
    >>> why_ended(2.0), why_ended(None)
    ('the time limit of 2 s ended the search', '')
    """
    if ended is None:
        return ""
    if isinstance(ended, float):
        return f"the time limit of {ended:g} s ended the search"
    return _WHY[ended]


def time_left(deadline: Deadline) -> float:
    """Return the seconds that are left; raise OutOfTimeError if none are."""
    left = deadline.at - clock()
    if left <= 0:
        raise OutOfTimeError
    return left


def until(deadline: Deadline, work: Callable[[Array], T]) -> T:
    """Do some work that takes long in compiled code, in a thread; `work` is to end soon after stop[0] is set.

    Ctrl-C is seen meanwhile, which compiled code in the main thread would hold up.

    Raises
    ------
    OutOfTimeError
        The deadline passed before the work was done.

    Examples
    --------
    >>> until(NEVER, lambda stop: 2 + int(stop[0]))
    2
    """
    time_left(deadline)  # short work might else be done before anybody looks
    stop = np.zeros(1, dtype=np.bool_)
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(work, stop)
        try:
            while not wait([found], min(_LOOK, max(0.0, deadline.at - clock()))).done:
                if clock() >= deadline.at:
                    raise OutOfTimeError
        finally:
            stop[0] = True
    return found.result()


@contextmanager
def ended_by_ctrl_c() -> Iterator[Ending]:
    """Let Ctrl-C end the searches of this block as a deadline would; the second one is an error as everywhere.

    So is the first one where no search has begun, and any in a thread that is not the main one.

    Examples
    --------
    >>> with ended_by_ctrl_c() as ending:
    ...     deadline = deadline_of(None)
    ...     signal.raise_signal(signal.SIGINT)
    >>> ending.came, clock() > deadline.at
    (True, True)
    """
    global _ending
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler) or threading.current_thread() is not threading.main_thread():
        yield Ending()
        return
    before, ending = _ending, Ending()

    def end(*received: Any) -> None:
        if ending.came or not ending.deadlines:
            handler(*received)
        ending.came = True
        for deadline in ending.deadlines:
            deadline.at = -np.inf

    _ending = ending
    signal.signal(signal.SIGINT, end)
    try:
        yield ending
    finally:
        signal.signal(signal.SIGINT, handler)
        _ending = before
