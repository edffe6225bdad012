"""When a search has to end: a time limit in seconds becomes a time of `time.perf_counter`.

A search compares the clock with its deadline between two steps, and never predicts how long a step takes: whether an
answer is `undecided` depends on the clock alone, not on what some machine once needed.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from linsep.types import DataError


class OutOfTimeError(Exception):
    """The deadline passed."""


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
        return np.inf
    given: Any = time_limit
    if isinstance(given, bool) or not isinstance(given, int | float | np.number) or not given >= 0:
        raise DataError(f"time_limit is a number of seconds, 0 or more, or None for no limit; not {time_limit!r}")
    return time.perf_counter() + float(time_limit)


def time_left(deadline: float) -> float:
    """Return the seconds that are left; raise OutOfTimeError if none are."""
    left = deadline - time.perf_counter()
    if left <= 0:
        raise OutOfTimeError
    return left
