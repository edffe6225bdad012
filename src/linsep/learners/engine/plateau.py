"""Early warning of a run whose passes no longer make fewer mistakes."""

from __future__ import annotations

from linsep.passes import RECORD
from linsep.scikit import ConvergenceWarning
from linsep.types import Array

# Passes in each of the first three parts that are compared.
_FIRST = 16
# Nobody waits for passes over fewer stored entries than these: they take tenths of a second.
_ENTRIES = 100_000_000
# Who sets no limit on epochs expects a long run, and is told after so many times these entries.
_PATIENCE = 10


class PlateauWarning(ConvergenceWarning):
    """The passes of a run no longer make fewer mistakes, long before its budget ends; the run goes on.

    min of passes 2k + 1 to 3k >= min of passes k + 1 to 2k, of the mistakes in a pass (of the updates where a learner
    also moves on rows that are right), for k = 16, 32, 64, ...

    It is given once in a run, at the first such k where passes over 100 million stored entries have been made and half
    of `max_iter` (of the `passes` of a stream) is left; with `max_iter=None` where they were 1,000 million entries. It
    does not say that the rows cannot be separated: a run on separable rows may stand still for thousands of epochs and
    end with a clean pass.
    """


class Plateau:
    """Looks for a plateau in the updates of passes, in constant memory; what it finds does not depend on batches.

    Parameters
    ----------
    entries : float
        Stored entries that a dot product reads.
    max_iter : int or None
        Largest number of epochs.
    """

    def __init__(self, entries: float, max_iter: int | None) -> None:
        self._entries = entries
        self._most = max_iter
        self._least_read = _ENTRIES if max_iter is not None else _PATIENCE * _ENTRIES
        self._read = 0.0
        self._size, self._filled = _FIRST, 0
        self._least: list[int] = []

    def see(self, record: Array) -> tuple[int, int, int] | None:
        """Take the records of the passes just made.

        Returns
        -------
        tuple of (int, int, int), or None
            k and the least updates of passes k + 1 to 2k and of passes 2k + 1 to 3k, once these are no fewer.
        """
        # Once one has been found, or less than half of the budget would be left when it is, nobody looks any more.
        while len(record) and (self._most is None or 2 * 3 * self._size <= self._most):
            part, record = record[: self._size - self._filled], record[self._size - self._filled :]
            least = int(part[:, RECORD.updates].min())
            if self._filled:
                self._least[-1] = min(self._least[-1], least)
            else:
                self._least.append(least)
            self._read += self._entries * float(part[:, RECORD.dots].sum())
            self._filled = (self._filled + len(part)) % self._size
            if not self._filled and len(self._least) == 3:
                size, (first, before, last) = self._size, self._least
                if last >= before and self._read >= self._least_read:
                    self._most = 0
                    return size, before, last
                # Three parts of k passes are one of 2k, and half of another.
                self._least = [min(first, before), last]
                self._size, self._filled = 2 * size, size
        return None
