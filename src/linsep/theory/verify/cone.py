"""Check what was found about a cone of directions, in exact arithmetic; nothing else of linsep is imported.

Rows z_i = s_i (x_i, 1), without the 1 unless there is a constant; some are equalities. The cone C holds the directions
d with z_i.d >= 0 for every row, and = 0 for equalities. A row is separated if z_i.d > 0 for some d in C. All proofs
of linsep say which rows of such a cone are separated, and that no others are: see `verify`. The arithmetic is in
`exact.py`. Rows and columns are counted from 0; the constant is the last column.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy as sp

from linsep.theory.verify.exact import TINY, Array, holds_doubles, is_sparse, rank_is, value_signs

Vector = Mapping[int, int]  # column -> integer; columns that are not named have 0
Weights = Mapping[int, int]  # row -> integer


class CertificateError(ValueError):
    """A certificate that does not prove what it says: the message names the row or the column."""


def require(holds: Any, what: str) -> None:
    if not holds:
        raise CertificateError(what)


@dataclass(frozen=True)
class Rows:
    """The rows z_i = s_i (x_i, 1) of X, an ndarray or CSR without duplicates; `ask` is called between steps."""

    X: Any
    s: Array | None = None  # all are 1 unless given
    constant: bool = False
    equal: Array | None = None  # which are equalities: none unless given
    ask: Callable[[], object] = field(default=lambda: None)

    @property
    def width(self) -> int:
        return int(self.X.shape[1]) + self.constant

    def doubles(self, ids: Any, columns: Sequence[int]) -> Any:
        """These rows on these columns, the constant's included, of which doubles hold every entry."""
        p, part = self.X.shape[1], self.X[ids]
        at = [j for j in columns if j < p]
        part = (part if len(at) == p else part[:, at]).astype(np.float64, copy=False)
        if p in columns:
            one = np.ones((part.shape[0], 1))
            part = (
                sp.sparse.hstack([part, sp.sparse.csr_matrix(one)], format="csr")
                if is_sparse(part)
                else np.hstack([part, one])
            )
        if self.s is None:
            return part
        s = self.s[ids].astype(np.float64)
        return sp.sparse.csr_matrix(sp.sparse.diags_array(s) @ part) if is_sparse(part) else part * s[:, None]


@dataclass(frozen=True)
class ConeProof:
    """Integers that prove which rows of a cone are separated.

    Attributes
    ----------
    n_rows
        Rows that it is about.
    directions
        Taken in turn: each is >= 0 on the rows that those before it left, 0 on equalities, and takes away those on
        which it is > 0. (Added with weights that fall fast enough they are one direction of C.)
    left
        The rows that no direction takes away, in ascending order.
    weights
        Weights of rows left, > 0 (of equalities any) that add these rows up to 0: no direction of C is > 0 on one.
    within
        Above 0: other weights do so, each of which differs from the one given by at most this share of it.
    basis
        Rows with weights, or equalities, that span all rows left, so that none of these is separated; independent ones
        where `within` is above 0. None: that is not shown.
    null
        All vectors orthogonal to the rows left, independent: each has an entry in a column in which no other has one.
    """

    n_rows: int
    directions: tuple[Vector, ...] = ()
    left: Sequence[int] = ()
    weights: Weights = field(default_factory=dict)
    within: float = 0.0
    basis: tuple[int, ...] | None = None
    null: tuple[Vector, ...] = ()

    def __post_init__(self) -> None:
        every = len(self.left) == self.n_rows  # one form of what is the same, and the one that takes no memory
        object.__setattr__(self, "left", range(self.n_rows) if every else tuple(self.left))

    @property
    def separated(self) -> Array:
        """The rows that a direction takes away, in ascending order."""
        out = np.ones(self.n_rows, dtype=bool)
        out[np.asarray(self.left, dtype=np.int64)] = False
        return np.flatnonzero(out)


@np.errstate(all="ignore")  # whatever the caller has asked for
def verify(rows: Rows, proof: ConeProof) -> bool:
    """Return whether it is proved that no direction of C separates a row left; raise unless all parts hold.

    Let u be the weights. For d in C the sum of u_i z_i.d is 0 and no term is negative, as z.d is 0 on equalities. So
    z.d = 0 on the rows with weights, on the basis, and on all rows left, which the basis spans: these are orthogonal to
    the null vectors, so their rank is at most the number of other columns, and the basis has that rank.
    """
    require(np.array([2.0**-1022]) * 0.5 > 0, "this process makes the smallest doubles 0 (FTZ, DAZ): ask in another")
    require(proof.n_rows == rows.X.shape[0], f"this proof is about {proof.n_rows:,} rows, not {rows.X.shape[0]:,}")
    left = left_by(rows, proof.directions)
    same = np.array_equal(np.flatnonzero(left), np.asarray(proof.left, dtype=np.int64))
    require(same, f"the directions leave {np.count_nonzero(left):,} rows, which are not the rows named")
    equal = np.zeros(left.size, dtype=bool) if rows.equal is None else rows.equal
    weights, basis = proof.weights, proof.basis
    exact = type(proof.within) is float and proof.within == 0.0
    check_sum(rows, weights, exact=exact)
    require(left[list(weights)].all(), "a row has a weight, and a direction separates it")
    if basis is None:
        require(exact and not proof.null, "a part of the proof stands there without a basis")
        return not (left & ~equal).any()
    for i in basis:
        known = type(i) is int and (i in weights or (0 <= i < left.size and equal[i]))
        require(known, f"row {i} of the basis has no weight")
    require(len(set(basis)) == len(basis), "a row of the basis stands twice")
    columns = orthogonal_columns(rows, proof.null, left)
    if exact:
        require(
            rank_is(some_rows(rows, basis, columns), len(columns)), "the rows of the basis do not span all rows left"
        )
    else:
        require(len(basis) == len(columns) and not equal.any(), "the basis is not one of as many rows as columns")
        _require_near(rows, weights, basis, columns, proof.within)
    require(weights or equal.any() or not left.any(), "rows are left, and none has a weight")
    return True


def signs_on(rows: Rows, d: Vector, ids: Any = slice(None)) -> Array:
    """Sign of z_i.d for these rows, all unless given."""
    p = rows.X.shape[1]
    fits = all(type(j) is int and 0 <= j < rows.width and type(v) is int for j, v in d.items())
    require(fits, "a vector has a column that is not there, or a number that is no integer")
    at = sorted(j for j in d if j < p)
    X, at = (rows.X[:, at][ids], at) if 4 * len(at) <= p else (rows.X[ids], list(range(p)))
    rows.ask()
    found = value_signs(X, [d.get(j, 0) for j in at], d.get(p, 0))
    return found if rows.s is None else found * rows.s[ids].astype(np.int8)


def left_by(rows: Rows, directions: Sequence[Vector], idle: int = 0) -> Array:
    """The rows that directions leave; all but so many idle ones take rows away."""
    left = np.ones(rows.X.shape[0], dtype=bool)
    require(len(directions) <= left.size + idle, "there are more directions than rows")
    for k, d in enumerate(directions):
        found = signs_on(rows, d) if left.all() else signs_on(rows, d, left)
        if (found < 0).any():
            raise CertificateError(f"direction {k} is negative at row {np.flatnonzero(left)[found < 0][0]}")
        require(rows.equal is None or not found[rows.equal[left]].any(), f"direction {k} is not 0 on an equality")
        idle -= not found.any()
        require(idle >= 0, f"direction {k} takes no row away")
        left[left] = found == 0
    return left


def orthogonal_columns(rows: Rows, null: Sequence[Vector], left: Array) -> list[int]:
    """The columns without one for each null vector, once these are shown to be orthogonal to all rows left."""
    entries = [(j, v) for vector in null for j, v in vector.items()]
    fits = all(type(j) is int and 0 <= j < rows.width and type(v) is int for j, v in entries)
    require(fits, "a null vector has a column that is not there, or a number that is no integer")
    often = Counter(j for j, v in entries if v)
    own = {next((j for j, v in vector.items() if v and often[j] == 1), -1) for vector in null}
    require(-1 not in own, "a null vector has no column of its own")
    X = rows.X if left.all() else rows.X[left]
    p = X.shape[1]
    used = np.ones(rows.width, dtype=bool)
    used[:p] = np.bincount(X.indices[X.data != 0], minlength=p) if is_sparse(X) else (X != 0).any(axis=0)
    part = Rows(X, None, rows.constant, None, rows.ask)
    long = [v for v in null if any(used[j] for j in v)]
    for vector in [] if not long or _surely_orthogonal(part, long) else long:
        require(not signs_on(part, vector).any(), f"the null vector of columns {list(vector)[:5]} is not orthogonal")
    return [j for j in range(rows.width) if j not in own]


def _surely_orthogonal(rows: Rows, vectors: Sequence[Vector]) -> bool:
    """Whether sums of small integers show at once that all rows are orthogonal to these vectors."""
    stored = rows.X.data if is_sparse(rows.X) else rows.X
    if stored.dtype.kind not in "iuf" or not np.array_equal(stored, np.rint(stored)):
        return False
    largest = int(abs(stored.astype(np.float64)).max(initial=1))  # abs(-128) is -128 in 8 bits
    columns, numbers, values = zip(*[(j, k, x) for k, v in enumerate(vectors) for j, x in v.items()], strict=True)
    if largest * max(map(abs, values)) * rows.width >= 2**53:
        return False
    at = sorted(set(columns))
    N: Any = sp.sparse.csr_matrix((values, (np.searchsorted(at, columns), numbers)), dtype=np.float64)
    return not (rows.doubles(slice(None), at) @ N != 0).sum()


def check_sum(rows: Rows, weights: Weights, *, exact: bool = True) -> None:
    """Raise unless weights are > 0, of equalities any, and, where they are `exact`, rows times weights add up to 0."""
    require({*map(type, weights), *map(type, weights.values())} <= {int}, "a row or a weight is no integer")
    require(all(0 <= i < rows.X.shape[0] for i in weights), "a row with a weight is not there")
    ids = np.array(list(weights), dtype=np.int64)
    equal = np.zeros(ids.size, dtype=bool) if rows.equal is None else rows.equal[ids]
    require((equal | np.array([u > 0 for u in weights.values()], dtype=bool)).all(), "a weight is not positive")
    if not exact:
        return
    s = np.ones(ids.size, dtype=np.int64) if rows.s is None else rows.s[ids].astype(np.int64)
    signed = [u * k for u, k in zip(weights.values(), s.tolist(), strict=True)]
    table = rows.X[ids].T
    rows.ask()
    zero = not value_signs(table.tocsr() if is_sparse(table) else table, signed).any()
    require(zero and not (rows.constant and sum(signed)), "the weighted signed rows do not add up to 0")


def some_rows(rows: Rows, ids: Sequence[int], columns: Sequence[int]) -> Any:
    """These rows on these columns, up to their signs."""
    rows.ask()
    if holds_doubles(rows.X):
        return rows.doubles(list(ids), columns)
    part = rows.X[list(ids)][:, [j for j in columns if j < rows.X.shape[1]]]
    part = (part.toarray() if is_sparse(part) else part).astype(object)
    return np.hstack([part, np.ones((len(ids), int(rows.X.shape[1] in columns)), dtype=object)])


def _require_near(rows: Rows, weights: Weights, basis: Sequence[int], columns: Sequence[int], within: float) -> None:
    """Raise unless weights exist that add the rows up to 0, `within` such a share of these: the basis is independent.

    Let C have the columns u_k z_k, k in the basis, r = sum u_i z_i, and R be any matrix (largest sums of sizes along a
    row as norm). If |I - R C| <= 1/2, C x = 0 gives |x| = |(I - R C) x| <= |x| / 2, so x = 0: C is regular. Let
    C t = r: t = R r + (I - R C) t, so |t| <= 2 |R r| <= within < 1, and the weights u_k (1 - t_k) are positive and
    exact. R is what doubles give for the inverse; each sum of p products, however it is added up, is off by at most
    p 2^-53 / (1 - p 2^-53) of the sum of their sizes (Higham 2002, section 3.1), and by `TINY` where products
    underflow.
    """
    require(
        type(within) is float and 0.0 < within < 1.0, f"weights within {within} of those given need not be positive"
    )
    few = 0 < len(columns) <= 5_000 and len(weights) * len(columns) <= 10**8  # the inverse takes the cube of it
    require(few, "weights near exact ones are in not too many rows and columns")
    require(holds_doubles(rows.X), "weights near exact ones are of doubles")
    ids, top, up = list(weights), max(u.bit_length() for u in weights.values()), 1.0 + 2.0**-20
    u, at = np.array([k / (1 << top) for k in weights.values()]), {i: k for k, i in enumerate(ids)}
    A = rows.doubles(ids, columns)
    A = A.toarray() if is_sparse(A) else A
    A = np.ldexp(A, -np.frexp(abs(A).max(axis=0))[1])
    chosen = [at[i] for i in basis]
    C, p = (A[chosen] * u[chosen, None]).T, len(columns)
    rows.ask()
    try:
        R = np.linalg.inv(C)
    except np.linalg.LinAlgError:
        raise CertificateError("the rows of the basis are not independent") from None
    with np.errstate(all="ignore"):  # what is not finite is not small
        size = abs(R)
        r = abs(u @ A) + (len(ids) + 8) * 2.0**-52 * (u @ abs(A)) + TINY
        off = abs(R @ C - np.eye(p)) + (p + 8) * 2.0**-52 * (size @ abs(C)) + TINY * size.sum()
        require(up * off.sum(axis=1).max() <= 0.5, "rounding leaves open whether the rows of the basis are independent")
        change = up * (2 * size @ r).max()
        require(change <= within, f"the weights would change by {change:.3g}, more than it says")
