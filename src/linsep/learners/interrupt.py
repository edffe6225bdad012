"""Ctrl-C between steps that belong together waits until both are done."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold Ctrl-C back until the block is over: weights that have moved and their counters then agree."""
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler) or threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[Any] = []
    signal.signal(signal.SIGINT, lambda *received: came.append(received))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
    if came:
        handler(*came[0])
