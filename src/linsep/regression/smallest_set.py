"""The fewest columns of a design that already separate some row.

Which sets are asked about is decided in `theory/columns.py`, what each is asked by `ColumnsOfRows`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy as sp

from linsep.regression.design import constant_columns
from linsep.regression.model import Asked
from linsep.tables import as_doubles, is_sparse, stored_in
from linsep.theory.columns import MOST_COLUMNS, ColumnSearch
from linsep.theory.rows.deadline import Deadline, OutOfTimeError, deadline_of, time_left, why_over
from linsep.theory.separation.find import find_proof
from linsep.theory.verify.cone import Rows, Vector
from linsep.theory.verify.consequences import SeparationProof, coefficients
from linsep.types import Array, DataError

_MOST_ENTRIES = 5_000_000


class SmallestSet(NamedTuple):
    """Columns of a design that separate, as few as possible.

    Attributes
    ----------
    columns : tuple of str
        The columns; the constants come free. Levels stand for themselves, as "dose=top".
    rows : tuple of int
        The rows that they separate, by their places in the table.
    is_smallest : bool
        Whether it is proved that no smaller set separates.
    reason : str
        Why that is not proved, and whether a column of this set can be left out; empty if it is proved.
    """

    columns: tuple[str, ...]
    rows: tuple[int, ...]
    is_smallest: bool
    reason: str = ""


def smallest_set(asked: Asked, proof: SeparationProof, time_limit: float | None = None) -> SmallestSet:
    """The fewest columns or levels that already separate a row, given a checked proof.

    Among up to 60 columns the set is a smallest one: each set that separates meets the complement of each set
    that does not (an implicit hitting set: Moreno-Centeno and Karp, Operations Research 61 (2013)), which is proved for
    those that were needed. Among more columns, one that separates alone is taken if there is one, and otherwise no
    column of the set can be left out.

    Raises
    ------
    DataError
        No row is separated, or the design has more than five million entries.
    """
    separated = proof.cone.separated
    if not separated.size:
        raise DataError("no row is separated: there is no set of columns that separates")
    deadline = deadline_of(time_limit)
    cone, named = _columns_of(asked, proof)
    search = ColumnSearch(len(cone.groups), partial(cone.prove, deadline), (proof, list(range(len(asked.rows.names)))))
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
    used = sorted({ids[j] for direction in found.cone.directions for j in direction})
    columns = dict.fromkeys(column for column in (_column(asked.rows.names[j]) for j in used) if column in named)
    owners = asked.rows.owner[separated if found is proof else separated[found.cone.separated]]
    rows = asked.design.places[np.unique(owners)]
    return SmallestSet(tuple(columns), tuple(rows.tolist()), not reason, reason)


def _columns_of(asked: Asked, proof: SeparationProof) -> tuple[ColumnsOfRows, set[str]]:
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
    return ColumnsOfRows(Z, np.arange(Z.shape[0]) >= separated.size, groups, free), design


def _column(name: Any) -> str:
    return str(name[1] if isinstance(name, tuple) else name)


_BEYOND = 1e300  # integers that doubles do not hold

Proved = tuple[SeparationProof, list[int]]  # and the numbers of its coefficients


class ColumnsOfRows:
    """Groups of columns of the rows Z, and those `free` beside them.

    Let C be the directions d with z.d >= 0 for all rows z and z.d = 0 for the equalities. A set S of columns separates
    if some d in C that is 0 outside of S and the constants makes a row strict.
    """

    def __init__(self, Z: Any, equal: Array, groups: Sequence[Sequence[int]], free: Sequence[int]) -> None:
        self.Z, self.equal, self.groups, self.free = Z, equal, groups, free

    def alone(self) -> int | None:
        """The column whose coefficient alone, in one direction, separates the most rows; None if none does."""
        Z: Any = sp.sparse.csr_array(self.Z if is_sparse(self.Z) else np.sign(as_doubles(self.Z)))
        rising, falling = (np.asarray((way * Z > 0).sum(axis=0)).ravel() for way in (1, -1))
        held = np.asarray((Z[self.equal] != 0).sum(axis=0)).ravel()
        found = np.where((held == 0) & (np.minimum(rising, falling) == 0), rising + falling, 0)
        best = [max(found[group].tolist(), default=0) for group in self.groups]
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
        coefficients(Rows(Z, equal=self.equal, ask=lambda: time_left(deadline)), proof)
        return bool(proof.cone.separated.size), (proof, ids)
