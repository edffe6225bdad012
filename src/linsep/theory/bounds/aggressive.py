"""How many mistakes a passive-aggressive learner can make."""

from __future__ import annotations

from typing import Any

from linsep.theory.bounds.mistakes import plane_on_rows, unless, why_no_bound
from linsep.theory.bounds.shortfall import of_aggressive_steps
from linsep.theory.bounds.table import MistakeBounds
from linsep.types import DataError


def aggressive_bounds(
    X: Any,
    y: Any,
    w: Any,
    b: float = 0.0,
    *,
    variant: str = "pa1",
    C: float = 1.0,
    fit_intercept: bool = True,
    intercept_scaling: float = 1.0,
    mistakes: int | None = None,
    epochs: int = 1,
    from_zero: bool = True,
    weighted: bool = False,
) -> MistakeBounds:
    """R^2 ||u||^2 and what losses of u add: the bound on the mistakes of a passive-aggressive learner, at one plane.

    With l_i(u) = max(0, 1 - y_i u.x_i), in T passes from w = 0 over rows of R = max ||x_i||:

    - pa: R^2 ||u||^2, if no l_i(u) is above 0. At the best multiple of (w, b) that is Novikoff's (R / gamma)^2;
    - pa1: max(R^2, 1/C) (||u||^2 + 2 C T sum l_i(u));
    - pa2: (R^2 + 1/(2 C)) (||u||^2 + 2 C T sum l_i(u)^2).

    For pa1 and pa2 the least over multiples u of (w, b) is taken, on a grid; no separator is needed. With an intercept
    read (x, c), (w, b/c) and R^2 + c^2, c = `intercept_scaling`. The proofs are on the page theory/margin. Values are
    rounded up, as in `mistake_bounds`.

    Parameters
    ----------
    X : array or SciPy CSR matrix of shape (n_samples, n_features)
        The rows of the run.
    y : array-like of shape (n_samples,)
        Two labels; the second in sorted order is the positive class.
    w : array-like of shape (n_features,)
        The plane at which the bound is evaluated, of any length.
    b : float, default=0.0
        Its intercept.
    variant : {"pa", "pa1", "pa2"}, default="pa1"
        The rule for steps, as in `PassiveAggressive`.
    C : float, default=1.0
        Aggressiveness of "pa1" and "pa2".
    fit_intercept : bool, default=True
        Whether the run learns an intercept.
    intercept_scaling : float, default=1.0
        c, the constant feature of the run.
    mistakes : int, optional
        How many mistakes the run made; shown in the table.
    epochs : int, default=1
        T, the number of passes.
    from_zero : bool, default=True
        Whether the run started from w = 0; if not, no bound applies.
    weighted : bool, default=False
        Whether the run used weights, decay or projections; if so, no bound applies.

    Returns
    -------
    MistakeBounds
        A table of one bound, named as the variant.

    Raises
    ------
    DataError
        The variant is not known, or C is not above 0; else as `mistake_bounds`.

    References
    ----------
    Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006, JMLR 7, theorems 2, 4 and 5.

    Examples
    --------
    >>> X, y = [[1.0], [-1.0], [-1.0]], [1, 0, 1]
    >>> round(aggressive_bounds(X, y, [1.0], C=0.5, fit_intercept=False).get("pa1").value, 1)
    5.5
    """
    check_rule(variant, C)
    plane = plane_on_rows(X, y, w, b, fit_intercept=fit_intercept, intercept_scaling=intercept_scaling)
    rows = [of_aggressive_steps(plane.u, variant, float(C), epochs, f"R^2{plane.constant}")]
    return MistakeBounds(tuple(unless(why_no_bound(plane.u, from_zero, weighted), rows)), mistakes, epochs)


def check_rule(variant: str | None, C: float) -> None:
    """Raise unless there are bounds for this rule."""
    if variant not in (None, "pa", "pa1", "pa2"):
        raise DataError(f'the variant is "pa", "pa1" or "pa2", not {variant!r}')
    if not C > 0:
        raise DataError(f"C must be above 0, got {C!r}")
