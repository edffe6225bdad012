"""The rows that a report is about: as numbers, with labels, and as the user's own columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from linsep.data.columns import TableChunk
from linsep.data.features.exact_decimals import ExactNumbers
from linsep.data.features.kinds import without_skipped
from linsep.data.sources.open import open_data
from linsep.learners.base.tables import open_rows
from linsep.plots.subject import Table, labels_of, named_table, table_of
from linsep.reporting.page import tables
from linsep.tables import column_names, dense, is_sparse, stored
from linsep.types import Array


class About(NamedTuple):
    """The rows of a report: as numbers (None where they are not), their labels, and the columns people know."""

    matrix: Any
    y: Array
    columns: tables.Columns
    names: list[str]


def about_rows(X: Any, y: Any, encoder: Any = None, names: list[str] | None = None) -> About:
    """Of an array, whose columns may have `names`, or a dataframe; with an encoder of the rows as it encodes them."""
    if encoder is not None:
        source = open_rows(X, encoder)
        matrix = encoder.transform(source).X
        return about_encoded(matrix, labels_of(y, matrix.shape[0], X), source.read(), encoder)
    if column_names(X) is None:
        table = table_of(X)
        names = names or table.names
        return About(table.X, labels_of(y, table.X.shape[0], X), tables.columns_of(table.X, names), names)
    chunk = open_data(X).read()
    labels = labels_of(y, chunk.n_rows, X)
    numbers = [column.values for column in chunk.columns]
    matrix = None if any(values is None for values in numbers) else np.column_stack(numbers)
    return About(matrix, labels, tables.columns_of(chunk), list(chunk.names))


def about_encoded(matrix: Any, y: Array, chunk: Any, encoder: Any) -> About:
    """Of rows as an encoder makes them from a chunk of a source; columns that it was told to skip are not read."""
    names = list(encoder.feature_names_)
    if not isinstance(chunk, TableChunk):
        return About(matrix, y, tables.columns_of(chunk.X, names), [f"{name}, scaled" for name in names])
    chunk = without_skipped(chunk, encoder.columns or {})
    numbers = {name for name in chunk.names if chunk.cells(name).is_number}
    shown = [f"{name}, standardised" if name in numbers else name for name in names]
    return About(matrix, y, tables.columns_of(chunk), shown)


def about_exact(numbers: ExactNumbers, chunk: Any, kinds: Mapping[str, str] | None = None) -> About:
    """Of numbers as they were written, in the units of their table, where doubles hold them.

    Columns that are skipped are not read.
    """
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
    rows = without_skipped(chunk, kinds or {}) if isinstance(chunk, TableChunk) else chunk.X
    columns = tables.columns_of(rows, numbers.names)._replace(left_out=numbers.left_out)
    assert numbers.y is not None
    return About(matrix, numbers.y, columns, numbers.names)


def named_axes(about: About) -> Table:
    """The rows with the names of their columns; one or two columns, which are the axes of a picture, dense."""
    few = about.matrix.shape[1] <= 2
    return named_table(dense(about.matrix) if few else about.matrix, about.names)
