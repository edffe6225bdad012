"""Texts to rows of hashed n-grams, of words or of characters; each distinct one counts 1 / sqrt(how many there are)."""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep.kernels.compiled import uncounted
from linsep.kernels.text.hashing import add_bytes, column_of, mixed

# What joins the words of an n-gram: a space.
_JOIN = np.array([ord(" ")], dtype=np.uint8)


@uncounted(cache=True, nogil=True)
def hash_ngrams(text: Any, offsets: Any, is_words: bool, low: int, high: int, seed: Any, bits: Any, out: Any) -> Any:
    """Row r = the distinct n-grams, n from `low` to `high`, of text[offsets[r]:offsets[r + 1]], all of one length.

    Return (entries, new names). `out` is (indptr, columns, values, new, signs, seen, named, starts, ends): the rows in
    CSR; of an n-gram whose column `named` does not know, up to the length of `signs`, its column and where it begins
    and ends, `new` (., 3), and its sign; scratch space of a row number a column, -1 at first; the columns whose name is
    known; and two rings (high,) in which starts and ends of the last words or characters move along. Changes `out`.
    """
    indptr, columns, values, new, signs, seen, named, starts, ends = out
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


@uncounted(cache=True, nogil=True)
def _unit_end(text: Any, i: int, end: int, is_words: bool) -> int:
    """Where the word or character at i ends; i itself where none begins.

    A word is made of ASCII letters and digits and of all bytes from 128 on, that is, of all other characters of UTF-8.
    A character is a byte and the bytes 10xxxxxx that follow it.
    """
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
