"""Parts of a pass that may be absent: passing None compiles them away."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from numba import types
from numba.extending import overload

from linsep.types import Array


class UpdateLog(NamedTuple):
    """Which row was updated when: entry k is (rows[k], visits[k]), `used[0]` entries of room for `rows.size`.

    `visits` counts the rows visited since training began, from 0. When the log is full it stays as it is and
    `used[0]` goes on counting, so a reader can tell that the log was cut.
    """

    rows: Array
    visits: Array
    used: Array


def is_none(value: Any) -> bool:
    """Whether the Numba type `value` is that of an absent argument."""
    return isinstance(value, types.NoneType | types.Omitted)


def row_at(order: Any, t: int) -> int:
    """The row visited at step t: order[t], or t itself when `order` is None."""
    raise NotImplementedError


def weight_at(weight: Any, i: int) -> float:
    """The weight of row i, or 1 when `weight` is None."""
    raise NotImplementedError


def log_update(log: Any, i: int, visit: int) -> None:
    """Enter an update into an `UpdateLog`; nothing when `log` is None."""
    raise NotImplementedError


@overload(row_at)
def _row_at(order: Any, t: Any) -> Callable[..., Any]:
    def in_order(order: Any, t: Any) -> Any:
        return t

    def as_given(order: Any, t: Any) -> Any:
        return order[t]

    return in_order if is_none(order) else as_given


@overload(weight_at)
def _weight_at(weight: Any, i: Any) -> Callable[..., Any]:
    def one(weight: Any, i: Any) -> Any:
        return 1.0

    def given(weight: Any, i: Any) -> Any:
        return weight[i]

    return one if is_none(weight) else given


@overload(log_update)
def _log_update(log: Any, i: Any, visit: Any) -> Callable[..., Any]:
    def nothing(log: Any, i: Any, visit: Any) -> None:
        return None

    def enter(log: Any, i: Any, visit: Any) -> None:
        k = log.used[0]
        if k < log.rows.shape[0]:
            log.rows[k] = i
            log.visits[k] = visit
        log.used[0] = k + 1

    return nothing if is_none(log) else enter
