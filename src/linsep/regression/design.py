"""From dataframes, arrays and tables as written to a design matrix with named columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from linsep.markup import count
from linsep.tables import as_table, dense, is_matrix, merge_duplicates
from linsep.theory.separation.families import LABELLED, ORDERED, Outcome, column_of
from linsep.theory.words.of_regressions import listed, multiplied
from linsep.types import Array, DataError

_LEVEL = re.compile(r"(?:C\()?`?(\w+)`?(?:[,)].*?)?\[(?:[TS]\.)?(.+?)\]")  # as a formula names its column
_Cell = tuple[tuple[str, ...], tuple[str, ...]]  # factors and their levels
_FIRST = 100  # rows that show which columns may hold -1, 0 and 1 only
_BETWEEN = re.compile(r":(?![^\[\]]*\])")  # factors, and not within a level


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
    place: Callable[[int], str] = "row {}".format,
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


class SeparatedGroup(NamedTuple):
    """Rows that are separated as a whole; of a multinomial model from `classes`, of a Cox model rows without an event.

    Attributes
    ----------
    factors : tuple of str
        A text column, a column of 0 and 1 or a fixed effect, or the columns of an interaction.
    levels : tuple of str
        The level of each, which the rows share.
    rows : tuple of int
        The rows, by their places in the table.
    classes : tuple
        Multinomial: the classes that none of these rows has, where not all classes but their own are such.
    """

    factors: tuple[str, ...]
    levels: tuple[str, ...]
    rows: tuple[int, ...]
    classes: tuple[Any, ...] = ()

    @property
    def size(self) -> str:
        """How many rows it has, and the classes that none of them has."""
        none = f", none of class {' or '.join(map(str, self.classes))}" if self.classes else ""
        return f"{count(len(self.rows), 'row')}{none}"

    def __str__(self) -> str:
        named = ", ".join(f"{factor}={level}" for factor, level in zip(self.factors, self.levels, strict=True))
        return f"{named} ({self.size})"


def separated_groups(design: Design, gone: Array, kept: Array) -> list[SeparatedGroup]:
    """Levels of factors and fixed effects all of whose `kept` rows are `gone`, and such cells of interactions.

    Cells in a level or a cell that is there itself are left out, and levels in one of a factor that they are nested in.
    """
    coded = {factor: _coded(design, columns, factor) for factor, columns in _columns_of_factors(design).items()}
    out: list[SeparatedGroup] = []
    known: list[set[tuple[str, str]]] = []
    for factors in [*((factor,) for factor in coded), *_interactions(design)]:
        codes = np.zeros(len(gone), dtype=np.int64)
        for factor in factors:
            levels, own = coded[factor]
            codes = np.where((codes < 0) | (own < 0), -1, codes * len(levels) + own)
        for _, rows in _whole(codes, gone, kept):
            at = [int(coded[factor][1][rows[0]]) for factor in factors]
            cell = tuple(coded[factor][0][k] for factor, k in zip(factors, at, strict=True))
            pairs = set(zip(factors, cell, strict=True))
            if not any(one <= pairs for one in known):
                known.append(pairs)
                out.append(SeparatedGroup(factors, cell, tuple(design.places[rows].tolist())))
    for (factors, cell), rows in sorted(
        _cells_with_columns(design, gone, kept).items(), key=lambda one: len(one[0][0])
    ):
        pairs = set(zip(factors, cell, strict=True))
        if len(factors) == 1 or not any(one <= pairs for one in known):
            known.append(pairs)
            out.append(SeparatedGroup(factors, cell, tuple(design.places[rows].tolist())))
    return _without_nested(out, coded, np.flatnonzero(kept), design.places)


def _cells_with_columns(design: Design, gone: Array, kept: Array) -> dict[_Cell, Array]:
    """Factors and levels -> rows, all of them `gone`: of a column of 0 and 1, where its 1 may be a cell, as of a:b.

    So it is where no level is left out, and with sums to 0 as contrasts, where -1 is the last level.
    """
    first = np.flatnonzero(np.isin(dense(design.X[:_FIRST]), (-1, 0, 1)).all(axis=0)).tolist()
    among = [j for j in first if design.names[j] not in design.levels and design.names[j] not in design.absorbed]
    X = merge_duplicates(design.X[:, among])
    stay, go = ({v: _counts(X[rows], v) for v in (-1, 0, 1)} for rows in (kept & ~gone, kept & gone))
    every = {v: stay[v] + go[v] for v in stay}
    whole = {v: (go[v] > 0) & (stay[v] == 0) & (go[v] < kept.sum()) for v in stay}
    coded = sum(every.values()) == kept.sum()
    out: dict[_Cell, Array] = {}
    for j in np.flatnonzero(coded & (whole[1] | whole[0] | whole[-1])).tolist():
        name = design.names[among[j]]
        cells, last = {1: (cell := _cell(name, design))}, design.references.get(cell[0][0])
        if cell == ((name,), ("1",)):
            cells[0] = ((name,), ("0",))
        if every[-1][j] and (last is None or len(cell[0]) > 1):
            continue
        if every[-1][j]:
            cells[-1] = (cell[0], (str(last),))
        column = dense(X[:, [j]]).ravel()
        out |= {cell: np.flatnonzero(kept & (column == v)) for v, cell in cells.items() if whole[v][j]}
    return out


def _cell(name: str, design: Design) -> _Cell:
    """The factors and levels where a column of 0 and 1 is 1, by its name.

    Examples
    --------
    >>> _cell("C(s)[a]:old", Design(np.eye(2), ["C(s)[a]:old", "old"], {}, {})), _cell("x:y", Design([], [], {}, {}))
    ((('s', 'old'), ('a', '1')), (('x:y',), ('1',)))
    """
    found = []
    for part in _BETWEEN.split(name):
        named = (parsed[1], parsed[2]) if (parsed := _LEVEL.fullmatch(part)) else None
        found.append(design.levels.get(part) or named or ((part, "1") if part in design.names else None))
    factors, levels = zip(*(found if None not in found else [(name, "1")]), strict=True)
    return factors, levels


def _counts(rows: Any, value: int) -> Array:
    """How often a value stands in each column."""
    n = np.asarray((rows == value if value else rows != 0).sum(axis=0)).ravel()
    return n if value else rows.shape[0] - n


def _without_nested(
    groups: list[SeparatedGroup], coded: Mapping[str, tuple[list[str], Array]], kept: Array, places: Array
) -> list[SeparatedGroup]:
    """The groups without those levels that lie in another group whose factor has a level for each of their factor."""
    nested: dict[tuple[str, str], bool] = {}
    of_levels = [group for group in groups if len(group.factors) == 1 and group.factors[0] in coded]

    def lies_in(a: str, b: str) -> bool:
        if (a, b) not in nested:
            pairs = np.unique(np.stack([coded[a][1][kept], coded[b][1][kept]]), axis=1)
            nested[a, b] = pairs.shape[1] == np.unique(pairs[0]).size > np.unique(pairs[1]).size
        return nested[a, b]

    def is_told(group: SeparatedGroup) -> bool:
        (factor,), rows = group.factors, set(group.rows)
        return any(lies_in(factor, one.factors[0]) and rows <= set(one.rows) for one in of_levels)

    told = {group.factors + group.levels for group in of_levels if len(coded) > 1 and is_told(group)}
    return [group for group in groups if group.factors + group.levels not in told]


def _columns_of_factors(design: Design) -> dict[str, dict[int, str]]:
    """Text column or fixed effect -> place of an indicator -> its level."""
    out: dict[str, dict[int, str]] = {}
    for j, name in enumerate(design.names):
        effect = design.absorbed.get(name)
        factor, level = design.levels.get(name, ("", "")) if effect is None else (effect, name[len(effect) + 1 :])
        if factor:
            out.setdefault(factor, {})[j] = level
    return out


def _coded(design: Design, columns: Mapping[int, str], factor: str) -> tuple[list[str], Array]:
    """The levels of a factor, and the place of its level for each row; the level without an indicator is the last."""
    levels = list(columns.values())
    part = sp.sparse.csr_matrix(design.X[:, list(columns)] != 0)
    codes = np.full(part.shape[0], -1)
    reference = design.references.get(factor, design.omitted.get(factor))
    if reference is not None:
        codes[:] = len(levels)
        levels = [*levels, reference]
    codes[np.repeat(np.arange(part.shape[0]), np.diff(part.indptr))] = part.indices
    return levels, codes


def _whole(codes: Array, gone: Array, kept: Array) -> Iterator[tuple[int, Array]]:
    """Codes all of whose kept rows are gone, with these rows."""
    ids = np.flatnonzero(kept & (codes >= 0))
    values, at, n = np.unique(codes[ids], return_inverse=True, return_counts=True)
    order, ends = ids[np.argsort(at, kind="stable")], np.cumsum(n)
    for k in np.flatnonzero(n == np.bincount(at[gone[ids]], minlength=n.size)).tolist():
        yield int(values[k]), order[ends[k] - n[k] : ends[k]]


def _interactions(design: Design) -> list[tuple[str, ...]]:
    """The factors whose indicators are multiplied in a column, of the fewest first."""
    every = {factors for name in design.names for factors in multiplied(name, design.levels) if len(factors) > 1}
    places = {factor: k for k, (factor, _) in enumerate(design.levels.values())}
    return sorted(every, key=lambda factors: (len(factors), [places[factor] for factor in factors]))
