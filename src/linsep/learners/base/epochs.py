"""Linear learners that make passes: parameters, passes by a kernel, and incremental training."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from linsep.declared import ValueSpec
from linsep.learners.base.batch import BatchLearner
from linsep.learners.base.classifier import check_weights
from linsep.learners.base.labelled import LinearClassifier
from linsep.learners.base.loop import uninterrupted
from linsep.learners.base.parameters import (
    LEAST_CONSTANT,
    MOST_CONSTANT,
    check_class_weight,
    check_constant,
    check_options,
    check_run,
)
from linsep.learners.base.trace import Trace
from linsep.passes import PER_CLASS, RECORD, Rows, UpdateLog
from linsep.types import CSR, Array, OnesCSR, StopReason

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

    def check_parameters(self) -> None:
        """Raise for constructor parameters that make no sense."""
        check_options(self, "fit_intercept", "warm_start", "open_classes")
        check_options(self, multi_class=("ovr", "multiclass"), trace=("epochs", "updates"))
        check_run(self)
        if type(self.intercept_scaling) is not float or self.intercept_scaling != 1:
            check_constant(self.intercept_scaling)
        if self.class_weight is not None:
            check_class_weight(self.class_weight)

    def set_state(self, meta: dict[str, Any], arrays: dict[str, Array], classes: Array, names: Array | None) -> None:
        super().set_state(meta, arrays, classes, names)
        self.constant2_ = self.fit_intercept * self.intercept_scaling_**2

    # ------------------------------------------------------------------ hooks
    def step_rule(self) -> Any:
        """The step rule of this learner, as kernels read it: the margin up to which a perceptron moves, or another."""
        return 0.0

    def watch(self) -> Any:
        """What kernels update beside the weights (sums for a mean, say), or None."""
        return None

    # ------------------------------------------------------------------- pass
    def prepare(self, rows: Rows) -> Any:
        """The rows without their entries where all are 1: their sums are made in the same order, to the same bits."""
        from linsep.kernels.rows import are_ones

        X = rows.X
        if len(self.classes_) > 2 or not isinstance(X, CSR) or X.data.size < _MANY or not are_ones(X.data):
            return None
        return OnesCSR(X.indices, X.indptr)

    def run(self, rows: Rows, memory: Any, log: UpdateLog | None, reference: Array, record: Array) -> int:
        """Make up to len(record) passes, stopping after one without an update; return the number made.

        `memory` is what `prepare` returned, or None in `partial_fit`.
        """
        from linsep.kernels.linear.epoch import plain_epochs

        if isinstance(memory, OnesCSR):
            rows = rows._replace(X=memory)
        W, b = self.moving()
        watch = self.watch()
        watch = log if watch is None else watch if log is None else (watch, log)
        step, intercept = self.step_rule(), self.constant2_
        if len(self.classes_) <= 2:
            return int(plain_epochs(rows, step, W[0], b, intercept, watch, self.t_, reference, record, 0))
        return self._passes_of_many(rows, W, b, watch, record)

    def _passes_of_many(self, rows: Rows, W: Array, b: Array, watch: Any, record: Array) -> int:
        """The same for several classes."""
        from linsep.kernels.linear.epoch import bits_in_use, squared_norm
        from linsep.kernels.linear.multiclass import Classes, multiclass_epoch, one_vs_rest_epoch
        from linsep.kernels.rows import BLOCK

        kernel, n = one_vs_rest_epoch if self.multi_class == "ovr" else multiclass_epoch, len(rows.y)
        rule = self.step_rule(), self.constant2_
        model = Classes(W, b, np.zeros((BLOCK, len(b)), W.dtype), np.zeros((len(b), len(PER_CLASS)), np.int64))
        for e in range(len(record)):
            model.counts[:] = 0
            kernel(rows, rule[0], model, rule[1], watch, self.t_ + e * n)
            record[e, [RECORD.mistakes, RECORD.updates, RECORD.absorbed]] = model.counts.sum(axis=0)
            record[e, RECORD.dots] = n * len(b)
            entries = W.ravel(order="K")  # a view; a copy of a wide W would cost as much as the pass
            record[e, RECORD.bits] = bits_in_use(entries)
            record[e, [RECORD.norm_w, RECORD.b]] = np.sqrt([squared_norm(entries), squared_norm(b)])
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
        with one epoch and no shuffling. (With class_weight="balanced" frequencies are those of the rows so far.)

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
        check_weights(record[0, RECORD.norm_w], self.moving()[0].dtype)
        if total[0, RECORD.absorbed]:
            self._warn_of_absorbed(int(total[0, RECORD.absorbed]))
        return self
