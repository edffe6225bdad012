"""The fewest columns of a design that already separate some row, and the direction that shows it.

Which sets are asked about is decided in `theory/columns.py`, what each is asked by `ColumnsOfRows`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from math import lcm
from typing import Any, NamedTuple

import numpy as np
import scipy as sp

from linsep.regression.design import constant_columns
from linsep.regression.model import Asked
from linsep.tables import as_doubles, exact_table, is_sparse, stored_in
from linsep.theory.columns import MOST_COLUMNS, ColumnSearch
from linsep.theory.rows.deadline import Deadline, OutOfTimeError, deadline_of, time_left, why_over
from linsep.theory.rows.exact_signs import row_signs
from linsep.theory.rows.integers import primitive
from linsep.theory.separation.exact_rows import multiples_in
from linsep.theory.separation.find import find_proof
from linsep.theory.verify.cone import Rows, Vector
from linsep.theory.verify.consequences import FINITE, UNIDENTIFIED, SeparationProof, coefficients
from linsep.types import Array, DataError

_MOST_ENTRIES = 5_000_000
_DOUBLED = 100_000  # times that the weight of a direction is, until rows must have changed


class SmallestSet(NamedTuple):
    """Columns of a design that separate, as few as possible, with the direction that proves that they do.

    Attributes
    ----------
    columns : tuple of str
        The columns; the constants come free. Levels stand for themselves, as "dose=top".
    direction : dict
        Coefficient -> integer, constants included: along it the likelihood never falls, and rises in `rows`.
    rows : tuple of int
        The rows that it separates, by their places in the table.
    is_smallest : bool
        Whether it is proved that no smaller set separates.
    reason : str
        Why that is not proved, and whether a column of this set can be left out; empty if it is proved.
    """

    columns: tuple[str, ...]
    direction: dict[Any, int]
    rows: tuple[int, ...]
    is_smallest: bool
    reason: str = ""


def smallest_set(
    asked: Asked, proof: SeparationProof, name: Any = None, time_limit: float | None = None
) -> SmallestSet:
    """The fewest columns that separate, or that send the coefficient `name` to infinity, given a checked proof.

    Raises
    ------
    DataError
        No row is separated, there is no such coefficient, it is not infinite, or the design is too large.
    """
    names = asked.rows.names
    if not proof.cone.separated.size:
        raise DataError("no row is separated: there is no set of columns that separates")
    goal = None if name is None else asked.number_of(name)
    is_open = [any(goal in v for v in null) for null in (proof.cone.null, proof.null)]
    if goal is not None and (proof.bases or is_open != [True, False]):
        raise DataError(f"the coefficient {name!r} is not infinite: no set of columns sends it there")
    deadline, separated = deadline_of(time_limit), proof.cone.separated
    cone, named = _columns_of(asked, proof, goal)
    search = ColumnSearch(len(cone.groups), partial(cone.prove, deadline), (proof, list(range(len(names)))))
    many, reason = len(cone.groups) > MOST_COLUMNS, ""
    try:
        time_left(deadline)
        if many and (alone := cone.alone()) is not None:
            search.separates(frozenset([alone]))
        if not search.find_fewest(cone.lightest_first(proof.cone.directions), deadline):
            fewer = f"among more than {MOST_COLUMNS} columns fewer may do"
            reason = f"none of them can be left out, and {fewer if many else 'the search for fewer found no end'}"
    except OutOfTimeError:
        reason = why_over(time_limit)
    found, ids = search.answers[search.few][1]
    d = cone.direction(found, ids)
    owners = np.unique(asked.rows.owner[separated[np.flatnonzero(row_signs(cone.Z[:, ids], d) > 0)]])
    direction = _in_units(asked, {names[j]: v for j, v in zip(ids, d, strict=True) if v})
    columns = dict.fromkeys(column for column in map(_column, direction) if column in named)
    rows = asked.design.places[owners]
    return SmallestSet(tuple(columns), direction, tuple(rows.tolist()), not reason, reason)


def _columns_of(asked: Asked, proof: SeparationProof, goal: int | None) -> tuple[ColumnsOfRows, set[str]]:
    """The rows that decide which columns separate, and the names of the columns that are no constants."""
    held = np.flatnonzero(asked.rows.equal) if proof.bases else np.array(proof.cone.basis or (), dtype=np.int64)
    separated = proof.cone.separated
    Z = asked.rows.Z[np.concatenate([separated, held])]
    if (entries := stored_in(Z)) > _MOST_ENTRIES:
        raise DataError(
            f"the design has {entries:,} entries, and the smallest set is looked for in {_MOST_ENTRIES:,}: ask about "
            "fewer columns"
        )
    # Models of statsmodels have their constant among the columns.
    every = set(asked.design.names)
    design = every.difference(constant_columns(asked.design, asked.outcome.kept)) or every
    of_columns: dict[str, list[int]] = {}
    for j, one in enumerate(asked.rows.names):
        of_columns.setdefault(_column(one), []).append(j)
    free = [j for column, group in of_columns.items() if column not in design for j in group]
    groups = [group for column, group in of_columns.items() if column in design]
    return ColumnsOfRows(Z, np.arange(Z.shape[0]) >= separated.size, groups, free, goal), design


def _in_units(asked: Asked, direction: dict[Any, int]) -> dict[Any, int]:
    """A direction in the units of the table, as integers again."""
    design, kept = asked.design, np.flatnonzero(asked.outcome.kept)
    units = zip(design.names, multiples_in(exact_table(design.X), asked.rows.Z, kept), strict=True)
    multiples = {name: Fraction(10) ** design.powers.get(name, 0) * k for name, k in units}
    exact = [v * multiples.get(_column(name), Fraction(1)) for name, v in direction.items()]
    common = lcm(*(v.denominator for v in exact))
    return dict(zip(direction, primitive([int(v * common) for v in exact]), strict=True))


def _column(name: Any) -> str:
    return str(name[1] if isinstance(name, tuple) else name)


_BEYOND = 1e300  # integers that doubles do not hold

Proved = tuple[SeparationProof, list[int]]  # and the numbers of its coefficients


class ColumnsOfRows:
    """Groups of columns of the rows Z, those `free` beside them, and the column, if any, whose sign is the goal.

    Let C be the directions d with z.d >= 0 for all rows z and z.d = 0 for the equalities. A set S of columns separates
    if some d in C that is 0 outside of S and the constants makes a row strict; for a coefficient, if d is not 0 there.
    """

    def __init__(
        self, Z: Any, equal: Array, groups: Sequence[Sequence[int]], free: Sequence[int], goal: int | None
    ) -> None:
        self.Z, self.equal, self.groups, self.free, self.goal = Z, equal, groups, free, goal

    def alone(self) -> int | None:
        """The column whose coefficient alone, in one direction, separates the most rows; None if none does."""
        Z: Any = sp.sparse.csr_array(self.Z if is_sparse(self.Z) else np.sign(as_doubles(self.Z)))
        rising, falling = (np.asarray((way * Z > 0).sum(axis=0)).ravel() for way in (1, -1))
        held = np.asarray((Z[self.equal] != 0).sum(axis=0)).ravel()
        found = np.where((held == 0) & (np.minimum(rising, falling) == 0), rising + falling, 0)
        best = [max((int(found[j]) for j in group if self.goal in (None, j)), default=0) for group in self.groups]
        return int(np.argmax(best)) if max(best, default=0) else None

    def lightest_first(self, directions: Sequence[Vector]) -> list[int]:
        """The columns by what they weigh in directions that separate, times their largest size."""
        A = abs(as_doubles(self.Z))
        largest = np.asarray(A.max(axis=0).todense() if is_sparse(A) else A.max(axis=0)).ravel()
        weights = np.zeros(largest.size)
        for v in directions:
            top = max(map(abs, v.values()))
            ids, parts = list(v), [abs(value) / top for value in v.values()]
            weights[ids] = np.maximum(weights[ids], parts * np.minimum(largest[ids], _BEYOND))
        return sorted(range(len(self.groups)), key=lambda k: weights[self.groups[k]].max())

    def prove(self, deadline: Deadline, some: Sequence[int]) -> tuple[bool, Proved | None]:
        """Whether these columns separate, with the proof and the numbers of its coefficients."""
        ids = sorted([*self.free, *(j for k in some for j in self.groups[k])])
        if not ids:
            return False, None
        Z = self.Z[:, ids]
        proof = find_proof(Z, self.equal, deadline, signs=False)
        said = coefficients(Rows(Z, equal=self.equal, ask=lambda: time_left(deadline)), proof)
        of_goal = dict(zip(ids, said, strict=True)).get(self.goal, FINITE) if self.goal is not None else ""
        infinite = of_goal not in (FINITE, UNIDENTIFIED)
        return bool(proof.cone.separated.size) and infinite, (proof, ids)

    def direction(self, proof: SeparationProof, ids: Sequence[int]) -> list[int]:
        """A direction of the columns `ids` that makes every separated row strict; that of the goal is not 0."""
        Z, goal = self.Z[:, ids], None if self.goal is None else ids.index(self.goal)
        several = list(proof.cone.directions)
        if goal is not None and not any(goal in v for v in several):
            several.append(next(v for v in proof.cone.null if goal in v))  # 0 on all rows that the directions leave
        n, times = proof.cone.separated.size, 1
        for _ in range(_DOUBLED):  # each takes rows away that those before it left: with weights that fall fast all do
            found = [0] * Z.shape[1]
            for v in several:
                found = [times * value + v.get(j, 0) for j, value in enumerate(found)]
            signs = row_signs(Z, found)
            if signs.min() >= 0 and np.count_nonzero(signs) == n and (goal is None or found[goal]):
                return found
            times *= 2
        raise DataError("the rows are no longer those that were asked about: ask again, and change no array meanwhile")
