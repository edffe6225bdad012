"""Weight moved between two rows at a time: the nearest point of a few convex hulls, from inner products alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def exchange(K: Any, group: Any, p: Any, g: Any, tol: float, max_steps: int) -> int:
    """Lower v.v, v = sum p_i z_i, by moving weight between rows of one group; return the number of moves.

    `K` holds z_i.z_j, `g` = K p, and p sums to 1 on each of the two groups (0 and 1; the second may have no row). Stops
    when the least v.z_i of the groups add up to (1 - tol) v.v or more: no weights of these rows have a v shorter by
    more than that factor. Changes `p` and `g`.

    The row of least v.z_i takes weight from that row whose share lowers v.v most (Fan, Chen and Lin 2005).
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
                apart = max(K[i, i] + K[k, k] - 2.0 * K[i, k], 1e-300)
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
