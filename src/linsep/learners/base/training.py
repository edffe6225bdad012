"""Passes of a learner over its rows, what they count, and what is warned of afterwards.

In: a learner and its checked rows. Out: its weights, counters and trace.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from linsep import scikit
from linsep.declared import MOST
from linsep.learners.base.labelled import rows_to_add
from linsep.learners.base.loop import run_epochs, uninterrupted
from linsep.learners.base.trace import Trace, make_update_log
from linsep.markup import count
from linsep.passes import RECORD, Rows
from linsep.types import Array, Budget, DataError, OnesCSR, PrecisionWarning, StopReason, row_from_0

if TYPE_CHECKING:
    from linsep.learners.base.classifier import Classifier

# What a run without a clean pass says of separability, as long as nobody has asked.
NOT_DECIDED = (
    "If the rows are separable, such a pass comes in the end: linsep.separability(X, y) decides whether they are; if "
    "so raise max_iter or time_limit."
)


def train(learner: Classifier, rows: Rows, reference: Array, numbers: Array | None) -> None:
    """Make the passes of one `fit`; `numbers` are the original indices of the rows, if some were left out."""
    n = len(rows.y)
    rng = scikit.random_state(learner.random_state) if learner.reorders() else None
    constant2 = getattr(learner, "constant2_", 1.0)
    if not constant2 and learner.max_iter is None and learner.time_limit is None:
        refuse_zeros(rows.X)
    log = make_update_log() if getattr(learner, "trace", "epochs") == "updates" else None
    told: dict[str, Any] = {"visits": learner.t_, "compared": reference.size > 0, "constant2": constant2}
    trace = learner.trace_ = Trace(n, log, numbers, **told)
    learner.n_iter_ = learner.n_mistakes_ = learner.n_updates_ = 0
    memory = learner.prepare(rows)
    dtype = learner.summed_in or learner.moving()[0].dtype

    def make_passes(most: int) -> Array:
        ordered = rows
        if rng is not None:
            ordered = rows._replace(order=learner.visiting_order(n, rng))
        record = np.zeros((most, len(RECORD)))
        record = record[: learner.run(ordered, memory, log, reference, record)]
        learner.t_ += n * len(record)
        check_weights(float(record[-1, RECORD.norm_w]), dtype)
        return record

    def end(stop: StopReason) -> None:
        learner.n_mistakes_, learner.n_updates_ = trace.total_mistakes, trace.total_updates
        if stop is StopReason.CLEAN_PASS and learner.counts_survival() and learner.max_iter is not None:
            # No pass from here on would change a weight. A count that a model file could not hold is cut.
            learner.t_ = min(MOST, learner.t_ + n * (learner.max_iter - trace.total_epochs))
        learner.settle()
        learner.end_run(stop, trace.total_epochs)

    run_epochs(
        make_passes,
        stop_after=learner.stop_after,
        end=end,
        budget=Budget(learner.max_iter, learner.time_limit),
        trace=trace,
        verbose=learner.verbose,
        most=learner.batch_epochs if rng is None else 1,
    )


def learn_more(learner: Classifier, X: Any, y: Any, classes: Any, sample_weight: Any) -> None:
    """Make one pass over these rows, from what was learnt so far."""
    total, record = np.zeros((1, len(RECORD))), np.zeros((1, len(RECORD)))
    with learner.unchanged_on_error():
        learner.check_parameters()
        parts = rows_to_add(learner, X, y, classes, sample_weight)
    with uninterrupted():
        for rows in parts:
            if not len(rows.y):
                continue
            record[:] = 0.0
            learner.run(rows, None, None, np.empty(0), record)
            learner.t_ += len(rows.y)
            total += record
        if not total[0, RECORD.dots]:  # all rows have weight 0
            return
        count_passes(learner, total)
        learner.settle()
    check_weights(record[0, RECORD.norm_w], learner.summed_in or learner.moving()[0].dtype)
    if total[0, RECORD.absorbed]:
        warn_of_absorbed(learner, int(total[0, RECORD.absorbed]), stacklevel=4)


def count_passes(learner: Classifier, record: Array) -> None:
    """Add passes to the counters."""
    learner.n_iter_ += len(record)
    learner.n_mistakes_ += int(record[:, RECORD.mistakes].sum())
    learner.n_updates_ += int(record[:, RECORD.updates].sum())


def refuse_zeros(X: Any) -> None:
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


def check_weights(norm: float, dtype: Any) -> None:
    """Raise unless ||w||^2 fits the dtype of w: then w.x fits too, for every row that `check_entries` accepted.

    Raises
    ------
    DataError
    """
    if not norm * norm < float(np.finfo(dtype).max):
        raise DataError(
            f"w is too large for {dtype}: ||w|| is {norm:.3g}, so decision values may overflow. Scale the columns down"
            f"{', give float64 rows' if dtype == np.float32 else ''} or start again."
        )


def measure(record: Array, W: Array, b: Array) -> None:
    """Write down the length and the bits of W after a pass, and b, of several classes its length. Changes `record`."""
    from linsep.kernels.linear.epoch import bits_in_use, squared_norm

    entries = W.ravel(order="K")  # a view; a copy of a wide W would cost as much as the pass
    record[RECORD.bits] = bits_in_use(entries)
    record[RECORD.norm_w] = np.sqrt(squared_norm(entries))
    record[RECORD.b] = b[0] if len(b) == 1 else np.sqrt(squared_norm(b))


# --------------------------------------------------------------------------- warnings
def warn_of_run(learner: Classifier, n: int) -> None:
    """Warn that a run over n rows ended before a clean pass."""
    mistakes, k = int(learner.trace_.mistakes[-1]), len(learner.classes_)
    each = k > 2 and getattr(learner, "multi_class", "") == "ovr"
    rows = f"on {n} rows" + (f", counted for each of {k} classes against the rest" if each else "")
    warnings.warn(
        f"{type(learner).__name__} stopped after {learner.n_iter_} epochs: {learner.stop_reason_.sentence}. "
        f"The last pass made {count(mistakes, 'mistake')} {rows}. {NOT_DECIDED}",
        scikit.ConvergenceWarning,
        stacklevel=4,
    )


def warn_of_absorbed(learner: Classifier, absorbed: int, stacklevel: int = 3) -> None:
    """Warn of updates that rounding left without effect."""
    dtype = learner.moving()[0].dtype
    advice = "give float64 rows" if dtype == np.float32 else "scale the rows down, or stop earlier"
    warnings.warn(
        f"{absorbed} update(s) no longer changed w: its entries are too large for {dtype}, so the rows "
        f"added to them are lost. The mistakes since then change nothing; {advice}.",
        PrecisionWarning,
        stacklevel=stacklevel,
    )
