"""Budgeted passes that give up half of their rows when the budget is full: Ahpatron.

Source: Liao, Li, Liao, Hu and Dang 2024 (AAAI), with steps of 1, a margin of 2 R^2 and a ball of radius 2 sqrt(budget)
R, R^2 the largest k(x, x) so far. For R = 1 that is four times their steps of 1/4, margin of 1/2 and ball of
sqrt(budget) / 2, which changes no prediction. The part of w due to the rows removed is projected on those that stay;
unlike in the paper's program the result is not scaled up to the length that w had.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from linsep.kernels.dual.kept import Kept, solve, solve_transposed, value_at
from linsep.kernels.records import COUNTS, SUMS

# Rows of zeros, or nearly, have kernel values of 0; what is projected is divided by the root of the ridge twice.
_LEAST_RIDGE = 1e-300


@njit(cache=True, nogil=True)
def halving_block(G: Any, y: Any, kept: Kept, budget: int, tolerance: float, updated: Any) -> int:
    """w += y k(x, .) where y w(x) <= 0 or y w(x) < 2 R^2; of `budget` rows half go first. Return the updates.

    `G` (slots, slots) as in `removing_block`. The rows with the smallest coefficients go, of equal ones the older, and
    their part of w is projected on the rows that stay. After each update w is scaled down to the ball ||w||^2 <= 4
    budget R^2. `tolerance` times R^2 is the ridge of the projection. Changes `kept`, and puts the rows that moved w
    first into `updated` (len(y),).
    """
    first = G.shape[0] - y.shape[0]
    made = 0
    for t in range(y.shape[0]):
        s = first + t
        size = kept.counts[COUNTS.size]
        radius2 = kept.sums[SUMS.radius2] = max(kept.sums[SUMS.radius2], G[s, s])
        m = y[t] * value_at(G, s, kept, size)
        if m > 0.0 and m >= 2.0 * radius2:
            continue
        if m <= 0.0:
            kept.counts[COUNTS.mistakes] += 1
        else:
            kept.counts[COUNTS.margin_updates] += 1
            kept.sums[SUMS.margin_steps] += 1.0
        if size == budget:
            _halve(G, kept, budget // 2, max(tolerance * radius2, _LEAST_RIDGE))
            size = budget // 2
            m = y[t] * value_at(G, s, kept, size)
        kept.coefs[s] = y[t]
        kept.live[size] = s
        kept.counts[COUNTS.size] = size = size + 1
        kept.sums[SUMS.energy] += G[s, s] + 2.0 * m
        kept.sums[SUMS.norm2] += G[s, s] + 2.0 * m
        ball2 = 4.0 * budget * radius2
        if kept.sums[SUMS.norm2] > ball2:
            for e in range(size):
                kept.coefs[kept.live[e]] *= math.sqrt(ball2 / kept.sums[SUMS.norm2])
            kept.sums[SUMS.norm2] = ball2
            kept.sums[SUMS.ball2] = ball2 if kept.sums[SUMS.ball2] == 0.0 else min(ball2, kept.sums[SUMS.ball2])
        updated[made] = t
        made += 1
    return made


@njit(cache=True, nogil=True)
def _halve(G: Any, kept: Kept, keep: int, ridge: float) -> None:
    """w <- sum over the `keep` rows with the largest |a_j| of (a_j + b_j) k(x_j, .), as near to w as such sums come.

    (K + ridge I) b = K' a, where K holds the kernel values of the rows that stay, K' those with the rows that go, and a
    the coefficients of these. Changes `kept`.
    """
    size = kept.counts[COUNTS.size]
    live = kept.live[:size].copy()
    sizes = np.abs(kept.coefs[live])
    stays = np.zeros(size, np.bool_)
    stays[np.argsort(sizes, kind="mergesort")[size - keep :]] = True
    before = kept.coefs[live]
    rows, b, z = np.empty(keep, np.int64), np.zeros(keep), np.zeros(keep)
    i, norm2 = 0, 0.0
    for e in range(size):
        value = value_at(G, live[e], kept, size)
        norm2 += before[e] * value
        if stays[e]:
            rows[i], z[i] = live[e], value
            i += 1
    L = np.zeros((keep, keep))
    for i in range(keep):
        for e in range(size):
            if not stays[e]:
                b[i] += G[rows[i], live[e]] * before[e]
        for j in range(i + 1):
            L[i, j] = G[rows[i], rows[j]]
            for k in range(j):
                L[i, j] -= L[i, k] * L[j, k]
            if j < i:
                L[i, j] /= L[j, j]
        L[i, i] = math.sqrt(max(L[i, i] + ridge, ridge))
    solve(L, keep, b)
    solve_transposed(L, keep, b)
    after, dot = 0.0, 0.0
    for i in range(keep):
        kept.coefs[rows[i]] += b[i]
    for i in range(keep):
        dot += kept.coefs[rows[i]] * z[i]
        for j in range(keep):
            after += kept.coefs[rows[i]] * kept.coefs[rows[j]] * G[rows[i], rows[j]]
    for e in range(size):
        if not stays[e]:
            kept.coefs[live[e]] = 0.0
    kept.live[:keep] = rows
    kept.counts[COUNTS.size] = keep
    kept.sums[SUMS.distance] += math.sqrt(max(norm2 - 2.0 * dot + after, 0.0))
    kept.sums[SUMS.energy] += after - norm2
    kept.sums[SUMS.norm2] = after
