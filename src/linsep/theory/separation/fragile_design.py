"""Could rounding of a design change what is said of a regression? The theorem is in `theory/rows/fragile.py`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np
import scipy as sp

from linsep.tables import as_doubles, dense, exact_table, is_sparse
from linsep.theory.rows.fragile import (
    Rows,
    direction_moves,
    directions_move,
    exact_inputs,
    null_moves,
    off_by,
    together,
    weights_move,
)
from linsep.theory.separation.exact_rows import multiples_in
from linsep.theory.separation.families import ORDERED, Family, Outcome
from linsep.theory.separation.model_rows import ModelRows, model_rows, pairs_of
from linsep.theory.verify.cone import Vector, Weights
from linsep.theory.verify.consequences import SeparationProof
from linsep.types import Array


@np.errstate(all="ignore")  # what is not finite moves
def is_fragile(
    X: Any,
    outcome: Outcome,
    names: list[str],
    family: Family,
    fit_intercept: bool,
    proof: SeparationProof,
    moved: Mapping[str, float] = MappingProxyType({}),
) -> bool:
    """Whether rounding could change the verdict, the rows separated or what is said of a coefficient.

    The numbers of the design may be off, each by itself; response, offset and weights are taken as they are. Whole
    numbers are exact, but those of columns that `moved`, which are off by so much at least.
    """
    X = exact_table(X)
    if exact_inputs(X) and not moved:
        return False
    halves = _halves(X, {j: moved[name] for j, name in enumerate(names) if name in moved})
    rows = model_rows(X, outcome, names, family, fit_intercept)
    return _Question(X, outcome, family, rows, proof, halves).is_fragile()


def _halves(X: Any, moved: dict[int, float]) -> Any:
    """How far each entry of X may be off; those of columns that moved, their zeros too, by so much at least."""
    halves = off_by(X)(X)
    if not moved:
        return halves
    least = np.zeros(X.shape[1])
    least[[*moved]] = [*moved.values()]
    if not is_sparse(X):
        return np.maximum(halves, least)
    every = sp.sparse.csc_matrix(np.ones((X.shape[0], len(moved)))) @ sp.sparse.diags_array([*moved.values()])
    return halves.maximum(sp.sparse.csr_matrix(every @ sp.sparse.eye_array(X.shape[1], format="csr")[[*moved]]))


class _Question:
    def __init__(
        self, X: Any, outcome: Outcome, family: Family, rows: ModelRows, proof: SeparationProof, halves: Any
    ) -> None:
        self.proof, self.equal, self.width = proof, rows.equal, rows.Z.shape[1]
        self.scale = np.ones(self.width, dtype=object)
        self.rows = self._rows_of(X, outcome, family, rows, halves)

    def is_fragile(self) -> bool:
        proof, n = self.proof, self.equal.size
        if proof.bases:  # as many independent rows as there are: some direction has any products with them
            every: dict[int, int] = dict.fromkeys(range(n), 0)
            return any(weights_move(self._on(basis), every, rank=n, free=every) for basis in proof.bases)
        cone, basis = proof.cone, proof.cone.basis or ()
        apart, left = cone.separated, np.asarray(cone.left, dtype=np.int64)
        free = [i for i in {*cone.weights, *basis} if self.equal[i]]
        directions = [self._whole(d) for d in cone.directions]
        if directions_move(self.rows, directions, apart):
            return True
        d = together(self.rows, directions, apart) if proof.opposite else np.zeros(0)
        return (
            null_moves(self.rows, cone.null, left)
            or null_moves(self.rows, proof.null, np.arange(n))
            or self._weights_move(cone.weights, basis, cone.null, free, cone.within)
            or bool(apart.size and self._weights_move({}, proof.basis, proof.null, proof.basis))
            or any(self._sign_moves(weights) for weights in proof.signs.values())
            or any(self._opposite_moves(j, vectors, d, apart) for j, vectors in proof.opposite.items())
        )

    def _weights_move(
        self, held: Weights, spanning: Sequence[int], null: Sequence[Vector], free: Sequence[int], within: float = 0.0
    ) -> bool:
        often = Counter(j for vector in null for j in vector)
        own = {next((j for j in reversed(vector) if often[j] == 1), -1) for vector in null}
        columns = [j for j in range(self.width) if j not in own]
        rank = len(spanning)
        return weights_move(self.rows, held, rank=rank, free=free, within=within, basis=spanning, columns=columns)

    def _sign_moves(self, weights: Weights) -> bool:
        """Whether rows that prove the sign of a coefficient could stop to: on the null vectors, or with all others."""
        basis = self.proof.cone.basis or ()
        if not null_moves(self.rows, self.proof.cone.null, np.array(list(weights), dtype=np.int64)):
            return False
        held = {**dict.fromkeys(basis, 0), **weights}
        return weights_move(self.rows, held, rank=len(self.proof.basis), free=basis)

    def _opposite_moves(self, j: int, vectors: Sequence[Vector], d: Array, apart: Array) -> bool:
        """Whether a direction with the other sign in column j than `d`, which stays, could leave the cone."""
        other = sum((self._whole(one) << 20 * k for k, one in enumerate(reversed(vectors))), self._whole({}))
        if not d[j] * other[j] < 0:
            return True
        return direction_moves(self.rows, abs(other[j]) * d + 2 * abs(d[j]) * other, apart, proved=False)

    def _whole(self, d: Vector) -> Array:
        """A direction in the units of the design."""
        out = np.zeros(self.width, dtype=object)
        for j, value in d.items():
            out[j] = value * self.scale[j]
        return out

    def _on(self, columns: Sequence[int]) -> Rows:
        def rows(ids: Array) -> tuple[Any, Any]:
            Z, off = self.rows(ids)
            return Z[:, list(columns)], off[:, list(columns)]

        return rows

    def _rows_of(self, X: Any, outcome: Outcome, family: Family, rows: ModelRows, halves: Any) -> Rows:
        """The rows of inequalities in the units of the design, and how far their entries may be off."""
        Z, owner = rows.Z, rows.owner
        kept = np.flatnonzero(outcome.kept)
        blocks = len(rows.classes) - 1 if family == "multinomial" else 1
        constants = self.width // blocks - X.shape[1]
        scale = multiples_in(X, Z, kept)
        self.scale = np.array(([1] * constants + scale) * blocks, dtype=object)
        if any(c != 1 for c in scale):
            units = np.array([Fraction(1, int(one)) for one in self.scale], dtype=object)
            Z = as_doubles(dense(Z).astype(object) * units)
        halves = sp.sparse.csr_matrix(halves) if is_sparse(Z) else dense(halves)
        off: Any = halves[owner]
        if family in ("cox", "conditional"):
            off = off + halves[kept[pairs_of(outcome.take(kept), family).second]]
        if family in ORDERED:
            off = sp.sparse.diags_array(np.abs(np.asarray(Z[:, :constants].sum(axis=1)).ravel())) @ off
        off = sp.sparse.csr_matrix(sp.sparse.hstack([sp.sparse.csr_matrix((off.shape[0], constants)), off]))
        if blocks > 1:  # a row is about its own class and a rival, and the first class has no block
            own = np.argmax(rows.classes == outcome.y[owner][:, None], axis=1)
            within = [(own == k) | (rows.rival == k) for k in range(1, blocks + 1)]
            off = sp.sparse.csr_matrix(sp.sparse.hstack([sp.sparse.diags_array(one * 1.0) @ off for one in within]))
        off = off if is_sparse(Z) else dense(off)
        return lambda ids: (Z[ids], off[ids])
