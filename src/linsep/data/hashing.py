"""Names to places: signed feature hashing (Weinberger et al. 2009).

A name goes to column h mod 2^bits with the sign of another bit of h, so that names that share a column cancel out on
average. h is 64-bit FNV-1a over the bytes, then mixed (the finaliser of MurmurHash3), so that every bit of the
column depends on every byte.
"""

from __future__ import annotations

import numpy as np

from linsep.kernels.text.hashing import FNV_START, add_bytes, hash_all
from linsep.types import Array


def seed_of(prefix: str) -> np.uint64:
    """The hash to go on from for names that begin with `prefix`."""
    raw = np.frombuffer(prefix.encode(), dtype=np.uint8)
    return np.uint64(add_bytes(FNV_START, raw, 0, len(raw)))


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
    hash_all(text, offsets.astype(np.int64, copy=False), seed_of(prefix), bits, columns, signs)
    return columns, signs
