"""Passes of several classes, on one core or on more with the same result: kernels release the GIL."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from itertools import pairwise, repeat
from typing import Any

import numpy as np

from linsep.learners.engine.few_rows import are_few, few_scores
from linsep.passes import PER_CLASS, RECORD, Mean, Rows
from linsep.types import Array

_COUNTED = [RECORD.mistakes, RECORD.updates, RECORD.absorbed]
_NORMS = [RECORD.norm_w, RECORD.b]
# Rows below which a thread costs more than it saves.
_ROWS_A_THREAD = 1000


def count_threads(n_jobs: int | None, most: int) -> int:
    """Threads that `n_jobs` asks for, as in joblib: None is 1, -1 all cores, -2 all but one; at most `most`.

    Examples
    --------
    >>> count_threads(None, 10), count_threads(3, 2)
    (1, 2)
    """
    if n_jobs is None:
        return 1
    if n_jobs == 0:
        raise ValueError("n_jobs must not be 0: give the number of threads, -1 for all cores, None for one")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(most, n_jobs if n_jobs > 0 else cores + 1 + n_jobs))


def scores(X: Any, W: Array, b: Array, n_jobs: int | None) -> tuple[Array, bool]:
    """Z = X W + b for W (n_features, n_planes), and whether its sum is finite. The rows are divided among threads."""
    if are_few(X, W):
        Z = few_scores(X, W) + b
        return Z, bool(np.isfinite(Z.sum()))
    from linsep.kernels.linear.sums import product, products, side_by_side, times

    n_threads = count_threads(n_jobs, max(1, X.shape[0] // _ROWS_A_THREAD))
    Z = np.empty((X.shape[0], W.shape[1]), np.result_type(X.dtype, W.dtype, b.dtype))
    dense = isinstance(X, np.ndarray)
    planes = side_by_side(W.T) if dense else np.ascontiguousarray(W).T
    cuts = np.linspace(0, X.shape[0], n_threads + 1).astype(int)

    def one_share(k: int) -> bool:
        first, last = cuts[k], cuts[k + 1]
        if not dense:
            products(X.data, X.indices, X.indptr[first : last + 1], planes, Z[first:last])
        elif len(planes) > 1:
            product(X[first:last], planes, Z[first:last])
        else:
            Z[first:last, 0] = times(X[first:last], planes[0])
        with np.errstate(over="ignore", invalid="ignore"):
            Z[first:last] += b
            return bool(np.isfinite(Z[first:last].sum()))

    if n_threads == 1:
        return Z, one_share(0)
    with ThreadPoolExecutor(n_threads) as pool:
        return Z, all(list(pool.map(one_share, range(n_threads))))


def passes_of_many(
    rows: Rows,
    weights: tuple[Array, Array],
    watch: Any,
    rule: tuple[Any, float],
    visits: int,
    record: Array,
    together: bool,
    n_jobs: int | None,
) -> int:
    """Make up to len(record) passes of several classes, stopping after one without an update; return the number made.

    `weights` are (W, b), `rule` is (step rule, c^2 of the constant feature or 0.0 without an intercept), `visits` the
    visits made before. `together` moves two classes at each mistake, otherwise each class is learnt against the rest.
    Changes `weights`, `watch` and `record`.
    """
    from linsep.kernels.linear.epoch import bits_in_use, squared_norm
    from linsep.kernels.linear.multiclass import multiclass_epoch, one_vs_rest_epoch

    W, b = weights
    n = len(rows.y)
    # A log holds the updates of all classes in one order, so one thread keeps it.
    alone = together or not isinstance(watch, Mean | None)
    # A sparse row reads cache lines of weights, about 16 classes each: smaller shares gain nothing.
    shares = len(b) if isinstance(rows.X, np.ndarray) else max(1, len(b) // 16)
    n_threads = 1 if alone else count_threads(n_jobs, shares)
    kernel = multiclass_epoch if together else one_vs_rest_epoch
    passes: AbstractContextManager[Callable[[int], Array]] = (
        threaded_passes(n_threads, rows, W, b, watch, *rule)
        if n_threads > 1
        else nullcontext(partial(one_pass, kernel, rows, W, b, watch, *rule))
    )
    with passes as make_pass:
        for e in range(len(record)):
            record[e, _COUNTED] = make_pass(visits + e * n)
            record[e, RECORD.dots] = n * len(b)
            entries = W.ravel(order="K")  # a view; a copy of a wide W would cost as much as the pass
            record[e, RECORD.bits] = bits_in_use(entries)
            record[e, _NORMS] = np.sqrt([squared_norm(entries), squared_norm(b)])
            if record[e, RECORD.updates] == 0:
                return e + 1
    return len(record)


def one_pass(kernel: Any, rows: Rows, W: Array, b: Array, watch: Any, step: Any, intercept: float, visit: int) -> Array:
    """Run a kernel of several classes once; return (mistakes, updates, absorbed) of all classes together."""
    from linsep.kernels.linear.multiclass import Classes
    from linsep.kernels.rows import BLOCK

    model = Classes(W, b, np.zeros((BLOCK, len(b)), W.dtype), np.zeros((len(b), len(PER_CLASS)), np.int64))
    kernel(*rows, step, model, intercept, watch, visit)
    return np.asarray(model.counts.sum(axis=0))


@contextmanager
def threaded_passes(
    n_threads: int, rows: Rows, W: Array, b: Array, watch: Mean | None, step: Any, intercept: float
) -> Iterator[Callable[[int], Array]]:
    """Give `one_pass` of `one_vs_rest_epoch` with the classes dealt out to threads: no class looks at another.

    `W`, `b` and `watch` are up to date after each pass.
    """
    from linsep.kernels.linear.multiclass import one_vs_rest_epoch
    from linsep.kernels.memory import LINE

    # Where classes stand side by side, about a line of memory each: threads that write to one line wait for it.
    unit = 1 if W.flags.c_contiguous else LINE // W.itemsize
    cuts = np.minimum(np.linspace(0, len(b) / unit, n_threads + 1).round() * unit, len(b)).astype(int)
    cuts[-1] = len(b)
    shares = []
    for a, z in pairwise(cuts.tolist()):
        if a < z:
            mean = None if watch is None else Mean(watch.u[a:z], watch.u_b[a:z])
            shares.append((rows._replace(y=rows.y - a), W[a:z], b[a:z], mean))

    def one_share(share: tuple[Rows, Array, Array, Mean | None], visit: int) -> Array:
        own_rows, own, own_b, mean = share
        return one_pass(one_vs_rest_epoch, own_rows, own, own_b, mean, step, intercept, visit)

    with ThreadPoolExecutor(n_threads) as pool:
        yield lambda visit: np.asarray(sum(pool.map(one_share, shares, repeat(visit))))
