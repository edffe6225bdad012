"""What every linear learner shares: labels, validation at the door, decision values, state in and out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, ClassVar, Literal

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from linsep.kernels.epoch import Rows
from linsep.kernels.sums import has_duplicates
from linsep.learners.labels import distinct_labels, replace_labels
from linsep.learners.overflow import check_entries
from linsep.learners.threads import multiply
from linsep.types import CSR, Array, DataError, StopReason


def as_rows(X: Any) -> Any:
    """Return what kernels read: the array itself, or a `CSR` whose two index arrays share one dtype."""
    if isinstance(X, np.ndarray):
        return X
    if has_duplicates(X.indices, X.indptr, X.shape[1]):
        X = X.copy()
        X.sum_duplicates()
    dtype = np.promote_types(X.indices.dtype, X.indptr.dtype)
    return CSR(X.data, X.indices.astype(dtype, copy=False), X.indptr.astype(dtype, copy=False))


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
    """Labels, validation at the door and state of any learner that gives decision values."""

    # Names of the fitted attributes that a saved model holds, beside classes_ and feature names.
    _state_values: ClassVar[tuple[str, ...]] = ("n_features_in_", "n_iter_")
    _state_arrays: ClassVar[tuple[str, ...]] = ()

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
    def _check_rows(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, Array]:
        X, y = validate_data(
            self,
            X,
            y,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            order="C",
            ensure_all_finite=False,
            reset=reset,
        )
        check_entries(X)
        if y.dtype.kind not in "bui":  # whole numbers are labels, whatever they are
            check_classification_targets(y)
        return X, y

    def _check_classes(self, y: Array) -> Array:
        classes = distinct_labels(y)
        if classes.size < 2:
            raise ValueError(
                f"The number of classes has to be 2; got 1 class: every label is {classes[0]!r}. "
                "A separator needs rows on both sides."
            )
        return classes

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
    def predict(self, X: Any) -> Array:
        """The positive class where z >= 0, the other where z < 0; of several classes the first with the largest z.

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


class LinearClassifier(Classifier):
    """Labels, validation and decision values of a learner with `coef_` and `intercept_`.

    A learner is a subclass with a constructor and the few methods of `linsep.learners.training`.
    """

    _state_values: ClassVar[tuple[str, ...]] = (
        *Classifier._state_values, "n_mistakes_", "n_updates_", "t_", "_open"
    )  # fmt: skip
    _state_arrays: ClassVar[tuple[str, ...]] = ("coef_", "intercept_", "class_count_")
    # Arrays with one row a plane: one plane for two classes, one a class for more.
    _plane_arrays: ClassVar[tuple[str, ...]] = ("coef_", "intercept_")
    # Whether classes may join; set by `open_classes` and by a start with `learn_one`.
    _open: bool = False

    coef_: Array
    intercept_: Array
    class_weight: Any = None
    open_classes: bool = False
    n_jobs: int | None = None
    n_mistakes_: int
    n_updates_: int
    t_: int

    # ------------------------------------------------------------------ input
    def _positions(self, y: Array) -> Array:
        """Position of each label in `classes_`; ValueError for a label that is not there."""
        return self._coded_as(y, np.arange(len(self.classes_)))

    def _encode(self, y: Array) -> Array:
        """What kernels read: -1.0 and +1.0 (the second of two classes), or positions of several classes."""
        if len(self.classes_) == 1:  # more may join; the one there is stands on the positive side
            return np.ones(len(y))
        return self._coded_as(y, np.array([-1.0, 1.0]) if len(self.classes_) == 2 else np.arange(len(self.classes_)))

    def _coded_as(self, y: Array, codes: Array) -> Array:
        """codes[k] for each label that is classes_[k]; ValueError for a label that is not there."""
        coded, stranger = replace_labels(y, self.classes_, codes)
        if stranger >= 0:
            known = ", ".join(map(str, self.classes_))
            raise ValueError(f"row {stranger}: label {y[stranger]} is not one of the classes {known}")
        return coded

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

    def _rows(self, X: Any, y: Array, weight: Array | None, own: Array | None) -> Rows:
        """What kernels read; class weights are multiplied in where there are two classes."""
        codes = self._encode(y)
        if own is not None and len(self.classes_) <= 2:
            weight, own = own if weight is None else own * weight, None
        return Rows(as_rows(X.astype(self._moving()[0].dtype, copy=False)), codes, weight, own)

    def _rows_to_fit(self, X: Any, y: Any, sample_weight: Any, *, warm: bool) -> Rows:
        """Check what `fit` was given and start afresh, unless `warm`."""
        X, y, weight = self._weighted(*self._check_rows(X, y, reset=not warm), sample_weight)
        if not warm:
            self._open = self.open_classes
            self.classes_ = self._check_classes(y)
            self._start(X)
        return self._rows(X, y, weight, self._class_weights(y))

    def _rows_to_add(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> Iterator[Rows]:
        """Check what `partial_fit` was given; start at the first call.

        Gives all rows at once, or in parts where classes join: each joins before its first row.
        """
        first = not hasattr(self, "classes_")
        if first and classes is None and not self.open_classes:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        X, y, weight = self._weighted(*self._check_rows(X, y, reset=first), sample_weight)
        if first:
            self._open = self.open_classes
            self.classes_ = y[:1] if classes is None else self._check_classes(np.asarray(classes))
            self._start(X)
        elif classes is not None and not self._open and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(
                f"classes={list(np.unique(classes))} is not the same as on the first call to partial_fit: "
                f"{list(self.classes_)}"
            )
        cuts = self._first_rows_of_new_classes(y) if self._open else []
        if not cuts:
            return iter([self._part(X, y, weight)])
        parts = [slice(a, b) for a, b in pairwise([0, *cuts, len(y)]) if a < b]
        return (self._part(X[at], y[at], None if weight is None else weight[at]) for at in parts)

    def _weighted(self, X: Any, y: Array, sample_weight: Any) -> tuple[Any, Array, Array | None]:
        """The rows whose weight is not 0, and their weights."""
        if sample_weight is None:
            return X, y, None
        weight: Array = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        keep = weight > 0
        if keep.all():
            return X, y, weight
        if not keep.any():
            raise ValueError("the weights of all rows are 0: there is nothing to learn from")
        return X[keep], y[keep], weight[keep]

    def _part(self, X: Any, y: Array, weight: Array | None) -> Rows:
        """Rows whose first label alone may be new."""
        if self._open and y[0] not in self.classes_:
            self._join(y[0])
        own = self._running_balance(y) if self.class_weight == "balanced" else self._class_weights(y)
        return self._rows(X, y, weight, own)

    # ---------------------------------------------------------------- joining
    def _first_rows_of_new_classes(self, y: Array) -> list[int]:
        """Where labels that are not in `classes_` come first; an error where classes are closed."""
        labels, rows = np.unique(y, return_index=True)
        new = ~np.isin(labels, self.classes_)
        if new.any():
            self._check_joins(labels[new])
        return sorted(rows[new].tolist())

    def _check_joins(self, labels: Array) -> None:
        """Raise unless these labels, which are not in `classes_`, may join."""
        known = ", ".join(map(str, self.classes_[:20]))
        if not self._open:
            raise DataError(
                f"label {labels[0]} is not one of the classes {known}; open_classes=True lets new ones join"
            )
        if (labels.dtype.kind in "UST") != (self.classes_.dtype.kind in "UST"):
            raise DataError(f"label {labels[0]} is of another kind than the classes {known}")

    def _join(self, label: Any) -> None:
        """Let a class join with w = 0; what was learnt about the others stays."""
        before = len(self.classes_)
        # Not append: the labels sort as fit would sort them.
        classes = np.unique(np.concatenate([self.classes_, np.asarray([label])]))
        place = int(np.flatnonzero(classes == label)[0])
        self.classes_ = classes
        if hasattr(self, "class_count_"):
            self.class_count_ = np.insert(self.class_count_, place, 0)
        self._make_room(before, place)

    def _make_room(self, before: int, place: int) -> None:
        """Insert the plane of the class that joined `before` others at `place`.

        One class alone has the plane of "its rows"; two have that of the second, whose negative is that of the first.
        """
        made: dict[int, Array] = {}
        for name in self._plane_arrays:
            old = getattr(self, name)
            if id(old) not in made:
                new = old if before > 1 or place == 0 else -old
                if before > 1:
                    new = np.insert(np.concatenate([-old, old]) if before == 2 else old, place, 0, axis=0)
                made[id(old)] = np.asarray(new, order="F" if old.flags.f_contiguous else "C")
            setattr(self, name, made[id(old)])

    def _moving(self) -> tuple[Array, Array]:
        """The weights (n_planes, n_features) and intercepts that updates move."""
        return self.coef_, self.intercept_

    def _start(self, X: Any) -> None:
        """Set the state of an untrained learner: w = 0, b = 0."""
        n_planes = 1 if len(self.classes_) <= 2 else len(self.classes_)
        # Sparse rows want one feature's weights of all classes side by side.
        order: Literal["C", "F"] = "C" if isinstance(X, np.ndarray) else "F"
        self.coef_ = np.zeros((n_planes, X.shape[1]), dtype=X.dtype, order=order)
        self.intercept_ = np.zeros(n_planes, dtype=X.dtype)
        self.t_ = 0

    # ------------------------------------------------------------- prediction
    def decision_function(self, X: Any) -> Array:
        """z = w.x + b.

        Parameters
        ----------
        X : {array, sparse matrix, dataframe}, shape (n_samples, n_features)

        Returns
        -------
        ndarray, shape (n_samples,) or (n_samples, n_classes)
            Two classes: at or above 0 for the positive class, `classes_[1]`. More: one column a class. One class,
            before others joined: the value of "its rows".
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        z = np.asarray(multiply(X, self.coef_.T, self.n_jobs) + self.intercept_)
        return np.asarray(z[:, 0] if z.shape[1] == 1 else z)
