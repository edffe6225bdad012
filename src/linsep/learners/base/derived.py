"""A learner that predicts with a vector derived from the one that moves: marked stale, recomputed on access."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from linsep.learners.base.epochs import EpochLearner
from linsep.learners.base.one_row import score_with
from linsep.types import CSR, Array, DataError


class DerivedLearner(EpochLearner):
    """`coef_` and `intercept_` are computed by `_derive`, which a subclass gives.

    They are computed at the end of `fit` and `partial_fit`. After a row of a stream they are marked stale and
    recomputed on access, since whole vectors cost more than a row; `predict_one` derives only the entries it needs.
    """

    # Parameters that `_derive` reads: a new value makes `coef_` stale.
    _derived_by: ClassVar[tuple[str, ...]] = ()

    _coef: Array
    _intercept: Array
    _stale = False  # whether what was derived is older than the last update
    _derived_with: tuple[Any, ...] = ()

    def _derive(self, columns: Any) -> tuple[Array, Array]:
        """The weights of these columns (an index of the second axis), and the intercepts."""
        raise NotImplementedError

    def parts(self) -> dict[str, Any]:
        parts = super().parts()
        if self._stale or self._derived_with != self._settings():
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
        self._derived_with = self._settings()

    def settle_later(self) -> None:
        self._stale = True

    def widen(self, width: int, names: list[str]) -> None:
        super().widen(width, names)
        self.settle_later()

    def _make_room(self, before: int, place: int) -> None:
        super()._make_room(before, place)
        self.settle_later()

    def settled(self) -> None:
        if hasattr(self, "classes_") and (self._stale or self._derived_with != self._settings()):
            self.settle()

    def _settings(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self._derived_by)

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
        self._derived_with = self._settings()

    def _score_row(self, X: Any) -> Array | float:
        if not self._stale:
            return super()._score_row(X)
        # The entries that the row touches, and no others.
        w, b = self._derive(X.indices if isinstance(X, CSR) else slice(None))
        if isinstance(X, CSR):
            X = CSR(X.data, np.arange(len(X.indices)), X.indptr)
        return score_with(X, w, b)
