"""svmlight text, strict: `label index:value index:value ... # comment`, indices ascending."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from linsep.data.columns import as_labels
from linsep.kernels.text.svmlight import ENTRY, LABEL, ORDER, QUERY, SIZE, VALUE, Scanned, scan
from linsep.types import Array, Chunk, DataError

_EXPECTED = {
    LABEL: "a label, a finite number",
    ENTRY: "index:value",
    ORDER: "an index above the one before",
    VALUE: "a finite number",
    QUERY: "index:value (query ids are not used; take them out)",
    SIZE: "an index below 2147483648",
}


class Decimals(NamedTuple):
    """The values as written: `mantissa * 10**exponent`, but for the entries `beyond`, which have too many digits:
    those are given by their text."""

    mantissa: Array
    exponent: Array
    beyond: dict[int, str]


class SparseText(NamedTuple):
    """What a file holds. `first_index` is 0 when an index 0 appears, else 1: the index of the first column of X."""

    chunk: Chunk
    first_index: int
    decimals: Decimals


def read_svmlight(content: bytes, name: str) -> SparseText:
    """Return sparse rows and labels; indices count from 1, or from 0 when an index 0 appears."""
    content = content.removeprefix(b"\xef\xbb\xbf")
    found = _scanned(content, name, 1)
    if not found.labels.size:
        raise DataError(f"{name}: there is not one row")
    if not found.indices.size:
        raise DataError(f"{name}: not one row has a feature")
    y = as_labels(found.labels, lambda row: f"{name}, row {row}", "label")
    first = 0 if (found.indices == 0).any() else 1
    columns = found.indices - first
    X = sp.csr_matrix((found.data, columns, found.indptr), shape=(len(y), int(columns.max()) + 1))
    over = found.exponent[found.slow] == np.iinfo(np.int32).min
    beyond = {
        int(k): content[a:b].decode() for k, (a, b) in zip(found.slow[over], found.spans[over].tolist(), strict=True)
    }
    return SparseText(Chunk(X, y, 0), first, Decimals(found.mantissa, found.exponent, beyond))


def read_svmlight_block(content: bytes, name: str, first_line: int, start: int) -> Chunk:
    """Some lines of a stream: column j is index j, whether the file counts from 0 or from 1."""
    found = _scanned(content, name, first_line, keep_digits=False)
    y = as_labels(found.labels, lambda row: f"{name}, row {start + row}", "label")
    width = int(found.indices.max()) + 1 if found.indices.size else 1
    return Chunk(sp.csr_matrix((found.data, found.indices, found.indptr), shape=(len(y), width)), y, start)


def _scanned(content: bytes, name: str, first_line: int, *, keep_digits: bool = True) -> Scanned:
    found = scan(np.frombuffer(content, dtype=np.uint8), keep_digits=keep_digits)
    if found.error:
        raise malformed(_EXPECTED[found.error], found.position, content, name, first_line)
    finish_numbers(found.labels, found.label_slow, found.label_spans, _EXPECTED[LABEL], content, name, first_line)
    finish_numbers(found.data, found.slow, found.spans, _EXPECTED[VALUE], content, name, first_line)
    return found


def finish_numbers(
    values: Array, slow: Array, spans: Array, expected: str, content: bytes, name: str, first_line: int
) -> None:
    """Read in place the numbers whose digits or powers of ten one double cannot hold; each ends rounded correctly."""
    if not slow.size:
        return
    values[slow] = [float(content[a:b]) for a, b in spans.tolist()]
    infinite = np.flatnonzero(~np.isfinite(values[slow]))
    if infinite.size:
        raise malformed(expected, int(spans[infinite[0], 0]), content, name, first_line)


def malformed(expected: str, position: int, content: bytes, name: str, first_line: int) -> DataError:
    """What to raise for the text at byte `position` of content that begins at line `first_line`."""
    line = content.count(b"\n", 0, position) + first_line
    column = position - content.rfind(b"\n", 0, position)
    token = (content[position : position + 40].split() or [b"the end of the line"])[0]
    if content[position : position + 1].isspace():
        token = b"nothing"
    return DataError(f"{name}:{line}:{column}: expected {expected}, found {token.decode(errors='replace')!r}")
