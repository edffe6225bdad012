"""Blocked passes of the kernel perceptron: what happens inside a block of rows whose decision values are known."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def kernel_block(
    G: Any, known: Any, steps: Any, Z: Any, norm2: Any, rows: Any, classes: Any, start: int, made: int
) -> tuple[int, int]:
    """Visit the rows of a block in order; wherever steps[k, t] Z[k, t] <= 0 add steps[k, t] G[t] to Z[k].

    `G` (b, b) holds the kernel values of the block with itself, in those rows t that are `known`; `steps` (y, times a
    weight) and `Z` are (n_planes, b). Begins at row `start` with `made` mistakes noted and returns (t, mistakes): t = b
    at the end, or the row that is mistaken and whose kernel values are missing. Changes `Z`, of the whole block, so
    that at the end every value counts every mistake; `norm2` (n_planes,), ||w||^2 += 2 a z + a^2 k(x, x); and the log
    `rows`, `classes`.
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


def polynomial(G: Any, gamma: float, coef0: float, degree: int) -> Any:
    """(gamma G + coef0)^degree for dot products G, which it overwrites; by squaring, so whole numbers stay exact."""
    if gamma != 1.0:
        G *= gamma
    if coef0 != 0.0:
        G += coef0
    result = None
    while degree > 1:
        if degree & 1:
            result = G.copy() if result is None else np.multiply(result, G, out=result)
        G *= G
        degree >>= 1
    return G if result is None else np.multiply(result, G, out=G)


def gaussian(G: Any, a2: Any, b2: Any, gamma: float) -> Any:
    """exp(-gamma ||a - b||^2) from the dot products G of rows with squared norms `a2`, `b2`; it overwrites G."""
    G *= -2.0
    G += a2[:, None]
    G += b2
    np.maximum(G, 0.0, out=G)
    G *= -gamma
    return np.exp(G, out=G)
