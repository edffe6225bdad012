"""Another basis of null vectors, in which rows are far from dependent: programmes in doubles then see what is there.

Where columns of a design are dependent up to rounding, the products of its rows with the null vectors are so too, and
directions that matter stand in no digit of a double. So the basis is turned: the right singular vectors V of the
products in doubles, rounded to integers, are combinations whose products are computed exactly, and scaled before they
are rounded. The span is the same as V, rounded, is still invertible. A few turns are enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from flint import fmpz_mat

from linsep.tables import dense
from linsep.theory.rows.integers import primitive, whole_rows
from linsep.theory.verify.cone import Vector
from linsep.types import Array

_DEPENDENT, _EVEN = 1e-6, 1e-2  # smallest by largest singular value: where turning begins, and where it ends
_TURNS = 4
_BITS = 40  # of entries of V
_MOST_PRODUCTS = 20_000_000


def even_basis(rows: Any, null: Sequence[Vector]) -> tuple[Sequence[Vector], Array | None]:
    """Null vectors with the same span, whose products with the rows are not dependent up to rounding, if they can be.

    Parameters
    ----------
    rows : array or CSR matrix of shape (n, p)
    null : sequence of mappings column -> integer

    Returns
    -------
    sequence of mappings, ndarray of shape (n, len(null)) or None
        The null vectors, and where these are others the products of the rows with them: correctly rounded, up to a
        factor for each row, each vector divided by the least power of two above its entries.

    Examples
    --------
    >>> rows = np.array([[1.0, 1.0], [1.0, 1.0 + 2.0**-50], [2.0, 2.0]])
    >>> null, products = even_basis(rows, [{0: 1}, {1: 1}])
    >>> [sorted(v) for v in null], bool(np.linalg.cond(products / abs(products).max(axis=0)) < 10)
    ([[0, 1], [0, 1]], True)
    >>> even_basis(np.eye(2), [{0: 1}, {1: 1}])
    ([{0: 1}, {1: 1}], None)
    """
    n, p = rows.shape
    k = len(null)
    if not 1 < k <= n or n * p * k > _MOST_PRODUCTS:
        return null, None
    R = fmpz_mat([row for row, _ in whole_rows(dense(rows), range(n))])
    N = fmpz_mat([[v.get(j, 0) for v in null] for j in range(p)])
    for turn in range(_TURNS):
        scaled, powers = _in_doubles(R * N)
        size, V = np.linalg.svd(scaled, full_matrices=False)[1:]
        if size[-1] >= (_EVEN if turn else _DEPENDENT) * size[0]:
            return (null, None) if turn == 0 else (vectors := _vectors(N), _products(R * N, vectors))
        T = [
            [round(v * 2**_BITS) << (max(powers) - e) for v in column]
            for column, e in zip(V.T.tolist(), powers, strict=True)
        ]
        N = fmpz_mat(
            [list(column) for column in zip(*map(primitive, zip(*_lists(N * fmpz_mat(T)), strict=True)), strict=True)]
        )
    return null, None


def _lists(M: Any) -> list[list[int]]:
    return [[int(v) for v in row] for row in M.tolist()]


def _vectors(N: Any) -> list[Vector]:
    return [{j: v for j, v in enumerate(column) if v} for column in zip(*_lists(N), strict=True)]


def _products(G: Any, vectors: Sequence[Vector]) -> Array:
    """The products over a power of two for each vector and each row."""
    tops = [max(map(abs, v.values())).bit_length() for v in vectors]
    out = []
    for row in _lists(G):
        large = max([0, *(abs(v).bit_length() - e for v, e in zip(row, tops, strict=True) if v)])
        out.append([v / (1 << (e + large)) for v, e in zip(row, tops, strict=True)])
    return np.array(out)


def _in_doubles(G: Any) -> tuple[Array, list[int]]:
    """Columns over powers of two, which are returned too, then rows over their largest entries."""
    columns = list(zip(*_lists(G), strict=True))
    powers = [max(abs(v) for v in column).bit_length() for column in columns]
    out = np.array([[v / (1 << e) for v in column] for column, e in zip(columns, powers, strict=True)]).T
    largest = np.abs(out).max(axis=1, keepdims=True)
    return out / np.where(largest > 0, largest, 1.0), powers
