"""HiGHS, on one thread and silent: linear programmes in floating point, whose answers are guesses.

All of linsep makes its HiGHS objects here.
"""

from __future__ import annotations

from typing import Any

from linsep.theory.rows.deadline import Deadline, OutOfTimeError, time_left
from linsep.types import Array


def quiet_highs(*, tolerance: float | None = None, presolve: bool = True) -> Any:
    """Return an empty programme that writes nothing.

    Parameters
    ----------
    tolerance : float, optional
        Up to which a programme and its dual are solved.
    presolve : bool

    Examples
    --------
    >>> quiet_highs(presolve=False).getOptionValue("output_flag")[1]
    False
    """
    import highspy  # only where a linear programme is asked

    # Its base is the class of C++. From 1.16 on the class of Python writes a banner on descriptor 1 while it is made,
    # before any option can be set: it turns callbacks on, of which linsep needs none.
    make: Any = highspy.Highs.__base__
    highs = make()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("threads", 1)
    if not presolve:
        highs.setOptionValue("presolve", "off")
    if tolerance is not None:
        highs.setOptionValue("primal_feasibility_tolerance", tolerance)
        highs.setOptionValue("dual_feasibility_tolerance", tolerance)
    return highs


def pass_columns(highs: Any, table: Any, cost: Array, low: Array, high: Array, sides: Array) -> None:
    """Set the programme: least cost.x with low <= x <= high and table @ x = sides, for a table of sparse columns."""
    import highspy

    make: Any = highspy.HighsLp  # its constructor carries no types
    programme = make()
    programme.num_row_, programme.num_col_ = table.shape
    programme.col_cost_, programme.col_lower_, programme.col_upper_ = cost, low, high
    programme.row_lower_ = programme.row_upper_ = sides
    programme.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    programme.a_matrix_.start_, programme.a_matrix_.index_ = table.indptr, table.indices
    programme.a_matrix_.value_ = table.data
    highs.passModel(programme)


def reaches_optimum(highs: Any, deadline: Deadline) -> bool:
    """Solve the programme, from the last solution on; say whether HiGHS calls what it found optimal.

    Raises
    ------
    OutOfTimeError

    Examples
    --------
    >>> from linsep.theory.rows.deadline import NEVER
    >>> highs = quiet_highs()
    >>> _ = highs.addVar(2.0, 3.0)
    >>> reaches_optimum(highs, NEVER), highs.getSolution().col_value
    (True, [2.0])
    """
    highs.setOptionValue("time_limit", highs.getRunTime() + min(time_left(deadline), 1e6))
    highs.run()
    status = highs.getModelStatus().name
    if status == "kTimeLimit":
        raise OutOfTimeError
    return bool(status == "kOptimal")
