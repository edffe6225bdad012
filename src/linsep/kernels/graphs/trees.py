"""Trees of arcs, breadth first, the sizes of their subtrees, and layers of graphs without cycles."""

from __future__ import annotations

import numpy as np
from numba import njit

from linsep.types import Array


@njit(cache=True, nogil=True)
def arcs_by_tail(n: int, tails: Array) -> tuple[Array, Array]:
    """Where the arcs of each of n vertices begin in the list of all arcs by their tails, and this list."""
    starts = np.zeros(n + 1, np.int64)
    for k in range(tails.shape[0]):
        starts[tails[k] + 1] += 1
    starts = np.cumsum(starts)
    place, arcs = starts.copy(), np.empty(tails.shape[0], np.int64)
    for k in range(tails.shape[0]):
        arcs[place[tails[k]]] = k
        place[tails[k]] += 1
    return starts, arcs


@njit(cache=True, nogil=True)
def forest(n: int, tails: Array, heads: Array, roots: Array) -> tuple[Array, Array, Array]:
    """Follow arcs from the roots, breadth first: the arc to each vertex and its tail (-1: none), and those reached."""
    starts, arcs = arcs_by_tail(n, tails)
    arc, parent, order = np.full(n, -1, np.int64), np.full(n, -1, np.int64), np.empty(n, np.int64)
    seen, last = np.zeros(n, np.bool_), 0
    for root in roots:
        seen[root] = True
        order[last] = root
        last += 1
    k = 0
    while k < last:
        u = order[k]
        k += 1
        for e in arcs[starts[u] : starts[u + 1]]:
            v = heads[e]
            if not seen[v]:
                seen[v] = True
                arc[v], parent[v] = e, u
                order[last] = v
                last += 1
    return arc, parent, order[:last]


@njit(cache=True, nogil=True)
def subtree_sizes(parent: Array, order: Array) -> Array:
    """How many vertices hang from each, itself included; in `order` a parent comes before its children, -1 is none."""
    sizes = np.ones(parent.shape[0], np.int64)
    for k in range(order.shape[0] - 1, -1, -1):
        v = order[k]
        if parent[v] >= 0:
            sizes[parent[v]] += sizes[v]
    return sizes


@njit(cache=True, nogil=True)
def longest_paths(n: int, tails: Array, heads: Array) -> Array:
    """The number of arcs of the longest path that ends in each of n vertices; the arcs make no cycle."""
    starts, arcs = arcs_by_tail(n, tails)
    degrees = np.zeros(n, np.int64)
    for k in range(heads.shape[0]):
        degrees[heads[k]] += 1
    waiting, n_waiting = np.empty(n, np.int64), 0
    for v in range(n):
        if degrees[v] == 0:
            waiting[n_waiting] = v
            n_waiting += 1
    layers, k = np.zeros(n, np.int64), 0
    while k < n_waiting:
        u = waiting[k]
        k += 1
        for e in arcs[starts[u] : starts[u + 1]]:
            v = heads[e]
            layers[v] = max(layers[v], layers[u] + 1)
            degrees[v] -= 1
            if degrees[v] == 0:
                waiting[n_waiting] = v
                n_waiting += 1
    return layers
