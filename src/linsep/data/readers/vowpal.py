"""Vowpal Wabbit's text: `label 'tag|namespace name:value name |namespace:scale name ...`, names hashed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy

from linsep.data.labels import as_labels, has_more_digits, refuse_more_digits
from linsep.data.readers.arrow import row_of
from linsep.data.readers.lines import Lines, TextReader, Whole
from linsep.data.readers.svmlight import COMMENT, ChunkOfLines, finish_numbers, malformed
from linsep.kernels.text.hashing import seed_of
from linsep.kernels.text.svmlight import ENTRY, LABEL, VALUE
from linsep.kernels.text.vowpal import WEIGHT, scan_vowpal
from linsep.types import Array, Chunk, DataError, NoRowsError

_NEWLINE = 10
_EXPECTED = {
    LABEL: "a label, a finite number",
    ENTRY: "a name, name:value or |namespace",
    VALUE: "a finite number",
    WEIGHT: "'tag or | after the label (importance weights are not used; take them out)",
}


class VowpalReader(TextReader):
    """Sparse rows; namespace and name together are hashed to one of 2**bits columns.

    A name that comes twice in a row counts twice; a value is 1 unless it is given, times that of its namespace.
    Values are doubles, also where their text has more digits.

    Examples
    --------
    >>> from linsep.data.readers.lines import Asked
    >>> VowpalReader(Asked(bits=8)).block(Lines(b"1 |city Oslo size:2\\n", "t.vw")).X.data.tolist()
    [1.0, 2.0]
    """

    kind = "rows"
    rounded = False  # whether a value had more digits than its double

    def block(self, lines: Lines) -> Chunk | None:
        """Read some lines."""
        content, bits = lines.content, self.asked.bits
        text = np.frombuffer(content if content.endswith(b"\n") else content + b"\n", dtype=np.uint8)
        n_rows = int(np.count_nonzero(text == _NEWLINE))
        n_entries = sum(content.count(mark) for mark in (b" ", b"\t", b"\r", b"|")) + 1  # one before each entry
        labels, indptr = np.empty(n_rows), np.zeros(n_rows + 1, np.int64)
        indices, data, spaces = np.empty(n_entries, np.int64), np.empty(n_entries), np.empty(n_entries, np.int64)
        scales = np.ones(content.count(b"|") + 1)
        entries = (indices, data, spaces, scales)
        slow, spans = (np.empty((n_entries + n_rows, 2), np.int64) for _ in range(2))
        error, position, r, k, n_slow = scan_vowpal(text, seed_of(""), bits, labels, indptr, entries, slow, spans)
        if error:
            raise malformed(_EXPECTED[error], position, lines)
        for kind, numbers in ((LABEL, labels), (VALUE, data), (ENTRY, scales)):
            late = slow[:n_slow, 0] == kind
            expected = _EXPECTED[LABEL if kind == LABEL else VALUE]
            texts = finish_numbers(numbers, slow[:n_slow][late, 1], spans[:n_slow][late], expected, lines)
            if kind == LABEL:
                refuse_more_digits(texts, numbers[slow[:n_slow][late, 1]], "label")
            elif texts is not None:
                self.rounded = self.rounded or has_more_digits(texts, numbers[slow[:n_slow][late, 1]])
        if not r:
            return None
        with np.errstate(over="ignore"):
            values = data[:k] * scales[spaces[:k]]
        self._check_products(values, indptr, lines)
        X = scipy.sparse.csr_matrix((values, indices[:k], indptr[: r + 1]), shape=(r, 1 << bits))
        return self._labelled(X, labels[:r], lines)

    def _labelled(self, X: Any, labels: Array, lines: Lines) -> Chunk:
        """The rows with their labels, or with none if some lack theirs; such rows stand apart if they are kept."""
        gone = np.isnan(labels)
        if not gone.any():
            return ChunkOfLines.of(X, as_labels(labels, row_of(lines.name, lines.start), "label"), lines)
        if not self.asked.keep_unlabelled:
            return ChunkOfLines.of(X, None, lines)
        there, rows = np.flatnonzero(~gone), np.flatnonzero(gone)
        chunk = ChunkOfLines.of(
            X[there], as_labels(labels[there], row_of(lines.name, lines.start), "label"), lines, there
        )
        chunk.rest, chunk.unlabelled = ChunkOfLines.of(X[rows], None, lines, rows), rows
        return chunk

    def _check_products(self, values: Array, indptr: Array, lines: Lines) -> None:
        """Raise DataError where a value times that of its namespace is no finite number."""
        if np.isfinite(values).all():
            return
        entry = int(np.flatnonzero(~np.isfinite(values))[0])
        row = int(np.searchsorted(indptr, entry, side="right")) - 1
        raise DataError(f"{lines.place(row, COMMENT)}: a value times that of its namespace is too large")

    def whole(self, pieces: Iterable[Lines]) -> Whole:
        """Read everything, a piece at a time."""
        name, chunks = "", []
        for lines in pieces:
            name = name or lines.name
            chunk = self.block(lines)
            if chunk is not None and chunk.y is None:
                raise DataError(f"{name}: there is a row with no label before the |")
            if chunk is not None:
                chunks.append(chunk)
        if not chunks:
            raise NoRowsError(f"{name}: there are no rows")
        y = as_labels(np.concatenate([chunk.y for chunk in chunks]), row_of(name), "label")
        X = scipy.sparse.vstack([chunk.X for chunk in chunks], format="csr")
        return Whole(Chunk(X, y, 0), rounded=self.rounded)
