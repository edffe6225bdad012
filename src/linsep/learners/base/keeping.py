"""Which vector predicts: one derived from the one that moves, or all of them, by the record of their mistakes.

What is derived is marked stale and recomputed on access.
"""

from __future__ import annotations

from copy import copy
from typing import Any, ClassVar

import numpy as np
import scipy

from linsep.declared import MOST, ArraySpec, rows_declared
from linsep.learners.base.batch import EpochLearner
from linsep.learners.base.classifier import as_matrix, as_rows
from linsep.learners.base.labelled import LabelledClassifier
from linsep.learners.base.one_row import OnlineLearner, score_with
from linsep.learners.base.parameters import FLAG, Allowed
from linsep.passes import Mean
from linsep.scikit import check_is_fitted
from linsep.tables import dense
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

    def watch(self, memory: Any = None) -> Mean | None:
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


class Growing:
    """Rows to which more are added: dense ones in an array with room for as many again."""

    def __init__(self, rows: Any) -> None:
        self._room = rows
        self.n = rows.shape[0]

    @property
    def rows(self) -> Any:
        """The rows so far."""
        return self._room[: self.n] if isinstance(self._room, np.ndarray) else self._room

    def add(self, new: Any) -> None:
        """Append rows; sparse ones to dense ones and the other way round take the format of those there."""
        before, self.n = self.n, self.n + new.shape[0]
        if not isinstance(self._room, np.ndarray):
            parts = [self._room, scipy.sparse.csr_matrix(new)]
            self._room = scipy.sparse.vstack(parts, format="csr", dtype=self._room.dtype)
            return
        if self.n > len(self._room):
            room = np.empty((max(2 * before, self.n), self._room.shape[1]), self._room.dtype)
            room[:before] = self._room[:before]
            self._room = room
        self._room[before : self.n] = dense(new)


def pack_rows(rows: Any, prefix: str) -> dict[str, Array]:
    """The arrays of a matrix of rows, for a model file."""
    parts = {"": rows} if isinstance(rows, np.ndarray) else (rows if isinstance(rows, CSR) else as_rows(rows))._asdict()
    return {f"{prefix}_{name}": part for name, part in parts.items()}


def unpack_rows(arrays: dict[str, Array], prefix: str, n_features: int) -> Any:
    """Undo `pack_rows`."""
    if f"{prefix}_" in arrays:
        return arrays[f"{prefix}_"]
    return as_matrix(CSR(*(arrays[f"{prefix}_{name}"] for name in CSR._fields)), n_features)


class MistakeRecord(LabelledClassifier):
    """A learner that keeps its mistakes: which stored row moved which plane how far, and when."""

    state_arrays: ClassVar[dict[str, ArraySpec]] = {
        "mistake_rows_": ArraySpec(("updates",), "whole", least=0, below="stored"),
        "mistake_steps_": ArraySpec(("updates",), "float64"),
        "mistake_classes_": ArraySpec(("updates",), "whole", least=0, below="planes"),
        "mistake_visits_": ArraySpec(("updates",), "whole", least=0, below=MOST),
    }

    mistake_rows_: Array
    mistake_steps_: Array
    mistake_classes_: Array
    mistake_visits_: Array
    _stored: Growing

    def _forget(self, X: Any) -> None:
        """Begin a new record, of rows like these."""
        self._stored = Growing(X[:0])
        self.mistake_rows_ = self.mistake_classes_ = self.mistake_visits_ = np.zeros(0, np.int64)
        self.mistake_steps_ = np.zeros(0)

    def _note(self, X: Any, places: Array, mistaken: Array, rows: Array, **entries: Array) -> Array:
        """Add mistakes on `rows` of X, their classes, visits and steps; return the rows mistaken for the first time.

        `mistaken` are these rows, each once; `places` says where a row is stored, -1 for those that are not.
        """
        new = mistaken[places[mistaken] < 0]
        if new.size:
            places[new] = self._stored.n + np.arange(new.size)
            self._stored = copy(self._stored)  # after an error the one before is there again
            self._stored.add(X[new])
        for name, more in {"rows": places[rows], **entries}.items():
            setattr(self, f"mistake_{name}_", np.concatenate([getattr(self, f"mistake_{name}_"), more]))
        return new

    def _counts_survival(self) -> bool:
        return True

    def _groups(self) -> list[Array]:
        """Which of the mistakes each plane made, or all of them."""
        if self.moves_together():
            return [np.ones(len(self.mistake_rows_), dtype=bool)]
        return [self.mistake_classes_ == k for k in range(self.n_planes())]

    def survival_counts(self) -> list[Array]:
        """Count the rows that each vector survived; the counts of a plane add up to `t_`.

        Returns
        -------
        list of ndarray of int64
            c_0, c_1, ... of each plane; one list if all classes move together.
        """
        check_is_fitted(self)
        if getattr(self, "budget", None) is not None:
            raise DataError("a budget keeps no record of its mistakes; fit with budget=None")
        found = []
        for group in self._groups():
            visits = self.mistake_visits_[group]
            if (np.diff(visits) < (0 if self.moves_together() else 1)).any():
                raise DataError("the visits of its mistakes do not rise: the model is damaged, fit it again")
            ends = [max(self.t_, visits.max(initial=0))]  # Ctrl-C ends a pass before it is counted
            found.append(np.diff(np.concatenate([[0], np.unique(visits), ends])))
        return found

    def _votes(self, G: Array) -> Array:
        """The votes of all vectors on a block of rows: running sums of products G with those stored decide."""
        from linsep.kernels.dual import add_votes

        columns = []
        for own, survival in zip(self._groups(), self.survival_counts(), strict=True):
            columns.append(np.full(len(G), survival[0]))
            rows, steps = self.mistake_rows_[own], self.mistake_steps_[own]
            add_votes(G, rows, steps, survival[1:], np.zeros(len(G)), columns[-1])
        return np.column_stack(columns)

    # ------------------------------------------------------------------ state
    def get_state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        meta, arrays = super().get_state()
        return meta, arrays | pack_rows(self._stored.rows, "_stored")

    def declared(self, arrays: dict[str, Array]) -> dict[str, ArraySpec]:
        return {**self.state_arrays, **rows_declared("_stored", arrays, "stored")}

    def sizes(self, n_features: int, n_classes: int) -> dict[str, int]:
        sizes = super().sizes(n_features, n_classes)
        return {**sizes, "stored": self._stored.n} if "_stored" in self.__dict__ else sizes

    def set_state(self, meta: dict[str, Any], arrays: dict[str, Array], classes: Array, names: Array | None) -> None:
        super().set_state(meta, arrays, classes, names)
        self._stored = Growing(unpack_rows(arrays, "_stored", self.n_features_in_))
