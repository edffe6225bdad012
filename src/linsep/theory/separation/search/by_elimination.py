"""Separation of large sparse designs: positive weights in floating point, made exact on a basis of rows.

Rows that single columns separate are taken away first. If the others are all that is left, some positive weights u
bring them to 0. Least squares that are weighted anew each round find such u nearly; they are rounded on all rows but a
basis, the heaviest rows that are independent, where the exact weights follow (`sparse_factors.py`). Those are positive
too unless rounding was too coarse. Where no positive weights are found, the direction that least squares end with, or
that of a linear programme, is made exact too and takes further rows away. What it leaves open another search has to
answer.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from linsep.theory.cone.peel import peel
from linsep.theory.rows.deadline import Deadline, time_left
from linsep.theory.rows.exact_signs import row_signs, vanishing
from linsep.theory.rows.integers import primitive
from linsep.theory.rows.sparse_factors import SparseFactors, WholeColumns
from linsep.theory.separation.search.largest_direction import largest_direction
from linsep.theory.separation.search.least_squares import LeastSquares
from linsep.theory.verify.cone import ConeProof, Vector, Weights
from linsep.theory.verify.consequences import SeparationProof
from linsep.types import Array

_SMALL = 20_000  # entries of a table, zeros included, up to which another search is as fast
_ROUNDS = 15
_NEAR, _NEARER = 1e-5, 1e-8  # what least squares leave, at first and of weights that are kept
_LEAST = 0.01  # a weight that falls to less than this part of the one before is not yet taken for positive
_HEAVY, _HEAVIER = 10.0, 1e3  # weights of equalities, beside 1
_SHRINK = 0.2  # and then falls no further than to this part
_TINY = 1e-5  # the least weight that is taken for positive, of the median
_VANISHED = 1e-3  # with a weight below this part of the median the direction is tried
_BEGUN = 0.1  # the least weight, of the median, with which a search on fewer rows begins
_ROUNDED = 20  # bits of a weight of the size of the median, unless others then have more than `_LONGEST`
_LONGEST = 29  # times a part of 15 bits, 2^17 of them add up below 2^63
_GUESSED = (4, 20, 44)  # bits to which a guess is rounded
_FLAT = (0.05, 1e-3, 1e-6)  # products with a guess up to this part of the largest size are taken for 0
_AT_ONCE = 1_000  # rows whose signs are asked together
_FURTHER = 3  # directions by a guess
_MOST_FREE = 500  # null vectors that are worked out


def prove_by_elimination(Z: Any, equal: Array, deadline: Deadline) -> SeparationProof | None:
    """Return the proof without the signs of coefficients, or None where this search cannot answer."""
    if Z.shape[0] * Z.shape[1] < _SMALL or not len(Z.data):
        return None
    time_left(deadline)
    Z = sp.csr_matrix(Z, copy=True)
    Z.eliminate_zeros()
    time_left(deadline)
    whole = WholeColumns(Z, deadline)
    if not whole.usable:
        return None
    directions, left = _peeled(Z, equal, deadline)
    weights = _positive(Z[left], equal[left], np.ones(left.sum()), deadline)
    found = _finished(Z, whole, equal, directions, left, weights.u, deadline)
    for _ in range(_FURTHER):
        if found is not None:
            break
        more = _further(Z, whole, equal, left, weights.direction, deadline)
        if more is None:
            guess = largest_direction(Z[left], equal[left], deadline)
            more = None if guess is None else _further(Z, whole, equal, left, guess, deadline)
        if more is None:
            return None
        begun = weights.last[more[1][left]]
        directions, left = (*directions, more[0]), more[1]
        weights = _positive(Z[left], equal[left], begun, deadline)
        found = _finished(Z, whole, equal, directions, left, weights.u, deadline)
    return found


def _finished(
    Z: Any,
    whole: WholeColumns,
    equal: Array,
    directions: tuple[Vector, ...],
    left: Array,
    u: Array | None,
    deadline: Deadline,
) -> SeparationProof | None:
    """The proof if these directions separate all rows that can be, with weights u nearly, else None."""
    if u is None:
        return None
    time_left(deadline)
    ids, apart = np.flatnonzero(left), np.flatnonzero(~left)
    factors = SparseFactors(whole, np.concatenate([ids[np.argsort(-u, kind="stable")], apart]), deadline)
    time_left(deadline)
    rank_left = int(left[factors.ids].sum())
    overlap = _overlap(equal, factors, rank_left, dict(zip(ids.tolist(), u.tolist(), strict=True)), deadline)
    null = _null(Z[ids], factors, rank_left, deadline) if overlap is not None else None
    if overlap is None or null is None:
        return None
    null_all = _null(Z, factors, len(factors.ids), deadline) if apart.size else null
    if null_all is None:
        return None
    spanning = tuple(factors.ids[:rank_left].tolist())
    return SeparationProof(
        ConeProof(left.size, directions, tuple(ids.tolist()), overlap, 0.0, spanning, null),
        basis=tuple(factors.ids.tolist()) if apart.size else spanning,
        null=null_all,
    )


def _peeled(Z: Any, equal: Array, deadline: Deadline) -> tuple[tuple[Vector, ...], Array]:
    """Directions that take rows away, and the rows left."""
    found, left = peel(Z, np.ones(Z.shape[0]), constant=False, equal=equal, deadline=deadline)
    return tuple(dict(zip(np.flatnonzero(d).tolist(), d[d != 0].tolist(), strict=True)) for d in found), left


def _further(
    Z: Any, whole: WholeColumns, equal: Array, left: Array, guess: Array, deadline: Deadline
) -> tuple[Vector, Array] | None:
    """One more direction on the rows left, exact, and the rows that it leaves; None if the guess leads to none.

    It has to be 0 on the rows on which the guess is nearly 0, or below. Its entries in columns without a pivot of these
    rows are those of the guess, rounded; the others follow.
    """
    largest = float(np.abs(guess).max(initial=0.0))
    if not np.isfinite(largest) or largest == 0:
        return None
    guess = guess / largest
    z, sizes = Z @ guess, abs(Z) @ np.abs(guess)
    for least in _FLAT:
        time_left(deadline)
        rises = left & ~equal & (z > least * sizes.max())
        if not rises.any():
            return None
        factors = SparseFactors(whole, np.flatnonzero(left & ~rises), deadline)
        exps = whole.exps
        for bits in _GUESSED:
            rounded = np.rint(guess * 2.0**bits)
            d = {j: int(rounded[j]) << int(exps.max() - exps[j]) for j in np.flatnonzero(rounded).tolist()}
            found = factors.completed(len(factors.ids), d, deadline)
            if not found:
                continue
            signs = _signs(Z[left], [found.get(j, 0) for j in range(Z.shape[1])])
            if (signs >= 0).all() and signs.any() and not signs[equal[left]].any():
                still = left.copy()
                still[np.flatnonzero(left)[signs > 0]] = False
                return dict(zip(found, primitive(list(found.values())), strict=True)), still
    return None


def _signs(Z: Any, d: list[int]) -> Array:
    """Signs of z.d for every row: zeros, which are many, modulo primes."""
    out, rest = np.zeros(Z.shape[0], dtype=np.int8), np.flatnonzero(~vanishing(Z, d))
    for start in range(0, rest.size, _AT_ONCE):
        some = rest[start : start + _AT_ONCE]
        out[some] = row_signs(Z[some], d)
    return out


class _Weights(NamedTuple):
    """Weights that bring the rows nearly to 0, where there are some, and the direction that least squares ended with.

    Where a row has no positive weight, its weight shrinks and its product with the direction grows. `last` are the
    weights of the last round, with which a search on part of the rows may begin.
    """

    u: Array | None
    direction: Array
    last: Array


def _positive(Z: Any, equal: Array, begun: Array, deadline: Deadline) -> _Weights:
    """Look for weights that bring the rows to 0, positive but for equalities; the first round has the weights given."""
    nothing = _Weights(None, np.zeros(Z.shape[1]), begun)
    if not Z.shape[0]:
        return nothing._replace(u=np.zeros(0))
    scale = np.sqrt(np.asarray(Z.multiply(Z).sum(axis=0))).ravel()
    with np.errstate(divide="ignore"):
        columns = np.where(scale > 0, 1 / scale, 0.0)
        A = sp.csr_matrix(Z @ sp.diags_array(columns))
    if not np.isfinite(A.data).all():
        return nothing
    time_left(deadline)
    rows = np.sqrt(np.asarray(A.multiply(A).sum(axis=1))).ravel()
    rows = np.where(rows > 0, rows, 1.0)
    A = sp.csr_matrix(sp.diags_array(1 / rows) @ A)
    fit = LeastSquares(A, deadline)
    goal = np.where(equal, 0.0, 1.0)
    w = np.where(equal, _HEAVY, begun)
    x = np.zeros(A.shape[1])
    tolerance = _NEAR
    for _ in range(_ROUNDS):
        time_left(deadline)
        x = fit.solve(w, goal, tolerance, deadline)
        y = w * (goal - w * (A @ x))  # A' y = 0
        typical = float(np.median(np.abs(y)))
        if not np.isfinite(typical) or typical == 0:
            break
        if (equal | ((y > _LEAST * w) & (y > _TINY * typical))).all():
            if tolerance > _NEARER:
                tolerance = _NEARER
                continue
            y = y / rows
            return _Weights(y / np.median(np.abs(y)), columns * x, w)
        w = np.where(equal, w, np.maximum(y, _SHRINK * w))
        if w[~equal].min(initial=1.0) < _VANISHED * typical:
            x = fit.solve(np.where(equal, _HEAVIER, w), goal, _NEARER, deadline)
            break
    return _Weights(None, columns * x, np.clip(w / np.median(w), _BEGUN, 1 / _BEGUN))


def _overlap(
    equal: Array, factors: SparseFactors, rank: int, u: dict[int, float], deadline: Deadline
) -> Weights | None:
    """Exact weights: rounded ones on all rows but the basis."""
    time_left(deadline)
    basis = set(factors.ids[:rank].tolist())
    others = [i for i in u if i not in basis]
    largest = max(map(abs, u.values()), default=1.0)
    scale = min(2.0**_ROUNDED, 2.0**_LONGEST / largest)
    rounded = [round(u[i] * scale) if equal[i] else max(1, round(u[i] * scale)) for i in others]
    time_left(deadline)
    total = factors.whole.combined(np.array(others, dtype=np.int64), np.array(rounded, dtype=np.int64))
    time_left(deadline)
    found = factors.weights(rank, [-v for v in total], deadline)
    if found is None:
        return None
    weights, q = found
    time_left(deadline)
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
