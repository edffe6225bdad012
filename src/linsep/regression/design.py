"""From dataframes, arrays and tables as written to a design matrix with named columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from linsep.data.columns import as_labels
from linsep.data.features.exact_decimals import ExactNumbers, exact_numbers, row_names
from linsep.data.sources.open import open_data
from linsep.tables import is_matrix, is_sparse
from linsep.theory.separation.sentences import listed
from linsep.types import Array, DataError


class Design(NamedTuple):
    """A design matrix without the constant, and the names of its columns.

    `levels` maps each indicator column to its (text column, level), `references` each text column to the level that has
    no indicator. Of a formula there are also its text, the columns of fixed effects (`absorbed`: column -> effect), the
    place of each row in the table, None where all rows are there, and the number of rows left out.
    """

    X: Any
    names: list[str]
    levels: dict[str, tuple[str, str]]
    references: dict[str, str]
    formula: str = ""
    absorbed: Mapping[str, str] = MappingProxyType({})
    rows: Array | None = None
    n_left_out: int = 0


def design_of(X: Any, fit_intercept: bool) -> Design:
    """The design of an array, which is taken as it is, or of a dataframe, whose text columns become indicators."""
    if isinstance(X, list | tuple) or is_matrix(X):
        X = X if is_sparse(X) else np.asarray(X)
        return Design(X, row_names(X.shape[1] if X.ndim == 2 else 0, None), {}, {})
    if isinstance(X, str | Path):
        raise DataError(f"X is text ({X}): give rows; for a file there is `linsep separation TABLE --target COLUMN`")
    return design_of_numbers(exact_numbers(open_data(X), keep_levels=0 if fit_intercept else 1))


def design_of_numbers(numbers: ExactNumbers) -> Design:
    """The design of a table exactly as written."""
    references = numbers.references or {}
    if not numbers.names:
        raise DataError(f"no column is left: {listed(references)} has one level only")
    return Design(numbers.X, numbers.names, numbers.levels or {}, references)


def response(y: Any) -> Array:
    """Labels or counts, one for each row, of one type."""
    return as_labels(y, lambda row: f"row {row}", "y")


def separated_levels(design: Design, rows: Sequence[int]) -> dict[str, dict[str, int]]:
    """Levels, the reference included, that occur in these `rows` only: text column -> level -> number of rows."""
    out: dict[str, dict[str, int]] = {}
    for column in dict.fromkeys(column for column, _ in design.levels.values()):
        at = [k for k, name in enumerate(design.names) if design.levels.get(name, ("",))[0] == column]
        n, n_here = (np.asarray((X[:, at] != 0).sum(axis=0)).ravel() for X in (design.X, design.X[list(rows)]))
        counts = {
            design.levels[design.names[k]][1]: (a, b) for k, a, b in zip(at, n.tolist(), n_here.tolist(), strict=True)
        }
        if column in design.references:
            counts[design.references[column]] = (design.X.shape[0] - int(n.sum()), len(rows) - int(n_here.sum()))
        whole = {level: a for level, (a, b) in counts.items() if a == b}
        if whole:
            out[column] = whole
    return out
