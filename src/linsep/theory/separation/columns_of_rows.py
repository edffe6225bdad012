"""Rows of a regression asked of some of their columns: do these separate, alone, lightest first, and by what direction?

Let C be the directions d with z.d >= 0 for all rows z and z.d = 0 for the equalities. A set S of columns separates if
some d in C that is 0 outside of S and the constants makes a row strict; for a coefficient, if d is not 0 there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from linsep.tables import as_doubles, is_sparse
from linsep.theory.rows.deadline import Deadline, time_left
from linsep.theory.rows.exact_signs import row_signs
from linsep.theory.separation.search.decide import find_proof
from linsep.theory.verify.cone import Rows, Vector
from linsep.theory.verify.consequences import FINITE, UNIDENTIFIED, SeparationProof, coefficients
from linsep.types import Array

_BEYOND = 1e300  # integers that doubles do not hold

Proved = tuple[SeparationProof, list[int]]  # and the numbers of its coefficients


class ColumnsOfRows:
    """Groups of columns of the rows Z, those `free` beside them, and the column, if any, whose sign is the goal."""

    def __init__(
        self, Z: Any, equal: Array, groups: Sequence[Sequence[int]], free: Sequence[int], goal: int | None
    ) -> None:
        self.Z, self.equal, self.groups, self.free, self.goal = Z, equal, groups, free, goal

    def alone(self) -> int | None:
        """The column whose coefficient alone, in one direction, separates the most rows; None if none does."""
        Z: Any = sp.csr_array(self.Z if is_sparse(self.Z) else np.sign(as_doubles(self.Z)))
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
        while True:  # each takes rows away that those before it left: with weights that fall fast all do
            found = [0] * Z.shape[1]
            for v in several:
                found = [times * value + v.get(j, 0) for j, value in enumerate(found)]
            signs = row_signs(Z, found)
            if signs.min() >= 0 and np.count_nonzero(signs) == n and (goal is None or found[goal]):
                return found
            times *= 2
