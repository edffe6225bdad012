"""The labels of a stream: which classes there are, before all rows have been seen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from linsep.data.columns import TableChunk, label_names, shown
from linsep.types import Array, Chunk, DataError

_ADVICE = (
    "name all classes with `classes` (--set classes=A,B,C), or let them join with `open_classes` (--set open_classes)"
)
_NO_LABELS = "these rows have no labels: name the label column with `target` (--target)"


class StreamLabels:
    """Labels as a learner takes them: classes named beforehand, those of the first rows, or open.

    With `positive` a row is 1 if its label is that one, else 0.
    """

    def __init__(self, named: Iterable[Any] | None, positive: Any, is_open: bool) -> None:
        if (named is not None) + (positive is not None) + is_open > 1:
            raise DataError("give one of classes, positive and open_classes, not several of them")
        self.named = None if named is None else label_names(np.array(list(named))).tolist()
        self.positive = None if positive is None else str(label_names(np.array([positive]))[0])
        if self.named is not None:
            _check_names(self.named)
        self._open = is_open
        self._classes: Array | None = None
        self._text: bool | None = None  # whether open labels are text; None before the first
        # Whether a row had the positive label; assumed in a run that goes on from a checkpoint.
        self._met = positive is None

    @property
    def warnings(self) -> list[str]:
        """What to say of the labels when all rows have been read."""
        return [] if self._met else [f"label {self.positive!r} never occurred: every row counts as the other class"]

    def check(self, chunk: TableChunk | Chunk) -> None:
        """Raise DataError for the first label that `read` would not take; nothing is learnt from the labels."""
        if isinstance(chunk, Chunk) and chunk.y is None:
            raise DataError(f"{chunk.place(chunk.X.shape[0] - 1)}: {_NO_LABELS}")
        if self.positive is not None or chunk.y is None:
            return
        if self._open:
            self._of_known_kind(chunk.y, chunk, self._text)
        elif self._classes is not None or self.named is not None:
            classes = self._classes if self._classes is not None else _typed(self.named or [], chunk.y)
            _as_one_of(classes, chunk.y, chunk)

    def read(self, chunk: TableChunk | Chunk) -> tuple[Array, Array | None]:
        """The labels of a chunk, and all classes (None where they are open)."""
        y = chunk.y
        if y is None:
            raise DataError(_NO_LABELS)
        if self.positive is not None:
            is_positive = label_names(y) == self.positive
            self._met = self._met or bool(is_positive.any())
            return is_positive.astype(np.int64), np.array([0, 1])
        if self._open:
            if self._text is None:
                self._text = _whole_or_text(y).dtype.kind == "U"
            return self._of_known_kind(y, chunk, self._text), None
        if self._classes is None:
            self._classes = np.unique(_whole_or_text(y)) if self.named is None else _typed(self.named, y)
            if len(self._classes) < 2:
                raise DataError(f"every label among the first {len(y):,} rows is {self._classes[0]}: {_ADVICE}")
        return _as_one_of(self._classes, y, chunk), self._classes

    def _of_known_kind(self, y: Array, chunk: TableChunk | Chunk, text: bool | None) -> Array:
        """Open labels as text if the first were text, however the later pieces look."""
        y = _whole_or_text(y)
        if text is None:
            return y
        if text:
            return label_names(y)
        if y.dtype.kind == "U":
            row = next(i for i, label in enumerate(y) if not _is_whole(label))
            raise DataError(
                f"{chunk.place(row)}: label {shown(y[row])} where the labels before were whole numbers: name "
                "all classes with `classes` (--set classes=A,B,C)"
            )
        return y

    def resume(self, classes: Array) -> None:
        """Go on with the classes of a learner that a checkpoint held."""
        self._met = True
        self._text = classes.dtype.kind == "U"
        if not self._open:
            self._classes = classes

    def names(self, classes: Array) -> Array:
        """What the classes of the learner are called."""
        if self.positive is None:
            return classes
        return np.array([f"not {self.positive}", self.positive])


def _as_one_of(classes: Array, y: Array, chunk: TableChunk | Chunk) -> Array:
    """The labels as entries of `classes`; an error that names the row for one that is not there."""
    mixed = classes.dtype.kind != y.dtype.kind and "U" in (classes.dtype.kind, y.dtype.kind)
    known, given = (label_names(classes), label_names(y)) if mixed else (classes, y)
    strange = np.flatnonzero(~np.isin(given, known))
    if strange.size:
        row = int(strange[0])
        listed = ", ".join(map(shown, known[:6]))
        raise DataError(f"{chunk.place(row)}: label {shown(given[row])} is not one of the classes {listed}: {_ADVICE}")
    if not mixed:
        return y
    order = np.argsort(known)
    return np.asarray(classes[order[np.searchsorted(known, given, sorter=order)]])


def _check_names(named: list[str]) -> None:
    if not all(name.strip() for name in named):
        raise DataError(f"there is an empty name among the classes {', '.join(map(repr, named))}")
    if len(set(named)) != len(named):
        raise DataError(f"the classes name one class twice: {', '.join(named)}")


def _typed(named: list[str], y: Array) -> Array:
    """Names as labels of the type of y where that can be."""
    if y.dtype.kind in "iu":
        try:
            return np.unique(np.array([int(name) for name in named]))
        except ValueError:
            pass
    return np.unique(np.array(named))


def _whole_or_text(y: Array) -> Array:
    """Labels as a learner takes them: fractions, which are no classes to it, by their names."""
    return label_names(y) if y.dtype.kind == "f" else y


def _is_whole(label: str) -> bool:
    try:
        return float(label).is_integer()
    except ValueError:
        return False
