"""The signs of infinite coefficients: a linear programme in doubles guesses, integers prove or refuse the guess.

Let C = {d = N c : z.d >= 0 for all separated rows z}, where the columns of N are a basis of the null vectors of the
other rows. Let w = 1 or -1 be the sign of d_j in one direction of C. The programme minimises w d_j over all c with
|c_k| <= 1 and z.N c >= a small positive number. If the minimum is negative, a direction of C has the other sign.
Otherwise the multipliers of the rows write w e_j, on C, as a combination of rows z with non-negative weights, so
w d_j >= 0 on C. A row is added to the programme when a solution violates it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy as sp
from flint import fmpz_mat, nmod_mat

from linsep.tables import as_doubles
from linsep.theory.cone.exact import pivots
from linsep.theory.rows.deadline import Deadline, time_left
from linsep.theory.rows.exact_signs import row_signs
from linsep.theory.rows.integers import PRIME, primitive, solve, vectors_of, whole_row, whole_rows
from linsep.theory.rows.linear_programme import quiet_highs, reaches_optimum
from linsep.theory.verify.cone import Vector, Weights
from linsep.types import Array

_INSIDE = 1e-6  # the least z.N c that rows (largest entry 1) must have: rounding then makes none negative
_NONE = 1e-9  # of a dual value: less counts as 0; the rows that are left are checked exactly
_AT_ONCE = 256  # rows that a programme gets at a time: those that the last solution gets most wrong
_FEW = 4  # null vectors that a row meets, up to which it is tried alone
_Weighted = tuple[tuple[int, int], ...]  # null vector -> integer


def signs_of_single_rows(
    Z: Any, separated: Array, null: Sequence[Vector], deadline: Deadline
) -> dict[int, tuple[int, int]]:
    """Coefficient -> its sign on C and a separated row that proves it alone, as far as such rows are found.

    Let d = sum c_v v over the null vectors v. The row's product with d is sum c_v (z.v), and d_j is sum c_v v_j: where
    these weights are the same up to a factor, z.d >= 0 gives the sign of d_j.

    Examples
    --------
    >>> from linsep.theory.rows.deadline import NEVER
    >>> Z = np.array([[0, 2.0, 0], [0, 1, 1]])
    >>> signs_of_single_rows(Z, np.array([0, 1]), [{1: 1}, {2: 1}], NEVER)
    {1: (1, 0)}
    """
    met = _matrix(null, [1.0 for v in null for _ in v], Z.shape[1])
    rows = _within(Z[separated], np.diff(met.indptr) > 0)
    time_left(deadline)
    touched: Any = sp.sparse.csr_array((rows != 0).astype(np.float64) @ met)
    known: dict[_Weighted, tuple[int, int]] = {}
    n_met = np.diff(touched.indptr)
    few = np.flatnonzero((n_met > 0) & (n_met <= _FEW))
    few = few[np.argsort(n_met[few], kind="stable")]
    ends, names, near_ends, every = (
        part.tolist() for part in (rows.indptr, rows.indices, touched.indptr, touched.indices)
    )
    for i in few.tolist():
        time_left(deadline)
        near = every[near_ends[i] : near_ends[i + 1]]
        if len(near) == 1 and ((near[0], 1),) in known:
            continue
        at = slice(ends[i], ends[i + 1])
        z = list(zip(names[at], whole_row(rows.data[at].tolist()), strict=True))
        way, weighted = _normal({k: sum([v * null[k].get(j, 0) for j, v in z]) for k in near})
        if weighted:
            known.setdefault(weighted, (way, int(separated[i])))
    out: dict[int, tuple[int, int]] = {}
    for j in np.flatnonzero((np.diff(met.indptr) > 0) & (np.diff(met.indptr) <= _FEW)).tolist():
        near = met.indices[met.indptr[j] : met.indptr[j + 1]].tolist()
        way, weighted = _normal({k: null[k][j] for k in near})
        if weighted in known:
            out[j] = (way * known[weighted][0], known[weighted][1])
    return out


def _matrix(null: Sequence[Vector], values: Sequence[float], width: int) -> Any:
    """A column for each null vector, with these values at its entries, one vector after the other."""
    at = [j for v in null for j in v], np.repeat(np.arange(len(null)), [len(v) for v in null])
    return sp.sparse.csr_array((values, at), shape=(width, len(null)))


def _within(rows: Any, columns: Array) -> Any:
    """The entries of the rows in some columns, as a sparse table of the same shape."""
    part: Any = sp.sparse.csr_array(rows)
    if part is rows:
        part = part.copy()
    part.data = np.where(columns[part.indices], part.data, 0)
    part.eliminate_zeros()
    return part


def _normal(weights: dict[int, int]) -> tuple[int, _Weighted]:
    """A sign, and with it the weights without a common factor, the first one positive; zeros are left out."""
    names = sorted(k for k, v in weights.items() if v)
    whole = primitive([weights[k] for k in names])
    way = -1 if whole and whole[0] < 0 else 1
    return way, tuple((k, way * v) for k, v in zip(names, whole, strict=True))


class Signs:
    """The linear programme of one cone of sparse rows; it is kept from one coefficient to the next."""

    def __init__(
        self,
        Z: Any,
        separated: Array,
        null: Sequence[Vector],
        deadline: Deadline,
    ) -> None:
        self.Z, self.separated, self.null = Z, separated, null
        self.met = _matrix(null, [1.0 for v in null for _ in v], Z.shape[1])
        self.top = [max(map(abs, v.values())).bit_length() for v in null]
        values = [k / (1 << e) for v, e in zip(null, self.top, strict=True) for k in v.values()]
        N = _matrix(null, values, Z.shape[1])
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            self._scale_rows(Z, separated, N, deadline)
        # If a product is too large for a double, there is no guess.
        self.usable = bool(np.isfinite(self.N.data).all() and np.isfinite(self.G.data).all())
        if self.usable:
            self._start(len(null), len(separated))

    def _scale_rows(self, Z: Any, separated: Array, N: Any, deadline: Deadline) -> None:
        """Write separated rows in coordinates of the null vectors; divide columns and rows by their largest entries."""
        G: Any = sp.sparse.csr_array(as_doubles(Z[separated]) @ N)
        time_left(deadline)
        scale = abs(G).max(axis=0).toarray().ravel()
        self.scale = np.where(scale > 0, scale, 1.0)
        self.N = sp.sparse.csr_array(N @ sp.sparse.diags_array(1 / self.scale))
        time_left(deadline)
        G = sp.sparse.csr_array(G @ sp.sparse.diags_array(1 / self.scale))
        rows = abs(G).max(axis=1).toarray().ravel()
        self.G: Any = sp.sparse.csr_array(sp.sparse.diags_array(1 / np.where(rows > 0, rows, 1.0)) @ G)

    def _start(self, n_null: int, n: int) -> None:
        self.held: list[int] = []
        self.highs = quiet_highs(tolerance=1e-9, presolve=False)
        for _ in range(n_null):
            self.highs.addVar(-1.0, 1.0)
        self._hold(np.arange(0, n, max(1, n // (4 * _AT_ONCE))))

    def _hold(self, ids: Array) -> None:
        part = self.G[ids]
        low, high = np.full(len(ids), _INSIDE), np.full(len(ids), np.inf)
        self.highs.addRows(len(ids), low, high, part.nnz, part.indptr[:-1], part.indices, part.data)
        self.held += ids.tolist()

    def guess(self, j: int, way: int, deadline: Deadline) -> tuple[Vector | None, Weights | None]:
        """Return a direction of C with way * d_j < 0, or weights that prove that there is none, or neither."""
        if not self.usable:
            return None, None
        cost = way * self.N[[j]].toarray()[0]
        if not cost.any():
            return None, None
        columns = np.arange(len(cost), dtype=np.int32)
        self.highs.changeColsCost(len(cost), columns, cost / np.abs(cost).max())
        while True:  # each turn holds further rows, of which there are finitely many
            if not reaches_optimum(self.highs, deadline):
                return None, None
            solution = self.highs.getSolution()
            c = np.array(solution.col_value)
            z = self.G @ c
            z[self.held] = np.inf
            worst = np.flatnonzero(z < _INSIDE / 2)
            if not worst.size:
                break
            worst = worst[np.argsort(z[worst], kind="stable")[:_AT_ONCE]]
            self._hold(np.sort(worst))
        if np.abs(solution.col_dual).max() > _NONE:
            return (self._direction(c, j, way) if cost @ c < 0 else None), None
        support = np.flatnonzero(np.abs(solution.row_dual) > _NONE)
        return None, self._combination([int(self.separated[self.held[k]]) for k in support], j, way)

    def _direction(self, c: Array, j: int, way: int) -> Vector | None:
        """The direction as integers if it is in C exactly, else None."""
        if not np.isfinite(unscaled := c / self.scale).all():
            return None
        ratios = [v.as_integer_ratio() for v in unscaled.tolist()]
        bits = [q.bit_length() + e for (_, q), e in zip(ratios, self.top, strict=True)]
        most = max(bits)
        d = [0] * self.Z.shape[1]
        for (m, _), k, v in zip(ratios, bits, self.null, strict=True):
            whole = m << (most - k)
            for i, entry in v.items() if whole else ():
                d[i] += whole * entry
        if d[j] * way >= 0 or (row_signs(self.Z[self.separated], d) < 0).any():
            return None
        return vectors_of([d])[0]

    def _combination(self, ids: list[int], j: int, way: int) -> Weights | None:
        """Weights >= 0 with sum(weights z).v = t way v_j for all null vectors v and some t > 0, if there are any."""
        if not ids:
            return None
        near, rows = self._in_null_vectors(ids, j)
        M = fmpz_mat([products for products, _ in rows])
        k = M.nrows()
        columns = pivots(nmod_mat(M, PRIME))
        if len(columns) < k:
            return None
        A = fmpz_mat([[M[i, a] for i in range(k)] for a in columns])
        goal = fmpz_mat([[way * near[a].get(j, 0)] for a in columns])
        numerators, denominator = solve(A, goal)
        found = [int(v) for v in numerators.entries()]
        t = denominator * way
        total = (fmpz_mat([found]) * M).entries()
        if min(found) < 0 or any(int(total[a]) != t * v.get(j, 0) for a, v in enumerate(near)):
            return None
        return {i: v << q for i, v, (_, q) in zip(ids, found, rows, strict=True) if v}

    def _in_null_vectors(self, ids: list[int], j: int) -> tuple[list[Vector], list[tuple[list[int], int]]]:
        """The null vectors that rows or coefficient j meet, and of each row its products with them times 2^q, and q."""
        part = self.Z[ids]
        columns = np.unique(part.indices[part.data != 0])
        rows = whole_rows(part[:, columns], range(len(ids)))
        met = np.unique(self.met[[*columns.tolist(), j]].indices).tolist()
        near = [self.null[a] for a in met]
        place = {column: k for k, column in enumerate(columns.tolist())}
        shared = [[(place[i], k) for i, k in v.items() if i in place] for v in near]
        return near, [([sum(row[at] * k for at, k in pairs) for pairs in shared], q) for row, q in rows]
