"""The log of a run, and the state of its vector before every 256th update, from which a page replays the rest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from linsep.types import Array

EVERY = 256


class Log(NamedTuple):
    """The updates of a run, in order: its row x, its step a in w += a x and b += c^2 a, its visit counted from 0."""

    rows: Array
    steps: Array
    visits: Array

    def part(self, first: int, last: int | None = None) -> Log:
        """The updates from `first` on, up to `last`."""
        return Log(*(column[first:last] for column in self))


class State(NamedTuple):
    """w and b, and the sums of a visit x and of c^2 a visit over the updates so far.

    The mean of w over the first T visits, w taken after each, is w - sw / T, with the updates of these visits alone.
    """

    w: Array
    b: Array
    sw: Array
    sb: Array


def at_zero(p: int) -> State:
    """The state of a run over p columns before its first update."""
    return State(np.zeros(p), np.zeros(1), np.zeros(p), np.zeros(1))


def walk(X: Array, constant2: float, log: Log, start: State) -> Iterator[State]:
    """The state before the updates 0, 256, 512, ... and, last, that after all of them.

    Sums are those of a loop: one addition after the other, in the order of the log.
    """
    state = start
    for first in range(0, log.rows.size, EVERY):
        yield state
        part = log.part(first, first + EVERY)
        rows, steps, visits = X[part.rows], part.steps[:, None], part.visits[:, None]
        moves = (steps * rows, constant2 * steps, steps * visits * rows, constant2 * steps * visits)
        state = State(*(_added(old, move) for old, move in zip(state, moves, strict=True)))
    yield state


def advance(X: Array, constant2: float, log: Log, start: State) -> State:
    """The state after all updates of the log."""
    *_, last = walk(X, constant2, log, start)
    return last


def rounding(X: Array, constant2: float, log: Log, start: State) -> float:
    """How far two ways to add the same updates may be apart, in any entry of w or in b.

    Each addition, and each product, rounds by at most 2^-53 of the largest sum that there can be.
    """
    sizes = np.abs(log.steps)
    most = max(float(np.abs(start.w).max(initial=0.0)), float(np.abs(start.b).max()))
    largest = float(np.abs(X).max(initial=0.0))
    return 6.0 * 2.0**-53 * log.rows.size * (most + float(sizes.sum()) * max(largest, constant2))


def _added(start: Array, moves: Array) -> Array:
    """The start and all moves, added one by one."""
    last: Array = np.add.accumulate(np.vstack([start, moves]), axis=0)[-1]
    return last
