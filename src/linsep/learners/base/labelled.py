"""Classes of a learner: those it starts with and those that join, labels coded for kernels; weights and planes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any, ClassVar, Literal

import numpy as np

from linsep.declared import ArraySpec, ValueSpec
from linsep.learners.base.classifier import Classifier, as_rows
from linsep.learners.base.parameters import (
    LEAST_CONSTANT,
    MOST_CONSTANT,
    SIGNS,
    Given,
    all_classes,
    check_classes,
    check_labels,
    refuse_balance,
    rows_of_weight,
    weights_of_classes,
)
from linsep.learners.base.scores import scores
from linsep.passes import NO_WEIGHTS, Rows
from linsep.scikit import check_is_fitted, checked_rows
from linsep.tables import is_sparse
from linsep.types import Array, DataError, row_from_0


class LabelledClassifier(Classifier):
    """Labels and their codes, for `fit` and for `partial_fit`.

    A subclass says how to start (`start`), what kernels read (`kernel_rows`) and, where classes may join, how one does
    (`_join`).
    """

    state_values: ClassVar[dict[str, ValueSpec]] = {
        **Classifier.state_values,
        "n_mistakes_": ValueSpec(),
        "n_updates_": ValueSpec(),
        "t_": ValueSpec(),
        "_open": ValueSpec("flag"),
    }
    # There, and true, if a row had another weight than 1: what is proved of unit steps then does not hold.
    weighted_: bool
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

    def kernel_rows(self, given: Given) -> tuple[Rows, Array | None]:
        """What kernels read of rows, and the original indices of these."""
        raise NotImplementedError

    def _join(self, label: Any) -> None:
        """Let a class join with w = 0, of a learner that has `open_classes`."""
        raise NotImplementedError

    # ----------------------------------------------------------------- planes
    def n_planes(self) -> int:
        """Vectors of weights: one for two classes, one a class for more."""
        return 1 if len(self.classes_) <= 2 else len(self.classes_)

    def moves_together(self) -> bool:
        """Whether one update moves two of several classes."""
        return len(self.classes_) > 2 and getattr(self, "multi_class", "ovr") == "multiclass"

    # ------------------------------------------------------------------ codes
    def _encode(self, given: Given) -> Array:
        """What kernels read: -1.0 and +1.0 (the second of two classes), or positions of several classes."""
        if len(self.classes_) == 1:  # more may join; the one there is stands on the positive side
            return np.ones(len(given.y))
        return self._coded_as(given, SIGNS if len(self.classes_) == 2 else np.arange(len(self.classes_)))

    def _coded_as(self, given: Given, codes: Array) -> Array:
        """codes[k] for each label that is classes_[k]; ValueError for a label that is not there."""
        is_pair = len(self.classes_) == 2  # one comparison takes a fifth of the time
        places = (given.y == self.classes_[1]).view(np.int8) if is_pair else np.searchsorted(self.classes_, given.y)
        strange = self.classes_.take(places, mode="clip") != given.y
        if strange.any():
            known, first = ", ".join(map(str, self.classes_)), int(strange.argmax())
            raise ValueError(
                f"{row_from_0(given.number(first))}: label {given.y[first]} is not one of the classes {known}"
            )
        return np.asarray(codes.take(places))

    # ------------------------------------------------------------------- rows
    def rows_to_fit(self, X: Any, y: Any, sample_weight: Any, *, warm: bool) -> tuple[Rows, Array | None]:
        """Check what `fit` was given and start afresh, unless `warm`; return as `kernel_rows` does."""
        if warm:
            self.check_parts()
        X, y = self.check_rows(X, y, reset=not warm)
        if not warm:
            self.__dict__.pop("weighted_", None)
        given = Given(X, y) if sample_weight is None else self._of_weight(X, y, sample_weight)
        if not len(given.y):
            raise ValueError("the weights of all rows are zero: there is nothing to learn from")
        if not warm:
            self._open = getattr(self, "open_classes", False)
            self.classes_ = check_classes(given.y)
            self.note_fixed()
            self.start(given.X)
        rows, numbers = self.kernel_rows(given)
        if not len(rows.y):
            raise ValueError("class_weight is 0 for the classes of all rows: there is nothing to learn from")
        return rows, numbers

    def rows_to_add(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> Iterator[Rows]:
        """Check what `partial_fit` was given; start at the first call.

        Gives all rows at once, or in parts where classes join: each joins before its first row.
        """
        first = not hasattr(self, "classes_")
        may_join = getattr(self, "open_classes", False)
        refuse_balance(getattr(self, "class_weight", None))
        if first and classes is None and not may_join:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        if not first:
            self.check_parts()
        X, y = self.check_rows(X, y, reset=first)
        if first:
            self.__dict__.pop("weighted_", None)
        given = Given(X, y) if sample_weight is None else self._of_weight(X, y, sample_weight)
        if first and (len(given.y) or classes is not None):
            self._open = may_join
            self.classes_ = given.y[:1] if classes is None else all_classes(classes)
            self._check_kind(given.y)
            self.note_fixed()
            self.start(given.X)
        elif classes is not None:
            self._check_same_classes(classes)
        if not len(given.y):
            if first and classes is None:  # as if it had not been called
                del self.n_features_in_
                self.__dict__.pop("feature_names_in_", None)
            return iter([])
        cuts = []
        if self._open:
            labels, rows = np.unique(given.y, return_index=True)
            cuts = sorted(rows[~np.isin(labels, self.classes_)].tolist())
        # Without a class that joins all errors come now, before anything is learnt.
        if not cuts:
            return iter([self._part(given)])
        return (self._part(given.take(slice(a, b))) for a, b in pairwise([0, *cuts, len(given.y)]) if a < b)

    def _of_weight(self, X: Any, y: Array, sample_weight: Any) -> Given:
        """`rows_of_weight`, which is noted if one of them is not 1."""
        given = rows_of_weight(X, y, sample_weight)
        if np.any(given.weight != 1):
            self.weighted_ = True
        return given

    def rows_of_shard(self, X: Any, y: Array) -> Rows:
        """What kernels read of rows and labels that `check_rows` accepted, of a learner that has been started."""
        self.check_parts()
        return self.kernel_rows(Given(X, y))[0]

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
        self.note_fixed()
        self.start(X)

    def _part(self, given: Given) -> Rows:
        """Rows whose first label alone may be new."""
        if self._open and given.y[0] not in self.classes_:
            self._join(given.y[0])
        return self.kernel_rows(given)[0]

    def _check_same_classes(self, classes: Any) -> None:
        if not self._open and not np.array_equal(np.unique(check_labels(classes)), self.classes_):
            raise ValueError(
                f"classes={list(np.unique(classes))} is not the same as on the first call to partial_fit: "
                f"{list(self.classes_)}"
            )


def typical_length(X: Any) -> float:
    """(mean ||x||^2)^(1/2) of these rows, between `LEAST_CONSTANT` and `MOST_CONSTANT`; 1 if all of them are 0."""
    from linsep.kernels.linear.gradient import row_sizes

    if not X.shape[0]:
        raise DataError('intercept_scaling="auto" is the length of the rows, and there are none yet: give a number')
    mean2 = row_sizes(as_rows(X), NO_WEIGHTS, 0.0)[1]
    return min(max(math.sqrt(mean2), LEAST_CONSTANT), MOST_CONSTANT) if mean2 > 0 else 1.0


@cache
def row_kernels() -> Any:
    """The kernels of single rows, loaded once: to import them with each row would be felt."""
    from linsep.kernels.linear import one_row

    return one_row


class LinearClassifier(LabelledClassifier):
    """Class weights and decision values of a learner with `coef_` and `intercept_`.

    `intercept_scaling`, `class_weight` and `multi_class` are for learners without these parameters.
    """

    state_arrays: ClassVar[dict[str, ArraySpec]] = {
        "coef_": ArraySpec(("planes", "features")),
        "intercept_": ArraySpec(("planes",), like="coef_"),
    }

    # Running sums behind a mean of weights: the name of each, and that of the weights it is about.
    running_sums: ClassVar[dict[str, str]] = {}

    coef_: Array
    intercept_: Array
    intercept_scaling_: float
    constant2_: float  # c^2, by which updates of b are multiplied; 0 without an intercept
    fit_intercept: bool
    intercept_scaling: float | str = 1.0
    class_weight: Any = None
    multi_class: str = "ovr"

    # ------------------------------------------------------------------ input
    def _class_weights(self, given: Given) -> Array:
        """The weight of each row for its own class; "balanced" is rows / (classes x rows of the class)."""
        positions = self._coded_as(given, np.arange(len(self.classes_)))
        if self.class_weight == "balanced":
            count = np.bincount(positions, minlength=len(self.classes_))
            return np.asarray((len(positions) / (len(count) * np.maximum(count, 1)))[positions])
        return np.asarray(weights_of_classes(self.class_weight, self.classes_, self._open)[positions])

    def kernel_rows(self, given: Given) -> tuple[Rows, Array | None]:
        """What kernels read of rows, and their original indices; weights of two classes multiply the rows' own."""
        own = None if self.class_weight is None else self._class_weights(given)
        if own is not None and (len(self.classes_) <= 2 or self.moves_together()) and not own.all():
            given, own = given.take(own > 0), own[own > 0]
        X, weight = given.X.astype(self.moving()[0].dtype, copy=False), given.weight
        if own is not None and len(self.classes_) <= 2:
            weight, own = own if weight is None else own * weight, None
        weight, own = NO_WEIGHTS if weight is None else weight, NO_WEIGHTS if own is None else own
        return Rows(as_rows(X), self._encode(given), weight, own), given.numbers

    # ---------------------------------------------------------------- weights
    def start(self, X: Any) -> None:
        """Set the state of an untrained learner: w = 0, b = 0."""
        n_planes = self.n_planes()
        # Sparse rows want one feature's weights of all classes side by side.
        order: Literal["C", "F"] = "C" if isinstance(X, np.ndarray) else "F"
        self.coef_ = np.zeros((n_planes, X.shape[1]), X.dtype, order)
        self.intercept_ = np.zeros(n_planes, dtype=X.dtype)
        c = self.intercept_scaling
        self.intercept_scaling_ = typical_length(X) if isinstance(c, str) else float(c)
        self.constant2_ = self.fit_intercept * self.intercept_scaling_**2
        self.t_ = 0

    def moving(self) -> tuple[Array, Array]:
        """The weights (n_planes, n_features) and intercepts that updates move."""
        return self.coef_, self.intercept_

    def _kept(self, axis: str) -> list[str]:
        """Arrays with such an axis, of those that there are."""
        return [name for name, spec in self.state_arrays.items() if axis in spec.shape and name in self.__dict__]

    # ------------------------------------------------------------- prediction
    def decision_function(self, X: Any) -> Array:
        """z = w.x + b.

        Parameters
        ----------
        X : {array, sparse matrix, dataframe}, shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray, shape (n_samples,) or (n_samples, n_classes)
            Two classes: at or above 0 for the positive class, `classes_[1]`. More: one column a class. One class,
            before others joined: the value of "its rows".
        """
        check_is_fitted(self)
        self.check_parts()
        # A NaN or an infinity among stored entries makes z one, and of z there is less to look at.
        finite = not is_sparse(X)
        X = checked_rows(self, X, finite=finite)
        z, finite = scores(X, self.coef_.T, self.intercept_)
        if not finite:
            checked_rows(self, X)
        return np.asarray(z[:, 0] if z.shape[1] == 1 else z)
