"""The bytes of svmlight text to arrays, in one compiled pass."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from linsep.types import Array

LABEL, ENTRY, ORDER, VALUE, QUERY, SIZE = 1, 2, 3, 4, 5, 6

_TAB, _NEWLINE, _RETURN, _SPACE, _HASH = 9, 10, 13, 32, 35
_PLUS, _MINUS, _POINT, _ZERO, _COLON, _E, _SMALL_E, _Q = 43, 45, 46, 48, 58, 69, 101, 113
_INDEX_LIMIT = 2**31
_FULL = 10**17  # one digit more still fits 64 bits
_DOUBLE = 2**53
_BEYOND = -(2**31)  # the exponent of a number with more digits than 64 bits hold
# Unsigned constants: a sum of signed and unsigned numbers is a float.
_NOUGHT, _ONE, _TEN, _DIGITS, _MOST_DIGITS = (np.uint64(value) for value in (0, 1, 10, _ZERO, 15))
_POWERS = 10.0 ** np.arange(23)  # the powers of ten that are doubles


class Scanned(NamedTuple):
    """Rows as found. `error` is 0, or the kind of the mistake at byte `position`.

    The values `data[slow]` are still to be read, from the bytes `spans`; the same holds for the labels.
    """

    error: int
    position: int
    labels: Array
    label_slow: Array
    label_spans: Array
    indptr: Array
    indices: Array
    data: Array
    mantissa: Array
    exponent: Array
    slow: Array
    spans: Array


def scan(text: Array, *, keep_digits: bool = True) -> Scanned:
    """Scan svmlight text given as uint8; indices are returned as written.

    `mantissa` and `exponent` are empty unless the digits are to be kept.
    """
    if not text.size or text[-1] != _NEWLINE:
        text = np.append(text, np.uint8(_NEWLINE))  # every loop below ends at one
    n_rows = int(np.count_nonzero(text == _NEWLINE))
    n_entries = int(np.count_nonzero(text == _COLON))
    n_digits = n_entries if keep_digits else 0
    labels = np.empty(n_rows)
    label_slow, label_spans = np.empty(n_rows, np.int64), np.empty((n_rows, 2), np.int64)
    indptr = np.zeros(n_rows + 1, np.int64)
    indices, data = np.empty(n_entries, np.int32), np.empty(n_entries)
    mantissa, exponent = np.empty(n_digits, np.int64), np.empty(n_digits, np.int32)
    slow, spans = np.empty(n_entries, np.int64), np.empty((n_entries, 2), np.int64)
    rows = (labels, label_slow, label_spans, indptr)
    entries = (indices, data, mantissa, exponent, slow, spans)
    error, position, r, k, n_label_slow, n_slow = _scan(text, rows, entries, keep_digits)
    return Scanned(
        error,
        position,
        labels[:r],
        label_slow[:n_label_slow],
        label_spans[:n_label_slow],
        indptr[: r + 1],
        indices[:k],
        data[:k],
        mantissa[:k],
        exponent[:k],
        slow[:n_slow],
        spans[:n_slow],
    )


@njit(cache=True, nogil=True)
def _scan(text: Any, rows: Any, entries: Any, keep_digits: bool) -> Any:
    """Fill `rows` and `entries`; return (error, position, rows, entries, slow labels, slow values).

    Positions are unsigned: Numba adds code to signed ones, for those below zero, that takes more time than the rest.
    """
    labels, label_slow, label_spans, indptr = rows
    indices, data, mantissa, exponent, slow, spans = entries
    n = np.uint64(text.size)
    i = r = k = n_label_slow = n_slow = np.uint64(0)
    while i < n:
        i = skip_blanks(text, i)
        if text[i] == _HASH:
            i = line_end(text, i)
        if text[i] == _NEWLINE:
            i += _ONE
            continue
        number, j = _whole_at(text, i)
        labels[r] = number
        if j == i:
            end, m, e = decimal_at(text, np.int64(i))
            if end < 0:
                return LABEL, i, r, k, n_label_slow, n_slow
            j = np.uint64(end)
            labels[r], ready = as_double(m, e)
            if not ready:
                label_slow[n_label_slow] = r
                label_spans[n_label_slow, _NOUGHT], label_spans[n_label_slow, _ONE] = i, j
                n_label_slow += _ONE
        last = np.int64(-1)
        while True:
            i = skip_blanks(text, j)
            if text[i] == _NEWLINE or text[i] == _HASH:
                break
            index, start = _index(text, i)
            if start == i:
                return QUERY if text[i] == _Q else ENTRY, i, r, k, n_label_slow, n_slow
            if index >= _INDEX_LIMIT:
                return SIZE, i, r, k, n_label_slow, n_slow
            if index <= last:
                return ORDER, i, r, k, n_label_slow, n_slow
            last = index
            indices[k] = index
            number, j = _whole_at(text, start)
            data[k] = number
            m, e = np.int64(number), 0
            if j == start:
                end, m, e = decimal_at(text, np.int64(start))
                if end < 0:
                    return VALUE, start, r, k, n_label_slow, n_slow
                j = np.uint64(end)
                data[k], ready = as_double(m, e)
                if not ready:
                    slow[n_slow] = k
                    spans[n_slow, _NOUGHT], spans[n_slow, _ONE] = start, j
                    n_slow += _ONE
            if keep_digits:
                mantissa[k], exponent[k] = m, e
            k += _ONE
        r += _ONE
        indptr[r] = k
        i = line_end(text, i)
    return 0, i, r, k, n_label_slow, n_slow


@njit(cache=True, nogil=True)
def _whole_at(text: Any, i: Any) -> Any:
    """(the number of up to 15 digits at i, where it ends); the end is i if anything else stands there."""
    j, m = i, _NOUGHT
    digit = np.uint64(text[j]) - _DIGITS
    while digit < _TEN:
        m = _TEN * m + digit
        j += _ONE
        digit = np.uint64(text[j]) - _DIGITS
    plain = j - i <= _MOST_DIGITS and text[j] <= _SPACE
    return np.float64(np.int64(m)), j if plain else i


@njit(cache=True, nogil=True)
def skip_blanks(text: Any, i: Any) -> Any:
    """The next position, from the unsigned i on, of what is no blank; a line end has to follow."""
    while text[i] == _SPACE or text[i] == _TAB or text[i] == _RETURN:
        i += _ONE
    return i


@njit(cache=True, nogil=True)
def line_end(text: Any, i: Any) -> Any:
    """The next line end from the unsigned i on; there has to be one."""
    while text[i] != _NEWLINE:
        i += _ONE
    return i


@njit(cache=True, nogil=True)
def _index(text: Any, i: Any) -> Any:
    """(index, where its value begins), or a position of i if there is none."""
    j, index = i, _NOUGHT
    digit = np.uint64(text[j]) - _DIGITS
    while digit < _TEN:
        index = min(_TEN * index + digit, np.uint64(_INDEX_LIMIT))
        j += _ONE
        digit = np.uint64(text[j]) - _DIGITS
    return np.int64(index), i if j == i or text[j] != _COLON else j + _ONE


@njit(cache=True, nogil=True)
def decimal_at(text: Any, i: Any) -> Any:
    """(where it ends, m, e) of the number m 10^e at position i; the end is -1 if it is none."""
    negative = i < text.size and text[i] == _MINUS
    if negative or (i < text.size and text[i] == _PLUS):
        i += 1
    m: Any = 0
    e = digits = 0
    point = full = False
    while i < text.size:
        c = np.int64(text[i])
        if c == _POINT and not point:
            point = True
        elif _ZERO <= c <= _ZERO + 9:
            digits += 1
            full = full or m >= _FULL
            m = m if full else 10 * m + (c - _ZERO)
            e -= point
        else:
            break
        i += 1
    if digits == 0:
        return -1, m, e
    if i < text.size and (text[i] == _E or text[i] == _SMALL_E):
        i, power = _power(text, i + 1)
        e += power
    if i < 0 or (i < text.size and text[i] > _SPACE and text[i] != _HASH):
        return -1, m, e
    return i, -m if negative else m, _BEYOND if full else e if m else 0


@njit(cache=True, nogil=True)
def _power(text: Any, i: Any) -> Any:
    """(where it ends, the power of ten), the end -1 if there is none; powers beyond a million stay there."""
    negative = i < text.size and text[i] == _MINUS
    if negative or (i < text.size and text[i] == _PLUS):
        i += 1
    start = i
    power: Any = 0
    while i < text.size and _ZERO <= text[i] <= _ZERO + 9:
        power = min(10 * power + (np.int64(text[i]) - _ZERO), 1_000_000)
        i += 1
    return -1 if i == start else i, -power if negative else power


@njit(cache=True, nogil=True)
def as_double(m: Any, e: Any) -> Any:
    """(m 10^e rounded correctly, whether that could be done): one operation on two exact doubles (Clinger 1990)."""
    if -_DOUBLE <= m <= _DOUBLE and -22 <= e <= 22:
        return (m * _POWERS[e] if e >= 0 else m / _POWERS[-e]), True
    return 0.0, False
