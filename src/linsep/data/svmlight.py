"""svmlight text, strict: `label index:value index:value ... # comment`, indices ascending."""

from __future__ import annotations

import math
import re

import numpy as np
import scipy.sparse as sp

from linsep.data.table import as_labels
from linsep.types import Chunk, DataError

_PAIR = re.compile(rb"([0-9]+):(\S+)")


def read_svmlight(content: bytes, name: str) -> Chunk:
    """Return sparse rows and labels; indices count from 1, or from 0 when an index 0 appears."""
    labels: list[float] = []
    data: list[float] = []
    indices: list[int] = []
    indptr = [0]
    for number, line in enumerate(content.splitlines(), start=1):
        fields = line.partition(b"#")[0].split()
        if not fields:
            continue
        labels.append(_number(fields[0], "a label", name, number, line))
        last = -1
        for entry in fields[1:]:
            index, value = _pair(entry, name, number, line)
            if index <= last:
                raise _malformed("an index above the one before", entry, name, number, line)
            last = index
            indices.append(index)
            data.append(value)
        indptr.append(len(data))
    if not labels:
        raise DataError(f"{name}: there is not one row")
    y = as_labels(np.array(labels), lambda row: f"{name}, row {row}", "label")
    columns = np.array(indices, dtype=np.int64)
    if columns.size and columns.min() > 0:
        columns -= 1
    n_features = int(columns.max()) + 1 if columns.size else 0
    if n_features == 0:
        raise DataError(f"{name}: not one row has a feature")
    X = sp.csr_matrix((np.array(data), columns, np.array(indptr)), shape=(len(labels), n_features))
    return Chunk(X, y, 0)


def _pair(entry: bytes, name: str, number: int, line: bytes) -> tuple[int, float]:
    found = _PAIR.fullmatch(entry)
    if found is None:
        expected = "index:value (query ids are not used)" if entry.startswith(b"qid:") else "index:value"
        raise _malformed(expected, entry, name, number, line)
    return int(found[1]), _number(found[2], "a finite number", name, number, line)


def _number(text: bytes, expected: str, name: str, number: int, line: bytes) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or b"_" in text:
        raise _malformed(expected, text, name, number, line)
    return value


def _malformed(expected: str, found: bytes, name: str, number: int, line: bytes) -> DataError:
    column = line.find(found) + 1
    return DataError(f"{name}:{number}:{column}: expected {expected}, found {found.decode(errors='replace')!r}")
