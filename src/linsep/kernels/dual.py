"""Kernel perceptrons, w = sum_j a_j k(x_j, .): one block of rows whose kernel values are known when their turn comes.

Sources: the dual form of Rosenblatt's perceptron in Freund and Schapire 1999 (Machine Learning 37), section 3; there
each row is predicted on its own, here a block of rows at a time, with the same mistakes. On a budget of rows the
Projectron of Orabona, Keshet and Caputo 2009 (JMLR 10), with a budget in place of their threshold eta: rows are added
while there is room, unless they are in the span of those kept, and projected from then on.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from linsep.kernels.compiled import kernel, uncounted


@uncounted(cache=True, nogil=True)
def exponentials(G: Any) -> None:
    """G = exp(G) of every entry; NumPy has another approximation for each kind of vectors. Changes `G` (n, m)."""
    for i in range(G.shape[0]):
        for j in range(G.shape[1]):
            G[i, j] = math.exp(G[i, j])


@uncounted(cache=True, nogil=True)
def dual_block(
    G: Any, known: Any, steps: Any, Z: Any, norm2: Any, rows: Any, classes: Any, start: int, made: int
) -> tuple[int, int]:
    """Z[k] += steps[k, t] G[t] wherever steps[k, t] Z[k, t] <= 0, row by row of the block.

    `G` (b, b) holds the kernel values of the block with itself, in those rows t that are `known`; `steps` (y, times a
    weight) and `Z` are (n_planes, b). Begins at row `start` with `made` mistakes noted and returns (t, mistakes): t = b
    at the end, or the row that is mistaken and whose kernel values are missing. Changes `Z`, of the whole block, so
    that at the end every value counts every mistake; `norm2` (n_planes,), ||w||^2 += 2 a z + a^2 k(x, x); and `rows`
    and `classes`, the row and the plane of each mistake, with room for b n_planes of them.
    """
    for t in range(start, Z.shape[1]):
        for k in range(Z.shape[0]):
            a = steps[k, t]
            m = a * Z[k, t]
            if m <= 0.0:
                if not known[t]:
                    return t, made
                norm2[k] += 2.0 * m + a * a * G[t, t]
                for j in range(Z.shape[1]):
                    Z[k, j] += a * G[t, j]
                rows[made] = t
                classes[made] = k
                made += 1
    return Z.shape[1], made


class ProjectedSums(NamedTuple):
    """What a plane on a budget adds up for its bound (`linsep.theory.projection_bound`): float64 (2,)."""

    norm2: int = 0  # ||w||^2
    distance: int = 1  # lengths of what projections left out


PROJECTED = ProjectedSums()


@kernel(cache=True, nogil=True)
def projecting_block(
    G: Any, y: Any, live: Any, size: int, coefs: Any, L: Any, sums: Any, tolerance: float
) -> tuple[int, int]:
    """w += y k(x, .) where y w(x) <= 0 and there is room, else w += y P k(x, .). Return (rows kept, mistakes).

    P projects on the rows kept, those of the first `size` slots that `live` (budget,) holds, oldest first. `coefs`
    (slots,) has the coefficient of each slot, `G` (len(y), slots) the kernel values of the block with all slots, the
    last len(y) being its own; `L` (budget, budget) is the Cholesky factor of the kernel values of the rows kept. A row
    nearer than `tolerance` (relative, squared) to the span of the rows kept counts as in it. Changes `live`, `coefs`,
    `L` and `sums`, whose columns are `PROJECTED`.
    """
    first = G.shape[1] - y.shape[0]
    made = 0
    v = np.empty(live.shape[0])
    for t in range(y.shape[0]):
        m = 0.0
        for e in range(size):
            m += coefs[live[e]] * G[t, live[e]]
        m *= y[t]
        if m > 0.0:
            continue
        made += 1
        inside = 0.0
        for i in range(size):  # v = L^-1 (kernel values with the rows kept)
            v[i] = G[t, live[i]]
            for j in range(i):
                v[i] -= L[i, j] * v[j]
            v[i] /= L[i, i]
            inside += v[i] * v[i]
        own = G[t, first + t]
        away = own - inside
        if size < live.shape[0] and away > tolerance * own:
            L[size, :size] = v[:size]
            L[size, size] = math.sqrt(away)
            live[size] = first + t
            coefs[first + t] = y[t]
            size += 1
            sums[PROJECTED.norm2] += own + 2.0 * m
            continue
        sums[PROJECTED.norm2] += 2.0 * m + inside
        sums[PROJECTED.distance] += math.sqrt(max(away, 0.0))
        for i in range(size - 1, -1, -1):  # v = L'^-1 v, the coefficients of P k(x, .)
            v[i] /= L[i, i]
            for j in range(i):
                v[j] -= L[i, j] * v[i]
        for e in range(size):
            coefs[live[e]] += y[t] * v[e]
    return size, made


@uncounted(cache=True, nogil=True)
def add_votes(G: Any, columns: Any, steps: Any, survival: Any, Z: Any, votes: Any) -> None:
    """votes_t += sum_n c_n sign(z_n), z_n = z_{n-1} + steps[n] G[t, columns[n]], sign(0) = +1, row by row t.

    `G` (n_rows, rows mistaken) holds dot products; `columns`, `steps` and `survival` (updates,) say of update n which
    mistaken row it added, how much of it, and c_n, how many rows the vector then survived. `Z` (n_rows,) holds z of the
    vector before the first of these updates and is moved to that after the last. Changes `Z` and `votes`.
    """
    for t in range(G.shape[0]):
        z = Z[t]
        total = 0
        for n in range(columns.shape[0]):
            z += steps[n] * G[t, columns[n]]
            total += survival[n] if z >= 0.0 else -survival[n]
        Z[t] = z
        votes[t] += total


@uncounted(cache=True, nogil=True)
def add_class_votes(G: Any, columns: Any, steps: Any, classes: Any, survival: Any, Z: Any, votes: Any) -> None:
    """votes[t, k] += sum of c_n over the vectors n whose z is largest for class k; of equal classes the first.

    `Z` and `votes` are (n_rows, n_classes); update n moves z of `classes[n]`, and then survives c_n = `survival[n]`
    rows. Changes `Z` and `votes`.
    """
    for t in range(G.shape[0]):
        for n in range(columns.shape[0]):
            Z[t, classes[n]] += steps[n] * G[t, columns[n]]
            if survival[n] > 0:
                best = 0
                for k in range(1, Z.shape[1]):
                    if Z[t, k] > Z[t, best]:
                        best = k
                votes[t, best] += survival[n]
