"""An array that is read when it is needed: all of it, or what stands at one place of an axis."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import IO, Any, NamedTuple

import numpy as np

from linsep.types import Array

_CHUNK = 1 << 18  # bytes that are read at once


class Stored(NamedTuple):
    """The shape of an array and what reads it; `read_at(axis, k)` reads what stands at k of an axis."""

    shape: tuple[int, ...]
    read: Callable[[], Array]
    read_at: Callable[[int, int], Array]


def layer_in(file: IO[bytes], shape: tuple[int, ...], axis: int, k: int, dtype: Any) -> Array:
    """What stands at k of an axis of an array whose bytes a stream gives in C order; nothing else is kept.

    The stream is read to its end, so that what checks its bytes has seen all of them.

    Examples
    --------
    >>> from io import BytesIO
    >>> bytes_ = np.arange(24).reshape(2, 3, 4).tobytes()
    >>> layer_in(BytesIO(bytes_), (2, 3, 4), 1, 2, np.arange(1).dtype).tolist()
    [[8, 9, 10, 11], [20, 21, 22, 23]]
    """
    layers = shape[axis]
    found = np.empty(shape[:axis] + shape[axis + 1 :], dtype)
    blocks, width = prod(shape[:axis]), prod(shape[axis + 1 :]) * found.itemsize
    parts = found.reshape(-1).view(np.uint8).reshape(blocks, width)
    several = max(1, _CHUNK // max(1, layers * width))  # blocks that are read at once, where they are small
    for first in range(0, blocks, several):
        some = parts[first : first + several]
        if several > 1:
            raw = np.empty((len(some), layers, width), np.uint8)
            _fill(file, raw)
            some[:] = raw[:, k]
        else:
            skipped(file, k * width)
            _fill(file, some)
            skipped(file, (layers - 1 - k) * width)
    file.read(1)
    return found


def skipped(file: IO[bytes], size: int) -> None:
    """Read so many bytes, a few at a time."""
    while size:
        size -= len(_some(file, size))


def _fill(file: IO[bytes], out: Array) -> None:
    view, place = out.reshape(-1), 0
    while place < view.size:
        raw = _some(file, view.size - place)
        view[place : place + len(raw)] = np.frombuffer(raw, np.uint8)
        place += len(raw)


def _some(file: IO[bytes], size: int) -> bytes:
    raw = file.read(min(size, _CHUNK))
    if not raw:
        raise EOFError("the bytes end before the array does")
    return raw
