"""The standard normal law given a ball, in any number of dimensions."""

from __future__ import annotations

import numpy as np
from scipy.special import gammainc, gammaincinv, gammaln

from linsep.types import Array

_TINY = 1e-280  # masses below this are handled by their logarithm
_GRID = 20_001


def ball_points(n: int, p: int, radius: float, rng: np.random.Generator) -> Array:
    """Standard normal points given ||x|| <= radius: a uniform direction times an inverse chi draw, none rejected.

    P(||x|| <= r) = P(p/2, r^2/2), the regularised incomplete gamma function. Shape (n, p).
    """
    points = rng.standard_normal((n, p))
    length = _lengths(1.0 - rng.uniform(size=n), p, radius)
    points *= (length / np.linalg.norm(points, axis=1))[:, None]
    return points


def _lengths(u: Array, p: int, radius: float) -> Array:
    """Solve P(p/2, r^2/2) = u P(p/2, radius^2/2) for r; each u in (0, 1]."""
    a, whole = p / 2, radius**2 / 2
    mass = gammainc(a, whole)
    if mass > _TINY:
        return np.asarray(np.minimum(np.sqrt(2 * gammaincinv(a, u * float(mass))), radius))
    # Newton on log P as a function of log t, t = r^2/2: nearly a line of slope a where P is this small.
    end = np.log(whole)
    goal = np.log(u) + _log_mass(a, np.array([whole]))
    s = end + np.log(u) / a
    for _ in range(8):
        t = np.exp(s)
        s = np.minimum(s + (goal - _log_mass(a, t)) * _series(a, t) / a, end)
    return np.asarray(np.sqrt(2 * np.exp(s)))


def _series(a: float, t: Array) -> Array:
    """1 + t/(a+1) + t^2/((a+1)(a+2)) + ..., with P(a, t) = t^a e^-t / Gamma(a+1) times it; for t < a."""
    term = np.ones_like(t)
    total = np.ones_like(t)
    k = 0
    while (term > 1e-17 * total).any():
        k += 1
        term = term * t / (a + k)
        total += term
    return total


def _log_mass(a: float, t: Array) -> Array:
    """log P(a, t), also where P is below the smallest double; t > 0."""
    mass = gammainc(a, t)
    small = mass <= _TINY
    result = np.log(np.where(small, 1.0, mass))
    if small.any():
        x = t[small]
        result[small] = a * np.log(x) - x - gammaln(a + 1) + np.log(_series(a, x))
    return np.asarray(result)


def tail_quantile(tail: float, p: int, radius: float) -> float:
    """The z with P(u.x > z) = tail, u any unit vector: the density of u.x is phi(z) P((p-1)/2, (radius^2 - z^2)/2).

    By the trapezium rule on 20,001 points; `tail` at most 1/2.

    Examples
    --------
    >>> round(tail_quantile(0.1, 3, 100.0), 4)  # hardly any mass is outside: the normal quantile
    1.2816
    """
    # Beyond nine there is no mass to speak of, nor beyond nine times radius / sqrt(p), the spread of u.x in the ball.
    reach = min(radius, 9.0, 9.0 * radius / np.sqrt(p))
    z = np.linspace(0.0, reach, _GRID)
    log_density = -(z**2) / 2
    if p > 1:
        rest = np.maximum((radius**2 - z**2) / 2, np.finfo(float).tiny)
        log_density += _log_mass((p - 1) / 2, rest)
    density = np.exp(log_density - log_density.max())
    mass = np.concatenate([[0.0], np.cumsum(density[1:] + density[:-1])])
    # Logarithms of NumPy differ in their last bits between processors.
    return round(float(np.interp(1 - 2 * tail, mass / mass[-1], z)), 12)
