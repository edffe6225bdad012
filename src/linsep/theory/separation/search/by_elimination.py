"""Separation of large sparse designs: positive weights in floating point, made exact on a basis of rows.

Rows that single columns separate are taken away first. If the others are all that is left, some positive weights u
bring them to 0. Least squares that are weighted anew each round find such u nearly; they are rounded
on all rows but a basis, the heaviest rows that are independent, where the exact weights follow (`sparse_factors.py`).
Those are positive too unless rounding was too coarse. Where no positive weights are found, a linear programme names
further rows and a direction, which is made exact too. What it leaves open another search has to answer.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import lsmr

from linsep.theory.cone.peel import peel
from linsep.theory.rows.deadline import Deadline, time_left
from linsep.theory.rows.exact_signs import row_signs
from linsep.theory.rows.integers import primitive
from linsep.theory.rows.sparse_factors import SparseFactors
from linsep.theory.separation.search.largest_direction import largest_direction
from linsep.theory.verify.separation import SeparationProof, Vector, Weights
from linsep.types import Array

_SMALL = 20_000  # entries of a table, zeros included, up to which another search is as fast
_ROUNDS = 12
_STEPS = 2_000
_NEAR = 1e-6  # what least squares leave: the basis makes up for it
_LEAST = 1e-3  # the least weight that is taken for positive, of the median
_ROUNDED = 20  # bits of a weight of the size of the median, unless others then have more than `_LONGEST`
_LONGEST = 29  # times a part of 15 bits, 2^17 of them add up below 2^63
_GUESSED = (0, 20, 44)  # bits to which a guess is rounded: integers are tried first
_MOST_FREE = 500  # null vectors that are worked out


def prove_by_elimination(Z: Any, equal: Array, deadline: Deadline) -> SeparationProof | None:
    """Return the proof without the signs of coefficients, or None where this search cannot answer."""
    if Z.shape[0] * Z.shape[1] < _SMALL or not len(Z.data):
        return None
    Z = sp.csr_matrix(Z, copy=True)
    Z.eliminate_zeros()
    directions, left = _peeled(Z, equal)
    found = _finished(Z, equal, directions, left, deadline)
    if found is None:
        more = _further(Z, equal, left, deadline)
        if more is not None:
            found = _finished(Z, equal, (*directions, more[0]), more[1], deadline)
    return found


def _finished(
    Z: Any, equal: Array, directions: tuple[Vector, ...], left: Array, deadline: Deadline
) -> SeparationProof | None:
    """The proof if these directions separate all rows that can be, else None."""
    u = _positive(Z[left], equal[left], deadline)
    if u is None:
        return None
    ids, apart = np.flatnonzero(left), np.flatnonzero(~left)
    factors = SparseFactors(Z, np.concatenate([ids[np.argsort(-u, kind="stable")], apart]))
    if not factors.usable:
        return None
    time_left(deadline)
    rank_left = int(left[factors.ids].sum())
    overlap = _overlap(Z, equal, factors, rank_left, dict(zip(ids.tolist(), u.tolist(), strict=True)), deadline)
    null = _null(Z[ids], factors, rank_left, deadline) if overlap is not None else None
    if overlap is None or null is None:
        return None
    null_all = _null(Z, factors, len(factors.ids), deadline) if apart.size else null
    if null_all is None:
        return None
    spanning = tuple(factors.ids[:rank_left].tolist())
    return SeparationProof(
        directions=directions,
        separated=tuple(apart.tolist()),
        overlap=overlap,
        spanning=spanning,
        null=null,
        spanning_all=tuple(factors.ids.tolist()) if apart.size else spanning,
        null_all=null_all,
    )


def _peeled(Z: Any, equal: Array) -> tuple[tuple[Vector, ...], Array]:
    """Directions that take rows away, and the rows left."""
    found, left = peel(Z, np.ones(Z.shape[0]), constant=False, equal=equal)
    return tuple(dict(zip(np.flatnonzero(d).tolist(), d[d != 0].tolist(), strict=True)) for d in found), left


def _further(Z: Any, equal: Array, left: Array, deadline: Deadline) -> tuple[Vector, Array] | None:
    """One more direction on the rows left, exact, and the rows that it leaves; None if there is none.

    Entries in the columns without a pivot are those of the guess, rounded; the others follow, as the rows that stay
    span all rows on which the direction has to be 0.
    """
    guess = largest_direction(Z[left], equal[left], deadline)
    if guess is None or not guess[1].any():
        return None
    taken = np.zeros(left.size, dtype=bool)
    taken[np.flatnonzero(left)[guess[1]]] = True
    factors = SparseFactors(Z, np.flatnonzero(left & ~taken))
    if not factors.usable:
        return None
    exps = factors.whole.exps
    largest = float(np.abs(guess[0]).max())
    for bits in _GUESSED:
        rounded = np.rint(guess[0] * 2.0**bits / (largest if bits > _GUESSED[0] else 1.0))
        d = {j: int(rounded[j]) << int(exps.max() - exps[j]) for j in np.flatnonzero(rounded).tolist()}
        found = factors.completed(len(factors.ids), d, deadline)
        if found is None:
            continue
        signs = row_signs(Z[left], [found.get(j, 0) for j in range(Z.shape[1])])
        if (signs[guess[1]] > 0).all() and not signs[~guess[1]].any():
            return dict(zip(found, primitive(list(found.values())), strict=True)), left & ~taken
    return None


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
    largest = max(map(abs, u.values()), default=1.0)
    scale = min(2.0**_ROUNDED, 2.0**_LONGEST / largest)
    rounded = [round(u[i] * scale) if equal[i] else max(1, round(u[i] * scale)) for i in others]
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
    return {i: v for i, v in every.items() if v}


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
