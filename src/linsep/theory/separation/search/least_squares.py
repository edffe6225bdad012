"""Least squares of a large sparse table whose rows are weighted anew each time: min |w A x - b|.

The levels of a factor are columns that share no row. Their part of x follows from the rest: it is the mean of what is
left in the rows of each level. So these columns are taken out, and LSMR (Fong and Saunders 2011) works on the others,
from which their means by level are subtracted: ten steps where thousands were needed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from linsep.theory.rows.deadline import Deadline, time_left
from linsep.types import Array

_STEPS = 2_000
_MOST = 0.1  # a column in a larger part of the rows is not taken out
_ENOUGH = 0.1  # of the columns, or none is taken out


class LeastSquares:
    """The least squares of one table.

    Parameters
    ----------
    A : CSR matrix of doubles, shape (n, p)
    deadline : Deadline

    Examples
    --------
    >>> from linsep.theory.rows.deadline import NEVER
    >>> fit = LeastSquares(sp.csr_matrix([[1.0, 0], [1, 0], [1, 1], [0, 1]]), NEVER)
    >>> fit.solve(np.ones(4), np.ones(4), 1e-12, NEVER).round(3).tolist()
    [0.8, 0.6]
    """

    def __init__(self, A: Any, deadline: Deadline) -> None:
        owner = _owners(A, deadline)
        taken = np.zeros(A.shape[1], dtype=bool)
        taken[owner[owner >= 0]] = True
        self.taken, self.others = np.flatnonzero(taken), np.flatnonzero(~taken)
        # A row has at most one entry in the columns taken out.
        self.part = sp.csr_matrix(A[:, self.taken])
        self.rest = sp.csr_matrix(A[:, self.others])
        self.width = A.shape[1]

    def solve(self, w: Array, goal: Array, tolerance: float, deadline: Deadline) -> Array:
        """The x with which w A x is nearest to the goal, to about this relative tolerance; may raise OutOfTimeError."""
        from scipy.sparse.linalg import LinearOperator, lsmr
        from threadpoolctl import threadpool_limits

        time_left(deadline)
        rest, part = _weighted(self.rest, w), _weighted(self.part, w)
        scale = np.sqrt(np.bincount(rest.indices, weights=rest.data**2, minlength=rest.shape[1]))
        scale = 1 / np.where(scale > 0, scale, 1.0)
        rest.data *= scale[rest.indices]
        turned, levels = rest.T.tocsr(), part.T.tocsr()
        sizes = np.bincount(part.indices, weights=part.data**2, minlength=len(self.taken))
        sizes = np.where(sizes > 0, sizes, 1.0)

        def left(v: Array) -> Array:
            """What the columns taken out leave of v, at best."""
            time_left(deadline)
            return np.asarray(v - part @ (levels @ v / sizes))

        operator: Any = LinearOperator(
            rest.shape, matvec=lambda x: left(rest @ x), rmatvec=lambda v: turned @ left(v), dtype=np.float64
        )
        # Threads would wait for each other in each of thousands of short vector products.
        with threadpool_limits(1, "blas"):
            found = lsmr(operator, left(goal), atol=tolerance, btol=tolerance, maxiter=_STEPS)[0]
        x = np.zeros(self.width)
        x[self.others] = scale * found
        x[self.taken] = levels @ (goal - rest @ found) / sizes
        return x


def _weighted(table: Any, w: Array) -> Any:
    """The rows times their weights."""
    values = table.data * np.repeat(w, np.diff(table.indptr))
    return sp.csr_matrix((values, table.indices, table.indptr), shape=table.shape)


def _owners(A: Any, deadline: Deadline) -> Array:
    """For each row the column that is taken out and has an entry there, or -1: the most columns of three orders."""
    from linsep.kernels.graphs.disjoint import disjoint_columns

    n, p = A.shape
    columns = A.tocsc()
    starts, rows = columns.indptr.astype(np.int64), columns.indices.astype(np.int64)
    sizes = np.diff(starts)
    short = np.flatnonzero((sizes > 0) & (sizes <= max(1, _MOST * n)))
    none = np.full(n, -1, dtype=np.int64)
    best, most = none, _ENOUGH * p
    for order in (short, short[::-1].copy(), short[np.argsort(sizes[short], kind="stable")]):
        time_left(deadline)
        owner = disjoint_columns(n, starts, rows, order)
        found = np.count_nonzero(np.bincount(owner[owner >= 0], minlength=p))
        if found > most:
            best, most = owner, found
    return best
