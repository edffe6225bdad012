"""`linsep.fit_stream`: learn from a source of any size, row by row, in constant memory."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from os import PathLike
from pathlib import Path
from typing import Any

from linsep.data.features.encoder import TableEncoder
from linsep.data.features.missing import Missing, check_way
from linsep.data.labels import StreamLabels
from linsep.data.sources.of_text import TextSource
from linsep.data.sources.open import open_data
from linsep.data.sources.source import Source
from linsep.files import check_output
from linsep.learners.base.one_row import OnlineLearner
from linsep.learners.predicting import default_learner
from linsep.scikit import clone
from linsep.streaming.checkpoint import Checkpoint, Snapshot, check_place, locked
from linsep.streaming.progressive import check_can_stream
from linsep.streaming.result import Foretold, Say, StreamError, StreamFit, StreamState, StreamWarning
from linsep.streaming.run import DriftAlarm, Fading, StreamRun
from linsep.types import DataError


def fit_stream(
    source: Any,
    learner: Any = None,
    *,
    target: str | None = None,
    positive: Any = None,
    passes: int = 1,
    classes: Collection[Any] | None = None,
    open_classes: bool = False,
    columns: Mapping[str, str] | None = None,
    bits: int = 18,
    lenient: bool = False,
    half_life: float | None = None,
    drift: str | None = None,
    checkpoint: str | PathLike[str] | None = None,
    checkpoint_rows: int = 1_000_000,
    snapshot: str | PathLike[str] | None = None,
    every: float = 60.0,
    predictions: Callable[[Foretold], None] | None = None,
    max_columns: int = 1 << 24,
    missing: Missing | None = None,
    verbose: int | Say = 0,
    callback: Callable[[StreamState], None] | None = None,
    **reading: Any,
) -> StreamFit:
    """Learn from a source of any size in constant memory; each row is predicted before it is learnt.

    One pass gives the weights of ``fit`` with one epoch in the order of the rows, to the last bit. With m mistakes on
    the n rows of a first pass, the mean error of the vectors in use is at most `risk_bound` with probability 95 %, at
    every moment of the pass (`linsep.online_risk_bound`; rows drawn independently from one source). An averaged learner
    makes its mistakes with the vector that moves and predicts with the mean; `StreamFit.accuracy` is of what is saved.

    Parameters
    ----------
    source : anything that `linsep.open_data` takes
        A file, a folder, a pattern such as 'part-*.csv.gz', several of them, "-" for standard input, a dataframe, or a
        matrix with its labels as (X, y); or what `open_data` returned. Files may be larger than memory.
    learner : estimator, optional
        An `AveragedPerceptron` (the default), `Perceptron`, `MarginPerceptron` or `PassiveAggressive`. It is cloned and
        stays as it is.
    target : str, optional
        The column of the labels; needed for tables.
    positive : label, optional
        This label against all others.
    passes : int, default=1
        Passes over the rows; a pass without a mistake is the last one.
    classes : collection of labels, optional
        All labels that will ever come. Without it they are those of the first chunk.
    open_classes : bool, default=False
        A class joins with its first row.
    columns : dict of str to str, optional
        What columns hold, as in `TableEncoder`: "category", "date", "text", "words1-2", "chars3-5", "skip" and others.
    bits : int, default=18
        Categories, text and Vowpal Wabbit's names are hashed to 2**bits columns; 8 to 28.
    lenient : bool, default=False
        Skip malformed lines of text and count them; lines with a label that is none of the classes, or with a number
        beyond 1e100, are such lines.
    half_life : float, optional
        What was learnt so many rows ago weighs half, in the vector that moves and in the mean: that of n rows is
        sum f_t w_t / sum f_t with f_t = 2^(-(n - t) / half_life) and w_t the vector after row t. Applied after every
        1,000 rows, or half-life if that is shorter: n - t counts in such steps.
    drift : {"adwin", "page-hinkley"}, optional
        Report when the rate of errors of the model changes, as it would be saved before each row (needs the extra
        `drift`).
    checkpoint : path, optional
        Write the model and the state of the run to this file. The same call goes on from it after a crash, and ends
        with the same model, to the last bit. A source that cannot be read again is refused.
    checkpoint_rows : int, default=1_000_000
        Rows between two checkpoints. Smaller is more often; a further one is written at the end.
    snapshot : path, optional
        Write the model so far to this file, also while a pipe is silent; `linsep.load` reads it at any time.
    every : float, default=60.0
        The most seconds between two snapshots, if rows were learnt since the last; a further one is written at the end.
    predictions : callable, optional
        Called with a `Foretold`: what was predicted of some rows before they were learnt, in the first pass. Rows
        without a label are then predicted and not learnt.
    max_columns : int, default=2**24
        The largest index of svmlight text, and the most columns of a table. Memory grows with the largest index that
        occurs: 8 bytes a column and class.
    missing : {"mean", "indicator", "drop", "error"}, optional
        What becomes of missing values: the running mean stands in for a number (the default), with "indicator" beside a
        hashed feature that tells; "drop" leaves the row out, "error" refuses it. A missing category is one of its own.
    verbose : int or callable, default=0
        Whether to report checkpoints and alarms on standard error; a callable gets each message.
    callback : callable, optional
        Called with a `StreamState` after each chunk.
    **reading : optional
        Further arguments of `linsep.open_data`: `format`, `categorical`, `max_record_bytes`, `sep`,
        `decimal`, `encoding`, `query`, `drop_unlabelled`, `na`, `skip_rows`, `sheet` and `header`.

    Returns
    -------
    StreamFit
        `model` is a `TableModel`; after Ctrl-C it is the model so far, and `interrupted` is true.

    Raises
    ------
    DataError
        Arguments that make no sense, before anything is read or written.
    StreamError
        Rows that cannot be learnt from, after others were learnt; its attribute `so_far` holds the model of those.
    KeyboardInterrupt
        On Ctrl-C before the first row was learnt.

    Warns
    -----
    StreamWarning
        When lines were skipped, the label `positive` never occurred, updates no longer changed w, or the mean
        that predicts was worse on the last 1,000 rows than the vector that moves, by more than chance.

    References
    ----------
    Dawid, "Present position and potential developments: some personal views: statistical theory: the prequential
    approach", JRSS A 147 (1984): each forecast is scored before its outcome is learnt from.

    Examples
    --------
    >>> import linsep, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "rows.csv"
    >>> _ = path.write_text("size,city,sold\\n" + "1.5,Rome,yes\\n-1.0,Oslo,no\\n" * 500)
    >>> found = linsep.fit_stream(path, linsep.AveragedPerceptron(), target="sold")
    >>> found.counters.rows, found.mistakes
    (1000, [1])
    >>> round(found.risk_bound, 3)
    0.01
    """
    learner = _prepared(learner, open_classes)
    labels = StreamLabels(classes, positive, learner.open_classes)
    opened = _opened(source, bits, {"target": target} | reading)
    _check(opened, passes=passes, bits=bits, checkpoint_rows=checkpoint_rows, max_columns=max_columns)
    if lenient and not isinstance(opened, TextSource):
        raise DataError("lenient (--read lenient) skips malformed lines of text, and these rows are no lines of text")
    opened.lenient = lenient
    check_way(missing, stream=True)
    encoder = TableEncoder(bits=bits, columns=columns, missing=missing)
    encoder.target, encoder.na_ = opened.target, opened.asked.na
    how: dict[str, Any] = {"passes": passes, "max_columns": max_columns, "fading": Fading(half_life)}
    how |= {"alarm": None if drift is None else DriftAlarm(drift), "foretell": predictions}
    run = StreamRun(opened, learner, encoder, labels, **how, say=_teller(verbose))
    if snapshot is not None:
        _keep_snapshots(run, Path(snapshot), every)
    with _kept(run, None if checkpoint is None else Path(checkpoint), checkpoint_rows):
        if run.counters.finished:
            return run.result()
        _learn(run, callback)
        for one in run.kept:
            one.write(run)
    for message in run.warnings():
        warnings.warn(message, StreamWarning, stacklevel=2)
    return run.result()


def _prepared(learner: Any, open_classes: bool) -> OnlineLearner:
    """An untrained copy of a learner that can stream."""
    copy: OnlineLearner = default_learner() if learner is None else clone(learner)
    check_can_stream(copy)
    copy.open_classes = open_classes or copy.open_classes
    copy.check_parameters()
    return copy


def _opened(source: Any, bits: int, asked: Mapping[str, Any]) -> Source:
    """The source, opened with what is asked for unless it is open already."""
    if not isinstance(source, Source):
        return open_data(source, bits=bits, **asked)
    given = [name for name, value in asked.items() if name != "target" or value is not None]
    if given:
        raise DataError(f"the source is opened already, so `{given[0]}` belongs to `open_data`")
    return source


def _check(source: Source, *, passes: int, bits: int, checkpoint_rows: int, max_columns: int) -> None:
    """Raise DataError for numbers out of range and for what the source cannot give."""
    for name, value in {"passes": passes, "checkpoint_rows": checkpoint_rows, "max_columns": max_columns}.items():
        if value < 1:
            raise DataError(f"{name} must be at least 1, not {value}")
    if not 8 <= bits <= 28:
        raise DataError(f"bits must be from 8 to 28, not {bits}")
    if source.kind == "table" and source.target is None:
        raise DataError("name the column that holds the label with `target` (--target)")
    if passes > 1 and not source.can_be_read_again:
        raise DataError("a pipe can be read once: leave out `passes`, or write the rows to a file")


def _teller(verbose: int | Say) -> Say:
    """What is called with each message."""
    if callable(verbose):
        return verbose
    return (lambda message: print(message, file=sys.stderr)) if verbose else (lambda message: None)


@contextmanager
def _kept(run: StreamRun, path: Path | None, rows: int) -> Iterator[None]:
    """Let the run write checkpoints, and set it to where an earlier one stopped."""
    if path is None:
        yield
        return
    check_place(path, run.source)
    asked = _asked(run) | ({} if run.alarm is None else {"drift": run.alarm.kind, "checkpoint_rows": rows})
    checkpoint = Checkpoint(path, rows, asked)
    with locked(path):
        checkpoint.resume(run)
        if run.counters.rows and not run.counters.finished:
            run.say(f"going on from {path}, after {run.counters.rows:,} rows")
        run.kept.append(checkpoint)
        yield


def _keep_snapshots(run: StreamRun, path: Path, every: float) -> None:
    """Let the run write the model so far to a file of its own, and look at the clock while nothing comes."""
    if not every > 0:
        raise DataError(f"every (--every) is a time above 0, not {every:g} seconds")
    check_output(path, "the snapshot", reads=tuple(run.source.files))
    run.kept.append(Snapshot(path, every))
    run.source.idle = run.keep


def _asked(run: StreamRun) -> dict[str, Any]:
    """The arguments that decide what is learnt: a checkpoint is of one such run."""
    encoder, labels = run.encoder, run.labels
    defaults = type(run.learner)().get_params()
    changed = [f"{name}={value!r}" for name, value in run.learner.get_params().items() if value != defaults[name]]
    reading = asdict(run.source.asked).items()
    return {
        **{name: sorted(value) if isinstance(value, frozenset) else value for name, value in reading},
        "learner": f"{type(run.learner).__name__}({', '.join(changed)})",
        "positive": labels.positive,
        "classes": labels.named,
        "missing": encoder.missing,
        "columns": dict(encoder.columns or {}),
        "bits": encoder.bits,
        "passes": run.passes,
        "lenient": run.source.lenient,
        "half_life": run.fading.half_life,
        "drift": None,
    }


def _learn(run: StreamRun, callback: Callable[[StreamState], None] | None) -> None:
    """Make the passes; an error after the first rows takes the result so far along."""
    try:
        run.run(callback)
    except DataError as found:
        error = run.source.error or found  # the rows before a malformed line may be too few to begin with
        if not run.counters.rows:
            raise error from None
        raise StreamError(str(error), run.result()) from None
