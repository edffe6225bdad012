"""The pocket of a perceptron: the best vector so far, judged on all rows (Gallant 1990, with ratchet)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numba.extending import overload

from linsep.kernels.optional import before_update, weight_at
from linsep.kernels.rows import FASTMATH, row_count, row_dot
from linsep.types import Array

NOT_YET, KEPT, REJECTED = range(3)


class Pocket(NamedTuple):
    """What a pass tells of each update (see `before_update`) and what is kept between updates.

    The vectors in play are the rows of `W` (n_planes, n_features) with `b`; those kept are `kept` and `kept_b`. Each
    plane has a pocket of its own, unless `together`: then all of `W` is one vector. `c[i]` is the class of row i, and a
    plane k is right about it if its sign is + for c[i] = k and - otherwise (with two classes the one plane is 0 and
    the other class -1); `weight` and `own` are as in `Rows`.

    For each pocket: `error` and `run` of the vector kept (run -1 where it never was in play), `since` the visit of the
    update that made the vector in play, and whether that was already `judged`. `spent` counts the vectors judged and
    the dot products that took.
    """

    W: Array
    b: Array
    kept: Array
    kept_b: Array
    c: Array
    weight: Array | None
    own: Array | None
    together: bool
    error: Array
    run: Array
    since: Array
    judged: Array
    spent: Array


@njit(cache=True, nogil=True, fastmath=FASTMATH)
def _margin(X: Any, i: int, c: int, W: Any, b: Any, k: int) -> Any:
    """y z of plane k on row i; z_c - max of the other z for k = -1."""
    if k >= 0:
        z = row_dot(X, i, W[k]) + b[k]
        return z if c == k else -z
    rival = 1 if c == 0 else 0
    best = row_dot(X, i, W[rival]) + b[rival]
    for r in range(rival + 1, b.shape[0]):
        if r != c:
            best = max(best, row_dot(X, i, W[r]) + b[r])
    return row_dot(X, i, W[c]) + b[c] - best


@njit(cache=True, nogil=True)
def pocket_error(X: Any, pocket: Any, W: Any, b: Any, p: int, limit: float) -> Any:
    """Sum of the weights of the rows on which plane p of (W, b), or all of W, makes a mistake: y z <= 0.

    The count is broken off as soon as it reaches `limit`. It goes through the rows in their own order, so that equal
    mistakes give equal sums.
    """
    k = -1 if pocket.together else p
    error = 0.0
    for i in range(row_count(X)):
        c = pocket.c[i]
        pocket.spent[1] += b.shape[0] if k < 0 else 1
        if not _margin(X, i, c, W, b, k) > 0.0:
            error += weight_at(pocket.weight, i) * (weight_at(pocket.own, i) if k < 0 or c == k else 1.0)
            if error >= limit:
                break
    return error


@njit(cache=True, nogil=True)
def judge(X: Any, pocket: Any, visit: int, p: int) -> None:
    """Put the vector in play into pocket p if its clean run up to `visit` beats the run of the one there, and its
    error the error.

    Each vector is judged at most once: while it stays in play its run grows but its error does not change.
    """
    run = visit - pocket.since[p] - 1
    if run <= pocket.run[p] or pocket.judged[p] == REJECTED:
        return
    if pocket.judged[p] == KEPT:
        pocket.run[p] = run
        return
    pocket.spent[0] += 1
    error = pocket_error(X, pocket, pocket.W, pocket.b, p, pocket.error[p])
    if not error < pocket.error[p]:
        pocket.judged[p] = REJECTED
        return
    pocket.judged[p] = KEPT
    pocket.run[p] = run
    pocket.error[p] = error
    if pocket.together:
        pocket.kept[:] = pocket.W
        pocket.kept_b[:] = pocket.b
    else:
        pocket.kept[p] = pocket.W[p]
        pocket.kept_b[p] = pocket.b[p]


@overload(before_update)
def _before_update(watch: Any, X: Any, visit: Any, k: Any) -> Callable[..., Any] | None:
    def end_of_run(watch: Any, X: Any, visit: Any, k: Any) -> None:
        p = 0 if watch.together else k
        judge(X, watch, visit, p)
        watch.since[p] = visit
        watch.judged[p] = NOT_YET

    return end_of_run if getattr(watch, "instance_class", None) is Pocket else None


@njit(cache=True, nogil=True)
def judge_all(X: Any, pocket: Any, visit: int) -> None:
    """Judge the vectors still in play after the visits counted by `visit`, so that the pocket is up to date."""
    for p in range(pocket.error.shape[0]):
        judge(X, pocket, visit, p)


@njit(cache=True, nogil=True)
def open_pocket(X: Any, pocket: Any, visit: int) -> None:
    """Judge the vectors kept on these rows, which may be new to them; those in play begin their runs at `visit`."""
    for p in range(pocket.error.shape[0]):
        pocket.error[p] = pocket_error(X, pocket, pocket.kept, pocket.kept_b, p, np.inf)
        pocket.since[p] = visit - 1
        pocket.judged[p] = NOT_YET
