"""Rows that are separated as a whole: levels of factors, cells of interactions, values of columns of 0 and 1."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import scipy as sp

from linsep.markup import count
from linsep.regression.design import Design
from linsep.tables import dense, merge_duplicates
from linsep.theory.words.of_regressions import cell_of, listed, multiplied, parts_of
from linsep.types import Array

_Cell = tuple[tuple[str, ...], tuple[str, ...]]  # factors and their levels
_FEW = 3  # columns of 0 that are named one by one
_FIRST = 100  # rows that show which columns may hold -1, 0 and 1 only


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

    def named(self, equals: str = "=", between: str = ", ") -> str:
        """Return the levels of its factors, or the first of many columns that are 0 together.

        Parameters
        ----------
        equals, between : str
            What stands between a factor and its level, and between two factors.

        Returns
        -------
        str
            As "dose=top, sex=f".
        """
        if len(self.levels) > _FEW and {*self.levels} == {"0"}:
            return f"{listed(self.factors)} all 0"
        return between.join(map(equals.join, zip(self.factors, self.levels, strict=True)))

    def __str__(self) -> str:
        return f"{self.named()} ({self.size})"


def separated_groups(design: Design, gone: Array, kept: Array, moving: Collection[str] = ()) -> list[SeparatedGroup]:
    """Levels of factors and fixed effects all of whose `kept` rows are `gone`, and such cells of interactions.

    Cells in a level or a cell that is there itself are left out, and levels in one of a factor that they are nested in.
    Of columns of 0 and 1 whose coefficients are `moving` also the level that has no column.
    """
    own = _of_products(design, kept)
    coded = {factor: _coded(design, columns, factor) for factor, columns in _columns_of_factors(design).items()}
    factors = [(factor,) for factor in coded]
    coded |= {name: (["0", "1"], column) for name, column in own.items()}
    cells: list[tuple[_Cell, Array]] = [one for factor in factors for one in _whole_cells(factor, coded, gone, kept)]
    cells += _cells_with_columns(design, gone, kept).items()
    cells += [one for some in _interactions(design, own) for one in _whole_cells(some, coded, gone, kept)]
    cells += _levels_without_column(design, gone, kept, moving).items()
    out: list[SeparatedGroup] = []
    known: list[set[tuple[str, str]]] = []
    for cell, rows in sorted(cells, key=lambda one: len(one[0][0])):
        pairs = set(zip(*cell, strict=True))
        if not any(one <= pairs for one in known):
            known.append(pairs)
            out.append(SeparatedGroup(*cell, tuple(design.places[rows].tolist())))
    return _without_nested(out, coded, np.flatnonzero(kept), design.places)


def _of_products(design: Design, kept: Array) -> dict[str, Array]:
    """The columns of 0 and 1 alone that are multiplied with others in a column."""
    parts = {part for name in design.names if len(parts := parts_of(name)) > 1 for part in parts}
    columns = {
        design.names[j]: dense(design.X[:, [j]]).ravel() for j in _may_be_coded(design) if design.names[j] in parts
    }
    return {name: column.astype(np.int64) for name, column in columns.items() if np.isin(column[kept], (0, 1)).all()}


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
        cells, last = {1: (cell := cell_of(name, design.levels, design.names))}, design.references.get(cell[0][0])
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
    """The rows where several columns of 0 and 1, of which each row has one at most, are 0, if all are `gone`.

    They stand beside each other, or their names begin alike, as those that pandas makes of a factor.
    """
    among = [
        j
        for j in _may_be_coded(design)
        if design.names[j] in moving and cell_of(name := design.names[j], design.levels, design.names)[0] == (name,)
    ]
    part = merge_duplicates(design.X[:, among])[kept]
    X = sp.sparse.csc_matrix(part == 1).astype(np.int64)
    is_coded = np.diff(X.indptr) == np.asarray((part != 0).sum(axis=0)).ravel()
    blocks: dict[tuple[int, str], list[list[int]]] = {}
    taken: dict[tuple[int, str], Array] = {}
    every = np.flatnonzero(is_coded).tolist()
    names = {k: design.names[among[k]] for k in every}
    begins = [{k: getattr(names[k], cut)("_")[0] for k in every} for cut in ("rpartition", "partition")]
    for k, key in ((k, (way, of.get(k, ""))) for way, of in enumerate([*begins, {}]) for k in every):
        rows = X.indices[X.indptr[k] : X.indptr[k + 1]]
        if key not in blocks or taken[key][rows].any():  # another factor begins
            blocks.setdefault(key, []).append([])
            taken[key] = np.zeros(X.shape[0], dtype=bool)
        blocks[key][-1].append(k)
        taken[key][rows] = True
    out: dict[_Cell, Array] = {}
    for block in (block for some in blocks.values() for block in some if len(block) > 1):
        rest = np.flatnonzero(kept)[np.asarray(X[:, block].sum(axis=1)).ravel() == 0]
        if rest.size and gone[rest].all():
            out[tuple(names[k] for k in block), ("0",) * len(block)] = rest
    return out


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


def _whole_cells(
    factors: tuple[str, ...], coded: Mapping[str, tuple[list[str], Array]], gone: Array, kept: Array
) -> Iterator[tuple[_Cell, Array]]:
    """The cells of these factors all of whose kept rows are gone, with these rows."""
    codes = np.zeros(len(gone), dtype=np.int64)
    for factor in factors:
        levels, own = coded[factor]
        codes = np.where((codes < 0) | (own < 0), -1, codes * len(levels) + own)
    ids = np.flatnonzero(kept & (codes >= 0))
    _, at, n = np.unique(codes[ids], return_inverse=True, return_counts=True)
    order, ends = ids[np.argsort(at, kind="stable")], np.cumsum(n)
    for k in np.flatnonzero(n == np.bincount(at[gone[ids]], minlength=n.size)).tolist():
        rows = order[ends[k] - n[k] : ends[k]]
        yield (factors, tuple(coded[factor][0][coded[factor][1][rows[0]]] for factor in factors)), rows


def _interactions(design: Design, own: Collection[str]) -> list[tuple[str, ...]]:
    """The factors, and columns of 0 and 1, that are multiplied in a column, of the fewest first."""
    levels = design.levels | {name: (name, "1") for name in own}
    every = {factors for name in design.names for factors in multiplied(name, levels) if len(factors) > 1}
    places = {factor: k for k, (factor, _) in enumerate(levels.values())}
    return sorted(every, key=lambda factors: (len(factors), [places[factor] for factor in factors]))
