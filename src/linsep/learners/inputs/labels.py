"""Labels of any type, and the numbers that kernels read for them."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np

from linsep.kernels.labels import look_up, mark_labels
from linsep.types import Array, DataError

# Whole numbers in a range no longer than this are looked up in a table.
_RANGE = 1 << 16
_ACCEPTED = "Labels are text, whole numbers or truth values, all of one kind"


_KINDS = {"b": "a truth value", "i": "a number", "u": "a number", "f": "a number"}


def kind_of_labels(y: Array) -> str:
    """What kind the labels of an array are that `check_labels` passed."""
    return _KINDS.get(y.dtype.kind, "text")


def _kind_of(label: Any) -> str | None:
    """What kind a label is, or None if it is none that is accepted."""
    if isinstance(label, bool | np.bool_):
        return "a truth value"
    if isinstance(label, Real):
        return "a number" if isinstance(label, Integral) or float(label).is_integer() else None
    return "text" if isinstance(label, str) else None


def check_label(label: Any) -> str:
    """The kind of one label; an error if it is none that is accepted."""
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
    """What `y` says as an array of labels of one kind, or `y` itself where it is none and its form is to blame.

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
        if types & {list, np.ndarray} or not types:  # not one label a row
            return y
        if len(types) > 1 or not types <= {str, int, bool}:
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


def _low(y: Array) -> int | None:
    """The least label, if all are whole numbers in a short range."""
    if y.dtype.kind not in "iu" or y.size == 0:
        return None
    low, high = int(y.min()), int(y.max())
    return low if high - low < _RANGE and high < 2**62 and low > -(2**62) else None


def distinct_labels(y: Array) -> Array:
    """The distinct labels in ascending order.

    Examples
    --------
    >>> import numpy as np
    >>> distinct_labels(np.array([3, -1, 3])).tolist()
    [-1, 3]
    """
    low = _low(y)
    if low is None:
        return np.unique(y)
    present = np.zeros(int(y.max()) - low + 1, dtype=np.bool_)
    mark_labels(y, low, present)
    return (np.flatnonzero(present) + low).astype(y.dtype)


def replace_labels(y: Array, classes: Array, codes: Array) -> tuple[Array, int]:
    """codes[k] for each label that is classes[k], and the first row whose label is none of them (-1: there is none).

    Examples
    --------
    >>> import numpy as np
    >>> replace_labels(np.array([7, 2, 7]), np.array([2, 7]), np.array([-1.0, 1.0]))
    (array([ 1., -1.,  1.]), -1)
    """
    low = _low(classes)
    if low is not None and y.dtype.kind in "iu" and not (y.dtype == np.uint64 and (y > 2**62).any()):
        table = np.full(int(classes.max()) - low + 1, np.nan)
        table[classes.astype(np.int64) - low] = codes
        out = np.empty(len(y), dtype=codes.dtype)
        return out, int(look_up(y, low, table, out))
    sorter = np.argsort(classes)
    positions = sorter[np.searchsorted(classes, y, sorter=sorter).clip(max=len(sorter) - 1)]
    unknown = np.flatnonzero(classes[positions] != y)
    return codes[positions], int(unknown[0]) if unknown.size else -1
