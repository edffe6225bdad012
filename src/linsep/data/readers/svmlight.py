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
from linsep.data.readers.asked import Decimals, Lines, TextReader, Whole
from linsep.kernels.text.svmlight import ENTRY, LABEL, ORDER, QUERY, SIZE, VALUE, Room, Scanned, scan
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
# Room beyond what the first piece lets expect, and how many times as much as that is believed.
_SPARE, _MOST_PIECES = 1.05, 100_000


class SvmlightReader(TextReader):
    """Sparse rows of numbers with numeric labels.

    Examples
    --------
    >>> from linsep.data.readers.asked import Asked
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
        name = ""
        grown = {"labels": _Growing(np.float64), "indices": _Growing(np.int32), "data": _Growing(np.float64)}
        labels, indices, data = grown.values()
        sizes, mantissa, exponent = _Growing(np.int32), _Growing(np.int64), _Growing(np.int32)
        beyond: dict[int, str] = {}
        doubles_alone = True  # whole numbers that their doubles hold need no digits beside them
        for lines in pieces:
            name = name or lines.name
            found = _scanned(lines, lambda kind, size: grown[kind].room(size), keep_digits=not doubles_alone)
            if doubles_alone and not found.whole:
                doubles_alone = False
                mantissa.add(data.so_far().astype(np.int64))
                exponent.add(np.zeros(data.size, np.int32))
                found = _scanned(lines, lambda kind, size: grown[kind].room(size))
            over = found.exponent[found.slow] == np.iinfo(np.int32).min if not doubles_alone else np.empty(0, bool)
            for k, (a, b) in zip(found.slow[over].tolist(), found.spans[over].tolist(), strict=True):
                beyond[indices.size + k] = lines.content[a:b].decode()
            if lines.content and not indices.size:  # the other pieces are likely to be as dense
                share = min(_SPARE * self.n_bytes / len(lines.content), _MOST_PIECES)
                for kind, part in (("labels", found.labels), ("indices", found.indices), ("data", found.data)):
                    grown[kind].expect(int(share * part.size))
            sizes.add(np.diff(found.indptr))
            labels.size += found.labels.size
            indices.size += found.indices.size
            data.size += found.data.size
            if not doubles_alone:
                mantissa.add(found.mantissa)
                exponent.add(found.exponent)
        if not labels.size:
            raise NoRowsError(f"{name}: there are no rows")
        if not indices.size:
            raise DataError(f"{name}: not one row has a feature")
        y = as_labels(labels.taken(), row_of(name), "label")
        columns = indices.taken()
        first = 0 if columns.min() == 0 else 1
        columns -= first
        indptr: Array = np.zeros(len(y) + 1, np.int32 if columns.size < 2**31 else np.int64)
        np.cumsum(sizes.taken(), out=indptr[1:])
        X = scipy.sparse.csr_matrix((data.taken(), columns, indptr), shape=(len(y), int(columns.max()) + 1))
        decimals = None if doubles_alone else Decimals(mantissa.taken(), exponent.taken(), beyond)
        return Whole(Chunk(X, y, 0), first, decimals)


class ChunkOfLines(Chunk):
    """Rows that know in which line of their file they stand."""

    lines: Lines

    @classmethod
    def of(cls, X: Any, y: Array | None, lines: Lines) -> Self:
        """The rows of some lines."""
        chunk = cls(X, y, lines.start)
        chunk.lines = lines
        return chunk

    def place(self, row: int) -> str:
        """File and line of a row."""
        return self.lines.place(row, COMMENT)


class _Growing:
    """An array that grows in place, so that joining many parts takes little more memory than the whole.

    Memory that nobody has written to is not there yet: to expect too much costs nothing.
    """

    def __init__(self, dtype: type) -> None:
        self._values: Array = np.empty(0, dtype)
        self.size = 0

    def expect(self, size: int) -> None:
        """Make room for `size` in all at once: growing writes zeros, and in small pages of memory."""
        if size <= self._values.size:
            return
        try:
            values: Array = np.empty(size, self._values.dtype)
        except MemoryError:  # it may be less in the end
            return
        values[: self._values.size] = self._values
        self._values = values

    def room(self, size: int) -> Array:
        """A view of what follows, to be filled; `size` of this object tells how much of it was. Earlier views end."""
        end = self.size + size
        if end > self._values.size:
            self._values.resize(end + end // 8, refcheck=False)
        return self._values[self.size : end]

    def add(self, part: Array) -> None:
        self.room(part.size)[:] = part
        self.size += part.size

    def so_far(self) -> Array:
        """A view of what there is, until more is added."""
        return self._values[: self.size]

    def taken(self) -> Array:
        """Return the whole array; this object no longer holds it."""
        values, self._values = self._values, np.empty(0)
        values.resize(self.size, refcheck=False)
        return values


def _scanned(lines: Lines, room: Room | None = None, *, keep_digits: bool = True) -> Scanned:
    found = scan(np.frombuffer(lines.content, dtype=np.uint8), room, keep_digits=keep_digits)
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
