"""The row that the values of a dict are written into, where all names are there in their order."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from math import isfinite
from typing import Any

import numpy as np

from linsep.types import Array


class PlainRow:
    """One row, written over at each call: a new array would take as long as the numbers in it.

    Who keeps a row copies it. Writer and reader hold the lock of the model.

    Examples
    --------
    >>> row = PlainRow(2, np.float64)
    >>> row.filled({"a": 1.0, "b": 2.5}.values()).tolist()
    [[1.0, 2.5]]
    """

    __slots__ = ("_X", "_pack")

    def __init__(self, width: int, dtype: Any) -> None:
        self._X = np.zeros((1, width), dtype)
        self._pack = struct.Struct(f"{width}{self._X.dtype.char}").pack_into

    def __reduce__(self) -> tuple[Any, ...]:
        return PlainRow, (self._X.shape[1], self._X.dtype)  # a copy of a model has a row of its own

    def filled(self, values: Iterable[Any]) -> Array | None:
        """The row with these values, or None where they are not finite numbers, or have too large a sum."""
        try:
            if isfinite(sum(values)):  # one sum checks them all, and unlike float() it refuses text
                self._pack(self._X, 0, *values)
                return self._X
        except (TypeError, ValueError, OverflowError, struct.error):
            pass
        return None
