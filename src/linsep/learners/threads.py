"""Passes of several classes, on one core or on more with the same result: kernels release the GIL."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from linsep.kernels.epoch import Rows
from linsep.kernels.multiclass import Classes, one_vs_rest_epoch
from linsep.kernels.optional import Mean
from linsep.kernels.rows import BLOCK
from linsep.types import Array

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


def multiply(X: Any, W: Array, n_jobs: int | None) -> Array:
    """X W, the rows of a sparse X dealt out to threads; dense products have the threads of NumPy's BLAS."""
    n_threads = count_threads(n_jobs, max(1, X.shape[0] // _ROWS_A_THREAD))
    if n_threads == 1 or isinstance(X, np.ndarray):
        return np.asarray(X @ W)
    cuts = np.linspace(0, X.shape[0], n_threads + 1).astype(int)
    with ThreadPoolExecutor(n_threads) as pool:
        return np.concatenate(list(pool.map(lambda k: X[cuts[k] : cuts[k + 1]] @ W, range(n_threads))))


def one_pass(kernel: Any, rows: Rows, W: Array, b: Array, watch: Any, step: Any, intercept: float, visit: int) -> Array:
    """Run a kernel of several classes once; return (mistakes, updates, absorbed) of all classes together."""
    model = Classes(W, b, np.zeros((BLOCK, len(b)), W.dtype), np.zeros((len(b), 3), np.int64))
    kernel(*rows, step, model, intercept, watch, visit)
    return np.asarray(model.counts.sum(axis=0))


def threaded_pass(
    n_threads: int, rows: Rows, W: Array, b: Array, watch: Mean | None, step: Any, intercept: float, visit: int
) -> Array:
    """`one_pass` of `one_vs_rest_epoch` with the classes dealt out to threads: no class looks at another."""

    def run(part: Array) -> Array:
        a, z = int(part[0]), int(part[-1]) + 1
        mean = None if watch is None else Mean(_own(watch.u[a:z]), watch.u_b[a:z])
        own = _own(W[a:z])
        counts = one_pass(one_vs_rest_epoch, rows._replace(y=rows.y - a), own, b[a:z], mean, step, intercept, visit)
        if own.base is None:
            W[a:z] = own
            if watch is not None and mean is not None:
                watch.u[a:z] = mean.u
        return counts

    parts = np.array_split(np.arange(len(b)), n_threads)
    with ThreadPoolExecutor(n_threads) as pool:
        return np.asarray(sum(pool.map(run, parts)))


def _own(part: Array) -> Array:
    """Rows of a row-major matrix as they are; those of a column-major one as a matrix of its own."""
    return part if part.flags.c_contiguous else part.copy(order="F")
