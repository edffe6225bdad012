"""Rows with labels at the door: checked, coded and weighed; classes start with them or join."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from linsep.as_given import refuse_unsound
from linsep.learners.base.parameters import (
    LEAST_CONSTANT,
    MOST_CONSTANT,
    SIGNS,
    Given,
    all_classes,
    check_classes,
    check_labels,
    kind_of_labels,
    refuse_balance,
    rows_of_weight,
    weights_of_classes,
)
from linsep.passes import NO_WEIGHTS, Rows
from linsep.tables import rows_for_kernels
from linsep.types import Array, DataError, row_from_0

if TYPE_CHECKING:
    from linsep.learners.base.classifier import Classifier


# --------------------------------------------------------------------------- what kernels read
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


def typical_length(X: Any) -> float:
    """(mean ||x||^2)^(1/2) of these rows, between `LEAST_CONSTANT` and `MOST_CONSTANT`; 1 if all of them are 0."""
    from linsep.kernels.linear.gradient import row_sizes

    if not X.shape[0]:
        raise DataError('intercept_scaling="auto" is the length of the rows, and there are none yet: give a number')
    mean2 = row_sizes(as_rows(X), NO_WEIGHTS, 0.0)[1]
    return min(max(math.sqrt(mean2), LEAST_CONSTANT), MOST_CONSTANT) if mean2 > 0 else 1.0


# --------------------------------------------------------------------------- codes
def encode(classes: Array, given: Given, codes: Array | None = None) -> Array:
    """codes[k] for each label that is classes[k]; ValueError for a label that is not there.

    Without `codes` what kernels read: -1.0 and +1.0 (the second of two classes), or positions of several classes.
    """
    if codes is None:
        if len(classes) == 1:  # more may join; the one there is stands on the positive side
            return np.ones(len(given.y))
        codes = SIGNS if len(classes) == 2 else np.arange(len(classes))
    is_pair = len(classes) == 2  # one comparison takes a fifth of the time
    places = (given.y == classes[1]).view(np.int8) if is_pair else np.searchsorted(classes, given.y)
    strange = classes.take(places, mode="clip") != given.y
    if strange.any():
        known, first = ", ".join(map(str, classes)), int(strange.argmax())
        raise ValueError(f"{row_from_0(given.number(first))}: label {given.y[first]} is not one of the classes {known}")
    return np.asarray(codes.take(places))


def own_weights(class_weight: Any, classes: Array, given: Given, may_join: bool) -> Array:
    """The weight of each row for its own class; "balanced" is rows / (classes x rows of the class)."""
    positions = encode(classes, given, np.arange(len(classes)))
    if isinstance(class_weight, str):
        count = np.bincount(positions, minlength=len(classes))
        return np.asarray((len(positions) / (len(count) * np.maximum(count, 1)))[positions])
    return np.asarray(weights_of_classes(class_weight, classes, may_join)[positions])


# --------------------------------------------------------------------------- rows
def rows_to_fit(
    learner: Classifier, X: Any, y: Any, sample_weight: Any, *, warm: bool = False
) -> tuple[Rows, Array | None]:
    """Check what `fit` was given and start afresh, unless `warm`; return as `kernel_rows` does."""
    if warm:
        learner.check_parts()
    given = _given(learner, X, y, sample_weight, first=not warm)
    if not len(given.y):
        raise ValueError("the weights of all rows are zero: there is nothing to learn from")
    if not warm:
        _start(learner, check_classes(given.y), given.X, getattr(learner, "open_classes", False))
    rows, numbers = learner.kernel_rows(given)
    if not len(rows.y):
        raise ValueError("class_weight is 0 for the classes of all rows: there is nothing to learn from")
    return rows, numbers


def rows_to_add(learner: Classifier, X: Any, y: Any, classes: Any, sample_weight: Any) -> Iterator[Rows]:
    """Check what `partial_fit` was given; start at the first call.

    Gives all rows at once, or in parts where classes join: each joins before its first row.
    """
    first = not hasattr(learner, "classes_")
    may_join = getattr(learner, "open_classes", False)
    refuse_balance(getattr(learner, "class_weight", None))
    if first and classes is None and not may_join:
        raise ValueError("classes must be passed on the first call to partial_fit.")
    if not first:
        learner.check_parts()
    given = _given(learner, X, y, sample_weight, first=first)
    if first and (len(given.y) or classes is not None):
        known = given.y[:1] if classes is None else all_classes(classes)
        check_kind(known, given.y)
        _start(learner, known, given.X, may_join)
    elif classes is not None:
        check_same_classes(learner, classes)
    if not len(given.y):
        if first and classes is None:  # as if it had not been called
            del learner.n_features_in_
            learner.__dict__.pop("feature_names_in_", None)
        return iter([])
    cuts = []
    if learner._open:
        labels, rows = np.unique(given.y, return_index=True)
        cuts = sorted(rows[~np.isin(labels, learner.classes_)].tolist())
    # Without a class that joins all errors come now, before anything is learnt.
    if not cuts:
        return iter([_part(learner, given)])
    return (_part(learner, given.take(slice(a, b))) for a, b in pairwise([0, *cuts, len(given.y)]) if a < b)


def start_empty(learner: Classifier, classes: Array, X: Any, names: list[str] | None = None) -> None:
    """Start with these distinct labels, which are then all, and with rows like `X` whose columns have these names.

    Raises
    ------
    ValueError
        There is only one class.
    """
    known, learner.n_features_in_ = check_classes(classes), X.shape[1]
    if names is not None:
        learner.feature_names_in_ = np.array(names, dtype=object)
    _start(learner, known, X, False)


def _start(learner: Classifier, classes: Array, X: Any, may_join: bool) -> None:
    learner._open, learner.classes_ = may_join, classes
    learner.note_fixed()
    learner.start(X)


def _given(learner: Classifier, X: Any, y: Any, sample_weight: Any, *, first: bool) -> Given:
    """The rows that weigh something; that one of them has another weight than 1 is noted."""
    X, y = learner.check_rows(X, y, reset=first)
    if first:
        learner.__dict__.pop("weighted_", None)
    if sample_weight is None:
        return Given(X, y)
    given = rows_of_weight(X, y, sample_weight)
    if np.any(given.weight != 1):
        learner.weighted_ = True
    return given


def _part(learner: Classifier, given: Given) -> Rows:
    """Rows whose first label alone may be new."""
    if learner._open and given.y[0] not in learner.classes_:
        learner._join(given.y[0])
    return learner.kernel_rows(given)[0]


# --------------------------------------------------------------------------- classes
def check_kind(classes: Array, y: Array) -> None:
    """Raise unless these labels are of the kind of the classes."""
    if len(y) and kind_of_labels(y) != kind_of_labels(classes):
        known = ", ".join(map(str, classes[:20]))
        raise DataError(f"label {y[0]} is of another kind than the classes {known}")


def check_same_classes(learner: Classifier, classes: Any) -> None:
    """Raise unless these are the classes of a learner that no more can join."""
    if not learner._open and not np.array_equal(np.unique(check_labels(classes)), learner.classes_):
        raise ValueError(
            f"classes={list(np.unique(classes))} is not the same as on the first call to partial_fit: "
            f"{list(learner.classes_)}"
        )


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
