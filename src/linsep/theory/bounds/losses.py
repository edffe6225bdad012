"""What stochastic gradient descent promises on a convex loss, and the mean loss of a vector."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from linsep.passes import HINGE, LOGISTIC, LOSSES, NO_WEIGHTS, PERCEPTRON
from linsep.theory.bounds.table import Bound
from linsep.theory.margin.geometry import signs
from linsep.types import DataError

# Terms of a sum that are added one by one; the others are bounded by an integral.
_ONE_BY_ONE = 1_000_000


def loss_code(loss: str) -> int:
    """Return the position of a loss in `LOSSES`; an unknown name raises DataError with the choices."""
    if loss not in LOSSES:
        raise DataError(f"no loss called {loss!r}: choose from {', '.join(LOSSES)}")
    return LOSSES.index(loss)


def gradient_bound(loss: str, R: float, projection_radius: float) -> float:
    """G = R max |slope(y, z)| over |z| <= R B: the largest length of a subgradient slope(y, z) x.

    Here ||x|| <= R and ||w|| <= B. G is R for "perceptron" and "hinge", R / (1 + exp(-R B)) for "logistic" and
    2 R (1 + R B) for "squared_hinge" and "squared".

    Parameters
    ----------
    loss : {"perceptron", "hinge", "logistic", "squared_hinge", "squared"}
        The name of the loss.
    R : float
        max ||(x, c)|| over the rows, c the constant feature; max ||x|| without an intercept.
    projection_radius : float
        B, the radius of the ball that w is projected on; infinity if it is not projected.

    Returns
    -------
    float
        G; infinity for "squared_hinge" and "squared" without a ball.

    Raises
    ------
    DataError
        There is no such loss.

    Examples
    --------
    >>> gradient_bound("squared", 2.0, 3.0)
    28.0
    """
    code = loss_code(loss)
    if code in (PERCEPTRON, HINGE) or R == 0.0:
        return R
    return R / (1.0 + math.exp(-R * projection_radius)) if code == LOGISTIC else 2.0 * R * (1.0 + R * projection_radius)


def auto_eta0(projection_radius: float, G: float, steps: int | None, learning_rate: str = "constant") -> float:
    """B / (G sqrt T) for constant steps, B / G for steps eta0 / sqrt(t): the step size that `SGDClassifier` chooses.

    The constant step makes the bound of `sgd_bound` least.

    Parameters
    ----------
    projection_radius : float
        B, the radius of the ball that w is projected on.
    G : float
        The largest length of a subgradient.
    steps : int or None
        T, the number of steps; needed for constant steps only.
    learning_rate : {"constant", "invsqrt"}, default="constant"
        eta_t = eta0, or eta0 / sqrt(t).

    Returns
    -------
    float
        1.0 if G is 0.

    Raises
    ------
    DataError
        The steps are constant and T is not given.

    Examples
    --------
    >>> auto_eta0(2.0, 4.0, 100)
    0.05
    """
    if G == 0.0:
        return 1.0  # every gradient is 0
    if learning_rate == "invsqrt":
        return projection_radius / G
    if steps is None:
        raise DataError(
            'eta0="auto" is B / (G sqrt T), T = max_iter x n: give max_iter (--max-iter), also if there is a time '
            "limit, or give eta0 as a number"
        )
    return projection_radius / (G * math.sqrt(steps))


def free_eta0(loss: str, mean_norm2: float, largest_norm2: float) -> float:
    """1 / mean(c ||x||^2), 4 times that, or 1 / (4 max c ||x||^2): the step that `SGDClassifier` takes without a ball.

    c is the weight of a row. "perceptron", "hinge": a step at a row of mean length changes its margin by 1, as a step
    of the perceptron does on rows of length 1. "logistic": 4 times that, as its slope changes by 1/4 at most where z
    changes by 1. "squared_hinge", "squared": the step halves the distance of the longest row from its label. Rows k
    times as long give weights k times as small and the same predictions.

    Parameters
    ----------
    loss : {"perceptron", "hinge", "logistic", "squared_hinge", "squared"}
        The name of the loss.
    mean_norm2, largest_norm2 : float
        The mean and the maximum of c ||(x, k)||^2 over the rows, k the constant feature; of c ||x||^2 without an
        intercept.

    Returns
    -------
    float
        1.0 if all rows are 0.

    Examples
    --------
    >>> free_eta0("hinge", 2.0, 5.0), free_eta0("logistic", 2.0, 5.0), free_eta0("squared", 2.0, 5.0)
    (0.5, 2.0, 0.05)
    """
    code = loss_code(loss)
    size = mean_norm2 if code in (PERCEPTRON, HINGE) else mean_norm2 / 4.0 if code == LOGISTIC else 4.0 * largest_norm2
    return 1.0 / max(size, 1e-300) if size > 0.0 else 1.0


def sgd_bound(
    projection_radius: float | None,
    G: float,
    steps: int,
    *,
    eta0: float,
    learning_rate: str = "constant",
    average: str | None = "eta",
) -> Bound:
    """(B^2 + G^2 sum eta_t^2) / (2 sum eta_t): a bound on the expected excess of the mean loss over the least one.

    It holds for the averaged vector sum eta_t w_t / sum eta_t, with w_t taken before step t = 1 ... T, against every w
    in the ball of radius B (w and b together). Conditions: w_1 = 0, every w_t is projected on that ball, no
    subgradient is longer than G, and each row is drawn independently. The best constant step gives B G / sqrt T.

    For the plain mean of the w_t ("uniform") with decreasing steps the bound is
    (B^2 / eta_1 + 4 B^2 (1/eta_T - 1/eta_1) + G^2 sum eta_t) / (2 T), because two points of the ball are at most 2 B
    apart.

    Parameters
    ----------
    projection_radius : float or None
        B, the radius of the ball; None if w is not projected.
    G : float
        The largest length of a subgradient.
    steps : int
        T, the number of steps.
    eta0 : float
        The first step size.
    learning_rate : {"constant", "invsqrt"}, default="constant"
        eta_t = eta0, or eta0 / sqrt(t).
    average : {"eta", "uniform"} or None, default="eta"
        Which mean of the w_t predicts: weighted by eta_t, plain, or none (the last vector).

    Returns
    -------
    Bound
        Not applicable, with the reason, if there is no ball, no mean or no step.

    References
    ----------
    M. Zinkevich, Online convex programming and generalized infinitesimal gradient ascent, ICML 2003, theorem 1, for
    the regret; the mean by Jensen's inequality. For more than a million steps of size eta0 / sqrt(t) the sums are
    replaced by integrals that do not make the bound smaller.

    Examples
    --------
    >>> sgd_bound(2.0, 4.0, 100, eta0=0.05).value
    0.8
    """
    formula = "(B^2 + G^2 sum eta^2) / (2 sum eta)"
    if average == "uniform" and learning_rate == "invsqrt":
        formula = "(B^2 / eta_1 + 4 B^2 (1/eta_T - 1/eta_1) + G^2 sum eta) / (2 T)"
    conditions = (
        (projection_radius is not None, "no ball: w is not projected, give projection_radius"),
        (average is not None, "it covers the mean of the vectors, not the last one"),
        (steps >= 1, "no step was made"),
    )
    why = next((said for holds, said in conditions if not holds), "")
    if projection_radius is None or why:
        return Bound("sgd", None, False, why, formula)
    sum_eta, sum_eta2, last = float(steps), float(steps), 1.0
    if learning_rate == "invsqrt":
        sum_eta, sum_eta2, last = *_sums_of_roots(steps), 1.0 / math.sqrt(steps)
    if average == "eta" or learning_rate == "constant":
        value = (projection_radius**2 / eta0 + G**2 * eta0 * sum_eta2) / (2 * sum_eta)
    else:
        most = _sums_of_roots(steps, upper=True)[0]
        value = (projection_radius**2 / eta0 * (1 + 4 * (1 / last - 1)) + G**2 * eta0 * most) / (2 * steps)
    return Bound("sgd", value, True, "", formula)


def _sums_of_roots(steps: int, *, upper: bool = False) -> tuple[float, float]:
    """A lower bound (with `upper` an upper one) on sum 1/sqrt(t) and an upper bound on sum 1/t, t = 1 ... steps."""
    n = min(steps, _ONE_BY_ONE)
    t = np.arange(1, n + 1)
    roots, harmonic = float((1 / np.sqrt(t)).sum()), float((1 / t).sum()) + math.log(steps / n)
    shift = 0 if upper else 1
    return roots + 2 * (math.sqrt(steps + shift) - math.sqrt(n + shift)), harmonic


def training_loss(X: Any, y: Any, w: Any, b: float, loss: str, sample_weight: Any = None) -> float:
    """(1/n) sum_i weight_i loss(y_i, w.x_i + b), the mean loss of (w, b) on the rows.

    Parameters
    ----------
    X : array or SciPy CSR matrix of shape (n_samples, n_features)
        The rows.
    y : array-like of shape (n_samples,)
        Two labels; the second in sorted order is the positive class, y_i = 1.
    w : array-like of shape (n_features,)
        The weights.
    b : float
        The intercept.
    loss : {"perceptron", "hinge", "logistic", "squared_hinge", "squared"}
        The name of the loss.
    sample_weight : array-like of shape (n_samples,), optional
        1 for every row if it is not given.

    Returns
    -------
    float
        The mean loss.

    Raises
    ------
    DataError
        There is no such loss, or there are not two labels.

    Examples
    --------
    >>> training_loss([[2.0], [-1.0]], [1, 0], [0.5], 0.0, "hinge")
    0.25
    """
    from linsep.kernels.linear.gradient import mean_loss

    z = np.asarray(X @ np.asarray(w, dtype=np.float64), dtype=np.float64) + b
    weight = NO_WEIGHTS if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    return float(mean_loss(loss_code(loss), signs(y), z, weight))
