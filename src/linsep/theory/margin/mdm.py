"""The best margin of many rows by exchange of weight on a working set of rows that grows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linsep.tables import dense
from linsep.types import Array

_ADDED = 100  # rows of each group that are added after each visit of all rows
_ROUNDS = 60
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
