"""Classes of a learner: those it starts with, those that join later, and labels coded for kernels."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from linsep.declared import ValueSpec
from linsep.learners.base.classifier import Classifier
from linsep.learners.inputs.labels import (
    SIGNS,
    all_classes,
    check_classes,
    check_labels,
    number_labels,
    replace_labels,
)
from linsep.learners.inputs.sample_weights import Given, rows_of_weight
from linsep.passes import Rows
from linsep.types import Array, DataError


class LabelledClassifier(Classifier):
    """Labels and their codes, for `fit` and for `partial_fit`.

    A subclass says how to start (`start`), what kernels read (`kernel_rows`) and, where classes may join, how to make
    room for one (`_make_room`).
    """

    state_values: ClassVar[dict[str, ValueSpec]] = {
        **Classifier.state_values,
        "n_mistakes_": ValueSpec(),
        "n_updates_": ValueSpec(),
        "t_": ValueSpec(),
        "_open": ValueSpec("flag"),
    }
    # Whether classes may join; set by `open_classes` and by a start with `learn_one`.
    _open: bool = False

    n_mistakes_: int
    n_updates_: int
    t_: int

    # ------------------------------------------------------------------ hooks
    def start(self, X: Any) -> None:
        """Set the state of an untrained learner of rows like these (dtype, columns, dense or sparse)."""
        raise NotImplementedError

    def moving(self) -> tuple[Array, Array]:
        """The weights (n_planes, n_features) and intercepts that updates move."""
        raise NotImplementedError

    def kernel_rows(self, given: Given, *, running: bool) -> tuple[Rows, Array | None]:
        """What kernels read of rows, and the original indices of these.

        Balanced class weights count these rows or, `running`, all rows so far.
        """
        raise NotImplementedError

    def _make_room(self, before: int, place: int) -> None:
        """Insert the weights of the class that joined `before` others at `place`."""
        raise NotImplementedError

    # ------------------------------------------------------------------ codes
    def _positions(self, given: Given) -> Array:
        """Position of each label in `classes_`; ValueError for a label that is not there."""
        return self._coded_as(given, np.arange(len(self.classes_)))

    def _encode(self, given: Given) -> Array:
        """What kernels read: -1.0 and +1.0 (the second of two classes), or positions of several classes."""
        if len(self.classes_) == 1:  # more may join; the one there is stands on the positive side
            return np.ones(len(given.y))
        return self._coded_as(given, SIGNS) if len(self.classes_) == 2 else self._positions(given)

    def _coded_as(self, given: Given, codes: Array) -> Array:
        """codes[k] for each label that is classes_[k]; ValueError for a label that is not there."""
        coded, stranger = replace_labels(given.y, self.classes_, codes)
        if stranger >= 0:
            known = ", ".join(map(str, self.classes_))
            row, label = given.number(stranger), given.y[stranger]
            raise ValueError(f"row {row}: label {label} is not one of the classes {known}")
        return coded

    # ------------------------------------------------------------------- rows
    def rows_to_fit(self, X: Any, y: Any, sample_weight: Any, *, warm: bool) -> tuple[Rows, Array | None]:
        """Check what `fit` was given and start afresh, unless `warm`; return as `kernel_rows` does."""
        if warm:
            self.check_parts()
        X, y = self.check_rows(X, y, reset=not warm)
        given = Given(X, y) if sample_weight is None else rows_of_weight(X, y, sample_weight)
        if not len(given.y):
            raise ValueError("the weights of all rows are zero: there is nothing to learn from")
        if not warm:
            self._open = getattr(self, "open_classes", False)
            self.__dict__.pop("_given_start", None)
            self.classes_, codes = number_labels(given.y)
            given = given._replace(codes=codes)
            self.start(given.X)
        rows, numbers = self.kernel_rows(given, running=False)
        if not len(rows.y):
            raise ValueError("class_weight is 0 for the classes of all rows: there is nothing to learn from")
        return rows, numbers

    def rows_to_add(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> Iterator[Rows]:
        """Check what `partial_fit` was given; start at the first call.

        Gives all rows at once, or in parts where classes join: each joins before its first row.
        """
        first = not hasattr(self, "classes_")
        may_join = getattr(self, "open_classes", False)
        if first and classes is None and not may_join:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        if not first:
            self.check_parts()
        X, y = self.check_rows(X, y, reset=first)
        given = Given(X, y) if sample_weight is None else rows_of_weight(X, y, sample_weight)
        if first and (len(given.y) or classes is not None):
            self._open = may_join
            self.classes_ = given.y[:1] if classes is None else all_classes(classes)
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

    def rows_of_shard(self, X: Any, y: Array) -> Rows:
        """What kernels read of rows and labels that `check_rows` accepted, of a learner that has been started."""
        self.check_parts()
        return self.kernel_rows(Given(X, y), running=False)[0]

    def start_empty(self, classes: Array, X: Any, names: list[str] | None = None) -> None:
        """Start with these distinct labels, which are then all, and with rows like `X` whose columns have these names.

        Raises
        ------
        ValueError
            There is only one class.
        """
        self._open = False
        self.classes_, self.n_features_in_ = check_classes(classes), X.shape[1]
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        self.start(X)

    def _part(self, given: Given) -> Rows:
        """Rows whose first label alone may be new."""
        if self._open and given.y[0] not in self.classes_:
            self._join(given.y[0])
        return self.kernel_rows(given, running=True)[0]

    # ---------------------------------------------------------------- joining
    def _check_same_classes(self, classes: Any) -> None:
        if not self._open and not np.array_equal(np.unique(check_labels(classes)), self.classes_):
            raise ValueError(
                f"classes={list(np.unique(classes))} is not the same as on the first call to partial_fit: "
                f"{list(self.classes_)}"
            )

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
        self._make_room(before, place)
