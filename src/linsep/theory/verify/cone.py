"""Check what was found about a cone of directions, in exact arithmetic; this file imports nothing of linsep.

Rows z_i = s_i (x_i, 1), without the 1 unless there is a constant; some are equalities. The cone C holds the directions
d with z_i.d >= 0 for every row, and = 0 for equalities. A row is separated if z_i.d > 0 for some d in C. All proofs
of linsep say which rows of such a cone are separated, and that no others are: see `verify`. Everything above it is
arithmetic. Doubles are the dyadic rationals that they are. Rows and columns are counted from 0; the constant is the
last column.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from math import lcm
from typing import Any

import numpy as np
import scipy.sparse as sp
from flint import fmpz_mat, nmod_mat

Vector = Mapping[int, int]  # column -> integer; columns that are not named have 0
Weights = Mapping[int, int]  # row -> integer
Array = np.ndarray[Any, Any]
_PRIMES = (2**31 - 1, 2**31 - 19, 2**31 - 61)  # products of two residues stay below 2^62
_ENTRIES = 2**19  # of rows that are looked at together: what is written on the way stays in the cache
_TINY = 2.0**-900  # of numbers near 1: far above what underflow can take from a sum of products
_LONGEST = {True: 2**24, False: 2**20}  # terms of a sum of products of 16-bit digits that int64, or doubles, hold
_MOST_DIGITS = 2**26  # of all sums that are made together
_FILLED = 0.2  # the part of a table from which on it is eliminated as a dense one


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
        part = (part if len(at) == p else part[:, at]).astype(np.float64)
        if p in columns:
            one = np.ones((part.shape[0], 1))
            part = sp.hstack([part, sp.csr_matrix(one)], format="csr") if is_sparse(part) else np.hstack([part, one])
        if self.s is None:
            return part
        s = self.s[ids].astype(np.float64)
        return sp.csr_matrix(sp.diags_array(s) @ part) if is_sparse(part) else part * s[:, None]


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


# ------------------------------------------------------------------ arithmetic
def is_sparse(A: Any) -> bool:
    return hasattr(A, "indptr")


def holds_doubles(A: Any) -> bool:
    """Whether doubles hold every entry."""
    stored, kind = A.data if is_sparse(A) else A, A.dtype.kind
    if kind not in "iuf" or A.dtype.itemsize > 8:
        return False
    most, least = stored.max(initial=0), stored.min(initial=0)
    return bool(kind == "f" or A.dtype.itemsize < 8 or (most <= 2**53 and least >= -(2**53)))


def value_signs(A: Any, w: Sequence[int], b: int = 0) -> Array:
    """Sign (-1, 0 or 1) of a_i.w + b for every row of A, exact whatever its entries are (floats, ints, Fractions)."""
    out, unsure = np.zeros(A.shape[0], dtype=np.int8), np.ones(A.shape[0], dtype=bool)
    if holds_doubles(A):
        size = max(1, (A.nnz if is_sparse(A) else A.size) // max(1, A.shape[0]))
        step = max(1, max(_ENTRIES, 4 * len(w)) // size)
        for start in range(0, A.shape[0], step):
            at = slice(start, start + step)
            part = (A if step >= A.shape[0] else A[at]).astype(np.float64, copy=False)
            out[at], unsure[at] = _rounded_signs(part, w, b)
    if unsure.any():
        out[unsure] = _whole_signs(A if unsure.all() else A[unsure], w, b)
    return out


def _rounded_signs(A: Any, w: Sequence[int], b: int) -> tuple[Array, Array]:
    """Signs of A w + b by doubles, and where a bound on their error leaves them open."""
    shift = max(0, max(abs(b), *map(abs, w)).bit_length() - 500) if len(w) else 0
    v = np.array([k / (1 << shift) for k in (*w, b)] if shift else [*w, b], dtype=np.float64)
    stored = A.data if is_sparse(A) else A
    with np.errstate(all="ignore"):
        z = A @ v[:-1] + v[-1]
        # Each of the products and sums is off by 2^-53 of its size, or by less than 2^-1074 if it underflows.
        size = abs(A) @ (abs(v[:-1]) + _TINY) + abs(v[-1]) + _TINY * (1 + abs(v).sum())
        unsure = ~(abs(z) > 2.0**-52 * (v.size + 8) * size)
        if not shift and abs(v).max() <= 2**53 and np.array_equal(stored, np.rint(stored)):
            unsure &= ~(size < 2.0**52)  # sums of small integers are exact
    if is_sparse(A) and b == 0:
        unsure &= np.diff(A.indptr) > 0
    return np.where(unsure, 0, np.sign(z)).astype(np.int8), unsure


def _whole_signs(A: Any, w: Sequence[int], b: int) -> Array:
    """The same by integers."""
    if holds_doubles(A):
        one = np.ones((A.shape[0], 1))
        A = A.astype(np.float64, copy=False)
        found = _digit_signs(
            sp.hstack([A, sp.csr_matrix(one)], format="csr") if is_sparse(A) else np.hstack([A, one]), [*w, b]
        )
        if found is not None:
            return found
    out = []
    for i in range(A.shape[0]):
        at = slice(A.indptr[i], A.indptr[i + 1]) if is_sparse(A) else None
        columns, values = (A.indices[at].tolist(), A.data[at].tolist()) if at else (range(A.shape[1]), A[i].tolist())
        ratios = [v.as_integer_ratio() for v in values]
        common = lcm(*(q for _, q in ratios))
        total = sum((m * (common // q) * w[j] for (m, q), j in zip(ratios, columns, strict=True)), b * common)
        out.append((total > 0) - (total < 0))
    return np.array(out, dtype=np.int8)


def _digit_signs(A: Any, w: Sequence[int]) -> Array | None:
    """Signs of A w for doubles A, both in digits of 16 bits, whose products add up exactly; None if too many."""
    sparse = is_sparse(A)
    values, every = (A.data, A.indices) if sparse else (A, slice(None))
    largest = abs(A).max(axis=0)
    exps = np.frexp(largest.toarray().reshape(-1) if sparse else largest)[1]
    with np.errstate(all="ignore"):
        rest, digits = np.ldexp(values, -exps[every]), []
        terms = np.diff(A.indptr).max(initial=0) if sparse else A.shape[1]
        if terms > _LONGEST[sparse] or not np.array_equal(np.ldexp(rest, exps[every]), values):
            return None
    while rest.any():  # a double has 53 bits: four digits, or some more below a larger entry of its column
        rest = rest * 2.0**16
        digits.append(np.trunc(rest))
        rest = rest - digits[-1]
        if len(digits) > 60:
            return None
    whole = [v << e for v, e in zip(w, (exps - exps.min(initial=0)).tolist(), strict=True)]
    n = max(map(int.bit_length, whole), default=0) // 16 + 1
    if (A.shape[0] + len(whole)) * (n + len(digits)) > _MOST_DIGITS:
        return None
    W = np.frombuffer(b"".join([abs(v).to_bytes(2 * n, "little") for v in whole]), "<u2").reshape(-1, n)
    W = W * np.where([v > 0 for v in whole], 1, -1).astype(np.int64 if sparse else np.float64)[:, None]
    total = np.zeros((A.shape[0], n + len(digits)), dtype=np.int64)
    for k, digit in enumerate(reversed(digits)):
        D = sp.csr_matrix((digit.astype(np.int64), A.indices, A.indptr), shape=A.shape) if sparse else digit
        total[:, k : k + n] += (D @ W).astype(np.int64)
    carry, left = np.zeros(A.shape[0], dtype=np.int64), np.zeros(A.shape[0], dtype=bool)
    for k in range(total.shape[1]):
        carry, left = (carry + total[:, k]) >> 16, left | ((carry + total[:, k]) & 0xFFFF != 0)
    return np.where(carry < 0, -1, (carry > 0) | left).astype(np.int8)


def rank_is(B: Any, rank: int) -> bool:
    """Whether rows have this rank modulo some prime: then they have it at least."""
    return rank == 0 or (min(B.shape) >= rank and any(_rank_modulo(B, q) >= rank for q in _PRIMES))


def _rank_modulo(B: Any, q: int) -> int:
    if not holds_doubles(B):
        whole = []
        for row in (B.toarray() if is_sparse(B) else B).tolist():
            ratios = [v.as_integer_ratio() for v in row]
            common = lcm(*(k for _, k in ratios))
            whole.append([m * (common // k) for m, k in ratios])
        return int(nmod_mat(fmpz_mat(whole), q).rank())
    m, e = np.frexp((B.data if is_sparse(B) else B).astype(np.float64))
    e = np.where(m == 0, 0, e - e.min(initial=0))
    powers = np.array([pow(2, k, q) for k in range(int(e.max(initial=0)) + 1)])
    residues = (np.ldexp(m, 53).astype(np.int64) % q) * powers[e] % q
    if not is_sparse(B):
        return int(nmod_mat(fmpz_mat(residues.tolist()), q).rank())
    ends, columns, values = B.indptr.tolist(), B.indices.tolist(), residues.tolist()
    parts = [slice(ends[i], ends[i + 1]) for i in range(B.shape[0])]
    rows = [{j: v for j, v in zip(columns[at], values[at], strict=True) if v} for at in parts]
    return _eliminated(rows, q)


def _eliminated(rows: list[dict[int, int]], q: int) -> int:
    """The rank modulo q: columns with the fewest entries are eliminated first; what fills up, as a dense table."""
    at: dict[int, set[int]] = {}
    for i, row in enumerate(rows):
        for j in row:
            at.setdefault(j, set()).add(i)
    waiting = [(len(ids), j) for j, ids in at.items()]
    heapify(waiting)
    rank, stored = 0, sum(map(len, rows))
    while waiting and stored < _FILLED * (len(rows) - rank) * len(at):
        few, j = heappop(waiting)
        if j not in at or few != len(at[j]):
            continue  # another entry says how many there are now
        ids = at.pop(j)
        if not ids:
            continue
        pivot = min(ids, key=lambda i: len(rows[i]))
        ids.discard(pivot)
        row, rows[pivot], rank = rows[pivot], {}, rank + 1
        inverse = pow(row.pop(j), -1, q)
        stored -= len(row) + 1
        for k in row:
            at[k].discard(pivot)
        for i in ids:
            other = rows[i]
            factor, before = other.pop(j) * inverse % q, len(other) + 1
            for k, v in row.items():
                value = (other.get(k, 0) - factor * v) % q
                if value:
                    other[k] = value
                    at[k].add(i)
                elif other.pop(k, 0):
                    at[k].discard(i)
            stored += len(other) - before
        for k in row:
            heappush(waiting, (len(at[k]), k))
    rest = [row for row in rows if row]
    names = {j: k for k, j in enumerate(sorted({j for row in rest for j in row}))}
    table = [[0] * len(names) for _ in rest]
    for line, row in zip(table, rest, strict=True):
        for j, v in row.items():
            line[names[j]] = v
    return rank + (int(nmod_mat(fmpz_mat(table), q).rank()) if rest else 0)


# ---------------------------------------------------------------------- proofs
def verify(rows: Rows, proof: ConeProof) -> bool:
    """Return whether it is proved that no direction of C separates a row left; raise unless all parts hold.

    Let u be the weights. For d in C the sum of u_i z_i.d is 0 and no term is negative, as z.d is 0 on equalities. So
    z.d = 0 on the rows with weights, on the basis, and on all rows left, which the basis spans: these are orthogonal to
    the null vectors, so their rank is at most the number of other columns, and the basis has that rank.
    """
    require(proof.n_rows == rows.X.shape[0], f"this proof is about {proof.n_rows:,} rows, not {rows.X.shape[0]:,}")
    left = left_by(rows, proof.directions)
    same = np.array_equal(np.flatnonzero(left), np.asarray(proof.left, dtype=np.int64))
    require(same, f"the directions leave {np.count_nonzero(left):,} rows, which are not the rows named")
    equal = np.zeros(left.size, dtype=bool) if rows.equal is None else rows.equal
    weights, basis = proof.weights, proof.basis
    require({*map(type, weights), *map(type, weights.values())} <= {int}, "a row or a weight is no integer")
    require(all(0 <= i < left.size for i in weights), "a row with a weight is not there")
    ids = np.array(list(weights), dtype=np.int64)
    require(left[ids].all(), "a row has a weight, and a direction separates it")
    require((equal[ids] | np.array([u > 0 for u in weights.values()], dtype=bool)).all(), "a weight is not positive")
    exact = type(proof.within) is float and proof.within == 0.0
    if exact:
        require(_add_up(rows, weights), "the weighted signed rows do not add up to 0")
    if basis is None:
        require(exact and not proof.null, "a part of the proof stands there without a basis")
        return not (left & ~equal).any()
    for i in basis:
        known = type(i) is int and (i in weights or (0 <= i < left.size and left[i] and equal[i]))
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
    return True


def signs_on(rows: Rows, d: Vector, ids: Any = slice(None)) -> Array:
    """Sign of z_i.d for these rows, all unless given."""
    p = rows.X.shape[1]
    fits = all(type(j) is int and 0 <= j < rows.width and type(v) is int for j, v in d.items())
    require(fits, "a vector has a column that is not there, or a number that is no integer")
    at = sorted(j for j, v in d.items() if v and j < p)
    X = rows.X[ids]
    X, at = (X[:, at], at) if 4 * len(at) <= p else (X, list(range(p)))
    rows.ask()
    found = value_signs(X, [d.get(j, 0) for j in at], d.get(p, 0))
    return found if rows.s is None else found * rows.s[ids].astype(np.int8)


def left_by(rows: Rows, directions: Sequence[Vector]) -> Array:
    left = np.ones(rows.X.shape[0], dtype=bool)
    require(len(directions) <= left.size + rows.width, "there are more directions than rows and columns")
    for k, d in enumerate(directions):
        found = signs_on(rows, d) if left.all() else signs_on(rows, d, left)
        if (found < 0).any():
            raise CertificateError(f"direction {k} is negative at row {np.flatnonzero(left)[found < 0][0]}")
        require(rows.equal is None or not found[rows.equal[left]].any(), f"direction {k} is not 0 on an equality")
        left[left] = found == 0
    return left


def orthogonal_columns(rows: Rows, null: Sequence[Vector], left: Array) -> list[int]:
    """The columns without one for each null vector, once these are shown to be orthogonal to all rows left."""
    often = Counter(j for vector in null for j, v in vector.items() if v)
    own = {next((j for j, v in vector.items() if v and often[j] == 1), -1) for vector in null}
    require(-1 not in own, "a null vector has no column of its own")
    X = rows.X if left.all() else rows.X[left]
    p = X.shape[1]
    used = np.ones(rows.width, dtype=bool)
    used[:p] = np.bincount(X.indices[X.data != 0], minlength=p) if is_sparse(X) else (X != 0).any(axis=0)
    part = Rows(X, None, rows.constant, None, rows.ask)
    long = [v for v in null if not all(0 <= j < p and not used[j] for j in v)]
    for vector in [] if _surely_orthogonal(part, long) else long:
        require(not signs_on(part, vector).any(), f"the null vector of columns {list(vector)[:5]} is not orthogonal")
    return [j for j in range(rows.width) if j not in own]


def _surely_orthogonal(rows: Rows, vectors: Sequence[Vector]) -> bool:
    """Whether sums of small integers show at once that all rows are orthogonal to these vectors."""
    X, p = rows.X, rows.X.shape[1]
    stored = X.data if is_sparse(X) else X
    most = max((abs(k) for v in vectors for k in v.values()), default=2**53)
    if stored.dtype.kind not in "iuf" or most >= 2**53 or not np.array_equal(stored, np.rint(stored)):
        return False
    inside = all(0 <= j < rows.width for v in vectors for j in v)
    if not inside or float(abs(stored).max(initial=1)) * most * rows.width >= 2.0**53:
        return False
    where = np.array([(j, k) for k, v in enumerate(vectors) for j in v]).T
    values = np.array([x for v in vectors for x in v.values()], dtype=np.float64)
    N: Any = sp.csr_matrix((values, where), shape=(rows.width, len(vectors)))
    if is_sparse(X):
        one = sp.csr_matrix(np.ones((X.shape[0], rows.width - p)))
        return not (X.astype(np.float64) @ N[:p] + one @ N[p:]).count_nonzero()
    at = np.unique(where[0][where[0] < p])
    return not (X[:, at].astype(np.float64) @ N[at].toarray() + N[p:].toarray().sum(axis=0)).any()


def _add_up(rows: Rows, weights: Weights) -> bool:
    """Whether the weighted rows add up to 0."""
    ids = np.array(list(weights), dtype=np.int64)
    s = np.ones(ids.size, dtype=np.int64) if rows.s is None else rows.s[ids].astype(np.int64)
    signed = [u * k for u, k in zip(weights.values(), s.tolist(), strict=True)]
    table = rows.X[ids].T
    rows.ask()
    zero = not value_signs(table.tocsr() if is_sparse(table) else table, signed).any()
    return zero and not (rows.constant and sum(signed))


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
    p 2^-53 / (1 - p 2^-53) of the sum of their sizes (Higham 2002, section 3.1), and by `_TINY` where products
    underflow.
    """
    require(
        type(within) is float and 0.0 < within < 1.0, f"weights within {within} of those given need not be positive"
    )
    require(columns and holds_doubles(rows.X) and not is_sparse(rows.X), "weights near exact ones are of dense doubles")
    ids, top, up = list(weights), max(u.bit_length() for u in weights.values()), 1.0 + 2.0**-20
    u, at = np.array([k / (1 << top) for k in weights.values()]), {i: k for k, i in enumerate(ids)}
    A = rows.doubles(ids, columns)
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
        r = abs(u @ A) + (len(ids) + 8) * 2.0**-52 * (u @ abs(A)) + _TINY
        off = abs(R @ C - np.eye(p)) + (p + 8) * 2.0**-52 * (size @ abs(C)) + _TINY * (1 + size.sum())
        require(up * off.sum(axis=1).max() <= 0.5, "rounding leaves open whether the rows of the basis are independent")
        change = up * (2 * size @ r).max()
        require(change <= within, f"the weights would change by {change:.3g}, more than it says")
