"""From dataframes, arrays and tables as written to a design matrix with named columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy as sp

from linsep.as_given import labels_of, refuse_unlike_doubles
from linsep.data.columns import as_text
from linsep.data.features.exact_decimals import ExactNumbers, exact_numbers, row_names
from linsep.data.features.kinds import kinds_in_proof
from linsep.data.labels import as_labels
from linsep.data.sources.open import open_data
from linsep.data.sources.source import Source
from linsep.tables import as_table, dense, is_matrix, merge_duplicates
from linsep.theory.separation.families import LABELLED, ORDERED, Outcome, column_of
from linsep.theory.words.of_regressions import listed
from linsep.types import Array, DataError, row_from_0


class Design(NamedTuple):
    """A design matrix without the constant, and the names of its columns.

    `levels` maps each indicator column to its (text column, level), `references` each text column to the level that has
    no indicator. Of a formula there are also its text, the columns of fixed effects (`absorbed`: column -> effect) and
    their levels without an indicator (`omitted`: effect -> level), the place of each row in the table, None where all
    rows are there, and the number of rows left out for missing values.
    `powers` maps a column to the power of ten that it was multiplied by: decimals that are kept exactly. `index` is
    what pandas calls the rows of the table. `calculated` are the terms whose numbers formulaic calculates in doubles,
    and `moved` says by how much their columns move where their fractions do by a unit in the last place.
    """

    X: Any
    names: list[str]
    levels: dict[str, tuple[str, str]]
    references: dict[str, str]
    formula: str = ""
    absorbed: Mapping[str, str] = {}
    omitted: Mapping[str, str] = {}
    rows: Array | None = None
    n_missing: int = 0
    powers: Mapping[str, int] = {}
    index: Any = None
    calculated: tuple[str, ...] = ()
    moved: Mapping[str, float] = {}

    @property
    def places(self) -> Array:
        """The place of each row in the table."""
        return np.arange(self.X.shape[0]) if self.rows is None else self.rows

    def without(self, missing: Sequence[int]) -> Design:
        """The same where some rows of a table were left out: the others keep their places in it."""
        if not missing or self.rows is not None:
            return self
        rows = np.setdiff1d(np.arange(self.X.shape[0] + len(missing)), missing)
        return self._replace(rows=rows, n_missing=len(missing))


def design_of(X: Any, fit_intercept: bool) -> Design:
    """The design of an array, which is taken as it is, or of a table, whose text columns become indicators.

    Of a source, columns that name the rows and running text are left out and decimals stay exact, as by the command.
    """
    if isinstance(X, list | tuple) or is_matrix(X):
        X = as_table(X)  # rows are taken out of it, which not all sparse forms allow
        return Design(X, row_names(X.shape[1] if X.ndim == 2 else 0, None), {}, {})
    if isinstance(X, Source):
        kinds = kinds_in_proof(X.read(), {}).kinds
        return design_of_numbers(exact_numbers(X, keep_levels=0 if fit_intercept else 1, kinds=kinds))
    refuse_unlike_doubles(X)
    import narwhals as nw

    try:
        times = {name for name, kind in nw.from_native(X).collect_schema().items() if kind.is_temporal()}
    except TypeError:
        raise DataError(
            f"X is {f'text ({X})' if isinstance(X, str | Path) else f'of type {type(X).__name__}'}: give rows, a "
            "table, open_data(path, target=...) or a formula with a ~; for a file there is also `linsep separation "
            "TABLE --target COLUMN`"
        ) from None
    codes = _codes(X)
    source = open_data(X, categorical=tuple(codes))
    dates = {name: kind for name, kind in kinds_in_proof(source.read(), {}).kinds.items() if name in times}
    numbers = exact_numbers(source, keep_levels=0 if fit_intercept else 1, codes=codes, kinds=dates)
    design = design_of_numbers(numbers)
    return design._replace(index=getattr(X, "index", None))


def _codes(X: Any) -> dict[str, Array]:
    """Of each categorical column of pandas the places of its values in the order of the categories."""
    if not hasattr(X, "select_dtypes"):
        return {}
    return {str(name): column.cat.codes.to_numpy() for name, column in X.select_dtypes("category").items()}


def design_of_numbers(numbers: ExactNumbers) -> Design:
    """The design of a table exactly as written."""
    references = numbers.references or {}
    if not numbers.names:
        raise DataError(f"no column is left: {listed(references)} has one level only")
    powers = {name: k for name, k in zip(numbers.names, numbers.exponents, strict=True) if k}
    return Design(numbers.X, numbers.names, numbers.levels or {}, references, powers=powers)


def effects_of(
    effects: dict[str, tuple[str, ...]], frame: Any, y: Array, has_constant: bool
) -> tuple[list[Any], dict[str, str], dict[str, str]]:
    """Indicator columns of the fixed effects, their names -> the effect, and effect -> the level left out.

    One level of each, of the first only beside a constant, is left out: the columns of each effect add up to it. It is
    the one with most rows both with and without the smallest response: were all of its rows separated, the effects of
    all others would be infinite.
    """
    blocks: list[Any] = []
    names: dict[str, str] = {}
    omitted: dict[str, str] = {}
    n, least = len(frame), np.unique(y, return_inverse=True)[1].reshape(-1) == 0
    for effect, columns in effects.items():
        labels = [levels_named(frame[name], name) for name in columns]
        joined = (
            [":".join(map(_escaped, parts)) for parts in zip(*labels, strict=True)] if len(labels) > 1 else labels[0]
        )
        levels, codes = np.unique(np.array(joined, dtype=np.str_), return_inverse=True)
        block = sp.sparse.csr_matrix((np.ones(n), codes.reshape(-1), np.arange(n + 1)), shape=(n, levels.size))
        kept = np.ones(levels.size, dtype=bool)
        if blocks or has_constant:
            with_least, others = block.T @ least, block.T @ ~least
            reference = int(np.lexsort((-with_least - others, -np.minimum(with_least, others)))[0])
            kept[reference], omitted[effect] = False, str(levels[reference])
        blocks.append(block[:, np.flatnonzero(kept)])
        of_this = {f"{effect}={level}": effect for level in levels[kept].tolist()}
        if twice := names.keys() & of_this.keys():
            raise DataError(f"two fixed effects have an indicator called {min(twice)!r}: rename a column")
        names |= of_this
    return blocks, names, omitted


def _escaped(label: str) -> str:
    """A label in which no ":" stands alone, so that "a:b" beside "c" is another level than "a" beside "b:c"."""
    return label.replace("\\", "\\\\").replace(":", "\\:")


def levels_named(column: Any, name: str) -> list[str]:
    """The level of each row of a column as text."""
    values = labels_of(column, lambda row: f"row {column.index[row]}, column {name!r}")
    return list(as_text(values).to_pylist()) if values.dtype.kind in "iuf" else list(map(str, values.tolist()))


def outcome_of(
    y: Any,
    family: str,
    order: Sequence[Any] | None = None,
    place: Callable[[int], str] = row_from_0,
    **beside: Any,
) -> Outcome:
    """Labels or numbers, one for each row, with what belongs to them; `place` says where a row is."""
    if np.ndim(y) == 2 and np.shape(y)[1] == 2:
        raise DataError("y has two columns: give the successes as y and the numbers of trials as trials")
    labels = as_labels(y, place, "y")
    if labels.dtype.kind in "iu" and (family not in LABELLED or beside.get("trials") is not None):
        column_of(labels, "y", len(labels))  # refuses what the comparison with times and trials would round
    if beside.get("strata") is not None:  # of any type: only which rows are together counts
        strata = as_labels(beside["strata"], place, "strata")
        _, first, codes = np.unique(strata, return_index=True, return_inverse=True)
        beside["strata"] = np.argsort(np.argsort(first))[codes.reshape(-1)]  # in the order in which they come
    given: dict[str, Any] = {
        name: column_of(values, name, len(labels)) for name, values in beside.items() if values is not None
    }
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
    if order is None and labels.dtype.kind == "U" and len(known) > 1:
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
    X = merge_duplicates(design.X[kept])
    some = np.flatnonzero(dense(X[:1]).ravel() != 0).tolist()
    return tuple(design.names[j] for j in some if (dense(X[:, [j]]) == dense(X[:1, [j]])).all())
