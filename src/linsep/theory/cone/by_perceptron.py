"""A separator by the perceptron, for tables so wide and sparse that it finds one in a few passes."""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep.clock import clock
from linsep.tables import is_sparse, rows_for_kernels
from linsep.theory.rows.deadline import NEVER, Deadline
from linsep.types import Array


def clean_pass(X: Any, s: Array, constant: bool, passes: int, deadline: Deadline = NEVER) -> Array | None:
    """Return (w, b) without a mistake on any row, b only with the `constant`; None after so many passes or too late.

    Passes end early when mistakes do not fall: half of the passes must halve them.

    Examples
    --------
    >>> clean_pass(np.array([[1.0], [3.0]]), np.array([-1.0, 1.0]), True, 50).tolist()
    [2.0, -4.0]
    """
    from linsep.kernels.linear.epoch import plain_epoch
    from linsep.kernels.optional import NO_ORDER, NO_WEIGHTS
    from linsep.kernels.steps import PerceptronStep

    table = rows_for_kernels(X if is_sparse(X) else np.ascontiguousarray(X))
    w, b, step = np.zeros(X.shape[1]), np.zeros(1), PerceptronStep(0.0)
    halved, most = 0, np.inf
    for k in range(passes):
        mistakes = plain_epoch(table, s, NO_WEIGHTS, NO_ORDER, step, w, b, float(constant), None, 0)[0]
        if mistakes == 0:
            return np.append(w, b) if constant else w
        if mistakes <= most / 2:
            halved, most = k, mistakes
        if clock() > deadline.at or k - halved > 10 + passes // 4:
            break
    return None
