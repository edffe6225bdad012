"""The course of a run, epoch by epoch, in bounded memory; cheap enough to be kept always."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from linsep.passes import RECORD, UpdateLog
from linsep.types import Array, Hyperplane

# After this many epochs the ones kept are spaced by a factor of 1 + 1/_DENSE.
_DENSE = 64
UPDATE_CAP = 2_000_000
_SUMMED = [RECORD.mistakes, RECORD.dots, RECORD.absorbed]
_COMPARED = ("cos", "w_dot_reference")
_OWN = ("epoch", "seconds", "updates_so_far")
_WHOLE = ("epoch", "updates_so_far", "mistakes", "updates", "dots", "absorbed", "bits")


class Trace:
    """The course of a run, epoch by epoch.

    Every epoch up to 64 is kept, then a log-spaced subset, and always the last: about 64 (1 + ln(N / 64)) of N
    epochs.

    Attributes
    ----------
    epoch : ndarray of int64, shape (n_kept,)
        Epoch number, from 1; the other columns are aligned with it.
    mistakes, updates, dots : ndarray of int64
        Mistakes, updates and dot products of that epoch.
    updates_so_far : ndarray of int64
        k, the updates of all epochs up to that one, kept or not.
    skipped : ndarray of int64
        Rows of that epoch proved right without a dot product (0 where a new reference cost more than it saved).
    norm_w, b : ndarray of float64
        ||w|| and b after the epoch.
    cos, w_dot_reference : ndarray of float64
        cos of the angle between (w, b/c) and the reference (w*, b*/c), and w.w* + b b*/c^2, c the constant
        feature; NaN without a reference.
    absorbed : ndarray of int64
        Updates of that epoch that rounding left without any effect on w.
    bits : ndarray of int64
        Significant bits of the widest entry of w: at most 53 (float64) or 24 (float32). Rows of integers keep w exact
        while it is below that; where all bits are in use additions round. In batches of more than 64 short epochs
        it is looked at 64 times, and stands for the epochs up to the next look.
    seconds : ndarray of float64
        Seconds since training began (interpolated inside a batch of short epochs).
    total_epochs, total_mistakes, total_updates, total_dots, total_absorbed : int
        Epochs, mistakes, updates, dot products and updates without effect of the whole run.
    """

    def __init__(
        self,
        n_rows: int,
        updates: UpdateLog | None = None,
        numbers: Array | None = None,
        *,
        visits: int = 0,
        compared: bool = False,
        constant2: float = 1.0,
    ) -> None:
        self.n_rows = n_rows
        self.total_mistakes = self.total_updates = self.total_dots = self.total_absorbed = self.total_epochs = 0
        self.update_log = updates
        self._numbers = numbers  # of the rows learnt from, where some given have the weight 0
        self._visits = visits  # before this run, with warm_start
        self._compared = compared  # with a reference
        self._constant2 = constant2  # c^2 of the constant feature; 0 without an intercept
        self._kept: list[Array] = []
        self._last: Array | None = None
        # Batches are worked off together: a shuffled run has one a pass, and its passes may be short.
        self._waiting: list[tuple[Array, tuple[float, float]]] = []
        self._entered = 0

    def extend(self, record: Array, seconds: tuple[float, float]) -> None:
        """Add the records of the epochs just made; `seconds` are their start and end. They are told by `catch_up`."""
        self._waiting.append((record, seconds))
        self.total_epochs += len(record)
        if self.total_epochs - self._entered >= _DENSE:
            self.catch_up()

    def catch_up(self) -> None:
        """Keep what is to be kept of the batches that wait, and add them up."""
        if not self._waiting:
            return
        clock = list[Array]()
        for part, (began, ended) in self._waiting:
            clock.append(began + (ended - began) * np.arange(1, len(part) + 1) / len(part))
        record = np.concatenate([part for part, _ in self._waiting])
        self._waiting = []
        so_far = self.total_updates + record[:, RECORD.updates].cumsum()
        epochs = np.arange(self._entered + 1, self.total_epochs + 1)
        rows = np.concatenate([np.array([epochs, np.concatenate(clock), so_far]).T, record], axis=1)
        mistakes, dots, absorbed = record[:, _SUMMED].sum(axis=0).tolist()
        self.total_mistakes += int(mistakes)
        self.total_updates = int(so_far[-1])
        self.total_dots += int(dots)
        self.total_absorbed += int(absorbed)
        self._kept.extend(rows[: max(0, _DENSE - self._entered)])
        kept = int(self._kept[-1][0])
        while (wanted := max(kept + 1, math.ceil(kept * (1 + 1 / _DENSE)))) <= self.total_epochs:
            self._kept.append(rows[wanted - self._entered - 1])
            kept = wanted
        self._entered = self.total_epochs
        self._last = rows[-1]

    def _table(self) -> Array:
        rows = list(self._kept)
        if self._last is not None and (not rows or rows[-1][0] != self._last[0]):
            rows.append(self._last)
        return np.array(rows).reshape(-1, len(_OWN) + len(RECORD))

    def __len__(self) -> int:
        return len(self._table())

    def __repr__(self) -> str:
        return f"<Trace of {self.total_epochs} epochs over {self.n_rows} rows, {len(self)} kept>"

    def __getattr__(self, name: str) -> Any:
        if name in _OWN:
            column = self._table()[:, _OWN.index(name)]
        elif name in RECORD._fields:
            column = self._table()[:, len(_OWN) + RECORD._fields.index(name)]
        else:
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        if name in _COMPARED and not self._compared:
            column = np.full(len(column), np.nan)
        return column.astype(np.int64) if name in _WHOLE else column

    @property
    def skipped(self) -> Array:
        return np.asarray(np.maximum(self.n_rows - self.dots, 0))

    @property
    def update_rows(self) -> Array:
        """Row of each update, in order, counted in the table given; raises if the run did not keep them."""
        return self.as_given(self._logged("rows"))

    def as_given(self, rows: Array) -> Array:
        """The places in the table given of these of the rows learnt from."""
        return rows if self._numbers is None else self._numbers[rows]

    @property
    def update_epochs(self) -> Array:
        """Epoch (from 1) of each update."""
        return (self._logged("visits") - self._visits) // self.n_rows + 1

    @property
    def update_steps(self) -> Array:
        """Signed step a of each update, which was w += a x and b += c^2 a; see also `update_classes`."""
        return self._logged("steps")

    @property
    def update_classes(self) -> Array:
        """Position of the class that each update moved; 0 for two classes."""
        return self._logged("classes")

    def _logged(self, name: str) -> Array:
        log = self.update_log
        if log is None:
            raise AttributeError('updates were not kept: fit with trace="updates"')
        return np.asarray(getattr(log, name)[: int(log.used[0])])  # which counts on where the log is full

    def iter_weights(self, X: Array, y: Array) -> Iterator[tuple[int, Array, float]]:
        """Replay the kept updates of an unweighted perceptron on dense rows.

        Parameters
        ----------
        X : ndarray, shape (n_samples, n_features)
            The rows of the run.
        y : ndarray, shape (n_samples,)
            Their signs, -1 or +1.

        Yields
        ------
        tuple of (int, ndarray, float)
            The row, w_k and b_k after each update.
        """
        w, b = np.zeros(X.shape[1], dtype=X.dtype), 0.0
        for i in self.update_rows:
            w = w + X.dtype.type(y[i]) * X[i]
            b += self._constant2 * float(y[i])
            yield int(i), w, b


def make_record(**told: float) -> Array:
    """The record of one pass, shape (1, len(RECORD)); columns that are not given are 0, those of a reference NaN.

    Examples
    --------
    >>> make_record(mistakes=2, updates=2)[0, :2].tolist()
    [2.0, 2.0]
    """
    return np.array([[told.get(name, math.nan if name in _COMPARED else 0.0) for name in RECORD._fields]])


def make_update_log(cap: int = UPDATE_CAP) -> UpdateLog:
    """Return an empty log with room for `cap` updates."""
    rows, visits, classes = (np.zeros(cap, np.int64) for _ in range(3))
    return UpdateLog(rows, visits, classes, np.zeros(cap), np.zeros(1, np.int64))


def flatten_reference(reference: Hyperplane | tuple[Any, float], n_features: int) -> Array:
    """(w*, b*) as one float64 array."""
    w = np.asarray(reference[0], dtype=np.float64).ravel()
    if w.size != n_features:
        raise ValueError(f"the reference has {w.size} weights, the rows have {n_features} features")
    return np.append(w, float(reference[1]))
