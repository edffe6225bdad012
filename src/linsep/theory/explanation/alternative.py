"""Witnesses that cost little: vertices of {u >= 0, Z'u = 0, sum u = 1}, by a linear programme in floating point.

The supports of these vertices are the smallest sets of rows that no hyperplane separates (Gleeson and Ryan 1990). With
costs c the least c.u is at such a vertex. Its multipliers d and t have d.z_i + c_i >= t for all rows: where t > 0 the
rows that cost nothing are separable, by d.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from linsep.tables import bounded_doubles
from linsep.theory.explanation.removal import largest_of_columns, with_constant
from linsep.theory.rows.deadline import Deadline
from linsep.theory.rows.linear_programme import pass_columns, quiet_highs, reaches_optimum
from linsep.types import Array

_NONE = 1e-9  # weights up to this are taken for 0


class Vertex(NamedTuple):
    """Rows of a vertex, in ascending order (none if every direction has a row on the wrong side), and a direction."""

    rows: list[int]
    direction: Array


class Alternative:
    """The programme of some rows, asked with one cost after the other.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, p)
    s : ndarray of shape (n,)
        1 or -1.
    constant : bool

    Examples
    --------
    >>> from linsep.theory.rows.deadline import NEVER
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> Alternative(X, np.array([-1.0, 1, -1, 1]), constant=True).cheapest(np.array([0, 0, 0, 1.0]), NEVER).rows
    [0, 1, 2]
    """

    def __init__(self, X: Any, s: Array, *, constant: bool) -> None:
        A: Any = sp.csr_matrix(bounded_doubles(X))
        self.p, self.width = A.shape[1], A.shape[1] + constant
        self.scale = np.append(largest_of_columns(A), np.ones(int(constant)))
        Z: Any = sp.csr_matrix(sp.diags_array(s) @ with_constant(A, constant) @ sp.diags_array(1 / self.scale))
        length = np.sqrt(np.asarray(Z.multiply(Z).sum(axis=1))).ravel()
        self.length = np.where(length > 0, length, 1.0)
        ones = sp.csr_matrix(np.ones((1, Z.shape[0])))
        table = sp.csc_matrix(sp.vstack([(sp.diags_array(1 / self.length) @ Z).T, ones]))
        self.highs, none = quiet_highs(presolve=False), np.zeros(table.shape[1])
        pass_columns(self.highs, table, none, none, none + np.inf, np.append(np.zeros(self.width), 1.0))

    def cheapest(self, cost: Array, deadline: Deadline) -> Vertex | None:
        """The vertex of least cost, and a direction for the rows that cost nothing; None if HiGHS finds none.

        Raises
        ------
        OutOfTimeError
        """
        self.highs.changeColsCost(cost.size, np.arange(cost.size, dtype=np.int32), cost / self.length)
        if not reaches_optimum(self.highs, deadline):
            return None
        found = self.highs.getSolution()
        rows = np.flatnonzero(np.array(found.col_value) > _NONE).tolist()
        return Vertex(rows, -np.array(found.row_dual)[: self.width] / self.scale)
