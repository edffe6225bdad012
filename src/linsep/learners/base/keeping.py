"""Mistakes that a learner keeps, for votes and kernels: which row moved which plane how far, and when."""

from __future__ import annotations

from copy import copy
from typing import Any, ClassVar

import numpy as np
import scipy

from linsep.declared import MOST, ArraySpec, rows_declared
from linsep.learners.base.classifier import Classifier
from linsep.learners.base.labelled import as_matrix, as_rows
from linsep.scikit import check_is_fitted
from linsep.tables import dense
from linsep.types import CSR, Array, DataError


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


class MistakeRecord(Classifier):
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

    def counts_survival(self) -> bool:
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
