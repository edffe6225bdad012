"""Which rows of a regression are separated, and which coefficients are infinite: the search.

Face by face as in `separability`, without labels: rows that ask for z.d >= 0 and equalities z.d = 0, which take part in
every combination with any sign.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from math import gcd
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from flint import nmod_mat

from linsep.theory.exact import value_signs
from linsep.theory.nearest import nearest_point
from linsep.theory.separation_check import SeparationProof, Vector, Weights, exact_rows, main_sign
from linsep.theory.signed import SignedRows
from linsep.theory.witness import ExactEnd, OutOfTimeError, as_floats, exact_nearest, null_vectors, random_normal
from linsep.types import Array

_GOOD_ENOUGH = 0.95  # a twentieth of the best margin is far above rounding, and enough to prove that a direction exists
_UNSURE = 1e-9  # scores this near 0 (unit direction, rows near unit size) are asked exactly
_PRIME = 2**61 - 1


def find_proof(Z: Any, equal: Array, deadline: float) -> SeparationProof:
    """Return the separated rows of the cone {d : z.d >= 0, = 0 where `equal`} and all that proves them maximal.

    Raises
    ------
    OutOfTimeError
    """
    faces = _Faces(Z, deadline)
    left = np.ones(Z.shape[0], dtype=bool)
    faces.basis = _spanning(Z, equal, [])
    overlap, direction = faces.search(~equal)
    if direction is not None:
        left = value_signs(Z, np.array(direction, dtype=object)) == 0
    spanning = faces.basis
    spanning_all = spanning if left.all() else _spanning(Z, np.ones_like(left), spanning)
    proof = SeparationProof(
        directions=() if direction is None else (direction,),
        separated=tuple(np.flatnonzero(~left).tolist()),
        overlap=overlap,
        spanning=tuple(spanning),
        null=_null(faces.rows, spanning),
        spanning_all=tuple(spanning_all),
        null_all=_null(faces.rows, spanning_all),
    )
    return _with_signs(Z, proof, deadline)


class _Faces:
    """The face-by-face search on rows of one matrix; `basis` are independent rows that span all rows set aside."""

    def __init__(self, Z: Any, deadline: float) -> None:
        self.Z, self.deadline = Z, deadline
        self.rows = SignedRows(Z, np.ones(Z.shape[0]), constant=False)
        self.basis: list[int] = []

    def search(self, asked: Array) -> tuple[Weights, Vector | None]:
        """Overlap weights of the rows set aside, and a direction positive on all others asked about, if any are."""
        rows = self.rows
        rows.active = asked & ~rows.zero
        overlap: Weights = dict.fromkeys(np.flatnonzero(asked & rows.zero)[:1].tolist(), 1)
        self._set_aside()
        while rows.active.any():
            end = self.nearest()
            if end.direction is not None:
                return overlap, tuple(_primitive(rows.original(end.direction)))
            overlap = _merged(overlap, end)
            self.basis += list(end.weights)[:-1]  # affinely independent with 0 in the hull: all but one
            self._set_aside()
        return overlap, None

    def nearest(self) -> ExactEnd:
        """One face: floats as far as they lead, then exact arithmetic from there."""
        rows = self.rows
        rows.basis = self._orthonormal() if self.basis else None
        start = int(np.flatnonzero(rows.active)[0])
        found = nearest_point(rows, start, tol=_GOOD_ENOUGH, floor=1e-13, deadline=self.deadline)
        if found.why == "deadline":
            raise OutOfTimeError
        return exact_nearest(rows, found.keys, found.weights.tolist(), self.basis, self._price, self.deadline)

    def _orthonormal(self) -> Array:
        rows, rows.basis = self.rows, None
        return np.asarray(scipy.linalg.qr(np.array([rows.point(i) for i in self.basis]).T, mode="economic")[0])

    def _price(self, d: list[int]) -> int | None:
        """A row still in play with d.z <= 0: the worst by floats, confirmed exactly; None if there is none."""
        if time.perf_counter() > self.deadline:
            raise OutOfTimeError
        active = np.flatnonzero(self.rows.active)
        z = self.rows.scores(as_floats(d))[active]
        order = np.argsort(z, kind="stable")
        active, z = active[order], z[order]
        if z[0] < -_UNSURE:
            return int(active[0])
        unsure = active[z < _UNSURE]
        wrong = unsure[self._signs(unsure, d) <= 0]
        return int(wrong[0]) if wrong.size else None

    def _signs(self, which: Array, d: list[int]) -> Array:
        return value_signs(self.Z[which], np.array(self.rows.original(d), dtype=object))

    def _set_aside(self) -> None:
        """Leave the rows out that are in the span of the basis."""
        rows = self.rows
        if len(self.basis) == rows.rank_bound:
            rows.active[:] = False
        elif self.basis:
            which = np.flatnonzero(rows.active)
            normal = random_normal(rows, self.basis, seed=len(self.basis))
            rows.active[which[self._signs(which, normal) == 0]] = False


def _merged(overlap: Weights, end: ExactEnd) -> Weights:
    """A combination that is 0 with positive weights on the rows of both; rows of equalities have any."""
    factor = max([1, *(1 - (v // overlap[i]) for i, v in end.free.items() if overlap.get(i, 0) > 0)])
    total = {i: factor * v for i, v in overlap.items()}
    for part in (end.free, end.weights):
        for i, v in part.items():
            total[i] = total.get(i, 0) + v
    common = gcd(*total.values())
    return {i: v // common for i, v in total.items() if v}


def _primitive(d: Sequence[int]) -> list[int]:
    common = gcd(*d) or 1
    return [v // common for v in d]


def _null(rows: SignedRows, ids: Sequence[int]) -> tuple[Vector, ...]:
    return tuple(tuple(v) for v in null_vectors(rows, ids))


def _spanning(Z: Any, among: Array, start: Sequence[int]) -> list[int]:
    """Independent rows, those of `start` first, that span them and all rows in the mask `among`."""
    ids, which = list(start), np.flatnonzero(among)
    if not which.size:
        return ids
    rows = SignedRows(Z, np.ones(Z.shape[0]), constant=False)
    while True:
        outside = np.zeros(which.size, dtype=bool)
        for v in null_vectors(rows, ids):
            outside |= value_signs(Z[which], np.array(v, dtype=object)) != 0
            if outside.sum() > 4 * Z.shape[1]:
                break
        if not outside.any():
            return ids
        candidates = which[outside]
        step = max(1, candidates.size // (2 * Z.shape[1]))
        ids = _independent(Z, [*ids, *candidates[::step].tolist()])


def _independent(Z: Any, ids: list[int]) -> list[int]:
    """The rows that are not combinations, modulo a large prime, of those before them."""
    M = [[v % _PRIME for v in row] for row, _ in exact_rows(Z, ids)]
    reduced, rank = nmod_mat(Z.shape[1], len(ids), [row[j] for j in range(Z.shape[1]) for row in M], _PRIME).rref()
    pivots, column = [], 0
    for r in range(rank):
        while int(reduced[r, column]) == 0:
            column += 1
        pivots.append(ids[column])
    return pivots


def _with_signs(Z: Any, proof: SeparationProof, deadline: float) -> SeparationProof:
    """Add the sign of each infinite coefficient, or a direction that shows that it has none."""
    if len(proof.null) <= len(proof.null_all) + 1:
        return proof
    infinite = [
        j
        for j in range(Z.shape[1])
        if any(v[j] for v in proof.null) and not any(v[j] for v in proof.null_all) and main_sign(proof.directions, j)
    ]
    if not infinite:
        return proof
    ids = [*proof.separated, *proof.spanning]
    faces = _Faces(_stacked(Z, ids, infinite, [-main_sign(proof.directions, j) for j in infinite]), deadline)
    faces.basis = list(range(len(proof.separated), len(ids)))
    signs: dict[int, Weights] = {}
    opposite: dict[int, Vector] = {}
    for k, j in enumerate(infinite):
        faces.rows.active[:] = False
        faces.rows.active[[*range(len(proof.separated)), len(ids) + k]] = True
        end = faces.nearest()
        if end.direction is None:
            every = end.weights | end.free
            signs[j] = {ids[i]: v for i, v in every.items() if i < len(ids) and v}
        else:
            opposite[j] = tuple(_primitive(faces.rows.original(end.direction)))
    return replace(proof, signs=signs, opposite=opposite)


def _stacked(Z: Any, ids: Sequence[int], units: Sequence[int], signs: Sequence[int]) -> Any:
    """The rows `ids` of Z, then multiples of unit vectors."""
    if not hasattr(Z, "toarray"):
        dense = np.zeros((len(units), Z.shape[1]), dtype=Z.dtype)
        dense[range(len(units)), units] = signs
        return np.vstack([Z[ids], dense])
    place = (np.array(signs, dtype=np.float64), (np.arange(len(units)), np.array(units)))
    parts: list[Any] = [Z[ids], sp.csr_matrix(place, shape=(len(units), Z.shape[1]))]
    return sp.vstack(parts, format="csr")
