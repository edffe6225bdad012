"""Check certificates in exact arithmetic: doubles are taken as the dyadic rationals that they are.

This file only verifies. It shares no code with the search, so that a mistake there cannot hide a mistake here.
Rows are counted from 0; the second of the two sorted labels is the positive class.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import lcm
from typing import Any

import numpy as np
import scipy.sparse as sp
from flint import fmpz_mat, nmod_mat

from linsep.theory.verify.pauses import pause
from linsep.theory.verify.rank import dense_rank, sparse_rank
from linsep.types import Array

__all__ = ["CertificateError", "verify_directions", "verify_overlap", "verify_witness"]
_SMALL = 1000  # entries that are checked without a pause
_PRIMES = (2**31 - 1, 2**31 - 19, 2**31 - 61)
_TINY = 2.0**-1000  # times a unit roundoff it still exceeds every error that underflow can make
_LONGEST = 2**20  # terms of a sum of products of two digits of 16 bits, which doubles then hold
_LONGEST_SPARSE = 2**24  # where the products are integers of 64 bits, which hold 64 such sums
_TOGETHER = 2**22  # digits of the products of rows with several vectors that are made at once
_A_ROUND = 4  # long integers that are made in the time of one digit of all sums
_MOST_DIGITS = 2**24  # of all weights, each with as many as the longest one has


class CertificateError(ValueError):
    """A certificate that does not prove what it says: the message names the row or the column."""


def label_signs(y: Any) -> Array:
    labels = np.unique(y := np.asarray(y))
    if labels.size != 2:
        raise CertificateError(f"a certificate is about two classes, these labels have {labels.size}")
    return np.asarray(2 * (y != labels[0]).reshape(-1) - 1)


def verify_directions(X: Any, y: Any, directions: Sequence[tuple[Any, Any]], rows_left: Sequence[int] = ()) -> None:
    """Raise unless each (w, b) has y_i (w.x_i + b) >= 0 on the rows left by those before and only `rows_left` remain.

    A direction takes the rows away, one at least, on which it is > 0; on those that remain every direction is 0.
    """
    s, left = label_signs(y), np.arange(X.shape[0])
    for k, (w, b) in enumerate(directions):
        found = s[left] * value_signs(X if left.size == X.shape[0] else X[left], w, b)
        if (found < 0).any():
            raise CertificateError(f"direction {k} has a negative margin at row {left[found < 0][0]}")
        if not found.any():
            raise CertificateError(f"direction {k} separates none of the {left.size} rows left")
        left = left[found == 0]
    if left.tolist() != sorted(rows_left):
        raise CertificateError(f"{left.size} rows have margin 0, which are not the rows named")


def verify_witness(X: Any, y: Any, weights: Mapping[int, int], *, fit_intercept: bool = True) -> None:
    """Raise unless the weights (row -> integer > 0) bring the signed rows, constant included, to 0."""
    if not weights or any(type(k) is not int or k <= 0 for k in weights.values()):
        raise CertificateError("weights must be positive integers, at least one")
    if min(weights) < 0 or max(weights) >= X.shape[0]:
        raise CertificateError(f"rows must lie in 0..{X.shape[0] - 1}")
    rows = list(weights)
    signed = [int(s) * weights[i] for i, s in zip(rows, label_signs(y)[rows], strict=True)]
    table, long = X[rows].T.tocsr() if hasattr(X, "tocsr") else X[rows].T, max(weights.values()) > 2**53
    off = np.flatnonzero(value_signs(table, np.array(signed, object), zeros=long))
    if off.size or (fit_intercept and sum(signed)):
        raise CertificateError(
            f"the weighted signed rows do not add up to 0 in column {off[0] if off.size else X.shape[1]}"
        )


def verify_overlap(
    X: Any,
    y: Any,
    weights: Mapping[int, int],
    null: Sequence[Mapping[int, int]],
    among: Sequence[int] | Array,
    *,
    fit_intercept: bool = True,
) -> None:
    """Raise unless positive weights combine signed rows of `among` to 0 and these span all rows of it.

    Their rank is at most that of the columns with an entry in some row of `among`, constant included, less the vectors
    `null` (column -> integer) that all those rows are orthogonal to, which are independent: each has an entry in a
    column where the others have none.
    """
    verify_witness(X, y, weights, fit_intercept=fit_intercept)
    inside = np.bincount(among, minlength=X.shape[0])
    if not inside[list(weights)].all():
        raise CertificateError("the overlap has rows that a direction separates")
    used, given = orthogonal(X, null, np.flatnonzero(inside), fit_intercept=fit_intercept)
    table = X[list(weights)][:, used]
    table = table.toarray() if hasattr(X, "toarray") else table
    table = np.column_stack([table, np.ones(len(table), dtype=table.dtype)]) if fit_intercept else table
    if not rank_is_at_least(table, len(given) - len(null)):
        raise CertificateError("the rows of the overlap do not span all rows")


def orthogonal(
    X: Any, null: Sequence[Mapping[int, int]], among: Array, *, fit_intercept: bool
) -> tuple[list[int], list[int]]:
    """Raise unless all rows of `among` are orthogonal to the independent vectors `null`.

    Return the columns in which these rows have entries, without and with the constant's.
    """
    p, sparse = X.shape[1], hasattr(X, "tocsr")
    inside = one_entry_a_place(X) if sparse else X
    inside = inside if among.size == X.shape[0] else inside[among]
    used = columns_in_use(inside)
    given, often = [*used, *[p] * fit_intercept], Counter(j for vector in null for j, v in vector.items() if v)
    for k, vector in enumerate(null):
        if not set(vector) <= set(given) or not any(v and often[j] == 1 for j, v in vector.items()):
            raise CertificateError(f"null vector {k} has a column without entries, or none of its own")
    # Columns of sparse rows take as long as several looks at all of these: only for vectors of few columns.
    few = [not sparse or 4 * len(vector) <= p for vector in null]
    columns = inside.tocsc() if sparse and any(few) else inside
    for k in [] if orthogonal_together(columns, null) else range(len(null)):
        at = sorted(null[k].keys() - {p}) if few[k] else range(p)
        w = np.array([null[k].get(j, 0) for j in at], dtype=object)
        if value_signs(columns[:, at] if few[k] else inside, w, null[k].get(p, 0)).any():
            raise CertificateError(f"null vector {k} is not orthogonal to every row")
    return used, given


def one_entry_a_place(X: Any) -> Any:
    """A sparse table as CSR without duplicates; X itself is never changed."""
    X = X.tocsr()
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def columns_in_use(X: Any) -> list[int]:
    """The columns in which some row has an entry that is not 0; sparse rows are CSR without duplicates."""
    if not hasattr(X, "indptr"):
        return np.flatnonzero((X != 0).any(axis=0)).tolist()
    used = np.zeros(X.shape[1], dtype=bool)
    used[X.indices[X.data != 0]] = True
    return np.flatnonzero(used).tolist()


# ------------------------------------------------------------ exact arithmetic
def orthogonal_together(A: Any, vectors: Sequence[Mapping[int, int]]) -> bool:
    """Whether one product shows that all rows of A, a constant beside them, are orthogonal to several vectors.

    A call for each would take longer than its numbers. False says nothing: they may be too many for one product.
    """
    p, values = A.shape[1], [v for vector in vectors for v in vector.values()]
    at = sorted({j for vector in vectors for j in vector} - {p})
    if len(vectors) < 2 or {*map(type, values)} != {int} or len(vectors) * len(at) > _TOGETHER // 64 or not small(A):
        return False
    if A.shape[0] * len(vectors) * (max(map(int.bit_length, values)) // 16 + 1) > _TOGETHER:
        return False
    found = _digit_signs(_with_ones(A[:, at]), [[vector.get(j, 0) for j in (*at, p)] for vector in vectors])
    return found is not None and not found.any()


def integers(values: Sequence[Any]) -> list[int]:
    """The rational numbers `values` times their least common denominator."""
    if set(map(type, values)) <= {int}:
        return list(values)
    ratios = [value.as_integer_ratio() for value in values]
    common = lcm(*(q for _, q in ratios))
    return [p * (common // q) for p, q in ratios]


def digit_sums(A: Any, ws: Sequence[list[int]]) -> tuple[Array, int] | None:
    """A w for doubles A, a column for each w, in digits of 16 bits, whose products add up exactly.

    Integers S and e: the sums are those of S[..., k] 2^(16 k + e) over k. None if the digits are too many.
    """
    sparse = hasattr(A, "toarray")
    values, every = (A.data, A.indices) if sparse else (A, slice(None))
    largest = abs(A).max(axis=0)
    exps = np.frexp(largest.toarray().reshape(-1) if sparse else largest)[1]
    with np.errstate(all="ignore"):
        rest, digits = values * np.ldexp(1.0, -exps)[every], []
        longest, most = (np.diff(A.indptr).max(initial=0), _LONGEST_SPARSE) if sparse else (A.shape[1], _LONGEST)
        if longest > most or not np.array_equal(rest * np.ldexp(1.0, exps)[every], values):
            return None
    while rest.any():
        rest = rest * 2.0**16
        digits.append(_placed(np.trunc(rest), A))
        rest = rest - np.trunc(rest)
        if len(digits) > 60:
            return None
    least = int(exps.min(initial=0))
    whole = [v << e for w in ws for v, e in zip(w, (exps - least).tolist(), strict=True)]
    n, bits = max(map(int.bit_length, whole), default=0) // 16 + 1, sum(map(int.bit_length, whole))
    if n * len(whole) > max(_MOST_DIGITS, bits // 4):  # one long weight among many short ones
        return None
    W = np.frombuffer(b"".join([abs(v).to_bytes(2 * n, "little") for v in whole]), "<u2").reshape(len(whole), n)
    W = W * np.where([v > 0 for v in whole], 1, -1).astype(np.int64 if sparse else np.float64)[:, None]
    W = W.reshape(len(ws), -1, n).transpose(1, 0, 2).reshape(-1, len(ws) * n)
    total = np.zeros((A.shape[0], len(ws), n + len(digits)), dtype=np.int64)
    for k, (columns, digit) in enumerate(reversed(digits)):
        total[:, :, k : k + n] += (digit @ W[columns]).astype(np.int64).reshape(-1, len(ws), n)
    return total, least - 16 * len(digits)


def _digit_signs(A: Any, ws: Sequence[list[int]]) -> Array | None:
    """Signs of A w for doubles A, a column for each w; None if the digits are too many."""
    found = digit_sums(A, ws)
    if found is None:
        return None
    total = found[0]
    if total.shape[0] * len(ws) < _A_ROUND * total.shape[2]:
        return _long_signs(total)
    carry, left = np.zeros(total.shape[:2], dtype=np.int64), np.zeros(total.shape[:2], dtype=bool)
    for k in range(total.shape[2]):
        carry, left = (carry + total[:, :, k]) >> 16, left | ((carry + total[:, :, k]) & 0xFFFF != 0)
    return np.where(carry < 0, -1, (carry > 0) | left)


def _long_signs(total: Array) -> Array:
    """Signs of the numbers sum_k total[..., k] 2^(16 k), each as one long integer: for few numbers of many digits."""
    length = 2 * total.shape[-1]
    # Each int64 plus 2^63 is four digits without a sign: four numbers, of which the next begins one digit higher.
    parts = (total.astype("<i8") ^ np.int64(-(2**63))).view("<u2").reshape(-1, total.shape[-1], 4)
    raw, out = parts.transpose(0, 2, 1).tobytes(), []
    added = (1 << 63) * (((1 << 8 * length) - 1) // 0xFFFF)
    for start in range(0, len(raw), 4 * length):
        a, b, c, d = (int.from_bytes(raw[i : i + length], "little") for i in range(start, start + 4 * length, length))
        value = a + (b << 16) + (c << 32) + (d << 48) - added
        out.append((value > 0) - (value < 0))
    return np.array(out, dtype=np.int64).reshape(total.shape[:-1])


def _placed(digits: Array, A: Any) -> tuple[Any, Any]:
    """Columns, and these values of A in them: without the columns, or entries, that are 0."""
    if not hasattr(A, "toarray"):
        columns = np.flatnonzero(digits.any(axis=0))
        return columns, digits[:, columns]
    table = sp.csr_matrix((digits.astype(np.int64), A.indices.copy(), A.indptr.copy()), shape=A.shape)
    table.eliminate_zeros()
    return slice(None), table


def small(A: Any) -> bool:
    """Whether doubles hold every entry."""
    stored, kind = A.data if hasattr(A, "toarray") else A, A.dtype.kind
    if kind not in "iuf" or A.dtype.itemsize > 8:
        return False
    # The largest and the least, not their sizes: that of the least integer of 64 bits is no such integer.
    most, least = stored.max(initial=0), stored.min(initial=0)
    return bool(A.dtype.itemsize < 8 or kind == "f" or (most <= 2**53 and least >= -(2**53)))


def _as_doubles(w: Array, b: Any) -> tuple[Array, bool]:
    """(w, b), times some power of two, rounded to doubles, and whether they are integers that doubles hold."""
    if w.dtype.kind == "f" and w.dtype.itemsize <= 8 and (type(b) is float or b == 0):
        v = np.append(w.astype(np.float64), b)
        return v, False
    whole = integers([*w.tolist(), b])
    shift = max(0, max(map(abs, whole)).bit_length() - 500)
    v = np.array([k / (1 << shift) for k in whole] if shift else whole, dtype=np.float64)
    return v, shift == 0 and bool(abs(v).max() <= 2**53)


def _float_signs(A: Any, v: Array, whole: bool, homogeneous: bool) -> tuple[Array, Array]:
    """Signs of A v[:-1] + v[-1] by doubles, and where a bound on their error leaves them open.

    `homogeneous`: what v[-1] was rounded from is 0, and so is what a row without entries has.
    """
    out, unsure = np.zeros(A.shape[0], dtype=np.int8), np.ones(A.shape[0], dtype=bool)
    room = _room(v, 2**19)  # what is written on the way stays in the cache
    step = max(1, room * A.shape[0] // max(1, A.nnz)) if hasattr(A, "toarray") else room // v.size
    for start in range(0, A.shape[0], step):
        if A.shape[0] * v.size > _SMALL:
            pause()
        part = (A if step >= A.shape[0] else A[start : start + step]).astype(np.float64, copy=False)
        stored = part.data if hasattr(part, "toarray") else part
        with np.errstate(all="ignore"):
            z = part @ v[:-1] + v[-1]
            positive = part if stored.min(initial=0.0) >= 0 else abs(part)
            size = positive @ (abs(v[:-1]) + _TINY) + abs(v[-1]) + _TINY * (1 + abs(v).sum())
            unclear = ~(abs(z) > 2.0**-52 * (v.size + 8) * size)
        if whole and unclear.any() and np.array_equal(stored, np.rint(stored)):
            unclear &= ~(size < 2.0**52)  # sums of small integers are exact
        if hasattr(part, "toarray") and homogeneous:
            unclear &= np.diff(part.indptr) > 0
        unsure[start : start + step] = unclear
        out[start : start + step] = np.where(unclear, 0, np.sign(z))
    return out, unsure


def _room(w: Array, least: int = 2**22) -> int:
    """Entries of rows that are looked at together: more than weights, all of which are read for each such part."""
    return max(least, 4 * w.size)


def _whole_signs(A: Any, w: list[int]) -> Array:
    """Signs of A w[:-1] + w[-1] by integers."""
    if small(A):
        found = _digit_signs(_with_ones(A), [w])
        if found is not None:
            return np.asarray(found[:, 0])
    sums = []
    for columns, row in _rows(A):
        pause()
        *entries, one = integers([*row, 1])
        sums.append(sum((a * w[j] for j, a in zip(columns, entries, strict=True) if a), one * w[-1]))
    return np.array([(s > 0) - (s < 0) for s in sums], dtype=np.int8)


def _rows(A: Any) -> Iterator[tuple[Sequence[int], list[Any]]]:
    """Columns and entries of each row, those that are stored."""
    if not hasattr(A, "toarray"):
        yield from ((range(A.shape[1]), row) for row in A.tolist())
        return
    for start, end in pairwise(A.indptr.tolist()):
        yield A.indices[start:end].tolist(), A.data[start:end].tolist()


def _with_ones(A: Any) -> Any:
    """A as doubles with a column of ones."""
    ones = np.ones((A.shape[0], 1))
    if hasattr(A, "toarray"):
        return sp.hstack([A.astype(np.float64), sp.csr_matrix(ones)], format="csr")
    return np.hstack([A.astype(np.float64), ones])


def value_signs(X: Any, w: Any, b: Any = 0, *, zeros: bool = False) -> Array:
    """Sign (-1, 0 or 1) of w.x_i + b for every row, exact whatever the entries are (floats, ints, Fractions).

    `zeros`: all are expected to be 0, which rounded sums cannot show, and are not asked.
    """
    X, w = one_entry_a_place(X) if hasattr(X, "tocsr") else X, np.asarray(w)
    b = b.item() if isinstance(b, np.generic) else b
    used = np.flatnonzero(w != 0)
    if 4 * used.size <= w.size:
        X, w, used = X[:, used], w[used], np.arange(used.size)
    out, unsure = np.zeros(X.shape[0], dtype=np.int8), np.ones(X.shape[0], dtype=bool)
    if not zeros and small(X):
        out, unsure = _float_signs(X, *_as_doubles(w, b), homogeneous=b == 0)
    rest = np.flatnonzero(unsure)
    kept = integers([*w[used].tolist(), b]) if rest.size else []
    entries = X.nnz // max(1, X.shape[0]) if hasattr(X, "toarray") else used.size
    step = max(1, _room(w) // (entries + 1 + max(map(int.bit_length, kept), default=0) // 16))
    for start in range(0, rest.size, step):
        pause()
        at = rest[start : start + step]
        out[at] = _whole_signs(X[at] if used.size == w.size else X[at][:, used], kept)
    return out


def rank_is_at_least(table: Any, rank: int) -> bool:
    """Whether rows have at least this rank modulo one of a few primes: never more than that of the integers."""
    if rank <= 0:
        return True
    if min(table.shape) < rank:
        return False
    return any(_rank_modulo(table, prime) >= rank for prime in _PRIMES)


def _rank_modulo(table: Any, prime: int) -> int:
    """Rank modulo a prime below 2^31 of the rows times integers that make their entries whole."""
    if hasattr(table, "toarray") and small(table):
        table = table.tocsr()
        return sparse_rank(table, _residues(table.data.astype(np.float64), prime), prime)
    table = table.toarray() if hasattr(table, "toarray") else table
    if not table.size or not small(table):
        return int(nmod_mat(fmpz_mat([integers(row) for row in table.tolist()]), prime).rank())
    return dense_rank(_residues(table.astype(np.float64), prime), prime)


def _residues(values: Array, prime: int) -> Array:
    """Doubles times one power of two that makes them whole, modulo a prime."""
    mantissas, exps = np.frexp(values)
    exps = np.where(mantissas == 0, 0, exps)
    exps -= exps.min(initial=0)
    powers = np.array([pow(2, k, prime) for k in range(int(exps.max(initial=0)) + 1)])
    return np.asarray((np.ldexp(mantissas, 53).astype(np.int64) % prime) * powers[exps] % prime)
