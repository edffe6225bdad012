"""What keeps the weights in bounds on a stream without end: old rows fade, and (w, b / c) stays in a ball.

c is the constant feature of the learner, 1 as a rule. And an alarm when the rate of mistakes changes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from linsep.kernels.linear.epoch import squared_norm
from linsep.learners.base.one_row import OnlineLearner
from linsep.passes import Mean
from linsep.streaming.result import Counters, Say
from linsep.types import Array, DataError

# Rows between two applications. A constant: results would otherwise depend on how the source is cut into chunks.
EVERY_ROWS = 1000


@dataclass(frozen=True)
class Safeguards:
    """Both are applied after every 1,000 rows, and the ball at the end as well.

    `ball`: (w, b / c) of all classes together is projected onto the ball of this radius. `half_life`: what was learnt
    so many rows ago weighs half, in the vector that moves and in the mean. With w_t the vector after row t, the faded
    mean of n rows is sum f_t w_t / sum f_t with f_t = 2^(-(n - t) / half_life), n - t in whole thousands of rows. The
    sum of the f_t is kept as a whole number, so it is off by half a row for each thousand of rows at most.
    """

    ball: float | None = None
    half_life: float | None = None

    def __post_init__(self) -> None:
        for name, value in (("ball", self.ball), ("half_life", self.half_life)):
            if value is not None and not 0 < value < math.inf:
                raise DataError(f"{name} must be a finite number above 0, not {value}")

    def cuts(self, rows_before: int, n_rows: int) -> list[int]:
        """Where to cut the next `n_rows` rows so that a piece ends wherever the safeguards are applied."""
        if self.ball is None and self.half_life is None:
            return [0, n_rows]
        return [0, *range(EVERY_ROWS - rows_before % EVERY_ROWS, n_rows, EVERY_ROWS), n_rows]

    def apply(self, learner: OnlineLearner, rows: int) -> None:
        """Fade and project if the learner has seen a whole number of thousands of rows."""
        if rows % EVERY_ROWS:
            return
        if self.half_life is not None:
            factor = 0.5 ** (EVERY_ROWS / self.half_life)
            fade(learner, factor, counted=round(factor * learner.t_))
        if self.ball is not None:
            project(learner, self.ball)

    def apply_at_end(self, learner: OnlineLearner) -> None:
        """Project what is handed out: the vector in use and, of an averaged learner, the mean."""
        if self.ball is not None:
            project(learner, self.ball)
            project_mean(learner, self.ball)


def fade(learner: OnlineLearner, factor: float, counted: int | None = None) -> None:
    """Multiply w and b by a factor; in the mean the vectors of the rows so far count as `counted`, or as before.

    A mean of t vectors has the sum S = t w - u. For w -> c w, t -> k, S -> S k / t it takes u -> u k / t - (1 - c) k w.
    """
    W, b = learner.moving()
    watch = learner.watch()
    if isinstance(watch, Mean) and learner.t_:
        k = learner.t_ if counted is None else counted
        for u, w in ((watch.u, W), (watch.u_b, b)):
            u *= k / learner.t_
            u -= (1.0 - factor) * k * w
        learner.t_ = k
    W *= factor
    b *= factor
    learner.settle_later()


def project(learner: OnlineLearner, radius: float) -> None:
    """Shrink (w, b / c) of all classes together onto the ball of this radius, if they are outside."""
    while (norm := _length(learner, *learner.moving())) > radius:  # rounding may leave it outside by a bit
        fade(learner, np.nextafter(radius / norm, 0.0))


def project_mean(learner: OnlineLearner, radius: float) -> None:
    """Shrink the mean of the vectors onto the ball of this radius, if it is outside.

    The mean of t vectors is w - u / t; u -> c u + (1 - c) t w multiplies it by c.
    """
    watch = learner.watch()
    if not isinstance(watch, Mean) or not learner.t_:
        return
    W, b = learner.moving()
    while (norm := _length(learner, W - watch.u / learner.t_, b - watch.u_b / learner.t_)) > radius:
        c = np.nextafter(radius / norm, 0.0)
        watch.u[...] = c * watch.u + (1.0 - c) * learner.t_ * W
        watch.u_b[...] = c * watch.u_b + (1.0 - c) * learner.t_ * b
    learner.settle_later()


def _length(learner: OnlineLearner, W: Array, b: Array) -> float:
    return math.sqrt(squared_norm(W.ravel(order="K")) + squared_norm(b) / learner.intercept_scaling_**2)


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
