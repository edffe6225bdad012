"""Rosenblatt's perceptron."""

from __future__ import annotations

from typing import Any, ClassVar

from linsep.kernels.linear.epoch import Rows, plain_epochs
from linsep.kernels.linear.skipping import Skip, make_skip, skipping_epochs, start_skip
from linsep.kernels.optional import UpdateLog
from linsep.kernels.records import RECORD
from linsep.learners.base.epochs import ROSENBLATT, EpochLearner
from linsep.learners.engine.loop import Progress
from linsep.learners.inputs.parameters import keep_parameters
from linsep.types import Array


class Perceptron(EpochLearner):
    """The perceptron: on a mistake, y z <= 0, do w += y x and b += y.

    Starts from w = 0, b = 0 and visits the rows in order until one whole pass is clean. On separable rows that
    happens after at most (R^2 + 1) / gamma^2 mistakes (Novikoff 1962), R = max ||x|| and gamma the best margin of
    the rows with the constant 1 appended; on others never, so there is always a budget, and `stop_reason_`
    tells which came first. Dot products whose sign is already proved are skipped without changing a bit of
    the result.

    Parameters
    ----------
    max_iter : int or None, default=1000
        Epochs at most; None sets no limit.
    time_limit : float or None, default=None
        Seconds at most, looked at between passes.
    fit_intercept : bool, default=True
        Learn b; without it b stays 0.
    shuffle : bool, default=False
        Visit the rows in a fresh order each epoch.
    random_state : int, RandomState or None
        Seed of that order.
    warm_start : bool, default=False
        `fit` goes on from the weights it finds. With `shuffle` and an int as `random_state` each call visits the rows
        in the same orders again; a RandomState goes on where it was.
    class_weight : dict, "balanced" or None
        Scale of the updates of each class, 1 for those that a dict leaves out; finite, at least 0. A class of weight 0
        is as if its rows were left out; in one-vs-rest of several classes they are left out for that class alone.
    multi_class : {"ovr", "multiclass"}, default="ovr"
        With three or more classes: each against the rest, all in one pass; or one update a mistake, which
        rewards the row's class and punishes the first best other.
    open_classes : bool, default=False
        In `partial_fit` a class that was not named joins when its first row comes, with w = 0 from then on
        (a second class shares the plane of the first: it joins with the negative of its w).
    n_jobs : int or None, default=None
        Threads; -1 takes all cores, None one. The result is the same. They share the classes of one-vs-rest while
        training (three or more classes of dense rows; 32 or more of sparse ones, each thread at least 16), and sparse
        rows while predicting. Two classes and "multiclass" train on one thread, and dense products use the cores that
        NumPy's BLAS is given, whatever this says.
    trace : {"epochs", "updates"}, default="epochs"
        With "updates" the trace also keeps the row and epoch of each update (two million at most).
    verbose : int or callable, default=0
        1 prints progress on standard error; a callable gets (epochs, mistakes of the last pass, seconds).

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

    def __init__(
        self,
        *,
        max_iter: int | None = 1000,
        time_limit: float | None = None,
        fit_intercept: bool = True,
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

    def prepare(self, rows: Rows) -> list[Skip] | None:
        """Room for one memory of skipping; it costs as much as a pass, so it comes when mistakes have become rare."""
        return None if len(self.classes_) > 2 else []

    def run(self, rows: Rows, memory: list[Skip] | None, log: UpdateLog | None, reference: Array, record: Array) -> int:
        if memory is None:
            return super().run(rows, memory, log, reference, record)
        w, intercept = self.coef_[0], float(self.fit_intercept)
        state = (w, self.intercept_, intercept, log, self.t_, reference, record)
        if memory:
            return int(skipping_epochs(rows, memory[0], *state))
        few = int(self._skip_below * len(rows.y))
        made = int(plain_epochs(rows, ROSENBLATT, *state, few))
        if record[made - 1, RECORD.mistakes] <= few:
            memory.append(make_skip(len(rows.y)))
            start_skip(rows.X, intercept, memory[0])
        return made
