"""The one training loop: orders, epochs, stopping, clock, progress, trace and Ctrl-C.

Its callers define what a pass is. Ctrl-C between steps that belong together waits until both are done.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from linsep.clock import COMPILING
from linsep.learners.base.few_passes import few_order
from linsep.learners.base.trace import Trace
from linsep.passes import RECORD
from linsep.types import Array, Budget, StopReason

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


# Neighbouring rows that stay together on the way to the cache, and rows whose order is mixed there: memory wants many
# of the one and few of the other, learning the contrary. The order of few rows is one permutation whatever the chunk.
CHUNK, GROUP, _CHUNK_OF_FEW = 16, 4096, 128


def shuffled_order(n_rows: int, rng: np.random.RandomState) -> NDArray[Any]:
    """Return a fresh visiting order, in which each row is equally likely at each step.

    Up to 3,968 rows are one random permutation. Of more, chunks of 16 neighbouring rows are put in random order, and
    then each 256 chunks in a line are shuffled together. So 4,096 rows at a time come from 256 places all over the
    table: it is read much faster than in one permutation of all rows, and a table sorted by class or by entity is mixed
    about as well. The grid of chunks begins at a random row, so that neighbours change from epoch to epoch. At last
    the whole order is turned by a random number of steps: that alone makes all steps equally likely for a row. The
    order depends only on the number of rows and the state of `rng`.

    Examples
    --------
    >>> import numpy as np
    >>> order = shuffled_order(1000, np.random.RandomState(0))
    >>> int(np.unique(order).size)
    1000
    """
    few = n_rows <= GROUP - _CHUNK_OF_FEW  # with an offset they are no more chunks than a group has
    chunk = _CHUNK_OF_FEW if few else CHUNK
    starts = np.arange(-int(rng.randint(chunk)), n_rows, chunk, dtype=np.int64)
    if few:
        starts = rng.permutation(starts)
    # 32 bits where they do: half as much to read.
    order: NDArray[Any] = np.empty(n_rows, dtype=np.int32 if n_rows < 2**31 else np.int64)
    seed = int(rng.randint(1, 2**31 - 1))
    if few and "numba" not in sys.modules:  # it takes longer to load than all passes over few rows
        order[:] = few_order(starts, chunk, n_rows, seed)
        return order
    from linsep.kernels.linear.epoch import fill_order

    fill_order(order, starts, chunk, GROUP // chunk, np.uint64(seed))
    return order if few else np.roll(order, rng.randint(n_rows))


def drawn_order(n_rows: int, rng: np.random.RandomState) -> NDArray[np.int64]:
    """Return `n_rows` independent draws of rows, some of them more than once and some not at all.

    A table of up to 3,968 rows is drawn from as a whole. Of a larger one each 4,096 rows of `shuffled_order` are
    replaced by as many draws from among them, which keeps its speed.

    Examples
    --------
    >>> import numpy as np
    >>> drawn_order(5, np.random.RandomState(0)).size
    5
    """
    order = shuffled_order(n_rows, rng)
    starts = np.arange(n_rows) // GROUP * GROUP
    lengths = np.minimum(GROUP, n_rows - starts)
    return np.asarray(order[starts + (rng.random_sample(n_rows) * lengths).astype(np.int64)])


Progress = Callable[[int, int, float], None]
Item = TypeVar("Item")

# One call makes as many epochs as fit in about this many seconds: a call costs more than a short epoch. Ctrl-C and the
# clock are looked at between calls only.
_BATCH_SECONDS = 0.05


def run_epochs(
    make_passes: Callable[[int], Array],
    *,
    stop_after: Callable[[Array], StopReason | None],
    budget: Budget,
    keep: Callable[[Array], None] | None = None,
    end: Callable[[StopReason], None] | None = None,
    trace: Trace | None = None,
    verbose: int | Progress = 0,
    most: int = 1,
    interruptible: bool = False,
) -> StopReason:
    """Make at least one pass, and more until `stop_after` returns a reason, the budget ends or Ctrl-C is pressed.

    Parameters
    ----------
    make_passes : callable
        Makes up to so many passes, 1 at least, and returns a row of `RECORD` for each pass made.
    stop_after : callable
        Takes the records just made and returns why training is over, or None.
    budget : Budget
        Most epochs and most seconds.
    keep : callable, optional
        Takes the records just made and writes down what they changed.
    end : callable, optional
        Takes the stop reason; called once, whatever ended the run (an error counts as an interruption).
    trace : Trace, optional
        Gets the records and the clock.
    verbose : int or callable
        As in `Perceptron`; reports after each call of `make_passes`.
    most : int
        Passes that one call of `make_passes` may be asked for: short passes are made in batches.
    interruptible : bool
        Ctrl-C interrupts `make_passes`, and what it has done does not count until `keep` is called. Otherwise Ctrl-C
        waits until `make_passes` returns.

    Returns
    -------
    StopReason

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C, after `end`.
    """
    stop: StopReason | None = None
    epochs, size = 0, 1
    with uninterrupted() as held:
        try:
            started = perf_counter() - COMPILING.seconds
            while stop is None:
                began = perf_counter() - COMPILING.seconds - started
                size = size if budget.epochs is None else min(size, budget.epochs - epochs)
                if interruptible:
                    with held.lifted():
                        record = make_passes(size)
                else:
                    record = make_passes(size)
                if keep is not None:
                    keep(record)
                epochs += len(record)
                seconds = perf_counter() - COMPILING.seconds - started
                if trace is not None:
                    trace.extend(record, (began, seconds))
                stop = stop_after(record)
                if stop is None and epochs == budget.epochs:
                    stop = StopReason.EPOCH_BUDGET
                elif stop is None and budget.seconds is not None and seconds >= budget.seconds:
                    stop = StopReason.TIME_BUDGET
                if verbose:
                    if trace is not None:
                        trace.catch_up()
                    report_epoch(verbose, epochs, int(record[-1, RECORD.mistakes]), seconds)
                if (took := seconds - began) < _BATCH_SECONDS:
                    size = min(most, max(2 * size, int(len(record) * _BATCH_SECONDS / max(took, 1e-9))))
                if held.came:
                    held.let_in()
        except KeyboardInterrupt:
            stop = StopReason.INTERRUPTED
            raise
        finally:
            if trace is not None:
                trace.catch_up()
            if end is not None:
                end(stop or StopReason.INTERRUPTED)
    return stop


def learn_chunks(chunks: Iterable[Item], learn: Callable[[Item], None], between: Callable[[], None]) -> None:
    """Make one pass over a stream: `learn` each chunk, then call `between`. Ctrl-C waits until a chunk is learnt.

    For `make_passes` of an interruptible `run_epochs`.
    """
    for chunk in chunks:
        with uninterrupted():
            learn(chunk)
        between()


def report_epoch(verbose: int | Progress, epochs: int, mistakes: int, seconds: float) -> None:
    """Report an epoch as a learner's `verbose` asks: call it, or print a line on standard error."""
    if callable(verbose):
        verbose(epochs, mistakes, seconds)
    elif verbose:
        print(f"epoch {epochs}: {mistakes} mistakes, {seconds:.1f} s", file=sys.stderr)
