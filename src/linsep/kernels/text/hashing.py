"""Bytes to a place: 64-bit FNV-1a, the finaliser of MurmurHash3, and the column and sign of a hash."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

_PRIME = np.uint64(1099511628211)
FNV_START = np.uint64(14695981039346656037)
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
def hash_all(text: Any, offsets: Any, seed: Any, bits: Any, columns: Any, signs: Any) -> None:
    """columns[k], signs[k] = the place of the name text[offsets[k]:offsets[k + 1]], hashed on from `seed`."""
    for k in range(offsets.size - 1):
        columns[k], signs[k] = column_of(mixed(add_bytes(seed, text, offsets[k], offsets[k + 1])), bits)
