"""The nearest point of one or two convex hulls to 0, from inner products: weight moves between two rows at a time.

Sources: Mitchell, Demyanov and Malozemov 1974 (SIAM J. Control 12). They move weight from the row of greatest v.z_i
that has any to the row of least v.z_i, by the step that makes v shortest; here the row that gives is chosen by how much
the step shortens v, the second-order choice of Fan, Chen and Lin 2005 (JMLR 6), and there may be two hulls, whose
nearest points are added up.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep.kernels.compiled import kernel

# In place of ||z_i - z_k||^2 where the two rows are equal, so that nothing is divided by 0.
_TINY = 1e-300


@kernel(cache=True, nogil=True)
def move_weight(K: Any, group: Any, p: Any, g: Any, tol: float, max_steps: int) -> int:
    """p_i += t, p_j -= t, which lowers v.v, v = sum p_i z_i, again and again; return the number of moves.

    `K` (n, n) holds z_i.z_j, `g` (n,) is K p, and p (n,) sums to 1 on each of the two groups (`group` is 0 or 1; group
    1 may have no row). i is the row of least v.z_i of a group, j the row of its group that has weight and for which the
    move lowers v.v most. Stops after `max_steps`, or when the least v.z_i of the groups add up to (1 - tol) v.v or
    more: no weights of these rows have a v shorter by more than that factor. Changes `p` and `g`.
    """
    n = p.shape[0]
    vv = 0.0
    for k in range(n):
        vv += p[k] * g[k]
    low, high, lowest = np.zeros(2), np.zeros(2), np.zeros(2, dtype=np.int64)
    for step in range(max_steps):
        low[:], high[:], lowest[:] = np.inf, -np.inf, -1
        for k in range(n):
            c = group[k]
            if g[k] < low[c]:
                low[c] = g[k]
                lowest[c] = k
            if p[k] > 0.0 and g[k] > high[c]:
                high[c] = g[k]
        c = 1 if lowest[1] >= 0 and high[1] - low[1] > high[0] - low[0] else 0
        if low[0] + (low[1] if lowest[1] >= 0 else 0.0) >= (1.0 - tol) * vv:
            return step
        i, j, best, square = lowest[c], -1, 0.0, 1.0
        for k in range(n):
            if group[k] == c and p[k] > 0.0 and g[k] > low[c]:
                apart = max(K[i, i] + K[k, k] - 2.0 * K[i, k], _TINY)
                gain = (g[k] - low[c]) * (g[k] - low[c]) / apart
                if gain > best:
                    j, best, square = k, gain, apart
        if j < 0:
            return step
        t = (g[j] - g[i]) / square
        if t >= p[j]:
            t = p[j]
            p[j] = 0.0
        else:
            p[j] -= t
        p[i] += t
        vv += t * (2.0 * (g[i] - g[j]) + t * square)
        for k in range(n):
            g[k] += t * (K[i, k] - K[j, k])
    return max_steps
