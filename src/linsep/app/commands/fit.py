"""`linsep fit` on a table that fits into memory."""

from __future__ import annotations

import time
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from linsep.app.commands.labelled import encode_labels, inputs, open_labelled
from linsep.app.learners import Limits, climb_ladder, make_learner
from linsep.app.progress import EpochProgress
from linsep.app.report import check_report, page_of_fit, with_report
from linsep.app.result import Result, program
from linsep.data.features.encoder import TableEncoder
from linsep.files import check_output
from linsep.reporting.receipt import Receipt, hold_out, make_receipt
from linsep.store import save


def fit(
    table: Any,
    *,
    target: str | None,
    positive: str | None,
    learner: str,
    max_iter: int | None,
    time_limit: float | None,
    holdout: float,
    model: Path,
    categorical: tuple[str, ...] = (),
    format: str | None = None,
    report: Path | None = None,
    seed: int = 0,
    **options: Any,
) -> Result:
    """Encode a table, train on it with the `options` that are not None, save the model, and make its receipt."""
    check_output(model, "the model", reads=inputs(table))
    check_report(report, model, *inputs(table))
    source = open_labelled(table, target, format, categorical)
    encoder = TableEncoder().fit(source)
    rows = encoder.transform(source)
    codes, classes = encode_labels(rows.y, positive)
    with EpochProgress(max_iter, time_limit) as progress, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        limits = Limits(max_iter, time_limit, progress, seed)
        if learner == "auto":
            estimator, choice = climb_ladder(rows.X, codes, limits, **options)
        else:
            estimator, choice = make_learner(learner, limits, **options), Receipt([], {})
        interrupted = False
        began = time.perf_counter()
        try:
            estimator.fit(rows.X, codes)
        except KeyboardInterrupt:
            if not hasattr(estimator, "stop_reason_"):
                raise
            interrupted = True
        took = time.perf_counter() - began
        if hasattr(estimator, "verbose"):
            estimator.verbose = 0
        held_out = hold_out(estimator, rows.X, codes, holdout) if holdout and not interrupted else None
    said = [_on_the_command_line(str(w.message)) for w in caught if issubclass(w.category, ConvergenceWarning)][:1]
    if interrupted:
        when = f"in epoch {estimator.n_iter_:,}" if estimator.n_iter_ else "before the first epoch"
        said.append(f"interrupted {when}; the model so far is in {model}")
    estimator.classes_ = classes
    estimator.encoder_ = encoder
    save(estimator, model)
    receipt = make_receipt(estimator, rows.X, classes[codes], seconds=took, held_out=held_out, prove=not interrupted)
    lines = [*choice.lines, *receipt.lines, ("model", f"{model} (next: {program()} show {model})")]
    result = Result(lines, {**choice.data, **receipt.data, "model": str(model)}, said, interrupted)
    told = replace(receipt, lines=[*choice.lines, *receipt.lines])
    return with_report(result, report, page_of_fit(estimator, rows.X, classes[codes], source, told))


def _on_the_command_line(warning: str) -> str:
    """What a learner advises, in the words of this program."""
    warning = warning.replace("linsep.separability(X, y)", "`linsep check`")
    return warning.replace("max_iter or time_limit", "--max-iter or --time-limit")
