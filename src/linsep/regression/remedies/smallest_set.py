"""The fewest columns of a design that already separate some row, and the direction that shows it.

Which sets are asked about is decided in `theory/columns.py`, what each is asked in
`theory/separation/columns_of_rows.py`.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from math import lcm
from typing import Any, NamedTuple

import numpy as np

from linsep.regression.design import Design, constant_columns
from linsep.regression.model import Regression
from linsep.regression.remedies.culprits import check_name
from linsep.tables import exact_table, stored_in
from linsep.theory.columns import MOST_COLUMNS, ColumnSearch
from linsep.theory.rows.deadline import OutOfTimeError, deadline_of, time_left, why_over
from linsep.theory.rows.exact_signs import row_signs
from linsep.theory.rows.integers import primitive
from linsep.theory.separation.columns_of_rows import ColumnsOfRows
from linsep.theory.separation.exact_rows import column_multiples
from linsep.theory.verify.consequences import SeparationProof
from linsep.types import DataError

_MOST_ENTRIES = 5_000_000


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
    asked: Regression, proof: SeparationProof, name: Any = None, time_limit: float | None = None
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
    if name is not None:
        check_name(name, names)
    goal = None if name is None else names.index(name)
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
    direction = _in_units(asked.design, {names[j]: v for j, v in zip(ids, d, strict=True) if v})
    columns = dict.fromkeys(column for column in map(_column, direction) if column in named)
    rows = asked.design.places[owners[owners >= 0]]
    return SmallestSet(tuple(columns), direction, tuple(rows.tolist()), not reason, reason)


def _columns_of(asked: Regression, proof: SeparationProof, goal: int | None) -> tuple[ColumnsOfRows, set[str]]:
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


def _in_units(design: Design, direction: dict[Any, int]) -> dict[Any, int]:
    """A direction in the units of the table, as integers again."""
    units = zip(design.names, column_multiples(exact_table(design.X)), strict=True)
    multiples = {name: Fraction(10) ** design.powers.get(name, 0) * k for name, k in units}
    exact = [v * multiples.get(_column(name), Fraction(1)) for name, v in direction.items()]
    common = lcm(*(v.denominator for v in exact))
    return dict(zip(direction, primitive([int(v * common) for v in exact]), strict=True))


def _column(name: Any) -> str:
    return str(name[1] if isinstance(name, tuple) else name)
