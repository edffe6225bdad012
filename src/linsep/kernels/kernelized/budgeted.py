"""Kernel perceptrons that keep no more than a budget of rows, one block of rows at a time."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from linsep.types import Array


class Kept(NamedTuple):
    """What a budgeted plane knows, the rows themselves apart.

    `live` holds the slots of the rows in use, oldest first, with room for budget + 1; `coefs` the coefficient of each
    slot; `counts` = (rows in use, mistakes, margin updates); `sums` are named in `SUMS`, see
    `linsep.theory.bounds.kernel`:
    `radius2` is the largest k(x, x) so far, or what it was set to before; `norm2` is ||w||^2 and `ball2` the square of
    the smallest ball that w was pulled back to, 0 for none (`halving_block` alone).
    """

    live: Array
    coefs: Array
    counts: Array
    sums: Array


SUMS = (
    "energy", "given_up", "damage", "shrinking", "spent", "distance", "margin_steps", "radius2", "norm2", "ball2"
)  # fmt: skip
_ENERGY, _GIVEN_UP, _DAMAGE, _SHRINKING, _SPENT, _DISTANCE, _MARGIN_STEPS, _RADIUS2, _NORM2, _BALL2 = range(len(SUMS))
_SIZE, _MISTAKES, _MARGIN_UPDATES = range(3)


@njit(cache=True, nogil=True)
def _value(G: Any, s: int, kept: Any, size: int) -> float:
    """sum_j a_j G[s, j] over the rows in use."""
    z = 0.0
    for e in range(size):
        z += kept.coefs[kept.live[e]] * G[s, kept.live[e]]
    return z


@njit(cache=True, nogil=True)
def _shrink_factor(sigma: float, mu: float, left: float) -> float:
    """The largest phi <= 1 with psi(phi sigma, phi mu) <= left, psi(l, m) = l^2 + 2 l - 2 l m."""
    a = sigma * sigma - 2.0 * sigma * mu
    if a + 2.0 * sigma <= left:
        return 1.0
    return left / (sigma + math.sqrt(max(sigma * sigma + a * left, 0.0)))


@njit(cache=True, nogil=True)
def removing_block(G: Any, y: Any, kept: Kept, budget: int, draws: Any, forget: bool, updated: Any) -> int:
    """A mistake adds its row; where that is one too many, an old row goes. Return the mistakes made.

    `G` holds the kernel values of all slots with all, the last len(y) being those of the block. With `forget`, the
    Forgetron: all coefficients shrink by the factor that keeps the damage of the removal affordable, then the oldest
    row goes. Else one of the old rows goes at random, `draws[t]` in [0, 1) choosing it. Changes `kept`, and `updated`,
    the rows of the block that were mistaken.
    """
    first = G.shape[0] - y.shape[0]
    size = kept.counts[_SIZE]
    made = 0
    for t in range(y.shape[0]):
        s = first + t
        radius2 = kept.sums[_RADIUS2] = max(kept.sums[_RADIUS2], G[s, s])
        m = y[t] * _value(G, s, kept, size)
        if m > 0.0:
            continue
        updated[made] = t
        made += 1
        kept.counts[_MISTAKES] += 1
        kept.sums[_ENERGY] += G[s, s] + 2.0 * m
        kept.coefs[s] = y[t]
        kept.live[size] = s
        if size < budget:
            size += 1
            continue
        e = 0 if forget else int(draws[t] * size)
        r = kept.live[e]
        sigma = abs(kept.coefs[r])
        mu = (1.0 if kept.coefs[r] >= 0.0 else -1.0) * _value(G, r, kept, size + 1)
        phi = 1.0
        if forget:
            left = 15.0 / 32.0 * kept.counts[_MISTAKES] - kept.sums[_SPENT]
            unit = mu / radius2 if radius2 > 0.0 else 0.0
            phi = _shrink_factor(sigma, unit, left)
            kept.sums[_SPENT] += phi * sigma * (phi * sigma + 2.0 - 2.0 * phi * unit)
        for j in range(size + 1):
            kept.coefs[kept.live[j]] *= phi
        lost = phi * sigma
        kept.sums[_SHRINKING] += (1.0 - phi) / (1.0 + phi)
        kept.sums[_GIVEN_UP] += lost
        kept.sums[_DAMAGE] += lost * (lost * G[r, r] - 2.0 * phi * mu)
        kept.coefs[r] = 0.0
        for j in range(e, size):
            kept.live[j] = kept.live[j + 1]
    kept.counts[_SIZE] = size
    return made


@njit(cache=True, nogil=True)
def _solve(L: Any, size: int, v: Any) -> None:
    """v = L^-1 v for the lower triangle L[:size, :size]."""
    for i in range(size):
        for j in range(i):
            v[i] -= L[i, j] * v[j]
        v[i] /= L[i, i]


@njit(cache=True, nogil=True)
def _solve_transposed(L: Any, size: int, v: Any) -> None:
    """v = L'^-1 v."""
    for i in range(size - 1, -1, -1):
        v[i] /= L[i, i]
        for j in range(i):
            v[j] -= L[i, j] * v[i]


@njit(cache=True, nogil=True)
def projecting_block(
    G: Any, y: Any, kept: Kept, L: Any, budget: int, tolerance: float, plus: bool, updated: Any
) -> int:
    """A mistake adds its row while there is room, and later its projection on the rows kept. Return the updates.

    `G` (len(y), slots) holds the kernel values of the block with all slots, the last len(y) being its own; `L` the
    Cholesky factor of the rows in use. A row nearer than `tolerance` (relative, squared) to the span of the rows kept
    counts as in it. With `plus` a row right by less than the margin moves w by its projection too, so far as that
    brings w nearer to every vector of norm sqrt((budget + 1) / radius2). Changes `kept`, `L` and `updated`.
    """
    first = G.shape[1] - y.shape[0]
    size = kept.counts[_SIZE]
    made = 0
    v = np.empty(budget)
    for t in range(y.shape[0]):
        own = G[t, first + t]
        radius2 = kept.sums[_RADIUS2] = max(kept.sums[_RADIUS2], own)
        m = y[t] * _value(G, t, kept, size)
        if m > 0.0 and (not plus or m >= radius2):
            continue
        inside = 0.0
        for e in range(size):
            v[e] = G[t, kept.live[e]]
        _solve(L, size, v)
        for e in range(size):
            inside += v[e] * v[e]
        away = own - inside
        if m <= 0.0:
            tau = 1.0
            kept.counts[_MISTAKES] += 1
            if size < budget and away > tolerance * own:
                L[size, :size] = v[:size]
                L[size, size] = math.sqrt(away)
                kept.live[size] = first + t
                kept.coefs[first + t] = y[t]
                size += 1
                kept.sums[_ENERGY] += own + 2.0 * m
                updated[made] = t
                made += 1
                continue
        else:
            loss = 1.0 - m / radius2
            sure = loss - math.sqrt((budget + 1.0) * max(away, 0.0) / radius2)
            if sure <= 0.0 or inside <= 0.0:
                continue
            tau = min(1.0, min(loss, 2.0 * sure) * radius2 / inside)
            kept.counts[_MARGIN_UPDATES] += 1
            kept.sums[_MARGIN_STEPS] += tau
        kept.sums[_ENERGY] += tau * (2.0 * m + tau * inside)
        kept.sums[_DISTANCE] += tau * math.sqrt(max(away, 0.0))
        _solve_transposed(L, size, v)
        for e in range(size):
            kept.coefs[kept.live[e]] += tau * y[t] * v[e]
        updated[made] = t
        made += 1
    kept.counts[_SIZE] = size
    return made


@njit(cache=True, nogil=True)
def halving_block(G: Any, y: Any, kept: Kept, budget: int, tolerance: float, updated: Any) -> int:
    """A margin below 2 max k(x, x) adds a row; before one too many, half of the rows go. Return the updates.

    `G` as in `removing_block`. Those with the smallest coefficients go, of equal ones the older, and what they said is
    projected on the rows that stay. After each update w is pulled back to the ball ||w||^2 <= 4 budget max k(x, x).
    Changes `kept` and `updated`.
    """
    first = G.shape[0] - y.shape[0]
    made = 0
    for t in range(y.shape[0]):
        s = first + t
        size = kept.counts[_SIZE]
        radius2 = kept.sums[_RADIUS2] = max(kept.sums[_RADIUS2], G[s, s])
        m = y[t] * _value(G, s, kept, size)
        if m > 0.0 and m >= 2.0 * radius2:
            continue
        if m <= 0.0:
            kept.counts[_MISTAKES] += 1
        else:
            kept.counts[_MARGIN_UPDATES] += 1
            kept.sums[_MARGIN_STEPS] += 1.0
        if size == budget:
            _halve(G, kept, budget // 2, tolerance * radius2)
            size = budget // 2
            m = y[t] * _value(G, s, kept, size)
        kept.coefs[s] = y[t]
        kept.live[size] = s
        kept.counts[_SIZE] = size = size + 1
        kept.sums[_ENERGY] += G[s, s] + 2.0 * m
        kept.sums[_NORM2] += G[s, s] + 2.0 * m
        ball2 = 4.0 * budget * radius2
        if kept.sums[_NORM2] > ball2:
            for e in range(size):
                kept.coefs[kept.live[e]] *= math.sqrt(ball2 / kept.sums[_NORM2])
            kept.sums[_NORM2] = ball2
            kept.sums[_BALL2] = ball2 if kept.sums[_BALL2] == 0.0 else min(ball2, kept.sums[_BALL2])
        updated[made] = t
        made += 1
    return made


@njit(cache=True, nogil=True)
def _halve(G: Any, kept: Kept, keep: int, ridge: float) -> None:
    """Leave the `keep` rows with the largest coefficients, and w as near to what it was as they can bring it.

    Solves (K + ridge I) b = K' a for the steps b that the rows staying take over, a those of the rows going.
    """
    size = kept.counts[_SIZE]
    live = kept.live[:size].copy()
    sizes = np.abs(kept.coefs[live])
    stays = np.zeros(size, np.bool_)
    stays[np.argsort(sizes, kind="mergesort")[size - keep :]] = True
    before = kept.coefs[live]
    rows, b, z = np.empty(keep, np.int64), np.zeros(keep), np.zeros(keep)
    i, norm2 = 0, 0.0
    for e in range(size):
        value = _value(G, live[e], kept, size)
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
    _solve(L, keep, b)
    _solve_transposed(L, keep, b)
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
    kept.counts[_SIZE] = keep
    kept.sums[_DISTANCE] += math.sqrt(max(norm2 - 2.0 * dot + after, 0.0))
    kept.sums[_ENERGY] += after - norm2
    kept.sums[_NORM2] = after
