"""A first bracket of the best margin, from a separator that was found for another reason."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from linsep.theory.margin.max_margin import MarginBracket
from linsep.types import Array, Hyperplane


def first_bracket(X: Any, s: Array, plane: Hyperplane, fit_intercept: bool) -> MarginBracket | None:
    """The margin of a plane, and half the distance of the class means, above it; None where doubles hold neither."""
    if plane.w.dtype == object or X.dtype == object:
        return None
    plus = s > 0
    share = np.where(plus, 0.5 / plus.sum(), 0.5 / (~plus).sum()) if fit_intercept else np.full(s.size, 1 / s.size)
    doubles = X.astype(np.float64, copy=False)
    # BLAS scales a norm as it goes: squares of tiny or huge entries would leave the range of doubles.
    upper = float(scipy.linalg.norm((share * s) @ doubles))
    with np.errstate(over="ignore", invalid="ignore"):
        lower = float((s * (doubles @ plane.w + plane.b)).min() / scipy.linalg.norm(plane.w))
    if not 0 < lower <= upper < np.inf:
        return None
    return MarginBracket(lower, upper, plane, dict(enumerate(share.tolist())), "free" if fit_intercept else None)
