"""The direction that separates the most rows, as a linear programme of HiGHS finds it in floating point: a guess.

max sum u1 with Z'(u1 + u2) = 0, 0 <= u1 <= 1, u2 >= 0, and any weights on equalities. Where a row is left, u1 + u2 >= 1
at the optimum, where one is separated both are 0; the multipliers of the columns are a direction with z.d >= 1 there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from linsep.theory.rows.deadline import Deadline
from linsep.theory.rows.linear_programme import pass_columns, quiet_highs, reaches_optimum
from linsep.types import Array


def largest_direction(Z: Any, equal: Array, deadline: Deadline) -> Array | None:
    """Return the direction, or None if HiGHS finds none.

    Parameters
    ----------
    Z : CSR matrix of doubles, shape (n, p)
    equal : ndarray of bool, shape (n,)
    deadline : Deadline

    Examples
    --------
    >>> from linsep.theory.rows.deadline import NEVER
    >>> Z = sp.csr_matrix([[1.0, 0], [-1, 0], [1, 1]])
    >>> largest_direction(Z, np.zeros(3, dtype=bool), NEVER).tolist()
    [0.0, 1.0]
    """
    free, held = np.flatnonzero(~equal), np.flatnonzero(equal)
    columns = sp.csc_matrix(Z.T)
    table: Any = sp.hstack([columns[:, free], columns[:, free], columns[:, held]], format="csc")
    highs, k = quiet_highs(), free.size
    cost = np.repeat([-1.0, 0.0], [k, k + held.size])
    low = np.repeat([0.0, -np.inf], [2 * k, held.size])
    high = np.repeat([1.0, np.inf], [k, k + held.size])
    pass_columns(highs, table, cost, low, high, np.zeros(table.shape[0]))
    if not reaches_optimum(highs, deadline):
        return None
    return -np.array(highs.getSolution().row_dual)
