"""The counters of a stream, and the result of `fit_stream`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from linsep.data.sources.source import START, Position
from linsep.learners.table_model import TableModel
from linsep.markup import count
from linsep.streaming.progressive import Learnt
from linsep.theory.bounds.cover import online_risk_bound
from linsep.types import Array, DataError

Say = Callable[[str], None]
# The last rows of which it is told how they are predicted.
LATELY = 1000


class StreamWarning(UserWarning):
    """A note about a stream that was learnt, such as a label that never occurred."""


@dataclass
class Counters:
    """The position in a stream and its results so far, as plain data that a checkpoint can hold.

    Attributes
    ----------
    passes : int
        Passes that are complete.
    position : Position
        Where the next chunk begins: file, offset in bytes (Parquet: batch), line, row.
    seen, mistakes : list of int
        Rows of each pass, and how many of them the vector that moves predicted wrongly before they were learnt.
    asked, missed : list of int
        Rows of each pass that the model as it would be saved predicted before they were learnt, and how many wrongly.
    lately : str
        The last 1,000 of those rows, a digit each: 1 if the vector that moves was wrong, and 2 more if the model was.
    skipped : int
        Malformed lines that `lenient` left out.
    unlabelled : int
        Rows without a label that `drop_unlabelled` left out.
    absorbed : int
        Updates that no longer changed w, because its entries had outgrown their digits.
    alarms : list of str
        What the drift detector reported.
    finished : bool
        Whether all passes are complete, or one made no mistake.
    missing : dict
        Column -> missing values in the first pass.
    labels : dict
        Rows of each label in the first pass; the labels as text, with `positive` "0" and "1".
    """

    passes: int = 0
    position: Position = START
    seen: list[int] = field(default_factory=lambda: [0])
    mistakes: list[int] = field(default_factory=lambda: [0])
    skipped: int = 0
    unlabelled: int = 0
    absorbed: int = 0
    asked: list[int] = field(default_factory=lambda: [0])
    missed: list[int] = field(default_factory=lambda: [0])
    lately: str = ""
    alarms: list[str] = field(default_factory=list)
    finished: bool = False
    missing: dict[str, int] = field(default_factory=dict)
    labels: dict[str, int] = field(default_factory=dict)

    def begin_pass(self) -> None:
        """Begin to count a further pass."""
        for counted in (self.seen, self.mistakes, self.asked, self.missed):
            counted.append(0)

    def count(self, learnt: Learnt) -> None:
        """Add what came of some rows; who calls adds the rows themselves to `seen`.

        Parameters
        ----------
        learnt : Learnt
            Of each row: was it a mistake, was the model asked, was the model wrong.
        """
        self.mistakes[-1] += int(learnt.wrong.sum())
        self.absorbed += learnt.absorbed
        self.asked[-1] += int(learnt.asked.sum())
        self.missed[-1] += int(learnt.missed.sum())
        digits = (48 + learnt.wrong + 2 * learnt.missed)[learnt.asked][-LATELY:]
        self.lately = (self.lately + digits.astype(np.uint8).tobytes().decode())[-LATELY:]

    @property
    def accuracy(self) -> float | None:
        """The share of right predictions by the model as it would be saved, in the first pass."""
        return 1 - self.missed[0] / self.asked[0] if self.asked[0] else None

    @property
    def late_accuracy(self) -> float | None:
        """The same of the last 1,000 rows that it predicted; None if they are all."""
        return None if sum(self.asked) <= LATELY else sum(digit in "01" for digit in self.lately) / LATELY

    def parted(self) -> list[str]:
        """What to say if the model is worse, by more than chance, than the vector that makes the mistakes.

        Of the last rows those count on which one of the two alone is wrong. Were both as good, either would be the one
        with a chance of 1/2 (McNemar 1947); 4 standard deviations come by chance once in 30,000 times. A mean of fewer
        than 1,000 rows is behind because it has just begun.
        """
        moving, saved, both = map(self.lately.count, "123")
        if len(self.lately) < LATELY or saved - moving <= 4 * (saved + moving) ** 0.5:
            return []
        return [
            f"the model, which predicts with the mean of all vectors so far, is wrong on {(saved + both) / LATELY:.1%} "
            f"of the last {LATELY:,} rows, and the last vector on {(moving + both) / LATELY:.1%}: if the rows have "
            "changed, let old ones fade with --set half_life (half_life), or save the last vector with --learner "
            "perceptron (Perceptron())"
        ]

    @property
    def majority(self) -> tuple[str, float] | None:
        """The most frequent label and its share of the rows; None without rows."""
        if not self.rows:
            return None
        label = max(self.labels, key=self.labels.__getitem__)
        return label, self.labels[label] / max(self.seen)

    @property
    def rows(self) -> int:
        """Rows learnt in all passes."""
        return sum(self.seen)

    @property
    def risk_bound(self) -> float | None:
        """The error on new rows is at most this, with probability 95 %; None without rows and after a first pass."""
        if len(self.seen) > 1 or not self.rows:
            return None
        return online_risk_bound(self.mistakes[0], self.rows)

    def summary(self) -> str:
        """Mistakes of this pass, and the bound that follows, in a few words."""
        rows, mistakes = self.seen[-1], self.mistakes[-1]
        if not rows:
            return "no rows yet"
        bound = self.risk_bound
        words = f"{count(mistakes, 'mistake')} ({mistakes / rows:.2%})"
        return words if bound is None else f"{words}, error of the vectors in use <= {bound:.2%}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {**self.__dict__, "position": list(self.position)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Counters:
        """Take back what `to_dict` gave.

        Parameters
        ----------
        data : dict
            The plain data.

        Returns
        -------
        Counters
            The counters.
        """
        return cls(**{**data, "position": Position(*data["position"])})


class Foretold(NamedTuple):
    """Rows of a stream as they were predicted before they were learnt, in the order in which they were read.

    A row without a label is predicted too, and not learnt. Nothing is predicted of a row that came before there was
    anything to tell apart: before the first one was learnt, unless the classes are known; nor of a row that is left
    out because of a missing value.

    Attributes
    ----------
    labels : ndarray of str, shape (n_rows,)
        The names of the classes that were predicted, "" for none.
    decision_values : ndarray, shape (n_rows,)
        w.x + b; with several classes that of the class predicted, and NaN where none was.
    y : ndarray of str, shape (n_rows,)
        The label of each row, "" for none.
    """

    labels: Array
    decision_values: Array
    y: Array


class StreamState(NamedTuple):
    """What the `callback` of `fit_stream` is given after each chunk; it must not change anything in it.

    Attributes
    ----------
    counters : Counters
        The counters so far.
    new_rows : int
        Rows learnt by this call: without those that a checkpoint already held.
    seconds : float
        Seconds since this call began to learn.
    total_bytes : int or None
        The size of all files; None where it is not known.
    """

    counters: Counters
    new_rows: int
    seconds: float
    total_bytes: int | None


@dataclass(frozen=True)
class StreamFit:
    """The result of `fit_stream`.

    Attributes
    ----------
    model : TableModel
        The learner with its encoder and the names of the classes: it predicts on raw tables, can be saved and exported.
    counters : Counters
        Rows, mistakes and the place in the source.
    seconds : float
        Seconds that this call took to learn; 0 if `was_finished`.
    interrupted : bool
        Whether Ctrl-C ended it early.
    resumed_rows : int
        Rows that a checkpoint already held; 0 in a run from the start.
    data_hash : str
        The running 64-bit hash of each file that was read, in hexadecimal.
    read_as : str
        How text is written where that is not as usual, as `Source.read_as`.
    """

    model: TableModel
    counters: Counters
    seconds: float
    interrupted: bool
    resumed_rows: int = 0
    data_hash: str = ""
    read_as: str = ""

    @property
    def was_finished(self) -> bool:
        """Whether a checkpoint was finished already, so that there was nothing to do."""
        return self.counters.finished and self.resumed_rows == self.counters.rows

    @property
    def mistakes(self) -> list[int]:
        """Mistakes of each pass: rows that the vector that moves predicted wrongly before they were learnt."""
        return self.counters.mistakes

    @property
    def accuracy(self) -> float | None:
        """The share of the rows of the first pass that the model as it would be saved predicted rightly, each before it
        was learnt: all rows, of several classes one in four.
        """
        return self.counters.accuracy

    @property
    def risk_bound(self) -> float | None:
        """The error on new rows is at most this, with probability 95 %, for the vectors in use along the first pass.

        None after a further pass, whose rows have been seen before. See `linsep.online_risk_bound`.
        """
        return self.counters.risk_bound

    def summary(self) -> str:
        """Summarise the run in words.

        Returns
        -------
        str
            One sentence: rows, passes, mistakes and what they prove.
        """
        passes = len(self.counters.seen)
        words = f"{max(self.counters.seen):,} rows in {passes} pass{'es' if passes > 1 else ''}"
        words += f" ({self.model.learner_.stop_reason_}): {self.counters.summary()}"
        return words + (", with probability 95%" if self.risk_bound is not None else " in the last pass")


class StreamError(DataError):
    """A row in the middle of a stream cannot be learnt from.

    Of text the rows before it are learnt, of other sources the pieces before the one that it is in.

    Attributes
    ----------
    reason : str
        What is wrong, and where.
    so_far : StreamFit
        The result of these rows.
    """

    def __init__(self, reason: str, so_far: StreamFit) -> None:
        rows = so_far.counters.rows
        super().__init__(f"{reason}; the attribute `so_far` of this error holds the model of the first {rows:,} rows")
        self.reason, self.so_far = reason, so_far
