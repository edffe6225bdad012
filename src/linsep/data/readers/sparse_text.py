"""Sparse rows as text, strict: svmlight and Vowpal Wabbit.

svmlight is `label index:value index:value ... # comment`, indices ascending. Vowpal Wabbit's text is
`label 'tag|namespace name:value name |namespace:scale name ...`, names hashed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import scipy

from linsep.data.labels import as_labels, longer_text, refuse_more_digits
from linsep.data.readers.arrow import row_of
from linsep.data.readers.lines import Decimals, Lines, TextReader, Whole
from linsep.kernels.text.hashing import seed_of
from linsep.kernels.text.svmlight import ENTRY, LABEL, ORDER, QUERY, SIZE, VALUE, Scanned, scan
from linsep.kernels.text.vowpal import WEIGHT, scan_vowpal
from linsep.types import Array, Chunk, DataError, NoRowsError

_EXPECTED = {
    LABEL: "a label, a finite number",
    ENTRY: "index:value",
    ORDER: "an index above the one before",
    VALUE: "a finite number",
    QUERY: "index:value (query ids are not used; take them out)",
    SIZE: "an index below 2147483648",
}
_COMMENT = b"#"


class SvmlightReader(TextReader):
    """Sparse rows of numbers with numeric labels.

    Examples
    --------
    >>> from linsep.data.readers.lines import Asked
    >>> reader = SvmlightReader(Asked())
    >>> whole = reader.whole([Lines(b"1 2:0.5\\n-1 7:1\\n", "t.svm")])
    >>> whole.chunk.X.shape, whole.first_index, reader.block(Lines(b"1 2:0.5\\n", "t.svm")).X.shape
    ((2, 7), 1, (1, 3))
    """

    kind = "rows"

    def block(self, lines: Lines) -> Chunk | None:
        """Read some lines of a stream: column j is index j, whether the file counts from 0 or from 1."""
        found = _scanned(lines, keep_digits=False)
        if not found.labels.size:
            return None
        y = as_labels(found.labels, row_of(lines.name, lines.start), "label")
        width = int(found.indices.max()) + 1 if found.indices.size else 1
        X = scipy.sparse.csr_matrix((found.data, found.indices, found.indptr), shape=(len(y), width))
        return ChunkOfLines.of(X, y, lines)

    def whole(self, pieces: Iterable[Lines]) -> Whole:
        """Read everything, a piece at a time; indices count from 1, or from 0 when an index 0 appears anywhere."""
        name, n = "", 0
        parts: list[Scanned] = []
        beyond: dict[int, str] = {}
        for lines in pieces:
            name = name or lines.name
            found = _scanned(lines)
            over = found.exponent[found.slow] == np.iinfo(np.int32).min
            for k, (a, b) in zip(found.slow[over].tolist(), found.spans[over].tolist(), strict=True):
                beyond[n + k] = lines.content[a:b].decode()
            n += found.data.size
            parts.append(found)
        labels = np.concatenate([part.labels for part in parts])
        if not labels.size:
            raise NoRowsError(f"{name}: there are no rows")
        if not n:
            raise DataError(f"{name}: not one row has a feature")
        y = as_labels(labels, row_of(name), "label")
        columns = np.concatenate([part.indices for part in parts])
        first = 0 if columns.min() == 0 else 1
        columns -= first
        indptr: Array = np.zeros(len(y) + 1, np.int32 if n < 2**31 else np.int64)
        np.cumsum(np.concatenate([np.diff(part.indptr) for part in parts]), out=indptr[1:])
        data = np.concatenate([part.data for part in parts])
        X = scipy.sparse.csr_matrix((data, columns, indptr), shape=(len(y), int(columns.max()) + 1))
        mantissa = np.concatenate([part.mantissa for part in parts])
        exponent = np.concatenate([part.exponent for part in parts])
        return Whole(Chunk(X, y, 0), first, Decimals(mantissa, exponent, beyond))


class ChunkOfLines(Chunk):
    """Rows that know in which line of their file they stand."""

    lines: Lines
    rows: Array | None = None  # which rows of the lines these are; None for all
    rest: Any = None
    unlabelled: Array | None = None

    @classmethod
    def of(cls, X: Any, y: Array | None, lines: Lines, rows: Array | None = None) -> Self:
        """The rows of some lines."""
        chunk = cls(X, y, lines.start)
        chunk.lines, chunk.rows = lines, rows
        return chunk

    def place(self, row: int) -> str:
        """File and line of a row."""
        return self.lines.place(row if self.rows is None else int(self.rows[row]), _COMMENT)


def _scanned(lines: Lines, *, keep_digits: bool = True) -> Scanned:
    found = scan(np.frombuffer(lines.content, dtype=np.uint8), keep_digits=keep_digits)
    if found.error:
        raise _malformed(_EXPECTED[found.error], found.position, lines)
    late = _finish_numbers(found.labels, found.label_slow, found.label_spans, _EXPECTED[LABEL], lines)
    refuse_more_digits(late, found.labels[found.label_slow], "label")
    _finish_numbers(found.data, found.slow, found.spans, _EXPECTED[VALUE], lines)
    return found


def _finish_numbers(values: Array, slow: Array, spans: Array, expected: str, lines: Lines) -> pa.Array | None:
    """Read in place, correctly rounded, the numbers that one double cannot hold at once, and return their texts."""
    if not slow.size:
        return None
    raw = np.frombuffer(lines.content, np.uint8)
    offsets = np.concatenate([[0], np.cumsum(spans[:, 1] - spans[:, 0])])
    places = np.repeat(spans[:, 0] - offsets[:-1], np.diff(offsets)) + np.arange(offsets[-1])
    texts = pa.LargeStringArray.from_buffers(len(slow), pa.py_buffer(offsets), pa.py_buffer(raw[places]))
    values[slow] = pc.cast(texts, pa.float64()).to_numpy()
    infinite = np.flatnonzero(~np.isfinite(values[slow]))
    if infinite.size:
        raise _malformed(expected, int(spans[infinite[0], 0]), lines)
    return texts


def _malformed(expected: str, position: int, lines: Lines) -> DataError:
    """What to raise for the text at byte `position` of some lines."""
    content = lines.content
    line = content.count(b"\n", 0, position) + lines.first_line
    column = position - content.rfind(b"\n", 0, position)
    token = (content[position : position + 40].split() or [b"the end of the line"])[0]
    if content[position : position + 1].isspace():
        token = b"nothing"
    return DataError(f"{lines.name}:{line}:{column}: expected {expected}, found {token.decode(errors='replace')!r}")


# --------------------------------------------------------------- Vowpal Wabbit
_NEWLINE = 10
_EXPECTED_OF_VOWPAL = {
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
            raise _malformed(_EXPECTED_OF_VOWPAL[error], position, lines)
        for kind, numbers in ((LABEL, labels), (VALUE, data), (ENTRY, scales)):
            late = slow[:n_slow, 0] == kind
            expected = _EXPECTED_OF_VOWPAL[LABEL if kind == LABEL else VALUE]
            texts = _finish_numbers(numbers, slow[:n_slow][late, 1], spans[:n_slow][late], expected, lines)
            if kind == LABEL:
                refuse_more_digits(texts, numbers[slow[:n_slow][late, 1]], "label")
            elif texts is not None:
                self.rounded = self.rounded or longer_text(texts, numbers[slow[:n_slow][late, 1]]) is not None
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
        raise DataError(f"{lines.place(row, _COMMENT)}: a value times that of its namespace is too large")

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
