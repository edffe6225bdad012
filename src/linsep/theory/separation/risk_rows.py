"""The partial likelihood of Cox's model as inequalities: an event is ahead of everybody at risk with it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from linsep.theory.separation.exact_rows import differences
from linsep.theory.separation.outcome import Outcome, refuse
from linsep.types import Array, DataError

_MOST_PAIRS = 5_000_000
_AT_ONCE = 256


class Pairs(NamedTuple):
    """Rows x_first - x_second of z.d >= 0, or of z.d = 0 where `equal`."""

    first: Array
    second: Array
    equal: Array


def risk_rows(X: Any, outcome: Outcome) -> tuple[Any, Array, Array]:
    """The rows z, which of them are equalities, and the event that each comes from.

    Examples
    --------
    >>> Z, equal, owner = risk_rows(np.array([[3.0], [2.0], [0.5]]), Outcome(np.array([1, 2, 3])))
    >>> Z.tolist(), owner.tolist()
    ([[1.0], [1.5]], [0, 1])
    """
    pairs = risk_pairs(outcome)
    if pairs.first.size == 0:
        raise DataError("no event has another row at risk: the partial likelihood says nothing about coefficients")
    return differences(X, pairs.first, pairs.second), pairs.equal, pairs.first


def risk_pairs(outcome: Outcome) -> Pairs:
    """The pairs that imply all others: of two events the later one stands for the rows that both have at risk.

    With x_i.d >= x_k.d for event i and the next event k among the rows at risk with i, x_k.d >= x_j.d for all j at risk
    with k says the rest. So event i is compared with k and with the rows that leave between them. Without entry times
    every row leaves once: there are at most two pairs a row.

    Raises
    ------
    DataError
        There are more than five million pairs.
    """
    n = len(outcome.y)
    event = np.ones(n, dtype=bool) if outcome.event is None else outcome.event > 0
    strata = np.zeros(n) if outcome.strata is None else outcome.strata
    found = [Pairs(np.empty(0, dtype=int), np.empty(0, dtype=int), np.empty(0, dtype=bool))]
    size = 0
    for stratum in np.unique(strata):
        for part in _of_stratum(outcome, np.flatnonzero(strata == stratum), event):
            found.append(part)
            size += part.first.size
            if size > _MOST_PAIRS:
                raise DataError(
                    f"the rows at risk make more than {_MOST_PAIRS:,} pairs to compare: use fewer rows, or no entry "
                    "times where they do not matter"
                )
    return Pairs(*(np.concatenate(columns) for columns in zip(*found, strict=True)))


def _of_stratum(outcome: Outcome, members: Array, event: Array) -> Iterator[Pairs]:
    # By time; events stand before the rows that are censored at their time, which are still at risk.
    order = members[np.lexsort((~event[members], outcome.y[members]))]
    time, is_event = outcome.y[order], event[order]
    entry = None if outcome.entry is None else outcome.entry[order]
    events = np.flatnonzero(is_event)
    starts = np.flatnonzero(np.append(True, np.diff(time[events]) > 0)) if events.size else events
    for at, stop in pairwise([*starts.tolist(), events.size]):
        tied = order[events[at:stop]]
        if tied.size > 1:  # each is ahead of the other
            yield Pairs(tied, np.roll(tied, -1), np.ones(tied.size, dtype=bool))
        now = time[events[at]]
        following = _following(events[stop:], entry, now)
        rest = np.arange(events[stop - 1] + 1, len(order) if following is None else following)
        rest = rest if entry is None else rest[entry[rest] < now]
        second = order[rest if following is None else np.append(rest, following)]
        yield Pairs(np.full(second.size, tied[0]), second, np.zeros(second.size, dtype=bool))


def _following(later: Array, entry: Array | None, now: float) -> int | None:
    """The first of the later events whose row is at risk now."""
    if entry is None:
        return int(later[0]) if later.size else None
    for start in range(0, later.size, _AT_ONCE):
        inside = np.flatnonzero(entry[later[start : start + _AT_ONCE]] < now)
        if inside.size:
            return int(later[start + inside[0]])
    return None


def check_times(outcome: Outcome) -> None:
    """Raise DataError unless times, events and entries fit together."""
    y = outcome.y
    if y.dtype.kind not in "biuf":
        raise DataError(f"the response of a Cox model is a time, which is a number, not {y.dtype}")
    if outcome.event is not None:
        refuse("event", outcome.event, ~np.isin(outcome.event, (0, 1)), "is neither 1 (the event) nor 0 (censored)")
    if outcome.entry is not None:
        refuse("entry", outcome.entry, outcome.entry >= y, "is not before the time of the row")
