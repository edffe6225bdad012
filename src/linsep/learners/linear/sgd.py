"""Stochastic gradient descent on a convex loss, with the guarantee that theory gives it."""

from __future__ import annotations

import math
from dataclasses import astuple
from typing import Any, ClassVar, Self

import numpy as np
import scipy.special
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from linsep.kernels.linear.epoch import Rows, bits_in_use, squared_norm
from linsep.kernels.linear.gradient import (
    BY_STEP,
    NO_MEAN,
    UNIFORM,
    Descent,
    Iterate,
    fold,
    largest_norm2,
    measure,
    sgd_epoch,
    sgd_row,
)
from linsep.kernels.optional import UpdateLog
from linsep.kernels.records import PER_CLASS, RECORD
from linsep.learners.base.derived import DerivedLearner
from linsep.learners.engine.loop import Progress
from linsep.learners.inputs.parameters import is_number, keep_parameters
from linsep.learners.linear.sgd_state import ARRAYS, VALUES
from linsep.theory.bounds.descent import auto_eta0, gradient_bound, loss_code, sgd_bound
from linsep.theory.bounds.table import Bound
from linsep.types import Array, DataError, StopReason

_WEIGHTING = {None: NO_MEAN, "uniform": UNIFORM, "eta": BY_STEP}
_COUNTED = [RECORD.mistakes, RECORD.updates, RECORD.absorbed]
_NO_PLAN = "it covers one fit from w = 0, not rows that come in parts or a warm start"
_NO_STEPS = (
    'eta0="auto" needs all rows at once, for max ||(x, 1)|| and T: give eta0 as a number to learn from a stream (after '
    'a fit its eta0_, say); learning_rate="invsqrt" needs no T'
)


def _has_steps(learner: Any) -> bool:
    if learner.eta0 == "auto":
        raise AttributeError(_NO_STEPS)
    return True


def _is_logistic(learner: Any) -> bool:
    if learner.loss != "logistic":
        raise AttributeError(f'probabilities come with loss="logistic", this learner has loss={learner.loss!r}')
    return True


class SGDClassifier(DerivedLearner):
    """w <- proj(w - eta_t g_t), g_t a subgradient of the loss at one row; w and b together in the ball.

    Starts from w_1 = 0, b_1 = 0 and predicts with sum eta_t w_t / sum eta_t, w_t taken before step t. If each row is
    drawn independently (``sampling="replacement"``), the expected mean loss of that vector exceeds the least one of
    the ball by at most (B^2 + G^2 sum eta_t^2) / (2 sum eta_t), B the radius and G the longest a subgradient can be:
    B G / sqrt T after T constant steps. Epochs in order or reshuffled carry no such guarantee.

    A step costs as many operations as its row has entries, on sparse rows too: the projection changes one factor of w,
    and the mean is updated lazily.

    Parameters
    ----------
    loss : {"perceptron", "hinge", "logistic", "squared_hinge", "squared"}, default="hinge"
        max(0, -y z), max(0, 1 - y z), ln(1 + exp(-y z)), max(0, 1 - y z)^2, (y - z)^2.
    projection_radius : float or None, default=None
        B; with None nothing is projected, and there is no guarantee.
    average : {"eta", "uniform"} or None, default="eta"
        Predict with the mean weighted by the steps, with the plain mean, or with the last vector.
    learning_rate : {"constant", "invsqrt"}, default="constant"
        eta_t = eta0 or eta0 / sqrt(t).
    eta0 : float or "auto", default="auto"
        "auto" is B / (G sqrt T), T = max_iter x n, for constant steps and B / G for the others, with B = 1 if there is
        no ball.
    sampling : {"epochs", "replacement"}, default="epochs"
        Each row once an epoch (in a fresh order with `shuffle`), or n independent draws an epoch.
    clip_norm : float or None, default=None
        Subgradients longer than this are cut to it; no guarantee once that can happen.
    max_iter : int or None, default=10
        Epochs of n steps. A run without a mean over epochs stops earlier after a pass in which every gradient is 0.
    time_limit : float or None, default=None
        Largest number of seconds, checked between passes; None sets no limit.
    fit_intercept : bool, default=True
        Whether to learn b; without it b stays 0.
    shuffle : bool, default=True
        Whether to visit the rows in a new order in each epoch.
    random_state : int, RandomState or None, default=None
        Seed of that order.
    warm_start : bool, default=False
        Whether `fit` goes on from the current weights instead of 0. With `shuffle` and an int as `random_state`, each
        call visits the rows in the same orders again; a RandomState goes on where it was.
    class_weight : dict, "balanced" or None, default=None
        Factor on the loss of each class: finite, at least 0, and 1 for a class that the dict leaves out.
    open_classes : bool, default=False
        Whether a label that was not named may join in `partial_fit`: it becomes a class with w = 0 when its first row
        comes. A second class shares the plane of the first: it joins with the negative of its w.
    n_jobs : int or None, default=None
        Number of threads for predictions on sparse rows: None is one, -1 all cores. Training uses one thread.
    trace : {"epochs", "updates"}, default="epochs"
        With "updates" the trace also keeps the row and the epoch of each update (at most two million).
    verbose : int or callable, default=0
        1 prints progress on standard error; a callable is called with (epochs, mistakes of the last pass, seconds).

    Attributes
    ----------
    coef_, intercept_ : ndarray
        The vector that predicts, one a class against the rest for three classes or more; float64 when a mean.
    eta0_, gradient_bound_ : float
        The step size eta_1, and G for the rows and weights of the last `fit`.
    excess_bound_ : Bound
        The guarantee, or why there is none. Of several classes it is that of each.
    classes_, n_iter_, n_mistakes_, n_updates_, stop_reason_, trace_
        As in `Perceptron`; a mistake is y z <= 0 at the vector of that step, an update a gradient that is not 0.

    References
    ----------
    Robbins and Monro 1951; Zinkevich 2003, ICML; Shalev-Shwartz and Ben-David 2014, theorem 14.8.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2.0], [1.0], [-1.0], [-2.0]])
    >>> learner = SGDClassifier("logistic", projection_radius=2.0, sampling="replacement", random_state=0)
    >>> learner = learner.fit(X, ["no", "no", "yes", "yes"])
    >>> learner.predict([[3.0], [-3.0]]).tolist(), round(learner.excess_bound_.value, 3)
    (['no', 'yes'], 0.699)
    """

    wants_clean_pass: ClassVar[bool] = False
    unit_steps: ClassVar[bool] = False
    batch_epochs: ClassVar[int] = 1
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

    def __init__(
        self,
        loss: str = "hinge",
        *,
        projection_radius: float | None = None,
        average: str | None = "eta",
        learning_rate: str = "constant",
        eta0: float | str = "auto",
        sampling: str = "epochs",
        clip_norm: float | None = None,
        max_iter: int | None = 10,
        time_limit: float | None = None,
        fit_intercept: bool = True,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        class_weight: Any = None,
        open_classes: bool = False,
        n_jobs: int | None = None,
        trace: str = "epochs",
        verbose: int | Progress = 0,
    ) -> None:
        keep_parameters(self, locals())

    # ---------------------------------------------------------------- results
    @property
    def excess_bound_(self) -> Bound:
        check_is_fitted(self)
        return Bound(*self._promise)

    @available_if(_is_logistic)
    def predict_proba(self, X: Any) -> Array:
        """1 / (1 + exp(-z)) of the positive class; of several classes that of each against the rest, made to sum to 1.

        Parameters
        ----------
        X : {array, sparse matrix, dataframe}, shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray, shape (n_samples, n_classes)
            One column per class, in the order of `classes_`.
        """
        z = self.decision_function(X)
        if z.ndim == 2:
            return np.asarray(scipy.special.softmax(scipy.special.log_expit(z), axis=1))
        p = scipy.special.expit(z) if len(self.classes_) == 2 else np.ones_like(z)
        return np.column_stack([scipy.special.expit(-z), p]) if len(self.classes_) == 2 else p[:, None]

    # --------------------------------------------------------------- training
    @available_if(_has_steps)
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Make one pass over these rows, in the order given, from the weights so far; `eta0` must be a number.

        Parameters
        ----------
        X : {array, sparse matrix, dataframe}, shape (n_samples, n_features)
            The rows.
        y : array, shape (n_samples,)
            Their labels.
        classes : array, optional
            All labels that may come; needed in the first call unless `open_classes`.
        sample_weight : array, shape (n_samples,), optional
            Factor on the loss of each row.

        Returns
        -------
        self
        """
        return super().partial_fit(X, y, classes, sample_weight)

    def learn_one(self, x: Any, y: Any, classes: Any = None) -> Self:
        """Learn from one row: the same as `partial_fit` with a table of one row.

        Parameters
        ----------
        x : dict, ndarray of shape (n_features,) or (indices, values)
            Named features, a row, or the columns that are not 0 with their values.
        y : label
            The label of the row.
        classes : array, optional
            All labels that may come, in the first call.

        Returns
        -------
        self
        """
        if self.eta0 == "auto":
            raise DataError(_NO_STEPS)
        return super().learn_one(x, y, classes)

    def check_parameters(self) -> None:
        super().check_parameters()
        loss_code(self.loss)
        choices = {"average": ("eta", "uniform", None), "learning_rate": ("constant", "invsqrt")}
        for name, words in {**choices, "sampling": ("epochs", "replacement")}.items():
            if getattr(self, name) not in words:
                shown = " or ".join("None" if word is None else f'"{word}"' for word in words)
                raise ValueError(f"{name} must be {shown}, got {getattr(self, name)!r}")
        for name in ("projection_radius", "clip_norm"):
            value = getattr(self, name)
            if value is not None and not (is_number(value) and 0 < value < math.inf):
                raise ValueError(f"{name} must be above 0 and finite, or None (no limit), got {value!r}")
        if self.eta0 != "auto" and not (is_number(self.eta0) and 0 < self.eta0 < math.inf):
            raise ValueError(f'eta0 must be above 0 and finite, or "auto", got {self.eta0!r}')
        if self.eta0 == "auto" and self.max_iter is None:
            auto_eta0(1.0, 1.0, None, self.learning_rate)

    def start(self, X: Any) -> None:
        super().start(X)
        self._v, self._b = self.coef_, self.intercept_
        self._mean, self._mean_b = np.zeros_like(self._v, dtype=np.float64), np.zeros(len(self._b))
        planes = len(self._b)
        self._scale, self._scale_sum, self._norm2 = np.ones(planes), np.zeros(planes), np.zeros(planes)
        self._total = np.zeros(1)
        self.gradient_bound_ = math.nan
        self._promise = ("sgd", None, False, _NO_PLAN, "")

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
            intercept=float(self.fit_intercept),
        )

    def reorders(self) -> bool:
        return self.shuffle or self.sampling == "replacement"

    def visiting_order(self, n: int, rng: np.random.RandomState) -> Array:
        if self.sampling == "epochs":
            return super().visiting_order(n, rng)
        return rng.randint(n, size=n, dtype=np.int32 if n < 2**31 else np.int64)

    def stop_after(self, record: Array, hopeless: int) -> StopReason | None:
        """Stop after a pass without a gradient if all rows were visited; a run with a mean continues."""
        over = self.average is None and self.sampling == "epochs"
        return super().stop_after(record, hopeless) if over else None

    def prepare(self, rows: Rows) -> Array:
        """The classes of the rows as the pass reads them, once G and eta0 are known."""
        R = math.sqrt(float(largest_norm2(rows.X)) + float(self.fit_intercept))
        heaviest = math.prod(float(part.max()) for part in (rows.weight, rows.own) if len(part))
        radius = 1.0 if self.projection_radius is None else float(self.projection_radius)
        self.gradient_bound_ = heaviest * gradient_bound(self.loss, R, radius)
        if self.eta0 == "auto":
            steps = None if self.max_iter is None else self.max_iter * len(rows.y)
            self.eta0_ = auto_eta0(radius, self.gradient_bound_, steps, self.learning_rate)
        self._from_zero = self.t_ == 0
        for k in range(len(self._b)):
            measure(self._iterate(), k)
        return self._positions_of(rows)

    def _positions_of(self, rows: Rows) -> Array:
        return np.where(rows.y > 0, 0, -1) if len(self.classes_) <= 2 else rows.y

    def run(self, rows: Rows, memory: Array | None, log: UpdateLog | None, reference: Array, record: Array) -> int:
        rows = rows._replace(y=self._positions_of(rows) if memory is None else memory)
        counts = np.zeros((len(self._b), len(PER_CLASS)), np.int64)
        sgd_epoch(rows, self._descent(), self._iterate(), counts, log, self.t_)
        record[0, _COUNTED] = counts.sum(axis=0)
        record[0, RECORD.dots] = len(rows.y) * len(self._b)
        self._describe(reference, record[0])
        self._promise = astuple(self._guarantee(self.t_ + len(rows.y), planned=memory is not None))
        if not np.isfinite(record[0, RECORD.norm_w]):
            before = self.n_iter_ if memory is None else self.trace_.total_epochs
            raise DataError(
                f"the steps diverged: w is not finite after {before + 1} epochs with eta0 = {self.eta0_:g}. "
                "Give a smaller eta0, a projection_radius or a clip_norm, and start again"
            )
        return 1

    def _describe(self, reference: Array, record: Array) -> None:
        """Enter what the trace tells of w, which is scale times v."""
        with np.errstate(invalid="ignore", over="ignore"):
            s2 = self._scale**2
            norm2 = sum(float(s2[k]) * float(squared_norm(v)) for k, v in enumerate(self._v))
            record[[RECORD.norm_w, RECORD.b]] = math.sqrt(norm2), math.sqrt(s2 @ self._b.astype(np.float64) ** 2)
        if len(self._b) == 1:
            record[RECORD.b] = self._scale[0] * self._b[0]
        record[RECORD.bits] = bits_in_use(self._v.ravel(order="K"))
        if reference.size and len(self._b) == 1:
            dot = float(self._scale[0] * (self._v[0] @ reference[:-1] + self._b[0] * reference[-1]))
            full = math.sqrt(norm2 + record[RECORD.b] ** 2) * float(np.linalg.norm(reference))
            record[[RECORD.cos, RECORD.w_dot_reference]] = dot / full if full > 0 else math.nan, dot

    def _guarantee(self, steps: int, *, planned: bool) -> Bound:
        bound = sgd_bound(
            self.projection_radius,
            self.gradient_bound_,
            steps,
            eta0=self.eta0_,
            learning_rate=self.learning_rate,
            average=self.average,
        )
        why = ""
        if not planned or not self._from_zero:
            why = _NO_PLAN
        elif self.sampling == "epochs":
            why = 'epochs do not draw rows independently: sampling="replacement" does'
        elif self.clip_norm is not None and self.clip_norm < self.gradient_bound_:
            why = f"gradients may be as long as {self.gradient_bound_:.6g} and are clipped at {self.clip_norm:.6g}"
        return Bound(bound.name, None, False, why, bound.formula) if bound.applies and why else bound

    def _derive(self, columns: Any) -> tuple[Array, Array]:
        with np.errstate(invalid="ignore", over="ignore"):  # a run that diverged says so itself
            if self.average is None or self._total[0] == 0:
                dtype = self._v.dtype
                return (self._scale[:, None] * self._v[:, columns]).astype(dtype), (self._scale * self._b).astype(dtype)
            w = self._mean[:, columns] + self._scale_sum[:, None] * self._v[:, columns]
            return w / self._total, (self._mean_b + self._scale_sum * self._b) / self._total

    def _make_room(self, before: int, place: int) -> None:
        w = self._iterate()
        for k in range(len(self._b)):
            fold(w, k)
        super()._make_room(before, place)
        planes = len(self._b)
        self._scale, self._scale_sum, self._norm2 = np.ones(planes), np.zeros(planes), np.zeros(planes)
        for k in range(planes):
            measure(self._iterate(), k)

    def _visit(self, X: Any, code: Any, own: float) -> tuple[int, int, int]:
        # Of two classes the weight scales every step; of more only those of the plane of the row's own class.
        k, weights = (int(code), (1.0, own)) if len(self.classes_) > 2 else (0 if code > 0 else -1, (own, 1.0))
        counts = np.zeros((len(self._b), len(PER_CLASS)), np.int64)
        if (bad := sgd_row(X, k, *weights, self._descent(), self._iterate(), counts, self.t_)) < 0:
            return bad, 0, 0
        self._promise = ("sgd", None, False, _NO_PLAN, "")
        mistakes, updates, absorbed = counts.sum(axis=0).tolist()
        return mistakes, updates, absorbed
