"""Ctrl-C between steps that belong together waits until both are done."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

# The signals received while they were held back: a list for each open block.
_held: list[list[Any]] = []


class Held(NamedTuple):
    """Ctrl-C inside a block of `uninterrupted`: the handler to call afterwards, and the signals received so far."""

    handler: Any
    came: list[Any]

    def let_in(self) -> None:
        """Let a Ctrl-C that came in interrupt now."""
        received = self.came[0]
        self.came.clear()
        self.handler(*received)

    @contextmanager
    def lifted(self) -> Iterator[None]:
        """Do not hold Ctrl-C back in this block, which is part of a block that does."""
        if self.handler is None:
            yield
            return
        holding = signal.signal(signal.SIGINT, self.handler)
        try:
            if self.came:
                self.let_in()
            yield
        finally:
            signal.signal(signal.SIGINT, holding)


@contextmanager
def uninterrupted() -> Iterator[Held]:
    """Hold Ctrl-C back until the block is over: weights that have moved and their counters then agree."""
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler) or threading.current_thread() is not threading.main_thread():
        yield Held(None, [])
        return
    came: list[Any] = []
    _held.append(came)
    signal.signal(signal.SIGINT, lambda *received: came.append(received))
    try:
        yield Held(handler, came)
    finally:
        signal.signal(signal.SIGINT, handler)
        _held.pop()
    if came:
        handler(*came[0])


def is_interrupted() -> bool:
    """Whether Ctrl-C was pressed and is held back in this thread: a long pass may then end early."""
    return any(_held) and threading.current_thread() is threading.main_thread()
