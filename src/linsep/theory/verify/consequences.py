"""What follows from which rows of a cone are separated: where coefficients go, and how many rows have to be dropped.

As `linsep.theory.verify.cone`, this file only verifies, in integers, and imports nothing else of linsep.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf, lcm
from typing import Any

import numpy as np

from linsep.theory.verify.cone import (
    ConeProof,
    Rows,
    Vector,
    Weights,
    check_sum,
    left_by,
    orthogonal_columns,
    require,
    some_rows,
    verify,
)
from linsep.theory.verify.exact import is_sparse, rank_is

FINITE, UNDETERMINED, UNIDENTIFIED = "finite", "undetermined sign", "not identified"
UNSIGNED = "sign or limit not decided"  # only where time ran out
_MOST_BASES = 64
_DEEPEST = 200  # branches, one in another


@dataclass(frozen=True)
class SeparationProof:
    """Which rows of a regression are separated, and which coordinates d_j have one sign in the cone.

    Attributes
    ----------
    cone
        Which rows are separated; with its null vectors, unless there are `bases`.
    basis, null
        Rows that span all rows, and all vectors orthogonal to these, as in a `ConeProof`.
    signs
        j -> weights of separated rows, > 0, whose sum has the same products with all of C as a multiple of d_j.
    opposite
        j -> directions of C, taken in turn, in which d_j has the other sign than in those of `cone`.
    unsigned
        Coordinates whose sign was not decided in time.
    bases
        Of more columns than rows, with all rows separated, instead of all this: sets of as many independent columns as
        there are rows, no column in all of them. Each column is a combination of others then.
    """

    cone: ConeProof
    basis: tuple[int, ...] = ()
    null: tuple[Vector, ...] = ()
    signs: Mapping[int, Weights] = field(default_factory=dict)
    opposite: Mapping[int, tuple[Vector, ...]] = field(default_factory=dict)
    unsigned: tuple[int, ...] = ()
    bases: tuple[tuple[int, ...], ...] = ()

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
        return len(self.bases[0]) if self.bases else width - len(self.null)


def coefficients(rows: Rows, proof: SeparationProof) -> list[str | float]:
    """Return where each coordinate of the maximum likelihood estimate goes; raise unless all parts of the proof hold.

    "not identified" if a vector orthogonal to all rows has an entry there; else "finite" if none orthogonal to the rows
    left has; else inf or -inf if d_j has one sign in C, else "undetermined sign".
    """
    require(verify(rows, proof.cone), "it is not shown that no more rows are separated")
    n = proof.cone.n_rows
    if proof.bases:
        equal = np.zeros(n, dtype=bool) if rows.equal is None else rows.equal
        require(equal[list(proof.cone.left)].all(), "a row left is no equality")
        _require_bases(rows, proof.bases)
        return [UNIDENTIFIED] * rows.width
    require(proof.cone.basis is not None, "the vectors orthogonal to the rows left are not given")
    same = len(proof.cone.left) == n and (proof.basis, proof.null) == (proof.cone.basis, proof.cone.null)
    if not same:  # else that was checked
        columns = orthogonal_columns(rows, proof.null, np.ones(n, dtype=bool))
        require(all(type(i) is int and 0 <= i < n for i in proof.basis), "a row of the whole basis is not there")
        require(
            rank_is(some_rows(rows, proof.basis, columns), len(columns)), "the rows of the whole basis do not span all"
        )
    return _Coordinates(rows, proof).every()


def _require_bases(rows: Rows, bases: Sequence[Sequence[int]]) -> None:
    n = rows.X.shape[0]
    require(len(bases) <= _MOST_BASES, f"there are more than {_MOST_BASES} bases")
    for basis in bases:
        fits = len(set(basis)) == len(basis) == n and all(type(j) is int and 0 <= j < rows.width for j in basis)
        require(fits and rank_is(some_rows(rows, range(n), basis), n), "a basis of columns does not have full rank")
    require(not set.intersection(*map(set, bases)), "a column is in every basis")


class _Coordinates:
    """What a proof says of each coordinate, once its other parts are checked."""

    def __init__(self, rows: Rows, proof: SeparationProof) -> None:
        self.rows, self.proof, self.null, self.left = rows, proof, proof.cone.null, set(proof.cone.left)
        self.unidentified = {j for vector in proof.null for j, v in vector.items() if v}
        self.main = _main_signs(proof.cone.directions)
        self.touching: dict[int, list[int]] = {}  # column -> the null vectors with an entry there
        for k, vector in enumerate(self.null):
            for j in (j for j, v in vector.items() if v):
                self.touching.setdefault(j, []).append(k)
        # With one dimension beyond the null vectors of all rows, C is a ray beside them.
        self.is_ray = len(self.null) <= len(proof.null) + 1
        self.checked: dict[int, Vector] = {}  # the signs of directions already checked, by their identity

    def every(self) -> list[str | float]:
        return [self._of(j) for j in range(self.rows.width)]

    def _of(self, j: int) -> str | float:
        if j in self.unidentified:
            return UNIDENTIFIED
        if j not in self.touching:
            return FINITE
        self.rows.ask()
        way = self.main.get(j, 0)
        if way == 0:  # d + e v and d - e v are in C for a null vector v of the rows left and small e
            return UNDETERMINED
        if j in self.proof.unsigned:
            return UNSIGNED
        if (directions := self.proof.opposite.get(j)) is not None:
            if id(directions) not in self.checked:
                left_by(self.rows, directions, idle=1)
                self.checked[id(directions)] = _main_signs(directions)
            require(self.checked[id(directions)].get(j) == -way, f"coefficient {j} has one sign only")
            return UNDETERMINED
        if not self.is_ray:
            self._check_sign(j, way)
        return way * inf

    def _check_sign(self, j: int, way: int) -> None:
        """On C, where d is a combination of null vectors of the rows left, the sum of the rows is t way d_j, t > 0."""
        weights, null, n = self.proof.signs.get(j, {}), self.null, self.proof.cone.n_rows
        for i, k in weights.items():
            fits = type(i) is int and 0 <= i < n and type(k) is int and k > 0 and i not in self.left
            require(fits, f"a weight for coefficient {j} is not > 0, or of a row that is not separated")
        total, sums = _combined(self.rows, weights), Counter[int]()
        for column, value in total.items():
            for k in self.touching.get(column, ()):
                sums[k] += value * null[k][column]
        first, *_ = self.touching[j]
        t = Fraction(sums[first], null[first][j])
        same = all(sums[k] == t * null[k].get(j, 0) for k in {*sums, *self.touching[j]})
        require(same and t * way > 0, f"the sign of coefficient {j} is not proved")


def _main_signs(directions: Sequence[Vector]) -> Vector:
    """Sign of each entry of the directions added with weights falling fast; zeros are left out."""
    out: dict[int, int] = {}
    for d in directions:
        for j, v in d.items():
            if v:
                out.setdefault(j, v // abs(v))
    return out


def _combined(rows: Rows, weights: Weights) -> Vector:
    """The sum of weights times rows, times a positive integer."""
    total: dict[int, tuple[int, int]] = {}
    for i, k in weights.items():
        X, p, u = rows.X, rows.X.shape[1], k if rows.s is None else k * int(rows.s[i])
        at = slice(X.indptr[i], X.indptr[i + 1]) if is_sparse(X) else None
        row = zip(X.indices[at].tolist(), X.data[at].tolist(), strict=True) if at else enumerate(X[i].tolist())
        for j, v in [*row, *[(p, 1)] * rows.constant]:
            (m, q), (a, b) = v.as_integer_ratio(), total.get(j, (0, 1))
            total[j] = (a * (c := lcm(b, q)) // b + u * m * (c // q), c)
    common = lcm(*(q for _, q in total.values()))
    return {j: a * (common // q) for j, (a, q) in total.items()}


def rows_to_go(rows: Rows, witnesses: Sequence[Weights], proof: Any, keep: int = 0) -> int:
    """Return how many rows at least have to go before the rest is separable; raise unless each witness is one.

    No row of the sign `keep` may go.
    """
    for weights in {tuple(witness.items()): witness for witness in witnesses}.values():
        require(weights, "a witness has no rows")
        check_sum(rows, weights)
    s: Any = rows.s
    losing = [{i: v for i, v in weights.items() if s is None or s[i] != keep} for weights in witnesses]
    require(all(losing), "a witness has no row that may go")
    return fewest(proof, losing)


def fewest(proof: Any, witnesses: Sequence[Weights], gone: frozenset[int] = frozenset()) -> int:
    """Return how many rows at least have to go before the rest is separable, as a proof about witnesses says.

    Each witness is rows that add up to 0 with positive weights: one of them has to go. A proof
    is one of two things. `{"unit": q, "weights": {k: v}}` gives witness k the weight v / q, such that the witnesses of
    each row have at most 1 together. Whatever rows go, each witness loses one of its rows, so the number of rows that
    go is at least the sum of all weights. `{"witness": k, "without": [proof, ...]}` has one proof for each row of
    witness k, in ascending order: one of them has to go, and each proof is about the rows that are then left.

    Examples
    --------
    >>> triangle = [{0: 1, 1: 1}, {1: 1, 2: 1}, {0: 1, 2: 1}]
    >>> fewest({"unit": 2, "weights": {0: 1, 1: 1, 2: 1}}, triangle)
    2
    """
    require(isinstance(proof, dict) and len(gone) <= _DEEPEST, "the proof of the fewest rows has no such form")
    if proof.keys() == {"witness", "without"}:
        ids = sorted(_intact(witnesses, proof["witness"], gone))
        require(len(proof["without"]) == len(ids), "a branch of the proof needs one part for each row of its witness")
        return 1 + min(fewest(part, witnesses, gone | {i}) for i, part in zip(ids, proof["without"], strict=True))
    require(proof.keys() == {"unit", "weights"}, "the proof of the fewest rows has no such form")
    unit, weights, load = proof["unit"], proof["weights"], Counter[int]()
    positive = all(type(v) is int and v > 0 for v in [unit, *weights.values()])
    require(positive, "weights of witnesses must be positive integers")
    for k, v in weights.items():
        for i in _intact(witnesses, k, gone):
            load[i] += v
    require(all(v <= unit for v in load.values()), "the witnesses of a row have a weight above 1 together")
    return int(-(-sum(weights.values()) // unit))


def _intact(witnesses: Sequence[Weights], k: Any, gone: frozenset[int]) -> Weights:
    """The witness of that number, which has to be one of rows that are there."""
    require(type(k) is int and 0 <= k < len(witnesses), "a witness is named that is not there")
    require(not gone & witnesses[k].keys(), "a witness has a row that has gone")
    found: Weights = witnesses[k]
    return found
