"""Vowpal Wabbit's text: `label 'tag|namespace name:value name |namespace:scale name ...`, names hashed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numba import njit

from linsep.data.columns import as_labels
from linsep.data.features.hashing import add_bytes, column_of, mixed, seed_of
from linsep.data.readers.arrow import row_of
from linsep.data.readers.asked import Lines, TextReader, Whole
from linsep.data.readers.svmlight import finish_numbers, malformed
from linsep.kernels.text.svmlight import ENTRY, LABEL, VALUE, as_double, decimal_at, line_end, skip_blanks
from linsep.types import Chunk, DataError

_WEIGHT = 7
_BAR, _COLON, _SPACE, _NEWLINE, _TICK = 124, 58, 32, 10, 39
# Between a namespace and a name in what is hashed.
_CARET = np.array([94], dtype=np.uint8)
_EXPECTED = {
    LABEL: "a label, a finite number",
    ENTRY: "a name, name:value or |namespace",
    VALUE: "a finite number",
    _WEIGHT: "'tag or | after the label (importance weights are not used; take them out)",
}


class VowpalReader(TextReader):
    """Sparse rows; namespace and name together are hashed to one of 2**bits columns.

    A name that comes twice in a row counts twice; a value is 1 unless it is given, times that of its namespace.

    Examples
    --------
    >>> from linsep.data.readers.asked import Asked
    >>> VowpalReader(Asked(bits=8)).block(Lines(b"1 |city Oslo size:2\\n", "t.vw")).X.data.tolist()
    [1.0, 2.0]
    """

    kind = "rows"

    def block(self, lines: Lines) -> Chunk | None:
        """Read some lines."""
        content, bits = lines.content, self.asked.bits
        text = np.frombuffer(content if content.endswith(b"\n") else content + b"\n", dtype=np.uint8)
        n_rows = int(np.count_nonzero(text == _NEWLINE))
        n_entries = content.count(b" ") + content.count(b"\t") + content.count(b"|") + 1
        labels, indptr = np.empty(n_rows), np.zeros(n_rows + 1, np.int64)
        entries = (np.empty(n_entries, np.int64), np.empty(n_entries), np.empty(n_entries))
        slow, spans = np.empty(n_entries + n_rows, np.int64), np.empty((n_entries + n_rows, 2), np.int64)
        error, position, r, k, n_slow = _scan(text, seed_of(""), bits, labels, indptr, entries, slow, spans)
        if error:
            raise malformed(_EXPECTED[error], position, lines)
        indices, data, scales = entries
        late, where = slow[:n_slow], spans[:n_slow]
        is_label = late < 0
        finish_numbers(labels, -1 - late[is_label], where[is_label], _EXPECTED[LABEL], lines)
        finish_numbers(data, late[~is_label], where[~is_label], _EXPECTED[VALUE], lines)
        if not r:
            return None
        y = as_labels(labels[:r], row_of(lines.name, lines.start), "label")
        X = sp.csr_matrix((data[:k] * scales[:k], indices[:k], indptr[: r + 1]), shape=(r, 1 << bits))
        return Chunk(X, y, lines.start)

    def whole(self, pieces: Iterable[Lines]) -> Whole:
        """Read everything, a piece at a time."""
        name, chunks = "", []
        for lines in pieces:
            name = name or lines.name
            chunk = self.block(lines)
            if chunk is not None:
                chunks.append(chunk)
        if not chunks:
            raise DataError(f"{name}: there is not one row")
        y = as_labels(np.concatenate([chunk.y for chunk in chunks]), row_of(name), "label")
        return Whole(Chunk(sp.vstack([chunk.X for chunk in chunks], format="csr"), y, 0))


@njit(cache=True, nogil=True)
def _scan(text: Any, seed: Any, bits: Any, labels: Any, indptr: Any, entries: Any, slow: Any, spans: Any) -> Any:
    """Fill the arrays; return (error, position, rows, entries, numbers still to be read)."""
    indices, data, scales = entries
    n, one = np.uint64(text.size), np.uint64(1)
    i = np.uint64(0)
    r = k = n_slow = 0
    while i < n:
        i = skip_blanks(text, i)
        if text[i] == _NEWLINE:
            i += one
            continue
        end, m, e = decimal_at(text, np.int64(i))
        if end < 0:
            return LABEL, i, r, k, n_slow
        labels[r], ready = as_double(m, e)
        if not ready:
            slow[n_slow], spans[n_slow, 0], spans[n_slow, 1] = -1 - r, i, end
            n_slow += 1
        i = skip_blanks(text, np.uint64(end))
        if text[i] == _TICK:
            while text[i] > _SPACE and text[i] != _BAR:
                i += one
            i = skip_blanks(text, i)
        if text[i] != _BAR and text[i] != _NEWLINE:
            return _WEIGHT, i, r, k, n_slow
        space = seed
        scale = 1.0
        while text[i] != _NEWLINE:
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
                if end < 0:
                    return VALUE, j + one, r, k, n_slow
                value, ready = as_double(m, e)
            if begins:
                if not ready:
                    return VALUE, j + one, r, k, n_slow
                space = add_bytes(seed, text, i, j)
                space = add_bytes(space, _CARET, 0, 1)
                scale = value
            else:
                if i == j:
                    return ENTRY, i, r, k, n_slow
                column, _ = column_of(mixed(add_bytes(space, text, i, j)), bits)
                indices[k], data[k], scales[k] = column, value, scale
                if not ready:
                    slow[n_slow], spans[n_slow, 0], spans[n_slow, 1] = k, j + one, end
                    n_slow += 1
                k += 1
            i = skip_blanks(text, np.uint64(end))
        r += 1
        indptr[r] = k
        i = line_end(text, i)
    return 0, i, r, k, n_slow
