"""Between two steps of a check somebody may be asked whether it goes on: whoever has a deadline raises an error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_ask: ContextVar[Callable[[], object]] = ContextVar("_ask")


def pause() -> None:
    """Ask, if anybody is to be asked."""
    ask = _ask.get(None)
    if ask is not None:
        ask()


@contextmanager
def verify_with_pauses(ask: Callable[[], object]) -> Iterator[None]:
    """Call `ask` between the steps of all checks in this block; an error that it raises ends the check.

    Examples
    --------
    >>> times = []
    >>> with verify_with_pauses(lambda: times.append(1)):
    ...     pause()
    >>> pause()
    >>> len(times)
    1
    """
    before = _ask.set(ask)
    try:
        yield
    finally:
        _ask.reset(before)
