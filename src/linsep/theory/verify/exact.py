"""Exact signs of sums of products, and ranks: doubles are taken as the dyadic rationals that they are.

As `linsep.theory.verify.cone`, which begins with these, this file imports nothing of linsep.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from math import lcm
from typing import Any

import numpy as np
import scipy as sp
from flint import fmpz_mat, nmod_mat

Array = np.ndarray[Any, Any]
TINY = 2.0**-900  # of numbers near 1: far above what underflow can take from a sum of products
_PRIMES = (2**31 - 1, 2**31 - 19, 2**31 - 61)  # products of two residues stay below 2^62
_ENTRIES = 2**19  # of rows that are looked at together: what is written on the way stays in the cache
_LONGEST = {True: 2**24, False: 2**20}  # terms of a sum of products of 16-bit digits that int64, or doubles, hold
_MOST_DIGITS = 2**26  # of all sums that are made together
_FILLED = 0.1  # the part of every column from which on a table is eliminated as a dense one


def is_sparse(A: Any) -> bool:
    return hasattr(A, "indptr")


def holds_doubles(A: Any) -> bool:
    """Whether doubles hold every entry."""
    stored, kind = A.data if is_sparse(A) else A, A.dtype.kind
    if kind not in "iuf" or A.dtype.char == "g":  # a long double, which may be longer
        return False
    return kind == "f" or not ((stored > 2**53) | (stored < -(2**53))).any()


def value_signs(A: Any, w: Sequence[int], b: int = 0) -> Array:
    """Sign (-1, 0 or 1) of a_i.w + b for every row of A, exact whatever its entries are (floats, ints, Fractions)."""
    out, unsure = np.zeros(A.shape[0], dtype=np.int8), np.ones(A.shape[0], dtype=bool)
    if holds_doubles(A):
        step = max(_ENTRIES, 4 * len(w)) * A.shape[0] // (A.size + 1) + 1
        for start in range(0, A.shape[0], step):
            at = slice(start, start + step)
            out[at], unsure[at] = _rounded_signs(A[at].astype(np.float64), w, b)
    if unsure.any():
        out[unsure] = _whole_signs(A[unsure], w, b)
    return out


def _rounded_signs(A: Any, w: Sequence[int], b: int) -> tuple[Array, Array]:
    """Signs of A w + b by doubles, and where a bound on their error leaves them open."""
    shift = max(0, max(map(abs, (*w, b))).bit_length() - 500)
    v = np.array([k / (1 << shift) for k in (*w, b)])
    stored = A.data if is_sparse(A) else A
    with np.errstate(all="ignore"):
        z = A @ v[:-1] + v[-1]
        # Each of the products and sums is off by 2^-53 of its size, or by less than 2^-1074 if it underflows.
        size = abs(A) @ (abs(v[:-1]) + TINY) + abs(v[-1]) + TINY * abs(v).sum()
        unsure = ~((abs(z) > 2.0**-52 * (v.size + 8) * size) & (size < 2.0**1000))  # no sum overflows
        if not shift and np.array_equal(stored, np.rint(stored)):
            unsure &= ~(size < 2.0**52)  # sums of small integers are exact
    if is_sparse(A) and b == 0:
        unsure &= np.diff(A.indptr) > 0
    return np.where(unsure, 0, np.sign(z)).astype(np.int8), unsure


def _whole_signs(A: Any, w: Sequence[int], b: int) -> Array:
    """The same by integers."""
    if holds_doubles(A):
        one = np.ones((A.shape[0], 1))
        found = _digit_signs(
            sp.sparse.hstack([A, sp.sparse.csr_matrix(one)], format="csr") if is_sparse(A) else np.hstack([A, one]),
            [*w, b],
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
    exps = np.frexp(largest.toarray().ravel() if sparse else largest)[1]
    with np.errstate(all="ignore"):
        rest, digits = np.ldexp(values, -exps[every]), []
        terms = np.diff(A.indptr).max() if sparse else A.shape[1]
        if terms > _LONGEST[sparse] or not np.array_equal(np.ldexp(rest, exps[every]), values):
            return None
    while rest.any():  # a double has 53 bits: four digits, or some more below a larger entry of its column
        rest = rest * 2.0**16
        digits.append(np.trunc(rest))
        rest = rest - digits[-1]
        if len(digits) > 60:
            return None
    whole = [v << e for v, e in zip(w, (exps - exps.min()).tolist(), strict=True)]
    n = max(map(int.bit_length, whole)) // 16 + 1
    if (A.shape[0] + len(whole)) * (n + len(digits)) > _MOST_DIGITS:
        return None
    raw = b"".join([v.to_bytes(2 * n, "little", signed=True) for v in whole])
    W = np.frombuffer(raw, "<u2").reshape(len(whole), n).astype(np.int64 if sparse else np.float64)
    W[:, -1] = np.frombuffer(raw, "<i2")[n - 1 :: n]  # the last digit has the sign
    total = np.zeros((A.shape[0], n + len(digits)), dtype=np.int64)
    for k, digit in enumerate(reversed(digits)):
        D = sp.sparse.csr_matrix((digit.astype(np.int64), A.indices, A.indptr), shape=A.shape) if sparse else digit
        total[:, k : k + n] += (D @ W).astype(np.int64)
    carry, left = np.zeros(A.shape[0], dtype=np.int64), np.zeros(A.shape[0], dtype=bool)
    for k in range(total.shape[1]):
        carry, left = (carry + total[:, k]) >> 16, left | ((carry + total[:, k]) & 0xFFFF != 0)
    return np.where(carry < 0, -1, (carry > 0) | left).astype(np.int8)


def rank_is(B: Any, rank: int) -> bool:
    """Whether rows have this rank modulo some prime: then they have it at least."""
    return any(_rank_modulo(B, q) >= rank for q in _PRIMES)


def _rank_modulo(B: Any, q: int) -> int:
    if not holds_doubles(B):
        whole = []
        for row in (B.toarray() if is_sparse(B) else B).tolist():
            ratios = [v.as_integer_ratio() for v in row]
            common = lcm(*(k for _, k in ratios))
            whole.append([m * (common // k) for m, k in ratios])
        return int(nmod_mat(fmpz_mat(whole), q).rank())
    m, e = np.frexp((B.data if is_sparse(B) else B).astype(np.float64))
    if not m.size:
        return 0
    e = e - e.min()
    powers = np.array([pow(2, k, q) for k in range(int(e.max()) + 1)])
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
    rank = 0
    while waiting:
        few, j = heappop(waiting)
        if not few or few != len(at.get(j, ())):
            continue  # it is done, or another entry says how many there are now
        if few > _FILLED * (len(rows) - rank):
            break
        ids = at.pop(j)
        pivot = min(ids, key=lambda i: len(rows[i]))
        ids.discard(pivot)
        row, rows[pivot], rank = rows[pivot], {}, rank + 1
        inverse = pow(row.pop(j), -1, q)
        for k in row:
            at[k].discard(pivot)
        for i in ids:
            other = rows[i]
            factor = other.pop(j) * inverse % q
            for k, v in row.items():
                value = (other.get(k, 0) - factor * v) % q
                if value:
                    other[k] = value
                    at[k].add(i)
                else:
                    del other[k]
                    at[k].discard(i)
        for k in row:
            heappush(waiting, (len(at[k]), k))
    rest = [row for row in rows if row]
    names = {j: k for k, j in enumerate({j for row in rest for j in row})}
    table = [[0] * len(names) for _ in rest]
    for line, row in zip(table, rest, strict=True):
        for j, v in row.items():
            line[names[j]] = v
    return rank + int(nmod_mat(fmpz_mat(table), q).rank())
