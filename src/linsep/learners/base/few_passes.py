"""Passes of a perceptron over few rows without Numba, which takes longer to load than they do: the same bits.

They are those of `kernels/linear/epoch.py`, and of `kernels/linear/multiclass.py`, for dense rows without weights.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep.learners.base.scores import ROW, are_in_range, few_scores, fused, may_make, note_made
from linsep.passes import RECORD, Mean, Rows
from linsep.types import Array

_WORD = 2**64 - 1


def few_epochs(
    rows: Rows,
    together: bool,
    margin: Any,
    W: Array,
    b: Array,
    intercept: float,
    watch: Any,
    visit: int,
    reference: Array,
    record: Array,
) -> int:
    """Make passes as `plain_epochs` does, or as `epoch_of_many` one after the other, up to one without an update.

    Return the number made: 0, with nothing changed, where compiled code is sooner done, or loaded. `W` is (n_planes,
    n_features). Changes `W`, `b`, `watch` and `record`, which is zeros.
    """
    n = len(rows.y)
    a_pass = n * (W.size + ROW)
    plain = isinstance(margin, float) and (watch is None or isinstance(watch, Mean)) and not len(reference)
    dense = isinstance(rows.X, np.ndarray) and not len(rows.weight) and not len(rows.own)
    if not (plain and dense and may_make(a_pass * len(record)) and are_in_range(rows.X, W)):
        return 0
    looks = len(record) // 64 + 1 if len(b) == 1 else 1
    for e, entry in enumerate(record):
        note_made(a_pass)
        _pass(rows, together, margin, W, b, intercept, watch, visit + e * n, entry)
        entry[RECORD.dots] = n * len(b)
        entry[RECORD.norm_w] = _length(W.ravel(order="K"))
        entry[RECORD.b] = b[0] if len(b) == 1 else _length(b)
        due = e % looks == 0 or e + 1 == len(record)
        entry[RECORD.bits] = max(map(_bits, W.flat)) if due else record[e - 1, RECORD.bits]
        if not entry[RECORD.updates]:
            return e + 1
    return len(record)


def _pass(
    rows: Rows, together: bool, margin: float, W: Array, b: Array, c2: float, watch: Any, visit: int, entry: Array
) -> None:
    """w += y x, b += c^2 y of each plane that moves, row by row; count in `entry`."""
    order = rows.order if len(rows.order) else range(len(rows.y))
    for t, i in enumerate(order, visit):
        x = rows.X[i]
        mistakes, updates, moves = _moves(few_scores(x[None], W.T)[0] + b, rows.y[i], together, margin)
        entry[RECORD.mistakes] += mistakes
        entry[RECORD.updates] += updates
        for k, y in moves:
            moved = fused(x, y, W[k])
            entry[RECORD.absorbed] += (moved == W[k]).all() and x.any()
            W[k] = moved
            b[k] += c2 * y
            if watch is not None:
                watch.u[k] = fused(x, y * t, watch.u[k])
                watch.u_b[k] += c2 * y * t


def _moves(z: Array, y: Any, together: bool, margin: float) -> tuple[int, int, list[tuple[Any, Any]]]:
    """Mistakes and updates at a row with the values z, and the planes that move, each up or down.

    y is the label of two classes, -1.0 or 1.0, and of more the place of the class.
    """
    if together:
        others = z.copy()
        others[y] = -np.inf
        rival = int(others.argmax())
        m = z[y] - others[rival]
        return int(m <= 0.0), int(m <= margin), [(y, 1.0), (rival, -1.0)] if m <= margin else []
    signs = np.array([y]) if len(z) == 1 else np.where(np.arange(len(z)) == y, 1.0, -1.0)
    moves = [(k, signs[k]) for k in np.flatnonzero(signs * z <= margin)]
    return int(np.count_nonzero(signs * z <= 0.0)), len(moves), moves


def _length(w: Array) -> Any:
    """||w||, its squares summed up as a kernel does."""
    return np.sqrt(few_scores(w[None], w[:, None])[0, 0])


def _bits(x: float) -> int:
    """Significant bits of x."""
    n = abs(x.as_integer_ratio()[0])
    return (n // (n & -n)).bit_length() if n else 0


def few_order(starts: Array, chunk: int, n: int, seed: int) -> list[int]:
    """`fill_order` of n rows in chunks of one group, with its generator."""
    order = [row for first in starts.tolist() for row in range(max(first, 0), min(first + chunk, n))]
    for last in range(n - 1, 0, -1):
        seed ^= seed >> 12
        seed = (seed ^ seed << 25) & _WORD
        seed ^= seed >> 27
        j = ((seed * 2685821657736338717 & _WORD) >> 32) * (last + 1) >> 32
        order[last], order[j] = order[j], order[last]
    return order
