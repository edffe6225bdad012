"""The least mean loss in a ball, between a lower and an upper bound. The excess loss of descent is measured from it."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import scipy.optimize

from linsep.kernels.linear.gradient import mean_loss
from linsep.kernels.linear.losses import HINGE, LOGISTIC, LOSSES, PERCEPTRON
from linsep.kernels.optional import NO_WEIGHTS
from linsep.theory.bounds.descent import loss_code
from linsep.theory.margin.geometry import constant_of, signs
from linsep.types import Array


class LossBracket(NamedTuple):
    """lower <= the least mean loss in the ball <= upper; `upper` is the loss of the vector (w, b).

    Attributes
    ----------
    lower : float
        The lower bound.
    upper : float
        The upper bound.
    w : ndarray, shape (n_features,)
        The weights that have the loss `upper`.
    b : float
        Their intercept.
    """

    lower: float
    upper: float
    w: Array
    b: float


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
    z = np.asarray(X @ np.asarray(w, dtype=np.float64), dtype=np.float64) + b
    weight = NO_WEIGHTS if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    return float(mean_loss(loss_code(loss), signs(y), z, weight))


def least_loss(
    X: Any,
    y: Any,
    loss: str,
    projection_radius: float,
    *,
    fit_intercept: bool = True,
    intercept_scaling: float = 1.0,
    tol: float = 1e-6,
    max_iter: int = 2000,
) -> LossBracket:
    """min over ||(w, b/c)|| <= B of (1/n) sum_i loss(y_i, w.x_i + b), between a lower and an upper bound.

    With c = 1 unless it is given, a_i = y_i (x_i, c), a loss phi(m) of the margin and its conjugate phi*, every alpha
    gives a lower bound D(alpha) = -(1/n) sum_i phi*(-alpha_i) - B ||(1/n) sum_i alpha_i a_i||. SciPy's L-BFGS-B
    maximises it with the length smoothed to sqrt(||v||^2 + delta^2), for smaller and smaller delta. B v / sqrt(||v||^2
    + delta^2) is a vector in the ball, and its loss is the upper bound. The search stops when the bounds differ by at
    most `tol`, or after 12 values of delta; then the bounds are further apart, and still hold. It is meant for small
    tables: each value of delta costs several passes over all rows.

    Parameters
    ----------
    X : array or SciPy CSR matrix of shape (n_samples, n_features)
        The rows.
    y : array-like of shape (n_samples,)
        Two labels; the second in sorted order is the positive class, y_i = 1.
    loss : {"perceptron", "hinge", "logistic", "squared_hinge", "squared"}
        The name of the loss.
    projection_radius : float
        B, the radius of the ball.
    fit_intercept : bool, default=True
        Whether b may differ from 0.
    intercept_scaling : float, default=1.0
        c, the constant feature whose weight is b/c.
    tol : float, default=1e-6
        The difference of the bounds at which the search stops.
    max_iter : int, default=2000
        Iterations of L-BFGS-B for each delta.

    Returns
    -------
    LossBracket
        The two bounds and the vector (w, b) of the upper one.

    Raises
    ------
    DataError
        There is no such loss, there are not two labels, or c is not above 0 and finite.

    Examples
    --------
    >>> best = least_loss(np.array([[2.0], [-1.0]]), [1, 0], "hinge", 0.5, fit_intercept=False)
    >>> round(best.lower, 6), round(best.upper, 6)
    (0.25, 0.25)
    """
    s, code = signs(y), loss_code(loss)
    if code == PERCEPTRON:  # nothing is less than the loss 0 of w = 0
        return LossBracket(0.0, 0.0, np.zeros(X.shape[1]), 0.0)
    constant = constant_of(intercept_scaling) * fit_intercept
    dual = _Dual(X, s, code, projection_radius, constant)
    alpha, best = np.full(len(s), 0.5), (-math.inf, math.inf, np.zeros(X.shape[1] + 1))
    delta = 0.1 * dual.scale
    for _ in range(12):
        found = scipy.optimize.minimize(
            dual.negative, alpha, (delta,), "L-BFGS-B", jac=True, bounds=dual.bounds(), options={"maxiter": max_iter}
        )
        alpha = found.x
        u = dual.primal(alpha, delta)
        upper = float(mean_loss(code, s, dual.scores(u), NO_WEIGHTS))
        lower = dual.value(alpha)
        best = max(best[0], lower), *min((best[1:], (upper, u)), key=lambda side: side[0])
        if best[1] - best[0] <= tol:
            break
        delta *= 0.2
    return LossBracket(best[0], best[1], best[2][:-1], float(best[2][-1]) * constant)


class _Dual:
    """The lower bound D(alpha) of `least_loss`, its smooth version and their gradients."""

    def __init__(self, X: Any, s: Array, code: int, radius: float, constant: float) -> None:
        self.X, self.s, self.code, self.radius = X, s, code, radius
        self.constant = constant
        self.scale = max(float(np.linalg.norm(self.combine(np.ones(len(s))))), 1e-3)

    def combine(self, alpha: Array) -> Array:
        """(1/n) sum_i alpha_i a_i"""
        signed = alpha * self.s / len(self.s)
        return np.append(np.asarray(self.X.T @ signed).ravel(), self.constant * signed.sum())

    def scores(self, u: Array) -> Array:
        return np.asarray(self.X @ u[:-1] + u[-1] * self.constant).ravel()

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
