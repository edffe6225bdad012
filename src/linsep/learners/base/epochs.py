"""The one training loop: epochs, stopping, trace, Ctrl-C. Kernels do the passes."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from linsep.kernels.linear.epoch import RECORD, Rows, bits_in_use, plain_epochs, squared_norm
from linsep.kernels.linear.multiclass import multiclass_epoch, one_vs_rest_epoch
from linsep.kernels.linear.one_row import learn_row, learn_row_of_many
from linsep.kernels.optional import Mean, UpdateLog
from linsep.kernels.steps import PerceptronStep
from linsep.learners.base.classifier import LinearClassifier
from linsep.learners.base.one_row import OnlineClassifier
from linsep.learners.engine.interrupt import uninterrupted
from linsep.learners.engine.number_range import check_weights, find_zero_rows
from linsep.learners.engine.threads import count_threads, one_pass, threaded_passes
from linsep.learners.engine.trace import Trace, flatten_reference, make_update_log
from linsep.learners.engine.visiting_order import shuffled_order
from linsep.learners.inputs.parameters import check_epochs
from linsep.learners.inputs.sample_weights import Given, check_class_weight
from linsep.types import Array, Budget, DataError, Hyperplane, PrecisionWarning, StopReason

Progress = Callable[[int, int, float], None]

# One kernel call makes as many epochs as fit in about this many seconds: short ones would otherwise drown in
# the cost of the call, and Ctrl-C and the clock are only looked at between calls.
_ROSENBLATT = PerceptronStep(0.0)
_BATCH_SECONDS = 0.05
_DOTS = RECORD.index("dots")
_MISTAKES, _UPDATES, _ABSORBED = _COUNTED = [RECORD.index(name) for name in ("mistakes", "updates", "absorbed")]
_NORM = RECORD.index("norm_w")


class BatchLearner(LinearClassifier):
    """A learner that makes passes over its rows until one is clean or the budget ends.

    A subclass says how to start (`start`) and how to run passes (`run`). `EpochLearner` can also go on with rows
    that come later.
    """

    # Whether a budget that ends before a clean pass is worth a warning.
    wants_clean_pass: ClassVar[bool] = True
    # Epochs that one call of `run` may be asked for.
    batch_epochs: ClassVar[int] = 4096
    # Whether it moves by y x on mistakes and on nothing else, as the mistake bounds assume.
    unit_steps: ClassVar[bool] = True
    state_values: ClassVar[tuple[str, ...]] = (*LinearClassifier.state_values, "stop_reason_")

    max_iter: int | None
    time_limit: float | None
    fit_intercept: bool
    shuffle: bool
    random_state: Any
    warm_start: bool
    class_weight: Any
    trace: str
    multi_class: str
    open_classes: bool
    n_jobs: int | None
    verbose: int | Progress
    stop_reason_: StopReason
    trace_: Trace

    def __init__(
        self,
        *,
        max_iter: int | None = 1000,
        time_limit: float | None = None,
        fit_intercept: bool = True,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        class_weight: Any = None,
        multi_class: str = "ovr",
        open_classes: bool = False,
        n_jobs: int | None = None,
        trace: str = "epochs",
        verbose: int | Progress = 0,
    ) -> None:
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.fit_intercept = fit_intercept
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.multi_class = multi_class
        self.open_classes = open_classes
        self.n_jobs = n_jobs
        self.trace = trace
        self.verbose = verbose

    # ------------------------------------------------------------------ hooks
    def step_rule(self) -> Any:
        """The step rule of this learner."""
        return _ROSENBLATT

    def watch(self) -> Any:
        """What hears of each update, beside the trace."""
        return None

    def settle(self) -> None:
        """Derive what predictions use from what passes moved."""

    def reorders(self) -> bool:
        """Whether each pass visits rows in an order of its own."""
        return self.shuffle

    def visiting_order(self, n: int, rng: np.random.RandomState) -> Array:
        """The n rows that a shuffled pass visits."""
        return shuffled_order(n, rng)

    def stop_after(self, updates: float, hopeless: int) -> StopReason | None:
        """Whether training is over after a pass of so many updates; `hopeless` rows are mistaken for ever."""
        if updates == 0:
            return StopReason.CLEAN_PASS
        return StopReason.IMPOSSIBLE if updates <= hopeless else None

    def prepare(self, rows: Rows) -> Any:
        """Return what the passes of one `fit` over these rows remember from pass to pass."""
        return None

    def run(self, rows: Rows, memory: Any, log: UpdateLog | None, reference: Array, record: Array) -> int:
        """Make up to len(record) passes, stopping after one without an update; return the number made.

        `memory` is what `prepare` returned, or None in `partial_fit`.
        """
        W, b = self.moving()
        watch = self.watch()
        watch = log if watch is None else watch if log is None else (watch, log)
        intercept = float(self.fit_intercept)
        if len(self.classes_) <= 2:
            return int(plain_epochs(rows, self.step_rule(), W[0], b, intercept, watch, self.t_, reference, record))
        n = len(rows.y)
        with self._passes_of_many(rows, W, b, watch) as make_pass:
            for e in range(len(record)):
                record[e, _COUNTED] = make_pass(self.t_ + e * n)
                record[e, _DOTS] = n * len(b)
                entries = W.ravel(order="K")  # a view; a copy of a wide W would cost as much as the pass
                record[e, RECORD.index("bits")] = bits_in_use(entries)
                record[e, 3:5] = np.sqrt([squared_norm(entries), squared_norm(b)])
                if record[e, _UPDATES] == 0:
                    return e + 1
        return len(record)

    def _passes_of_many(
        self, rows: Rows, W: Array, b: Array, watch: Any
    ) -> AbstractContextManager[Callable[[int], Array]]:
        """A pass of several classes as a function of the visits before it; it returns (mistakes, updates, absorbed)."""
        state = (self.step_rule(), float(self.fit_intercept))
        # Logs are of all classes in one order, so they are kept by one thread.
        alone = self.multi_class != "ovr" or not isinstance(watch, Mean | None)
        # What a sparse row waits for are the cache lines of weights, about 16 classes each: less is no share.
        shares = len(b) if isinstance(rows.X, np.ndarray) else max(1, len(b) // 16)
        n_threads = 1 if alone else count_threads(self.n_jobs, shares)
        if n_threads > 1:
            return threaded_passes(n_threads, rows, W, b, watch, *state)
        kernel = one_vs_rest_epoch if self.multi_class == "ovr" else multiclass_epoch
        return nullcontext(partial(one_pass, kernel, rows, W, b, watch, *state))

    def start(self, X: Any) -> None:
        super().start(X)
        self.n_iter_ = self.n_mistakes_ = self.n_updates_ = 0

    # -------------------------------------------------------------------- fit
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        reference: Hyperplane | tuple[Any, float] | None = None,
    ) -> Self:
        """Learn from all rows until a pass is clean or the budget ends.

        Parameters
        ----------
        X : {array, sparse matrix, dataframe}, shape (n_samples, n_features)
            float32 and float64 are used as they are, other dtypes as float64.
        y : array, shape (n_samples,)
            Labels: of two the second in sorted order is the positive class.
        sample_weight : array, shape (n_samples,), optional
            An update of row i is scaled by its weight. An integer weight k is *not* the same as k visits; a
            weight of 0 is the same as leaving the row out.
        reference : (w, b), optional
            Of two classes, a separator to compare with: the trace then holds the cosine of the angle to it and
            w.w* + b b*.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            For input that cannot be learnt from; the estimator is left as it was.
        KeyboardInterrupt
            On Ctrl-C, after the model so far has been kept (`stop_reason_` is "interrupted").

        Warns
        -----
        ConvergenceWarning
            When the budget ended before a clean pass.
        PrecisionWarning
            When an update no longer changed w, because w has outgrown the digits of its dtype.
        """
        stopped: KeyboardInterrupt | None = None
        with self.unchanged_on_error():
            self.check_parameters()
            rows, numbers = self.rows_to_fit(X, y, sample_weight, warm=self.warm_start and hasattr(self, "coef_"))
            plane = flatten_reference(reference, self.n_features_in_)
            if plane.size and len(self.classes_) > 2:
                raise ValueError(f"a reference is one hyperplane, for two classes; here are {len(self.classes_)}")
            try:
                self._train(rows, plane, numbers)
            except KeyboardInterrupt as interrupt:  # the model so far is kept
                stopped = interrupt
        if stopped is not None:
            raise stopped
        self.warn_unless_clean(len(rows.y))
        self.warn_if_absorbed(int(self.trace_.total_absorbed))
        return self

    # ------------------------------------------------------------------- loop
    def _train(self, rows: Rows, reference: Array, numbers: Array | None) -> None:
        n = len(rows.y)
        rng = check_random_state(self.random_state) if self.reorders() else None
        log = make_update_log() if self.trace == "updates" else None
        self.trace_ = Trace(n, log, numbers, visits=self.t_, compared=reference.size > 0)
        self.n_iter_ = self.n_mistakes_ = self.n_updates_ = 0
        hopeless = self.count_hopeless(rows)
        budget = Budget(self.max_iter, self.time_limit).start()
        batch = 1
        memory = self.prepare(rows)
        stop: StopReason | None = None
        try:
            while stop is None:
                if rng is not None:
                    rows = rows._replace(order=self.visiting_order(n, rng))
                began = budget.elapsed
                size = min(batch, self.batch_epochs)
                size = size if self.max_iter is None else min(size, self.max_iter - self.n_iter_)
                record = np.zeros((size, len(RECORD)))
                with uninterrupted():
                    record = record[: self.run(rows, memory, log, reference, record)]
                    if hopeless and (last := np.flatnonzero(record[:, _UPDATES] <= hopeless)).size:
                        record = record[: last[0] + 1]
                    self.t_ += n * len(record)
                    self.count_passes(record)
                    self.trace_.extend(record, (began, budget.elapsed))
                check_weights(record[-1, _NORM], self.moving()[0].dtype)
                stop = self.stop_after(record[-1, _UPDATES], hopeless) or budget.stop_reason(self.n_iter_)
                self._say(record, budget.elapsed)
                if rng is None and budget.elapsed - began < _BATCH_SECONDS:
                    batch *= 2
        except KeyboardInterrupt:
            stop = StopReason.INTERRUPTED
            raise
        finally:
            with uninterrupted():
                self.stop_reason_ = stop or StopReason.INTERRUPTED
                self.settle()
                if log is not None:
                    log.used[0] = self.n_updates_  # passes beyond an impossible stop do not count

    def count_hopeless(self, rows: Rows) -> int:
        """Updates of each pass that teach nothing: those of rows of zeros, whose decision value is 0 for ever."""
        if self.fit_intercept or not self._moves_on_zero_rows():
            return 0
        every_class = len(self.classes_) > 2 and self.multi_class == "ovr"
        zero = find_zero_rows(rows.X)
        light = 0 if rows.own is None or not every_class else int((zero & (rows.own == 0)).sum())
        return int(zero.sum()) * (len(self.classes_) if every_class else 1) - light

    def _moves_on_zero_rows(self) -> bool:
        """Whether a row of zeros is an update, though without an intercept it moves nothing."""
        return True

    def count_passes(self, record: Array) -> None:
        self.n_iter_ += len(record)
        self.n_mistakes_ += int(record[:, _MISTAKES].sum())
        self.n_updates_ += int(record[:, _UPDATES].sum())

    def _say(self, record: Array, seconds: float) -> None:
        report_epoch(self.verbose, self.n_iter_, int(record[-1, _MISTAKES]), seconds)

    def warn_unless_clean(self, n: int) -> None:
        if self.stop_reason_ is StopReason.CLEAN_PASS or not self.wants_clean_pass:
            return
        mistakes = int(self.trace_.mistakes[-1])
        warnings.warn(
            f"{type(self).__name__} stopped after {self.n_iter_} epochs: {self.stop_reason_.sentence}. "
            f"The last pass made {mistakes} mistakes on {n} rows. A separable table comes to a clean pass in the "
            "end: linsep.separability(X, y) decides whether this one is; if so raise max_iter or time_limit.",
            ConvergenceWarning,
            stacklevel=3,
        )

    def warn_if_absorbed(self, absorbed: int) -> None:
        if absorbed:
            dtype = self.moving()[0].dtype
            advice = "give float64 rows" if dtype == np.float32 else "scale the rows down, or stop earlier"
            warnings.warn(
                f"{absorbed} update(s) no longer changed w: its entries have outgrown {dtype} and absorb the rows "
                f"added to them. The mistakes since then teach nothing; {advice}.",
                PrecisionWarning,
                stacklevel=3,
            )

    # ---------------------------------------------------------------- helpers
    def check_parameters(self) -> None:
        check_epochs(self)
        check_class_weight(self.class_weight)


class EpochLearner(BatchLearner, OnlineClassifier):
    """A learner to whose passes it makes no difference whether the rows come all at once or one by one."""

    def settle_later(self) -> None:
        """The same after one row of a stream: where deriving costs more than the row, only when someone asks."""

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Make one pass over these rows, in the order given, from the weights so far.

        Row by row, in chunks or all at once gives the same weights to the last bit, those of a `fit` of one epoch
        without shuffling (with class_weight="balanced" frequencies are those of the rows seen so far).

        Parameters
        ----------
        X, y, sample_weight : as in `fit`
        classes : array, optional
            All labels that will ever come; needed at the first call unless `open_classes`.
        """
        with self.unchanged_on_error():
            self.check_parameters()
            parts = self.rows_to_add(X, y, classes, sample_weight)
        total, record = np.zeros((1, len(RECORD))), np.zeros((1, len(RECORD)))
        with uninterrupted():
            for rows in parts:
                if not len(rows.y):
                    continue
                record[:] = 0.0
                self.run(rows, None, None, np.empty(0), record)
                self.t_ += len(rows.y)
                total += record
            if not total[0, _DOTS]:  # all weights are 0: the rows are not there
                return self
            self.count_passes(total)
            self.settle()
        check_weights(record[0, _NORM], self.moving()[0].dtype)
        self.warn_if_absorbed(int(total[0, _ABSORBED]))
        return self

    def _learn_row(self, X: Any, label: Any, code: Any) -> None:
        own = 1.0
        if self.class_weight is not None:
            weights = self.class_weights(Given(X, np.asarray([label])), running=True)
            own = 1.0 if weights is None else float(weights[0])
        if own == 0 and self._moves_as_one():
            return
        mistakes, updates, absorbed = self._visit(X, code, own)
        if mistakes < 0:
            raise DataError("the row holds a value that is no finite number, or beyond 1e154")
        self.t_ += 1
        self.n_iter_ += 1
        self.n_mistakes_ += mistakes
        self.n_updates_ += updates
        self.settle_later()
        if absorbed:
            self.warn_if_absorbed(absorbed)

    def _visit(self, X: Any, code: Any, own: float) -> tuple[int, int, int]:
        """Visit the one row of `X`; return (mistakes, updates, absorbed), mistakes being -1 for a row not finite."""
        W, b = self.moving()
        step, rest = self.step_rule(), (float(self.fit_intercept), self.watch(), self.t_)
        if type(step) is PerceptronStep:
            step = step.margin
        if len(self.classes_) <= 2:
            return learn_row(X, code, own, step, W, b, *rest)
        together = self.multi_class == "multiclass"
        return learn_row_of_many(X, code, own, together, step, W, b, *rest)


def report_epoch(verbose: int | Progress, epochs: int, mistakes: int, seconds: float) -> None:
    """Tell a learner's `verbose` of an epoch: it is called, or a line on standard error is printed, or nothing."""
    if callable(verbose):
        verbose(epochs, mistakes, seconds)
    elif verbose:
        print(f"epoch {epochs}: {mistakes} mistakes, {seconds:.1f} s", file=sys.stderr)
