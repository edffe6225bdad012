"""Separation where every row is an arc of a network: found and proved by searches of the graph, without arithmetic.

A direction of the cone is a potential that falls along no arc (along none in either way for equalities, which are arcs
both ways). So the rows left are those inside a strongly connected component: they lie on a cycle, and around a cycle
the rows add up to 0. A row between two components is separated, by the potential that counts the arcs of the longest
path to each. A coefficient is a difference of two potentials: not identified if no path of rows joins them, finite if
they are in one component, infinite of a known sign if a path goes from one to the other, and else of no sign.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from linsep.theory.rows.deadline import Deadline, time_left
from linsep.theory.separation.search.network import Network, network_of
from linsep.theory.verify.cone import ConeProof, Vector, Weights
from linsep.theory.verify.consequences import SeparationProof
from linsep.types import Array


class _Arcs(NamedTuple):
    """Arcs of the rows; an equality is one each way. `sign` is -1 for an arc against its row."""

    tail: Array
    head: Array
    row: Array
    sign: Array


class _Forest(NamedTuple):
    """The arc to each vertex from its parent (-1: none), the parent (-1), and the vertices, parents first."""

    arc: Array
    parent: Array
    order: Array


def prove_by_network(Z: Any, equal: Array, deadline: Deadline) -> SeparationProof | None:
    """Return the proof if the rows of the CSR matrix are arcs of a network, else None.

    Examples
    --------
    >>> from linsep.theory.rows.deadline import NEVER
    >>> Z = sp.csr_matrix([[1.0, 1], [-1, -1], [1, 0], [1, 0]])  # y (1, x): x tells the first two rows from the others
    >>> found = prove_by_network(Z, np.zeros(4, dtype=bool), NEVER)
    >>> found.cone.left, found.cone.weights, found.signs
    ((0, 1), {0: 1, 1: 1}, {0: {2: 1}, 1: {2: 1}})
    """
    found = network_of(Z)
    return None if found is None else _Search(found, equal, deadline).proof()


class _Search:
    def __init__(self, network: Network, equal: Array, deadline: Deadline) -> None:
        self.network, self.equal, self.deadline = network, equal, deadline
        time_left(deadline)
        n, back = network.tail.size, np.flatnonzero(equal)
        self.arcs = _Arcs(
            np.concatenate([network.tail, network.head[back]]),
            np.concatenate([network.head, network.tail[back]]),
            np.concatenate([np.arange(n), back]),
            np.repeat([1, -1], [n, back.size]),
        )
        graph = self._graph(self.arcs.tail, self.arcs.head)
        self.n_parts, self.part = connected_components(graph, connection="strong")
        time_left(deadline)
        self.joined = connected_components(graph, directed=False)[1]
        self.apart = self.part[network.tail] != self.part[network.head]

    def proof(self) -> SeparationProof:
        separated = np.flatnonzero(self.apart)
        time_left(self.deadline)
        overlap, spanning = self._circulation()
        time_left(self.deadline)
        null = self._null(self.part)
        if not separated.size:
            n = self.apart.size
            return SeparationProof(ConeProof(n, (), range(n), overlap, 0.0, spanning, null), spanning, null)
        time_left(self.deadline)
        direction = self._direction()
        time_left(self.deadline)
        signs, opposite = self._signs(direction)
        time_left(self.deadline)
        every = self._mirrored()
        tree = _forest(every, self.joined, self.network.n_vertices)
        left = tuple(np.flatnonzero(~self.apart).tolist())
        return SeparationProof(
            ConeProof(self.apart.size, (direction,), left, overlap, 0.0, spanning, null),
            basis=tuple(np.unique(every.row[tree.arc[tree.arc >= 0]]).tolist()),
            null=self._null(self.joined),
            signs=signs,
            opposite=opposite,
        )

    def _graph(self, tail: Array, head: Array) -> Any:
        n = self.network.n_vertices
        return sp.coo_matrix((np.ones(tail.size, dtype=np.int8), (tail, head)), shape=(n, n)).tocsr()

    def _mirrored(self) -> _Arcs:
        """Every row as an arc both ways."""
        tail, head = self.network.tail, self.network.head
        rows = np.arange(tail.size)
        ends = (np.concatenate([tail, head]), np.concatenate([head, tail]))
        return _Arcs(*ends, np.concatenate([rows, rows]), np.repeat([1, -1], rows.size))

    def _direction(self) -> Vector:
        """The potential that counts the arcs of the longest path from component to component."""
        from linsep.kernels.graphs.trees import longest_paths

        tail, head = self.part[self.network.tail[self.apart]], self.part[self.network.head[self.apart]]
        layers = longest_paths(self.n_parts, tail.astype(np.int64), head.astype(np.int64))
        return self.network.vector(layers[self.part])

    def _circulation(self) -> tuple[Weights, tuple[int, ...]]:
        """Weights that bring rows to 0 which span all rows left, and those that alone do.

        In each component one tree leads from a root to all vertices and one from all vertices to it. An arc of either
        carries as much as there are vertices beyond it: what the first brings to a vertex the second takes back.
        """
        from linsep.kernels.graphs.trees import subtree_sizes

        arcs = self.arcs
        kept = self.part[arcs.tail] == self.part[arcs.head]
        inside = _Arcs(*(part[kept] for part in arcs))
        total = np.zeros(self.network.tail.size, dtype=np.int64)
        out = _forest(inside, self.part, self.network.n_vertices)
        time_left(self.deadline)
        back = _forest(inside._replace(tail=inside.head, head=inside.tail), self.part, self.network.n_vertices)
        for trees in (out, back):
            sizes, at = subtree_sizes(trees.parent, trees.order), trees.arc >= 0
            arc = trees.arc[at]
            np.add.at(total, inside.row[arc], inside.sign[arc] * sizes[at])
        used = np.flatnonzero(total)
        weights = dict(zip(used.tolist(), total[used].tolist(), strict=True))
        return weights, tuple(np.unique(inside.row[out.arc[out.arc >= 0]]).tolist())

    def _null(self, part: Array) -> tuple[Vector, ...]:
        """A basis of the potentials that are constant on each part, as coefficients: unit vectors first.

        One reference is 0. A part without a reference has 1 on itself. If the other reference is in another part, it
        has 1, and so has each part where a column then has 0, so that this column is in no two vectors.
        """
        network = self.network
        zero, *others = dict.fromkeys(part[network.references].tolist())
        n_parts = int(part.max()) + 1
        alone = np.ones(n_parts, dtype=bool)
        alone[[zero, *others]] = False
        vectors: list[Vector] = []
        ends = np.concatenate([network.plus, network.minus])
        values = np.repeat([1, -1], network.plus.size)
        columns = np.tile(np.arange(network.plus.size), 2)
        both = (part[network.plus] == part[network.minus])[columns]
        at = np.flatnonzero(alone[part[ends]] & ~both)
        at = at[np.argsort(part[ends[at]], kind="stable")]
        for ids in np.split(at, np.flatnonzero(np.diff(part[ends[at]])) + 1) if at.size else []:
            vector = dict(zip(columns[ids].tolist(), values[ids].tolist(), strict=True))
            vectors.append({next(iter(vector)): 1} if len(vector) == 1 else vector)
        if others:
            potentials = np.zeros(n_parts, dtype=np.int64)
            other = network.references[1]
            beside = (network.plus == other) & alone[part[network.minus]]
            potentials[part[network.minus[beside]]] = 1
            potentials[others[0]] = 1
            vectors.append(network.vector(potentials[part]))
        return tuple(sorted(vectors, key=lambda v: len(v) > 1 or next(iter(v.values())) != 1))

    def _signs(self, direction: Vector) -> tuple[dict[int, Weights], dict[int, tuple[Vector, ...]]]:
        """Paths of rows from one end of a coefficient to the other, or a direction of the other sign."""
        signs: dict[int, Weights] = {}
        opposite: dict[int, tuple[Vector, ...]] = {}
        network, n = self.network, self.network.n_vertices
        infinite = self.part[network.plus] != self.part[network.minus]
        infinite &= self.joined[network.plus] == self.joined[network.minus]
        for reference in network.references:
            at = np.flatnonzero(infinite & ((network.plus == reference) | (network.minus == reference)))
            infinite[at] = False
            if not at.size:
                continue
            end = np.where(network.minus[at] == reference, network.plus[at], network.minus[at])
            roots = np.full(n, -1)
            roots[reference] = 0
            up = _forest(self.arcs, roots, n)
            down = _forest(self.arcs._replace(tail=self.arcs.head, head=self.arcs.tail), roots, n)
            above, below = np.zeros((2, n), dtype=np.int64)
            above[up.order], below[down.order] = 1, 1
            # Everything that the reference reaches rises with it; or everything that does not lead to it rises alone.
            rising = (network.vector(above),), (network.vector(1 - below),)
            for j, v in zip(at.tolist(), end.tolist(), strict=True):
                if above[v] or below[v]:
                    signs[j] = self._path(up if above[v] else down, v)
                else:
                    way = direction.get(j, 0)
                    found = next((d for d in rising if d[0].get(j, 0) * way < 0), None)
                    if found is not None:
                        opposite[j] = found
        return signs, opposite

    def _path(self, tree: _Forest, v: int) -> Weights:
        """The separated rows between a vertex and the root."""
        out: dict[int, int] = {}
        while tree.parent[v] >= 0:
            row = int(self.arcs.row[tree.arc[v]])
            if self.apart[row]:
                out[row] = 1
            v = tree.parent[v]
        return out


def _forest(arcs: _Arcs, part: Array, n: int) -> _Forest:
    """A tree along arcs in each part from its first vertex, breadth first; parts below 0 have no tree of their own."""
    from linsep.kernels.graphs.trees import forest

    roots = np.unique(part, return_index=True)[1]
    return _Forest(*forest(n, arcs.tail, arcs.head, roots[part[roots] >= 0]))
