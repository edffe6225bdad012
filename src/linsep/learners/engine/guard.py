"""One lock a model, and the loan of its arrays to readers: predictions and `save` beside a thread that learns.

A writer (`fit`, `partial_fit`, `learn_one`) holds the lock while it learns. A reader holds it only while it notes which
arrays the model is made of, and computes without it. So readers do not wait for each other, and a writer does not wait
for readers: if one is still at work it leaves them the arrays and goes on with copies.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from threading import RLock
from typing import Any, Self


class Guard:
    """The lock of one model.

    Attributes
    ----------
    lock : RLock
        Held by a writer, and by a reader who takes note.
    lent : list of int
        How many readers compute with the arrays that the model has now; writers put a new list with new arrays.
    """

    __slots__ = ("lent", "lock")

    def __init__(self) -> None:
        self.lock = RLock()
        self.lent = [0]

    def __reduce__(self) -> tuple[Any, ...]:
        return Guard, ()  # a copy of a model is another model: nobody reads or writes it yet


class Guarded:
    """A model with a guard."""

    _guard: Guard | None = None

    def guard(self) -> Guard:
        """The lock of this model, and who reads its arrays."""
        # Of two threads that come first one makes it.
        return self._guard or self.__dict__.setdefault("_guard", Guard())

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Let nobody else read or learn while the block changes this model."""
        guard = self.guard()
        with guard.lock:
            if guard.lent[0]:
                self.leave_to_readers()
            yield

    @contextmanager
    def reading(self) -> Iterator[Self]:
        """Give the model as it is now, whatever is learnt meanwhile; nothing is copied unless somebody learns."""
        guard = self.guard()
        with guard.lock:
            self.settled()
            still = object.__new__(type(self))
            still.__dict__.update(self.__dict__)
            lent = guard.lent
            lent[0] += 1
        try:
            yield still
        finally:
            with guard.lock:
                lent[0] -= 1

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        with self.reading() as still:
            twin = object.__new__(type(self))
            memo[id(self)] = twin
            twin.__dict__.update(deepcopy(still.__dict__, memo))
        return twin

    def __getstate__(self) -> Any:
        # Pickled after this returns, perhaps beside a thread that learns: so a copy.
        with self.reading() as still:
            return deepcopy(super(Guarded, still).__getstate__())

    def leave_to_readers(self) -> None:
        """Go on with copies of the arrays that learning changes in place, and leave the others to readers."""
        self.guard().lent = [0]

    def settled(self) -> None:
        """Compute now what is computed on access, for a reader."""
