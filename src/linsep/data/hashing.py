"""Names to places: signed feature hashing (Weinberger et al. 2009).

A name goes to column h mod 2^bits with the sign of another bit of h, so that names that share a column cancel out on
average. h is 64-bit FNV-1a over the bytes, then mixed (the finaliser of MurmurHash3), so that every bit of the
column depends on every byte.

`RunningHash` is for whole files: it notices that one was changed. It is no signature: whoever wants to can make two
files with one hash.
"""

from __future__ import annotations

from typing import Any
from zlib import crc32

import numpy as np

from linsep.types import Array


def seed_of(prefix: str) -> np.uint64:
    """The hash to go on from for names that begin with `prefix`."""
    from linsep.kernels.text.hashing import FNV_START, add_bytes

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
    from linsep.kernels.text.hashing import hash_all

    n = len(offsets) - 1
    columns, signs = np.empty(n, np.int64), np.empty(n)
    hash_all(text, offsets.astype(np.int64, copy=False), seed_of(prefix), bits, columns, signs)
    return columns, signs


class RunningHash:
    """CRC-32 and the number of the bytes given so far, however these were cut into pieces.

    Examples
    --------
    >>> one, other = RunningHash(), RunningHash()
    >>> one.add(b"some rows of a file")
    >>> other.add(b"some rows ")
    >>> other.add(b"of a file")
    >>> one.hex() == other.hex() != RunningHash().hex()
    True
    """

    def __init__(self) -> None:
        self._crc = self._length = 0

    def add(self, content: Any) -> None:
        """Take in some bytes."""
        view = memoryview(content).cast("B")
        self._crc, self._length = crc32(view, self._crc), self._length + len(view)

    def hex(self) -> str:
        """Both as 16 hexadecimal digits, the number of bytes modulo 2^32."""
        return f"{self._crc:08x}{self._length % 2**32:08x}"
