"""svmlight text, strict: `label index:value index:value ... # comment`, indices ascending."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import scipy

from linsep.data.labels import as_labels, refuse_more_digits
from linsep.data.readers.arrow import row_of
from linsep.data.readers.lines import Decimals, Lines, TextReader, Whole
from linsep.kernels.text.svmlight import ENTRY, LABEL, ORDER, QUERY, SIZE, VALUE, Scanned, scan
from linsep.types import Array, Chunk, DataError, NoRowsError

_EXPECTED = {
    LABEL: "a label, a finite number",
    ENTRY: "index:value",
    ORDER: "an index above the one before",
    VALUE: "a finite number",
    QUERY: "index:value (query ids are not used; take them out)",
    SIZE: "an index below 2147483648",
}


COMMENT = b"#"


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
        name, exact, n = "", False, 0
        parts: list[Scanned] = []
        beyond: dict[int, str] = {}
        for lines in pieces:
            name = name or lines.name
            found = _scanned(lines, keep_digits=exact)
            if not exact and not found.whole:  # whole numbers that their doubles hold need no digits beside them
                exact, found = True, _scanned(lines)
            over = found.exponent[found.slow] == np.iinfo(np.int32).min if exact else np.empty(0, bool)
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
        return Whole(Chunk(X, y, 0), first, _digits(parts, beyond) if exact else None)


def _digits(parts: list[Scanned], beyond: dict[int, str]) -> Decimals:
    """The values as written; of the first parts, whose numbers are whole, no digits were kept."""
    kept = [part.mantissa.size == part.data.size for part in parts]
    mantissa = [part.mantissa if found else part.data.astype(np.int64) for part, found in zip(parts, kept, strict=True)]
    exponent = [
        part.exponent if found else np.zeros(part.data.size, np.int32) for part, found in zip(parts, kept, strict=True)
    ]
    return Decimals(np.concatenate(mantissa), np.concatenate(exponent), beyond)


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
        return self.lines.place(row if self.rows is None else int(self.rows[row]), COMMENT)


def _scanned(lines: Lines, *, keep_digits: bool = True) -> Scanned:
    found = scan(np.frombuffer(lines.content, dtype=np.uint8), keep_digits=keep_digits)
    if found.error:
        raise malformed(_EXPECTED[found.error], found.position, lines)
    late = finish_numbers(found.labels, found.label_slow, found.label_spans, _EXPECTED[LABEL], lines)
    refuse_more_digits(late, found.labels[found.label_slow], "label")
    finish_numbers(found.data, found.slow, found.spans, _EXPECTED[VALUE], lines)
    return found


def finish_numbers(values: Array, slow: Array, spans: Array, expected: str, lines: Lines) -> pa.Array | None:
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
        raise malformed(expected, int(spans[infinite[0], 0]), lines)
    return texts


def malformed(expected: str, position: int, lines: Lines) -> DataError:
    """What to raise for the text at byte `position` of some lines."""
    content = lines.content
    line = content.count(b"\n", 0, position) + lines.first_line
    column = position - content.rfind(b"\n", 0, position)
    token = (content[position : position + 40].split() or [b"the end of the line"])[0]
    if content[position : position + 1].isspace():
        token = b"nothing"
    return DataError(f"{lines.name}:{line}:{column}: expected {expected}, found {token.decode(errors='replace')!r}")
