"""What every linear learner shares: labels, validation at the door, decision values, state in and out."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from linsep.types import CSR, Array


def as_rows(X: Any) -> Any:
    """Return what kernels read: the array itself, or a `CSR` whose two index arrays share one dtype."""
    if not sp.issparse(X):
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
    classes_: Array
    n_features_in_: int
    n_iter_: int
    n_mistakes_: int
    n_updates_: int
    t_: int

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        return tags

    # ------------------------------------------------------------------ input
    def _check_rows(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, Array]:
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32], order="C", reset=reset)
        check_classification_targets(y)
        return X, y

    def _check_classes(self, y: Array) -> Array:
        classes = np.unique(y)
        if classes.size > 2:
            raise ValueError(
                f"Only binary classification is supported. The type of the target is {type_of_target(y)}, with "
                f"{classes.size} classes; more than two classes come with the rest of the perceptron family."
            )
        if classes.size < 2:
            raise ValueError(
                f"The number of classes has to be 2; got 1 class: every label is {classes[0]!r}. "
                "A separator needs rows on both sides."
            )
        return classes

    def _signs(self, y: Array) -> Array:
        """+1.0 for the positive class (the second of `classes_`), -1.0 for the other."""
        unknown = ~np.isin(y, self.classes_)
        if unknown.any():
            i = int(np.flatnonzero(unknown)[0])
            raise ValueError(f"row {i}: label {y[i]} is not one of the classes {', '.join(map(str, self.classes_))}")
        return np.where(y == self.classes_[1], 1.0, -1.0)

    def _weights(self, X: Any, y: Array, sample_weight: Any, balance: Array | None = None) -> Array | None:
        """Row weights from `sample_weight` and `class_weight`, or None where all are 1."""
        class_weight = getattr(self, "class_weight", None)
        if sample_weight is None and class_weight is None:
            return None
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        if class_weight is None:
            return weight
        if balance is not None:
            return weight * balance
        per_class = compute_class_weight(class_weight, classes=self.classes_, y=y)
        return weight * per_class[np.argmax(y[:, None] == self.classes_, axis=1)]

    # ------------------------------------------------------------- prediction
    def decision_function(self, X: Any) -> Array:
        """z = w.x + b.

        Parameters
        ----------
        X : {array, sparse matrix, dataframe}, shape (n_samples, n_features)

        Returns
        -------
        ndarray, shape (n_samples,)
            At or above 0 for the positive class, `classes_[1]`.
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        z: Array = np.asarray(X @ self.coef_.T + self.intercept_)
        return z[:, 0] if z.shape[1] == 1 else z

    def predict(self, X: Any) -> Array:
        """The positive class where z >= 0, the other where z < 0.

        Returns
        -------
        ndarray, shape (n_samples,)
            Labels from `classes_`.
        """
        z = self.decision_function(X)
        return self.classes_[(z >= 0).astype(np.intp)]

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
