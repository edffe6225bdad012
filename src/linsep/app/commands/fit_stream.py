"""`linsep fit` on a stream: what is opened, what is kept, what is told."""

from __future__ import annotations

import glob
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from linsep.app.learners import Limits, make_learner
from linsep.app.report import check_report, page_of_stream, with_report
from linsep.app.result import Result, program
from linsep.data.features.encoder import TableEncoder
from linsep.data.sources.rowstream import RowStream, is_stream_only
from linsep.files import check_output
from linsep.reporting.stream import stream_receipt
from linsep.streaming.checkpoint import Checkpoint
from linsep.streaming.drift import DriftAlarm
from linsep.streaming.labels import StreamLabels
from linsep.streaming.progressive import can_stream
from linsep.streaming.run import Safeguards, Say, StreamFit
from linsep.types import DataError


@dataclass(frozen=True)
class StreamOptions:
    """What `fit` was asked for beside the source and the learner."""

    passes: int = 1
    classes: tuple[str, ...] | None = None
    open_classes: bool = False
    text: tuple[str, ...] = ()
    bits: int = 18
    lenient: bool = False
    checkpoint: Path | None = None
    every: int = 1_000_000
    ball: float | None = None
    half_life: float | None = None
    drift: str | None = None
    open_columns: bool = False


def wants_stream(table: Any, format: str | None, share: float = 0.25) -> bool:
    """Whether a source is a pipe, larger than a quarter of the free memory, or of a kind that is only read so."""
    if str(table) == "-":
        return not stat.S_ISREG(os.fstat(sys.stdin.fileno()).st_mode)
    if not isinstance(table, str | Path):
        return False
    if not Path(table).is_file() or is_stream_only(str(table), format):
        return Path(table).exists() or glob.has_magic(str(table))
    size = Path(table).stat().st_size
    free = free_memory()
    return free is not None and size > share * free


def free_memory() -> int | None:
    """Bytes that a process may still take; None where the system does not tell."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return None


def fit_stream(
    table: Any,
    options: StreamOptions,
    *,
    target: str | None,
    positive: str | None,
    learner: str,
    model: Path,
    categorical: tuple[str, ...],
    format: str | None,
    report: Path | None = None,
    say: Say,
) -> Result:
    """Train on a stream, save the model, and make its receipt."""
    stream = RowStream(
        str(table),
        target=target,
        format=format,
        categorical=categorical,
        bits=options.bits,
        lenient=options.lenient,
        open_columns=options.open_columns,
    )
    check_output(model, "the model", reads=(options.checkpoint, *stream.files))
    check_report(report, model, options.checkpoint, *stream.files)
    if stream.kind == "table" and target is None:
        raise DataError("name the column that holds the label with --target")
    if options.passes > 1 and not stream.can_be_read_again:
        raise DataError("a pipe can be read once: leave out --passes, or write the rows to a file")
    run = _begin(stream, options, target, positive, learner, say)
    asked = {"target": target, "positive": positive, "learner": learner, "categorical": list(categorical)}
    with _checkpoint(run, options, asked) as checkpoint:
        if run.counters.finished:
            if not model.exists():
                run.save(model)
                return _result(run, model, [f"{options.checkpoint} is finished: {model} was written from it"], report)
            return _result(run, model, [f"{options.checkpoint} is finished: nothing was changed"], report)
        try:
            run.run()
        except DataError as found:
            error = stream.error or found  # the rows before a malformed line may be too few to begin with
            if not run.counters.rows:
                raise error from None
            run.save(model)
            rows = run.counters.rows
            raise DataError(f"{error}; the model of the {rows:,} rows before it is in {model}") from None
        run.save(model)
        if checkpoint is not None:  # after the model: a checkpoint that is finished has one
            checkpoint.write(run)
    return _result(run, model, _warnings(run), report)


def _begin(
    stream: RowStream, options: StreamOptions, target: str | None, positive: str | None, learner: str, say: Say
) -> StreamFit:
    estimator = None if learner == "auto" else make_learner(learner, Limits(None, None))
    if estimator is None or not can_stream(estimator):
        raise DataError(
            f"the learner {learner} needs all rows, or keeps them: a stream has no room for that; take perceptron, "
            "averaged, margin, pa, pa1 or pa2"
        )
    estimator.set_params(open_classes=options.open_classes)
    labels = StreamLabels(list(options.classes) if options.classes else None, positive, options.open_classes)
    text = _text_columns(options.text)
    encoder = TableEncoder(bits=options.bits, text=text, open_columns=options.open_columns)
    encoder.target = target
    run = StreamFit(stream, estimator, encoder, labels, options.passes, say)
    run.safeguards = Safeguards(options.ball, options.half_life)
    return run


@contextmanager
def _checkpoint(run: StreamFit, options: StreamOptions, asked: dict[str, Any]) -> Iterator[Checkpoint | None]:
    """What is done after each chunk: drift alarms, checkpoints."""
    alarm = None if options.drift is None else DriftAlarm(options.drift)
    if alarm is not None:
        run.after_chunk.append(alarm.hear)
    if options.checkpoint is None:
        yield None
        return
    others = {name: value for name, value in asdict(options).items() if name not in ("checkpoint", "classes", "text")}
    listed = {"classes": list(options.classes or ()), "text": list(options.text)}
    restart = (lambda: None) if alarm is None else alarm.restart
    checkpoint = Checkpoint(options.checkpoint, options.every, asked | others | listed, run.say, restart)
    try:
        if checkpoint.resume(run) and not run.counters.finished:
            run.say(f"going on from {options.checkpoint}, after {run.counters.rows:,} rows")
        run.after_chunk.append(checkpoint.after_chunk)
        yield checkpoint
    finally:
        checkpoint.close()


def _result(run: StreamFit, model: Path, said: list[str], report: Path | None) -> Result:
    lines, data = stream_receipt(run)
    shown = [*lines, ("model", f"{model} (next: {program()} show {model})")]
    result = Result(shown, {**data, "model": str(model)}, said, run.interrupted)
    return with_report(result, report, page_of_stream(run.model(), lines))


def _text_columns(given: tuple[str, ...]) -> dict[str, str]:
    """COL or COL=words1-2 as {COL: spec}."""
    pairs = [one.rpartition("=") if "=" in one else (one, "", "words") for one in given]
    return {name: spec for name, _, spec in pairs}


def _warnings(run: StreamFit) -> list[str]:
    said = [f"skipped: {complaint}" for complaint in run.stream.complaints] + run.labels.warnings
    if run.interrupted:
        said.append(f"interrupted after {run.counters.rows:,} rows; the model so far is kept")
    if run.counters.absorbed:
        said.append(
            f"{run.counters.absorbed:,} updates no longer changed w: its entries have outgrown their digits; scale "
            "the numbers down, or let old rows fade"
        )
    return said
