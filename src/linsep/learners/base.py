"""What every linear learner shares: labels, validation at the door, decision values, state in and out."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from linsep.kernels.epoch import Rows
from linsep.types import CSR, Array


def as_rows(X: Any) -> Any:
    """Return what kernels read: the array itself, or a `CSR` whose two index arrays share one dtype."""
    if isinstance(X, np.ndarray):
        return X
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    dtype = np.promote_types(X.indices.dtype, X.indptr.dtype)
    return CSR(X.data, X.indices.astype(dtype, copy=False), X.indptr.astype(dtype, copy=False))


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
    class_weight: Any
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
                setattr(self, name, meta[name])
        for name in self._state_arrays:
            if name in arrays:
                setattr(self, name, arrays[name])
