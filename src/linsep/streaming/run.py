"""The passes over a source: one chunk after another, in constant memory."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from linsep.data.columns import TableChunk, label_names
from linsep.data.features.encoder import TableEncoder
from linsep.data.features.kinds import without_skipped
from linsep.data.features.missing import count_missing, rows_to_learn
from linsep.data.labels import StreamLabels
from linsep.data.sources.source import START, Position, Source, in_turn
from linsep.learners.base.loop import learn_chunks, run_epochs
from linsep.learners.base.one_row import OnlineLearner
from linsep.learners.base.trace import make_record
from linsep.learners.table_model import TableModel
from linsep.passes import RECORD, Mean
from linsep.streaming.progressive import Learnt, as_wide, predict_then_learn
from linsep.streaming.result import Counters, Foretold, Say, StreamFit, StreamState
from linsep.tables import is_sparse, place_of
from linsep.types import Array, Budget, Chunk, DataError, StopReason

# Rows between two applications. A constant: results would otherwise depend on how the source is cut into chunks.
EVERY_ROWS = 1000


@dataclass(frozen=True)
class Fading:
    """What was learnt `half_life` rows ago weighs half, in the vector that moves and in the mean.

    It fades after every 1,000 rows, or every half-life if that is shorter. With w_t the vector after row t, the faded
    mean of n rows is sum f_t w_t / sum f_t with f_t = 2^(-(n - t) / half_life), n - t in whole steps of these rows. The
    sum of the f_t is kept as a whole number, off by half a row for each step at most. Without half_life nothing fades.
    """

    half_life: float | None = None

    def __post_init__(self) -> None:
        if self.half_life is not None and not 0 < self.half_life < math.inf:
            raise DataError(f"half_life must be a finite number above 0, not {self.half_life}")

    @property
    def every(self) -> int:
        """Rows between two applications."""
        return EVERY_ROWS if self.half_life is None else max(1, min(EVERY_ROWS, int(self.half_life)))

    def cuts(self, rows_before: int, n_rows: int) -> list[int]:
        """Where to cut the next `n_rows` rows so that a piece ends wherever they fade."""
        if self.half_life is None:
            return [0, n_rows]
        return [0, *range(self.every - rows_before % self.every, n_rows, self.every), n_rows]

    def apply(self, learner: OnlineLearner, rows: int) -> None:
        """Let what was learnt fade if the learner has seen a whole number of steps.

        A mean of t vectors has the sum S = t w - u. For w -> c w, t -> k, S -> S k / t it takes
        u -> u k / t - (1 - c) k w.
        """
        if self.half_life is None or rows % self.every:
            return
        factor = 0.5 ** (self.every / self.half_life)
        (W, b), watch = learner.moving(), learner.watch()
        if isinstance(watch, Mean) and learner.t_:
            k = round(factor * learner.t_)
            for u, w in ((watch.u, W), (watch.u_b, b)):
                u *= k / learner.t_
                u -= (1.0 - factor) * k * w
            learner.t_ = k
        W *= factor
        b *= factor
        learner.settle_later()


class DriftAlarm:
    """Feeds errors to a drift detector, one 0 or 1 a row, and notes its alarms in the counters.

    The detector starts afresh after each checkpoint, in every run alike. A run that was interrupted therefore raises
    the same alarms as one that was not.
    """

    def __init__(self, kind: str) -> None:
        if kind not in ("adwin", "page-hinkley"):
            raise DataError(f"no drift alarm called {kind!r}: choose adwin or page-hinkley")
        try:
            from river import drift
        except ImportError:
            raise DataError("drift alarms come from River: pip install '.[drift]'") from None
        self.kind = kind
        self._make = drift.ADWIN if kind == "adwin" else drift.PageHinkley
        self.restart()

    def restart(self) -> None:
        """Forget the rows so far."""
        self._detector: Any = self._make()

    def update(self, counters: Counters, wrong: Array, say: Say) -> None:
        """Take in which of the rows just learnt the model predicted wrongly; note alarms and report them."""
        first = counters.rows - len(wrong)
        for i, missed in enumerate(wrong.tolist()):
            self._detector.update(float(missed))
            if self._detector.drift_detected:
                near = wrong[max(0, i - 200) : i + 1]
                message = f"row {first + i + 1:,}: {self.kind} says that the errors have changed"
                counters.alarms.append(f"{message} (the last {len(near)} rows: {near.mean():.1%})")
                say(f"drift: {counters.alarms[-1]}")


class StreamRun:
    """A learner, its encoder and its counters on the way through a source.

    An `alarm` hears of the errors of each chunk; for it, and for `foretell`, which is called with what was predicted in
    the first pass, what would be saved predicts each row, even if several classes make that slow. Nothing is learnt
    from the rows of a chunk that `check` refuses.
    """

    def __init__(
        self,
        source: Source,
        learner: OnlineLearner,
        encoder: TableEncoder,
        labels: StreamLabels,
        *,
        passes: int,
        fading: Fading,
        max_columns: int,
        say: Say,
        alarm: DriftAlarm | None = None,
        foretell: Callable[[Foretold], None] | None = None,
    ) -> None:
        self.source, self.learner, self.encoder, self.labels = source, learner, encoder, labels
        self.passes, self.fading, self.max_columns, self.say = passes, fading, max_columns, say
        self.kept: list[Any] = []  # snapshots and a checkpoint
        self.alarm, self.foretell = alarm, foretell
        self._foretold = 0  # how many of the rows to come were told while more was waited for
        source.asked.keep_unlabelled = foretell is not None
        self.counters = Counters()
        self.seconds = 0.0
        self.interrupted = False
        self._rows_before = 0
        source.watch()
        source.check, source.is_enough = self.check, self.is_enough

    def resume(self, learner: OnlineLearner, encoder: TableEncoder | None, counters: Counters) -> None:
        """Go on from what a checkpoint held."""
        self.learner, self.counters = learner, counters
        self.labels.resume(learner.classes_)
        self.source.skipped, self.source.unlabelled = counters.skipped, counters.unlabelled
        if encoder is not None:  # a matrix has none
            self.encoder = encoder
        self._rows_before = counters.rows

    def check(self, chunk: TableChunk | Chunk) -> None:
        """Raise DataError for the first row that cannot be learnt from: its width, its numbers, its label."""
        if chunk.rest is not None and self.counters.rows:
            self.encoder.check_chunk(chunk.rest)
        if isinstance(chunk, TableChunk) and not chunk.n_rows:  # none has a label
            return
        # Every column takes memory, from 0 to the last one, whether or not rows have those between.
        option = "allow more with --set max_columns (max_columns)"
        if isinstance(chunk, TableChunk):
            n = len(set(self.encoder.column_names or ()).union(chunk.names))
            if n > self.max_columns:
                raise DataError(f"{chunk.where(0)}: {n:,} columns, and the limit is {self.max_columns:,}: {option}")
        elif chunk.X.shape[1] - 1 > self.max_columns and is_sparse(chunk.X):
            row, index = place_of(chunk.X, int(np.argmax(chunk.X.indices > self.max_columns)))
            raise DataError(
                f"{chunk.place(row)}: index {index} is beyond {self.max_columns:,} columns, each of "
                f"which takes memory: {option}"
            )
        self.encoder.check_chunk(chunk)
        self.labels.check(chunk)

    def is_enough(self, chunk: TableChunk | Chunk) -> bool:
        """Whether the first rows say what depends on them: two classes, what each column holds, how long rows are.

        Of rows that are not enough it is told that nothing is predicted.
        """
        used = self._usable(chunk, None)[0] if isinstance(chunk, TableChunk) and chunk.y is not None else chunk
        enough = self.labels.are_enough(used.y) and self.learner.intercept_scaling != "auto"
        if isinstance(chunk, TableChunk) and enough:
            given = self.encoder.columns or {}
            gone = (chunk.cells(name).missing for name in without_skipped(chunk, given).names if name not in given)
            enough = chunk.n_rows > 0 and not any(one is not None and one.all() for one in gone)
        if not enough and self.foretell is not None:
            for part in in_turn(chunk):
                self._tell(part)
            self._foretold = sum(part.n_rows for part in in_turn(chunk))
        return enough

    def run(self, callback: Callable[[StreamState], None] | None) -> None:
        """Go on from where the counters stand until the passes are complete or the user stops it."""
        began = time.perf_counter()

        def after_chunk() -> None:
            self.seconds = time.perf_counter() - began
            if callback is not None:
                callback(self._state())

        def one_pass(most: int) -> Array:
            learn_chunks(self.source.chunks(self.counters.position), self._learn, after_chunk)
            return make_record(mistakes=self.counters.mistakes[-1])

        try:
            run_epochs(one_pass, keep=self._end_pass, stop_after=self._stop_after, budget=Budget(), interruptible=True)
        except KeyboardInterrupt:
            self.interrupted = True
            if not hasattr(self.learner, "classes_"):
                raise
        finally:
            self.seconds = time.perf_counter() - began

    def _learn(self, read: tuple[TableChunk | Chunk, Position]) -> None:
        """Predict and learn one chunk, and count what came of it."""
        chunk, position = read
        if isinstance(chunk, TableChunk) and not self.counters.rows:
            self._check_categorical(chunk)
        if self.counters.passes == 0 and self.source.begins:
            self._forget_names()
        learnt = [one for part in in_turn(chunk) if (one := self._take_in(part)) is not None]
        self.counters.position = position
        self._count_left_out()
        if self.alarm is not None and learnt:
            self.alarm.update(self.counters, Learnt.joined(learnt).missed, self.say)
        self.keep()

    def keep(self) -> None:
        """Write the files of what is learnt so far that are due."""
        for one in self.kept:
            if one.is_due(self.counters.rows):
                one.write(self)
                if one.says:
                    self.say(f"{one.says}{one.path} holds the first {self.counters.rows:,} rows")

    def _take_in(self, chunk: TableChunk | Chunk) -> Learnt | None:
        """Predict and learn rows with labels, or predict rows without one; None if nothing was learnt."""
        counters, given = self.counters, chunk
        is_new = counters.passes == 0  # the encoder learns in the first pass
        tell = is_new and self.foretell is not None
        is_asked = self.foretell is not None and chunk.y is None and chunk.rest is None
        chunk, kept = self._usable(chunk, counters.missing if is_new and not is_asked else None)
        if is_asked or (isinstance(chunk, TableChunk) and not chunk.n_rows):
            if tell:
                can_be_told = is_asked and counters.rows and chunk.n_rows
                self._tell(given, self._answers(self.encoder.encode_chunk(chunk)) if can_be_told else None, kept)
            return None
        y, classes = self.labels.read(chunk)
        learns = is_new or not isinstance(chunk, TableChunk)
        X = self.encoder.learn_chunk(chunk) if learns else self.encoder.encode_chunk(chunk)
        self.source.asked.categorical |= frozenset(self.encoder.text_columns)
        learnt = self._learn_rows(X, y, classes, tell)
        if tell:
            self._tell(given, (self.labels.names(learnt.said), learnt.values), kept)
        counters.seen[-1] += len(y)
        counters.count(learnt)
        if is_new:
            labels, rows = np.unique(y, return_counts=True)
            for label, n in zip(label_names(self.labels.names(labels)).tolist(), rows.tolist(), strict=True):
                counters.labels[label] = counters.labels.get(label, 0) + n
        return learnt

    def _usable(
        self, chunk: TableChunk | Chunk, counts: dict[str, int] | None
    ) -> tuple[TableChunk | Chunk, Array | None]:
        """The rows that are not left out for a missing value, and which they are, None for all; `counts` grow."""
        if not (isinstance(chunk, TableChunk) and chunk.n_rows):
            return chunk, None
        used = self.encoder.named_as_read(without_skipped(chunk, self.encoder.columns or {}))
        if counts is not None:
            count_missing(used, counts)
        kept = rows_to_learn(used, self.encoder.missing)
        return (chunk if kept is None else chunk.take(kept)), kept

    def _answers(self, X: Any) -> tuple[Array, Array]:
        """The classes that are predicted by what was learnt so far, and decision values."""
        X = as_wide(self.learner, X)
        z = np.asarray(self.learner.decision_function(X), dtype=np.float64)
        return self.labels.names(self.learner.predict(X)), z if z.ndim == 1 else z.max(axis=1)

    def _tell(
        self, chunk: TableChunk | Chunk, answers: tuple[Array, Array] | None = None, kept: Array | None = None
    ) -> None:
        """Tell what was predicted of some rows, or of those that are kept; of others that nothing was."""
        n, skip = chunk.n_rows, self._foretold
        labels, values, y = np.full(n, "", dtype=object), np.full(n, np.nan), np.full(n, "", dtype=object)
        if answers is not None:
            rows = slice(None) if kept is None else kept
            labels[rows], values[rows] = label_names(answers[0]), answers[1]
        if chunk.y is not None:
            y[:] = label_names(chunk.y)
        self._foretold = max(0, skip - n)
        if self.foretell is not None and skip < n:
            self.foretell(Foretold(labels[skip:], values[skip:], y[skip:]))

    def _forget_names(self) -> None:
        """Drop names of features if there are too many: between two pieces of the source, however these came."""
        self.encoder.forget_names(lambda: np.abs(self.learner.moving()[0]).max(axis=0))

    def _check_categorical(self, chunk: TableChunk) -> None:
        """The first chunk has the columns that are to be read as categories."""
        unknown = sorted(self.source.asked.categorical.difference(chunk.names, {self.source.target}))
        if unknown:
            raise DataError(f"no feature column called {unknown[0]!r} to read as categories")

    def _learn_rows(self, X: Any, y: Array, classes: Array | None, tell: bool) -> Learnt:
        """Learn the rows in pieces that end where old ones fade and, where it is told, begin with a new class."""
        before, known = self.counters.rows, getattr(self.learner, "classes_", y[:0])
        cuts = self.fading.cuts(before, len(y))
        labels, first = np.unique(y, return_index=True) if tell and classes is None else (y[:0], y[:0])
        new = set(first[~np.isin(labels, known)].tolist())
        each = self.alarm is not None or self.foretell is not None
        said = []
        for a, b in pairwise(sorted({*cuts, *new})):
            part = (X, y) if b - a == len(y) else (X[a:b], y[a:b])
            answer = self._answers(part[0][:1]) if a in new and hasattr(self.learner, "classes_") else None
            found = predict_then_learn(self.learner, *part, classes, before + a, each=each, tell=tell)
            self.fading.apply(self.learner, before + b)
            if a in new:
                told = ("", np.nan) if answer is None else (answer[0][0], answer[1][0])
                found = found._replace(said=found.said.astype(object))
                found.said[0], found.values[0] = told
            said.append(found)
        return Learnt.joined(said)

    def _end_pass(self, record: Array) -> None:
        """Count the pass that is complete, and go back to the start for another one."""
        counters = self.counters
        if counters.seen[-1] == 0:
            raise DataError(f"{self.source.name}: there are no rows")
        self._count_left_out()  # the last lines may have left no chunk
        if counters.passes == 0:
            self._forget_names()
        counters.passes += 1
        stop = self._stop_after(record)
        self.learner.end_run(stop or StopReason.INTERRUPTED, counters.passes)
        if stop is not None:
            counters.finished = True
            return
        counters.position = START
        counters.begin_pass()

    def _count_left_out(self) -> None:
        """Count rows and lines that are left out in the first pass; a later one leaves out the same."""
        if self.counters.passes == 0:
            self.counters.unlabelled = self.source.unlabelled
            self.counters.skipped = self.source.skipped

    def _stop_after(self, record: Array) -> StopReason | None:
        """Why the run is over after this pass; None if another one follows."""
        if record[-1, RECORD.mistakes] == 0:
            return StopReason.CLEAN_PASS
        return StopReason.END_OF_STREAM if self.counters.passes >= self.passes else None

    # ----------------------------------------------------------------- results
    def _state(self) -> StreamState:
        new = self.counters.rows - self._rows_before
        return StreamState(self.counters, new, self.seconds, self.source.total_bytes)

    def model(self) -> TableModel:
        """The model as it is now; its learner is the one that goes on learning."""
        learner = self.learner
        if not self.counters.finished:
            learner.end_run(StopReason.INTERRUPTED, self.counters.passes + 1)
        learner.settle()
        names = self.labels.names(learner.classes_)
        self.encoder.decimal_ = self.source.decimal or self.encoder.decimal_
        encoder = None if self.source.format == "arrays" else self.encoder
        return TableModel.of(learner, encoder, names, positive=self.labels.positive)

    def result(self) -> StreamFit:
        """The model and what is known about it."""
        return StreamFit(
            self.model(),
            self.counters,
            self.seconds,
            self.interrupted,
            self._rows_before,
            data_hash=self.source.seen.told() if self.source.seen else "",
            read_as=self.source.read_as,
        )

    def warnings(self) -> list[str]:
        """What a user should know when the run is over."""
        found = (
            [f"skipped: {complaint}" for complaint in self.source.complaints]
            + self.labels.warnings
            + self.counters.parted()
        )
        if self.counters.absorbed:
            found.append(
                f"{self.counters.absorbed:,} updates no longer changed w: its entries are too large for their digits; "
                "scale the numbers down, or let old rows fade"
            )
        return found
