"""Ctrl-C between steps that belong together waits until both are done."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

# What came in while it was held back, a list for each block that is open.
_held: list[list[Any]] = []


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold Ctrl-C back until the block is over: weights that have moved and their counters then agree."""
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler) or threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[Any] = []
    _held.append(came)
    signal.signal(signal.SIGINT, lambda *received: came.append(received))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        _held.pop()
    if came:
        handler(*came[0])


def is_interrupted() -> bool:
    """Whether Ctrl-C is being held back in this thread: what takes long may then end early, in a state that agrees."""
    return any(_held) and threading.current_thread() is threading.main_thread()
