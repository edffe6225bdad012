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
from linsep.data.sources.source import START, Position, Source
from linsep.learners.base.loop import learn_chunks, run_epochs
from linsep.learners.base.one_row import OnlineLearner
from linsep.learners.base.trace import make_record
from linsep.learners.table_model import TableModel
from linsep.passes import RECORD, Mean
from linsep.streaming.progressive import Learnt, predict_then_learn
from linsep.streaming.result import Counters, Say, StreamFit, StreamState
from linsep.tables import is_sparse, place_of
from linsep.types import Array, Budget, Chunk, DataError, StopReason

# Rows between two applications. A constant: results would otherwise depend on how the source is cut into chunks.
EVERY_ROWS = 1000


@dataclass(frozen=True)
class Fading:
    """What was learnt `half_life` rows ago weighs half, in the vector that moves and in the mean.

    It fades after every 1,000 rows. With w_t the vector after row t, the faded mean of n rows is
    sum f_t w_t / sum f_t with f_t = 2^(-(n - t) / half_life), n - t in whole thousands of rows. The sum of the f_t is
    kept as a whole number, so it is off by half a row for each thousand of rows at most. Without a half-life nothing
    fades.
    """

    half_life: float | None = None

    def __post_init__(self) -> None:
        if self.half_life is not None and not 0 < self.half_life < math.inf:
            raise DataError(f"half_life must be a finite number above 0, not {self.half_life}")

    def cuts(self, rows_before: int, n_rows: int) -> list[int]:
        """Where to cut the next `n_rows` rows so that a piece ends wherever they fade."""
        if self.half_life is None:
            return [0, n_rows]
        return [0, *range(EVERY_ROWS - rows_before % EVERY_ROWS, n_rows, EVERY_ROWS), n_rows]

    def apply(self, learner: OnlineLearner, rows: int) -> None:
        """Let what was learnt fade if the learner has seen a whole number of thousands of rows.

        A mean of t vectors has the sum S = t w - u. For w -> c w, t -> k, S -> S k / t it takes
        u -> u k / t - (1 - c) k w.
        """
        if self.half_life is None or rows % EVERY_ROWS:
            return
        factor = 0.5 ** (EVERY_ROWS / self.half_life)
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
            raise DataError("drift alarms come from River: pip install 'linsep[drift]'") from None
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

    `after_chunk` is called after each chunk, with the run and what came of its rows; Ctrl-C waits for it. `judge_each`:
    what would be saved predicts each row, even if several classes make that slow. Nothing is learnt from the rows of a
    chunk that `check` refuses.
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
    ) -> None:
        self.source, self.learner, self.encoder, self.labels = source, learner, encoder, labels
        self.passes, self.fading, self.max_columns, self.say = passes, fading, max_columns, say
        self.after_chunk: list[Callable[[StreamRun, Learnt], None]] = []
        self.judge_each = False
        self.counters = Counters()
        self.seconds = 0.0
        self.interrupted = False
        self._rows_before = 0
        source.watch()
        source.check = self.check

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
        counters, is_table = self.counters, isinstance(chunk, TableChunk)
        is_new = counters.passes == 0  # the encoder learns in the first pass
        if isinstance(chunk, TableChunk) and not counters.rows:
            self._check_categorical(chunk)
        if isinstance(chunk, TableChunk) and chunk.n_rows:
            used = without_skipped(chunk, self.encoder.columns or {})
            used = used.with_columns(self.encoder.column_names or []) if used.keyed else used
            if is_new:
                count_missing(used, counters.missing)
            kept = rows_to_learn(used, self.encoder.missing)
            chunk = chunk if kept is None else chunk.take(kept)
        if isinstance(chunk, TableChunk) and not chunk.n_rows:
            counters.position = position
            return
        y, classes = self.labels.read(chunk)
        X = self.encoder.learn_chunk(chunk) if is_new or not is_table else self.encoder.encode_chunk(chunk)
        self.source.asked.categorical |= frozenset(self.encoder.text_columns)
        learnt = self._learn_rows(X, y, classes)
        counters.position = position
        self._count_left_out()
        counters.seen[-1] += len(y)
        counters.count(learnt)
        if is_new:
            labels, rows = np.unique(y, return_counts=True)
            for label, n in zip(label_names(labels).tolist(), rows.tolist(), strict=True):
                counters.labels[label] = counters.labels.get(label, 0) + n
        if is_table and is_new:
            self.encoder.forget_names(lambda: np.abs(self.learner.moving()[0]).max(axis=0))
        for action in self.after_chunk:
            action(self, learnt)

    def _check_categorical(self, chunk: TableChunk) -> None:
        """The first chunk has the columns that are to be read as categories."""
        unknown = sorted(self.source.asked.categorical.difference(chunk.names, {self.source.target}))
        if unknown:
            raise DataError(f"no feature column called {unknown[0]!r} to read as categories")

    def _learn_rows(self, X: Any, y: Array, classes: Array | None) -> Learnt:
        """Learn the rows in pieces that end where old ones fade."""
        before = self.counters.rows
        cuts = self.fading.cuts(before, len(y))
        said = []
        for a, b in pairwise(cuts):
            part = (X, y) if b - a == len(y) else (X[a:b], y[a:b])
            said.append(predict_then_learn(self.learner, *part, classes, before + a, each=self.judge_each))
            self.fading.apply(self.learner, before + b)
        wrong, asked, missed = map(np.concatenate, zip(*(learnt[:3] for learnt in said), strict=True))
        return Learnt(wrong, asked, missed, sum(learnt.absorbed for learnt in said))

    def _end_pass(self, record: Array) -> None:
        """Count the pass that is complete, and go back to the start for another one."""
        counters = self.counters
        if counters.seen[-1] == 0:
            raise DataError(f"{self.source.name}: there are no rows")
        self._count_left_out()  # the last lines may have left no chunk
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
                f"{self.counters.absorbed:,} updates no longer changed w: its entries have outgrown their digits; "
                "scale the numbers down, or let old rows fade"
            )
        return found
