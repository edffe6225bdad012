"""`linsep fit` on a table that fits into memory."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from linsep.app.labelled import inputs, open_labelled, read_as
from linsep.app.learners import Limits, check_weights, class_weight_of, make_ladder, make_learner
from linsep.app.models import origin_of_run, saved_when_trained, stamps_of
from linsep.app.progress import EpochProgress
from linsep.app.report import check_report, page_of_fit, with_report
from linsep.app.result import Result, program
from linsep.data.features.missing import Missing
from linsep.files import check_output
from linsep.reporting.table_fit import fit_table


def fit(
    table: Any,
    *,
    target: str | None,
    positive: str | None,
    learner: str,
    max_iter: int | None,
    time_limit: float | None,
    holdout: float,
    group: str | None = None,
    after: str | None = None,
    model: Path,
    reading: Mapping[str, Any] | None = None,
    missing: Missing | None = None,
    columns: Mapping[str, str] | None = None,
    report: Path | None = None,
    seed: int = 0,
    class_weight: tuple[str, ...] = (),
    sample_weight: str | None = None,
    probabilities: bool = False,
    progress: EpochProgress | None = None,
    **options: Any,
) -> Result:
    """Encode a table, train on it with the `options` that are not None, save the model, and make its receipt."""
    check_output(model, "the model", reads=inputs(table))
    check_report(report, model, *inputs(table))
    with progress or EpochProgress(max_iter, time_limit) as line:
        line.step("reading")
        stamps = stamps_of(inputs(table))
        source = open_labelled(table, target, columns or {}, reading or {})
        if class_weight:
            options["class_weight"] = class_weight_of(class_weight, source.read().y, positive)
        limits = Limits(max_iter, time_limit, seed)
        chosen = make_ladder(limits, **options) if learner == "auto" else make_learner(learner, limits, **options)
        check_weights(chosen, sample_weight)
        train = partial(fit_table, positive=positive, holdout=holdout, group=group, after=after)
        train = partial(train, missing=missing, columns=columns)
        train = partial(train, sample_weight=sample_weight, probabilities=probabilities)
        source.read()  # what is hashed then is what was read
        origin = origin_of_run(stamps, hashed=True, query=(reading or {}).get("query"))
        with saved_when_trained(model, origin) as keep:
            found = train(source, chosen, verbose=line, on_trained=keep, on_step=line.step)
            said = list(map(_on_the_command_line, found.warnings))
            if found.interrupted:
                said.append(keep.what_was_kept(found.model))
            receipt = found.receipt
            lines = [*read_as(source), *receipt.lines, ("model", f"{model} (next: {program()} show {model})")]
            data = {**receipt.data, "model": str(model)}
            result = Result(lines, data, said, found.interrupted, details=receipt.details)
            return with_report(result, report, page_of_fit(found))


def _on_the_command_line(warning: str) -> str:
    """What a learner advises, in the words of this program."""
    warning = warning.replace("linsep.separability(X, y)", "`linsep check`")
    return warning.replace("max_iter or time_limit", "--max-iter or --time-limit")
