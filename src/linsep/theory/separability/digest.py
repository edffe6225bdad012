"""The SHA-256 of a table and its labels, so that a certificate can say what it is about."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from typing import Any

import numpy as np

from linsep.tables import is_sparse, stored
from linsep.types import Array

_ENTRY = np.dtype([("row", "<i8"), ("column", "<i8"), ("value", "<f8")])


def as_doubles(X: Any) -> bool:
    """Whether every entry is exactly a double; else the hash is taken of rationals."""
    values = stored(X)
    if X.dtype == object:
        return all(
            isinstance(v, float) or (int(v) == v if abs(v) <= 2**53 else False) for v in np.asarray(values).ravel()
        )
    return bool(X.dtype.itemsize < 8 or X.dtype.kind == "f" or abs(values).max(initial=0) <= 2**53)


def data_digest(X: Any, response: Array, dtype: str = "i1") -> str:
    """Return the SHA-256, in hexadecimal, of the text "n p\\n", the entries that are not 0 and the response.

    Entries come row by row, each as row and column (signed 64-bit) and value (double), little-endian; a table that
    doubles cannot hold has the text "row column numerator/denominator\\n" instead. The response is hashed as numbers of
    the type `dtype`. Signs of labels, 1 and -1, are signed bytes: 1 and 255.

    Examples
    --------
    >>> data_digest(np.array([[0.0, 2.0]]), np.array([1.0]))[:8]
    'c965fd34'
    """
    n, p = X.shape
    out = hashlib.sha256(f"{n} {p}\n".encode())
    doubles = as_doubles(X)
    step = max(1, 2**20 // p) if not is_sparse(X) else 2**16
    for start in range(0, n, step):
        part = X[start : start + step]
        if is_sparse(part):
            part = part.tocoo()
            order = np.lexsort((part.col, part.row))
            row, column, value = part.row[order], part.col[order], part.data[order]
        else:
            row, column = np.nonzero(part)
            value = np.asarray(part)[row, column]
        if not doubles:
            for i, j, v in zip((row + start).tolist(), column.tolist(), value.tolist(), strict=True):
                exact = Fraction(v)
                out.update(f"{i} {j} {exact.numerator}/{exact.denominator}\n".encode())
            continue
        kept = value != 0
        entries = np.empty(int(kept.sum()), dtype=_ENTRY)
        entries["row"], entries["column"], entries["value"] = row[kept] + start, column[kept], value[kept]
        out.update(entries.tobytes())
    out.update(np.asarray(response).astype(dtype).tobytes())
    return out.hexdigest()
