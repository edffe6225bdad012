"""The point of a polytope nearest the origin, in floating point: by Wolfe's method, or by exchange of weight.

Wolfe's (1976) asks an oracle: given v, it returns the point with the least v.p. The nearest point v is a best
separating direction. If it is 0, its convex weights combine the points to 0. The exchange of weight is for many rows,
on a working set of them that grows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
import scipy as sp

from linsep.clock import clock
from linsep.tables import dense
from linsep.theory.rows.deadline import NEVER, Deadline
from linsep.types import Array

_REFRESH = 64  # changes of the corral between two new factorisations: each update loses about a bit
_DEPENDENT = 1e-14  # a new column this close to the span of the corral counts as inside


class Oracle(Protocol):
    """The points of the polytope; a `key` of any type identifies a point."""

    def lowest(self, v: Array) -> tuple[float, Any]:
        """Return the least v.p over all points p, and the key of a point that has it."""
        ...

    def point(self, key: Any) -> Array:
        """Return the coordinates of the point with this key."""
        ...


class RowHull:
    """The convex hull of the rows (x_i, k_i) of a table and its constants; a key is a row.

    Rows outside the mask `active` do not count. `basis`, orthonormal columns, projects every row on its complement.
    """

    def __init__(self, X: Any, k: Array | None, active: Array | None = None, basis: Array | None = None) -> None:
        self.X, self.k, self.active, self.basis = X, k, active, basis

    def scores(self, v: Array) -> Array:
        p = self.X.shape[1]
        return np.asarray(self.X @ v if self.k is None else self.X @ v[:p] + self.k * v[p])

    def lowest(self, v: Array) -> tuple[float, int]:
        z = self.scores(v)
        z = z if self.active is None else np.where(self.active, z, np.inf)
        i = int(z.argmin())
        return float(z[i]), i

    def point(self, key: int) -> Array:
        row = self.X[key] if isinstance(self.X, np.ndarray) else self.X[[key]].toarray()[0]
        z = np.array(row) if self.k is None else np.append(row, self.k[key])
        if self.basis is not None:
            z -= self.basis @ (self.basis.T @ z)
            z -= self.basis @ (self.basis.T @ z)
        return z


@dataclass(frozen=True)
class Nearest:
    """`v` is the sum of `weights` times the points with these `keys`, of length `upper`.

    `v`, `keys` and `weights` are those of the step with the least ||v||. `best` is the direction with the greatest
    min v.p / ||v||, and `lower` is that value. `why` says why the search stopped.
    """

    v: Array
    keys: list[Any]
    weights: Array
    best: Array
    lower: float
    upper: float
    why: str


class _Corral:
    """Affinely independent points p_1..p_k with a QR factorisation of the columns (c, p_j), c fixed."""

    def __init__(self, width: int) -> None:
        self.P: Array = np.empty((min(64, width + 1), width))
        self.keys: list[Any] = []
        self.changes = 0
        self.c = 1.0
        self.Q: Array = np.empty((0, 0))
        self.R: Array = np.empty((0, 0))

    def _factor(self) -> None:
        k = len(self.keys)
        columns = np.vstack([np.full(k, self.c), self.P[:k].T])
        self.Q, self.R = sp.linalg.qr(columns, mode="economic", check_finite=False)
        self.changes = 0

    def add(self, key: Any, point: Array) -> bool:
        """Add a point; return False if the affine hull already holds it, up to rounding."""
        k = len(self.keys)
        if k == point.size + 1:
            return False
        if k == self.P.shape[0]:
            self.P = np.vstack([self.P, np.empty((min(k, point.size + 1 - k), point.size))])
        self.P[k] = point
        if k == 0:
            self.c = max(float(np.linalg.norm(point)), 1e-300)
            self.keys.append(key)
            self._factor()
            return True
        column = np.concatenate([[self.c], point])
        off = column - self.Q @ (self.Q.T @ column)
        off -= self.Q @ (self.Q.T @ off)
        if np.linalg.norm(off) <= _DEPENDENT * np.linalg.norm(column):
            return False
        self.keys.append(key)
        self.changes += 1
        if self.changes > _REFRESH or self.Q.shape[0] == k + 1:
            self._factor()
            return True
        # One more column of R by Gram-Schmidt (done twice above): cheaper than Givens rotations at the end.
        length = np.linalg.norm(off)
        R = np.zeros((k + 1, k + 1))
        R[:k, :k] = self.R
        R[:k, k] = self.Q.T @ column
        R[k, k] = length
        self.Q, self.R = np.column_stack([self.Q, off / length]), R
        return True

    def drop(self, keep: Array) -> None:
        gone = np.flatnonzero(~keep)
        k = len(self.keys)
        self.P[: k - gone.size] = self.P[:k][keep]
        self.keys = [key for key, kept in zip(self.keys, keep, strict=True) if kept]
        self.changes += gone.size
        if self.changes > _REFRESH or gone.size > 3 or self.Q.shape[0] == k:
            self._factor()
            return
        for j in gone[::-1]:
            self.Q, self.R = sp.linalg.qr_delete(self.Q, self.R, int(j), which="col", check_finite=False)

    def affine_weights(self) -> Array:
        """Weights, of sum 1, of the point of the affine hull nearest the origin.

        They are proportional to the least-squares solution of sum_j mu_j (c, p_j) = (c, 0): its normal equations
        are Wolfe's (c^2 1 1^T + P P^T) mu = c^2 1, but are never formed, which would square the condition number.
        """
        mu = self._solved(self.Q[0])
        return np.asarray(mu / mu.sum())

    def levelled(self, v: Array) -> Array:
        """v with the smallest change that makes all p_j.v equal, as they are without rounding.

        If v has length 1e-6 and is a sum of points of length 1, rounding has cost six digits of its direction. This
        restores them.
        """
        z = self.P[: len(self.keys)] @ v
        return np.asarray(v - (self.Q @ self._solved(z - z.mean(), "T"))[1:])

    def _solved(self, b: Array, trans: Literal["N", "T"] = "N") -> Array:
        """The x with R x = b, or R'x = b; NaN where R is singular."""
        try:
            return np.asarray(sp.linalg.solve_triangular(self.R, b, trans=trans, check_finite=False))
        except np.linalg.LinAlgError:
            return np.full(b.size, np.nan)


def _minor_cycle(corral: _Corral, weights: Array) -> Array:
    """Move to the nearest point of the affine hull; points whose weight becomes 0 on the way are dropped."""
    while True:  # each turn drops a point
        target = corral.affine_weights()
        negative = target <= 1e-15
        if not negative.any():
            return target
        ratios = np.where(negative, weights / np.maximum(weights - target, 1e-300), np.inf)
        stop = int(ratios.argmin())
        weights = np.maximum(weights + min(1.0, float(ratios[stop])) * (target - weights), 0.0)
        keep = weights > 1e-15
        keep[stop] = False
        corral.drop(keep)
        weights = weights[keep] / weights[keep].sum()


def nearest_point(
    oracle: Oracle,
    key: Any,
    *,
    tol: float,
    floor: float = 0.0,
    deadline: Deadline = NEVER,
    max_steps: int = 100_000,
    nearby: Callable[[Array], tuple[float, Any]] | None = None,
) -> Nearest:
    """The point of conv{p} nearest to the origin; the search starts from the point with this `key`.

    Stops when min_i v.p_i >= (1 - tol) v.v (so ||v|| is within the factor 1 - tol of the optimum), when
    ||v|| <= `floor`, when rounding lets no step lower ||v||, or at the deadline; `why` says
    which: "converged", "zero", "stalled", "deadline" or "steps".

    `nearby` does what `oracle.lowest` does for a few points only, at a fraction of the cost. All points are visited
    only when none of these few gives a step.

    Source: P. Wolfe, Finding the nearest point in a polytope, Math. Programming 11 (1976), with the affine
    minimisers by an updated QR factorisation.

    Examples
    --------
    >>> class Points:
    ...     P = np.array([[2.0, 1.0], [2.0, -3.0], [5.0, 0.0]])
    ...     def lowest(self, v):
    ...         z = self.P @ v
    ...         return z.min(), int(z.argmin())
    ...     def point(self, key):
    ...         return self.P[key]
    >>> found = nearest_point(Points(), 2, tol=1e-9)
    >>> found.v.round(9).tolist(), found.upper
    ([2.0, 0.0], 2.0)
    """
    v = np.asarray(oracle.point(key), dtype=np.float64)
    corral = _Corral(v.size)
    corral.add(key, v)
    weights = np.ones(1)
    best, lower, why, stalls = v, -np.inf, "steps", 0
    kept = (float(v @ v), v, list(corral.keys), weights)
    for _ in range(max_steps):
        vv = float(v @ v)
        if vv <= floor * floor:
            why = "zero"
            break
        direction = corral.levelled(v)
        length = float(np.linalg.norm(direction))
        if not np.isfinite(length):
            why = "stalled"
            break
        low, key = nearby(direction) if nearby else (np.inf, None)
        if not low < (1.0 - tol) * vv or key in corral.keys:
            low, key = oracle.lowest(direction)
            if length > 0 and low > lower * length:
                best, lower = direction, low / length
        # Each test compares with the least ||v|| seen: no later v can make that bound worse.
        if lower >= (1.0 - tol) * kept[0] ** 0.5:
            why = "converged"
            break
        if clock() > deadline.at:
            why = "deadline"
            break
        if key in corral.keys or stalls > 20 or not corral.add(key, oracle.point(key)):
            why = "stalled"
            break
        weights = _minor_cycle(corral, np.append(weights, 0.0))
        v = weights @ corral.P[: weights.size]
        stalls = 0 if v @ v < kept[0] * (1 - 1e-14) else stalls + 1
        if v @ v < kept[0]:
            kept = (float(v @ v), v, list(corral.keys), weights)
    if lower == -np.inf:  # 0 was met at once: any direction, with its honest lower side
        best = np.eye(1, v.size)[0]
        lower = oracle.lowest(best)[0]
    return Nearest(kept[1], kept[2], kept[3], best, lower, kept[0] ** 0.5, why)


_ADDED = 100  # rows of each group that are added after each visit of all rows
_ROUNDS = 60  # visits of all rows; the bracket says how near the last one came
_WORK = 6e8  # limit on moves times rows in the working set: problems that need more are hard for this method


class Exchanged(NamedTuple):
    """`weights` of the rows `ids` whose combination has length `upper`; the direction `v` attains `lower`."""

    ids: Array
    weights: Array
    v: Array
    lower: float
    upper: float


def exchanged(X: Any, s: Array, *, constant: bool, free: bool, tol: float) -> Exchanged | None:
    """Nearest point of conv{z_i} to 0, z_i = s_i (x_i, constant), or, `free`, of the sum of one such hull a class.

    `lower` is min v.z / ||v||, the sum of the minima of both classes if `free`. Returns None if it takes too many
    steps, as it does if there is no separator.

    Source: B. Mitchell, V. Demyanov and V. Malozemov, Finding the point of a polyhedron closest to the origin, SIAM J.
    Control 12 (1974), on a working set that grows by the rows of least v.z.

    Examples
    --------
    >>> X, s = np.array([[0.0], [1.0], [4.0]]), np.array([-1.0, -1.0, 1.0])
    >>> found = exchanged(X, s, constant=False, free=True, tol=1e-6)
    >>> found.lower, found.upper
    (3.0, 3.0)
    """
    from linsep.kernels.mdm import move_weight

    group = (s < 0).astype(np.int64) if free else np.zeros(s.size, dtype=np.int64)
    members = [np.flatnonzero(group == c) for c in np.unique(group)]
    means = [_combined(X, s, constant, i, np.full(i.size, 1 / i.size)) for i in members]
    z = _scores(X, s, constant, np.sum(means, axis=0))
    ids = np.concatenate([i[np.argsort(z[i], kind="stable")[:_ADDED]] for i in members])
    p = np.zeros(ids.size)
    p[[np.flatnonzero(group[ids] == c)[0] for c in np.unique(group)]] = 1.0
    K = _products(X, s, constant, ids, ids)
    v, lower, kept, work = z, -np.inf, None, _WORK
    for _ in range(_ROUNDS):
        gap = 1.0 - lower / kept.upper if kept else 1.0
        g, spare = K @ p, int(work / ids.size)
        work -= ids.size * move_weight(K, group[ids], p, g, max(tol / 3, min(gap, 1.0) / 10), spare)
        for c in range(len(members)):
            p[group[ids] == c] /= p[group[ids] == c].sum()
        now = _combined(X, s, constant, ids, p)
        length = float(np.linalg.norm(now))
        if work <= 0 or length == 0.0:
            return None
        z = _scores(X, s, constant, now)
        least = sum(float(z[i].min()) for i in members) / length
        v, lower = (now, least) if least > lower else (v, lower)
        if kept is None or length < kept.upper:
            kept = Exchanged(ids, p.copy(), now, lower, length)
        kept = kept._replace(v=v, lower=lower)
        if lower >= (1.0 - tol) * kept.upper:
            return kept
        new = _wanted(z, p * z[ids], ids, group, members)
        old, ids = ids.size, np.append(ids, new)
        side, p = _products(X, s, constant, new, ids), np.append(p, np.zeros(new.size))
        K = np.block([[K, side[:, :old].T], [side]])
    return None


def _wanted(z: Array, share: Array, ids: Array, group: Array, members: list[Array]) -> Array:
    """Rows outside the working set below the mean level of their group, the lowest first."""
    outside = np.ones(z.size, dtype=bool)
    outside[ids] = False
    new = []
    for c, i in enumerate(members):
        low = i[outside[i] & (z[i] < share[group[ids] == c].sum())]
        new.append(low[np.argsort(z[low], kind="stable")[:_ADDED]])
    return np.concatenate(new)


def _scores(X: Any, s: Array, constant: bool, v: Array) -> Array:
    return np.asarray(s * (X @ v[: X.shape[1]] + (v[-1] if constant else 0.0)))


def _combined(X: Any, s: Array, constant: bool, ids: Array, p: Array) -> Array:
    weights = np.asarray(p * s[ids])
    if _without_copy(X, ids):
        every = np.zeros(s.size, dtype=weights.dtype)
        every[ids] = weights
        total = every @ X
    else:
        total = np.asarray(weights @ X[ids])
    return np.append(total, weights.sum()) if constant else total


def _products(X: Any, s: Array, constant: bool, a: Array, b: Array) -> Array:
    """z_i.z_j for i in a and j in b."""
    if a.size == X.shape[0] and _without_copy(X, b):
        inner = (X @ X.T)[np.ix_(a, b)]
    else:
        inner = (X[a] @ X.T)[:, b] if _without_copy(X, b) else dense(X[a] @ X[b].T)
    return np.asarray((inner + float(constant)) * np.outer(s[a], s[b]))


def _without_copy(X: Any, ids: Array) -> bool:
    """Whether a product with all rows is faster than a copy of these: fresh memory costs more than products."""
    return isinstance(X, np.ndarray) and 4 * ids.size > X.shape[0]
