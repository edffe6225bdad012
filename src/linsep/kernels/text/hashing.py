"""Bytes to a column and a sign: signed feature hashing.

A name goes to column h mod 2^bits with the sign of another bit of h, so that names that share a column cancel out on
average. Texts become rows of hashed n-grams, of words or of characters; each distinct one counts 1 / sqrt(how many
there are).

Sources: Weinberger, Dasgupta, Langford, Smola and Attenberg 2009 (ICML) for the signs; the hash is 64-bit FNV-1a
(Fowler, Noll and Vo), then the 64-bit finaliser of MurmurHash3 (Appleby).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep.kernels.compiled import inner, uncounted

# Prime and offset basis of 64-bit FNV-1a.
_PRIME = np.uint64(1099511628211)
FNV_START = np.uint64(14695981039346656037)
# Factors and shift of the finaliser of MurmurHash3; the top bit of a hash is the sign of its column.
_M1, _M2 = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)
_HALF, _TOP, _ONE = np.uint64(33), np.uint64(63), np.uint64(1)
# What joins the words of an n-gram: a space.
_JOIN = np.array([ord(" ")], dtype=np.uint8)


@uncounted(cache=True, nogil=True)
def add_bytes(h: Any, text: Any, a: int, b: int) -> Any:
    """FNV-1a: h after the bytes text[a:b]."""
    for i in range(np.uint64(a), np.uint64(b)):
        h = (h ^ np.uint64(text[i])) * _PRIME
    return h


@uncounted(cache=True, nogil=True)
def mixed(h: Any) -> Any:
    """The finaliser of MurmurHash3: every bit of the result depends on every bit of h."""
    h = (h ^ (h >> _HALF)) * _M1
    h = (h ^ (h >> _HALF)) * _M2
    return h ^ (h >> _HALF)


@uncounted(cache=True, nogil=True)
def column_of(h: Any, bits: Any) -> Any:
    """(h mod 2^bits, sign): the column of a mixed hash, and +1.0 or -1.0 by its top bit."""
    column = np.int64(h & ((_ONE << np.uint64(bits)) - _ONE))
    return column, (1.0 if h >> _TOP else -1.0)


@uncounted(cache=True, nogil=True)
def hash_all(text: Any, offsets: Any, seed: Any, bits: Any, columns: Any, signs: Any) -> None:
    """(columns[k], signs[k]) = `column_of` the bytes text[offsets[k]:offsets[k + 1]], hashed on from `seed`.

    Changes `columns` and `signs` (names,).
    """
    for k in range(offsets.size - 1):
        columns[k], signs[k] = column_of(mixed(add_bytes(seed, text, offsets[k], offsets[k + 1])), bits)


def seed_of(prefix: str) -> Any:
    """The hash to go on from for names that begin with `prefix`."""
    raw = np.frombuffer(prefix.encode(), dtype=np.uint8)
    return np.uint64(add_bytes(FNV_START, raw, 0, len(raw)))


def hash_names(prefix: str, text: Any, offsets: Any, bits: int) -> tuple[Any, Any]:
    """Column and sign of each name prefix + text[offsets[k]:offsets[k + 1]].

    Examples
    --------
    >>> columns, signs = hash_names("city=", np.frombuffer(b"OsloRome", np.uint8), np.array([0, 4, 8]), 18)
    >>> columns.tolist(), signs.tolist()
    ([241551, 226155], [-1.0, 1.0])
    """
    n = len(offsets) - 1
    columns, signs = np.empty(n, np.int64), np.empty(n)
    hash_all(text, offsets.astype(np.int64, copy=False), seed_of(prefix), bits, columns, signs)
    return columns, signs


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


@inner(cache=True, nogil=True)
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
