"""The bytes of svmlight text to arrays, in one compiled pass: `label index:value index:value ... # comment`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linsep.kernels.compiled import inner, uncounted
from linsep.kernels.text.numbers import APART, NEWLINE, as_double, decimal_at, line_end, skip_blanks, whole_at
from linsep.types import Array

# What may be wrong: the label, an entry, the order of indices, a value, a query id, the size of an index.
LABEL, ENTRY, ORDER, VALUE, QUERY, SIZE = 1, 2, 3, 4, 5, 6

_HASH, _ZERO, _COLON, _Q = map(ord, "#0:q")
_INDEX_LIMIT = 2**31  # indices are kept in 32 bits
# Unsigned constants: a sum of signed and unsigned numbers is a float.
_NOUGHT, _ONE, _TEN, _DIGITS = (np.uint64(value) for value in (0, 1, 10, _ZERO))


class Scanned(NamedTuple):
    """Rows as found. `error` is 0, or the kind of the mistake at byte `position`.

    The values `data[slow]` are still to be read, from the bytes `spans`; the same holds for labels, those of more than
    15 digits among them.
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
    if not text.size or text[-1] != NEWLINE:
        text = np.append(text, np.uint8(NEWLINE))  # every loop below ends at one
    n_rows = int(np.count_nonzero(text == NEWLINE))
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
    of_labels = (label_slow[:n_label_slow], label_spans[:n_label_slow])
    of_entries = (indices[:k], data[:k], mantissa[:k], exponent[:k])
    unread = (slow[:n_slow], spans[:n_slow])
    return Scanned(error, position, labels[:r], *of_labels, indptr[: r + 1], *of_entries, *unread)


@uncounted(cache=True, nogil=True)
def _scan(text: Any, rows: Any, entries: Any, keep_digits: bool) -> Any:
    """Fill the arrays of `Scanned`. Return (error, position, rows, entries, slow labels, slow values).

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
        if text[i] == NEWLINE:
            i += _ONE
            continue
        number, j = whole_at(text, i)
        labels[r] = number
        if j == i:
            end, m, e = decimal_at(text, np.int64(i))
            if end < 0:
                return LABEL, i, r, k, n_label_slow, n_slow
            j = np.uint64(end)
            labels[r], ready = as_double(m, e)
            if not ready or not -APART < m < APART:
                label_slow[n_label_slow] = r
                label_spans[n_label_slow, _NOUGHT], label_spans[n_label_slow, _ONE] = i, j
                n_label_slow += _ONE
        last = np.int64(-1)
        while True:
            i = skip_blanks(text, j)
            if text[i] == NEWLINE or text[i] == _HASH:
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
            number, j = whole_at(text, start)
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


@inner(cache=True, nogil=True)
def _index(text: Any, i: Any) -> Any:
    """(index, where its value begins), or a position of i if there is none."""
    j, index = i, _NOUGHT
    digit = np.uint64(text[j]) - _DIGITS
    while digit < _TEN:
        index = min(_TEN * index + digit, np.uint64(_INDEX_LIMIT))
        j += _ONE
        digit = np.uint64(text[j]) - _DIGITS
    return np.int64(index), i if j == i or text[j] != _COLON else j + _ONE
