"""The SHA-256 of a table, its labels and the question, so that a certificate can say what it is about."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from linsep.tables import holds_doubles, is_sparse
from linsep.types import Array, DataError

_ENTRY = np.dtype([("row", "<i8"), ("column", "<i8"), ("value", "<f8")])


def data_digest(X: Any, response: Array, dtype: str = "i1", *, fit_intercept: bool, classes: Sequence[Any]) -> str:
    """Return the SHA-256, in hexadecimal, of the rows, the response, the names of its classes and the intercept.

    It is that of the text "linsep data 2\\n", "n p\\n", "1\\n" or "0\\n" for a model with an intercept or without, the
    number of classes and a newline, and for each class its name as UTF-8, after the number of its bytes and a newline.
    Then come the entries that are not 0, row by row, each as row and column (signed 64-bit) and value (double),
    little-endian; a table that doubles cannot hold has the text "row column numerator/denominator\\n" instead. At last
    the response, as numbers of the type `dtype`. Signs of labels, 1 and -1, are signed bytes: 1 and 255.

    One table has one hash, whatever type of number holds it, dense or sparse; it must come from `exact_table`.

    Examples
    --------
    >>> data_digest(np.array([[0.0, 2.0]]), np.array([1.0]), fit_intercept=True, classes=["no", "yes"])[:8]
    '19879bc2'
    """
    n, p = X.shape
    out = hashlib.sha256(f"linsep data 2\n{n} {p}\n{int(fit_intercept)}\n{len(classes)}\n".encode())
    for name in classes:
        text = str(name).encode()
        out.update(f"{len(text)}\n".encode() + text)
    doubles = holds_doubles(X)
    step = max(1, 2**20 // p) if not is_sparse(X) else 2**16
    for start in range(0, n, step):
        _add_entries(out, X[start : start + step], start, doubles)
    out.update(np.asarray(response).astype(dtype).tobytes())
    return out.hexdigest()


def _add_entries(out: Any, part: Any, start: int, doubles: bool) -> None:
    """Hash the entries of some rows, the first of which is row `start` of the table."""
    if is_sparse(part):
        part = part.tocoo()
        order = np.lexsort((part.col, part.row))
        row, column, value = part.row[order], part.col[order], part.data[order]
    else:
        row, column = np.nonzero(part)
        value = np.asarray(part)[row, column]
    kept = value != 0  # a sparse table may store zeros
    row, column, value = row[kept] + start, column[kept], value[kept]
    if doubles:
        entries = np.empty(value.size, dtype=_ENTRY)
        entries["row"], entries["column"], entries["value"] = row, column, value
        out.update(entries.tobytes())
        return
    for i, j, v in zip(row.tolist(), column.tolist(), value.tolist(), strict=True):
        exact = Fraction(v)
        try:
            out.update(f"{i} {j} {exact.numerator}/{exact.denominator}\n".encode())
        except ValueError as error:  # Python writes no more than 4,300 digits
            raise DataError(f"row {i}, column {j}: a number with so many digits has no certificate: {error}") from None
