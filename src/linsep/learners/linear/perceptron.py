"""Rosenblatt's perceptron, and the mean of its vectors."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

from linsep.learners.base.linear_learner import SUMS, WITH_SUMS
from linsep.learners.base.one_row import OnlineLearner
from linsep.learners.base.parameters import Allowed, Shared, one_of, sharing
from linsep.passes import RECORD, Rows, UpdateLog
from linsep.types import CSR, Array

if TYPE_CHECKING:
    from linsep.kernels.linear.skipping import Skip

# The epoch of a try that never comes, and the most epochs between two tries.
_NEVER, _MOST_PAUSE = 2**62, 64


@dataclass
class _Memory:
    """What passes of two classes read of the rows, and the memory of skipping while it pays.

    Whether skipping would pay is asked from epoch `next_try` on, and if not, again after `pause` more, which doubles
    then.
    """

    X: Any
    next_try: int
    pause: int = 1
    skip: Skip | None = None


class Perceptron(OnlineLearner):
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
        Whether to visit the rows in a new order in each epoch: up to 3,968 rows in a random permutation, of more rows
        chunks of 16 neighbours in random order, each 4,096 rows in a line then shuffled among themselves.
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
        "clean pass", "epoch budget", "time budget" or "interrupted".
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

    # Whether skipping pays is asked after passes with mistakes on at most this share of the rows.
    _skip_below: ClassVar[float] = 1 / 16
    # And only after passes over so many stored entries: before, all of them cost less than compiling it does.
    _skip_from: ClassVar[int] = 20_000_000

    @sharing(max_iter=1000, shuffle=False)
    def __init__(self, **shared: Unpack[Shared]) -> None: ...

    def prepare(self, rows: Rows) -> _Memory | None:
        """What passes remember; that of skipping costs as much as a pass, so it comes when it is predicted to pay."""
        if len(self.classes_) > 2:
            return None
        ones = super().prepare(rows) if isinstance(rows.X, CSR) else None
        stored = rows.X.data.size if isinstance(rows.X, CSR) else rows.X.size
        return _Memory(rows.X if ones is None else ones, -(-self._skip_from // max(1, stored)))

    def run(self, rows: Rows, memory: _Memory | None, log: UpdateLog | None, reference: Array, record: Array) -> int:
        if memory is None:
            return super().run(rows, memory, log, reference, record)
        rows = rows._replace(X=memory.X)
        before = memory.next_try - self.trace_.total_epochs
        if "numba" not in sys.modules:  # the first passes
            return super().run(rows, None, log, reference, record[:before])
        from linsep.kernels.linear.epoch import plain_epochs
        from linsep.kernels.linear.skipping import MOST_LOST, STATE, make_skip, skipping_epochs, start_skip

        intercept = self.constant2_
        state = (self._coef[0], self._intercept, intercept, log, self.t_, reference, record)
        if memory.skip is not None:
            made = int(skipping_epochs(rows, memory.skip, *state))
            if memory.skip.state[STATE.lost] > MOST_LOST * len(rows.y):
                memory.skip, memory.next_try = None, _NEVER
            return made
        if before > 0:
            return int(plain_epochs(rows, 0.0, *state[:-1], record[:before], 0))
        made = int(plain_epochs(rows, 0.0, *state, int(self._skip_below * len(rows.y))))
        mistakes = record[made - 1, RECORD.mistakes]
        if 0 < mistakes <= self._skip_below * len(rows.y):
            if self._skipping_pays(rows, mistakes):
                memory.skip = make_skip(len(rows.y))
                start_skip(rows.X, intercept, memory.skip)
            memory.next_try = self.trace_.total_epochs + made + memory.pause
            memory.pause = min(_MOST_PAUSE, 2 * memory.pause)
        return made

    def _skipping_pays(self, rows: Rows, mistakes: float) -> bool:
        """Whether it is predicted to, after a pass with so many mistakes."""
        from linsep.kernels.linear.skipping import pays

        return bool(pays(rows, self._coef[0], self._intercept, self.constant2_, mistakes))


class AveragedPerceptron(OnlineLearner):
    """Predicts with sum c_n w_n / sum c_n, where the perceptron's n-th vector w_n survived c_n rows.

    The usual remedy for rows that no hyperplane separates: the last vector depends on the last rows, the mean does
    not. Averaging is lazy and costs what the plain perceptron costs: with u the sum of t a x over the updates a x
    made at visit t, the mean over T visits is w - u / T. u is kept in float64 whatever the dtype of the rows.

    This is the mean of the stored w_n if updates of w are not rounded (whole numbers of moderate size). Otherwise u
    holds the updates before rounding: in float32 a difference of 2e-5 of its size from the mean of the rounded w_n has
    been observed, and an update that no longer changed w still counts in u.

    The mean is that of `max_iter` epochs. After a clean pass no epoch would change w, so the run ends there, and its
    vector is counted for all rows of the epochs left out: `n_iter_` and `trace_` tell the epochs that were made. With
    `max_iter=None`, and in `partial_fit`, streams and clusters, the rows that were visited count.

    One-vs-rest of several classes makes passes until no class needs one. A class with an early clean pass continues to
    count its last vector, so its mean is the one of that class fitted alone.

    Parameters
    ----------
    average : {"averaged", "last"}, default="averaged"
        The vector that predicts; `set_params` may change it after training.
    max_iter : int or None, default=10
        Number of epochs that count; those after a clean pass are not made. None ends with the clean pass.
    time_limit : float or None, default=None
        Largest number of seconds, checked between passes; None sets no limit.
    fit_intercept : bool, default=True
        Whether to learn b; without it b stays 0.
    intercept_scaling : float or "auto", default=1.0
        c, the value of the constant feature behind b: an update by a x moves b by c^2 a. Numbers below 1 damp b. Bounds
        have R^2 + c^2 in the place of R^2 + 1. "auto" is the root mean square length of the rows, of a stream that of
        its first block. Read when training begins, and kept in `intercept_scaling_`.
    shuffle : bool, default=True
        Whether to visit the rows in a new order in each epoch: up to 3,968 rows in a random permutation, of more rows
        chunks of 16 neighbours in random order, each 4,096 rows in a line then shuffled among themselves.
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
    trace : {"epochs", "updates"}, default="epochs"
        With "updates" the trace also keeps the row and the epoch of each update (at most two million).
    verbose : int or callable, default=0
        1 prints progress on standard error; a callable is called with (epochs, mistakes of the last pass, seconds).

    Attributes
    ----------
    coef_, intercept_ : ndarray
        The vector that predicts, float64 when averaged.
    last_coef_, last_intercept_ : ndarray
        The perceptron's own vector, in the dtype of the rows.
    classes_, n_iter_, n_mistakes_, n_updates_, stop_reason_, trace_
        As in `Perceptron`.

    References
    ----------
    Freund and Schapire 1999, Machine Learning 37; Collins 2002, EMNLP.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0], [-1.0]])
    >>> learner = AveragedPerceptron(fit_intercept=False, shuffle=False).fit(X, [1, 0])
    >>> float(learner.last_coef_[0, 0]), float(learner.coef_[0, 0])
    (1.0, 1.0)
    """

    wants_clean_pass: ClassVar[bool] = False
    allowed: ClassVar[dict[str, Allowed]] = {"average": one_of("averaged", "last")}
    state_arrays, running_sums = WITH_SUMS, SUMS

    average: str

    @sharing(max_iter=10)
    def __init__(self, *, average: str = "averaged", **shared: Unpack[Shared]) -> None: ...
