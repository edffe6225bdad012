"""One block of a kernel perceptron without a budget: rows whose decision values are known when their turn comes.

Source: the dual form of Rosenblatt's perceptron in Freund and Schapire 1999 (Machine Learning 37), section 3; there
each row is predicted on its own, here a block of rows at a time, with the same mistakes.
"""

from __future__ import annotations

import math
from typing import Any

from linsep.kernels.memory import uncounted


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
