"""Budgeted passes that remove one row for each row added once the budget is full: the Forgetron and random removal.

Sources: the self-tuned Forgetron of Dekel, Shalev-Shwartz and Singer 2008 (SIAM Journal on Computing 37); the paper
assumes k(x, x) <= 1, here values are divided by the largest k(x, x) so far where it needs that. The randomized budget
perceptron of Cavallanti, Cesa-Bianchi and Gentile 2007 (Machine Learning 69).
"""

from __future__ import annotations

import math
from typing import Any

from linsep.kernels.dual.kept import Kept, value_at
from linsep.kernels.memory import uncounted
from linsep.kernels.records import COUNTS, SUMS

# What all removals may add up to, psi by psi, for each mistake so far: the paper's condition on the shrinking factor.
_AFFORDABLE = 15.0 / 32.0


@uncounted(cache=True, nogil=True)
def removing_block(G: Any, y: Any, kept: Kept, budget: int, draws: Any, forget: bool, updated: Any) -> int:
    """w += y k(x, .) where y w(x) <= 0; if there are then budget + 1 rows, an old one goes. Return the mistakes made.

    `G` (slots, slots) holds the kernel values of all slots with all, the last len(y) being those of the block. With
    `forget`, the Forgetron: w <- phi w with the largest phi that keeps the damage of the removal affordable, then the
    oldest row goes. Else one of the old rows goes at random: number `draws[t]` x budget, `draws[t]` in [0, 1). Changes
    `kept`, and puts the rows of the block that were mistaken first into `updated` (len(y),).
    """
    first = G.shape[0] - y.shape[0]
    size = kept.counts[COUNTS.size]
    made = 0
    for t in range(y.shape[0]):
        s = first + t
        radius2 = kept.sums[SUMS.radius2] = max(kept.sums[SUMS.radius2], G[s, s])
        m = y[t] * value_at(G, s, kept, size)
        if m > 0.0:
            continue
        updated[made] = t
        made += 1
        kept.counts[COUNTS.mistakes] += 1
        kept.sums[SUMS.energy] += G[s, s] + 2.0 * m
        kept.coefs[s] = y[t]
        kept.live[size] = s
        if size < budget:
            size += 1
            continue
        e = 0 if forget else int(draws[t] * size)
        r = kept.live[e]
        sigma = abs(kept.coefs[r])
        mu = (1.0 if kept.coefs[r] >= 0.0 else -1.0) * value_at(G, r, kept, size + 1)
        phi = 1.0
        if forget:
            left = _AFFORDABLE * kept.counts[COUNTS.mistakes] - kept.sums[SUMS.spent]
            unit = mu / radius2 if radius2 > 0.0 else 0.0
            phi = _shrink_factor(sigma, unit, left)
            kept.sums[SUMS.spent] += phi * sigma * (phi * sigma + 2.0 - 2.0 * phi * unit)
        for j in range(size + 1):
            kept.coefs[kept.live[j]] *= phi
        lost = phi * sigma
        kept.sums[SUMS.shrinking] += (1.0 - phi) / (1.0 + phi)
        kept.sums[SUMS.given_up] += lost
        kept.sums[SUMS.damage] += lost * (lost * G[r, r] - 2.0 * phi * mu)
        kept.coefs[r] = 0.0
        for j in range(e, size):
            kept.live[j] = kept.live[j + 1]
    kept.counts[COUNTS.size] = size
    return made


@uncounted(cache=True, nogil=True)
def _shrink_factor(sigma: float, mu: float, left: float) -> float:
    """The largest phi <= 1 with psi(phi sigma, phi mu) <= left, psi(l, m) = l^2 + 2 l - 2 l m.

    It is 1 or the root of (sigma^2 - 2 sigma mu) phi^2 + 2 sigma phi = left, in the form that does not cancel.
    """
    a = sigma * sigma - 2.0 * sigma * mu
    if a + 2.0 * sigma <= left:
        return 1.0
    return left / (sigma + math.sqrt(max(sigma * sigma + a * left, 0.0)))
