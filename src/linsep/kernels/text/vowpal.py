"""The bytes of Vowpal Wabbit's text to arrays, in one compiled pass: `label 'tag|space name:value name ...`."""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep.kernels.compiled import inner, uncounted
from linsep.kernels.text.hashing import add_bytes, column_of, mixed
from linsep.kernels.text.numbers import APART, NEWLINE, as_double, decimal_at, line_end, skip_blanks
from linsep.kernels.text.svmlight import ENTRY, LABEL, VALUE

# What may be wrong besides `LABEL`, `ENTRY` and `VALUE`: after the label comes neither a tag nor a namespace.
WEIGHT = 7
_BAR, _COLON, _SPACE, _TICK = map(ord, "|: '")
# Between a namespace and a name in what is hashed.
_CARET = np.array([ord("^")], dtype=np.uint8)


@inner(cache=True, nogil=True)
def _end_of_tag(text: Any, i: Any) -> Any:
    """Where a tag that begins here ends: it begins with ' or reaches up to the bar; `i` itself if there is none."""
    j = i
    while text[j] > _SPACE and text[j] != _BAR:
        j += np.uint64(1)
    return j if text[i] == _TICK or text[j] == _BAR else i


@inner(cache=True, nogil=True)
def _later(slow: Any, spans: Any, n: int, kind: int, which: Any, begin: Any, end: Any) -> int:
    """List a number still to be read, after n of them; return how many there are. Changes `slow` and `spans`."""
    slow[n, 0], slow[n, 1] = kind, which
    spans[n, 0], spans[n, 1] = begin, end
    return n + 1


@uncounted(cache=True, nogil=True)
def scan_vowpal(text: Any, seed: Any, bits: Any, labels: Any, indptr: Any, entries: Any, slow: Any, spans: Any) -> Any:
    """Label, NaN where there is none, columns and values of every row; and (error, position, rows, entries, numbers
    still to be read).

    A column is a hash of namespace and name; `entries` is (indices, data, spaces, scales), and the value of entry k
    is data[k] scales[spaces[k]], scales[0] being 1. `labels[r]`, `indptr[r + 1]` and the entries `indptr[r]` to
    `indptr[r + 1]` are row r. Numbers that doubles cannot give at once, and labels of more than 15 digits, are
    listed: `slow` is (LABEL, row), (VALUE, entry) or (ENTRY, namespace), `spans` (., 2) the bytes. The text has to
    end with a line end. Changes all arrays but `text`.
    """
    indices, data, spaces, scales = entries
    n, one = np.uint64(text.size), np.uint64(1)
    i = np.uint64(0)
    r = k = n_slow = n_spaces = 0
    while i < n:
        i = skip_blanks(text, i)
        if text[i] == NEWLINE:
            i += one
            continue
        end, m, e = decimal_at(text, np.int64(i))
        labels[r] = np.nan
        end = -1 if end >= 0 and text[end] > _SPACE else end  # a comment sign is none here
        if end >= 0:
            labels[r], ready = as_double(m, e)
            if not ready or not -APART < m < APART:
                n_slow = _later(slow, spans, n_slow, LABEL, r, i, end)
            i = skip_blanks(text, np.uint64(end))
        j = _end_of_tag(text, i)
        if end < 0 and j == i and text[i] != _BAR:
            return LABEL, i, r, k, n_slow
        i = skip_blanks(text, j)
        if text[i] != _BAR and text[i] != NEWLINE:
            return WEIGHT, i, r, k, n_slow
        space = seed
        place = 0
        while text[i] != NEWLINE:
            begins = text[i] == _BAR
            i += one if begins else np.uint64(0)
            j = i
            while text[j] > _SPACE and text[j] != _COLON and text[j] != _BAR:
                j += one
            value = 1.0
            end = np.int64(j)
            ready = True
            if text[j] == _COLON:
                end, m, e = decimal_at(text, np.int64(j) + 1)
                if end < 0 or text[end] > _SPACE:
                    return VALUE, j + one, r, k, n_slow
                value, ready = as_double(m, e)
            if begins:
                n_spaces += 1
                place, scales[n_spaces] = n_spaces, value
                if not ready:
                    n_slow = _later(slow, spans, n_slow, ENTRY, place, j + one, end)
                space = add_bytes(seed, text, i, j)
                space = add_bytes(space, _CARET, 0, 1)
            else:
                if i == j:
                    return ENTRY, i, r, k, n_slow
                column, _ = column_of(mixed(add_bytes(space, text, i, j)), bits)
                indices[k], data[k], spaces[k] = column, value, place
                if not ready:
                    n_slow = _later(slow, spans, n_slow, VALUE, k, j + one, end)
                k += 1
            i = skip_blanks(text, np.uint64(end))
        r += 1
        indptr[r] = k
        i = line_end(text, i)
    return 0, i, r, k, n_slow
