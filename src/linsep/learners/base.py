"""What every linear learner shares: labels, validation at the door, decision values, state in and out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Literal

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from linsep.kernels.epoch import Rows
from linsep.types import CSR, Array, StopReason


def as_rows(X: Any) -> Any:
    """Return what kernels read: the array itself, or a `CSR` whose two index arrays share one dtype."""
    if isinstance(X, np.ndarray):
        return X
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    dtype = np.promote_types(X.indices.dtype, X.indptr.dtype)
    return CSR(X.data, X.indices.astype(dtype, copy=False), X.indptr.astype(dtype, copy=False))


def as_matrix(rows: Any, n_features: int) -> Any:
    """Undo `as_rows`."""
    if isinstance(rows, np.ndarray):
        return rows
    return sp.csr_matrix(tuple(rows), shape=(len(rows.indptr) - 1, n_features))


class LinearClassifier(ClassifierMixin, BaseEstimator):
    """Labels, validation and decision values of a learner with `coef_` and `intercept_`.

    A learner is a subclass with a constructor and the few methods of `linsep.learners.training`.
    """

    # Names of the fitted attributes that a saved model holds, beside classes_ and feature names.
    _state_values: ClassVar[tuple[str, ...]] = (
        "n_features_in_",
        "n_iter_",
        "n_mistakes_",
        "n_updates_",
        "t_",
    )
    _state_arrays: ClassVar[tuple[str, ...]] = ("coef_", "intercept_", "class_count_")

    coef_: Array
    intercept_: Array
    class_weight: Any = None
    classes_: Array
    n_features_in_: int
    n_iter_: int
    n_mistakes_: int
    n_updates_: int
    t_: int

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    # ------------------------------------------------------------------ input
    def _check_rows(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, Array]:
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32], order="C", reset=reset)
        check_classification_targets(y)
        return X, y

    def _check_classes(self, y: Array) -> Array:
        classes = np.unique(y)
        if classes.size < 2:
            raise ValueError(
                f"The number of classes has to be 2; got 1 class: every label is {classes[0]!r}. "
                "A separator needs rows on both sides."
            )
        return classes

    def _positions(self, y: Array) -> Array:
        """Position of each label in `classes_`; ValueError for a label that is not there."""
        sorter = np.argsort(self.classes_)
        positions = sorter[np.searchsorted(self.classes_, y, sorter=sorter).clip(max=len(sorter) - 1)]
        unknown = self.classes_[positions] != y
        if unknown.any():
            i = int(np.flatnonzero(unknown)[0])
            known = ", ".join(map(str, self.classes_))
            raise ValueError(f"row {i}: label {y[i]} is not one of the classes {known}")
        return np.asarray(positions)

    def _encode(self, y: Array) -> Array:
        """What kernels read: -1.0 and +1.0 (the second of two classes), or positions of several classes."""
        positions = self._positions(y)
        return 2.0 * positions - 1.0 if len(self.classes_) == 2 else positions

    def _class_weights(self, y: Array) -> Array | None:
        """The weight of each row for its own class, or None where `class_weight` is."""
        if self.class_weight is None:
            return None
        per_class: Array = compute_class_weight(self.class_weight, classes=self.classes_, y=y)
        return np.asarray(per_class[self._positions(y)])

    def _running_balance(self, y: Array) -> Array:
        """Weight of each row under class_weight="balanced": rows so far / (classes x rows so far of its class)."""
        count = getattr(self, "class_count_", np.zeros(len(self.classes_), dtype=np.int64))
        is_class = y[:, None] == self.classes_
        seen = count + np.cumsum(is_class, axis=0)
        self.class_count_ = seen[-1]
        balance: Array = seen.sum(axis=1) / (len(self.classes_) * seen[is_class])
        return balance

    def _weighted_rows(self, X: Any, y: Array, sample_weight: Any, own: Array | None) -> Rows:
        """What kernels read: rows of weight 0 left out, class weights multiplied in where there are two classes."""
        codes = self._encode(y)
        X = X.astype(self.coef_.dtype, copy=False)
        weight: Array | None = None
        if sample_weight is not None:
            weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
            if (weight == 0).any():
                keep = weight > 0
                X, codes, weight = X[keep], codes[keep], weight[keep]
                own = None if own is None else own[keep]
        if own is not None and len(self.classes_) == 2:
            weight, own = own if weight is None else own * weight, None
        return Rows(as_rows(X), codes, weight, own)

    def _rows_to_fit(self, X: Any, y: Any, sample_weight: Any, *, warm: bool) -> Rows:
        """Check what `fit` was given and start afresh, unless `warm`."""
        X, y = self._check_rows(X, y, reset=not warm)
        if not warm:
            self.classes_ = self._check_classes(y)
            self._start(X)
        return self._weighted_rows(X, y, sample_weight, self._class_weights(y))

    def _rows_to_add(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> Rows:
        """Check what `partial_fit` was given; start at the first call."""
        first = not hasattr(self, "coef_")
        if first and classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        X, y = self._check_rows(X, y, reset=first)
        if first:
            self.classes_ = self._check_classes(np.asarray(classes))
            self._start(X)
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(
                f"classes={list(np.unique(classes))} is not the same as on the first call to partial_fit: "
                f"{list(self.classes_)}"
            )
        own = self._running_balance(y) if self.class_weight == "balanced" else self._class_weights(y)
        return self._weighted_rows(X, y, sample_weight, own)

    def _start(self, X: Any) -> None:
        """Set the state of an untrained learner: w = 0, b = 0."""
        n_planes = 1 if len(self.classes_) == 2 else len(self.classes_)
        # Sparse rows want one feature's weights of all classes side by side.
        order: Literal["C", "F"] = "C" if isinstance(X, np.ndarray) else "F"
        self.coef_ = np.zeros((n_planes, X.shape[1]), dtype=X.dtype, order=order)
        self.intercept_ = np.zeros(n_planes, dtype=X.dtype)
        self.t_ = 0

    @contextmanager
    def _unchanged_on_error(self) -> Iterator[None]:
        before = self.__dict__.copy()
        try:
            yield
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    # ------------------------------------------------------------- prediction
    def decision_function(self, X: Any) -> Array:
        """z = w.x + b.

        Parameters
        ----------
        X : {array, sparse matrix, dataframe}, shape (n_samples, n_features)

        Returns
        -------
        ndarray, shape (n_samples,) or (n_samples, n_classes)
            Two classes: at or above 0 for the positive class, `classes_[1]`. More: one column a class.
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        z = np.asarray(X @ self.coef_.T + self.intercept_)
        return np.asarray(z[:, 0] if z.shape[1] == 1 else z)

    def predict(self, X: Any) -> Array:
        """The positive class where z >= 0, the other where z < 0; of several classes the first with the largest z.

        Returns
        -------
        ndarray, shape (n_samples,)
            Labels from `classes_`.
        """
        z = self.decision_function(X)
        positions = (z >= 0).astype(np.intp) if z.ndim == 1 else z.argmax(axis=1)
        return np.asarray(self.classes_[positions])

    # ------------------------------------------------------------------ state
    def _get_state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Everything needed to predict and to go on training: a JSON-able part and an array part."""
        check_is_fitted(self)
        meta = {name: getattr(self, name) for name in self._state_values if hasattr(self, name)}
        arrays = {name: getattr(self, name) for name in self._state_arrays if hasattr(self, name)}
        return meta, arrays

    def _set_state(self, meta: dict[str, Any], arrays: dict[str, Array]) -> None:
        """Take back what `_get_state` gave."""
        for name in self._state_values:
            if name in meta:
                setattr(self, name, StopReason(meta[name]) if name == "stop_reason_" else meta[name])
        for name in self._state_arrays:
            if name in arrays:
                setattr(self, name, arrays[name])
