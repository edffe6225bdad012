"""The pocket of a perceptron: the best vector so far, judged on all rows.

Source: Gallant 1990 (IEEE Transactions on Neural Networks 1), the pocket algorithm with ratchet: as soon as the run of
rows without a mistake of a vector is longer than the run that came with the one in the pocket, it takes its place if it
makes fewer mistakes on all rows. Here a mistake weighs what its row weighs, and a vector is judged at the end of its
run or of an epoch instead of at every row, so that its mistakes are counted once. The pocket is the same: its error
changes with the vector in it alone, and a vector that takes its place has a run longer by exactly one row at that
moment.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from linsep.kernels.compiled import by_type, inner, uncounted
from linsep.kernels.optional import before_update, weight_at
from linsep.kernels.rows import row_count, row_dot
from linsep.passes import SPENT
from linsep.types import Array


class Pocket(NamedTuple):
    """What a pass tells of each update (see `before_update`) and what is kept between updates.

    The vectors in play are the rows of `W` (n_planes, n_features) with `b`; those kept are `kept` and `kept_b`. Each
    plane has a pocket of its own, unless `together`: then all of `W` is one vector. `c[i]` is the class of row i, and a
    plane k is right about it if its sign is + for c[i] = k and - otherwise (with two classes the one plane is 0 and
    the other class -1); `weight` and `own` are as in `Rows`.

    For each pocket: `error` of the vector kept and the `run` it had when it was put there, `since` the visit of the
    update that made the vector in play, and whether that was already `judged`. `spent` (2,) counts vectors judged and
    the dot products that took, in the columns `SPENT`.
    """

    W: Array
    b: Array
    kept: Array
    kept_b: Array
    c: Array
    weight: Array
    own: Array
    together: bool
    error: Array
    run: Array
    since: Array
    judged: Array
    spent: Array


@inner(cache=True, nogil=True)
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


@inner(cache=True, nogil=True)
def _error_of(X: Any, pocket: Any, W: Any, b: Any, p: int, limit: float) -> Any:
    """Sum of the weights of the rows on which plane p of (W, b), or all of W, makes a mistake: y z <= 0.

    The sum stops as soon as it reaches `limit`. It goes through the rows in their own order, so that equal mistakes
    give equal sums. Changes `pocket.spent`.
    """
    k = -1 if pocket.together else p
    error = 0.0
    for i in range(row_count(X)):
        c = pocket.c[i]
        pocket.spent[SPENT.dots] += b.shape[0] if k < 0 else 1
        if not _margin(X, i, c, W, b, k) > 0.0:
            error += weight_at(pocket.weight, i) * (weight_at(pocket.own, i) if k < 0 or c == k else 1.0)
            if error >= limit:
                break
    return error


@uncounted(cache=True, nogil=True)
def judge(X: Any, pocket: Any, visit: int, p: int) -> None:
    """kept_p <- the vector in play if its run up to `visit` is longer and its error less than those of kept_p.

    Each vector is judged at most once: while it stays in play its run grows but its error does not change. Changes
    `pocket`.
    """
    if visit - pocket.since[p] - 1 <= pocket.run[p] or pocket.judged[p]:
        return
    pocket.judged[p] = True
    pocket.spent[SPENT.vectors] += 1
    error = _error_of(X, pocket, pocket.W, pocket.b, p, pocket.error[p])
    if not error < pocket.error[p]:
        return
    pocket.run[p] += 1
    pocket.error[p] = error
    # Entry by entry: an array assigned to an array has its shape checked, with a message that takes seconds to compile.
    first, last = (0, pocket.b.shape[0]) if pocket.together else (p, p + 1)
    for k in range(first, last):
        for j in range(pocket.W.shape[1]):
            pocket.kept[k, j] = pocket.W[k, j]
        pocket.kept_b[k] = pocket.b[k]


@by_type(more_of=before_update)
def _before_update(watch: Any, X: Any, visit: Any, k: Any) -> Callable[..., Any] | None:
    def end_of_run(watch: Any, X: Any, visit: Any, k: Any) -> None:
        p = 0 if watch.together else k
        judge(X, watch, visit, p)
        watch.since[p] = visit
        watch.judged[p] = False

    return end_of_run if getattr(watch, "instance_class", None) is Pocket else None


@uncounted(cache=True, nogil=True)
def judge_all(X: Any, pocket: Any, visit: int) -> None:
    """Judge the vectors still in play after `visit` visits, so that the pockets are up to date. Changes `pocket`."""
    for p in range(pocket.error.shape[0]):
        judge(X, pocket, visit, p)


@uncounted(cache=True, nogil=True)
def open_pocket(X: Any, pocket: Any, visit: int) -> None:
    """Judge the vectors kept, on rows that may be new; runs of those in play begin at `visit`. Changes `pocket`."""
    for p in range(pocket.error.shape[0]):
        pocket.error[p] = _error_of(X, pocket, pocket.kept, pocket.kept_b, p, np.inf)
        pocket.since[p] = visit - 1
        pocket.judged[p] = False
