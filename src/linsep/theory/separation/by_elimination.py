"""Separation of large sparse designs: positive weights in floating point, made exact on a basis of rows.

Rows that single columns or a network of dummies separate are taken away first. If the others are all that is left, some
positive weights u bring them to 0. Least squares that are weighted anew each round find such u nearly; they are rounded
on all rows but a basis, the heaviest rows that are independent, where the exact weights follow (`sparse_factors.py`).
Those are positive too unless rounding was too coarse; then, and where no positive weights are found, another search has
to answer.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import lsmr

from linsep.theory.cone.peel import peel
from linsep.theory.rows.deadline import Deadline, time_left
from linsep.theory.rows.integers import primitive
from linsep.theory.rows.powers_of_two import scale_rows
from linsep.theory.rows.sparse_factors import SparseFactors
from linsep.theory.separation.network import network_direction
from linsep.theory.verify.separation import SeparationProof, Vector, Weights
from linsep.types import Array

_SMALL = 20_000  # entries of a table, zeros included, up to which another search is as fast
_ROUNDS = 12
_STEPS = 2_000
_NEAR = 1e-10
_LEAST = 1e-3  # the least weight that is taken for positive, of the median
_ROUNDED = 20  # bits of a weight of the size of the median
_MOST_FREE = 500  # null vectors that are worked out


def prove_by_elimination(Z: Any, equal: Array, deadline: Deadline) -> SeparationProof | None:
    """Return the proof without the signs of coefficients, or None where this search cannot answer."""
    if Z.shape[0] * Z.shape[1] < _SMALL or not len(Z.data):
        return None
    Z = _scaled(Z)
    directions, left = _peeled(Z, equal)
    time_left(deadline)
    ids, apart = np.flatnonzero(left), np.flatnonzero(~left)
    u = _positive(Z[ids], equal[ids], deadline)
    if u is None:
        return None
    order = np.concatenate([ids[np.argsort(-u, kind="stable")], apart])
    factors = SparseFactors(Z, order)
    if not factors.usable:
        return None
    time_left(deadline)
    rank_left = int(left[factors.ids].sum())
    overlap = _overlap(Z, equal, factors, rank_left, dict(zip(ids.tolist(), u.tolist(), strict=True)), deadline)
    null = _null(Z[ids], factors, rank_left, deadline)
    if overlap is None or null is None:
        return None
    null_all: tuple[Vector, ...] | None = null
    if apart.size:
        null_all = _null(Z, factors, len(factors.ids), deadline)
    if null_all is None:
        return None
    spanning = tuple(factors.ids[:rank_left].tolist())
    return SeparationProof(
        directions=directions,
        separated=tuple(apart.tolist()),
        overlap=overlap,
        spanning=spanning,
        null=null,
        spanning_all=spanning if not apart.size else tuple(factors.ids.tolist()),
        null_all=null_all,
    )


def _scaled(Z: Any) -> Any:
    """Entries of 0 are left out."""
    Z = sp.csr_matrix(Z, copy=True)
    Z.eliminate_zeros()
    return Z


def _peeled(Z: Any, equal: Array) -> tuple[tuple[Vector, ...], Array]:
    """Directions that take rows away, and the rows left."""
    directions: list[Vector] = []
    left = np.ones(Z.shape[0], dtype=bool)
    while True:
        ids = np.flatnonzero(left)
        found, kept = peel(Z[ids], np.ones(ids.size), constant=False, equal=equal[ids])
        directions += [dict(zip(np.flatnonzero(d).tolist(), d[d != 0].tolist(), strict=True)) for d in found]
        left[ids[~kept]] = False
        ids = np.flatnonzero(left)
        more = network_direction(Z[ids], equal[ids])
        if more is None:
            return tuple(directions), left
        direction, taken = more
        directions.append(direction)
        left[ids[taken]] = False


def _positive(Z: Any, equal: Array, deadline: Deadline) -> Array | None:
    """Weights that bring the rows nearly to 0, positive but for equalities; None if none are found."""
    if not Z.shape[0]:
        return np.zeros(0)
    scale = np.sqrt(np.asarray(Z.multiply(Z).sum(axis=0))).ravel()
    with np.errstate(divide="ignore"):
        A = sp.csr_matrix(Z @ sp.diags_array(np.where(scale > 0, 1 / scale, 0.0)))
    if not np.isfinite(A.data).all():
        return None
    rows = np.sqrt(np.asarray(A.multiply(A).sum(axis=1))).ravel()
    A = sp.csr_matrix(sp.diags_array(1 / np.where(rows > 0, rows, 1.0)) @ A)
    w = np.ones(A.shape[0])
    for _ in range(_ROUNDS):
        time_left(deadline)
        x = lsmr(sp.csr_matrix(sp.diags_array(w) @ A), np.ones(w.size), atol=_NEAR, btol=_NEAR, maxiter=_STEPS)[0]
        y = w * (1 - w * (A @ x))  # A' y = A' w - A' w^2 A x = 0
        typical = float(np.median(np.abs(y)))
        if not np.isfinite(typical) or typical == 0:
            return None
        if (equal | (y > _LEAST * typical)).all():
            y = y / np.where(rows > 0, rows, 1.0)
            return np.asarray(y / np.median(np.abs(y)))
        w = np.where(equal, np.maximum(np.abs(y), 0.1 * typical), np.maximum(y, 0.1 * typical))
    return None


def _overlap(
    Z: Any, equal: Array, factors: SparseFactors, rank: int, u: dict[int, float], deadline: Deadline
) -> Weights | None:
    """Exact weights: rounded ones on all rows but the basis."""
    basis = set(factors.ids[:rank].tolist())
    others = [i for i in u if i not in basis]
    rounded = [max(1 - int(equal[i]), round(u[i] * 2**_ROUNDED)) for i in others]
    goal = [0] * Z.shape[1]
    at, values = np.array(others, dtype=np.int64), np.array(rounded, dtype=np.int64)
    for n, part in enumerate(factors.whole.parts):
        for j, v in enumerate((part[at].T @ values).tolist() if at.size else []):
            goal[j] -= v << (15 * n)
    found = factors.weights(rank, goal, deadline)
    if found is None:
        return None
    weights, q = found
    every = dict(zip(factors.ids[:rank].tolist(), weights, strict=True))
    if any(v <= 0 and not equal[i] for i, v in every.items()):
        return None
    every |= {i: q * v for i, v in zip(others, rounded, strict=True)}
    kept = {i: v for i, v in sorted(every.items()) if v}
    return dict(zip(kept, primitive(list(kept.values())), strict=True))


def _null(Z: Any, factors: SparseFactors, rank: int, deadline: Deadline) -> tuple[Vector, ...] | None:
    """Vectors orthogonal to the rows of Z, which the first `rank` rows kept span: unit vectors first."""
    used = np.bincount(Z.indices, minlength=Z.shape[1]) > 0
    free = np.ones(Z.shape[1], dtype=bool)
    free[factors.pivots[:rank]] = False
    rest = np.flatnonzero(free & used)
    if rest.size > _MOST_FREE:
        return None
    vectors: list[Vector] = [{j: 1} for j in np.flatnonzero(~used).tolist()]
    for j in rest.tolist():
        vector = factors.null_vector(rank, j, deadline)
        if vector is None:
            return None
        vectors.append(dict(zip(vector, primitive(list(vector.values())), strict=True)))
    return tuple(vectors)
