"""The labels of a stream: which classes there are, before all rows have been seen."""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep.data.table import TableChunk, as_text
from linsep.types import Array, Chunk, DataError

_ADVICE = "name all classes with --classes A,B,C, or let them join as they appear with --open-classes"


class StreamLabels:
    """Labels as a learner takes them: classes named beforehand, those of the first rows, or open.

    With `positive` a row is 1 if its label is that one, else 0.
    """

    def __init__(self, named: list[str] | None, positive: str | None, is_open: bool) -> None:
        if (named is not None) + (positive is not None) + is_open > 1:
            raise DataError("give one of --classes, --positive and --open-classes")
        self._named, self._positive, self._open = named, positive, is_open
        self._classes: Array | None = None

    def read(self, chunk: TableChunk | Chunk) -> tuple[Array, Array | None]:
        """The labels of a chunk, and all classes (None where they are open)."""
        y = chunk.y
        if y is None:
            raise DataError("these rows have no labels: name the label column with --target")
        if self._positive is not None:
            return (_as_names(y) == self._positive).astype(np.int64), np.array([0, 1])
        if self._open:
            return y, None
        if self._classes is None:
            self._classes = np.unique(y) if self._named is None else _typed(self._named, y)
            if len(self._classes) < 2:
                raise DataError(f"every label among the first {len(y):,} rows is {self._classes[0]}: {_ADVICE}")
        if self._classes.dtype.kind == "U" and y.dtype.kind != "U":
            y = _as_names(y)
        strange = np.flatnonzero(~np.isin(y, self._classes))
        if strange.size:
            row = int(strange[0])
            place = chunk.where(row) if isinstance(chunk, TableChunk) else f"row {chunk.start + row}"
            known = ", ".join(map(str, self._classes[:6]))
            raise DataError(f"{place}: label {y[row]} is not one of the classes {known}: {_ADVICE}")
        return y, self._classes

    def resume(self, estimator: Any) -> None:
        """Go on with the classes of a learner that was saved."""
        if self._positive is not None:
            estimator.classes_ = np.array([0, 1])
        elif not self._open:
            self._classes = estimator.classes_

    def names(self, classes: Array) -> Array:
        """What the classes of the learner are called."""
        if self._positive is None:
            return classes
        return np.array([f"not {self._positive}", self._positive])


def _typed(named: list[str], y: Array) -> Array:
    """Names as labels of the type of y where that can be."""
    if len(set(named)) != len(named):
        raise DataError(f"--classes names one class twice: {', '.join(named)}")
    if y.dtype.kind in "iuf":
        try:
            return np.unique(np.array([int(name) if y.dtype.kind != "f" else float(name) for name in named]))
        except ValueError:
            pass
    return np.unique(np.array(named))


def _as_names(y: Array) -> Array:
    return y if y.dtype.kind == "U" else np.array(as_text(y).to_pylist())
