"""Rows that are arcs of a network: dummies of one or two factors, with or without a constant, and paired comparisons.

Each coefficient is a difference of potentials of two vertices, d_j = pi(plus_j) - pi(minus_j), and each row z.d one of
the two ends of its arc, pi(head) - pi(tail): the level of a factor is a vertex, and so is the level left out. A pair
of factors with a constant: d_0 + d_a + d_b = (d_0 + d_a) - (-d_b).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from linsep.types import Array


@dataclass(frozen=True)
class Network:
    """A design as arcs between vertices.

    Attributes
    ----------
    n_vertices : int
        The columns without the constant come first, by their order; one or two vertices stand for what is left out.
    tail, head : ndarray of int, shape (n_rows,)
        z.d = pi(head) - pi(tail) for every row.
    plus, minus : ndarray of int, shape (n_columns,)
        d_j = pi(plus_j) - pi(minus_j).
    references : list of int
        The vertices that stand for what is left out.
    """

    n_vertices: int
    tail: Array
    head: Array
    plus: Array
    minus: Array
    references: list[int]

    def vector(self, potentials: Array) -> dict[int, int]:
        """The coefficients of integer potentials, without zeros."""
        d = potentials[self.plus] - potentials[self.minus]
        at = np.flatnonzero(d)
        return dict(zip(at.tolist(), d[at].tolist(), strict=True))


def network_of(Z: Any) -> Network | None:
    """Read the rows of a CSR matrix as arcs; None if they are none.

    Examples
    --------
    >>> Z = sp.csr_matrix([[1.0, 0, 0], [-1, -1, 0], [1, 0, 1], [1, 1, 1]])  # s (1, b, d): a level of each factor
    >>> found = network_of(Z)
    >>> found.n_vertices, found.head.tolist(), found.tail.tolist()
    (4, [2, 3, 2, 0], [3, 0, 1, 1])
    """
    if not len(Z.data) or not (np.abs(Z.data) == 1).all():
        return None
    counts = np.diff(Z.indptr)
    if counts.max() > 3:
        return None
    times = np.bincount(Z.indices, minlength=Z.shape[1])
    full = np.flatnonzero(times == Z.shape[0])
    if full.size and Z.shape[0] > 1:
        return _with_constant(Z, int(full[0]))
    return _without_constant(Z, counts) if counts.max() <= 2 else None


def _with_constant(Z: Any, constant: int) -> Network | None:
    """Rows s (1, x) with at most two ones in x, of two groups of columns."""
    at = Z.indices == constant
    s = Z.data[at]  # one entry a row, in their order
    row = np.repeat(np.arange(Z.shape[0]), np.diff(Z.indptr))[~at]
    if (Z.data[~at] != s[row]).any():
        return None
    column = Z.indices[~at] - (Z.indices[~at] > constant)
    p = Z.shape[1] - 1
    second = _two_groups(row, column, np.ones(row.size), p, Z.shape[0])
    if second is None:
        return None
    a, b = np.full(Z.shape[0], p), np.full(Z.shape[0], p + 1)  # of 64 bits, as the searches want them
    in_second = second[column]
    a[row[~in_second]], b[row[in_second]] = column[~in_second], column[in_second]
    every = np.arange(p)
    plus, minus = np.where(second, p + 1, every), np.where(second, every, p)
    return Network(
        p + 2,
        np.where(s > 0, b, a),
        np.where(s > 0, a, b),
        np.insert(plus, constant, p),
        np.insert(minus, constant, p + 1),
        [p, p + 1],
    )


def _without_constant(Z: Any, counts: Array) -> Network | None:
    """Rows of at most two entries: the ground, of potential 0, stands for the second entry of rows that have one."""
    n, p = Z.shape
    row = np.repeat(np.arange(n), counts)
    turned = _two_groups(row, Z.indices, Z.data, p, n)
    if turned is None:
        return None
    # An entry that is positive once its column is turned is a head.
    up = Z.data * np.where(turned[Z.indices], -1, 1) > 0
    tail, head = np.full(n, p), np.full(n, p)
    head[row[up]], tail[row[~up]] = Z.indices[up], Z.indices[~up]
    every = np.arange(p)
    return Network(p + 1, tail, head, np.where(turned, p, every), np.where(turned, every, p), [p])


def _two_groups(row: Array, column: Array, values: Array, p: int, n: int) -> Array | None:
    """Which columns to put in a second group, so that two entries of a row are in one group if their signs differ.

    The columns twice, once a group: a row joins each column with the other one in the group that it has to be in. If
    a column is joined with itself in the other group, there is no such choice.
    """
    starts = np.searchsorted(row, np.arange(n + 1))
    if np.diff(starts).max(initial=0) > 2:
        return None
    first = starts[:-1][np.diff(starts) == 2]
    u, v = column[first], column[first + 1]
    other = np.where(values[first] == values[first + 1], p, 0)
    ends = (np.concatenate([u, u + p]), np.concatenate([v + other, v + p - other]))
    graph = sp.coo_matrix((np.ones(2 * u.size, dtype=np.int8), ends), shape=(2 * p, 2 * p)).tocsr()
    group = connected_components(graph, directed=False)[1]
    if (group[:p] == group[p:]).any():
        return None
    return np.asarray(group[:p] > group[p:])
