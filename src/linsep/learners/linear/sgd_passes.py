"""How descent is run: what moves, how it steps, its orders and passes, and what predictions derive from it."""

from __future__ import annotations

import math
from numbers import Integral
from typing import Any, ClassVar, NamedTuple

import numpy as np

from linsep.kernels.linear.epoch import Rows
from linsep.kernels.linear.gradient import (
    BY_STEP,
    NO_MEAN,
    UNIFORM,
    Descent,
    Iterate,
    fold,
    row_sizes,
    sgd_passes,
    sgd_row,
)
from linsep.kernels.optional import UpdateLog
from linsep.kernels.records import PER_CLASS, RECORD
from linsep.learners.base.derived import DerivedLearner
from linsep.learners.linear.sgd_promise import NO_PLAN, promise
from linsep.learners.linear.sgd_state import ARRAYS, VALUES, check_norms, compare, measure_all
from linsep.theory.bounds.losses import auto_eta0, free_eta0, gradient_bound, loss_code
from linsep.types import Array, StopReason

# Orders that are drawn at once, and rows in them: a few megabytes.
_AT_ONCE, _ORDERED = 64, 1 << 20
_WEIGHTING = {None: NO_MEAN, "uniform": UNIFORM, "eta": BY_STEP}


class Prepared(NamedTuple):
    """What the passes of one `fit` have in common: classes as a pass reads them, how to step, and what moves."""

    y: Array
    rule: Descent
    w: Iterate


class DescentLearner(DerivedLearner):
    """The passes of an `SGDClassifier`, which has the parameters."""

    wants_clean_pass: ClassVar[bool] = False
    unit_steps: ClassVar[bool] = False
    batch_epochs: ClassVar[int] = 1
    only_from_zero: ClassVar[str] = "its ball and its guarantee are about the distance from there"
    _derived_by: ClassVar[tuple[str, ...]] = ("average",)
    state_values = DerivedLearner.state_values | VALUES
    state_arrays = DerivedLearner.state_arrays | ARRAYS
    plane_arrays: ClassVar[tuple[str, ...]] = ("_v", "_b", "_mean", "_mean_b")
    column_arrays: ClassVar[tuple[str, ...]] = ("_v", "_mean")

    multi_class = "ovr"
    eta0_: float
    gradient_bound_: float
    _promise: tuple[Any, ...]

    loss: str
    projection_radius: float | None
    average: str | None
    learning_rate: str
    eta0: float | str
    sampling: str
    clip_norm: float | None

    def start(self, X: Any) -> None:
        super().start(X)
        self._v, self._b = self.coef_, self.intercept_
        self._mean, self._mean_b = np.zeros_like(self._v, dtype=np.float64), np.zeros(len(self._b))
        planes = len(self._b)
        self._scale, self._scale_sum, self._norm2 = np.ones(planes), np.zeros(planes), np.zeros(planes)
        self._total = np.zeros(1)
        self.gradient_bound_ = math.nan
        self._promise = ("sgd", None, False, NO_PLAN, "")

    def moving(self) -> tuple[Array, Array]:
        return self._v, self._b

    def _iterate(self) -> Iterate:
        return Iterate(*(getattr(self, name) for name in ARRAYS))

    def _descent(self) -> Descent:
        if self.eta0 != "auto":
            self.eta0_ = float(self.eta0)
        return Descent(
            loss=loss_code(self.loss),
            eta0=self.eta0_,
            decreasing=self.learning_rate == "invsqrt",
            weighting=_WEIGHTING[self.average],
            radius=math.inf if self.projection_radius is None else float(self.projection_radius),
            clip=math.inf if self.clip_norm is None else float(self.clip_norm),
            intercept=self.constant2_,
        )

    def reorders(self) -> bool:
        return self.shuffle or self.sampling == "replacement"

    def orders_at_once(self, n: int, *, compared: bool) -> int:
        # The cosine is computed, and progress told, after each call. A generator of somebody else's gives no order that
        # is not needed.
        borrowed = self._may_be_over() and not isinstance(self.random_state, Integral)
        one = compared or borrowed or self.verbose or (self._may_be_over() and self.moves_in_vain())
        return 1 if one else max(1, min(_AT_ONCE, _ORDERED // n))

    def visiting_order(self, n: int, rng: np.random.RandomState) -> Array:
        if self.sampling == "epochs":
            return super().visiting_order(n, rng)
        return rng.randint(n, size=n, dtype=np.int32 if n < 2**31 else np.int64)

    def _may_be_over(self) -> bool:
        """Whether a pass without a gradient ends a run: if all rows were visited; a run with a mean continues."""
        return self.average is None and self.sampling == "epochs"

    def moves_in_vain(self) -> bool:
        # A length that is measured anew may be above the radius by its rounding, and w is shortened.
        return self.projection_radius is not None

    def stop_after(self, record: Array, hopeless: int) -> StopReason | None:
        return super().stop_after(record, hopeless) if self._may_be_over() else None

    def count_hopeless(self, rows: Rows) -> int:
        return super().count_hopeless(rows) if self._may_be_over() else 0

    def prepare(self, rows: Rows) -> Prepared:
        """The classes of the rows as the passes read them, how to step and what moves, once G and eta0 are known."""
        largest, mean = row_sizes(rows.X, rows.weight, self.constant2_)
        heaviest = math.prod(float(part.max()) for part in (rows.weight, rows.own) if len(part))
        radius = math.inf if self.projection_radius is None else float(self.projection_radius)
        self.gradient_bound_ = heaviest * gradient_bound(self.loss, math.sqrt(largest), radius)
        if self.eta0 == "auto" and self.projection_radius is None:
            self.eta0_ = free_eta0(self.loss, mean, heaviest * largest)
        elif self.eta0 == "auto":
            steps = None if self.max_iter is None else self.max_iter * len(rows.y)
            self.eta0_ = auto_eta0(radius, self.gradient_bound_, steps, self.learning_rate)
        self._from_zero = self.t_ == 0
        prepared = self._prepared(rows)
        measure_all(prepared.w, self.constant2_)
        return prepared

    def _prepared(self, rows: Rows) -> Prepared:
        # Plane 0 is that of the second of two classes.
        y = (rows.y > 0) - np.int64(1) if len(self.classes_) <= 2 else rows.y
        return Prepared(y, self._descent(), self._iterate())

    def run(self, rows: Rows, memory: Prepared | None, log: UpdateLog | None, reference: Array, record: Array) -> int:
        y, rule, w = self._prepared(rows) if memory is None else memory
        counts = np.zeros((len(w.b), len(PER_CLASS)), np.int64)
        may_end = memory is not None and self._may_be_over()
        made = sgd_passes(rows._replace(y=y), rule, w, counts, log, self.t_, record, may_end)
        norms = record[:made, RECORD.norm_w]
        if memory is None:  # `partial_fit` looks at the range once it has counted
            check_norms(norms, self.n_iter_, self.eta0_)
        else:
            check_norms(norms, self.trace_.total_epochs, self.eta0_, w.V.dtype)
        if reference.size and len(w.b) == 1:
            compare(w, self.constant2_, reference, record[0])
        if memory is None:
            self._promise = promise(self, self.t_ + len(rows.y), planned=False)
        return made

    def _end(self, stop: StopReason) -> None:
        super()._end(stop)
        if self.n_iter_:  # once a run, not once a pass
            self._promise = promise(self, self.t_, planned=self._from_zero)

    def _derive(self, columns: Any) -> tuple[Array, Array]:
        with np.errstate(invalid="ignore", over="ignore"):  # a run that diverged says so itself
            if self.average is None or self._total[0] == 0:
                dtype = self._v.dtype
                return (self._scale[:, None] * self._v[:, columns]).astype(dtype), (self._scale * self._b).astype(dtype)
            w = self._scale_sum[:, None] * self._v[:, columns]
            w += self._mean[:, columns]  # in place, as wide weights take much memory
            w /= self._total
            return w, (self._mean_b + self._scale_sum * self._b) / self._total

    def _make_room(self, before: int, place: int) -> None:
        w = self._iterate()
        for k in range(len(self._b)):
            fold(w, k)
        super()._make_room(before, place)
        planes = len(self._b)
        self._scale, self._scale_sum, self._norm2 = np.ones(planes), np.zeros(planes), np.zeros(planes)
        measure_all(self._iterate(), self.constant2_)

    def _visit(self, X: Any, code: Any, own: float) -> tuple[int, int, int]:
        # Of two classes the weight scales every step; of more only those of the plane of the row's own class.
        k, weights = (int(code), (1.0, own)) if len(self.classes_) > 2 else (0 if code > 0 else -1, (own, 1.0))
        counts = np.zeros((len(self._b), len(PER_CLASS)), np.int64)
        if (bad := sgd_row(X, k, *weights, self._descent(), self._iterate(), counts, self.t_)) < 0:
            return bad, 0, 0
        self._promise = ("sgd", None, False, NO_PLAN, "")
        mistakes, updates, absorbed = counts.sum(axis=0).tolist()
        return mistakes, updates, absorbed
