"""Check what was found about separation, in exact arithmetic; nothing of the search is imported.

The cone C holds the directions d with z.d >= 0 for all rows of Xbar, = 0 for the equalities. S: rows positive somewhere
in C.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any

import numpy as np
import scipy.sparse as sp

from linsep.theory.verify.near_weights import NearWeights, verify_near_weights
from linsep.theory.verify.pauses import pause
from linsep.theory.verify.separability import (
    CertificateError,
    orthogonal_together,
    rank_is_at_least,
    small,
    value_signs,
)
from linsep.types import Array

_MOST_ENTRIES = 50_000_000  # of null vectors that are looked at as a table

Vector = dict[int, int]  # column -> integer
Weights = dict[int, int]
FINITE, UNDETERMINED, UNIDENTIFIED = "finite", "undetermined sign", "not identified"
UNSIGNED = "infinite, sign not decided"  # only where time ran out


@dataclass(frozen=True)
class SeparationProof:
    """Integers that prove which rows are separated and which coefficients are infinite.

    Vectors map a column to an integer; columns that are not named have 0.

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
    near
        Instead of an overlap, where there are no equalities: weights of rows outside S near exact ones that are one,
        and what proves that they are. Its basis are the spanning rows.
    bases
        Where there are more columns than rows and every row that is no equality is separated: sets of as many columns
        as there are rows, each of full rank, and no column in all of them. A column outside of one of them is a
        combination of its columns, so no coefficient is identified. The other parts are empty then.
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
    bases: tuple[tuple[int, ...], ...] = ()
    near: NearWeights | None = None

    def rank(self, width: int) -> int:
        """Return the rank of a design, once the proof is checked.

        Parameters
        ----------
        width : int
            Its columns, the constant included.

        Returns
        -------
        int
            The columns of a basis, or all columns less the null vectors.
        """
        return len(self.bases[0]) if self.bases else width - len(self.null_all)


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
    _require(_adds_up(Z, proof.overlap), "the rows of the overlap do not add up to 0")
    held = proof.overlap if proof.near is None else proof.near.basis
    _require(all(i in inside and (equal[i] or i in held) for i in proof.spanning), "a spanning row may be separated")
    _require(all(len(set(ids)) == len(ids) for ids in (proof.spanning, proof.spanning_all)), "a row spans twice")
    if proof.bases:
        _check_bases(Z, proof)
        # Equalities are never separated, and of no coefficient is more to be said.
        _require(not (left & ~equal).any(), "a row left is no equality")
        unidentified = set(range(Z.shape[1]))
    else:
        if proof.near is not None:
            _check_near(Z, equal, left, proof, proof.near)
        else:
            _check_null(Z if left.all() else Z[left], proof.null, Z[list(proof.spanning)])
        if proof.spanning_all != proof.spanning or proof.null_all != proof.null or proof.separated:
            _check_null(Z, proof.null_all, Z[list(proof.spanning_all)])
        unidentified = {j for vector in proof.null_all for j, v in vector.items() if v}
    return _Statuses(Z, equal, proof, unidentified).every()


def _left(Z: Any, equal: Array, directions: Sequence[Vector]) -> Array:
    """The rows on which all directions, taken in turn, are 0."""
    _require(len(directions) <= sum(Z.shape), "there are more directions than rows and columns")
    left = np.ones(Z.shape[0], dtype=bool)
    for k, d in enumerate(directions):
        found = _scores(Z if left.all() else Z[left], d)
        _require(bool((found >= 0).all()), f"direction {k} has a negative row")
        _require(not found[equal[left]].any(), f"direction {k} moves the mean of a row whose response is not 0")
        left[left] = found == 0
    return left


class _Statuses:
    """What the proof says of each coefficient, once its other parts are checked."""

    def __init__(self, Z: Any, equal: Array, proof: SeparationProof, unidentified: set[int]) -> None:
        self.Z, self.equal, self.proof, self.unidentified = Z, equal, proof, unidentified
        self.separated = set(proof.separated)
        self.main = _main_signs(proof.directions)
        self.touching: dict[int, list[int]] = {}  # column -> the null vectors with an entry there
        for k, vector in enumerate(proof.null):
            for j, v in vector.items():
                if v:
                    self.touching.setdefault(j, []).append(k)
        # With one dimension beyond the null vectors of all rows, C is a ray beside them.
        self.is_ray = len(proof.null) <= Z.shape[1] - proof.rank(Z.shape[1]) + 1
        self.checked: dict[int, Vector] = {}  # the signs of directions already checked, by their identity

    def every(self) -> list[str | float]:
        return [self._of(j) for j in range(self.Z.shape[1])]

    def _of(self, j: int) -> str | float:
        proof = self.proof
        if j in self.unidentified:
            return UNIDENTIFIED
        if j not in self.touching:
            return FINITE
        pause()
        way = self.main.get(j, 0)
        if way == 0:  # d + e v and d - e v are in C for a null vector v of the rows left and small e
            return UNDETERMINED
        if j in proof.unsigned:
            return UNSIGNED
        if j in proof.opposite:
            _require(self._other_signs(proof.opposite[j]).get(j, 0) * way < 0, f"coefficient {j} has one sign only")
            return UNDETERMINED
        if not self.is_ray:
            self._check_sign(j, way)
        return way * inf

    def _other_signs(self, directions: tuple[Vector, ...]) -> Vector:
        if id(directions) not in self.checked:
            _left(self.Z, self.equal, directions)
            self.checked[id(directions)] = _main_signs(directions)
        return self.checked[id(directions)]

    def _check_sign(self, j: int, way: int) -> None:
        """On C, where d is a combination of null vectors of the rows left, the sum of the rows is t way d_j, t > 0."""
        weights, null = self.proof.signs.get(j, {}), self.proof.null
        _require(
            all(k >= 0 and i in self.separated for i, k in weights.items()), f"a weight for coefficient {j} is not >= 0"
        )
        total = _combined(self.Z, weights)
        sums: Counter[int] = Counter()
        for column, value in total.items():
            for k in self.touching.get(column, ()):
                sums[k] += value * null[k][column]
        first = self.touching[j][0]
        entry = null[first][j]
        asked = {*sums, *self.touching[j]}
        same = all(sums[k] * entry == sums[first] * null[k].get(j, 0) for k in asked)
        _require(same and sums[first] * entry * way > 0, f"the sign of coefficient {j} is not proved")


def _main_signs(directions: Sequence[Vector]) -> Vector:
    """Sign of each entry of the directions added with weights falling fast; zeros are left out."""
    out: Vector = {}
    for d in directions:
        for j, v in d.items():
            if v:
                out.setdefault(j, 1 if v > 0 else -1)
    return out


def _adds_up(Z: Any, weights: Weights) -> bool:
    """Whether the weighted rows add up to 0."""
    if not weights:
        return True
    part = Z[list(weights)].T
    return not value_signs(part.tocsr() if hasattr(part, "tocsr") else part, _objects(list(weights.values()))).any()


def _objects(values: Sequence[int]) -> Array:
    """Integers of any size as an array."""
    return np.array(values, dtype=object)


def _combined(Z: Any, weights: Weights) -> Vector:
    """The sum of weights times rows, times a power of two, without zeros."""
    parts = []
    for i, k in weights.items():
        if hasattr(Z, "indptr"):
            at = slice(Z.indptr[i], Z.indptr[i + 1])
            columns, values = Z.indices[at].tolist(), Z.data[at].tolist()
        else:
            columns, values = range(Z.shape[1]), Z[i].tolist()
        ratios = {j: v.as_integer_ratio() for j, v in zip(columns, values, strict=True) if v}
        parts.append((k, ratios, max((q.bit_length() - 1 for _, q in ratios.values()), default=0)))
    top = max((q for *_, q in parts), default=0)
    total: Counter[int] = Counter()
    for k, ratios, _ in parts:
        for j, (m, q) in ratios.items():
            total[j] += (k * m) << (top + 1 - q.bit_length())
    return {j: v for j, v in total.items() if v}


def _scores(Z: Any, d: Vector) -> Array:
    """Signs of z.d for every row."""
    _check_vector(d, Z.shape[1])
    if not any(d.values()):
        return np.zeros(Z.shape[0], dtype=np.int8)
    whole = np.zeros(Z.shape[1], dtype=object)
    whole[list(d)] = list(d.values())
    return value_signs(Z, whole)


def _check_vector(d: Vector, width: int) -> None:
    fits = all(type(j) is int and 0 <= j < width and type(v) is int for j, v in d.items())
    _require(fits, "a vector has the wrong length or no integers")


def _check_null(Z: Any, null: Sequence[Vector], spanning: Any) -> None:
    """Raise unless `null` is a basis of all vectors orthogonal to the rows of Z, given rows that span them."""
    width = Z.shape[1]
    _require(len(null) <= width, "there are more null vectors than columns")
    for vector in null:
        _check_vector(vector, width)
    _require(_orthogonal(Z, null), "a null vector is not orthogonal to the rows")
    _require(_independent(null, width), "the null vectors are not independent")
    enough = rank_is_at_least(spanning, width - len(null))
    _require(enough, "the spanning rows do not bound the null vectors")


def _check_near(Z: Any, equal: Array, left: Array, proof: SeparationProof, near: NearWeights) -> None:
    """Raise unless rows left add up to 0 with weights near those given, and `null` is a basis orthogonal to them."""
    _require(not (equal.any() or proof.overlap or proof.bases), "weights near exact ones have parts of another proof")
    _require(proof.spanning == near.basis, "the spanning rows are not the basis of the weights near exact ones")
    for vector in proof.null:
        _check_vector(vector, Z.shape[1])
    empty = set(np.flatnonzero(_columns_of_zeros(Z if left.all() else Z[left])).tolist())
    units = [v for v in proof.null if v.keys() <= empty]
    named = [j for v in units for j, k in v.items() if k and len(v) == 1]
    _require(len(named) == len(units) and Counter(named) == Counter(empty), "a column without entries has not its own")
    others = [v for v in proof.null if not v.keys() <= empty]
    verify_near_weights(Z, None, near, others, np.flatnonzero(left), fit_intercept=False)


def _orthogonal(Z: Any, null: Sequence[Vector]) -> bool:
    """Whether every row is orthogonal to every vector."""
    columns = Z.tocsc() if hasattr(Z, "tocsc") else Z
    empty = _columns_of_zeros(columns)
    rest = [kept for v in null if (kept := {j: k for j, k in v.items() if k and not empty[j]})]
    if hasattr(Z, "tocsc") and rest and small(Z):
        rest = _not_surely_orthogonal(Z, rest)
    for vector in [] if orthogonal_together(columns, rest) else rest:
        at = sorted(vector)
        part = columns[:, at]
        if hasattr(part, "tocsr"):
            part = part.tocsr()[np.bincount(part.indices, minlength=part.shape[0]) > 0]
        if value_signs(part, _objects([vector[j] for j in at])).any():
            return False
    return True


def _not_surely_orthogonal(Z: Any, vectors: list[Vector]) -> list[Vector]:
    """The vectors without those of small integers that integers of 64 bits show to be orthogonal to whole rows."""
    whole = np.array_equal(Z.data, np.rint(Z.data))
    few = [v for v in vectors if whole and max(map(abs, v.values())) < 2**31]
    if not few:
        return vectors
    at = np.repeat(np.arange(len(few)), [len(v) for v in few])
    names = [j for v in few for j in v]
    values = np.array([k for v in few for k in v.values()], dtype=np.int64)
    N = sp.csc_matrix((values, (names, at)), shape=(Z.shape[1], len(few)))
    with np.errstate(over="ignore"):
        size = abs(Z.astype(np.float64)).sum(axis=1).max() * float(abs(values).max())
    if not size < 2**62:
        return vectors
    found = Z.astype(np.int64) @ N
    wrong = set(np.unique(found.nonzero()[1]).tolist())
    shown = {id(v) for k, v in enumerate(few) if k not in wrong}
    return [v for v in vectors if id(v) not in shown]


def _columns_of_zeros(columns: Any) -> Array:
    """Which columns have no entry."""
    if hasattr(columns, "indptr"):
        named = np.repeat(np.arange(columns.shape[1]), np.diff(columns.indptr))
        return np.asarray(np.bincount(named[columns.data != 0], minlength=columns.shape[1]) == 0)
    return np.asarray(~(columns != 0).any(axis=0), dtype=bool)


def _independent(null: Sequence[Vector], width: int) -> bool:
    """Whether the vectors are independent: where each has a column of its own, or by their rank."""
    often = Counter(j for vector in null for j, v in vector.items() if v)
    if all(any(v and often[j] == 1 for j, v in vector.items()) for vector in null):
        return True
    _require(len(null) * width <= _MOST_ENTRIES, "so many null vectors need a column of their own each")
    table = np.zeros((len(null), width), dtype=object)
    for row, vector in zip(table, null, strict=True):
        row[list(vector)] = list(vector.values())
    return rank_is_at_least(table, len(null))


def _check_bases(Z: Any, proof: SeparationProof) -> None:
    """Raise unless each basis has the rank of all rows and no column is in all bases."""
    n, width = Z.shape
    for basis in proof.bases:
        distinct = len(set(basis)) == len(basis) == n and all(type(j) is int and 0 <= j < width for j in basis)
        _require(distinct and rank_is_at_least(Z[:, list(basis)], n), "a basis of columns does not have full rank")
    common = set(proof.bases[0]).intersection(*proof.bases)
    _require(not common, "a column is in every basis")
    others = (proof.overlap, proof.null, proof.null_all, proof.spanning, proof.spanning_all, proof.signs)
    _require(not any(others), "a proof by bases has parts of another proof")


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise CertificateError(what)
