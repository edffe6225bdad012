"""Stochastic gradient descent on a convex loss, with the guarantee that theory gives it."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Self, Unpack

import numpy as np

from linsep.kernels.linear.gradient import Iterate, row_sizes, sgd_pass
from linsep.learners.base.linear_learner import LinearLearner
from linsep.learners.base.parameters import Allowed, Shared, one_of, sharing
from linsep.learners.base.training import learn_more
from linsep.learners.linear import sgd_state as terms
from linsep.learners.linear.sgd_state import ARRAYS, NO_PLAN, measure_all
from linsep.passes import RECORD, Rows, UpdateLog
from linsep.scikit import available_if, check_is_fitted
from linsep.theory.bounds.losses import auto_eta0, free_eta0, gradient_bound, loss_code
from linsep.theory.bounds.table import Bound
from linsep.types import Array, DataError, StopReason


class SGDClassifier(LinearLearner):
    """w <- proj(w - eta_t g_t), g_t a subgradient of the loss at one row; w and b/c together in the ball.

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
        "auto" is B / (G sqrt T), T = max_iter x n, for constant steps in a ball and B / G for falling ones. Without a
        ball it is 1 / mean(c ||(x, 1)||^2), c the weight of a row, for "perceptron" and "hinge", 4 times that for
        "logistic", and 1 / (4 max c ||(x, 1)||^2) for the squared losses.
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
    intercept_scaling : float or "auto", default=1.0
        c, the value of the constant feature behind b: an update by a x moves b by c^2 a. Numbers below 1 damp b. Bounds
        have R^2 + c^2 in the place of R^2 + 1. "auto" is the root mean square length of the rows, of a stream that of
        its first block. Read when training begins, and kept in `intercept_scaling_`.
    shuffle : bool, default=True
        Whether to visit the rows in a new order in each epoch: up to 3,968 rows in a random permutation, of more rows
        chunks of 16 neighbours in random order, each 4,096 rows in a line then shuffled among themselves.
    random_state : int, RandomState or None, default=None
        Seed of that order.
    warm_start : bool, default=False
        Whether `fit` goes on from the current weights instead of 0. With `shuffle` and an int as `random_state`, each
        call visits the rows in the same orders again; a RandomState goes on where it was.
    class_weight : dict, "balanced" or None, default=None
        Factor on the loss of each class: finite, at least 0, and 1 for a class that the dict leaves out.
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
        The guarantee, or why there is none. Of several classes it is that of each. Without a ball it says what holds
        beside a vector of any length.
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
    fixed: ClassVar[tuple[str, ...]] = (*LinearLearner.fixed, "average")  # the sums depend on it, and what is promised
    allowed: ClassVar[dict[str, Allowed]] = {"average": one_of("eta", "uniform", None)}
    state_values = LinearLearner.state_values | terms.VALUES
    state_arrays = LinearLearner.state_arrays | ARRAYS

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

    @sharing("multi_class", "open_classes", max_iter=10)
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
        **shared: Unpack[Shared],
    ) -> None: ...

    # --------------------------------------------------------------- training
    @available_if(terms.has_steps)
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Make one pass over these rows, in the order given, from the weights so far; `eta0` must be a number.

        Parameters
        ----------
        X : {array, sparse matrix, dataframe}, shape (n_samples, n_features)
            The rows.
        y : array, shape (n_samples,)
            Their labels.
        classes : array, optional
            All labels that may come; needed in the first call.
        sample_weight : array, shape (n_samples,), optional
            Factor on the loss of each row.

        Returns
        -------
        self
        """
        learn_more(self, X, y, classes, sample_weight)
        return self

    def check_parameters(self) -> None:
        super().check_parameters()
        loss_code(self.loss)
        if self.eta0 == "auto" and self.max_iter is None and self.projection_radius is not None:
            auto_eta0(1.0, 1.0, None, self.learning_rate)

    def start(self, X: Any) -> None:
        super().start(X)
        self._v, self._b = self._coef, self._intercept
        self._mean, self._mean_b = np.zeros_like(self._v, dtype=np.float64), np.zeros(len(self._b))
        self._total = np.zeros(1)
        planes = len(self._b)
        self._scale, self._scale_sum, self._norm2 = np.ones(planes), np.zeros(planes), np.zeros(planes)
        self.gradient_bound_ = math.nan
        self._promise = ("sgd", None, False, NO_PLAN, "")

    def moving(self) -> tuple[Array, Array]:
        return self._v, self._b

    def _iterate(self) -> Iterate:
        return Iterate(*(getattr(self, name) for name in ARRAYS))

    def reorders(self) -> bool:
        return self.shuffle or self.sampling == "replacement"

    def visiting_order(self, n: int, rng: np.random.RandomState) -> Array:
        if self.sampling == "epochs":
            return super().visiting_order(n, rng)
        return rng.randint(n, size=n, dtype=np.int32 if n < 2**31 else np.int64)

    def stop_after(self, record: Array) -> StopReason | None:
        """A pass without a gradient ends a run if all rows were visited; a run with a mean continues."""
        return super().stop_after(record) if self.average is None and self.sampling == "epochs" else None

    def prepare(self, rows: Rows) -> Array:
        """The classes of the rows as the passes read them, once G and eta0 are known."""
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
        measure_all(self._iterate(), self.constant2_)
        return self._planes_of(rows)

    def _planes_of(self, rows: Rows) -> Array:
        # Plane 0 is that of the second of two classes.
        return (rows.y > 0) - np.int64(1) if len(self.classes_) <= 2 else rows.y

    def run(self, rows: Rows, memory: Array | None, log: UpdateLog | None, reference: Array, record: Array) -> int:
        if reference.size:
            raise DataError("vectors of a descent are not compared with a reference: give none")
        rows = rows._replace(y=self._planes_of(rows) if memory is None else memory)
        sgd_pass(rows, terms.descent(self), self._iterate(), log, self.t_, record[0])
        if not math.isfinite(record[0, RECORD.norm_w]):
            epochs = (self.n_iter_ if memory is None else self.trace_.total_epochs) + 1
            raise DataError(
                f"the steps diverged: w is not finite after {epochs} epochs with eta0 = {self.eta0_:g}. Give a smaller "
                "eta0, a projection_radius or a clip_norm, and start again"
            )
        if memory is None:
            self._promise = terms.promise(self, self.t_ + len(rows.y), planned=False)
        return 1

    def end_run(self, stop: StopReason, n_epochs: int) -> None:
        super().end_run(stop, n_epochs)
        if n_epochs:  # once a run, not once a pass
            self._promise = terms.promise(self, self.t_, planned=self._from_zero)

    def _derive(self, columns: Any) -> tuple[Array, Array]:
        with np.errstate(invalid="ignore", over="ignore"):  # a run that diverged says so itself
            if self.average is None or self._total[0] == 0:
                dtype = self._v.dtype
                return (self._scale[:, None] * self._v[:, columns]).astype(dtype), (self._scale * self._b).astype(dtype)
            w = self._scale_sum[:, None] * self._v[:, columns]
            w += self._mean[:, columns]  # in place, as wide weights take much memory
            w /= self._total
            return w, (self._mean_b + self._scale_sum * self._b) / self._total

    # ---------------------------------------------------------------- results
    @property
    def excess_bound_(self) -> Bound:
        check_is_fitted(self)
        self.check_parts()
        return Bound(*self._promise)

    @available_if(terms.is_logistic)
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
        return terms.probabilities(self.decision_function(X), len(self.classes_))
