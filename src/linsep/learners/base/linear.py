"""What learners with `coef_` and `intercept_` share: class weights, rows for kernels, planes, decision values."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, ClassVar, Literal

import numpy as np

from linsep.declared import ArraySpec
from linsep.learners.base.classifier import as_rows
from linsep.learners.base.labelled import LabelledClassifier
from linsep.learners.engine.scores import scores
from linsep.learners.inputs.parameters import LEAST_CONSTANT, MOST_CONSTANT
from linsep.learners.inputs.sample_weights import Given, weights_of_classes
from linsep.passes import NO_WEIGHTS, Rows
from linsep.scikit import check_is_fitted, checked_rows
from linsep.tables import is_sparse
from linsep.types import Array, DataError


def typical_length(X: Any) -> float:
    """(mean ||x||^2)^(1/2) of these rows, between `LEAST_CONSTANT` and `MOST_CONSTANT`; 1 if all of them are 0."""
    from linsep.kernels.linear.gradient import row_sizes

    if not X.shape[0]:
        raise DataError('intercept_scaling="auto" is the length of the rows, and there are none yet: give a number')
    mean2 = row_sizes(as_rows(X), NO_WEIGHTS, 0.0)[1]
    return min(max(math.sqrt(mean2), LEAST_CONSTANT), MOST_CONSTANT) if mean2 > 0 else 1.0


@cache
def row_kernels() -> Any:
    """The kernels of single rows, loaded once: to import them with each row would be felt."""
    from linsep.kernels.linear import one_row

    return one_row


class LinearClassifier(LabelledClassifier):
    """Class weights and decision values of a learner with `coef_` and `intercept_`.

    `intercept_scaling`, `class_weight`, `open_classes`, `multi_class` and `n_jobs` are for learners without these
    parameters.
    """

    state_arrays: ClassVar[dict[str, ArraySpec]] = {
        "coef_": ArraySpec(("planes", "features")),
        "intercept_": ArraySpec(("planes",), like="coef_"),
        "class_count_": ArraySpec(("classes",), "whole", least=0, needed=False),
    }
    # Arrays with one row a plane: one plane for two classes, one a class for more.
    plane_arrays: ClassVar[tuple[str, ...]] = ("coef_", "intercept_")

    # Running sums behind a mean of weights: the name of each, and that of the weights it is about.
    running_sums: ClassVar[dict[str, str]] = {}

    coef_: Array
    intercept_: Array
    intercept_scaling_: float
    constant2_: float  # c^2, by which updates of b are multiplied; 0 without an intercept
    fit_intercept: bool
    intercept_scaling: float | str = 1.0
    class_weight: Any = None
    open_classes: bool = False
    multi_class: str = "ovr"
    n_jobs: int | None = None

    # ------------------------------------------------------------------ input
    def _class_weights(self, given: Given, *, running: bool) -> Array | None:
        """The weight of each row for its own class, or None where `class_weight` is.

        "balanced" is rows / (classes x rows of the class), of these rows or, `running`, of all rows so far.
        """
        if self.class_weight is None:
            return None
        if self.class_weight == "balanced" and running:
            return self._running_balance(given.y)
        positions = self._positions(given)
        if self.class_weight == "balanced":
            count = np.bincount(positions, minlength=len(self.classes_))
            return np.asarray((len(positions) / (len(count) * np.maximum(count, 1)))[positions])
        return np.asarray(weights_of_classes(self.class_weight, self.classes_, self._open)[positions])

    def _running_balance(self, y: Array) -> Array:
        """Weight of each row under class_weight="balanced": rows so far / (classes x rows so far of its class)."""
        count = getattr(self, "class_count_", np.zeros(len(self.classes_), dtype=np.int64))
        is_class = y[:, None] == self.classes_
        seen = count + np.cumsum(is_class, axis=0)
        self.class_count_ = seen[-1]
        balance: Array = seen.sum(axis=1) / (len(self.classes_) * seen[is_class])
        return balance

    def _moves_as_one(self) -> bool:
        """Whether the weight of a row's class scales all of its update: one-vs-rest scales the part of that class."""
        return len(self.classes_) <= 2 or self.multi_class == "multiclass"

    def kernel_rows(self, given: Given, *, running: bool) -> tuple[Rows, Array | None]:
        """What kernels read of rows, and the original indices of these; weights of two classes multiply the rows' own.

        Balanced class weights count these rows or, `running`, all rows so far.
        """
        own = None if self.class_weight is None else self._class_weights(given, running=running)
        if own is not None and self._moves_as_one() and not own.all():
            given, own = given.take(own > 0), own[own > 0]
        X, weight, codes = given.X, given.weight, given.codes
        if codes is None:  # known only for the rows that the learner has just been started with
            X, codes = X.astype(self.moving()[0].dtype, copy=False), self._encode(given)
        if own is not None and len(self.classes_) <= 2:
            weight, own = own if weight is None else own * weight, None
        weight, own = NO_WEIGHTS if weight is None else weight, NO_WEIGHTS if own is None else own
        return Rows(as_rows(X), codes, weight, own), given.numbers

    # ---------------------------------------------------------------- weights
    def start(self, X: Any) -> None:
        """Set the state of an untrained learner: w = 0, b = 0."""
        from linsep.kernels.memory import aligned_zeros

        n_planes = 1 if len(self.classes_) <= 2 else len(self.classes_)
        # Sparse rows want one feature's weights of all classes side by side.
        order: Literal["C", "F"] = "C" if isinstance(X, np.ndarray) else "F"
        zeros = np.zeros if n_planes == 1 else aligned_zeros
        self.coef_ = zeros((n_planes, X.shape[1]), X.dtype, order)
        self.intercept_ = np.zeros(n_planes, dtype=X.dtype)
        c = self.intercept_scaling
        self.intercept_scaling_ = typical_length(X) if isinstance(c, str) else float(c)
        self.constant2_ = self.fit_intercept * self.intercept_scaling_**2
        self.t_ = 0

    def moving(self) -> tuple[Array, Array]:
        """The weights (n_planes, n_features) and intercepts that updates move."""
        return self.coef_, self.intercept_

    def _kept(self, names: tuple[str, ...]) -> list[str]:
        """Those of the arrays that this learner keeps: sums for a mean are kept only where it predicts."""
        return [name for name in names if name in self.__dict__]

    def _make_room(self, before: int, place: int) -> None:
        """Insert the plane of the class that joined `before` others at `place`.

        One class alone has the plane of "its rows"; two have that of the second, whose negative is that of the first.
        """
        if hasattr(self, "class_count_"):
            self.class_count_ = np.insert(self.class_count_, place, 0)
        made: dict[int, Array] = {}
        for name in self._kept(self.plane_arrays):
            old = getattr(self, name)
            if id(old) not in made:
                new = old if before > 1 or place == 0 else -old
                if before > 1:
                    new = np.insert(np.concatenate([-old, old]) if before == 2 else old, place, 0, axis=0)
                made[id(old)] = np.asarray(new, order="F" if old.flags.f_contiguous else "C")
            setattr(self, name, made[id(old)])

    # ------------------------------------------------------------- prediction
    def decision_function(self, X: Any) -> Array:
        """z = w.x + b.

        Parameters
        ----------
        X : {array, sparse matrix, dataframe}, shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray, shape (n_samples,) or (n_samples, n_classes)
            Two classes: at or above 0 for the positive class, `classes_[1]`. More: one column a class. One class,
            before others joined: the value of "its rows".
        """
        check_is_fitted(self)
        with self.reading() as still:
            still.check_parts()
            # A NaN or an infinity among stored entries makes z one, and of z there is less to look at.
            finite = not is_sparse(X)
            X = checked_rows(still, X, finite=finite)
            z, finite = scores(X, still.coef_.T, still.intercept_)
            if not finite:
                checked_rows(still, X)
        return np.asarray(z[:, 0] if z.shape[1] == 1 else z)
