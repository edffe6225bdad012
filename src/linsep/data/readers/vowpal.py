"""Vowpal Wabbit's text: `label 'tag|namespace name:value name |namespace:scale name ...`, names hashed."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from linsep.data.columns import as_labels
from linsep.data.features.hashing import seed_of
from linsep.data.readers.svmlight import finish_numbers, malformed
from linsep.kernels.text.svmlight import ENTRY, LABEL, VALUE
from linsep.kernels.text.vowpal import WEIGHT, scan_vowpal
from linsep.types import Chunk

_NEWLINE = 10
_EXPECTED = {
    LABEL: "a label, a finite number",
    ENTRY: "a name, name:value or |namespace",
    VALUE: "a finite number",
    WEIGHT: "'tag or | after the label (importance weights are not used; take them out)",
}


def read_vowpal_block(content: bytes, name: str, bits: int, first_line: int, start: int) -> Chunk:
    """Some lines of a stream as sparse rows; namespace and name together are hashed to one of 2**bits columns.

    A name that comes twice in a row counts twice; a value is 1 unless it is given, times that of its namespace.
    """
    text = np.frombuffer(content if content.endswith(b"\n") else content + b"\n", dtype=np.uint8)
    n_rows = int(np.count_nonzero(text == _NEWLINE))
    n_entries = content.count(b" ") + content.count(b"\t") + content.count(b"|") + 1
    labels, indptr = np.empty(n_rows), np.zeros(n_rows + 1, np.int64)
    indices, data, scales = np.empty(n_entries, np.int64), np.empty(n_entries), np.empty(n_entries)
    slow, spans = np.empty(n_entries + n_rows, np.int64), np.empty((n_entries + n_rows, 2), np.int64)
    entries = (indices, data, scales)
    error, position, r, k, n_slow = scan_vowpal(text, seed_of(""), bits, labels, indptr, entries, slow, spans)
    if error:
        raise malformed(_EXPECTED[error], position, content, name, first_line)
    late, where = slow[:n_slow], spans[:n_slow]
    is_label = late < 0
    finish_numbers(labels, -1 - late[is_label], where[is_label], _EXPECTED[LABEL], content, name, first_line)
    finish_numbers(data, late[~is_label], where[~is_label], _EXPECTED[VALUE], content, name, first_line)
    y = as_labels(labels[:r], lambda row: f"{name}, row {start + row}", "label")
    X = sp.csr_matrix((data[:k] * scales[:k], indices[:k], indptr[: r + 1]), shape=(r, 1 << bits))
    return Chunk(X, y, start)
