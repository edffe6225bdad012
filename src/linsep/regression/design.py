"""From dataframes, arrays and tables as written to a design matrix with named columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from linsep.data.columns import as_labels
from linsep.data.features.exact_decimals import ExactNumbers, exact_numbers, row_names
from linsep.data.features.kinds import kinds_in_proof
from linsep.data.sources.open import open_data
from linsep.data.sources.source import Source
from linsep.tables import dense, is_matrix, is_sparse
from linsep.theory.separation.families import ORDERED
from linsep.theory.separation.outcome import Outcome, column_of
from linsep.theory.separation.sentences import listed
from linsep.types import Array, DataError


class Design(NamedTuple):
    """A design matrix without the constant, and the names of its columns.

    `levels` maps each indicator column to its (text column, level), `references` each text column to the level that has
    no indicator. Of a formula there are also its text, the columns of fixed effects (`absorbed`: column -> effect), the
    place of each row in the table, None where all rows are there, and the number of rows left out for missing values.
    `powers` maps a column to the power of ten that it was multiplied by: decimals that are kept exactly.
    """

    X: Any
    names: list[str]
    levels: dict[str, tuple[str, str]]
    references: dict[str, str]
    formula: str = ""
    absorbed: Mapping[str, str] = MappingProxyType({})
    rows: Array | None = None
    n_missing: int = 0
    powers: Mapping[str, int] = MappingProxyType({})


def design_of(X: Any, fit_intercept: bool) -> Design:
    """The design of an array, which is taken as it is, or of a table, whose text columns become indicators.

    Of a source, columns that name the rows and running text are left out and decimals stay exact, as by the command.
    """
    if isinstance(X, list | tuple) or is_matrix(X):
        X = X if is_sparse(X) else np.asarray(X)
        return Design(X, row_names(X.shape[1] if X.ndim == 2 else 0, None), {}, {})
    if isinstance(X, Source):
        kinds = kinds_in_proof(X.read(), {}).kinds
        return design_of_numbers(exact_numbers(X, keep_levels=0 if fit_intercept else 1, kinds=kinds))
    if isinstance(X, str | Path):
        raise DataError(
            f"X is text ({X}): give rows, open_data(path, target=...) or a formula with a ~; for a file there is also "
            "`linsep separation TABLE --target COLUMN`"
        )
    return design_of_numbers(exact_numbers(open_data(X), keep_levels=0 if fit_intercept else 1))


def design_of_numbers(numbers: ExactNumbers) -> Design:
    """The design of a table exactly as written."""
    references = numbers.references or {}
    if not numbers.names:
        raise DataError(f"no column is left: {listed(references)} has one level only")
    powers = {name: k for name, k in zip(numbers.names, numbers.exponents, strict=True) if k}
    return Design(numbers.X, numbers.names, numbers.levels or {}, references, powers=powers)


def outcome_of(y: Any, family: str, order: Sequence[Any] | None = None, **beside: Any) -> Outcome:
    """Labels or numbers, one for each row, with what belongs to them; an offset is checked and left out."""
    if np.ndim(y) == 2 and np.shape(y)[1] == 2:
        raise DataError("y has two columns: give the successes as y and the numbers of trials as trials")
    labels = as_labels(y, lambda row: f"row {row}", "y")
    if beside.get("strata") is not None:  # of any type: only which rows are together counts
        strata = as_labels(beside["strata"], lambda row: f"row {row}", "strata")
        beside["strata"] = np.unique(strata, return_inverse=True)[1].reshape(-1)
    given = {name: column_of(values, name, len(labels)) for name, values in beside.items() if values is not None}
    given.pop("offset", None)  # it moves every linear predictor by a finite number, and no direction
    return Outcome(labels, order=_ordered(labels, y, family, order), **given)


def _ordered(labels: Array, y: Any, family: str, order: Sequence[Any] | None) -> Array | None:
    """The labels from low to high as given, or as those of an ordered categorical column of pandas."""
    if family not in ORDERED:
        if order is not None:
            raise DataError(f"an order of labels belongs to {', '.join(ORDERED)}, not to {family!r}")
        return None
    dtype = getattr(y, "dtype", None)
    if order is None and getattr(dtype, "ordered", False):
        order = [label for label in dtype.categories if label in set(y)]  # type: ignore[union-attr]
    known = {str(label): label for label in np.unique(labels).tolist()}
    if order is None and labels.dtype.kind == "U" and len(known) > 2:
        raise DataError(f"the labels {listed(known)} are text: say which is lower, with order=[lowest, ..., highest]")
    if order is None:
        return None
    named = [str(label) for label in order]
    if len(set(named)) < len(named):
        raise DataError(f"order names a label twice: {listed(named)}")
    return np.array([known[label] for label in named if label in known])


def constant_columns(design: Design, kept: Array) -> tuple[str, ...]:
    """The columns that hold one number, which is not 0, in all `kept` rows: multiples of an intercept.

    Examples
    --------
    >>> constant_columns(Design(np.array([[1, 2, 0], [1, 3, 0]]), ["a", "b", "c"], {}, {}), np.array([True, True]))
    ('a',)
    """
    X = design.X[kept]
    n = X.shape[0]
    some = np.flatnonzero(X.getnnz(axis=0) == n) if is_sparse(X) else np.flatnonzero((X[:1] == X[-1:]).ravel())
    columns = ((j, dense(X[:, [j]]).ravel()) for j in some.tolist())
    return tuple(design.names[j] for j, column in columns if column[0] != 0 and (column == column[0]).all())


def separated_levels(design: Design, rows: Sequence[int], kept: Array) -> dict[str, dict[str, int]]:
    """Levels, the reference included, all of whose `kept` rows are among `rows`: column -> level -> number of rows."""
    out: dict[str, dict[str, int]] = {}
    for column in dict.fromkeys(column for column, _ in design.levels.values()):
        at = [k for k, name in enumerate(design.names) if design.levels.get(name, ("",))[0] == column]
        n, n_here = (np.asarray((X[:, at] != 0).sum(axis=0)).ravel() for X in (design.X[kept], design.X[list(rows)]))
        counts = {
            design.levels[design.names[k]][1]: (a, b) for k, a, b in zip(at, n.tolist(), n_here.tolist(), strict=True)
        }
        if column in design.references:
            counts[design.references[column]] = (int(kept.sum()) - int(n.sum()), len(rows) - int(n_here.sum()))
        whole = {level: a for level, (a, b) in counts.items() if a == b and a}
        if whole:
            out[column] = whole
    return out
