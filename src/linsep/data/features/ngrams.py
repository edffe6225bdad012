"""Text to features: words or characters, n at a time, hashed; each distinct one counts 1 / sqrt(how many there are)."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from linsep.data.features.hashing import add_bytes, column_of, mixed
from linsep.types import Array, DataError

_SPACE, _JOIN = np.uint8(32), np.array([32], dtype=np.uint8)
_LONGEST_GRAM = 8
_SPEC = re.compile(r"(words|chars)(?:([1-8])(?:-([1-8]))?)?")


class Grams(NamedTuple):
    """What a text becomes: runs of `low` to `high` words, or of characters."""

    unit: str
    low: int
    high: int

    @classmethod
    def parse(cls, spec: str) -> Grams:
        """Read "words", "words1-2", "chars3-5"; chars alone are chars3-5.

        Examples
        --------
        >>> Grams.parse("words1-2")
        Grams(unit='words', low=1, high=2)
        """
        found = _SPEC.fullmatch(spec)
        low = int(found[2]) if found and found[2] else 3 if spec == "chars" else 1
        high = int(found[3]) if found and found[3] else 5 if spec == "chars" else low
        if found is None or high < low:
            raise DataError(f"text is read as words, words1-2, chars3-5 or the like (8 at most), not as {spec!r}")
        return cls(found[1], low, high)

    @property
    def spec(self) -> str:
        """As `parse` reads it."""
        return f"{self.unit}{self.low}-{self.high}"


class Found(NamedTuple):
    """Entries of rows (`indptr`, `columns`, `values`), and where names not known before stand in the text."""

    indptr: Array
    columns: Array
    values: Array
    new: list[tuple[int, float, int, int]]


def hash_words(text: Array, offsets: Array, grams: Grams, seed: Any, bits: int, named: Array) -> Found:
    """Hash the n-grams of each text[offsets[k]:offsets[k + 1]]; `named` marks the columns whose name is known."""
    size = int(offsets[-1] - offsets[0])
    most = (size // (2 if grams.unit == "words" else 1) + 2 * len(offsets)) * (grams.high - grams.low + 1)
    columns, values = np.empty(most, np.int64), np.empty(most)
    indptr = np.zeros(len(offsets), np.int64)
    new, signs = np.empty((1 << 14, 3), np.int64), np.empty(1 << 14)
    seen = np.full(1 << bits, -1, np.int32)
    is_words = grams.unit == "words"
    out = (indptr, columns, values, new, signs, seen, named)
    k, n_new = _hash(text, offsets.astype(np.int64), is_words, grams.low, grams.high, seed, bits, out)
    found = [(c, s, a, b) for (c, a, b), s in zip(new[:n_new].tolist(), signs[:n_new].tolist(), strict=True)]
    return Found(indptr, columns[:k], values[:k], found)


@njit(cache=True, nogil=True)
def _hash(text: Any, offsets: Any, is_words: bool, low: int, high: int, seed: Any, bits: Any, out: Any) -> Any:
    """Fill `out`; return (entries, new names). Ends and starts of the last `high` units move along in two rings."""
    indptr, columns, values, new, signs, seen, named = out
    starts, ends = np.zeros(high, np.int64), np.zeros(high, np.int64)
    k = n_new = 0
    for row in range(offsets.size - 1):
        first = k
        units = 0
        i, end = offsets[row], offsets[row + 1]
        while i < end:
            j = _unit_end(text, i, end, is_words)
            if j == i:
                i += 1
                continue
            starts[units % high], ends[units % high] = i, j
            units += 1
            i = j
            for n in range(low, min(high, units) + 1):
                h = seed
                for u in range(units - n, units):
                    h = add_bytes(h, text, starts[u % high], ends[u % high])
                    if is_words and u + 1 < units:
                        h = add_bytes(h, _JOIN, 0, 1)
                column, sign = column_of(mixed(h), bits)
                if seen[column] == row:
                    continue
                seen[column] = row
                columns[k], values[k] = column, sign
                k += 1
                if not named[column] and n_new < signs.size:
                    named[column] = True
                    new[n_new, 0], new[n_new, 1], new[n_new, 2] = column, starts[(units - n) % high], j
                    signs[n_new] = sign
                    n_new += 1
        for e in range(first, k):
            values[e] /= np.sqrt(k - first)
        indptr[row + 1] = k
    return k, n_new


@njit(cache=True, nogil=True)
def _unit_end(text: Any, i: int, end: int, is_words: bool) -> int:
    """Where the word or character at i ends; i itself where none begins."""
    if not is_words:
        i += 1
        while i < end and text[i] & 0xC0 == 0x80:
            i += 1
        return i
    while i < end:
        c = text[i]
        if c < 48 or 57 < c < 65 or 90 < c < 97 or 122 < c < 128:
            break
        i += 1
    return i
