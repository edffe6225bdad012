"""Text to features: words or characters, n at a time, hashed; each distinct one counts 1 / sqrt(how many there are)."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

from linsep.kernels.text.ngrams import hash_ngrams
from linsep.types import Array, DataError

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
    k, n_new = hash_ngrams(text, offsets.astype(np.int64), is_words, grams.low, grams.high, seed, bits, out)
    found = [(c, s, a, b) for (c, a, b), s in zip(new[:n_new].tolist(), signs[:n_new].tolist(), strict=True)]
    return Found(indptr, columns[:k], values[:k], found)
