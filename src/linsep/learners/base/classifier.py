"""What all classifiers share: validation, the tie rule, saving and restoring state."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Literal, Self

import numpy as np
import scipy

from linsep.as_given import refuse_unsound
from linsep.declared import MOST_COLUMNS, ArraySpec, ValueSpec, check_arrays, check_form, check_values
from linsep.learners.base.parameters import Allowed, check_labels, check_parameters, kind_of_labels
from linsep.scikit import BaseEstimator, ClassifierMixin, check_is_fitted, checked_rows
from linsep.tables import check_index, rows_for_kernels
from linsep.types import Array, DataError, StopReason, row_from_0

# Of a learner that only `partial_fit` has trained there is none.
STOP_REASON = ValueSpec("choice", choices=tuple(StopReason), needed=False)


def as_rows(X: Any) -> Any:
    """Return what kernels read, without duplicate entries."""
    if not isinstance(X, np.ndarray):
        from linsep.kernels.rows import is_rising, with_duplicates

        refuse_unsound(X)
        if not is_rising(X.indices, X.indptr):
            twice = with_duplicates(X.indices, X.indptr, X.shape[1])
            X = _merged(X, twice) if twice.any() else X
    return rows_for_kernels(X)


def _merged(X: Any, rows: Array) -> Any:
    """X with one entry a column in some rows, in order there; others stay, whatever stands beside them."""
    merged = X[rows]
    merged.sum_duplicates()
    order = np.concatenate([np.flatnonzero(~rows), np.flatnonzero(rows)])
    return scipy.sparse.vstack([X[~rows], merged], format="csr")[np.argsort(order)]


def as_matrix(rows: Any, n_features: int) -> Any:
    """Undo `as_rows`."""
    if isinstance(rows, np.ndarray):
        return rows
    return scipy.sparse.csr_matrix(tuple(rows), shape=(len(rows.indptr) - 1, n_features))


def check_columns(n_features: int, names: Array | None) -> None:
    """Raise DataError unless there is a name of its own for each column, if there are names."""
    if names is None:
        return
    if len(names) != n_features or not all(isinstance(name, str) for name in names):
        raise DataError(f"there are {len(names)} names of columns, not {n_features}, or some are not text")
    if len(set(names)) < len(names):
        raise DataError("two columns have one name")


def check_distinct(classes: Array, least: int = 1) -> None:
    """Raise DataError unless these are distinct labels of one kind, `least` of them or more."""
    if classes.ndim != 1 or len(classes) < least or len(set(classes.tolist())) < len(classes):
        raise DataError(f"its classes are not {least} or more distinct labels: {classes.tolist()!r:.60}")
    if classes.dtype.kind == "f" and not np.isfinite(classes).all():
        raise DataError(f"its classes are not finite numbers: {classes.tolist()!r:.60}")
    check_labels(classes)


class Classifier(ClassifierMixin, BaseEstimator):
    """Validation, the tie rule and the state of any learner that gives decision values."""

    # The fitted attributes that a saved model holds, beside classes_ and feature names, and what each must be.
    state_values: ClassVar[dict[str, ValueSpec]] = {
        "n_features_in_": ValueSpec(most=MOST_COLUMNS),
        "n_iter_": ValueSpec(),
    }
    state_arrays: ClassVar[dict[str, ArraySpec]] = {}
    # Parameters that have to stay as they were in training, as what was learnt depends on them.
    fixed: ClassVar[tuple[str, ...]] = ("fit_intercept", "multi_class")
    # What parameters may be that other learners have with another meaning.
    allowed: ClassVar[dict[str, Allowed]] = {}

    _fixed: dict[str, Any]
    classes_: Array
    n_features_in_: int
    n_iter_: int

    def decision_function(self, X: Any) -> Array:
        """z of each row, or of each row and class."""
        raise NotImplementedError

    check_parameters = check_parameters

    def __sklearn_is_fitted__(self) -> bool:
        # Without this scikit-learn goes through the attributes, which a thread that learns may change meanwhile.
        return "classes_" in self.__dict__

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
        X, y = checked_rows(self, X, check_labels(y), reset=reset, finite=False)
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
            for name in self.__dict__.keys() - before.keys():
                del self.__dict__[name]
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
        z, classes = self.decision_function(X), self.classes_
        positions = (z >= 0).astype(np.intp) if z.ndim == 1 else z.argmax(axis=1)
        if len(classes) == 1:
            positions[:] = 0
        return np.asarray(classes[positions])

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
        from sklearn.metrics import accuracy_score

        check_index(X, y)
        return float(accuracy_score(y, self.predict(X), sample_weight=sample_weight))

    # ------------------------------------------------------------------ state
    def note_fixed(self) -> None:
        """Remember the parameters that have to stay as they are now."""
        self._fixed = {name: getattr(self, name) for name in self.fixed if hasattr(self, name)}

    def _check_fixed(self) -> None:
        for name, before in getattr(self, "_fixed", {}).items():
            if (now := getattr(self, name)) != before and not (callable(now) and callable(before)):
                raise DataError(f"{name}={now!r} was set after training: put {before!r} back, or fit again")

    def get_state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Everything needed to predict and to go on training: a JSON-able part and an array part."""
        check_is_fitted(self)
        self._check_fixed()
        meta = {name: getattr(self, name) for name in self.state_values if hasattr(self, name)}
        arrays = {name: getattr(self, name) for name in self.state_arrays if hasattr(self, name)}
        # A file holds rows of numbers; the order in memory decides which sums are made, to the last bit.
        meta["column_major"] = [name for name, a in arrays.items() if a.flags.fnc]
        return meta, arrays

    def check_state(self, meta: dict[str, Any], arrays: dict[str, Array], classes: Array, names: Array | None) -> None:
        """Raise DataError unless this is a state that `get_state` could have given."""
        check_values(meta, {**self.state_values, "column_major": ValueSpec("list", needed=False)})
        check_columns(meta["n_features_in_"], names)
        check_distinct(classes)
        if classes.tolist() != sorted(classes.tolist()):
            raise DataError(f"its classes are not in sorted order: {classes.tolist()!r:.60}")
        if not all(isinstance(name, str) and name in arrays for name in meta.get("column_major", ())):
            raise DataError("column_major names an array that is not there")
        check_arrays(arrays, self.declared(arrays), self.sizes(meta["n_features_in_"], len(classes)))

    def declared(self, arrays: dict[str, Array]) -> dict[str, ArraySpec]:
        """What the arrays of a state must be, where that depends on which there are."""
        return self.state_arrays

    def sizes(self, n_features: int, n_classes: int) -> dict[str, int]:
        """The sizes that the shapes of arrays name."""
        return {"features": n_features, "classes": n_classes, "planes": 1 if n_classes <= 2 else n_classes}

    def parts(self) -> dict[str, Any]:
        """The arrays that it is made of now; nothing is computed."""
        return {name: self.__dict__[name] for name in self.state_arrays if name in self.__dict__}

    def check_parts(self, *entries: str) -> None:
        """Raise DataError unless its arrays fit each other, its columns and its classes, as training left them.

        Somebody may have put others in their place, and compiled code does not look. Of the arrays in `entries` the
        range is checked too.
        """
        self._check_fixed()
        parts, sizes = self.parts(), self.sizes(self.n_features_in_, len(self.classes_))
        try:
            for name, array in parts.items():
                check_form(name, array, self.state_arrays[name], sizes, parts)
            check_arrays({name: parts[name] for name in entries}, {n: self.state_arrays[n] for n in entries}, sizes)
        except DataError as error:
            raise DataError(f"{error}: an attribute was replaced after training; put it back, or fit again") from None

    def set_state(self, meta: dict[str, Any], arrays: dict[str, Array], classes: Array, names: Array | None) -> None:
        """Take back what `get_state` gave, with `classes_` and the names of columns."""
        self.check_state(meta, arrays, classes, names)
        self.note_fixed()
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
            del self.__dict__[name]
        self.__dict__.update({name: value for name, value in other.__dict__.items() if name not in parameters})


def check_entries(X: Any) -> None:
    """Raise unless all entries are finite and every ||x||^2 is within the range of their dtype.

    Raises
    ------
    ValueError
        scikit-learn's, for a NaN or an infinity.
    DataError
        For a row that is too long.
    """
    values = X if isinstance(X, np.ndarray) else X.data
    limit = float(np.finfo(values.dtype).max)
    flat = values.ravel(order="K")
    with np.errstate(over="ignore", invalid="ignore"):
        if float(flat @ flat) < limit:  # the sum over all rows settles it, as it nearly always does
            return
    if not np.isfinite(flat).all():
        from sklearn.utils.validation import assert_all_finite

        assert_all_finite(values, input_name="X")
    with np.errstate(over="ignore"):
        squares = np.square(values, dtype=np.float64)
        norms2 = squares.sum(axis=1) if values is X else np.add.reduceat(np.append(squares, 0.0), X.indptr[:-1])
    if (long := np.flatnonzero(~(norms2 < limit))).size:
        raise DataError(
            f"{row_from_0(long[0])}: the sum of the squares of its values is beyond what {values.dtype} holds; scale "
            f"the columns down{' or give float64 rows' if values.dtype == np.float32 else ''}"
        )


def check_weights(norm: float, dtype: Any) -> None:
    """Raise unless ||w||^2 fits the dtype of w: then w.x fits too, for every row that `check_entries` accepted.

    Raises
    ------
    DataError
    """
    if not norm * norm < float(np.finfo(dtype).max):
        raise DataError(
            f"w is too large for {dtype}: ||w|| is {norm:.3g}, so decision values may overflow. Scale the columns down"
            f"{', give float64 rows' if dtype == np.float32 else ''} or start again."
        )
