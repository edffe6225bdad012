"""The clock of time limits. It stands still while Numba compiles: a first call is not to use up the time of a run."""

from __future__ import annotations

from threading import Lock
from time import perf_counter


class _Compiling:
    """Adds up the seconds in which Numba compiled, in whichever thread; what is compiled meanwhile is in them.

    `code_cache.py` lets Numba say when it compiles: who has loaded no kernel need not load Numba for a clock.
    """

    def __init__(self) -> None:
        self.lock, self.depth, self.since, self.seconds = Lock(), 0, 0.0, 0.0

    def start(self) -> None:
        with self.lock:
            if not self.depth:
                self.since = perf_counter()
            self.depth += 1

    def end(self) -> None:
        with self.lock:
            self.depth -= 1
            if not self.depth:
                self.seconds += perf_counter() - self.since


# A loop whose every call counts takes `perf_counter() - COMPILING.seconds` itself.
COMPILING = _Compiling()


def clock() -> float:
    """Return seconds as `time.perf_counter` counts them, less those in which Numba compiled."""
    with COMPILING.lock:
        return (COMPILING.since if COMPILING.depth else perf_counter()) - COMPILING.seconds
