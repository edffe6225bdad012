"""Learners that make passes over their rows: checks, the one loop, warnings; linear ones, and more rows later."""

from __future__ import annotations

import sys
import warnings
from typing import Any, ClassVar, Self

import numpy as np

from linsep import scikit
from linsep.declared import MOST, ValueSpec
from linsep.learners.base.classifier import STOP_REASON, check_weights
from linsep.learners.base.few_passes import few_epochs
from linsep.learners.base.labelled import LabelledClassifier, LinearClassifier
from linsep.learners.base.loop import Progress, run_epochs, shuffled_order, uninterrupted
from linsep.learners.base.parameters import (
    LEAST_CONSTANT,
    MOST_CONSTANT,
)
from linsep.learners.base.trace import Trace, flatten_reference, make_update_log
from linsep.markup import count
from linsep.passes import RECORD, Rows, UpdateLog
from linsep.types import CSR, Array, Budget, DataError, Hyperplane, OnesCSR, PrecisionWarning, StopReason, row_from_0

# What a run without a clean pass says of separability, as long as nobody has asked.
NOT_DECIDED = (
    "If the rows are separable, such a pass comes in the end: linsep.separability(X, y) decides whether they are; if "
    "so raise max_iter or time_limit."
)


def _refuse_zeros(X: Any) -> None:
    """Raise DataError for a row of zeros: without an intercept it is a mistake in every pass, which nothing ends."""
    if isinstance(X, np.ndarray):
        some = X.any(axis=1)
    else:
        n, of_ones = len(X.indptr) - 1, isinstance(X, OnesCSR)
        some = np.bincount(np.repeat(np.arange(n), np.diff(X.indptr)), None if of_ones else X.data != 0, n) > 0
    if not some.all():
        raise DataError(
            f"{row_from_0(np.argmin(some))} is all zeros, and without an intercept it is a mistake in every pass: "
            "leave it out, or give max_iter or time_limit"
        )


def measure(record: Array, W: Array, b: Array) -> None:
    """Write down the length and the bits of W after a pass, and b, of several classes its length. Changes `record`."""
    from linsep.kernels.linear.epoch import bits_in_use, squared_norm

    entries = W.ravel(order="K")  # a view; a copy of a wide W would cost as much as the pass
    record[RECORD.bits] = bits_in_use(entries)
    record[RECORD.norm_w] = np.sqrt(squared_norm(entries))
    record[RECORD.b] = b[0] if len(b) == 1 else np.sqrt(squared_norm(b))


class BatchLearner(LabelledClassifier):
    """A learner that makes passes over its rows until one is clean or the budget ends.

    A subclass says how to start (`start`) and how to run passes (`run`).
    """

    state_values: ClassVar[dict[str, ValueSpec]] = {
        **LabelledClassifier.state_values,
        "stop_reason_": STOP_REASON,
        "weighted_": ValueSpec("flag", needed=False),
    }
    # Whether a budget that ends before a clean pass is worth a warning.
    wants_clean_pass: ClassVar[bool] = True
    # Epochs that one call of `run` may be asked for.
    batch_epochs: ClassVar[int] = 4096
    # The dtype of ||w||^2; None: that of the rows.
    summed_in: ClassVar[Any] = None
    # Whether it moves by y x on mistakes and on nothing else, as the mistake bounds assume.
    unit_steps: ClassVar[bool] = True

    max_iter: int | None
    time_limit: float | None
    shuffle: bool
    random_state: Any
    verbose: int | Progress
    stop_reason_: StopReason
    trace_: Trace

    # ------------------------------------------------------------------ hooks
    def run(self, rows: Rows, memory: Any, log: UpdateLog | None, reference: Array, record: Array) -> int:
        """Make up to len(record) passes, stopping after one without an update; return the number made.

        `memory` is what `prepare` returned, or None in `partial_fit`.
        """
        raise NotImplementedError

    def _counts_survival(self) -> bool:
        """Whether vectors count by the rows that they survive, and so the epochs left out after a clean pass too."""
        return False

    def settle(self) -> None:
        """Derive what predictions use from what passes moved."""

    def prepare(self, rows: Rows) -> Any:
        """Return what the passes of one `fit` over these rows remember from pass to pass."""
        return None

    def reorders(self) -> bool:
        """Whether each pass visits rows in an order of its own."""
        return self.shuffle

    def visiting_order(self, n: int, rng: np.random.RandomState) -> Array:
        """The n rows that a shuffled pass visits."""
        return shuffled_order(n, rng)

    def stop_after(self, record: Array) -> StopReason | None:
        """The reason to stop after these passes, or None."""
        return None if record[-1, RECORD.updates] else StopReason.CLEAN_PASS

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
            w.w* + b b* / c^2.

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
            warm = getattr(self, "warm_start", False) and hasattr(self, "coef_")
            rows, numbers = self.rows_to_fit(X, y, sample_weight, warm=warm)
            plane = flatten_reference(reference, self.n_features_in_)
            if plane.size and len(self.classes_) > 2:
                raise ValueError(f"a reference is one hyperplane, for two classes; here are {len(self.classes_)}")
            try:
                self._train(rows, plane, numbers)
            except KeyboardInterrupt as interrupt:  # the model so far is kept
                stopped = interrupt
        if stopped is not None:
            raise stopped
        self.warn_of_run(len(rows.y))
        return self

    def _train(self, rows: Rows, reference: Array, numbers: Array | None) -> None:
        """Make the passes of one `fit`."""
        n = len(rows.y)
        rng = scikit.random_state(self.random_state) if self.reorders() else None
        constant2 = getattr(self, "constant2_", 1.0)
        if not constant2 and self.max_iter is None and self.time_limit is None:
            _refuse_zeros(rows.X)
        log = make_update_log() if getattr(self, "trace", "epochs") == "updates" else None
        told: dict[str, Any] = {"visits": self.t_, "compared": reference.size > 0, "constant2": constant2}
        self.trace_ = Trace(n, log, numbers, **told)
        self.n_iter_ = self.n_mistakes_ = self.n_updates_ = 0
        memory = self.prepare(rows)
        dtype = self.summed_in or self.moving()[0].dtype

        def make_passes(most: int) -> Array:
            ordered = rows
            if rng is not None:
                ordered = rows._replace(order=self.visiting_order(n, rng))
            record = np.zeros((most, len(RECORD)))
            record = record[: self.run(ordered, memory, log, reference, record)]
            self.t_ += n * len(record)
            check_weights(float(record[-1, RECORD.norm_w]), dtype)
            return record

        run_epochs(
            make_passes,
            stop_after=self.stop_after,
            end=self._end,
            budget=Budget(self.max_iter, self.time_limit),
            trace=self.trace_,
            verbose=self.verbose,
            most=self.batch_epochs if rng is None else 1,
        )

    def _learn_more(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> Self:
        """Make one pass over these rows, from what was learnt so far."""
        total, record = np.zeros((1, len(RECORD))), np.zeros((1, len(RECORD)))
        with self.unchanged_on_error():
            self.check_parameters()
            parts = self.rows_to_add(X, y, classes, sample_weight)
        with uninterrupted():
            for rows in parts:
                if not len(rows.y):
                    continue
                record[:] = 0.0
                self.run(rows, None, None, np.empty(0), record)
                self.t_ += len(rows.y)
                total += record
            if not total[0, RECORD.dots]:  # all rows have weight 0
                return self
            self.count_passes(total)
            self.settle()
        check_weights(record[0, RECORD.norm_w], self.summed_in or self.moving()[0].dtype)
        if total[0, RECORD.absorbed]:
            self._warn_of_absorbed(int(total[0, RECORD.absorbed]))
        return self

    def count_passes(self, record: Array) -> None:
        """Add passes to the counters."""
        self.n_iter_ += len(record)
        self.n_mistakes_ += int(record[:, RECORD.mistakes].sum())
        self.n_updates_ += int(record[:, RECORD.updates].sum())

    def _end(self, stop: StopReason) -> None:
        trace = self.trace_
        self.stop_reason_ = stop
        self.n_iter_, self.n_mistakes_, self.n_updates_ = trace.total_epochs, trace.total_mistakes, trace.total_updates
        if stop is StopReason.CLEAN_PASS and self._counts_survival() and self.max_iter is not None:
            # No pass from here on would change a weight. A count that a model file could not hold is cut.
            self.t_ = min(MOST, self.t_ + trace.n_rows * (self.max_iter - trace.total_epochs))
        self.settle()

    # --------------------------------------------------------------- warnings
    def warn_of_run(self, n: int) -> None:
        """Warn of a run over n rows that ended before a clean pass, and of updates without effect."""
        if self.stop_reason_ is not StopReason.CLEAN_PASS and self.wants_clean_pass:
            mistakes, k = int(self.trace_.mistakes[-1]), len(self.classes_)
            each = k > 2 and getattr(self, "multi_class", "") == "ovr"
            rows = f"on {n} rows" + (f", counted for each of {k} classes against the rest" if each else "")
            warnings.warn(
                f"{type(self).__name__} stopped after {self.n_iter_} epochs: {self.stop_reason_.sentence}. "
                f"The last pass made {count(mistakes, 'mistake')} {rows}. {NOT_DECIDED}",
                scikit.ConvergenceWarning,
                stacklevel=3,
            )
        if self.trace_.total_absorbed:
            self._warn_of_absorbed(self.trace_.total_absorbed, stacklevel=4)

    def _warn_of_absorbed(self, absorbed: int, stacklevel: int = 3) -> None:
        dtype = self.moving()[0].dtype
        advice = "give float64 rows" if dtype == np.float32 else "scale the rows down, or stop earlier"
        warnings.warn(
            f"{absorbed} update(s) no longer changed w: its entries are too large for {dtype}, so the rows "
            f"added to them are lost. The mistakes since then change nothing; {advice}.",
            PrecisionWarning,
            stacklevel=stacklevel,
        )


# Fewer stored entries are read sooner than a pass without them is compiled. It takes half of the time in the end.
_MANY = 1_000_000


class LinearBatchLearner(BatchLearner, LinearClassifier):
    """A linear learner that makes passes over its rows; `EpochLearner` can also be trained further on new rows."""

    state_values: ClassVar[dict[str, ValueSpec]] = {
        **BatchLearner.state_values,
        "intercept_scaling_": ValueSpec("number", least=LEAST_CONSTANT, most=MOST_CONSTANT),
    }

    warm_start: bool
    trace: str

    def set_state(self, meta: dict[str, Any], arrays: dict[str, Array], classes: Array, names: Array | None) -> None:
        super().set_state(meta, arrays, classes, names)
        self.constant2_ = self.fit_intercept * self.intercept_scaling_**2

    # ------------------------------------------------------------------ hooks
    def step_rule(self) -> Any:
        """The step rule of this learner, as kernels read it: the margin up to which a perceptron moves, or another."""
        return 0.0

    def watch(self, memory: Any = None) -> Any:
        """What kernels update beside the weights (sums for a mean, say), or None; `memory` is that of `run`."""
        return None

    # ------------------------------------------------------------------- pass
    def prepare(self, rows: Rows) -> Any:
        """The rows without their entries where all are 1: their sums are made in the same order, to the same bits."""
        X = rows.X
        if len(self.classes_) > 2 or not isinstance(X, CSR) or X.data.size < _MANY:
            return None
        from linsep.kernels.rows import are_ones

        return OnesCSR(X.indices, X.indptr) if are_ones(X.data) else None

    def run(self, rows: Rows, memory: Any, log: UpdateLog | None, reference: Array, record: Array) -> int:
        """Make up to len(record) passes, stopping after one without an update; return the number made.

        `memory` is what `prepare` returned, or None in `partial_fit`.
        """
        if isinstance(memory, OnesCSR):
            rows = rows._replace(X=memory)
        W, b = self.moving()
        watch = self.watch(memory)
        watch = log if watch is None else watch if log is None else (watch, log)
        step, intercept = self.step_rule(), self.constant2_
        if "numba" not in sys.modules:
            together = len(self.classes_) > 2 and self.moves_together()
            made = few_epochs(rows, together, step, W, b, intercept, watch, self.t_, reference, record)
            if made:
                return made
        if len(self.classes_) <= 2:
            from linsep.kernels.linear.epoch import plain_epochs

            return int(plain_epochs(rows, step, W[0], b, intercept, watch, self.t_, reference, record, 0))
        return self._passes_of_many(rows, W, b, watch, record)

    def _passes_of_many(self, rows: Rows, W: Array, b: Array, watch: Any, record: Array) -> int:
        """The same for several classes."""
        from linsep.kernels.linear.multiclass import epoch_of_many, with_scratch

        model, rule, n = with_scratch(W, b), (self.moves_together() or None, self.step_rule()), len(rows.y)
        for e in range(len(record)):
            model.counts[:] = 0
            epoch_of_many(rows, *rule, model, self.constant2_, watch, self.t_ + e * n)
            record[e, [RECORD.mistakes, RECORD.updates, RECORD.absorbed]] = model.counts.sum(axis=0)
            record[e, RECORD.dots] = n * len(b)
            measure(record[e], W, b)
            if record[e, RECORD.updates] == 0:
                return e + 1
        return len(record)


class EpochLearner(LinearBatchLearner):
    """A linear learner that supports incremental training: rows all at once or one by one give the same weights."""

    def start(self, X: Any) -> None:
        """Set the state of an untrained learner: w = 0, b = 0, nothing counted."""
        super().start(X)
        self.n_iter_ = self.n_mistakes_ = self.n_updates_ = 0

    def end_run(self, stop: StopReason, n_epochs: int, trace: Trace | None = None) -> None:
        """Record why a run that others made ended, its epochs in all and, if one was kept, its trace."""
        self.stop_reason_, self.n_iter_ = stop, n_epochs
        if trace is not None:
            self.trace_ = trace

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Make one pass over these rows, in the order given, from the weights so far.

        The weights are the same to the last bit whether rows come one by one, in chunks or all at once: those of `fit`
        with one epoch and no shuffling.

        Parameters
        ----------
        X : {array, sparse matrix, dataframe}, shape (n_samples, n_features)
            The rows.
        y : array, shape (n_samples,)
            Their labels.
        classes : array, optional
            All labels that may come; needed in the first call unless `open_classes`.
        sample_weight : array, shape (n_samples,), optional
            Factor on the update of each row.

        Returns
        -------
        self
        """
        return self._learn_more(X, y, classes, sample_weight)
