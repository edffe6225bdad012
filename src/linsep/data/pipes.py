"""Pipes as they come: what is there is given when nothing more has come for a while."""

from __future__ import annotations

import io
import os
import select
import stat
from collections.abc import Callable
from time import monotonic
from typing import Any

# Seconds that a reader waits for what comes late: once nothing came for a pause it gets what there is, at the latest
# `LATEST` after the first of it. Who looks for the first rows of a pipe has more patience.
PAUSE, LATEST = 0.02, 0.4
_SILENCE = 0.5  # seconds between two calls of `idle` while nothing comes


class PauseError(Exception):
    """Nothing more has come in time."""


class Pipe:
    """What a pipe gives, as soon as it is there. `until` is when waiting for more ends; None to wait for ever."""

    def __init__(self, stream: Any, idle: Callable[[], None]) -> None:
        self.until: float | None = None
        self._idle, self._descriptor = idle, stream.fileno()
        self._poll = select.poll()
        self._poll.register(self._descriptor, select.POLLIN)
        # What Python may have read already stands in its buffer, which is never filled again.
        self._ahead: bytes | None = stream.read1() if hasattr(stream, "read1") else None

    def read(self, size: int) -> bytes:
        if self._ahead is not None:
            found, self._ahead = self._ahead[:size], self._ahead[size:] or None
            return found
        while not self._poll.poll(1000 * (_SILENCE if self.until is None else max(0.0, self.until - monotonic()))):
            if self.until is not None:
                raise PauseError
            self._idle()
        return os.read(self._descriptor, size)


def is_pipe(stream: Any) -> bool:
    """Whether it is a pipe, a terminal or a socket of the system's, without layers that hold bytes back."""
    inner = stream.raw if isinstance(stream, io.BufferedReader) else stream
    return (
        isinstance(inner, io.FileIO) and hasattr(select, "poll") and not stat.S_ISREG(os.fstat(inner.fileno()).st_mode)
    )
