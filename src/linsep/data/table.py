"""A table as read: named columns of numbers or text, and where each row stands for messages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linsep.types import Array, DataError

# Decimal numbers as people write them; no hexadecimal, no underscores, no thousands separators.
NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_MISSING = {"", "na", "n/a", "nan", "null", "none", "?", "inf", "+inf", "-inf", "infinity", "-infinity"}


@dataclass(frozen=True)
class Column:
    """One column: `values` (float64) if it holds numbers, with their `text` where they were read from text;
    else `text` alone."""

    name: str
    values: Array | None
    text: pa.Array | None

    @property
    def is_number(self) -> bool:
        return self.values is not None


@dataclass(frozen=True)
class TableChunk:
    """Rows of a table: feature columns, labels (or None), the position of the first row, and a way to name a row."""

    columns: list[Column]
    y: Array | None
    start: int
    n_rows: int
    where: Callable[[int], str] = field(repr=False)

    def column(self, name: str) -> Column | None:
        return next((c for c in self.columns if c.name == name), None)


def number_column(name: str, text: pa.Array, where: Callable[[int], str], *, is_text: bool) -> Column:
    """Read text as numbers where every cell is one; a column of numbers with a few other cells is an error."""
    if is_text:
        return Column(name, None, text)
    try:
        values = pc.cast(text, pa.float64()).to_numpy(zero_copy_only=False)
        trimmed = text
    except pa.ArrowInvalid:
        trimmed = pc.utf8_trim_whitespace(text)
        good = pc.match_substring_regex(trimmed, NUMBER).to_numpy(zero_copy_only=False)
        if not good.all():
            n_good = int(good.sum())
            if 2 * n_good <= len(good):
                return Column(name, None, text)
            _refuse_cell(name, trimmed, int(np.flatnonzero(~good)[0]), where)
        values = pc.cast(pc.replace_substring_regex(trimmed, r"^\+", ""), pa.float64()).to_numpy(zero_copy_only=False)
    finite = np.isfinite(values)
    if not finite.all():
        _refuse_cell(name, trimmed, int(np.flatnonzero(~finite)[0]), where)
    return Column(name, values, trimmed)


def _refuse_cell(name: str, text: pa.Array, row: int, where: Callable[[int], str]) -> None:
    cell = text[row].as_py()
    if cell.strip().lower() in _MISSING:
        raise DataError(
            f"{where(row)}, column {name!r}: {cell!r} where the column holds numbers; fill or drop missing values first"
        )
    raise DataError(
        f"{where(row)}, column {name!r}: {cell!r} is not a finite number, but most of the column is numbers; "
        f"mend it, or read the column as categories with --categorical {name} (categorical=[{name!r}])"
    )


def as_text(values: Any) -> Any:
    """Numbers as category names: whole ones without a point."""
    return pa.array([str(int(v)) if float(v).is_integer() else repr(float(v)) for v in values], pa.string())


def take_target(names: list[str], target: str | None) -> None:
    """Check that the target is one of the columns, and that there is a feature beside it."""
    if target is not None and target not in names:
        close = get_close_matches(target, names, n=3) or names[:8]
        raise DataError(f"no column called {target!r}; there are {', '.join(map(repr, close))}")
    if not [n for n in names if n != target]:
        raise DataError(f"no feature columns: the only column is {names[0]!r}")


def check_names(names: list[str], source: str) -> None:
    """Refuse duplicate column names."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise DataError(f"{source}: two columns are called {name!r}; rename one")
        seen.add(name)


def as_labels(values: Any, where: Callable[[int], str], target: str) -> Array:
    """Labels of one type: int64 where all are whole numbers, float64 where all are numbers, else text."""
    array = np.asarray(values)
    if array.dtype == object:
        kinds = {type(v) for v in values}
        if len(kinds) > 1 or not kinds <= {str, bool, int, float}:
            names = ", ".join(sorted(k.__name__ for k in kinds))
            raise DataError(f"column {target!r}: labels of mixed types ({names}); make them all text or all numbers")
        array = np.array(list(values))
    if array.dtype.kind == "f":
        if not np.isfinite(array).all():
            row = int(np.flatnonzero(~np.isfinite(array))[0])
            raise DataError(f"{where(row)}, column {target!r}: the label is missing")
        if (array == np.floor(array)).all() and np.abs(array).max(initial=0) < 2**53:
            return array.astype(np.int64)
    if array.dtype.kind == "U" and (array == "").any():
        raise DataError(f"{where(int(np.flatnonzero(array == '')[0]))}, column {target!r}: the label is missing")
    return array
