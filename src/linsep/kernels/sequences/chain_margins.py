"""How far the gold tags of a sentence win over every other sequence: the margin of Collins 2002, theorem 1.

The best other sequence is found as in Viterbi 1967, with one state more: whether the sequence has left the gold one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from linsep.kernels.memory import uncounted


@uncounted(cache=True, nogil=True)
def _emit(S: Any, t: int, W: Any, z: Any) -> None:
    """z[k] = sum of W[f, k] over the features f of token t, in float64. Changes `z` (width,)."""
    z[:] = 0.0
    for e in range(np.uint64(S.indptr[t]), np.uint64(S.indptr[t + 1])):
        f = np.uint64(S.indices[e])
        for k in range(np.uint64(z.shape[0])):
            z[k] += np.float64(W[f, k])


@njit(cache=True, nogil=True)
def chain_margins(S: Any, tags: Any, chain: Any, margins: Any) -> None:
    """margins[i] = w.Phi(x_i, y_i) - max over z other than y_i of w.Phi(x_i, z), in float64; inf if there is no z.

    `other[k]` is the best score, relative to that of y so far, of the sequences that have left y at some token and end
    in tag k: they had left it before, or they leave it here. Changes `margins` (sentences,).
    """
    T = chain.T.astype(np.float64)
    n_tags = T.shape[0] - 2
    width = np.uint64(T.shape[1])
    z, other, after = np.empty(T.shape[1]), np.empty(T.shape[1]), np.empty(T.shape[1])
    for i in range(S.first.shape[0] - 1):
        was = n_tags
        other[:] = -np.inf
        for t in range(S.first[i], S.first[i + 1]):
            y = tags[t]
            _emit(S, t, chain.W, z)
            after[:] = T[was]
            after[y] = -np.inf
            for p in range(n_tags):
                for k in range(width):
                    s = other[p] + T[p, k]
                    after[k] = s if s > after[k] else after[k]
            own = z[y] + T[was, y]
            for k in range(width):
                other[k] = after[k] + z[k] - own
            was = y
        best = -np.inf
        if was < n_tags:
            for k in range(n_tags):
                best = max(best, other[k] + T[n_tags + 1, k] - T[n_tags + 1, was])
        margins[i] = -best
