"""How many mistakes a kernel perceptron may make, with all its rows kept or with no more than a budget of them.

In every bound g is any function of the kernel's space, `norm` is ||g||, and `loss` the sum of its hinge losses
max(0, 1 - y_t g(x_t)) over the visits of the run. All hold for any rows in any order, for unit steps from zero.
`kernel_bounds` has those of a run that kept all its rows.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from linsep.theory.bounds.mistakes import Bound, MistakeBounds, bounds_of_margins
from linsep.types import DataError

FORGETRON_LEAST_BUDGET = 84


def projection_bound(
    norm: float, loss: float, *, norm_w: float, distance: float = 0.0, margin_steps: float = 0.0
) -> float:
    """M <= loss - margin_steps + ||g|| (||w|| + distance), for a run that ended with ||w||.

    An update adds tau y P k(x, .), P the projection on the rows kept (the identity where all are), delta the distance
    of k(x, .) from there; tau = 1 at a mistake. So w.g = sum tau y (P k).g >= sum tau (1 - loss_t - ||g|| delta_t), and
    w.g <= ||w|| ||g||.

    Parameters
    ----------
    norm, loss : float
        ||g|| and its hinge losses.
    norm_w : float
        ||w|| at the end.
    distance : float
        sum of tau delta over the updates.
    margin_steps : float
        sum of tau over updates that were no mistakes.

    Notes
    -----
    For the updates of Orabona, Keshet and Caputo 2009 (Projectron, Projectron++), JMLR 10; proved above.

    Examples
    --------
    >>> projection_bound(2.0, 1.0, norm_w=3.0, distance=0.5)
    8.0
    """
    _check(norm, loss)
    return loss - margin_steps + norm * (norm_w + distance)


def kernel_bounds(
    margins: Any, norm: float, R: float, *, norm_w: float, passes: int = 1, mistakes: int | None = None
) -> MistakeBounds:
    """Every bound on the mistakes of a kernel perceptron that keeps all its rows, at one function g of its space.

    With m_i = y_i g(x_i), gamma = min_i m_i / ||g|| and R^2 at least every k(x_i, x_i):

    - novikoff: (R / gamma)^2, for any number of passes, if every m_i > 0;
    - freund-schapire, plain and hinge: as in `linsep.theory.bounds.mistakes.mistake_bounds`, for the first pass alone;
    - this run: min over c >= 0 of T sum_i max(0, 1 - c m_i) + c ||g|| ||w||, for T passes that ended with ||w||:
      `projection_bound` at c g. It needs no separator, but is known only after the run.

    Parameters
    ----------
    margins : array of shape (n_samples,)
        The m_i.
    norm, R : ||g|| and R
    norm_w : ||w|| at the end
    passes : int
        T.
    mistakes : int, optional
        Made, to stand in the table.

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
    rows = bounds_of_margins(margins, norm, R, None)
    m = np.sort(np.asarray(margins, dtype=np.float64))
    # Convex and piecewise linear in c: least at 0 or where the loss of a row ends, 1 / m_i.
    first = int(np.searchsorted(m, 0.0, side="right"))
    with np.errstate(over="ignore", invalid="ignore"):
        c = 1.0 / m[first:]
        losses = np.arange(first, len(m)) - c * np.concatenate([[0.0], np.cumsum(m)])[first:-1]
        values = passes * np.maximum(losses, 0.0) + c * float(norm) * float(norm_w)
    least = float(np.nanmin(values, initial=passes * len(m)))
    formula = "min over c of T sum max(0, 1 - c m) + c ||g|| ||w||"
    return MistakeBounds((*rows, Bound("this run", least, True, "", formula)), mistakes, 1 if passes == 1 else None)


def removal_bound(
    norm: float, loss: float, *, energy: float, given_up: float = 0.0, damage: float = 0.0, shrinking: float = 0.0
) -> float:
    """M <= loss + given_up + ||g|| sqrt((1 + shrinking)(energy + damage)), for a run that removed rows.

    Follow ||w - c g||^2, which starts at c^2 ||g||^2 and stays above 0. A mistake lowers it by 2 c y g(x) - k(x, x)
    - 2 y z; shrinking w by phi raises it by c^2 ||g||^2 (1 - phi)/(1 + phi) at most; removing row r, of coefficient
    l y_r and margin m_r before that, raises it by 2 l c y_r g(x_r) + l^2 k(x_r, x_r) - 2 l m_r. Since l <= 1, what is
    left of the g(x) is at least c (1 - l)(1 - loss) a row. The c > 0 that makes the bound least gives the formula.

    Parameters
    ----------
    norm, loss : float
        ||g|| and its hinge losses.
    energy : float
        sum of k(x, x) + 2 y z over the mistakes.
    given_up, damage, shrinking : float
        sums of l, of l^2 k(x_r, x_r) - 2 l m_r over the removals, and of (1 - phi)/(1 + phi).

    Notes
    -----
    The argument is that of Dekel, Shalev-Shwartz and Singer 2008, SIAM Journal on Computing 37, with c left free.

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

    For a run whose updates add y k(x, .), also where m = y w(x) is above 0, which now and then replaces w by another w'
    and pulls w back to a ball around 0. Follow ||w - c g||^2 >= 0, which starts at c^2 ||g||^2. An update lowers it by
    2 c y g(x) - 2 m - k(x, x), and y g(x) >= 1 - loss_t; w' raises it by ||w'||^2 - ||w||^2 + 2 c ||g|| ||w' - w|| at
    most; the ball does not raise it while c ||g|| is in it. The best such c > 0 gives the formula.

    Parameters
    ----------
    norm, loss : float
        ||g|| and its hinge losses.
    energy : float
        sum of k(x, x) + 2 m over the updates and of ||w'||^2 - ||w||^2.
    distance : float
        sum of ||w' - w||.
    margin_steps : float
        Updates that were no mistakes.
    ball : float
        The smallest ball that w was pulled back to.

    Notes
    -----
    For the algorithm of Liao, Li, Liao, Hu and Dang 2024 (Ahpatron), AAAI; proved above. Their program scales w' up to
    the length of w, this one leaves it as the projection made it: w' is nearer to w then.

    Examples
    --------
    >>> halving_bound(2.0, 1.0, energy=9.0, distance=0.5, margin_steps=2.0)
    6.0
    """
    _check(norm, loss)
    root = math.sqrt(max(energy, 0.0))
    reach = root if root <= ball else (ball + energy / ball) / 2
    return loss - margin_steps + norm * (distance + reach)


def forgetron_bound(norm: float, loss: float, budget: int, radius: float = 1.0) -> float:
    """M <= 2 (R ||g||)^2 + 4 loss, if R ||g|| <= sqrt((B + 1) / ln(B + 1)) / 4; else infinity.

    Known before the run. R = `radius` is the square root of the largest k(x, x), which the run has to know from its
    first removal on; B = `budget` is at least 84 (the paper has 83, its authors' slides 84).

    Notes
    -----
    Dekel, Shalev-Shwartz and Singer 2005 (NIPS 18) and 2008, SIAM Journal on Computing 37, the self-tuned Forgetron.

    Examples
    --------
    >>> forgetron_bound(0.5, 10.0, 100), forgetron_bound(2.0, 10.0, 100)
    (40.5, inf)
    """
    _check(norm, loss)
    largest = 0.25 * math.sqrt((budget + 1) / math.log(budget + 1))
    if budget < FORGETRON_LEAST_BUDGET or radius * norm > largest:
        return math.inf
    return 2 * (radius * norm) ** 2 + 4 * loss


def random_removal_bound(norm: float, loss: float, budget: int, radius: float = 1.0) -> float:
    """E[M] <= min over c > 0 of (c^2 U^2 + 2 c loss) / (2 c - 2 - (1 + c U)^2 / (2 B)), U = R ||g||; or infinity.

    Known before the run; the mean is over the rows drawn for removal. With k(x, x) <= 1, follow ||w - c g||^2. A
    mistake lowers it by 2 c (1 - loss_t) - 1 at least. The B old rows add up to f, so removing one of them at random
    from f' = f + y k(x, .) raises it on average by 1 - (2/B) f.(f' - c g) at most, which is at most
    1 + (2/B)(-a^2 + a (1 + c U)), a = ||f||, and so at most 1 + (1 + c U)^2 / (2 B). It is finite for some c only if
    U is clearly below sqrt(B).

    Notes
    -----
    For the algorithm of Cavallanti, Cesa-Bianchi and Gentile 2007, Machine Learning 69; proved above.

    Examples
    --------
    >>> round(random_removal_bound(1.0, 0.0, 1000), 2)
    2.0
    """
    _check(norm, loss)
    U = radius * norm
    c = np.geomspace(1.0, 1e6, 20_001)
    below = 2 * c - 2 - (1 + c * U) ** 2 / (2 * budget)
    usable = below > 0
    return float((((c * U) ** 2 + 2 * c * loss)[usable] / below[usable]).min(initial=math.inf))


def _check(norm: float, loss: float) -> None:
    if not (norm >= 0 and loss >= 0):
        raise DataError(f"a norm and a sum of hinge losses are at least 0, got {norm} and {loss}")
