"""Could rounding of the inputs change an answer? Doubles that are no integers may be off by half a last place.

What is claimed. Let Z be signed rows, E >= 0 how far each entry may be off, and Z' any rows with |Z' - Z| <= E. An
answer says which rows S a direction separates and that no direction moves the other rows L. It is kept by every such
Z', and then not called fragile, if three things hold.

(a) Some v has Z' v > 0 on S for all Z': Z v > E |v|. (Several directions, which take rows away in turn, are added with
    weights that fall.)
(b) Vectors N that are a basis orthogonal to L stay so: E is 0 where a row of L meets an entry of N. As v is orthogonal
    to L it is a combination of N, and stays orthogonal too.
(c) The weights y > 0 with y Z = 0 on L can follow. Let B be as many of these rows as their rank r, R any matrix,
    H >= |B R - I| + E_B |R|, and t = y_B on B. If y E |R| + t H < t in each entry, then some y' > 0 has y' Z' = 0 and
    L' has rank r.

Proof of (c). t H < t with t > 0 makes the spectral radius of H smaller than 1, so B' R = I + (B R - I) + (B' - B) R is
regular, and B' has rank r. By (b) all rows of L' are orthogonal to N, so B' spans them. The rest y Z' = y (Z' - Z) is a
combination d B' of them, and d = y (Z' - Z) R - d (B' R - I), so |d| <= y E |R| + |d| H. Hence |d| is at most
y E |R| (I - H)^-1, which is less than t. So y' = y - d on B, and y elsewhere, is positive. Weights of equalities may
have any sign: there t is any positive number.

Then S and L of Z' are those of Z, with the same vectors N: so is every answer that follows from them. (c) with a rank
alone says that rows stay independent, and with the rows of S that prove the sign of a coefficient, that it keeps this
sign.

Products are in doubles, and bounds of their rounding are added; R is the inverse as doubles have it, which (c) allows.
Of large sparse rows only the columns of R that are needed are solved for, to rounding: there B R is taken for I, once
its residual was seen to be small. The converse is not claimed: an answer that is called fragile may be sturdy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import ulp
from typing import Any

import numpy as np
import scipy as sp

from linsep.tables import OfDouble, as_doubles, dense, is_sparse, stored
from linsep.theory.rows.exact_signs import as_floats
from linsep.theory.verify.cone import ConeProof
from linsep.types import Array

# Rows by their numbers -> these rows as doubles, and how far each entry may be off.
Rows = Callable[[Array], tuple[Any, Any]]
Vector = Mapping[int, int]
_STEP = 4096  # numbers, or rows, that are looked at together
_FEW, _FINER = 4, 1 / 3  # numbers below the largest, and their share that no grid has: a half or more of halves
_DENSE = 32_000_000  # entries of sparse rows that are made dense to be inverted
_RESIDUAL = 2.0**-20  # of R C - I, each entry: R is near the inverse of C
_ZERO = 2.0**-45  # of the size of a product: less than that is taken for 0
_SPARE = 1.01  # more than the rounding of a few sums and products of positive numbers
_TRIES = 20  # the need grows with each try, or does not change
_SMALL = 2.0**-500  # products of two such numbers are not rounded to 0
_LEAST = 5e-324  # half of it is no double
_TINY = 2.0**-900  # of the largest entry: what is smaller may have been rounded to 0


def exact_inputs(X: Any) -> bool:
    """Whether no entry can be the rounding of another number: integers, Fractions, doubles that are integers.

    Examples
    --------
    >>> exact_inputs(np.array([[2.0, -1.0]])), exact_inputs(np.array([[0.5]]))
    (True, False)
    """
    if X.dtype.kind != "f":
        return X.dtype != object or not any(map(_half_of, X.ravel().tolist()))
    values = stored(X)
    return bool(np.array_equal(values, np.rint(values)))


def off_by(X: Any) -> Callable[[Any], Any]:
    """How far each entry of rows of X may be off: half a unit in the last place of its type; integers by nothing.

    A column of doubles all of which are singles (float32) was one of singles. So was a table rounded to halves.

    Examples
    --------
    >>> X = np.array([[0.1, 0.5], [3.0, np.float64(np.float32(0.1))]])
    >>> np.log2(off_by(X)(X)[0]).tolist()  # 0.1 is a double; 0.5 stands in a column of singles
    [-57.0, -25.0]
    """
    single = _columns_of_singles(X) if X.dtype in (np.float64, object) else None
    digits = _digits_of_halves(stored(X)) if X.dtype in (np.float32, np.float64) else None

    @np.errstate(all="ignore")
    def off(part: Any) -> Any:
        values = stored(part)
        if values.dtype == object and single is not None:
            each = [map(_half_of, row, single) for row in values.tolist()]
            return np.array([list(row) for row in each], dtype=np.float64).reshape(values.shape)
        if values.dtype.kind != "f":
            return np.zeros(part.shape)
        last = np.spacing(np.abs(values)).astype(np.float64)
        if single is not None and single.any():
            coarse = np.spacing(np.abs(values).astype(np.float32)).astype(np.float64)
            last = np.where(single[part.indices] if is_sparse(part) else single, coarse, last)
        if digits is not None:
            last = np.ldexp(1.0, np.frexp(values)[1] - digits)
        halves = np.where(values == np.rint(values), 0.0, np.maximum(last / 2, _LEAST))
        return (
            sp.sparse.csr_matrix((halves, part.indices, part.indptr), shape=part.shape) if is_sparse(part) else halves
        )

    return off


def _half_of(v: Any, is_single: bool = False) -> float:
    """Half a unit in the last place of a double, or of a single, that is no integer, else 0."""
    if not isinstance(v, float | OfDouble) or float(v) == int(v):
        return 0.0
    return max(float(np.spacing(np.float32(abs(float(v))))) if is_single else ulp(float(v)), 2 * _LEAST) / 2


def _digits_of_halves(values: Array) -> int | None:
    """The digits of bfloat16 (8) or float16 (11), where all numbers have no more and were rounded to them.

    Few digits may also be those of a grid, as of half kilos: a number of half the size then has a digit less.
    """
    for some in (values.ravel()[:_STEP], values):  # most tables are known by their first numbers
        exponents, whole = np.zeros(0), np.zeros(0)
        part = some[some != np.rint(some)].astype(np.float64)
        for digits in (8, 11):
            fractions, exponents = np.frexp(part)
            whole = np.ldexp(np.abs(fractions), digits)
            if np.array_equal(whole, np.rint(whole)):
                break
        else:
            return None
    below = exponents.max(initial=0) - exponents
    finer = np.fmod(whole, np.ldexp(1.0, below))[below > 0] > 0
    return digits if finer.size >= _FEW and finer.mean() > _FINER else None


def _columns_of_singles(X: Any) -> Array:
    values = stored(X)
    if values.dtype == object:  # of which integers and fractions are exact
        rows = [[float(v) if isinstance(v, float | OfDouble) else 0.0 for v in row] for row in values.tolist()]
        values = np.array(rows).reshape(X.shape)
    with np.errstate(all="ignore"):
        other = values.astype(np.float32) != values
    if not is_sparse(X):
        return np.asarray(~other.any(axis=0))
    return np.asarray(np.bincount(X.indices[other], minlength=X.shape[1]) == 0)


def signed_rows(X: Any, s: Array, constant: bool) -> Rows:
    """The rows s_i (x_i, 1), without the 1 unless there is a constant."""
    off = off_by(X)

    def rows(ids: Array) -> tuple[Any, Any]:
        part = X[ids]
        halves, Z = off(part), as_doubles(part)
        if part.dtype == object:  # what no double holds is not known at all here
            halves = np.where((Z == 0) & (part != 0), np.inf, halves)
        if not is_sparse(Z):
            ones, zeros = np.ones((ids.size, int(constant))), np.zeros((ids.size, int(constant)))
            return np.hstack([Z, ones]) * s[ids][:, None], np.hstack([halves, zeros])
        one = sp.sparse.csr_matrix(np.ones((ids.size, int(constant))))
        return sp.sparse.diags_array(s[ids].astype(np.float64)) @ sp.sparse.hstack([Z, one]), sp.sparse.hstack(
            [halves, 0 * one]
        )

    return rows


def _chunks(rows: Rows, ids: Array) -> Iterator[tuple[Any, Any, Array]]:
    """Some rows after another, how far they may be off, and a bound of their entries.

    Rows without an entry of 1 are multiplied by the power of two that brings their largest one there: products of such
    numbers would be rounded to 0.
    """
    for start in range(0, ids.size, _STEP):
        Z, off = rows(ids[start : start + _STEP])
        Z = as_doubles(Z) if Z.dtype == object else Z  # the noise of a sum covers the rounding of integers
        largest = abs(Z).max(axis=1)
        power = np.frexp(np.asarray(largest.todense() if is_sparse(Z) else largest).ravel())[1]
        up = -np.minimum(power, 0)
        yield _times(Z, up), _times(off, up), np.ldexp(1.0, np.clip(power, 0, 1023))


def _times(part: Any, power: Array) -> Any:
    if not is_sparse(part):
        return np.ldexp(part, power[:, None])
    part = sp.sparse.csr_matrix(part)
    data = np.ldexp(part.data, np.repeat(power, np.diff(part.indptr)))
    return sp.sparse.csr_matrix((data, part.indices, part.indptr), shape=part.shape)


def together(rows: Rows, vectors: Sequence[Array], separated: Array) -> Array:
    """Directions of integers as one: each has so large a power of two that it outweighs those after it on the rows that
    it takes."""
    if len(vectors) == 1:
        return vectors[0]
    lengths = [max(map(abs, d.tolist())).bit_length() for d in vectors]
    longest = max(lengths)
    V = np.column_stack([[v / (1 << n) for v in d.tolist()] for d, n in zip(vectors, lengths, strict=True)])
    parts = [(Z @ V, abs(Z) @ np.abs(V)) for Z, _, _ in _chunks(rows, separated)]
    scores, sizes = (np.vstack(both) for both in zip(*parts, strict=True))
    taken = np.argmax(scores > _ZERO * sizes, axis=1)
    total, d = scores[:, -1].copy(), np.asarray(vectors[-1] * (1 << longest - lengths[-1]))
    for k in range(len(vectors) - 2, -1, -1):
        at = taken == k
        with np.errstate(all="ignore"):
            more = max(1, int(np.frexp((-total[at] / scores[at, k]).max(initial=1.0))[1]) + 1)
            total += np.ldexp(scores[:, k], more)
        d = d + vectors[k] * (1 << longest - lengths[k] + more)
    return d


def direction_moves(rows: Rows, d: Array, separated: Array, *, proved: bool) -> bool:
    """(a): whether rounding could move a separated row off its side of a direction of integers.

    Where it is `proved` to be positive on these rows, those that nothing moves stay there.
    """
    v = as_floats(d.tolist()) if separated.size else np.zeros(d.size)
    for Z, off, largest in _chunks(rows, separated):
        with np.errstate(all="ignore"):  # what is not finite is not larger than its noise
            noise = 2.0**-52 * (v.size + 9) * (abs(Z) @ np.abs(v)) + off @ np.abs(v) + _TINY * largest
            short = ~(Z @ v > noise)
        if proved:
            short &= (off > 0) @ (d != 0)
        if short.any():
            return True
    return False


def directions_move(rows: Rows, vectors: Sequence[Array], separated: Array) -> bool:
    """(a) of directions that were proved to separate these rows in turn."""
    d = together(rows, vectors, separated) if separated.size else np.zeros(0)
    return bool(separated.size) and direction_moves(rows, d, separated, proved=len(vectors) == 1)


def null_moves(rows: Rows, null: Iterable[Vector], left: Array) -> bool:
    """(b): whether rounding could move rows off the plane of a null vector."""
    columns = np.array(sorted({j for vector in null for j, v in vector.items() if v}), dtype=np.int64)
    return bool(columns.size) and any(off[:, columns].sum() > 0 for _, off, _ in _chunks(rows, left))


@np.errstate(all="ignore")  # what is not finite moves
def weights_move(
    rows: Rows,
    weights: Vector,
    *,
    rank: int | None = None,
    less: int = 0,
    free: Iterable[int] = (),
    within: float = 0.0,
    basis: Sequence[int] | None = None,
    columns: Sequence[int] | None = None,
) -> bool:
    """(c): whether rows that add up to 0 with these weights could stop to, or have another rank.

    Parameters
    ----------
    rows : callable
    weights : mapping of int to int
        Row -> weight. Without any, only the rank is asked about.
    rank : int, optional
        Of these rows; unless it is given, the number of columns with an entry without those that are `less`.
    less : int
    free : iterable of int
        Rows whose weight may have any sign.
    within : float
        Exact weights differ from these by at most this share of each.
    basis : sequence of int, optional
        Independent rows among them that span all: those with large weights are chosen unless it is given.
    columns : sequence of int, optional
        Columns on which these are regular, which are needed where the rows are sparse and many.
    """
    free = set(free)
    ids = np.array([*weights, *sorted(free - weights.keys())], dtype=np.int64)
    y = np.zeros(ids.size)
    y[: len(weights)] = as_floats(list(weights.values())) if any(weights.values()) else 0.0
    Z, off = rows(ids)
    if not stored(off).any():
        return False
    if np.isinf(stored(off)).any():
        return True
    scale = np.asarray(abs(Z).max(axis=0).todense() if is_sparse(Z) else np.abs(Z).max(axis=0)).ravel()
    used = np.flatnonzero(scale)
    rank = used.size - less if rank is None else rank
    is_large = is_sparse(Z) and ids.size * used.size > _DENSE
    if (is_large and (basis is None or columns is None)) or (scale[used] < _SMALL).any():
        return True
    some = np.array(sorted(columns)) if is_large and columns is not None else used
    Z, off = (part[:, some] @ sp.sparse.diags_array(1 / scale[some]) for part in (Z, off))
    size = np.asarray(abs(Z).sum(axis=1)).ravel()
    moving = np.flatnonzero(np.asarray(off.sum(axis=0)).ravel())
    offs = dense(off[:, moving])
    if not np.isfinite(size).all() or ids.size < rank:
        return True
    offs = np.where(offs > 0, np.maximum(offs, _SMALL), 0.0)
    is_free = np.isin(ids, list(free))
    with np.errstate(over="ignore"):  # what is not finite moves
        least = 2.0**-20 * (y * size).max(initial=2.0**-20) / np.where(size > 0, size, 1.0)
    t = np.where(is_free, np.maximum(np.abs(y), least), y * (1.0 - within))
    if basis is None:
        at = sp.linalg.qr((dense(Z) * t[:, None]).T, mode="r", pivoting=True)[1][:rank]
    else:
        at = np.flatnonzero(np.isin(ids, basis))
    found = _columns_of_inverse(Z[at], size[at], moving) if is_large else _inverse(dense(Z[at]), size[at], moving)
    if found is None:
        return True
    R, slack = found
    own, is_free, t = offs[at], is_free[at], t[at]
    if (t < _SMALL).any():
        return True
    with np.errstate(all="ignore"):
        moved = (1.0 + within) * (np.abs(y) @ offs) @ R
        for _ in range(_TRIES):
            need = _SPARE * (moved + (t @ own) @ R + (t @ slack if slack is not None else 0.0))
            if not (need >= t).any():
                return bool(np.isnan(need).any())
            t = np.where(is_free, np.maximum(t, 2 * need), t)
    return True


def _inverse(B: Array, size: Array, moving: Array) -> tuple[Array, Array | None] | None:
    """|R| in the columns where entries move, and a bound of |B R - I|; None where there is no R."""
    if not size.all():
        return None
    B = B / size[:, None]
    try:
        R = np.linalg.inv(B) if B.shape[0] == B.shape[1] else np.linalg.pinv(B)
    except np.linalg.LinAlgError:
        return None
    of_few = 16 * np.count_nonzero(B) < B.size and np.isfinite(R).all()  # as of indicators
    left = sp.sparse.csr_matrix(B) if of_few else B
    with np.errstate(all="ignore"):  # what is not finite is larger than any weight
        slack = np.abs(left @ R - np.eye(B.shape[0])) + 2.0**-52 * (B.shape[1] + 9) * (abs(left) @ np.abs(R))
        return np.abs(R[moving]) / size, slack * size[:, None] / size


def _columns_of_inverse(B: Any, size: Array, moving: Array) -> tuple[Array, Array | None] | None:
    """The same of sparse rows, to rounding."""
    if B.shape[0] != B.shape[1] or not size.all() or B.shape[0] * moving.size > _DENSE:
        return None
    transposed = sp.sparse.csc_matrix((sp.sparse.diags_array(1 / size) @ B).T)
    units = np.zeros((B.shape[0], moving.size))
    units[moving, np.arange(moving.size)] = 1.0
    try:
        R = sp.sparse.linalg.splu(transposed).solve(units)
    except RuntimeError:  # to rounding there is none
        return None
    if not (np.abs(transposed @ R - units) <= _RESIDUAL).all():
        return None
    return np.abs(R.T) / size, None


@np.errstate(all="ignore")  # what is not finite moves
def is_fragile(X: Any, s: Array, constant: bool, proof: ConeProof) -> bool:
    """Whether rounding could change the verdict that is proved."""
    if exact_inputs(X):
        return False
    rows, width = signed_rows(X, s, constant), X.shape[1] + constant
    vectors = [np.array([d.get(j, 0) for j in range(width)], dtype=object) for d in proof.directions]
    if directions_move(rows, vectors, proof.separated):
        return True
    if proof.basis is None and proof.directions and len(proof.left):
        return True  # nothing shows that the rows left stay on the plane of the directions
    if not proof.weights:
        return False
    basis = proof.basis if proof.within else None
    less = sum(len(v) > 1 for v in proof.null)  # without the columns of zeros, which it does not count
    moves = weights_move(rows, proof.weights, less=less, within=proof.within, basis=basis)
    return moves or (proof.basis is not None and null_moves(rows, proof.null, np.asarray(proof.left, dtype=np.int64)))
