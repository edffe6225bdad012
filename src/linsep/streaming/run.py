"""`linsep fit --stream`: one chunk after another, each row predicted before it is learnt, in constant memory."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from linsep.app.progress import StreamProgress
from linsep.data.columns import TableChunk
from linsep.data.features.encoder import TableEncoder
from linsep.data.sources.rowstream import START, Position, RowStream
from linsep.learners.engine.interrupt import uninterrupted
from linsep.learners.table_model import TableModel
from linsep.store import save
from linsep.streaming.labels import StreamLabels
from linsep.streaming.progressive import fade, heaviest, predict_then_learn, project, settle
from linsep.theory.bounds.online_risk import online_risk_bound
from linsep.types import Array, Chunk, DataError, StopReason

Say = Callable[[str], None]
# Rows between two looks of the safeguards.
_LOOK = 1000


@dataclass
class Counters:
    """Where a stream stands and what came of it so far; plain data, so that a checkpoint can hold it."""

    passes: int = 0  # finished
    position: Position = START
    seen: list[int] = field(default_factory=lambda: [0])  # rows of each pass
    mistakes: list[int] = field(default_factory=lambda: [0])  # and mistakes
    skipped: int = 0
    absorbed: int = 0
    alarms: list[str] = field(default_factory=list)
    finished: bool = False

    @property
    def rows(self) -> int:
        """Rows learnt in all passes."""
        return sum(self.seen)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {**self.__dict__, "position": list(self.position)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Counters:
        """Take back what `to_dict` gave."""
        return cls(**{**data, "position": Position(*data["position"])})


@dataclass(frozen=True)
class Safeguards:
    """What keeps weights in bounds on a stream without end, looked at after every 1,000 rows.

    `ball`: (w, b) of all classes together is projected on the ball of this radius. `half_life`: what was learnt so many
    rows ago weighs half.
    """

    ball: float | None = None
    half_life: float | None = None

    def __post_init__(self) -> None:
        for option, value in (("--ball", self.ball), ("--half-life", self.half_life)):
            if value is not None and not 0 < value < math.inf:
                raise DataError(f"{option} takes a finite number above 0, not {value}")

    @property
    def wanted(self) -> bool:
        """Whether there is anything to look at."""
        return self.ball is not None or self.half_life is not None

    def look(self, estimator: Any) -> None:
        """Fade and project."""
        if self.half_life is not None:
            fade(estimator, 0.5 ** (_LOOK / self.half_life))
        if self.ball is not None:
            project(estimator, self.ball)


class StreamFit:
    """A learner, its encoder and its counters on the way through a stream."""

    def __init__(
        self, stream: RowStream, estimator: Any, encoder: TableEncoder, labels: StreamLabels, passes: int, say: Say
    ) -> None:
        self.stream, self.estimator, self.encoder, self.labels = stream, estimator, encoder, labels
        self.passes, self.say = passes, say
        self.counters = Counters()
        self.seconds = 0.0
        self.interrupted = False
        self.safeguards = Safeguards()
        stream.check = encoder.check_chunk
        self.after_chunk: list[Callable[[StreamFit, Array], None]] = []

    def run(self) -> None:
        """Go on from where the counters stand until the passes are over or the user stops it."""
        began = time.perf_counter()
        progress = StreamProgress(self.stream.total_bytes)
        before = self.counters.rows
        try:
            while self.counters.passes < self.passes:
                for chunk, position in self.stream.chunks(self.counters.position):
                    with uninterrupted():
                        self._learn(chunk, position)
                    self.seconds = time.perf_counter() - began
                    progress(self.counters.rows - before, self.seconds, position.offset, self.words())
                self._end_of_pass()
        except KeyboardInterrupt:
            self.interrupted = True
            if not hasattr(self.estimator, "classes_"):
                raise
        finally:
            self.seconds = time.perf_counter() - began
            progress.close()

    def _learn(self, chunk: TableChunk | Chunk, position: Position) -> None:
        learn = self.counters.passes == 0
        is_table = isinstance(chunk, TableChunk)
        if isinstance(chunk, TableChunk) and not self.counters.rows and not self.stream.open_columns:
            unknown = sorted(self.stream.categorical.difference(chunk.names))
            if unknown:
                raise DataError(f"no feature column called {unknown[0]!r} to read as categories")
        X = self.encoder.learn_chunk(chunk) if learn or not is_table else self.encoder.encode_chunk(chunk)
        self.stream.read_as_text(self.encoder.text_columns)
        y, classes = self.labels.read(chunk)
        wrong = self._learn_rows(X, y, classes)
        self.counters.position = position
        self.counters.skipped = self.stream.skipped
        self.counters.seen[-1] += len(y)
        self.counters.mistakes[-1] += int(wrong.sum())
        if is_table and learn:
            self.encoder.forget_names(partial(heaviest, self.estimator))
        for action in self.after_chunk:
            action(self, wrong)

    def _learn_rows(self, X: Any, y: Array, classes: Array | None) -> Array:
        """Learn the rows; with safeguards in pieces that end where these look at the weights. Return what was wrong."""
        cuts = [0, len(y)]
        if self.safeguards.wanted:
            cuts = [0, *range(_LOOK - self.counters.rows % _LOOK, len(y), _LOOK), len(y)]
        wrong = []
        for a, b in pairwise(cuts):
            part = (X, y) if b - a == len(y) else (X[a:b], y[a:b])
            learnt = predict_then_learn(self.estimator, *part, classes)
            self.counters.absorbed += learnt.absorbed
            wrong.append(learnt.wrong)
            if (self.counters.rows + b) % _LOOK == 0:
                self.safeguards.look(self.estimator)
        return np.asarray(np.concatenate(wrong))

    def _end_of_pass(self) -> None:
        if self.counters.seen[-1] == 0:
            raise DataError(f"{self.stream.name}: there is not one row")
        self.counters.skipped = self.stream.skipped  # the last lines may have left no chunk
        self.counters.passes += 1
        self.estimator.n_iter_ = self.counters.passes
        clean = self.counters.mistakes[-1] == 0
        self.counters.finished = clean or self.counters.passes >= self.passes
        if self.counters.finished:
            self.passes = self.counters.passes
            self.estimator.stop_reason_ = StopReason.CLEAN_PASS if clean else StopReason.END_OF_STREAM
        else:
            self.counters.position = START
            self.counters.mistakes.append(0)
            self.counters.seen.append(0)

    # ------------------------------------------------------------------- words
    def words(self) -> str:
        """Mistakes of this pass, and what they prove."""
        rows, mistakes = self.counters.seen[-1], self.counters.mistakes[-1]
        if not rows:
            return "no rows yet"
        said = f"{mistakes:,} mistakes ({mistakes / rows:.2%})"
        if self.counters.passes == 0:
            said += f", error of the vectors in use <= {online_risk_bound(mistakes, rows):.2%}"
        return said

    def save(self, path: Path, stands: dict[str, Any] | None = None) -> None:
        """Write the learner, with its encoder, as it is now; in a checkpoint with where the stream stands."""
        estimator = self.estimator
        if not self.counters.finished:
            estimator.stop_reason_ = StopReason.INTERRUPTED
            estimator.n_iter_ = self.counters.passes + 1
        settle(estimator)
        save(self.model(), path, extra=None if stands is None else {"stream": stands})

    def model(self) -> TableModel:
        """The learner, its encoder and the names of its classes."""
        names = self.labels.names(self.estimator.classes_)
        return TableModel.of(self.estimator, self.encoder, names, positive=self.labels.positive)
