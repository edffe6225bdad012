"""Rosenblatt's perceptron."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from linsep.kernels.linear.epoch import Rows, plain_epochs
from linsep.kernels.linear.skipping import Skip, make_skip, skipping_epochs, start_skip
from linsep.kernels.linear.whole_numbers import whole_epoch
from linsep.kernels.optional import UpdateLog
from linsep.kernels.records import RECORD
from linsep.learners.base.epochs import ROSENBLATT, EpochLearner
from linsep.learners.engine.loop import Progress
from linsep.learners.inputs.parameters import keep_parameters
from linsep.types import CSR, Array

# `whole_epoch` adds to the weights of every row: for so many entries that takes as long as a wrong guess.
_GUESS = 32
# Weights, or c^2, from which on a run soon leaves the whole numbers that float32 holds.
_LARGE = 2.0**20


class _Memory(NamedTuple):
    """What passes of two classes read of the rows, and the memory of skipping as soon as there is one.

    `whole` holds room for the weights as whole numbers as long as passes are made in these.
    """

    X: Any
    skips: list[Skip]
    whole: list[Array]


class Perceptron(EpochLearner):
    """The perceptron: on a mistake, y z <= 0, do w += y x and b += y.

    Starts from w = 0, b = 0 and visits the rows in order until one whole pass is clean. On separable rows that
    happens after at most (R^2 + 1) / gamma^2 mistakes (Novikoff 1962), R = max ||x|| and gamma the best margin of
    the rows with the constant 1 appended. On other rows it never happens, so there is always a budget, and
    `stop_reason_` says which came first. A dot product is skipped if its sign is already proved; this changes no bit
    of the result.

    Parameters
    ----------
    max_iter : int or None, default=1000
        Largest number of epochs; None sets no limit.
    time_limit : float or None, default=None
        Largest number of seconds, checked between passes; None sets no limit.
    fit_intercept : bool, default=True
        Whether to learn b; without it b stays 0.
    intercept_scaling : float or "auto", default=1.0
        c, the value of the constant feature behind b: an update by a x moves b by c^2 a. Numbers below 1 damp b. Bounds
        have R^2 + c^2 in the place of R^2 + 1. "auto" is the root mean square length of the rows, of a stream that of
        its first block. Read when training begins, and kept in `intercept_scaling_`.
    shuffle : bool, default=False
        Whether to visit the rows in a new order in each epoch.
    random_state : int, RandomState or None, default=None
        Seed of that order.
    warm_start : bool, default=False
        Whether `fit` goes on from the current weights instead of 0. With `shuffle` and an int as `random_state`, each
        call visits the rows in the same orders again; a RandomState goes on where it was.
    class_weight : dict, "balanced" or None, default=None
        Factor on the updates of each class: finite, at least 0, and 1 for a class that the dict leaves out. A class of
        weight 0 is treated as if its rows were left out; in one-vs-rest of several classes they are left out for that
        class alone.
    multi_class : {"ovr", "multiclass"}, default="ovr"
        With three or more classes: each class against the rest, all in one pass ("ovr"); or one update per mistake,
        towards the class of the row and away from the first of the others with the largest z ("multiclass").
    open_classes : bool, default=False
        Whether a label that was not named may join in `partial_fit`: it becomes a class with w = 0 when its first row
        comes. A second class shares the plane of the first: it joins with the negative of its w.
    n_jobs : int or None, default=None
        Number of threads: None is one, -1 all cores. The result does not depend on it. Threads share the classes of
        one-vs-rest in training (three or more classes of dense rows; 32 or more of sparse rows, at least 16 for each
        thread) and sparse rows in prediction. Two classes and "multiclass" train on one thread. Products of dense rows
        use the cores that NumPy's BLAS is given.
    trace : {"epochs", "updates"}, default="epochs"
        With "updates" the trace also keeps the row and the epoch of each update (at most two million).
    verbose : int or callable, default=0
        1 prints progress on standard error; a callable is called with (epochs, mistakes of the last pass, seconds).

    Attributes
    ----------
    coef_ : ndarray, shape (1, n_features) or (n_classes, n_features)
        w, in the dtype of the rows.
    intercept_ : ndarray, shape (1,) or (n_classes,)
        b.
    classes_ : ndarray, shape (n_classes,)
        The labels; the second of two is the positive class.
    n_iter_ : int
        Epochs.
    n_mistakes_, n_updates_ : int
        Mistakes and updates of all epochs; the same number for this learner.
    stop_reason_ : StopReason
        "clean pass", "epoch budget", "time budget", "impossible" or "interrupted".
    trace_ : Trace
        The run, epoch by epoch.

    References
    ----------
    Rosenblatt 1958, Psychological Review 65; Novikoff 1962, On convergence proofs on perceptrons.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [3.0, 4.0], [4.0, 3.0]])
    >>> learner = Perceptron().fit(X, ["no", "no", "yes", "yes"])
    >>> learner.stop_reason_.value, learner.n_iter_
    ('clean pass', 4)
    >>> learner.n_mistakes_
    5
    """

    # Skipping starts after a pass with mistakes on at most this share of the rows; w moves too fast before.
    _skip_below: ClassVar[float] = 1 / 16
    # And only after passes over so many stored entries: before, all of them cost less than compiling it does.
    _skip_from: ClassVar[int] = 20_000_000

    def __init__(
        self,
        *,
        max_iter: int | None = 1000,
        time_limit: float | None = None,
        fit_intercept: bool = True,
        intercept_scaling: float | str = 1.0,
        shuffle: bool = False,
        random_state: Any = None,
        warm_start: bool = False,
        class_weight: Any = None,
        multi_class: str = "ovr",
        open_classes: bool = False,
        n_jobs: int | None = None,
        trace: str = "epochs",
        verbose: int | Progress = 0,
    ) -> None:
        keep_parameters(self, locals())

    def prepare(self, rows: Rows) -> _Memory | None:
        """Room for one memory of skipping; it costs as much as a pass, so it comes when mistakes have become rare."""
        if len(self.classes_) > 2:
            return None
        ones = super().prepare(rows) if isinstance(rows.X, CSR) else None
        whole = ones is not None and self._are_whole_numbers(rows)
        return _Memory(rows.X if ones is None else ones, [], [np.empty(self.coef_.shape[1], np.int64)] if whole else [])

    def run(self, rows: Rows, memory: _Memory | None, log: UpdateLog | None, reference: Array, record: Array) -> int:
        if memory is None:
            return super().run(rows, memory, log, reference, record)
        stored = rows.X.data.size if isinstance(rows.X, CSR) else rows.X.size
        rows = rows._replace(X=memory.X)
        w, intercept = self.coef_[0], self.constant2_
        state = (w, self.intercept_, intercept, log, self.t_, reference, record)
        if memory.skips:
            return int(skipping_epochs(rows, memory.skips[0], *state))
        if memory.whole and log is None:
            done = whole_epoch(rows, w, self.intercept_, intercept, memory.whole[0], reference, record)
            if not done or record[0, RECORD.mistakes] * _GUESS < stored:
                memory.whole.clear()
            if done:
                return 1
        before = -(-self._skip_from // max(1, stored)) - self.trace_.total_epochs
        if before > 0:
            return int(plain_epochs(rows, ROSENBLATT, *state[:-1], record[:before], 0))
        few = int(self._skip_below * len(rows.y))
        made = int(plain_epochs(rows, ROSENBLATT, *state, few))
        if 0 < record[made - 1, RECORD.mistakes] <= few:
            memory.skips.append(make_skip(len(rows.y)))
            start_skip(rows.X, intercept, memory.skips[0])
        return made

    def _are_whole_numbers(self, rows: Rows) -> bool:
        """Whether w and b stay whole numbers on these rows of ones, and mistakes may be frequent enough to use it.

        A pass in the rows' own order gains nothing: what is guessed wrongly costs less there.
        """
        if not self.shuffle or len(rows.weight) or 2 * rows.X.data.size >= _GUESS * len(rows.y):
            return False
        start = np.append(self.coef_[0], [self.intercept_[0], self.constant2_])
        whole = (start == np.rint(start)) & (np.abs(start) < _LARGE)
        # -0.0, which whole numbers do not have, is left to passes that keep it.
        return bool((whole & ~(np.signbit(start) & (start == 0))).all())
