"""The direction that separates the most rows, as a linear programme of HiGHS finds it in floating point: a guess.

max sum u1 with Z'(u1 + u2) = 0, 0 <= u1 <= 1, u2 >= 0, and any weights on equalities. Where a row is left, u1 + u2 >= 1
at the optimum, where one is separated both are 0; the multipliers of the columns are a direction with z.d >= 1 there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from linsep.theory.rows.deadline import Deadline, OutOfTimeError, time_left
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
    import highspy  # only where a linear programme is asked

    free, held = np.flatnonzero(~equal), np.flatnonzero(equal)
    columns = sp.csc_matrix(Z.T)
    table: Any = sp.hstack([columns[:, free], columns[:, free], columns[:, held]], format="csc")
    make: Any = highspy.Highs  # its constructors carry no types
    programme_of: Any = highspy.HighsLp
    highs = make()
    for option, value in (("output_flag", False), ("threads", 1)):
        highs.setOptionValue(option, value)
    highs.setOptionValue("time_limit", time_left(deadline))
    programme = programme_of()
    infinity, k = highspy.kHighsInf, free.size
    programme.num_row_, programme.num_col_ = table.shape
    programme.col_cost_ = np.repeat([-1.0, 0.0], [k, k + held.size])
    programme.col_lower_ = np.repeat([0.0, -infinity], [2 * k, held.size])
    programme.col_upper_ = np.repeat([1.0, infinity], [k, k + held.size])
    programme.row_lower_ = programme.row_upper_ = np.zeros(table.shape[0])
    programme.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    programme.a_matrix_.start_, programme.a_matrix_.index_ = table.indptr, table.indices
    programme.a_matrix_.value_ = table.data
    highs.passModel(programme)
    highs.run()
    if highs.getModelStatus() == highspy.HighsModelStatus.kTimeLimit:
        raise OutOfTimeError
    if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    return -np.array(highs.getSolution().row_dual)
