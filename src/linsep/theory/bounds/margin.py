"""An upper bound on the best margin from the length of w after a run."""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep.theory.margin.geometry import constant_of
from linsep.types import DataError


def margin_upper_bound(w: Any, b: float, n_updates: int, *, intercept_scaling: float = 1.0) -> float:
    """gamma~* <= ||(w_k, b_k/c)|| / k: an upper bound on the best homogeneous margin, after k updates of a plain run.

    A run from zero with unit steps adds the signed row (x, c) at each mistake, c = 1 unless it is given. So (w_k,
    b_k/c) / k is a convex combination of signed rows, and its length is at least the margin. It does not bound the
    geometric margin.

    Parameters
    ----------
    w : array-like of shape (n_features,)
        w_k, the weights at the end of the run.
    b : float
        b_k; 0 for a run without an intercept.
    n_updates : int
        k, the number of updates of the run.
    intercept_scaling : float, default=1.0
        c, the constant feature of the run.

    Returns
    -------
    float
        The upper bound.

    Raises
    ------
    DataError
        `n_updates` is not positive, or c is not above 0 and finite.

    Examples
    --------
    >>> margin_upper_bound([3.0, 0.0], 4.0, 10)
    0.5
    """
    if n_updates <= 0:
        raise DataError("n_updates must be at least 1: a run without updates says nothing about the margin")
    whole = np.append(np.asarray(w, dtype=np.float64), b / constant_of(intercept_scaling))
    return float(np.linalg.norm(whole)) / n_updates
