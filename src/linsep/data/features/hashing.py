"""Names to places: signed feature hashing (Weinberger et al. 2009).

A name goes to column h mod 2^bits with the sign of another bit of h, so that names that share a column cancel out on
average. h is 64-bit FNV-1a over the bytes, then mixed (the finaliser of MurmurHash3), so that every bit of the
column depends on every byte.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from linsep.types import Array

_PRIME = np.uint64(1099511628211)
_START = np.uint64(14695981039346656037)
_M1, _M2 = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)
_HALF, _TOP, _ONE = np.uint64(33), np.uint64(63), np.uint64(1)


@njit(cache=True, nogil=True)
def add_bytes(h: Any, text: Any, a: int, b: int) -> Any:
    """FNV-1a: h after the bytes text[a:b]."""
    for i in range(np.uint64(a), np.uint64(b)):
        h = (h ^ np.uint64(text[i])) * _PRIME
    return h


@njit(cache=True, nogil=True)
def mixed(h: Any) -> Any:
    """Every bit of the result depends on every bit of h."""
    h = (h ^ (h >> _HALF)) * _M1
    h = (h ^ (h >> _HALF)) * _M2
    return h ^ (h >> _HALF)


@njit(cache=True, nogil=True)
def column_of(h: Any, bits: Any) -> Any:
    """The column of a mixed hash, and its sign."""
    column = np.int64(h & ((_ONE << np.uint64(bits)) - _ONE))
    return column, (1.0 if h >> _TOP else -1.0)


@njit(cache=True, nogil=True)
def _hash_all(text: Any, offsets: Any, seed: Any, bits: Any, columns: Any, signs: Any) -> None:
    for k in range(offsets.size - 1):
        columns[k], signs[k] = column_of(mixed(add_bytes(seed, text, offsets[k], offsets[k + 1])), bits)


def seed_of(prefix: str) -> np.uint64:
    """The hash to go on from for names that begin with `prefix`."""
    raw = np.frombuffer(prefix.encode(), dtype=np.uint8)
    return np.uint64(add_bytes(_START, raw, 0, len(raw)))


def hash_names(prefix: str, text: Array, offsets: Array, bits: int) -> tuple[Array, Array]:
    """Column and sign of each name prefix + text[offsets[k]:offsets[k + 1]].

    Examples
    --------
    >>> import numpy as np
    >>> columns, signs = hash_names("city=", np.frombuffer(b"OsloRome", np.uint8), np.array([0, 4, 8]), 18)
    >>> columns.tolist(), signs.tolist()
    ([241551, 226155], [-1.0, 1.0])
    """
    n = len(offsets) - 1
    columns, signs = np.empty(n, np.int64), np.empty(n)
    _hash_all(text, offsets.astype(np.int64, copy=False), seed_of(prefix), bits, columns, signs)
    return columns, signs
