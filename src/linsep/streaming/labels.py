"""The labels of a stream: which classes there are, before all rows have been seen."""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep.data.columns import TableChunk, label_names
from linsep.types import Array, Chunk, DataError

_ADVICE = "name all classes with --classes A,B,C, or let them join as they appear with --open-classes"


class StreamLabels:
    """Labels as a learner takes them: classes named beforehand, those of the first rows, or open.

    With `positive` a row is 1 if its label is that one, else 0.
    """

    def __init__(self, named: list[str] | None, positive: str | None, is_open: bool) -> None:
        if (named is not None) + (positive is not None) + is_open > 1:
            raise DataError("give one of --classes, --positive and --open-classes")
        if named is not None and not all(name.strip() for name in named):
            raise DataError(f"--classes has an empty name among {', '.join(map(repr, named))}: write A,B,C")
        self._named, self._positive, self._open = named, positive, is_open
        self._classes: Array | None = None
        self._text: bool | None = None  # whether open labels are text; None before the first
        # Whether a row had the positive label; taken for granted in a run that goes on from a checkpoint.
        self._met = positive is None

    @property
    def positive(self) -> str | None:
        """The label of the positive class, if one was chosen."""
        return self._positive

    @property
    def warnings(self) -> list[str]:
        """What to say of the labels when all rows have been read."""
        return [] if self._met else [f"no row had the label {self._positive!r}: the model knows no such row"]

    def read(self, chunk: TableChunk | Chunk) -> tuple[Array, Array | None]:
        """The labels of a chunk, and all classes (None where they are open)."""
        y = chunk.y
        if y is None:
            raise DataError("these rows have no labels: name the label column with --target")
        if self._positive is not None:
            is_positive = label_names(y) == self._positive
            self._met = self._met or bool(is_positive.any())
            return is_positive.astype(np.int64), np.array([0, 1])
        if self._open:
            return self._of_known_kind(y, chunk), None
        if self._classes is None:
            self._classes = np.unique(y) if self._named is None else _typed(self._named, y)
            if len(self._classes) < 2:
                raise DataError(f"every label among the first {len(y):,} rows is {self._classes[0]}: {_ADVICE}")
        classes = self._classes
        mixed = classes.dtype.kind != y.dtype.kind and "U" in (classes.dtype.kind, y.dtype.kind)
        known, given = (label_names(classes), label_names(y)) if mixed else (classes, y)
        strange = np.flatnonzero(~np.isin(given, known))
        if strange.size:
            row = int(strange[0])
            listed = ", ".join(map(str, known[:6]))
            raise DataError(f"{_place(chunk, row)}: label {given[row]} is not one of the classes {listed}: {_ADVICE}")
        if mixed:
            order = np.argsort(known)
            y = classes[order[np.searchsorted(known, given, sorter=order)]]
        return y, classes

    def _of_known_kind(self, y: Array, chunk: TableChunk | Chunk) -> Array:
        """Open labels as text if the first were text, however the later pieces look."""
        if self._text is None:
            self._text = y.dtype.kind == "U"
        if self._text:
            return label_names(y)
        if y.dtype.kind == "U":
            row = next(i for i, label in enumerate(y) if not _is_number(label))
            raise DataError(
                f"{_place(chunk, row)}: label {y[row]} is text where the labels before were numbers: name all classes "
                "with --classes A,B,C"
            )
        return y

    def resume(self, estimator: Any) -> None:
        """Go on with the classes of a learner that was saved."""
        self._met = True
        self._text = estimator.classes_.dtype.kind == "U"
        if self._positive is None and not self._open:
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
    if y.dtype.kind in "iu":
        try:
            return np.unique(np.array([int(name) for name in named]))
        except ValueError:
            pass
    return np.unique(np.array(named))


def _is_number(label: str) -> bool:
    try:
        float(label)
    except ValueError:
        return False
    return True


def _place(chunk: TableChunk | Chunk, row: int) -> str:
    return chunk.where(row) if isinstance(chunk, TableChunk) else f"row {chunk.start + row}"
