"""Tables with labels, and the codes of the labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from linsep.data.inputs import find_files
from linsep.data.sources.open import Source, open_data
from linsep.types import Array, DataError


def inputs(table: Any) -> tuple[str, ...]:
    """The files that a table is read from, patterns and folders resolved; "-" is itself."""
    return tuple(find_files(str(table))) if isinstance(table, str | Path) else ()


def open_labelled(table: Any, target: str | None, format: str | None, categorical: tuple[str, ...]) -> Source:
    """Open a table that has labels."""
    source = open_data(table, target=target, format=format, categorical=categorical)
    if source.kind == "table" and target is None:
        raise DataError("name the column that holds the label with --target")
    missing = [] if source.kind == "rows" else [c for c in categorical if source.read().column(c) is None]
    if missing:
        raise DataError(f"no feature column called {missing[0]!r} to read as categories")
    return source


def encode_labels(y: Array | None, positive: str | None) -> tuple[Array, Array]:
    """Return codes 0, 1, ... and the labels they stand for; `positive` names the label of code 1, the rest is 0."""
    if y is None:
        raise DataError("these rows have no labels: name the label column with --target")
    labels = np.unique(y)
    if labels.size == 1:
        raise DataError(f"every row has the label {labels[0]}: a separator needs rows of at least two classes")
    if positive is None:
        return np.searchsorted(labels, y), labels
    chosen = np.array([str(label) == positive for label in labels])
    if not chosen.any():
        raise DataError(f"no row has the label {positive!r}: the labels are {listed(labels)}")
    rest = labels[~chosen][0] if labels.size == 2 else f"not {positive}"
    one = labels[chosen][0] if labels.size == 2 else positive
    return (y == labels[chosen][0]).astype(np.intp), np.array([rest, one])


def listed(labels: Array) -> str:
    """The first labels, for a message."""
    shown = ", ".join(str(label) for label in labels[:6])
    return shown + (", ..." if len(labels) > 6 else "")
