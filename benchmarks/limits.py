"""Plain work beside what is timed: reads, gathers and products, nothing learnt."""

from __future__ import annotations

import threading
from statistics import median
from typing import Any

import numba
import numpy as np

from benchmarks.timing import Work, in_turn
from linsep.kernels.compiled import uncounted
from linsep.kernels.optional import row_at
from linsep.kernels.prefetch import fetch_ahead, rows_ahead
from linsep.kernels.rows import are_ones, row_axpy, row_count, row_dot
from linsep.learners.base.loop import shuffled_order
from linsep.passes import NO_ORDER
from linsep.types import CSR, OnesCSR


@numba.njit(fastmath=True, nogil=True)
def read_all(X: Any) -> Any:
    """One plain read of a dense X."""
    s = X[0, 0]
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            s += X[i, j]
    return s


@numba.njit(fastmath=True, nogil=True)
def gather_all(data: Any, indices: Any, indptr: Any, w: Any) -> Any:
    """w.x of every sparse row, summed."""
    s = w[0]
    for i in range(indptr.shape[0] - 1):
        for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            s += data[k] * w[np.uint64(indices[k])]
    return s


@numba.njit(fastmath=True, nogil=True)
def gather_classes(data: Any, indices: Any, indptr: Any, W: Any, z: Any) -> None:
    """z = sum of W x over the sparse rows; W[j] holds the weights of feature j, one a class."""
    for i in range(indptr.shape[0] - 1):
        for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            j = np.uint64(indices[k])
            for c in range(np.uint64(z.shape[0])):
                z[c] += data[k] * W[j, c]


@uncounted(fastmath=True)
def multiply_all(X: Any, order: Any, bounds: Any, w: Any, others: Any) -> Any:
    """w.x of every row in this order, asked of memory ahead as where something is learnt; rows below bounds are added.

    As in a learner, nothing is known of the next product until this one has decided whether its row is added.
    """
    ahead, s = rows_ahead(X, order), 0.0
    for t in range(row_count(X)):
        if ahead > 0:
            fetch_ahead(X, bounds, order, t, ahead)
        i = row_at(order, t)
        z = row_dot(X, i, w)
        s += z
        if z < bounds[i]:
            row_axpy(X, i, 1e-9, w)
            for k in range(others.shape[0]):
                row_axpy(X, i, 1e-9, others[k])
    return s


@numba.njit
def compare_all(bounds: Any, moved: float, passes: int) -> int:
    """One comparison a row and pass, what a skipped row costs at least."""
    below = 0
    for _ in range(passes):
        for bound in bounds:
            below += moved < bound
        moved += below * 1e-300  # each pass depends on the one before, or the compiler would make only one
    return below


def reads(X: Any, passes: int) -> Work:
    """Read all of X so many times."""

    def work() -> None:
        for _ in range(passes):
            read_all(X)

    return work


def multiply_adds(X: Any, n_classes: int, passes: int) -> Work:
    """As many multiply-adds as the passes cost, in one BLAS product large enough to go at full speed.

    The product of X with a few vectors would not do: BLAS is slower there than the passes themselves.
    """
    rows = X[: len(X) // passes]
    W = np.ones((X.shape[1], n_classes * passes * passes), X.dtype)
    return lambda: rows @ W


def products(X: Any, passes: int, share: float, n_vectors: int, *, shuffle: bool = True) -> Work:
    """The products of all rows, in as many orders as passes, each of which decides whether its row is added to vectors.

    A share of the rows, drawn at random, is added in every pass. Entries that are all 1 are not read.
    """
    rows: Any = X if isinstance(X, np.ndarray) else CSR(X.data, X.indices, X.indptr)
    if isinstance(rows, CSR) and are_ones(rows.data):
        rows = OnesCSR(rows.indices, rows.indptr)
    rng = np.random.RandomState(0)
    orders = [shuffled_order(X.shape[0], rng) if shuffle else NO_ORDER for _ in range(passes)]
    bounds = np.where(rng.random_sample(X.shape[0]) < share, np.inf, -np.inf)
    w, others = np.ones(X.shape[1], X.dtype), np.ones((n_vectors - 1, X.shape[1]), X.dtype)

    def work() -> None:
        for order in orders:
            multiply_all(rows, order, bounds, w, others)

    return work


def gathers(X: Any, passes: int, n_classes: int = 1) -> Work:
    """Fetch the weights of all stored entries of a CSR matrix so many times."""
    w, W, z = np.ones(X.shape[1], X.dtype), np.ones((X.shape[1], n_classes), X.dtype), np.zeros(n_classes, X.dtype)

    def work() -> None:
        for _ in range(passes):
            if n_classes == 1:
                gather_all(X.data, X.indices, X.indptr, w)
            else:
                gather_classes(X.data, X.indices, X.indptr, W, z)

    return work


def second_core(alone: Work, *shares: Work) -> float:
    """How many times as fast the shares are in a thread each as all in one: what the machine has to give."""

    def at_once() -> None:
        threads = [threading.Thread(target=share) for share in shares]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    alone()
    one, two = map(median, in_turn([alone, at_once]))
    return one / two
