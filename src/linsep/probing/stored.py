"""An array that is read when it is needed: all of it, or what stands at one place of an axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from linsep.types import Array


class Stored(NamedTuple):
    """The shape of an array and what reads it; `read_at(axis, k)` reads what stands at k of an axis."""

    shape: tuple[int, ...]
    read: Callable[[], Array]
    read_at: Callable[[int, int], Array]
