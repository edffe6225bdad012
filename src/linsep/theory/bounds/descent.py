"""What stochastic gradient descent promises on a convex loss, and what it delivered on the rows at hand."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import scipy.optimize

from linsep.kernels.linear.gradient import mean_loss
from linsep.kernels.linear.losses import HINGE, LOGISTIC, LOSSES, PERCEPTRON
from linsep.theory.bounds.mistakes import Bound
from linsep.theory.margin.geometry import signs
from linsep.types import Array, DataError

# Terms of a sum that are added one by one; the others are bounded by an integral.
_ONE_BY_ONE = 1_000_000


def loss_code(loss: str) -> int:
    """The position of a loss in `LOSSES`; DataError, with the choices, for a name that is not there."""
    if loss not in LOSSES:
        raise DataError(f"no loss called {loss!r}: choose from {', '.join(LOSSES)}")
    return LOSSES.index(loss)


def gradient_bound(loss: str, R: float, radius: float) -> float:
    """G = R max |slope(y, z)| over |z| <= R B: no subgradient slope(y, z) x with ||x|| <= R, ||w|| <= B is longer.

    1 R for "perceptron" and "hinge", R / (1 + exp(-R B)) for "logistic", 2 R (1 + R B) for the squared ones.

    Parameters
    ----------
    loss : {"perceptron", "hinge", "logistic", "squared_hinge", "squared"}
    R, radius : max ||(x, 1)|| (max ||x|| without an intercept) and B

    Examples
    --------
    >>> gradient_bound("squared", 2.0, 3.0)
    28.0
    """
    code = loss_code(loss)
    if code in (PERCEPTRON, HINGE):
        return R
    return R / (1.0 + math.exp(-R * radius)) if code == LOGISTIC else 2.0 * R * (1.0 + R * radius)


def auto_eta0(radius: float, G: float, steps: int | None, learning_rate: str = "constant") -> float:
    """B / (G sqrt T) for constant steps, which makes the bound least; B / G for eta0 / sqrt(t), whatever T.

    Raises
    ------
    DataError
        Constant steps and no T.

    Examples
    --------
    >>> auto_eta0(2.0, 4.0, 100)
    0.05
    """
    if G == 0.0:
        return 1.0  # every gradient is 0
    if learning_rate == "invsqrt":
        return radius / G
    if steps is None:
        raise DataError(
            'eta0="auto" is B / (G sqrt T), T = max_iter x n: give max_iter (--max-iter), beside a limit in seconds if '
            "there is one, or eta0 as a number"
        )
    return radius / (G * math.sqrt(steps))


def sgd_bound(
    radius: float | None,
    G: float,
    steps: int,
    *,
    eta0: float,
    learning_rate: str = "constant",
    average: str | None = "eta",
) -> Bound:
    """(B^2 + G^2 sum eta_t^2) / (2 sum eta_t): the most that the mean loss may exceed the least one in expectation.

    It holds for sum eta_t w_t / sum eta_t, w_t taken before step t = 1 ... T, against every w in the ball of radius B
    (w and b together), if w_1 = 0, every iterate is projected on that ball, no subgradient is longer than G and each
    row is drawn independently. B G / sqrt T at the best constant step. For the plain mean of the w_t ("uniform") and
    steps that fall, (B^2 / eta_1 + 4 B^2 (1/eta_T - 1/eta_1) + G^2 sum eta_t) / (2 T), as no two points of the ball are
    further than 2 B apart.

    Parameters
    ----------
    radius, G, steps : B, the bound on subgradients and T
    eta0 : float
    learning_rate : {"constant", "invsqrt"}
        eta_t = eta0, or eta0 / sqrt(t).
    average : {"eta", "uniform"} or None

    Returns
    -------
    Bound
        Not applicable, with the reason, without a ball or a mean.

    Notes
    -----
    Zinkevich 2003, theorem 1, for the regret; the mean by Jensen's inequality. Of more than a million steps of size
    eta0 / sqrt(t) the sums are bounded by integrals, on the safe side.

    Examples
    --------
    >>> sgd_bound(2.0, 4.0, 100, eta0=0.05).value
    0.8
    """
    formula = "(B^2 + G^2 sum eta^2) / (2 sum eta)"
    if average == "uniform" and learning_rate == "invsqrt":
        formula = "(B^2 / eta_1 + 4 B^2 (1/eta_T - 1/eta_1) + G^2 sum eta) / (2 T)"
    why = ""
    if radius is None:
        why = "no ball: w is not projected, give projection_radius"
    elif average is None:
        why = "it covers the mean of the vectors, not the last one"
    elif steps < 1:
        why = "no step was made"
    if radius is None or why:
        return Bound("sgd", None, False, why, formula)
    sum_eta, sum_eta2, last = float(steps), float(steps), 1.0
    if learning_rate == "invsqrt":
        sum_eta, sum_eta2, last = *_sums_of_roots(steps), 1.0 / math.sqrt(steps)
    if average == "eta" or learning_rate == "constant":
        value = (radius**2 / eta0 + G**2 * eta0 * sum_eta2) / (2 * sum_eta)
    else:
        most = _sums_of_roots(steps, upper=True)[0]
        value = (radius**2 / eta0 * (1 + 4 * (1 / last - 1)) + G**2 * eta0 * most) / (2 * steps)
    return Bound("sgd", value, True, "", formula)


def _sums_of_roots(steps: int, *, upper: bool = False) -> tuple[float, float]:
    """sum 1/sqrt(t), from below (from above if `upper`), and sum 1/t from above, over t = 1 ... steps."""
    n = min(steps, _ONE_BY_ONE)
    t = np.arange(1, n + 1)
    roots, harmonic = float((1 / np.sqrt(t)).sum()), float((1 / t).sum()) + math.log(steps / n)
    shift = 0 if upper else 1
    return roots + 2 * (math.sqrt(steps + shift) - math.sqrt(n + shift)), harmonic


class LossBracket(NamedTuple):
    """lower <= the least mean loss in the ball <= upper, the loss of (w, b)."""

    lower: float
    upper: float
    w: Array
    b: float


def training_loss(X: Any, y: Any, w: Any, b: float, loss: str, sample_weight: Any = None) -> float:
    """(1/n) sum_i weight_i loss(y_i, w.x_i + b), y_i in {-1, +1}: the second of two labels in order is +1.

    Examples
    --------
    >>> training_loss([[2.0], [-1.0]], [1, 0], [0.5], 0.0, "hinge")
    0.25
    """
    z = np.asarray(X @ np.asarray(w, dtype=np.float64), dtype=np.float64) + b
    weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    return float(mean_loss(loss_code(loss), signs(y), z, weight))


def least_loss(
    X: Any, y: Any, loss: str, radius: float, *, fit_intercept: bool = True, tol: float = 1e-6, max_iter: int = 2000
) -> LossBracket:
    """min over ||(w, b)|| <= B of (1/n) sum_i loss(y_i, w.x_i + b), between two proved sides.

    With a_i = y_i (x_i, 1), a loss phi(m) of the margin and its conjugate phi*, every alpha gives a lower side
    D(alpha) = -(1/n) sum_i phi*(-alpha_i) - B ||(1/n) sum_i alpha_i a_i||. SciPy's L-BFGS-B maximises it with the
    length smoothed to sqrt(||v||^2 + delta^2), delta falling, and B v / sqrt(||v||^2 + delta^2) is a vector of the ball
    whose loss is the upper side. It stops when the sides are `tol` apart; on a harder table they are further apart,
    and still sides. For small tables: every round costs some passes over all rows.

    Parameters
    ----------
    X : array or SciPy CSR matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Two labels.
    loss : a loss of `SGDClassifier`
    radius : B

    Examples
    --------
    >>> best = least_loss(np.array([[2.0], [-1.0]]), [1, 0], "hinge", 0.5, fit_intercept=False)
    >>> round(best.lower, 6), round(best.upper, 6)
    (0.25, 0.25)
    """
    s, code = signs(y), loss_code(loss)
    if code == PERCEPTRON:  # nothing is less than the loss 0 of w = 0
        return LossBracket(0.0, 0.0, np.zeros(X.shape[1]), 0.0)
    dual = _Dual(X, s, code, radius, fit_intercept)
    alpha, best = np.full(len(s), 0.5), (-math.inf, math.inf, np.zeros(X.shape[1] + 1))
    delta = 0.1 * dual.scale
    for _ in range(12):
        found = scipy.optimize.minimize(
            dual.negative, alpha, (delta,), "L-BFGS-B", jac=True, bounds=dual.bounds(), options={"maxiter": max_iter}
        )
        alpha = found.x
        u = dual.primal(alpha, delta)
        upper = float(mean_loss(code, s, dual.scores(u), None))
        lower = dual.value(alpha)
        best = max(best[0], lower), *min((best[1:], (upper, u)), key=lambda side: side[0])
        if best[1] - best[0] <= tol:
            break
        delta *= 0.2
    return LossBracket(best[0], best[1], best[2][:-1], float(best[2][-1]))


class _Dual:
    """D(alpha) of `least_loss`, its smooth version and what goes with them."""

    def __init__(self, X: Any, s: Array, code: int, radius: float, fit_intercept: bool) -> None:
        self.X, self.s, self.code, self.radius = X, s, code, radius
        self.intercept = float(fit_intercept)
        self.scale = max(float(np.linalg.norm(self.combine(np.ones(len(s))))), 1e-3)

    def combine(self, alpha: Array) -> Array:
        """(1/n) sum_i alpha_i a_i"""
        signed = alpha * self.s / len(self.s)
        return np.append(np.asarray(self.X.T @ signed).ravel(), self.intercept * signed.sum())

    def scores(self, u: Array) -> Array:
        return np.asarray(self.X @ u[:-1] + u[-1] * self.intercept).ravel()

    def bounds(self) -> list[tuple[float | None, float | None]]:
        """Where the conjugate is finite."""
        high = 1.0 if self.code in (HINGE, LOGISTIC) else None
        low = None if self.code == LOSSES.index("squared") else 0.0
        return [(low, high)] * len(self.s)

    def conjugate(self, alpha: Array) -> tuple[Array, Array]:
        """-phi*(-alpha) and its derivative."""
        if self.code == HINGE:
            return alpha, np.ones_like(alpha)
        if self.code == LOGISTIC:
            inner = np.clip(alpha, 1e-300, 1.0 - 1e-16)
            return (
                -np.where(alpha > 0, alpha * np.log(inner), 0.0)
                - np.where(alpha < 1, (1 - alpha) * np.log1p(-inner), 0),
                np.log1p(-inner) - np.log(inner),
            )
        return alpha - alpha**2 / 4, 1 - alpha / 2

    def value(self, alpha: Array) -> float:
        return float(self.conjugate(alpha)[0].mean() - self.radius * np.linalg.norm(self.combine(alpha)))

    def primal(self, alpha: Array, delta: float) -> Array:
        v = self.combine(alpha)
        return np.asarray(self.radius * v / math.sqrt(v @ v + delta**2))

    def negative(self, alpha: Array, delta: float) -> tuple[float, Array]:
        """-D, smoothed, and its gradient."""
        v = self.combine(alpha)
        length = math.sqrt(v @ v + delta**2)
        value, slope = self.conjugate(alpha)
        margins = self.s * self.scores(self.radius * v / length)
        return self.radius * length - float(value.mean()), (margins - slope) / len(alpha)
