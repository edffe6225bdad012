"""Train, keep, measure: the order in which a model is made, and what Ctrl-C may end."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from linsep.clock import clock
from linsep.learners.base.loop import uninterrupted

Known = TypeVar("Known")


@dataclass
class Training:
    """How long a training took, without compiling, and its first warning of the kind that was watched for."""

    seconds: float = 0.0
    warnings: list[str] = field(default_factory=list)

    @contextmanager
    def watched(self, kind: type[Warning]) -> Iterator[None]:
        """Time the block, and keep its first warning of this kind; both also where Ctrl-C ends it."""

        def take(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
            if issubclass(category, kind) and not self.warnings:
                self.warnings.append(str(message))

        with warnings.catch_warnings():
            warnings.simplefilter("always", kind)
            warnings.showwarning = take
            began = clock()
            try:
                yield
            finally:
                self.seconds = clock() - began


def train_keep_measure(
    train: Callable[[], None],
    is_trained: Callable[[], bool],
    keep: Callable[[], None],
    measure: Callable[[bool], Known],
) -> tuple[Known, bool]:
    """Take the three steps; return what was measured, and whether Ctrl-C ended one of them.

    Parameters
    ----------
    train : callable
        Trains the model. Ctrl-C ends it.
    is_trained : callable
        Whether there is a model although Ctrl-C ended `train`; if not, `KeyboardInterrupt` goes on to the caller.
    keep : callable
        Keeps the model, as in a file. Ctrl-C waits until it is done.
    measure : callable
        Describes the model. Its argument says whether there is time for what takes long; after Ctrl-C there is not.

    Examples
    --------
    >>> train_keep_measure(lambda: None, lambda: True, lambda: print("kept"), lambda at_length: at_length)
    kept
    (True, False)
    """
    interrupted = False
    with uninterrupted() as held:
        try:
            with held.lifted():
                train()
        except KeyboardInterrupt:
            if not is_trained():
                raise
            interrupted = True
        keep()
        try:
            with held.lifted():
                return measure(not interrupted), interrupted
        except KeyboardInterrupt:
            with held.lifted():
                return measure(False), True
