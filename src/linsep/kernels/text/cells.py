"""Cells of CSV text without quotes: the number of each among the distinct ones of its column, eight bytes at a time.

The first of the bytes of a word that are a mark is found without a branch a byte (Mycroft's test for a zero byte, in
Warren 2012, Hacker's Delight, 6-1).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linsep.kernels.memory import uncounted
from linsep.types import Array

_NEWLINE = ord("\n")
_SLOTS = 1 << 15  # of the table of each column
MOST = _SLOTS // 2  # distinct cells of a column
# Unsigned constants: a sum of signed and unsigned numbers is a float.
_NOUGHT, _ONE, _SEVEN, _BYTES, _HALF, _TOP = (np.uint64(value) for value in (0, 1, 7, 8, 32, 56))
_ONES, _HIGH = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_SHIFT, _MASK = np.uint64(64 - 15), np.uint64(_SLOTS - 1)


class Cells(NamedTuple):
    """Which distinct cell each row of a column has (columns, rows), and the bytes of the distinct cells in order."""

    codes: Array
    texts: list[list[bytes]]


class Tables(NamedTuple):
    """Memory to number cells with, for one text after another: fresh memory costs as much time as the work.

    `codes` of slots (columns, slots) are 0 before and after; of each distinct cell its beginning, size and slot.
    """

    codes: Array
    begins: Array
    sizes: Array
    slots: Array


def make_tables(n_columns: int) -> Tables:
    """Empty tables for so many columns."""
    begins, sizes = np.empty((n_columns, MOST), np.int64), np.empty((n_columns, MOST), np.int64)
    return Tables(np.zeros((n_columns, _SLOTS), np.int32), begins, sizes, np.empty((n_columns, MOST), np.int32))


def encode_cells(text: Array, n_rows: int, sep: int, tables: Tables) -> Cells | None:
    """Number the cells of lines that are a row each; None if not all have as many cells, or a column too many texts.

    Parameters
    ----------
    text : ndarray of uint8
        The lines, without quotes and carriage returns; the last one may lack its end.
    n_rows : int
        How many lines there are.
    sep : int
        The byte between two cells.
    tables : Tables
        For as many columns as each line has cells.
    """
    n_columns = len(tables.codes)
    codes, counts = np.empty((n_columns, n_rows), np.int32), np.zeros(n_columns, np.int64)
    if not _encode(text, np.uint64(sep), codes, tables, counts):
        return None
    found = zip(tables.begins, tables.sizes, counts.tolist(), strict=True)
    spans = [zip(begins[:n].tolist(), sizes[:n].tolist(), strict=True) for begins, sizes, n in found]
    return Cells(codes, [[text[a : a + size].tobytes() for a, size in span] for span in spans])


@uncounted(cache=True, nogil=True)
def _encode(text: Any, sep: Any, codes: Any, tables: Any, counts: Any) -> Any:
    """Fill all arrays; whether every line has a cell for each column, and none has too many distinct ones."""
    filled = _fill(text, sep, codes, tables.codes, tables.begins, tables.sizes, tables.slots, counts)
    for j in range(codes.shape[0]):
        for k in range(counts[j]):
            tables.codes[j, tables.slots[j, k]] = 0
    return filled


@uncounted(cache=True, nogil=True)
def _fill(text: Any, sep: Any, codes: Any, table: Any, begins: Any, sizes: Any, slots: Any, counts: Any) -> Any:
    size, seps, newlines = np.uint64(text.size), sep * _ONES, np.uint64(_NEWLINE) * _ONES
    empty = _NOUGHT if codes.shape[0] == 1 else ~_NOUGHT  # the size of a line's only cell that makes it no row
    i = _NOUGHT
    for row in range(codes.shape[1]):
        for j in range(codes.shape[0]):
            begin, h = i, _NOUGHT
            while True:
                word = _word(text, i)
                a, b = word ^ seps, word ^ newlines
                marks = ((a - _ONES) & ~a & _HIGH) | ((b - _ONES) & ~b & _HIGH)
                if marks != _NOUGHT:
                    break
                h = (h ^ word) * _FACTOR
                h ^= h >> _HALF
                i += _BYTES
            first = marks & (~marks + _ONE)  # the lowest bit alone, the highest one of its byte
            h = (h ^ (word & ((first >> _SEVEN) - _ONE))) * _FACTOR
            i += (((first - _ONE) & _ONES) * _ONES >> _TOP) - _ONE
            if (i >= size or text[i] == _NEWLINE) != (j == codes.shape[0] - 1) or i - begin == empty:
                return False
            h = ((h ^ (h >> _HALF)) + i - begin) * _FACTOR
            slot = h >> _SHIFT
            code = table[j, slot]
            while code and not _same(text, np.uint64(begins[j, code - 1]), begin, i, np.uint64(sizes[j, code - 1])):
                slot = (slot + _ONE) & _MASK
                code = table[j, slot]
            if not code:
                if counts[j] == MOST:
                    return False
                begins[j, counts[j]], sizes[j, counts[j]], slots[j, counts[j]] = begin, i - begin, slot
                counts[j] += 1
                table[j, slot] = code = counts[j]
            codes[j, row] = code - 1
            i += _ONE
    return True


@uncounted(cache=True, nogil=True)
def _word(text: Any, i: Any) -> Any:
    """Eight bytes from the unsigned i on as one number, the first byte lowest; line ends beyond the text."""
    if i + _BYTES <= np.uint64(text.size):
        return _whole_word(text, i)
    word = _NOUGHT
    for k in range(8):
        c = np.uint64(text[i + np.uint64(k)]) if i + np.uint64(k) < np.uint64(text.size) else np.uint64(_NEWLINE)
        word |= c << np.uint64(8 * k)
    return word


@uncounted(cache=True, nogil=True)
def _whole_word(text: Any, i: Any) -> Any:
    """Eight bytes that are all there, which LLVM loads at once."""
    word = _NOUGHT
    for k in range(8):
        word |= np.uint64(text[i + np.uint64(k)]) << np.uint64(8 * k)
    return word


@uncounted(cache=True, nogil=True)
def _same(text: Any, other: Any, begin: Any, end: Any, size: Any) -> Any:
    """Whether the cell from begin to end is the one of so many bytes from `other` on."""
    if size != end - begin:
        return False
    while begin + _BYTES <= end:
        if _whole_word(text, other) != _whole_word(text, begin):
            return False
        other, begin = other + _BYTES, begin + _BYTES
    while begin < end:
        if text[other] != text[begin]:
            return False
        other, begin = other + _ONE, begin + _ONE
    return True
