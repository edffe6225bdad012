"""The tables of a report: cells are text, with a number for sorting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from linsep.data.columns import TableChunk
from linsep.reporting.weights import Weights
from linsep.theory.words.of_classes import rows_of_file
from linsep.types import Array

MOST_ROWS = 100
_MOST_WEIGHTS, _FEWEST_OF_A_CLASS = 60, 3
_COLUMNS = 5
_LONGEST = 60  # characters of a cell


class Cell(NamedTuple):
    """What is shown, and the number that it stands for; None where it is sorted as text."""

    text: str
    number: float | None = None


@dataclass(frozen=True)
class Table:
    """A caption, a sentence under it, the names of the columns and the rows."""

    title: str
    note: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]] = field(repr=False)

    @property
    def numeric(self) -> list[bool]:
        """Which columns hold nothing but numbers; these are set flush right."""
        return [all(row[j].number is not None for row in self.rows) for j in range(len(self.columns))]


class Columns(NamedTuple):
    """The columns of the user's rows, as far as a table shows them, and which rows of the file these rows lack."""

    names: list[str]
    cell: Callable[[int, int], Any]
    left_out: Array | None = None


def columns_of(rows: Any, names: list[str] | None = None) -> Columns:
    """Of a table as it was read, or of a matrix with the names of its columns.

    Examples
    --------
    >>> columns_of(np.array([[1.0, 2.5]]), ["a", "b"]).cell(0, 1)
    2.5
    """
    if isinstance(rows, TableChunk):
        return Columns(list(rows.names), lambda i, j: _as_read(rows, i, rows.names[j]))
    return Columns(names or [], lambda i, j: rows[i, j].item() if hasattr(rows[i, j], "item") else rows[i, j])


def _as_read(rows: TableChunk, i: int, name: str) -> Any:
    column = rows.cells(name)
    if column.missing is not None and column.missing[i]:
        return ""
    text = None if column.text is None else _cut(column.text[i].as_py())
    if column.stored is None:
        return text
    value = float(column.stored[i])
    return value if text is None else Cell(text, value)


def cell(value: Any) -> Cell:
    """A value of any type.

    Examples
    --------
    >>> cell(1234567), cell(0.1 + 0.2).text
    (Cell(text='1,234,567', number=1234567.0), '0.3')
    """
    if isinstance(value, Cell):
        return value
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, int | float):
        return Cell(_cut(str(value)))
    if abs(value) > 1e15:  # integers of any length among them
        return Cell(_cut(str(value)), float(value) if abs(value) < 1e300 else None)
    return Cell(f"{value:,}" if isinstance(value, int) else f"{value + 0.0:.6g}", float(value) + 0.0)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def some_of(n: int, of: int, what: str) -> str:
    """A note that not everything is shown; empty if everything is."""
    return "" if n >= of else f" {n:,} of {of:,} {what} shown."


def rows_table(
    title: str,
    note: str,
    about: Sequence[str],
    rows: Sequence[tuple[int, Sequence[Any]]],
    columns: Columns,
    weights: Weights | None = None,
) -> Table:
    """The first hundred rows by number, what is said `about` each, and some columns of the user's table."""
    chosen = _chosen(columns, weights)
    heads = ["row", *about, *(_cut(columns.names[j]) for j in chosen)]
    body = []
    for i, said in rows[:MOST_ROWS]:
        number = int(rows_of_file(i, columns.left_out))
        own = (columns.cell(i, j) for j in chosen)
        body.append([Cell(str(number), float(number)), *map(cell, said), *map(cell, own)])
    rest = some_of(len(body), len(rows), "rows") + some_of(len(chosen), len(columns.names), "columns")
    return Table(title, f"{note}{rest} Rows are counted from 0.", heads, body)


def _chosen(columns: Columns, weights: Weights | None) -> list[int]:
    """The columns that a table of rows shows: those with the heaviest features, else the first ones.

    An indicator "city=Oslo" belongs to the column "city".
    """
    at = {name: j for j, name in enumerate(columns.names)}
    found: list[int | None] = []
    if weights is not None and len(weights.planes):
        size = np.abs(weights.planes).max(axis=0)
        heavy = [weights.names[k] for k in np.argsort(-size, kind="stable")[: 20 * _COLUMNS] if size[k] > 0]
        found = [at.get(name, at.get(name.partition("=")[0])) for name in heavy]
    every = [*(j for j in found if j is not None), *range(min(len(columns.names), _COLUMNS))]
    return list(dict.fromkeys(every))[:_COLUMNS]


def weights_table(weights: Weights, classes: Sequence[Any], note: str) -> Table:
    """The heaviest weights, of each class where there are several."""
    planes = len(weights.planes)
    each = max(_FEWEST_OF_A_CLASS, _MOST_WEIGHTS // max(3, planes))
    kept = min(planes, _MOST_WEIGHTS // _FEWEST_OF_A_CLASS)
    heaviest = weights._replace(planes=weights.planes[:kept]).heaviest(each)
    rows = [[cell(classes[k]), cell(name), cell(value)] for k, name, value in heaviest]
    if planes == 1:
        each, rows = len(rows), [row[1:] for row in rows]  # fewer where the others are 0
    note += some_of(each, weights.planes.shape[1], "features" + (" of each class" if planes > 1 else ""))
    note += some_of(kept, planes, "classes")
    return Table("Heaviest weights", note.strip(), [*(["class"] if planes > 1 else []), "feature", "weight"], rows)
