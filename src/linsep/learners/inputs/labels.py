"""Labels of any type, and the numbers that kernels read for them."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np

from linsep.types import Array, DataError

# What kernels read for the two classes of a binary learner.
SIGNS = np.array([-1.0, 1.0])
_ACCEPTED = "Labels are text, whole numbers or truth values, all of one kind"


_KINDS = {"b": "a truth value", "i": "a number", "u": "a number", "f": "a number"}


def kind_of_labels(y: Array) -> str:
    """The kind of the labels in an array that `check_labels` accepted."""
    return _KINDS.get(y.dtype.kind, "text")


def _kind_of(label: Any) -> str | None:
    """The kind of a label; None for one that is not accepted."""
    if isinstance(label, bool | np.bool_):
        return "a truth value"
    if isinstance(label, Real):
        return "a number" if isinstance(label, Integral) or float(label).is_integer() else None
    return "text" if isinstance(label, str) else None


def check_label(label: Any) -> str:
    """The kind of one label; an error for one that is not accepted."""
    kind = _kind_of(label)
    if kind is None:
        raise DataError(f"Unknown label type: {label!r} ({type(label).__name__}). {_ACCEPTED}")
    return kind


def _check_all(labels: Iterable[Any]) -> None:
    """Raise unless all are of one kind."""
    kinds: dict[str, Any] = {}
    for label in labels:
        kinds.setdefault(check_label(label), label)
    if len(kinds) > 1:
        (kind, label), (other, stranger) = list(kinds.items())[:2]
        raise DataError(f"Unknown label type: {label!r} is {kind} and {stranger!r} is {other}. {_ACCEPTED}")


def check_labels(y: Any) -> Any:
    """Return labels of one accepted kind, as an array where they need one; unchanged if their shape is invalid.

    scikit-learn names what is wrong with the shape.

    Raises
    ------
    DataError
        A label that is not accepted, or labels of two kinds.

    Examples
    --------
    >>> check_labels([1, True])
    Traceback (most recent call last):
    linsep.types.DataError: Unknown label type: 1 is a number and True is a truth value. Labels are text, whole numbers
    or truth values, all of one kind
    """
    if isinstance(y, list | tuple):
        types = set(map(type, y))
        if types & {list, np.ndarray} or not types:  # more than one value a row
            return y
        if len(types) == 1 and types <= {str, int, bool}:
            return np.asarray(y)
        _check_all(y)
        return y
    array = np.asarray(y)
    if array.ndim != 1 and array.shape[1:] != (1,):
        return y
    if array.dtype.kind == "O":
        labels = array.ravel().tolist()
        _check_all(labels)
        return y if not labels or isinstance(labels[0], str) else np.array(labels).reshape(array.shape)
    if array.dtype.kind == "f" and not (whole := (array == np.floor(array)) | ~np.isfinite(array)).all():
        check_label(array[~whole][0])  # scikit-learn names those that are not finite
    elif array.dtype.kind not in "biufcUT":  # scikit-learn names complex ones
        check_label(array.ravel()[0])
    return y


def check_classes(classes: Array) -> Array:
    """Return these distinct labels; an error unless there are two of them at least."""
    if classes.size < 2:
        raise ValueError(
            f"The number of classes has to be 2; got 1 class: every label is {classes[0]!r}. "
            "A separator needs rows on both sides."
        )
    return classes


def all_classes(classes: Any) -> Array:
    """The distinct labels that a user lists; an error unless there are two of them at least."""
    return check_classes(np.unique(np.asarray(check_labels(classes))))


def number_labels(y: Array) -> tuple[Array, Array]:
    """The distinct labels in ascending order, and what kernels read for each label of `y`.

    That is -1.0 and 1.0 for the first and the second of two classes, and the position among several.

    Raises
    ------
    ValueError
        All labels are the same.

    Examples
    --------
    >>> import numpy as np
    >>> number_labels(np.array([7, 2, 7]))
    (array([2, 7]), array([ 1., -1.,  1.]))
    """
    classes = check_classes(np.unique(y))
    return classes, (np.arange(len(classes)) if len(classes) > 2 else SIGNS)[np.searchsorted(classes, y)]


def replace_labels(y: Array, classes: Array, codes: Array) -> tuple[Array, int]:
    """codes[k] for each label that is classes[k], and the first row with another label (-1 if there is none).

    Examples
    --------
    >>> import numpy as np
    >>> replace_labels(np.array([7, 2, 7]), np.array([2, 7]), np.array([-1.0, 1.0]))
    (array([ 1., -1.,  1.]), -1)
    """
    positions = np.searchsorted(classes, y).clip(max=len(classes) - 1)
    unknown = np.flatnonzero(classes[positions] != y)
    return codes[positions], int(unknown[0]) if unknown.size else -1
