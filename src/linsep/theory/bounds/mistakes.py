"""How many mistakes a perceptron can make that starts from zero, with unit steps or passive-aggressive ones."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from linsep.tables import is_sparse
from linsep.theory.bounds.rounding import largest_square, length2, margins_below
from linsep.theory.bounds.table import (
    Bound,
    Evaluated,
    MistakeBounds,
    evaluated,
    mistakes_of,
    numbers,
    of_aggressive_steps,
    of_margin,
    of_unit_steps,
)
from linsep.theory.margin.geometry import constant_of, functional_margins, row_norms2, signs
from linsep.types import DataError


class Plane(NamedTuple):
    """A plane on the rows of a run: (w, b / c) on the rows (x, c), or w on the rows without an intercept, where c is 0.

    `norm2` is an upper bound on ||w||^2.
    """

    u: Evaluated
    norm2: Fraction | float
    b: float
    c: float


def plane_on_rows(
    X: Any, y: Any, w: Any, b: float, *, fit_intercept: bool = True, intercept_scaling: float = 1.0, margin: float = 0.0
) -> Plane:
    """Look at a plane on the rows of a run that updates where y z <= `margin`; the arguments of `mistake_bounds`."""
    if not fit_intercept and b != 0:
        raise DataError(f"b = {b:g}, but the run has no intercept: give a separator with b = 0")
    check_run(margin=margin)
    c = constant_of(intercept_scaling) if fit_intercept else 0.0
    w = np.asarray(w, dtype=np.float64)
    margins = numbers(functional_margins(X, y, w, b))  # looks at the indexes of X and y, which are gone after this
    X = X if is_sparse(X) else np.asarray(X)
    low = margins_below(X, margins, w, float(b), signs(y))
    norm2, R2 = length2(w), largest_square(X)
    whole2 = norm2 + (Fraction(float(b)) / Fraction(c)) ** 2 if c else norm2
    step2 = R2 + Fraction(c) ** 2 + 2 * Fraction(float(margin))
    # Where all computed margins are positive but not all exact ones, the exact ones tell.
    why = mistakes_of(margins) or mistakes_of(low)
    also = f", R^2 + 2m for R^2, m = {margin:g}" if margin else ""
    return Plane(Evaluated(low, whole2, step2, why, also), norm2, b, c)


def constant_in(c: float) -> str:
    """+ c^2 in formulas; nothing without an intercept."""
    return "" if not c else " + 1" if c == 1 else " + c^2"


def mistake_bounds(
    X: Any,
    y: Any,
    w: Any,
    b: float = 0.0,
    *,
    fit_intercept: bool = True,
    intercept_scaling: float = 1.0,
    mistakes: int | None = None,
    epochs: int | None = None,
    from_zero: bool = True,
    weighted: bool = False,
    margin: float = 0.0,
) -> MistakeBounds:
    """(R/gamma)^2 and other bounds on the mistakes of a perceptron, evaluated at one separator (w, b).

    With eps = min_i y_i (w.x_i + b), gamma = eps / ||w||, gamma~ = eps / ||(w, b)||, R = max_i ||x_i||:

    - novikoff: (R / gamma)^2; a run with an intercept sees (x, 1): (R^2 + 1) / gamma~^2, which is
      (R^2 + 1)(||w||^2 + b^2) / eps^2;
    - unit ball: 4 / gamma^2 when every ||x_i|| <= 1 and the plane cuts the ball, |b| <= ||w||;
    - bounded bias: 2 (R^2 + 1) / gamma^2 when |b| <= ||w|| (unit form: ||w*|| = 1, |b*| <= 1, margin gamma);
    - freund-schapire: ((R + D) / g)^2, D^2 = sum_i max(0, g - m_i)^2, with m_i the margins of the unit vector, least
      over a grid of g > 0; it needs no separator. It is about the first pass alone;
    - hinge loss: (R/(2g) + sqrt(R^2/(4g^2) + L))^2, L = sum_i max(0, 1 - m_i/g), for the first pass, too. In both, a
      run with an intercept has R^2 + 1 in the place of R^2 and ||(w, b)|| in that of ||w||;
    - freund-schapire, all passes, and hinge loss, all passes: the same for T passes, with T D^2 and T L for D^2 and L.

    For the last: let u be the unit vector, of margins m_i. A mistake on row i adds y_i x_i to w, and y_i u.x_i = m_i >=
    g (1 - l_i) with l_i = max(0, 1 - m_i/g). Each row is a mistake at most T times in T passes. So after M mistakes
    w.u >= g (M - T L). As ||w||^2 grows by R^2 at most at a mistake, w.u <= ||w|| <= R sqrt(M). From g (M - T L) <= R
    sqrt(M) follows the bound: sqrt(M) is at most the larger root of this quadratic.

    A run with `margin=m` updates where y z <= m. There ||w||^2 grows by R^2 + 2m at most, so R^2 + 2m stands in the
    place of R^2, and the bounds are about its updates, mistakes included.

    A run with `intercept_scaling=c` sees (x, c), where the separator is (w, b/c): R^2 + c^2 stands in the place of
    R^2 + 1, b/c in that of b, 2 (1 + c^2) / gamma^2 in that of 4 / gamma^2.

    All hold for any number of rows in any order. Values are rounded up: none is below that of its formula in exact
    arithmetic, at the doubles X, w and b.

    Parameters
    ----------
    X : array or SciPy CSR matrix of shape (n_samples, n_features)
        The rows of the run.
    y : array-like of shape (n_samples,)
        Two labels; the second in sorted order is the positive class, y_i = 1.
    w : array-like of shape (n_features,)
        The separator at which the bounds are evaluated, in the units of X and of any length. The wider its margin, the
        lower the bounds. It need not be the vector that the run found.
    b : float, default=0.0
        The intercept of the separator.
    fit_intercept : bool, default=True
        Whether the run learns an intercept.
    intercept_scaling : float, default=1.0
        c, the constant feature of the run.
    mistakes : int, optional
        How many mistakes the run made; shown in the table.
    epochs : int, optional
        T, how many passes the run made. The bounds on the first pass have a flag, and are `best` only if it is 1.
    from_zero : bool, default=True
        Whether the run started from w = 0; if not, no bound applies.
    weighted : bool, default=False
        Whether the run used weights, decay or projections; if so, no bound applies.
    margin : float, default=0.0
        m of a run that updates where y z <= m, as `MarginPerceptron` does. The bounds are then on its updates.

    Returns
    -------
    MistakeBounds
        The table of bounds.

    Raises
    ------
    DataError
        The shapes do not match, there are not two labels, b is not 0 although the run has no intercept, c is not
        above 0 and finite, or the margin of the run is below 0.

    References
    ----------
    A. Novikoff, On convergence proofs on perceptrons, 1962. Y. Freund and R. Schapire, Large margin classification
    using the perceptron algorithm, Machine Learning 37 (1999), theorem 2. W. Krauth and M. Mezard, Journal of Physics A
    20 (1987), for a margin. The form with hinge losses: C. Gentile, The robustness of the p-norm algorithms, Machine
    Learning 53 (2003); S. Shalev-Shwartz and Y. Singer, A new perspective on an old perceptron algorithm, COLT 2005;
    M. Mohri and A. Rostamizadeh, Perceptron mistake bounds, arXiv:1305.0208 (2013), which has both forms.

    Examples
    --------
    >>> table = mistake_bounds([[1.0, 0.0], [-1.0, 0.0]], [1, 0], [1.0, 0.0])
    >>> [(row.name, row.value) for row in table][:3], table.best.value
    ([('novikoff', 2.0), ('unit ball', 4.0), ('bounded bias', 4.0)], 2.0)
    """
    run: dict[str, Any] = {"fit_intercept": fit_intercept, "intercept_scaling": intercept_scaling, "margin": margin}
    plane = plane_on_rows(X, y, w, b, **run)
    u, small, constant, more = plane.u, _no_small_bias(plane), constant_in(plane.c), " + 2m" if margin else ""
    S = f"R^2{constant}{more}"
    # Whether |b| <= c ||w|| was asked in floating point: the larger of 2 ||w||^2 and ||(w, b/c)||^2 makes up for that.
    doubled = replace(u, length2=max(2 * plane.norm2, u.length2))
    # 1 + c^2, or R^2 + c^2 where rounding has made that larger: rows are in the ball to rounding only.
    within = replace(doubled, step2=max(u.step2, 1 + Fraction(plane.c) ** 2 + 2 * Fraction(float(margin))))
    two = "4" if plane.c in (0, 1) else "2 (1 + c^2)"
    novikoff = f"({S}) / gamma~^2" if plane.c else f"({S}) / gamma^2" if margin else "(R / gamma)^2"
    ball = f"({two} + 4m) / gamma^2" if margin else f"{two} / gamma^2"
    bias = f"2 (R^2{constant or ' + 1'}{more}) / gamma^2"
    rows = [
        of_margin("novikoff", novikoff, u),
        of_margin("unit ball", ball, within, small or ("" if _in_ball(X) else "some row is longer than 1")),
        of_margin("bounded bias", bias, doubled, small),
        *of_unit_steps(u, epochs),
    ]
    return of_run(u, rows, from_zero, weighted, mistakes, epochs)


def collins_bounds(
    margins: Any, norm: float, R: float, *, mistakes: int | None = None, epochs: int | None = None
) -> MistakeBounds:
    """(R/delta)^2 and the bounds without a separator on the mistakes of a structured perceptron, at one vector u.

    With m_i = u.Phi(x_i, y_i) - max over z other than y_i of u.Phi(x_i, z), delta = min_i m_i / ||u|| and R an upper
    bound on every ||Phi(x_i, y_i) - Phi(x_i, z)||:

    - collins: (R / delta)^2, for any number of passes, if every m_i > 0 (theorem 1);
    - freund-schapire (theorem 2) and hinge loss: as in `mistake_bounds`, for the first pass and for all.

    The m_i, ||u|| and R are taken as they are given; what is computed from them is rounded up.

    The run has to start from w = 0 and to add Phi(x_i, y_i) - Phi(x_i, z) where the best z is not y_i, and only there.

    Parameters
    ----------
    margins : array-like of shape (n_examples,)
        The m_i.
    norm : float
        ||u||.
    R : float
        R, an upper bound on the length of every difference above.
    mistakes : int, optional
        How many mistakes the run made; shown in the table.
    epochs : int, optional
        T, how many passes the run made, as in `mistake_bounds`.

    Returns
    -------
    MistakeBounds
        The table of bounds.

    Raises
    ------
    DataError
        There are no examples.

    References
    ----------
    M. Collins, Discriminative training methods for hidden Markov models, EMNLP 2002, theorems 1 and 2.

    Examples
    --------
    >>> collins_bounds([2.0, 4.0], norm=2.0, R=3.0).get("collins").value
    9.0
    """
    rows = bounds_of_margins(margins, norm, R, epochs)
    rows[0] = replace(rows[0], name="collins", formula="(R / delta)^2")
    return MistakeBounds(tuple(rows), mistakes, epochs)


def bounds_of_margins(margins: Any, norm: float, R: float, epochs: int | None) -> list[Bound]:
    """Novikoff's bound and those without a separator, from the margins of a vector, its length and R."""
    if not np.size(margins):
        raise DataError("there are no examples to take margins of")
    u = evaluated(margins, norm, R)
    rows = [of_margin("novikoff", "(R / gamma)^2", u), *of_unit_steps(u, epochs)]
    return unless("" if u.length2 else "u is the zero vector", rows)


def of_run(
    u: Evaluated, rows: list[Bound], from_zero: bool, weighted: bool, mistakes: int | None, epochs: int | None
) -> MistakeBounds:
    """The table of a run, without a bound that applies where there is a reason why none does."""
    why = "" if u.length2 else "the separator is the zero vector"
    if weighted:
        why = "the run used weights, decay or projections instead of unit steps"
    if not from_zero:
        why = "the run did not start from w = 0"
    return MistakeBounds(tuple(unless(why, rows)), mistakes, epochs)


def unless(why: str, rows: list[Bound]) -> list[Bound]:
    """The bounds, or each of them as not applicable if there is a reason why."""
    return [replace(row, value=None, applies=False, why=why) for row in rows] if why else rows


def _no_small_bias(plane: Plane) -> str:
    if not plane.c:
        return "the run has no intercept"
    if not plane.norm2:
        return "w is zero: there is no plane"
    offset = abs(plane.b) / math.sqrt(plane.norm2)
    return f"the plane is {offset:.6g} from the origin, more than {plane.c:.6g}" if offset > plane.c else ""


def _in_ball(X: Any) -> bool:
    stored = getattr(X, "dtype", np.dtype(np.float64))
    eps = float(np.finfo(stored).eps) if np.issubdtype(stored, np.floating) else float(np.finfo(np.float64).eps)
    return bool((row_norms2(X) <= 1.0 + 32 * eps).all())


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
    check_run(variant, C)
    plane = plane_on_rows(X, y, w, b, fit_intercept=fit_intercept, intercept_scaling=intercept_scaling)
    rows = [of_aggressive_steps(plane.u, variant, float(C), epochs, f"R^2{constant_in(plane.c)}")]
    return of_run(plane.u, rows, from_zero, weighted, mistakes, epochs)


def check_run(variant: str | None = None, C: float = 1.0, margin: float = 0.0) -> None:
    """Raise unless there are bounds for runs of this rule."""
    if variant not in (None, "pa", "pa1", "pa2"):
        raise DataError(f'the variant is "pa", "pa1" or "pa2", not {variant!r}')
    if not C > 0:
        raise DataError(f"C must be above 0, got {C!r}")
    if not 0 <= margin < math.inf:
        raise DataError(f"the margin of a run is finite and at least 0, got {margin!r}")
