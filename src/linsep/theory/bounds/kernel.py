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

FORGETRON_LEAST_BUDGET = 84


def projection_bound(
    norm: float,
    loss: float,
    *,
    norm_w: float,
    distance: float = 0.0,
    margin_steps: float = 0.0,
    largest_step: float = 1.0,
) -> float:
    """M <= loss - margin_steps + ||g|| (||w|| + distance), for a run that ended with ||w||.

    An update adds tau y P k(x, .), where P is the projection on the span of the rows kept (the identity if all rows are
    kept), and delta is the distance of k(x, .) from that span; tau = 1 at a mistake. So
    w.g = sum tau y (P k).g >= sum tau (1 - loss_t - ||g|| delta_t), and w.g <= ||w|| ||g||. The losses enter as
    sum tau loss_t, which is at most `loss` where no tau is above 1: hence longer steps are refused. The value is
    rounded up.

    Parameters
    ----------
    norm : float
        ||g||.
    loss : float
        The sum of the hinge losses of g.
    norm_w : float
        ||w|| at the end.
    distance : float
        sum of tau delta over the updates.
    margin_steps : float
        sum of tau over updates that were not mistakes.
    largest_step : float
        The largest tau; 1 in all runs of `KernelPerceptron`.

    Returns
    -------
    float
        The bound on M.

    Raises
    ------
    DataError
        `norm` or `loss` is negative, or `largest_step` is above 1.

    References
    ----------
    The updates are those of F. Orabona, J. Keshet and B. Caputo, Bounded kernel-based online learning (Projectron,
    Projectron++), JMLR 10 (2009); the proof is above.

    Examples
    --------
    >>> projection_bound(2.0, 1.0, norm_w=3.0, distance=0.5)
    8.0
    """
    _check(norm, loss)
    if not largest_step <= 1:
        raise DataError(f"the bound needs steps tau <= 1, the largest was {largest_step:g}: divide all steps by it")
    given = norm, loss, norm_w, distance, margin_steps
    return safely(lambda: _projection(*map(Fraction, given)))


def _projection(
    norm: Fraction, loss: Fraction, norm_w: Fraction, distance: Fraction, margin_steps: Fraction
) -> Fraction:
    return loss - margin_steps + norm * (norm_w + distance)


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


def removal_bound(
    norm: float, loss: float, *, energy: float, given_up: float = 0.0, damage: float = 0.0, shrinking: float = 0.0
) -> float:
    """M <= loss + given_up + ||g|| sqrt((1 + shrinking)(energy + damage)), for a run that removed rows.

    Follow ||w - c g||^2, which starts at c^2 ||g||^2 and is never negative. A mistake lowers it by
    2 c y g(x) - k(x, x) - 2 y z. Shrinking w by phi raises it by at most c^2 ||g||^2 (1 - phi)/(1 + phi). Removing row
    r, which had the coefficient l y_r and the margin m_r, raises it by 2 l c y_r g(x_r) + l^2 k(x_r, x_r) - 2 l m_r.
    Since l <= 1, the sum of the terms in g(x) is at least c (1 - l)(1 - loss) for each row. The c > 0 that makes the
    bound least gives the formula.

    Parameters
    ----------
    norm : float
        ||g||.
    loss : float
        The sum of the hinge losses of g.
    energy : float
        sum of k(x, x) + 2 y z over the mistakes.
    given_up : float
        sum of l over the removals.
    damage : float
        sum of l^2 k(x_r, x_r) - 2 l m_r over the removals.
    shrinking : float
        sum of (1 - phi)/(1 + phi).

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
    The argument is that of O. Dekel, S. Shalev-Shwartz and Y. Singer, The Forgetron, SIAM Journal on Computing 37
    (2008), for any c.

    Examples
    --------
    >>> removal_bound(2.0, 1.0, energy=9.0)
    7.0
    """
    _check(norm, loss)
    return loss + given_up + norm * math.sqrt((1 + shrinking) * max(energy + damage, 0.0))


def halving_bound(
    norm: float, loss: float, *, energy: float, distance: float, margin_steps: float, ball: float = math.inf
) -> float:
    """M <= loss - margin_steps + ||g|| (distance + h), h = sqrt(energy), or (ball + energy / ball) / 2 if that is more.

    For a run whose updates add y k(x, .), some of them where m = y w(x) is above 0. From time to time the run replaces
    w by another vector w', or projects w on a ball around 0. Follow ||w - c g||^2 >= 0, which starts at c^2 ||g||^2. An
    update lowers it by 2 c y g(x) - 2 m - k(x, x), and y g(x) >= 1 - loss_t. Replacing w by w' raises it by at most
    ||w'||^2 - ||w||^2 + 2 c ||g|| ||w' - w||. The ball does not raise it if c g lies in the ball. The best such c > 0
    gives the formula.

    Parameters
    ----------
    norm : float
        ||g||.
    loss : float
        The sum of the hinge losses of g.
    energy : float
        sum of k(x, x) + 2 m over the updates and of ||w'||^2 - ||w||^2.
    distance : float
        sum of ||w' - w||.
    margin_steps : float
        The number of updates that were not mistakes.
    ball : float
        The radius of the smallest ball that w was projected on.

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
    The algorithm is that of Liao, Li, Liao, Hu and Dang, Ahpatron, AAAI 2024; the proof is above. Their program scales
    w' to the length of w. This one does not, because w' is then nearer to w.

    Examples
    --------
    >>> halving_bound(2.0, 1.0, energy=9.0, distance=0.5, margin_steps=2.0)
    6.0
    """
    _check(norm, loss)
    root = math.sqrt(max(energy, 0.0))
    reach = root if root <= ball else (ball + energy / ball) / 2
    return loss - margin_steps + norm * (distance + reach)


def forgetron_bound(norm: float, loss: float, budget: int, R: float = 1.0) -> float:
    """M <= 2 (R ||g||)^2 + 4 loss, if R ||g|| <= sqrt((B + 1) / ln(B + 1)) / 4; else infinity.

    It is known before the run.

    Parameters
    ----------
    norm : float
        ||g||.
    loss : float
        The sum of the hinge losses of g.
    budget : int
        B, the number of rows that are kept: at least 84 (the paper has 83, its authors' slides 84).
    R : float, default=1.0
        The square root of the largest k(x, x). The run has to know it from its first removal on.

    Returns
    -------
    float
        The bound on M; infinity if it does not hold.

    Raises
    ------
    DataError
        `norm` or `loss` is negative.

    References
    ----------
    O. Dekel, S. Shalev-Shwartz and Y. Singer, The Forgetron, NIPS 18 (2005) and SIAM Journal on Computing 37 (2008);
    the self-tuned version.

    Examples
    --------
    >>> forgetron_bound(0.5, 10.0, 100), forgetron_bound(2.0, 10.0, 100)
    (40.5, inf)
    """
    _check(norm, loss)
    largest = 0.25 * math.sqrt((budget + 1) / math.log(budget + 1))
    if budget < FORGETRON_LEAST_BUDGET or R * norm > largest:
        return math.inf
    return 2 * (R * norm) ** 2 + 4 * loss


def random_removal_bound(norm: float, loss: float, budget: int, R: float = 1.0) -> float:
    """E[M] <= min over c > 0 of (c^2 U^2 + 2 c loss) / (2 c - 2 - (1 + c U)^2 / (2 B)), U = R ||g||; or infinity.

    It is known before the run; the expectation is over the rows drawn for removal. With k(x, x) <= 1, follow
    ||w - c g||^2. A mistake lowers it by at least 2 c (1 - loss_t) - 1. The B old rows add up to f, so removing one of
    them at random from f' = f + y k(x, .) raises it on average by at most 1 - (2/B) f.(f' - c g), which is at most
    1 + (2/B)(-a^2 + a (1 + c U)), a = ||f||, and so at most 1 + (1 + c U)^2 / (2 B). The bound is finite only if U is
    clearly smaller than sqrt(B).

    Parameters
    ----------
    norm : float
        ||g||.
    loss : float
        The sum of the hinge losses of g.
    budget : int
        B, the number of rows that are kept.
    R : float, default=1.0
        The square root of the largest k(x, x).

    Returns
    -------
    float
        The bound on the expected M; infinity if there is none.

    Raises
    ------
    DataError
        `norm` or `loss` is negative.

    References
    ----------
    The algorithm is that of G. Cavallanti, N. Cesa-Bianchi and C. Gentile, Tracking the best hyperplane with a simple
    budget perceptron, Machine Learning 69 (2007); the proof is above.

    Examples
    --------
    >>> round(random_removal_bound(1.0, 0.0, 1000), 2)
    2.0
    """
    _check(norm, loss)
    U = R * norm
    c = np.geomspace(1.0, 1e6, 20_001)
    below = 2 * c - 2 - (1 + c * U) ** 2 / (2 * budget)
    usable = below > 0
    return float((((c * U) ** 2 + 2 * c * loss)[usable] / below[usable]).min(initial=math.inf))


def _check(norm: float, loss: float) -> None:
    if not (norm >= 0 and loss >= 0):
        raise DataError(f"a norm and a sum of hinge losses are at least 0, got {norm} and {loss}")
