"""Learners that predict with a vector derived from the one that moves: marked stale, recomputed on access."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from linsep.declared import ArraySpec
from linsep.learners.base.batch import EpochLearner
from linsep.learners.base.one_row import OnlineLearner, score_with
from linsep.learners.base.parameters import FLAG, Allowed
from linsep.passes import Mean
from linsep.types import CSR, Array, DataError


class DerivedLearner(EpochLearner):
    """`coef_` and `intercept_` are computed by `_derive`, which a subclass gives.

    They are computed at the end of `fit` and `partial_fit`. After a row of a stream they are marked stale and
    recomputed on access, since whole vectors cost more than a row; `predict_one` derives only the entries it needs.
    """

    _coef: Array
    _intercept: Array
    _stale = False  # whether what was derived is older than the last update
    _derived_with: Any = None  # `average` at that time: a new value makes `coef_` stale
    average: Any

    def _derive(self, columns: Any) -> tuple[Array, Array]:
        """The weights of these columns (an index of the second axis), and the intercepts."""
        raise NotImplementedError

    def parts(self) -> dict[str, Any]:
        parts = super().parts()
        if self._stale or self._derived_with != self.average:
            return parts
        return {"coef_": self._coef, "intercept_": self._intercept} | parts

    def set_state(self, meta: dict[str, Any], arrays: dict[str, Array], classes: Array, names: Array | None) -> None:
        super().set_state(meta, arrays, classes, names)
        w, b = self._derive(slice(None))
        with np.errstate(over="ignore", invalid="ignore"):
            if not np.isfinite(np.vdot(w, w) + b @ b):
                raise DataError("the sums behind its weights are too large: the weights would not be finite")

    def start(self, X: Any) -> None:
        self._stale = False
        super().start(X)

    def settle(self) -> None:
        self._stale = False
        self._coef, self._intercept = self._derive(slice(None))
        self._derived_with = self.average

    def settled(self) -> None:
        if hasattr(self, "classes_") and (self._stale or self._derived_with != self.average):
            self.settle()

    @property
    def coef_(self) -> Array:
        self.settled()
        return self._coef

    @coef_.setter
    def coef_(self, value: Array) -> None:
        self._put("coef_", value)

    @property
    def intercept_(self) -> Array:
        self.settled()
        return self._intercept

    @intercept_.setter
    def intercept_(self, value: Array) -> None:
        self._put("intercept_", value)

    def _put(self, name: str, value: Array) -> None:
        """Take this as what predicts, until something is learnt."""
        self.__dict__[f"_{name[:-1]}"] = value
        self._derived_with = self.average


_WITH_SUMS = {
    "last_coef_": ArraySpec(("planes", "features")),
    "last_intercept_": ArraySpec(("planes",), like="last_coef_"),
    "_sum_coef": ArraySpec(("planes", "features"), "float64", bounded=False),
    "_sum_intercept": ArraySpec(("planes",), "float64", bounded=False),
}


class MeanLearner(DerivedLearner, OnlineLearner):
    """Predicts with the last vector, or with the mean w - u / T of the vectors after each of T visits.

    `last_coef_` is the vector that moves. Sums u are kept if `average` asked for a mean when training began; without
    them `coef_` is the same array as `last_coef_`, and a model file holds it once.
    """

    allowed: ClassVar[dict[str, Allowed]] = {"average": FLAG}
    state_arrays: ClassVar[dict[str, ArraySpec]] = DerivedLearner.state_arrays | _WITH_SUMS
    running_sums: ClassVar[dict[str, str]] = {"_sum_coef": "last_coef_", "_sum_intercept": "last_intercept_"}

    last_coef_: Array
    last_intercept_: Array
    _sum_coef: Array
    _sum_intercept: Array

    # ------------------------------------------------------------------ hooks
    def predicts_mean(self) -> bool:
        """Whether the mean predicts."""
        return bool(self.average) and self.average != "last"

    def _keeps_sums(self) -> bool:
        """Whether training from w = 0 keeps the sums for the mean: always where `average` has names."""
        return isinstance(self.average, str) or self.predicts_mean()

    # --------------------------------------------------------------- training
    def _counts_survival(self) -> bool:
        return self._has_sums()

    def start(self, X: Any) -> None:
        for name in self.running_sums:
            self.__dict__.pop(name, None)
        super().start(X)
        if self._keeps_sums():
            for name, weights in self.running_sums.items():
                w = getattr(self, weights)
                # Side by side as the weights are: then so is the mean, and no product needs a copy of it.
                setattr(self, name, np.zeros(w.shape, order="F" if w.flags.f_contiguous else "C"))

    def moving(self) -> tuple[Array, Array]:
        return self.last_coef_, self.last_intercept_

    def watch(self) -> Mean | None:
        if "_sum_coef" in self.__dict__:  # written out: `learn_one` comes here with every row
            return Mean(self._sum_coef, self._sum_intercept)
        if self.average:
            self._check_mean()
        return None

    def _has_sums(self) -> bool:
        return "_sum_coef" in self.__dict__

    def _check_mean(self) -> None:
        if self.predicts_mean():
            raise DataError(
                "average=True needs sums that are kept from the first row on, and this learner was trained without: "
                "fit it again with average=True"
            )

    # ----------------------------------------------------------- what predicts
    def _derive(self, columns: Any) -> tuple[Array, Array]:
        w, b = self.last_coef_, self.last_intercept_
        if not self._has_sums():
            self._check_mean()
        if not self.predicts_mean() or self.t_ == 0:
            return w if isinstance(columns, slice) else w[:, columns], b
        mean = self._sum_coef[:, columns] / self.t_
        np.subtract(w[:, columns], mean, out=mean)  # in place: wide weights would need twice the memory for a moment
        return mean, b - self._sum_intercept / self.t_

    def settle_later(self) -> None:
        self._stale = True

    def _put(self, name: str, value: Array) -> None:
        super()._put(name, value)
        if not self._has_sums():  # what predicts is what moves
            self.__dict__[f"last_{name}"] = value

    def _score_row(self, X: Any) -> Array | float:
        if "_sum_coef" not in self.__dict__:
            if self.average:
                self._check_mean()
            return score_with(X, self.last_coef_, self.last_intercept_)
        if not self._stale:
            return super()._score_row(X)
        # The entries that the row touches, and no others.
        w, b = self._derive(X.indices if isinstance(X, CSR) else slice(None))
        if isinstance(X, CSR):
            X = CSR(X.data, np.arange(len(X.indices)), X.indptr)
        return score_with(X, w, b)

    # ------------------------------------------------------------------ state
    def declared(self, arrays: dict[str, Array]) -> dict[str, ArraySpec]:
        if self._keeps_sums() or not arrays.keys().isdisjoint(self.running_sums):
            return self.state_arrays
        if arrays.keys().isdisjoint(_WITH_SUMS):
            return DerivedLearner.state_arrays
        return {name: spec for name, spec in self.state_arrays.items() if name not in self.running_sums}

    def get_state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        meta, arrays = super().get_state()
        if not self._has_sums():
            arrays = {name: array for name, array in arrays.items() if name not in _WITH_SUMS}
            meta["column_major"] = [name for name in meta["column_major"] if name in arrays]
        return meta, arrays

    def set_state(self, meta: dict[str, Any], arrays: dict[str, Array], classes: Array, names: Array | None) -> None:
        if not self._keeps_sums() and arrays.keys().isdisjoint(_WITH_SUMS):
            copies = {f"last_{name}": arrays[name] for name in ("coef_", "intercept_") if name in arrays}
            arrays = arrays | copies
            if isinstance(listed := meta.get("column_major"), list) and "coef_" in listed:
                meta = meta | {"column_major": [*listed, "last_coef_"]}
        super().set_state(meta, arrays, classes, names)
