"""Labels of a table as names of classes, and what a learner is trained on in their place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from linsep.data.columns import label_names
from linsep.data.labels import as_labels
from linsep.types import Array, DataError


def targets_of(labels: Any, positive: Any, *, is_table: bool) -> tuple[Any, Array | None]:
    """What a learner is trained on, and the names of 0, 1, ... where these stand for the labels (else None).

    Examples
    --------
    >>> targets_of(["a", "b", "c"], "b", is_table=True)
    (array([0, 1, 0]), array(['not b', 'b'], dtype='<U5'))
    """
    if positive is None and not is_table:
        return labels, None  # the learner has its own rules for labels
    labels = as_labels(labels, "row {}".format, "y")
    found = np.unique(labels)
    if found.size == 1:
        raise DataError(f"every row has the label {found[0]}: a separator needs rows of at least two classes")
    names = binary_names(found, positive)
    if names is None and labels.dtype.kind != "f":
        return labels, None
    if names is None:  # fractions, which no learner takes for labels
        return np.searchsorted(found, labels), found
    return positions(as_named(labels, names, positive), names), names


def first_names(classes: Any, positive: Any, *, is_table: bool) -> Array | None:
    """The names of 0, 1, ... where a run of `partial_fit` begins; None where classes are learnt as they are."""
    if positive is not None or classes is None or not is_table:
        return binary_names(classes, positive)
    named = np.unique(as_labels(classes, "class {}".format, "classes"))
    return named if named.dtype.kind == "f" else None


def next_targets(labels: Any, classes: Any, names: Array | None, positive: Any, is_table: bool) -> tuple[Any, Any]:
    """What `partial_fit` of a learner is given for these labels and classes; `names` are those of 0, 1, ..."""
    if names is not None:
        return positions(as_named(labels, names, positive), names), np.arange(len(names))
    if not is_table:
        return labels, classes
    known = None if classes is None else as_labels(classes, "class {}".format, "classes")
    return as_labels(labels, "row {}".format, "y"), known


def binary_names(labels: Any, positive: Any) -> Array | None:
    """The names of the negative and the positive class; None without `positive`.

    `labels` are all labels that there are, or None where that is not known yet.
    """
    if positive is None:
        return None
    if labels is not None:
        labels = np.unique(as_labels(labels, "class {}".format, "classes"))
        asked = str(positive).title() if labels.dtype.kind == "b" else str(positive)  # true is True
        chosen = label_names(labels) == asked
        if not chosen.any():
            shown = ", ".join(label_names(labels[:6])) + (", ..." if len(labels) > 6 else "")
            raise DataError(f"no row has the label {str(positive)!r}: the labels are {shown}")
        if labels.size == 2:
            return np.array([labels[~chosen][0], labels[chosen][0]])
    return np.array([f"not {positive}", str(positive)])


def as_named(labels: Any, names: Array, positive: Any) -> Array:
    """Labels as names of classes: where the class of the rest is "not POSITIVE", all other labels are the rest."""
    given = as_labels(labels, "row {}".format, "y")
    if positive is None or names[0] != f"not {positive}":
        return given
    return np.asarray(names[(label_names(given) == str(positive)).astype(np.intp)])


def comparable(truth: Any, said: Array) -> tuple[Array, Array]:
    """Labels of a table and classes predicted, as arrays of one type; fractions, which are no classes, as text.

    Examples
    --------
    >>> comparable([0.5, 2], np.array([0.5, 1.5]))
    (array(['0.5', '2'], dtype='<U3'), array(['0.5', '1.5'], dtype='<U3'))
    """
    given = as_labels(truth, "row {}".format, "y")
    if given.dtype.kind == said.dtype.kind != "f":
        return given, said
    return label_names(given), label_names(said)


def positions(labels: Array, names: Array) -> Array:
    """Where each label is among the names.

    Examples
    --------
    >>> positions(np.array([5, 7, 5]), np.array([7, 5])).tolist()
    [1, 0, 1]
    """
    order = np.argsort(names)
    known, given = names[order], labels
    if (known.dtype.kind == "U") != (given.dtype.kind == "U"):
        known, given = label_names(known), label_names(given)
    places = np.searchsorted(known, given).clip(max=len(known) - 1)
    strange = np.flatnonzero(known[places] != given)
    if strange.size:
        listed = ", ".join(map(str, names[:6]))
        raise DataError(f"row {strange[0]}: label {labels[strange[0]]} is not one of the classes {listed}")
    return np.asarray(order[places])


def code_class_weight(learner: Any, names: Array | None) -> None:
    """Replace the names in the learner's `class_weight` by 0, 1, ..., which it is trained on."""
    weight = getattr(learner, "class_weight", None)
    if names is None or not isinstance(weight, Mapping):
        return
    known = names.tolist()
    strange = [label for label in weight if label not in known]
    if strange:
        listed = ", ".join(map(str, known))
        raise DataError(f"class_weight names {strange[0]!r}, which is not one of the classes {listed}")
    learner.set_params(class_weight={known.index(label): value for label, value in weight.items()})


class NamedClasses:
    """The part of a `TableModel` that knows the names of its classes."""

    learner_: Any
    classes_: Array
    positive: Any

    @property
    def _has_codes(self) -> bool:
        """Whether the learner was trained on 0, 1, ... in place of the names."""
        return not np.array_equal(self.learner_.classes_, self.classes_)

    def named(self, said: Array) -> Array:
        """The names of what the learner predicted.

        Parameters
        ----------
        said : ndarray of shape (n_samples,)
            Classes of the learner.

        Returns
        -------
        ndarray, shape (n_samples,)
            Names from `classes_`.
        """
        if not self._has_codes:
            return said
        return np.asarray(self.classes_[np.searchsorted(self.learner_.classes_, said)])

    def as_classes(self, labels: Any) -> Any:
        """Return labels of a table as classes of the model: with `positive`, all others belong to the rest.

        Parameters
        ----------
        labels : array-like of shape (n_samples,)
            The labels.

        Returns
        -------
        array-like of shape (n_samples,)
            Names from `classes_`.
        """
        return labels if self.positive is None else as_named(labels, self.classes_, self.positive)
