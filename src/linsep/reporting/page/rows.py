"""The rows that a report is about, as numbers, and tables of some of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from linsep.data.features.exact_decimals import ExactNumbers
from linsep.data.sources.open import open_data
from linsep.learners.base.tables import open_rows
from linsep.plots.subject import Table as Named
from linsep.plots.subject import labels_of, named_table, table_of
from linsep.reporting.page.html import Cell, Table
from linsep.reporting.shown import Weights
from linsep.tables import column_names, dense, is_sparse, stored
from linsep.theory.words.of_classes import rows_of_file
from linsep.types import Array

MOST_ROWS = 100
_MOST_WEIGHTS, _FEWEST_OF_A_CLASS = 60, 3
_LONGEST = 60  # characters of a cell


class About(NamedTuple):
    """The rows of a report: as numbers (None where they are not) with their names, and their labels.

    `left_out` are the rows of the file that these rows lack.
    """

    matrix: Any
    names: list[str]
    y: Array
    left_out: Array | None = None

    @property
    def axes(self) -> Named:
        """The rows with the names of their columns; one or two columns, which are the axes of a picture, dense."""
        few = self.matrix.shape[1] <= 2
        return named_table(dense(self.matrix) if few else self.matrix, self.names)


def about_rows(X: Any, y: Any, encoder: Any = None, names: list[str] | None = None) -> About:
    """Of an array, whose columns may have `names`, or a dataframe; with an encoder of the rows as it encodes them."""
    if encoder is not None:
        matrix = encoder.transform(open_rows(X, encoder)).X
        return about_encoded(matrix, labels_of(y, matrix.shape[0], X), encoder)
    if column_names(X) is None:
        table = table_of(X)
        return About(table.X, names or table.names, labels_of(y, table.X.shape[0], X))
    chunk = open_data(X).read()
    numbers = [column.values for column in chunk.columns]
    matrix = None if any(values is None for values in numbers) else np.column_stack(numbers)
    return About(matrix, list(chunk.names), labels_of(y, chunk.n_rows, X))


def about_encoded(matrix: Any, y: Array, encoder: Any) -> About:
    """Of rows as an encoder makes them."""
    if encoder.column_names is None:
        return About(matrix, [f"{name}, scaled" for name in encoder.feature_names_], y)
    numbers = set(encoder.number_columns)
    return About(matrix, [f"{name}, standardised" * (name in numbers) or name for name in encoder.feature_names_], y)


def about_exact(numbers: ExactNumbers) -> About:
    """Of numbers as they were written, in the units of their table, where doubles hold them."""
    matrix, powers = numbers.X, np.array(numbers.exponents, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        try:
            if is_sparse(matrix):
                matrix = matrix @ sp.diags_array(10.0**-powers).tocsr()
            else:
                matrix = np.asarray(matrix, dtype=np.float64) / 10.0**powers
        except OverflowError:
            matrix = None
    if matrix is not None and not np.isfinite(stored(matrix)).all():
        matrix = None
    assert numbers.y is not None
    return About(matrix, numbers.names, numbers.y, numbers.left_out)


def cell(value: Any) -> Cell:
    """A value of any type.

    Examples
    --------
    >>> cell(1234567), cell(0.1 + 0.2).text
    (Cell(text='1,234,567', number=1234567.0), '0.3')
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, int | float):
        return Cell(_cut(str(value)))
    if abs(value) > 1e15:  # integers of any length among them
        return Cell(_cut(str(value)), float(value) if abs(value) < 1e300 else None)
    return Cell(f"{value:,}" if isinstance(value, int) else f"{value + 0.0:.6g}", float(value) + 0.0)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _some_of(n: int, of: int, what: str) -> str:
    """A note that not everything is shown; empty if everything is."""
    return "" if n >= of else f" {n:,} of {of:,} {what} shown."


def rows_table(title: str, note: str, heads: Sequence[str], rows: Sequence[tuple[Any, ...]], about: About) -> Table:
    """The first hundred rows by number, and what is said of each (under `heads`)."""
    body = []
    for i, *said in rows[:MOST_ROWS]:
        number = int(rows_of_file(i, about.left_out))
        body.append([Cell(str(number), float(number)), *map(cell, said)])
    rest = _some_of(len(body), len(rows), "rows")
    return Table(title, f"{note}{rest} Rows are counted from 0.", ["row", *heads], body)


def weights_table(weights: Weights, classes: Sequence[Any], note: str) -> Table:
    """The heaviest weights, of each class where there are several."""
    planes = len(weights.planes)
    each = max(_FEWEST_OF_A_CLASS, _MOST_WEIGHTS // max(3, planes))
    kept = min(planes, _MOST_WEIGHTS // _FEWEST_OF_A_CLASS)
    heaviest = weights._replace(planes=weights.planes[:kept]).heaviest(each)
    rows = [[cell(classes[k]), cell(name), cell(value)] for k, name, value in heaviest]
    if planes == 1:
        each, rows = len(rows), [row[1:] for row in rows]  # fewer where the others are 0
    note += _some_of(each, weights.planes.shape[1], "features" + (" of each class" if planes > 1 else ""))
    note += _some_of(kept, planes, "classes")
    return Table("Heaviest weights", note.strip(), [*(["class"] if planes > 1 else []), "feature", "weight"], rows)
