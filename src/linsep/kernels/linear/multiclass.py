"""One pass of a learner of several classes, all of them at once.

`W` is (n_classes, n_features), `b` (n_classes,), `c[i]` the position of row i's class. `Z` (BLOCK, n_classes) is
scratch space, `counts` (n_classes, 3) collects the mistakes, updates and absorbed updates of each class. `weight`
scales every update of a row and `own` those of its own class as well. The rest is as in `epoch.py`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from linsep.kernels.optional import before_update, note_update, row_at, weight_at
from linsep.kernels.rows import BLOCK, FASTMATH, block_dots, block_size, row_axpy, row_count, row_norm2
from linsep.kernels.steps import step_size
from linsep.types import Array


class Classes(NamedTuple):
    """The weights of all classes, with the scratch space of a pass."""

    W: Array
    b: Array
    Z: Array
    counts: Array


@njit(cache=True, nogil=True, fastmath=FASTMATH)
def one_vs_rest_epoch(
    X: Any,
    c: Any,
    weight: Any,
    own: Any,
    order: Any,
    step: Any,
    model: Any,
    intercept: float,
    watch: Any,
    visit: int,
) -> None:
    """For every class k, with y = +1 for its own rows and -1 for the rest: w_k += tau y x, b_k += tau y.

    Each class moves as it would if it were fitted alone. Decision values are computed a block of rows ahead; those of
    a class that moves inside the block are computed again, so they are what they would be one at a time.
    Changes `model` and `watch`.
    """
    n = row_count(X)
    rows = np.empty(BLOCK, np.int64)
    size = block_size(X)
    for start in range(0, n, size):
        here = min(size, n - start)
        for r in range(size):
            rows[r] = row_at(order, start + min(r, here - 1))
        block_dots(X, rows, model.W, -1, -1, model.Z)
        for r in range(here):
            i = rows[r]
            waiting = -1
            for k in range(model.b.shape[0]):
                y = 1.0 if c[i] == k else -1.0
                m = y * (model.Z[r, k] + model.b[k])
                scale = weight_at(weight, i) * (weight_at(own, i) if c[i] == k else 1.0)
                if not m > 0.0 and scale > 0.0:  # a class does not hear of a row that weighs nothing for it
                    model.counts[k, 0] += 1
                tau = step_size(step, m, X, i, intercept, 1.0) * scale
                if tau > 0.0:
                    model.counts[k, 1] += 1
                    _move(X, i, tau * y, m <= 0.0 or tau >= 1.0, model, intercept, k, watch, visit + start + r)
                    if waiting < 0:
                        waiting = k
                    elif r + 1 < here:
                        block_dots(X, rows, model.W, waiting, k, model.Z)
                        waiting = -1
            if waiting >= 0 and r + 1 < here:
                block_dots(X, rows, model.W, waiting, waiting, model.Z)


@njit(cache=True, nogil=True, fastmath=FASTMATH)
def multiclass_epoch(
    X: Any,
    c: Any,
    weight: Any,
    own: Any,
    order: Any,
    step: Any,
    model: Any,
    intercept: float,
    watch: Any,
    visit: int,
) -> None:
    """Reward the row's class y and punish the first best other r: w_y += tau x, w_r -= tau x.

    The margin is z_y - z_r; a mistake is a margin <= 0, counted for y. Changes `model` and `watch`.
    """
    n = row_count(X)
    rows = np.empty(BLOCK, np.int64)
    size = block_size(X)
    for start in range(0, n, size):
        here = min(size, n - start)
        for r in range(size):
            rows[r] = row_at(order, start + min(r, here - 1))
        block_dots(X, rows, model.W, -1, -1, model.Z)
        for r in range(here):
            i = rows[r]
            y = c[i]
            rival, best = _best_other(model, r, y)
            m = model.Z[r, y] + model.b[y] - best
            if m <= 0.0:
                model.counts[y, 0] += 1
            tau = step_size(step, m, X, i, intercept, 2.0)
            if tau > 0.0:
                tau *= weight_at(weight, i) * weight_at(own, i)
                model.counts[y, 1] += 1
                _move(X, i, tau, m <= 0.0 or tau >= 1.0, model, intercept, y, watch, visit + start + r)
                _move(X, i, -tau, m <= 0.0 or tau >= 1.0, model, intercept, rival, watch, visit + start + r)
                if r + 1 < here:
                    block_dots(X, rows, model.W, y, rival, model.Z)


@njit(cache=True, nogil=True)
def _best_other(model: Any, r: int, own: int) -> Any:
    """The first class other than `own` with the largest decision value, and that value."""
    rival = 1 if own == 0 else 0
    best = model.Z[r, rival] + model.b[rival]
    for k in range(rival + 1, model.b.shape[0]):
        z = model.Z[r, k] + model.b[k]
        if k != own and z > best:
            rival = k
            best = z
    return rival, best


@njit(cache=True, nogil=True, fastmath=FASTMATH)
def _move(X: Any, i: int, a: float, wanted: bool, model: Any, intercept: float, k: int, watch: Any, visit: int) -> None:
    """w_k += a x_i; if rounding absorbs it that counts where the step was `wanted`, see `plain_epoch`."""
    before_update(watch, X, visit, k)
    if not row_axpy(X, i, a, model.W[k]) and wanted:
        model.counts[k, 2] += row_norm2(X, i) > 0.0
    model.b[k] += intercept * a
    note_update(watch, X, i, a, intercept, visit, k)
