"""The clock of time limits. It stands still while Numba compiles: a first call is not to use up the time of a run."""

from __future__ import annotations

from threading import Lock
from time import perf_counter
from typing import Any

from numba.core import event  # Numba's manual describes it for applications


class _Compiling(event.Listener):
    """Adds up the seconds in which Numba compiled, in whichever thread; what is compiled meanwhile is in them."""

    def __init__(self) -> None:
        self.lock, self.depth, self.since, self.seconds = Lock(), 0, 0.0, 0.0

    def on_start(self, event: Any) -> None:
        with self.lock:
            if not self.depth:
                self.since = perf_counter()
            self.depth += 1

    def on_end(self, event: Any) -> None:
        with self.lock:
            self.depth -= 1
            if not self.depth:
                self.seconds += perf_counter() - self.since


# A loop whose every call counts takes `perf_counter() - COMPILING.seconds` itself.
COMPILING = _Compiling()
_register: Any = event.register  # it carries no types
_register("numba:compile", COMPILING)


def clock() -> float:
    """Return seconds as `time.perf_counter` counts them, less those in which Numba compiled."""
    with COMPILING.lock:
        return (COMPILING.since if COMPILING.depth else perf_counter()) - COMPILING.seconds
