"""How many mistakes a kernel perceptron can make, if it keeps all its rows or at most a budget of them.

In every bound g is any function in the space of the kernel, `norm` is ||g||, and `loss` is the sum of its hinge losses
max(0, 1 - y_t g(x_t)) over the rows in the order in which the run visited them. All bounds hold for any rows in any
order, for unit steps from zero. `kernel_bounds` returns those of a run that kept all its rows.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from linsep.theory.bounds.mistakes import bounds_of_margins
from linsep.theory.bounds.rounding import safely, short_sums
from linsep.theory.bounds.table import Bound, MistakeBounds
from linsep.types import DataError


def projection_bound(norm: float, loss: float, *, norm_w: float, distance: float = 0.0) -> float:
    """M <= loss + ||g|| (||w|| + distance), for a run that ended with ||w||.

    An update adds y P k(x, .), where P is the projection on the span of the rows kept (the identity if all rows are
    kept), and delta is the distance of k(x, .) from that span. So w.g = sum y (P k).g >= sum (1 - loss_t - ||g||
    delta_t), and w.g <= ||w|| ||g||. The value is rounded up.

    Parameters
    ----------
    norm : float
        ||g||.
    loss : float
        The sum of the hinge losses of g.
    norm_w : float
        ||w|| at the end.
    distance : float
        sum of delta over the updates.

    Returns
    -------
    float
        The bound on M.

    Raises
    ------
    DataError
        `norm` or `loss` is negative.

    References
    ----------
    The updates are those of F. Orabona, J. Keshet and B. Caputo, Bounded kernel-based online learning (Projectron),
    JMLR 10 (2009); the proof is above.

    Examples
    --------
    >>> projection_bound(2.0, 1.0, norm_w=3.0, distance=0.5)
    8.0
    """
    if not (norm >= 0 and loss >= 0):
        raise DataError(f"a norm and a sum of hinge losses are at least 0, got {norm} and {loss}")
    return safely(lambda: Fraction(loss) + Fraction(norm) * (Fraction(norm_w) + Fraction(distance)))


def kernel_bounds(
    margins: Any, norm: float, R: float, *, norm_w: float, epochs: int = 1, mistakes: int | None = None
) -> MistakeBounds:
    """(R/gamma)^2 and the other bounds on the mistakes of a kernel perceptron without a budget, at one function g.

    With m_i = y_i g(x_i), gamma = min_i m_i / ||g|| and R^2 an upper bound on every k(x_i, x_i):

    - novikoff: (R / gamma)^2, for any number of passes, if every m_i > 0;
    - freund-schapire and hinge loss: as in `mistake_bounds`, for the first pass and for all;
    - this run: min over c >= 0 of T sum_i max(0, 1 - c m_i) + c ||g|| ||w||, for T passes that ended with ||w||:
      `projection_bound` at c g. It needs no separator, but is known only after the run.

    Values are rounded up. What is given is taken as it is: kernel values have rounding of their own.

    Parameters
    ----------
    margins : array-like of shape (n_samples,)
        The m_i.
    norm : float
        ||g||.
    R : float
        R, the square root of an upper bound on every k(x_i, x_i).
    norm_w : float
        ||w|| at the end of the run.
    epochs : int, default=1
        T, the number of passes.
    mistakes : int, optional
        How many mistakes the run made; shown in the table.

    Returns
    -------
    MistakeBounds
        The table of bounds.

    Raises
    ------
    DataError
        There are no rows.

    Examples
    --------
    >>> found = kernel_bounds([1.0, 2.0], norm=1.0, R=3.0, norm_w=2.0)
    >>> found.get("novikoff").value, found.get("this run").value
    (9.0, 1.5)
    """
    rows = bounds_of_margins(margins, norm, R, epochs)
    m = np.sort(np.asarray(margins, dtype=np.float64))
    # Convex and piecewise linear in c: least at 0 or where the loss of a row ends, 1 / m_i.
    first = int(np.searchsorted(m, 0.0, side="right"))
    with np.errstate(over="ignore", invalid="ignore"):
        c = 1.0 / m[first:]
        losses = np.arange(first, len(m)) - c * np.concatenate([[0.0], np.cumsum(m)])[first:-1]
        values = epochs * np.maximum(losses, 0.0) + c * float(norm) * float(norm_w)
    least = float(epochs * len(m))
    if np.isfinite(values).any():
        s = float(m[first + int(np.nanargmin(values))])
        lengths = Fraction(float(norm)), Fraction(float(norm_w))
        least = min(least, safely(lambda: epochs * short_sums(m, s)[0] + math.prod(lengths) / Fraction(s)))
    formula = "min over c of T sum max(0, 1 - c m) + c ||g|| ||w||"
    return MistakeBounds((*rows, Bound("this run", least, True, "", formula)), mistakes, epochs)
