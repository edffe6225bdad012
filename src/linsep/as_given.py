"""What an array would change is refused: masked entries, and labels that would become others."""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep.types import Array, DataError


def labels_of(y: Any) -> Array:
    """Return labels as an array in which each is what was given: there text may lose a NUL, and 1 beside "1" is text.

    Raises
    ------
    DataError
        There is not one label a row, one is masked, or one would become another; the row is named.

    Examples
    --------
    >>> labels_of(["a", "b"]).tolist()
    ['a', 'b']
    >>> labels_of(["a", "a\\0"])
    Traceback (most recent call last):
    linsep.types.DataError: row 1: the label 'a\\x00' would become 'a' in an array: make all labels text without NUL, or
    all of them numbers of one type
    """
    refuse_masked(y, "y")
    array = np.asarray(y)
    if array.ndim != 1:
        raise DataError(f"labels must be one-dimensional, these have shape {array.shape}")
    bad = np.full(array.shape, array.dtype.kind == "c")
    if array.dtype == object:
        bad = np.array([label is None or isinstance(label, complex) for label in array.tolist()], dtype=bool)
    try:
        bad |= np.asarray(array != array, dtype=bool)  # NaN and NaT differ from themselves
        if array.dtype == object and not bad.any():
            np.unique(array)
    except TypeError as error:
        raise DataError(f"labels are all text or all numbers, so that they can be sorted: {error}") from None
    if bad.any():
        row = int(bad.argmax())
        raise DataError(f"row {row}: the label is {array[row]}, which is no class")
    if not hasattr(y, "dtype"):
        for row, (label, kept) in enumerate(zip(y, array.tolist(), strict=True)):
            if label != kept:
                raise DataError(
                    f"row {row}: the label {label!r} would become {kept!r} in an array: make all labels text "
                    "without NUL, or all of them numbers of one type"
                )
    return array


def refuse_masked(values: Any, name: str) -> None:
    """Raise DataError for a masked entry of a masked array: it would count as the number behind the mask.

    Examples
    --------
    >>> refuse_masked(np.ma.array([1, 2], mask=[False, True]), "y")
    Traceback (most recent call last):
    linsep.types.DataError: y is a masked array, and its entry [1] is masked: leave such rows out, or fill them
    """
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        place = np.argwhere(np.ma.getmaskarray(values))[0].tolist()
        raise DataError(f"{name} is a masked array, and its entry {place} is masked: leave such rows out, or fill them")
