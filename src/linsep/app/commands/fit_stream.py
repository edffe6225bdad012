"""`linsep fit` on a stream: one call of `linsep.fit_stream`, then its receipt."""

from __future__ import annotations

import os
import stat
import sys
import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from linsep.app.labelled import inputs, read_as_text
from linsep.app.learners import LEARNERS, Limits, make_learner, new_learner
from linsep.app.models import Keeper, origin_of_run, saved_when_trained, state_of
from linsep.app.progress import StreamLine
from linsep.app.report import check_report, page_of_stream, with_report
from linsep.app.result import Result, program
from linsep.data.features.missing import Missing
from linsep.data.inputs import Input, free_memory
from linsep.data.sources.open import find_files
from linsep.files import check_output, write_whole
from linsep.reporting.stream import stream_receipt
from linsep.streaming.fit_stream import fit_stream
from linsep.streaming.progressive import can_stream
from linsep.streaming.result import Say, StreamError, StreamFit, StreamWarning
from linsep.types import DataError


@dataclass(frozen=True)
class StreamOptions:
    """The options of streams alone, with the names that `linsep.fit_stream` uses."""

    passes: int = 1
    classes: tuple[str, ...] | None = None
    open_classes: bool = False
    bits: int = 18
    lenient: bool = False
    open_columns: bool = False
    checkpoint: Path | None = None
    checkpoint_rows: int = 1_000_000
    ball: float | None = None
    half_life: float | None = None
    drift: str | None = None
    max_columns: int = 1 << 24
    max_record_bytes: int = 1 << 24


def wants_stream(table: Any, query: str | None = None, share: float = 0.25) -> bool:
    """Whether a source is a pipe, or larger than a quarter of the free memory; of a query that is not known.

    Neither the format nor the compression nor the number of files matters: the same rows give the same model.
    """
    if str(table) == "-":
        return not stat.S_ISREG(os.fstat(sys.stdin.fileno()).st_mode)
    if query is not None or not isinstance(table, str | Path):
        return False
    try:
        files = [Input(name) for name in find_files(str(table))]
        pipes = [file for file in files if not file.can_be_read_again]
        total = 0 if pipes else sum(file.size or 0 for file in files)
    except (DataError, OSError):
        return False  # what is wrong with it is said when it is read
    free = free_memory()
    return bool(pipes) or (free is not None and total > share * free)


def fit_on_stream(
    table: Any,
    options: StreamOptions,
    *,
    target: str | None,
    positive: str | None,
    learner: str,
    intercept_scaling: float | str | None = None,
    model: Path,
    columns: Mapping[str, str],
    reading: Mapping[str, Any],
    missing: Missing | None = None,
    report: Path | None = None,
    say: Say,
) -> Result:
    """Train on a stream, save the model, and make its receipt."""
    estimator = _learner_called(learner, intercept_scaling)
    others = (options.checkpoint, *inputs(table))
    check_output(model, "the model", reads=others)
    check_report(report, model, *others)
    asked = {
        **asdict(options),
        "columns": columns,
        "target": target,
        "positive": positive,
        "categorical": read_as_text(columns),
        "missing": missing,
        **reading,
    }
    # A stream may be read only once.
    came_from = origin_of_run(dict.fromkeys(inputs(table)), hashed=False, query=reading.get("query"))
    said: list[str] = []
    with saved_when_trained(model, came_from, options.checkpoint) as keep:
        try:
            with StreamLine() as line, warnings.catch_warnings():
                warnings.simplefilter("always", StreamWarning)
                warnings.showwarning = partial(_take, said)
                found = fit_stream(str(table), estimator, **asked, verbose=say, callback=line)
        except StreamError as error:
            rows = error.so_far.counters.rows
            keep.origin["data_hash"] = error.so_far.data_hash
            keep(error.so_far.model, f"the model of the first {rows:,} rows is in {model}")
            raise DataError(error.reason) from None
        keep.origin["data_hash"] = found.data_hash
        if found.was_finished:
            said.append(_written_again(found, options.checkpoint, model, keep))
        else:
            keep(found.model)
        if found.interrupted:
            said.append(f"interrupted after {found.counters.rows:,} rows; the model so far is in {model}")
        return _result(found, model, said, report)


def _take(said: list[str], message: Warning | str, category: type[Warning], *_: object) -> None:
    """Keep a warning of the stream for the end."""
    if issubclass(category, StreamWarning):
        said.append(str(message))


def _learner_called(name: str, intercept_scaling: float | str | None) -> Any:
    """The learner of that name, if it can stream."""
    options = {"intercept_scaling": intercept_scaling}
    estimator = None if name == "auto" else make_learner(name, Limits(None, None, 0), **options)
    if estimator is None or not can_stream(estimator):
        fit_for_it = [known for known in LEARNERS if can_stream(new_learner(known))]
        raise DataError(
            f"the learner {name} cannot learn from a stream, because it needs all rows or keeps them; use "
            f"{', '.join(fit_for_it[:-1])} or {fit_for_it[-1]}"
        )
    return estimator


def _written_again(found: StreamFit, checkpoint: Path | None, model: Path, keep: Keeper) -> str:
    """Write the model of a finished checkpoint unless the file holds it already; return a message."""
    before = state_of(model)
    raw = None if before is None else model.read_bytes()
    keep(found.model)
    if raw is not None and before == state_of(model):
        write_whole(model, raw, "the model")  # with what it says of where it comes from
        return f"{checkpoint} is finished: nothing was changed"
    return f"{checkpoint} is finished: {model} was written from it"


def _result(found: StreamFit, model: Path, said: list[str], report: Path | None) -> Result:
    receipt = stream_receipt(found)
    shown = [*receipt.lines, ("model", f"{model} (next: {program()} show {model})")]
    data = {**receipt.data, "model": str(model)}
    result = Result(shown, data, [*said, *receipt.warnings], found.interrupted, details=receipt.details)
    return with_report(result, report, page_of_stream(found.model, receipt))
