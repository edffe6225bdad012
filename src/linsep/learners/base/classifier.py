"""What every linear learner shares: labels, validation at the door, decision values, state in and out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, ClassVar, Literal

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from linsep.kernels.checks import has_duplicates
from linsep.kernels.linear.epoch import Rows
from linsep.learners.engine.number_range import check_entries
from linsep.learners.engine.threads import multiply
from linsep.learners.inputs.labels import check_labels, distinct_labels, kind_of_labels, replace_labels
from linsep.learners.inputs.sample_weights import Given, rows_of_weight, weights_of_classes
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

    def check_classes(self, y: Array) -> Array:
        classes = distinct_labels(y)
        if classes.size < 2:
            raise ValueError(
                f"The number of classes has to be 2; got 1 class: every label is {classes[0]!r}. "
                "A separator needs rows on both sides."
            )
        return classes

    @contextmanager
    def unchanged_on_error(self) -> Iterator[None]:
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
    def get_state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Everything needed to predict and to go on training: a JSON-able part and an array part."""
        check_is_fitted(self)
        meta = {name: getattr(self, name) for name in self.state_values if hasattr(self, name)}
        arrays = {name: getattr(self, name) for name in self.state_arrays if hasattr(self, name)}
        # A file holds rows of numbers; the order in memory decides which sums are made, to the last bit.
        meta["column_major"] = [name for name, a in arrays.items() if a.flags.fnc]
        return meta, arrays

    def set_state(self, meta: dict[str, Any], arrays: dict[str, Array]) -> None:
        """Take back what `get_state` gave."""
        for name in self.state_values:
            if name in meta:
                setattr(self, name, StopReason(meta[name]) if name == "stop_reason_" else meta[name])
        for name in self.state_arrays:
            if name in arrays:
                order: Literal["F", "K"] = "F" if name in meta.get("column_major", ()) else "K"
                setattr(self, name, np.asarray(arrays[name], order=order))


class LinearClassifier(Classifier):
    """Labels, validation and decision values of a learner with `coef_` and `intercept_`.

    A learner is a subclass with a constructor and the few methods of `linsep.learners.base.epochs`.
    """

    state_values: ClassVar[tuple[str, ...]] = (
        *Classifier.state_values, "n_mistakes_", "n_updates_", "t_", "_open"
    )  # fmt: skip
    state_arrays: ClassVar[tuple[str, ...]] = ("coef_", "intercept_", "class_count_")
    # Arrays with one row a plane: one plane for two classes, one a class for more.
    plane_arrays: ClassVar[tuple[str, ...]] = ("coef_", "intercept_")
    # Whether classes may join; set by `open_classes` and by a start with `learn_one`.
    _open: bool = False

    coef_: Array
    intercept_: Array
    class_weight: Any = None
    open_classes: bool = False
    multi_class: str = "ovr"
    n_jobs: int | None = None
    n_mistakes_: int
    n_updates_: int
    t_: int

    # ------------------------------------------------------------------ input
    def _positions(self, given: Given) -> Array:
        """Position of each label in `classes_`; ValueError for a label that is not there."""
        return self._coded_as(given, np.arange(len(self.classes_)))

    def _encode(self, given: Given) -> Array:
        """What kernels read: -1.0 and +1.0 (the second of two classes), or positions of several classes."""
        if len(self.classes_) == 1:  # more may join; the one there is stands on the positive side
            return np.ones(len(given.y))
        return self._coded_as(given, np.array([-1.0, 1.0])) if len(self.classes_) == 2 else self._positions(given)

    def _coded_as(self, given: Given, codes: Array) -> Array:
        """codes[k] for each label that is classes_[k]; ValueError for a label that is not there."""
        coded, stranger = replace_labels(given.y, self.classes_, codes)
        if stranger >= 0:
            known = ", ".join(map(str, self.classes_))
            row, label = given.number(stranger), given.y[stranger]
            raise ValueError(f"row {row}: label {label} is not one of the classes {known}")
        return coded

    def class_weights(self, given: Given, *, running: bool) -> Array | None:
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

    def kernel_rows(self, given: Given, own: Array | None) -> tuple[Rows, Array | None]:
        """What kernels read, and which of the rows given they are; class weights are multiplied in for two classes."""
        if own is not None and self._moves_as_one() and not own.all():
            given, own = given.take(own > 0), own[own > 0]
        X, weight, codes = given.X, given.weight, self._encode(given)
        if own is not None and len(self.classes_) <= 2:
            weight, own = own if weight is None else own * weight, None
        return Rows(as_rows(X.astype(self.moving()[0].dtype, copy=False)), codes, weight, own), given.numbers

    def rows_to_fit(self, X: Any, y: Any, sample_weight: Any, *, warm: bool) -> tuple[Rows, Array | None]:
        """Check what `fit` was given and start afresh, unless `warm`; as `kernel_rows` gives it."""
        given = rows_of_weight(*self.check_rows(X, y, reset=not warm), sample_weight)
        if not len(given.y):
            raise ValueError("the weights of all rows are zero: there is nothing to learn from")
        if not warm:
            self._open = self.open_classes
            self.classes_ = self.check_classes(given.y)
            self.start(given.X)
        rows, numbers = self.kernel_rows(given, self.class_weights(given, running=False))
        if not len(rows.y):
            raise ValueError("class_weight is 0 for the classes of all rows: there is nothing to learn from")
        return rows, numbers

    def rows_to_add(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> Iterator[Rows]:
        """Check what `partial_fit` was given; start at the first call.

        Gives all rows at once, or in parts where classes join: each joins before its first row.
        """
        first = not hasattr(self, "classes_")
        if first and classes is None and not self.open_classes:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        given = rows_of_weight(*self.check_rows(X, y, reset=first), sample_weight)
        if first and (len(given.y) or classes is not None):
            self._open = self.open_classes
            self.classes_ = given.y[:1] if classes is None else self.check_classes(np.asarray(check_labels(classes)))
            self._check_kind(given.y)
            self.start(given.X)
        elif classes is not None:
            self._check_same_classes(classes)
        if not len(given.y):
            if first and classes is None:  # as if it had not been called
                del self.n_features_in_
                self.__dict__.pop("feature_names_in_", None)
            return iter([])
        cuts = self._first_rows_of_new_classes(given.y) if self._open else []
        parts = [slice(a, b) for a, b in pairwise([0, *cuts, len(given.y)]) if a < b]
        # Without a class that joins all errors come now, before anything is learnt.
        if not cuts:
            return iter([self._part(given)])
        return (self._part(given.take(part)) for part in parts)

    def _check_same_classes(self, classes: Any) -> None:
        if not self._open and not np.array_equal(np.unique(check_labels(classes)), self.classes_):
            raise ValueError(
                f"classes={list(np.unique(classes))} is not the same as on the first call to partial_fit: "
                f"{list(self.classes_)}"
            )

    def _part(self, given: Given) -> Rows:
        """Rows whose first label alone may be new."""
        if self._open and given.y[0] not in self.classes_:
            self._join(given.y[0])
        return self.kernel_rows(given, self.class_weights(given, running=True))[0]

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

    def _join(self, label: Any) -> None:
        """Let a class join with w = 0; what was learnt about the others stays."""
        before = len(self.classes_)
        new = np.asarray([label])
        if self.classes_.dtype.kind in "iu" and new.dtype.kind == "f":  # a whole number all the same
            new = new.astype(np.int64)
        # Not append: the labels sort as fit would sort them.
        classes = np.unique(np.concatenate([self.classes_, new]))
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
        for name in self.plane_arrays:
            old = getattr(self, name)
            if id(old) not in made:
                new = old if before > 1 or place == 0 else -old
                if before > 1:
                    new = np.insert(np.concatenate([-old, old]) if before == 2 else old, place, 0, axis=0)
                made[id(old)] = np.asarray(new, order="F" if old.flags.f_contiguous else "C")
            setattr(self, name, made[id(old)])

    def moving(self) -> tuple[Array, Array]:
        """The weights (n_planes, n_features) and intercepts that updates move."""
        return self.coef_, self.intercept_

    def start(self, X: Any) -> None:
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
