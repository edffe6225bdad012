"""The row that the values of a dict are written into, where all names are there in their order."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

from linsep.types import Array


class PlainRow:
    """One row, written over at each call: a new array would take as long as the numbers in it.

    Who keeps a row copies it. Writer and reader hold the lock of the model.

    Parameters
    ----------
    names : list of str
        All names in their order.
    dtype : dtype
        float32 or float64.

    Examples
    --------
    >>> row = PlainRow(["a", "b"], np.float64)
    >>> row.of({"a": 1.0, "b": 2.5}).tolist()
    [[1.0, 2.5]]
    """

    __slots__ = ("_X", "_memory", "_names", "_pack")

    def __init__(self, names: list[str], dtype: Any) -> None:
        self._names, self._X = names, np.zeros((1, len(names)), dtype)
        self._memory = self._X.data
        self._pack = struct.Struct(f"{len(names)}{self._X.dtype.char}").pack_into

    def __reduce__(self) -> tuple[Any, ...]:
        return PlainRow, (self._names, self._X.dtype)  # a copy of a model has a row of its own

    def of(self, x: Mapping[str, Any]) -> Array | None:
        """The row x, or None where its names are others or its values are no numbers; they may be infinite, or NaN."""
        try:
            if [*x] == self._names:
                self._pack(self._memory, 0, *x.values())
                return self._X
        except (TypeError, ValueError, OverflowError, struct.error):
            pass
        return None
