"""Generated data, returned with their true separator. Every draw depends on `random_state` alone."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import gammainc, gammaincinv, gammaln, hyp1f1

from linsep.kernels.linear.epoch import squared_norm
from linsep.kernels.linear.sums import times
from linsep.types import Array

Seed = int | np.random.Generator | None

_MIN_MASS = 0.1
_BLOCK = 1 << 20


def make_separable(
    n_samples: int, n_features: int, margin: float, *, radius: float = 3.0, random_state: Seed = None
) -> tuple[Array, Array, Array, float]:
    """Draw rows with y_i (w*.x_i + b*) > margin, ||w*|| = 1, ||x_i|| <= radius.

    Points are standard normal given that they lie in the ball; w* is uniform on the sphere and b* uniform among the
    biases that leave each class at least a tenth of the ball's mass beyond the margin; points nearer than `margin` to
    the plane are left out.

    Parameters
    ----------
    n_samples : int
        The number of rows.
    n_features : int
        The number of columns.
    margin : float
        Every row is farther than this from the planted plane.
    radius : float, default=3.0
        The radius of the ball.
    random_state : int, numpy.random.Generator or None, default=None
        The seed, or where random numbers come from.

    Returns
    -------
    X : ndarray of float64, shape (n_samples, n_features)
        The rows.
    y : ndarray of int64, shape (n_samples,)
        Their labels, -1 or +1.
    w : ndarray, shape (n_features,)
        w*, of length 1.
    b : float
        b*.

    Raises
    ------
    ValueError
        The margin leaves too few points: no plane has a tenth of the ball's mass beyond the margin on each side.

    Examples
    --------
    >>> X, y, w, b = make_separable(100, 5, 0.3, random_state=0)
    >>> bool((y * (X @ w + b)).min() > 0.3)
    True
    >>> X.shape[0]
    100
    """
    if n_samples < 1 or n_features < 1:
        raise ValueError(f"n_samples and n_features must be at least 1, got {n_samples} and {n_features}")
    if not 0 < radius < np.inf or not 0 <= margin < np.inf:
        raise ValueError(f"radius must be above 0 and margin at least 0, both finite; got {radius} and {margin}")
    # u.x is alike in every direction u, so a tenth is beyond the margin on either side iff |b| <= widest - margin.
    widest = tail_quantile(_MIN_MASS, n_features, radius)
    if margin >= widest:
        raise ValueError(
            f"margin={margin:g} is too wide: no plane has a tenth of the points of the ball of radius {radius:g} in "
            f"{n_features} dimensions beyond it on each side; a margin below about {widest:.3g} will do"
        )
    rng = np.random.default_rng(random_state)
    w = rng.standard_normal(n_features)
    w /= math.sqrt(squared_norm(w))
    b = float(rng.uniform(margin - widest, widest - margin))
    X = np.empty((n_samples, n_features))
    done = 0
    least = margin + 1e-12 * radius  # sums in another order may come out smaller
    while done < n_samples:
        block = ball_points(max(1, min(_BLOCK // n_features, 2 * (n_samples - done) + 16)), n_features, radius, rng)
        kept = block[np.abs(times(block, w) + b) > least][: n_samples - done]
        X[done : done + len(kept)] = kept
        done += len(kept)
    return X, np.where(times(X, w) + b > 0, 1, -1), w, b


def make_circle(
    n_samples: int, margin: float = 0.1, *, lift: bool = False, random_state: Seed = None
) -> tuple[Array, Array, Array, float]:
    """Draw points (cos t, sin t) of two semicircles, cut by a random line through the centre: y_i w*.x_i > margin.

    Lifted to the sphere, x becomes (x, 1) / sqrt 2: a unit vector in space, margin / sqrt 2 away from the plane.

    Parameters
    ----------
    n_samples : int
    margin : float, at least 0 and below 1
    lift : bool, default=False
        Return points on the sphere, shape (n_samples, 3).
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    X : ndarray, shape (n_samples, 2), or (n_samples, 3) if lifted
    y : ndarray of int64, -1 or +1
    w : ndarray, shape (2,) or (3,), of length 1
    b : float
        0: the line passes through the centre.

    Raises
    ------
    ValueError
        No point of the unit circle is that far from a line through its centre.

    Examples
    --------
    >>> X, y, w, b = make_circle(50, 0.2, random_state=0)
    >>> bool((y * (X @ w + b)).min() > 0.2)
    True
    >>> round(float((make_circle(50, lift=True, random_state=0)[0] ** 2).sum()), 6)
    50.0
    """
    if not 0 <= margin < 1:
        raise ValueError(f"margin must be at least 0 and below 1, the radius of the circle; got {margin}")
    rng = np.random.default_rng(random_state)
    turn = rng.uniform(0, 2 * np.pi)
    y = rng.choice([-1, 1], size=n_samples)
    from_w = rng.uniform(-1, 1, n_samples) * np.arccos(margin + 1e-12)
    angle = turn + from_w + np.where(y > 0, 0.0, np.pi)
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    w = np.array([np.cos(turn), np.sin(turn)])
    if not lift:
        return X, y, w, 0.0
    return np.column_stack([X, np.ones(n_samples)]) / np.sqrt(2), y, np.append(w, 0.0), 0.0


def make_moons(
    n_samples: int, separation: float = -0.5, *, noise: float = 0.0, random_state: Seed = None
) -> tuple[Array, Array, Array, float]:
    """Draw moons, t in [0, pi]: the upper (cos t, sin t), y = +1; the lower (1 - cos t, -separation - sin t), y = -1.

    The line x_2 = -separation / 2 has every point at least separation / 2 from it on its own side; with a negative
    separation the moons interlock and no line separates them (given enough points).

    Parameters
    ----------
    n_samples : int
    separation : float, default=-0.5
    noise : float, default=0
        Standard deviation of the normal noise on each coordinate.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    X : ndarray, shape (n_samples, 2)
    y : ndarray of int64, -1 or +1
    w : ndarray, (0, 1)
    b : float, separation / 2

    Examples
    --------
    >>> X, y, w, b = make_moons(100, 0.4, random_state=0)
    >>> bool((y * (X @ w + b)).min() >= 0.2 - 1e-12)
    True
    >>> X, y, w, b = make_moons(100, random_state=0)
    >>> bool((y * (X @ w + b)).min() < 0)
    True
    """
    rng = np.random.default_rng(random_state)
    y = rng.permutation(np.where(np.arange(n_samples) % 2, 1, -1))
    t = rng.uniform(0, np.pi, n_samples)
    upper = y > 0
    X = np.column_stack(
        [np.where(upper, np.cos(t), 1 - np.cos(t)), np.where(upper, np.sin(t), -separation - np.sin(t))]
    )
    return X + noise * rng.standard_normal(X.shape), y, np.array([0.0, 1.0]), separation / 2


def make_xor(n_samples: int, *, noise: float = 0.0, random_state: Seed = None) -> tuple[Array, Array, Array]:
    """Draw corners of the square (+-1, +-1) with y = -c_1 c_2: positive where the coordinates differ.

    No line separates them; in the product feature x_1 x_2 the threshold 0 does.

    Parameters
    ----------
    n_samples : int
        Corners come equally often (up to one); from 4 rows on all of them are there.
    noise : float, default=0
        Standard deviation of the normal noise added to the corner.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    X : ndarray, shape (n_samples, 2)
    y : ndarray of int64, -1 or +1
    corners : ndarray of int64, shape (n_samples, 2)
        Each row without its noise.

    Examples
    --------
    >>> X, y, corners = make_xor(8, random_state=0)
    >>> int((y * corners.prod(axis=1)).sum())
    -8
    """
    rng = np.random.default_rng(random_state)
    code = rng.permutation(np.arange(n_samples) % 4)
    corners = np.column_stack([2 * (code % 2) - 1, 2 * (code // 2) - 1])
    return corners + noise * rng.standard_normal(corners.shape), -corners.prod(axis=1), corners


def flip_labels(y: Array, share: float, *, random_state: Seed = None) -> tuple[Array, Array]:
    """Give round(share n) of the rows, drawn without replacement, another of the labels, each equally likely.

    Parameters
    ----------
    y : array of shape (n,)
    share : float in [0, 1]
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    noisy : ndarray, shape (n,), the labels with noise
    flipped : ndarray of bool, shape (n,)

    Raises
    ------
    ValueError
        A share outside [0, 1], or labels of one class only.

    Examples
    --------
    >>> noisy, flipped = flip_labels(np.array([-1, 1] * 10), 0.25, random_state=0)
    >>> int(flipped.sum())
    5
    """
    y = np.asarray(y)
    labels, codes = np.unique(y, return_inverse=True)
    if not 0 <= share <= 1 or len(labels) < 2:
        raise ValueError(f"share must be in [0, 1] and y have two labels or more; got {share} and {len(labels)} labels")
    rng = np.random.default_rng(random_state)
    rows = rng.choice(len(y), size=round(share * len(y)), replace=False)
    codes = codes.copy()
    codes[rows] = (codes[rows] + rng.integers(1, len(labels), size=len(rows))) % len(labels)
    return labels[codes], codes != np.searchsorted(labels, y)


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
        s = np.minimum(s + (goal - _log_mass(a, t)) * hyp1f1(1.0, a + 1, t) / a, end)
    return np.asarray(np.sqrt(2 * np.exp(s)))


def _log_mass(a: float, t: Array) -> Array:
    """log P(a, t), also where P is below the smallest double; t > 0."""
    mass = gammainc(a, t)
    small = mass <= _TINY
    result = np.log(np.where(small, 1.0, mass))
    if small.any():
        x = t[small]
        result[small] = a * np.log(x) - x - gammaln(a + 1) + np.log(hyp1f1(1.0, a + 1, x))
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
