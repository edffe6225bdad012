"""Check what was found about separation, in exact arithmetic; nothing of the search is imported.

The cone C holds the directions d with z.d >= 0 for all rows of Xbar, = 0 for the equalities. S: rows positive somewhere
in C.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any

import numpy as np

from linsep.theory.verify.separability import CertificateError, rank_is_at_least, value_signs
from linsep.types import Array

Vector = tuple[int, ...]
Weights = dict[int, int]
FINITE, UNDETERMINED, UNIDENTIFIED = "finite", "undetermined sign", "not identified"
UNSIGNED = "infinite, sign not decided"  # only where time ran out


@dataclass(frozen=True)
class SeparationProof:
    """Integers that prove which rows are separated and which coefficients are infinite.

    Attributes
    ----------
    directions
        Checked in turn: each has z.d = 0 on the equalities and z.d >= 0 on the rows not separated by those before it.
        (Their sum with weights falling fast enough is one direction of C.)
    separated
        The rows separated by them: S.
    overlap
        Weights of rows that add up to 0, positive on rows outside S, of any sign on equalities.
    spanning, null
        Rows of `overlap` or equalities that span all rows outside S; a basis of the vectors orthogonal to those.
    spanning_all, null_all
        The same for all rows.
    signs
        Coefficient j -> non-negative weights of rows of S whose sum has the same product with every d in C as a
        multiple of the j-th unit vector: d_j has one sign throughout C.
    opposite
        Coefficient j -> directions, in turn, in which the j-th entry has the other sign than in `directions`.
    unsigned
        Infinite coefficients whose sign was not decided in time.
    """

    directions: tuple[Vector, ...]
    separated: tuple[int, ...]
    overlap: Weights
    spanning: tuple[int, ...]
    null: tuple[Vector, ...]
    spanning_all: tuple[int, ...]
    null_all: tuple[Vector, ...]
    signs: dict[int, Weights] = field(default_factory=dict)
    opposite: dict[int, tuple[Vector, ...]] = field(default_factory=dict)
    unsigned: tuple[int, ...] = ()


def verify_proof(Z: Any, equal: Array, proof: SeparationProof) -> list[str | float]:
    """Return what the proof says of each coefficient: "finite", inf, -inf, "undetermined sign" or "not identified".

    Raises
    ------
    CertificateError
        Some part does not prove what it says.
    """
    left = _left(Z, equal, proof.directions)
    _require(np.flatnonzero(~left).tolist() == list(proof.separated), "the separated rows are not the rows named")
    inside = set(np.flatnonzero(left).tolist())
    _require(proof.overlap.keys() <= inside, "the overlap names a separated row")
    _require(all(type(k) is int and (k > 0 or equal[i]) for i, k in proof.overlap.items()), "a weight is not positive")
    _require(not any(combine(Z, proof.overlap)), "the rows of the overlap do not add up to 0")
    _require(
        all(i in inside and (equal[i] or i in proof.overlap) for i in proof.spanning), "a spanning row may be separated"
    )
    _check_null(Z[left], proof.null, exact_rows(Z, proof.spanning))
    _check_null(Z, proof.null_all, exact_rows(Z, proof.spanning_all))
    return [_status(Z, equal, proof, j) for j in range(Z.shape[1])]


def _left(Z: Any, equal: Array, directions: Sequence[Vector]) -> Array:
    """The rows on which all directions, taken in turn, are 0."""
    left = np.ones(Z.shape[0], dtype=bool)
    for k, d in enumerate(directions):
        found = _scores(Z[left], d)
        _require(bool((found >= 0).all()), f"direction {k} has a negative row")
        _require(not found[equal[left]].any(), f"direction {k} moves the mean of a row whose response is not 0")
        left[left] = found == 0
    return left


def _status(Z: Any, equal: Array, proof: SeparationProof, j: int) -> str | float:
    if any(v[j] for v in proof.null_all):
        return UNIDENTIFIED
    if not any(v[j] for v in proof.null):
        return FINITE
    way = main_sign(proof.directions, j)
    if way == 0:  # d + e v and d - e v are in C for a null vector v of the rows left and small e
        return UNDETERMINED
    if j in proof.unsigned:
        return UNSIGNED
    if j in proof.opposite:
        _left(Z, equal, proof.opposite[j])
        _require(main_sign(proof.opposite[j], j) * way < 0, f"coefficient {j} has one sign in both directions")
        return UNDETERMINED
    # With one dimension beyond the null vectors of all rows, C is a ray beside them.
    if len(proof.null) > len(proof.null_all) + 1:
        weights, separated = proof.signs.get(j, {}), set(proof.separated)
        _require(
            all(k >= 0 and i in separated for i, k in weights.items()), f"a weight for coefficient {j} is not >= 0"
        )
        # On C, where d is a combination of null vectors of the rows left, the sum of the rows is t way d_j.
        total = combine(Z, weights)
        sums = [sum(a * b for a, b in zip(total, v, strict=True) if a and b) for v in proof.null]
        k, entry = next((k, v[j]) for k, v in enumerate(proof.null) if v[j])
        same = all(s * entry == sums[k] * v[j] for s, v in zip(sums, proof.null, strict=True))
        _require(same and sums[k] * entry * way > 0, f"the sign of coefficient {j} is not proved")
    return way * inf


def main_sign(directions: Sequence[Vector], j: int) -> int:
    """Sign of the j-th entry of the directions added with weights falling fast."""
    entry = next((d[j] for d in directions if d[j]), 0)
    return (entry > 0) - (entry < 0)


def exact_rows(Z: Any, ids: Sequence[int]) -> list[tuple[list[int], int]]:
    """Rows of Z as integers m and an exponent q: z = m / 2^q."""
    out = []
    for i in ids:
        row = Z[[i]].toarray()[0] if hasattr(Z, "toarray") else Z[i]
        ratios = [value.as_integer_ratio() for value in row.tolist()]
        q = max(denominator.bit_length() - 1 for _, denominator in ratios)
        out.append(([m << (q + 1 - d.bit_length()) for m, d in ratios], q))
    return out


def combine(Z: Any, weights: Weights) -> list[int]:
    """The sum of weights times rows, times a power of two."""
    rows = exact_rows(Z, list(weights))
    top = max((q for _, q in rows), default=0)
    total = [0] * Z.shape[1]
    for (row, q), k in zip(rows, weights.values(), strict=True):
        for j, m in enumerate(row):
            if m:
                total[j] += (k * m) << (top - q)
    return total


def _scores(Z: Any, d: Vector) -> Array:
    _require(len(d) == Z.shape[1] and all(type(v) is int for v in d), "a vector has the wrong length or no integers")
    return value_signs(Z, np.array(d, dtype=object)) if any(d) else np.zeros(Z.shape[0], dtype=np.int8)


def _check_null(Z: Any, null: Sequence[Vector], spanning: list[tuple[list[int], int]]) -> None:
    """Raise unless `null` is a basis of all vectors orthogonal to the rows of Z, given rows that span them."""
    _require(all(not _scores(Z, v).any() for v in null), "a null vector is not orthogonal to the rows")
    independent = rank_is_at_least(np.array(null, dtype=object), len(null))
    _require(independent, "the null vectors are not independent")
    enough = rank_is_at_least(np.array([m for m, _ in spanning], dtype=object), Z.shape[1] - len(null))
    _require(enough, "the spanning rows do not bound the null vectors")


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise CertificateError(what)
