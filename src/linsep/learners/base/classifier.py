"""What all classifiers share: validation, the tie rule, saving and restoring state."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Literal, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from linsep.kernels.checks import has_duplicates
from linsep.learners.engine.number_range import check_entries
from linsep.learners.inputs.labels import check_labels, kind_of_labels
from linsep.tables import check_index, is_sparse, rows_for_kernels
from linsep.types import CSR, Array, DataError, StopReason


def as_rows(X: Any) -> Any:
    """Return what kernels read, without duplicate entries."""
    if is_sparse(X) and has_duplicates(X.indices, X.indptr, X.shape[1]):
        X = X.copy()
        X.sum_duplicates()
    return rows_for_kernels(X)


def as_matrix(rows: Any, n_features: int) -> Any:
    """Undo `as_rows`."""
    if isinstance(rows, np.ndarray):
        return rows
    return sp.csr_matrix(tuple(rows), shape=(len(rows.indptr) - 1, n_features))


def pack_rows(rows: Any, prefix: str) -> dict[str, Array]:
    """The arrays of a matrix of rows, for a model file."""
    parts = {"": rows} if isinstance(rows, np.ndarray) else as_rows(rows)._asdict()
    return {f"{prefix}_{name}": part for name, part in parts.items()}


def unpack_rows(arrays: dict[str, Array], prefix: str, n_features: int) -> Any:
    """Undo `pack_rows`."""
    if f"{prefix}_" in arrays:
        return arrays[f"{prefix}_"]
    return as_matrix(CSR(*(arrays[f"{prefix}_{name}"] for name in CSR._fields)), n_features)


class Classifier(ClassifierMixin, BaseEstimator):
    """Validation, the tie rule and the state of any learner that gives decision values."""

    # Names of the fitted attributes that a saved model holds, beside classes_ and feature names.
    state_values: ClassVar[tuple[str, ...]] = ("n_features_in_", "n_iter_")
    state_arrays: ClassVar[tuple[str, ...]] = ()

    classes_: Array
    n_features_in_: int
    n_iter_: int

    def decision_function(self, X: Any) -> Array:
        """z of each row, or of each row and class."""
        raise NotImplementedError

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    # ------------------------------------------------------------------ input
    def check_rows(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, Array]:
        """Return rows and labels as arrays; an error unless they are finite and fit each other and the learner.

        `reset` starts afresh: the columns are those of these rows, and the labels may be of another kind.
        """
        check_index(X, y)
        X, y = validate_data(
            self,
            X,
            check_labels(y),
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            order="C",
            ensure_all_finite=False,
            reset=reset,
        )
        check_entries(X)
        if not reset and "classes_" in self.__dict__:
            self._check_kind(y)
        return X, y

    def _check_kind(self, y: Array) -> None:
        """Raise unless these labels are of the kind of `classes_`."""
        if kind_of_labels(y) != kind_of_labels(self.classes_):
            known = ", ".join(map(str, self.classes_[:20]))
            raise DataError(f"label {y[0]} is of another kind than the classes {known}")

    @contextmanager
    def unchanged_on_error(self) -> Iterator[None]:
        """Put the attributes back as they were if the block raises."""
        before = self.__dict__.copy()
        try:
            yield
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    # ------------------------------------------------------------- prediction
    def predict(self, X: Any) -> Array:
        """Predict the positive class where z >= 0, else the other; of several classes the first with the largest z.

        Parameters
        ----------
        X : {array, sparse matrix, dataframe}, shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray, shape (n_samples,)
            Labels from `classes_`.
        """
        z = self.decision_function(X)
        positions = (z >= 0).astype(np.intp) if z.ndim == 1 else z.argmax(axis=1)
        if len(self.classes_) == 1:
            positions[:] = 0
        return np.asarray(self.classes_[positions])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Compute the share of rows that are predicted correctly.

        Parameters
        ----------
        X : {array, sparse matrix, dataframe}, shape (n_samples, n_features)
            The rows.
        y : array, shape (n_samples,)
            Their labels.
        sample_weight : array, shape (n_samples,), optional
            The weight of each row.

        Returns
        -------
        float
            Between 0 and 1.
        """
        check_index(X, y)
        return float(super().score(X, y, sample_weight))

    # ------------------------------------------------------------------ state
    def get_state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Everything needed to predict and to go on training: a JSON-able part and an array part."""
        check_is_fitted(self)
        meta = {name: getattr(self, name) for name in self.state_values if hasattr(self, name)}
        arrays = {name: getattr(self, name) for name in self.state_arrays if hasattr(self, name)}
        # A file holds rows of numbers; the order in memory decides which sums are made, to the last bit.
        meta["column_major"] = [name for name, a in arrays.items() if a.flags.fnc]
        return meta, arrays

    def set_state(self, meta: dict[str, Any], arrays: dict[str, Array], classes: Array, names: Array | None) -> None:
        """Take back what `get_state` gave, with `classes_` and the names of columns."""
        self.classes_ = classes
        if names is not None:
            self.feature_names_in_ = names
        for name in self.state_values:
            if name in meta:
                setattr(self, name, StopReason(meta[name]) if name == "stop_reason_" else meta[name])
        for name in self.state_arrays:
            if name in arrays:
                order: Literal["F", "K"] = "F" if name in meta.get("column_major", ()) else "K"
                setattr(self, name, np.asarray(arrays[name], order=order))

    def take_over(self, other: Self) -> None:
        """Replace all that was learnt by what another learner of this class has learnt; parameters stay."""
        parameters = self.get_params(deep=False)
        for name in self.__dict__.keys() - parameters.keys():
            delattr(self, name)
        self.__dict__.update({name: value for name, value in other.__dict__.items() if name not in parameters})
