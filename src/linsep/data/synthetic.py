"""Made data that return the truth planted in them."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.stats
from sklearn.utils import check_random_state

from linsep.types import Array

_MIN_MASS = 0.1
_TRIES = 1000
_BLOCK = 1 << 20


def _ball_points(n: int, p: int, radius: float, rng: Any) -> Array:
    """Standard normal points given ||x|| <= radius: a uniform direction times an inverse chi draw, none rejected."""
    directions = rng.standard_normal((n, p))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    chi = scipy.stats.chi(p)
    return np.asarray(directions * chi.ppf(rng.uniform(size=n) * chi.cdf(radius))[:, None])


def make_separable(
    n_samples: int, n_features: int, margin: float, *, radius: float = 3.0, random_state: Any = None
) -> tuple[Array, Array, Array, float]:
    """Draw rows with y_i (w*.x_i + b*) > margin, ||w*|| = 1, ||x_i|| <= radius.

    Points are standard normal given that they lie in the ball; w* is uniform on the sphere and b* uniform in
    (-radius, radius), redrawn until each class keeps at least a tenth of the points; rows nearer than `margin` to the
    plane are left out.

    Parameters
    ----------
    n_samples, n_features : int
    margin : float
        Every row is farther than this from the planted plane.
    radius : float, default=3.0
    random_state : int, RandomState or None

    Returns
    -------
    X : ndarray of float64, shape (n_samples, n_features)
    y : ndarray of int64, -1 or +1
    w : ndarray, shape (n_features,), of length 1
    b : float

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
    if n_samples < 1 or n_features < 1 or not radius > 0 or not margin >= 0:
        raise ValueError("n_samples and n_features must be at least 1, radius above 0 and margin at least 0")
    rng = check_random_state(random_state)
    w, b = _plant(n_features, margin, radius, rng)
    kept: list[Array] = []
    n_kept = 0
    while n_kept < n_samples:
        X = _ball_points(max(1, min(_BLOCK // n_features, 2 * (n_samples - n_kept) + 16)), n_features, radius, rng)
        X = X[np.abs(X @ w + b) > margin]
        kept.append(X)
        n_kept += len(X)
    X = np.concatenate(kept)[:n_samples]
    return X, np.where(X @ w + b > 0, 1, -1), w, b


def _plant(p: int, margin: float, radius: float, rng: Any) -> tuple[Array, float]:
    """A plane with a tenth of the mass beyond the margin on either side, judged on 4,000 points."""
    w = rng.standard_normal(p)
    w /= np.linalg.norm(w)
    z = np.sort(_ball_points(4000, p, radius, rng) @ w)
    if margin < radius:
        for _ in range(_TRIES):
            b = float(rng.uniform(-radius, radius))
            if min((z + b > margin).mean(), (z + b < -margin).mean()) >= _MIN_MASS:
                return w, b
    raise ValueError(
        f"margin={margin:g} is too wide: no plane has a tenth of the points of the ball of radius {radius:g} in "
        f"{p} dimensions beyond it on each side; about {max(0.0, float(z[-400] - z[400]) / 2):.3g} would do"
    )
