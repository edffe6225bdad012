"""Budgeted passes that replace a row by its projection on the rows kept: Projectron and Projectron++.

Source: Orabona, Keshet and Caputo 2009 (JMLR 10), with a budget in place of their threshold eta: rows are added while
there is room, unless they are in the span of those kept, and projected from then on. The margin steps of Projectron++
are theirs for eta = 1 / sqrt(budget + 1) and kernel values divided by R^2, the largest k(x, x) so far: the paper
assumes k(x, x) <= 1.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from linsep.kernels.dual.kept import Kept, solve, solve_transposed, value_at
from linsep.kernels.records import COUNTS, SUMS


@njit(cache=True, nogil=True)
def projecting_block(
    G: Any, y: Any, kept: Kept, L: Any, budget: int, tolerance: float, plus: bool, updated: Any
) -> int:
    """w += y k(x, .) where y w(x) <= 0 and there is room, else w += tau y P k(x, .). Return the updates.

    P projects on the rows kept. `G` (len(y), slots) holds the kernel values of the block with all slots, the last
    len(y) being its own; `L` (budget, budget) is the Cholesky factor of the kernel values of the rows in use. A row
    nearer than `tolerance` (relative, squared) to the span of the rows kept counts as in it. tau is 1 at a mistake.
    With `plus` rows with 0 < y w(x) < R^2 move w too, by a tau that brings w nearer to every u of norm sqrt(budget + 1)
    / R for which y u(x) >= 1. Changes `kept` and `L`, and puts the rows that moved w first into `updated` (len(y),).
    """
    first = G.shape[1] - y.shape[0]
    size = kept.counts[COUNTS.size]
    made = 0
    v = np.empty(budget)
    for t in range(y.shape[0]):
        own = G[t, first + t]
        radius2 = kept.sums[SUMS.radius2] = max(kept.sums[SUMS.radius2], own)
        m = y[t] * value_at(G, t, kept, size)
        if m > 0.0 and (not plus or m >= radius2):
            continue
        inside = 0.0
        for e in range(size):
            v[e] = G[t, kept.live[e]]
        solve(L, size, v)
        for e in range(size):
            inside += v[e] * v[e]
        away = own - inside
        if m <= 0.0:
            tau = 1.0
            kept.counts[COUNTS.mistakes] += 1
            if size < budget and away > tolerance * own:
                L[size, :size] = v[:size]
                L[size, size] = math.sqrt(away)
                kept.live[size] = first + t
                kept.coefs[first + t] = y[t]
                size += 1
                kept.sums[SUMS.energy] += own + 2.0 * m
                updated[made] = t
                made += 1
                continue
        else:
            loss = 1.0 - m / radius2
            sure = loss - math.sqrt((budget + 1.0) * max(away, 0.0) / radius2)
            if sure <= 0.0 or inside <= 0.0:
                continue
            tau = min(1.0, min(loss, 2.0 * sure) * radius2 / inside)
            kept.counts[COUNTS.margin_updates] += 1
            kept.sums[SUMS.margin_steps] += tau
        kept.sums[SUMS.energy] += tau * (2.0 * m + tau * inside)
        kept.sums[SUMS.distance] += tau * math.sqrt(max(away, 0.0))
        solve_transposed(L, size, v)
        for e in range(size):
            kept.coefs[kept.live[e]] += tau * y[t] * v[e]
        updated[made] = t
        made += 1
    kept.counts[COUNTS.size] = size
    return made
