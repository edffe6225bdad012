"""The rank of dense rows, proved: what a few primes say of all minors that are larger."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from flint import fmpz, fmpz_mat, nmod_mat

from linsep.theory.rows.integers import PRIME, whole_rows
from linsep.types import Array

_ENTRIES = 2 * 10**6  # that are made integers: about two seconds
_WORK = 10**10  # products modulo a prime: about four seconds
_BITS = 60  # every prime that is used is longer
_SPREAD = 300  # powers of two between the largest and the smallest entry: with more, integers are too long


def proved_rank(X: Array, most: int) -> int | None:
    """The rank of the rows X, where it is proved soon, for one that is at most `most`; otherwise None.

    The rank modulo a prime is never larger than the rank. If it is r modulo each of several primes, their product
    divides all minors of r + 1 rows; where it is larger than these can be (Hadamard: the product of the lengths of the
    rows, or of the columns), they are 0, and the rank is r.

    Examples
    --------
    >>> proved_rank(np.array([[1.0, 0.1, 0.2], [1.0, 0.3, 0.6], [1.0, 0.5, 1.0]]), 3)
    2
    """
    n, width = X.shape
    some = range(0, n, max(1, 4 * n // (5 * width)))  # rows from all over the table: neighbours may be alike
    if _too_much(len(some), width, most) or _spread(X) > _SPREAD:
        return None
    if nmod_mat(_whole(X, some), PRIME).rank() == most:
        return most
    if _too_much(n, width, most):
        return None
    M = _whole(X, range(n))
    primes, rank, asked = _primes(), 0, 0
    while rank < most:
        needed = _largest_minor(M, rank + 1) // _BITS + 1
        if _too_much(n, width, most, needed):
            return None
        if asked >= needed:
            return rank
        rank, asked = max(rank, int(nmod_mat(M, next(primes)).rank())), asked + 1
    return most


def _too_much(n: int, width: int, most: int, primes: int = 1) -> bool:
    return n * width > _ENTRIES or n * width * most * primes > _WORK


def _spread(X: Array) -> int:
    """Powers of two between the largest and the smallest entry."""
    exps = np.frexp(X[X != 0].astype(np.float64))[1]
    return int(exps.max(initial=0)) - int(exps.min(initial=0))


def _whole(X: Array, ids: range) -> fmpz_mat:
    """Rows, each times a power of two of its own: the rank is the same."""
    return fmpz_mat([row for row, _ in whole_rows(X, ids)])


def _primes() -> Iterator[int]:
    """Primes from 2^61 - 1 down."""
    candidate = PRIME
    while True:
        if fmpz(candidate).is_prime():
            yield candidate
        candidate -= 2


def _largest_minor(M: fmpz_mat, size: int) -> int:
    """Bits that no minor of so many rows exceeds."""
    bits = []
    for table in (M, M.transpose()):
        squares = sorted(int(sum(v * v for v in row)).bit_length() for row in table.tolist())
        bits.append((sum(squares[-size:]) + 1) // 2)
    return min(bits)
