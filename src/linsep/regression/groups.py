"""Rows that are separated as a whole: levels of factors, cells of interactions, values of columns of 0 and 1."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import scipy as sp

from linsep.markup import count
from linsep.regression.design import Design
from linsep.tables import dense, merge_duplicates
from linsep.theory.words.of_regressions import multiplied
from linsep.types import Array

_LEVEL = re.compile(r"(?:C\()?`?(\w+)`?(?:[,)].*?)?\[(?:[TS]\.)?(.+?)\]")  # as a formula names its column
_Cell = tuple[tuple[str, ...], tuple[str, ...]]  # factors and their levels
_FIRST = 100  # rows that show which columns may hold -1, 0 and 1 only
_BETWEEN = re.compile(r":(?![^\[\]]*\])")  # factors, and not within a level


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


def separated_groups(design: Design, gone: Array, kept: Array, moving: Collection[str] = ()) -> list[SeparatedGroup]:
    """Levels of factors and fixed effects all of whose `kept` rows are `gone`, and such cells of interactions.

    Cells in a level or a cell that is there itself are left out, and levels in one of a factor that they are nested in.
    Of columns of 0 and 1 whose coefficients are `moving` also the level that has no column.
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
    cells = _cells_with_columns(design, gone, kept) | _levels_without_column(design, gone, kept, moving)
    for (factors, cell), rows in sorted(cells.items(), key=lambda one: len(one[0][0])):
        pairs = set(zip(factors, cell, strict=True))
        if len(factors) == 1 or not any(one <= pairs for one in known):
            known.append(pairs)
            out.append(SeparatedGroup(factors, cell, tuple(design.places[rows].tolist())))
    return _without_nested(out, coded, np.flatnonzero(kept), design.places)


def _cells_with_columns(design: Design, gone: Array, kept: Array) -> dict[_Cell, Array]:
    """Factors and levels -> rows, all of them `gone`: of a column of 0 and 1, where its 1 may be a cell, as of a:b.

    So it is where no level is left out, and with sums to 0 as contrasts, where -1 is the last level.
    """
    among = _may_be_coded(design)
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


def _may_be_coded(design: Design) -> list[int]:
    """Places of the columns beside those of known levels that hold -1, 0 and 1 alone in the first rows."""
    first = np.flatnonzero(np.isin(dense(design.X[:_FIRST]), (-1, 0, 1)).all(axis=0)).tolist()
    return [j for j in first if design.names[j] not in design.levels and design.names[j] not in design.absorbed]


def _levels_without_column(design: Design, gone: Array, kept: Array, moving: Collection[str]) -> dict[_Cell, Array]:
    """The rows where neighbouring columns of 0 and 1, of which at most one is 1 in a row, are 0, if all are `gone`."""
    out: dict[_Cell, Array] = {}
    together: list[str] = []
    some = np.zeros(len(kept), dtype=bool)
    for j in _may_be_coded(design):
        column = dense(design.X[:, [j]]).ravel()
        if design.names[j] not in moving or not np.isin(column[kept], (0, 1)).all():
            continue
        is_same = not (some & (column > 0) & kept).any()
        together = [*together, design.names[j]] if is_same else [design.names[j]]
        some = (some & is_same) | (column > 0)
        rest = np.flatnonzero(kept & ~some)
        if len(together) > 1 and rest.size and gone[rest].all():
            out[tuple(together), ("0",) * len(together)] = rest
            together, some = [], np.zeros(len(kept), dtype=bool)
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
