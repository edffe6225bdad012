"""A first bracket of the best margin, from a separator that was found for another reason."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.linalg

from linsep.theory.margin.max_margin import MarginBracket
from linsep.types import Array, Hyperplane

_ROUNDING = 2.0**-40  # of the size of what is added up: more than rounding does to a sum
_KNOWN = 2.0**-10  # an end that rounding may move by more than this share of it is not known


def first_bracket(X: Any, s: Array, plane: Hyperplane, fit_intercept: bool) -> MarginBracket | None:
    """The margin of a plane, and half the distance of the class means, above it; None where doubles do not tell."""
    if plane.w.dtype == object or X.dtype == object:
        return None
    share = _shares(s, fit_intercept)
    (lower, _), (upper, _) = ends = _ends(X, s, plane, share)
    if not 0 < lower <= upper < np.inf or not _are_known(ends):
        return None
    return MarginBracket(lower, upper, plane, dict(enumerate(share.tolist())), "free" if fit_intercept else None)


def is_bracket(said: tuple[float, float], X: Any, s: Array, plane: Hyperplane, fit_intercept: bool) -> bool:
    """Whether a bracket is the one of `first_bracket`, as far as rounding on another machine lets that be asked.

    Examples
    --------
    >>> X, s, plane = np.array([[0.0], [2.0]]), np.array([-1.0, 1.0]), Hyperplane(np.array([1.0]), -1.0)
    >>> is_bracket((1.0, 1.0), X, s, plane, True), is_bracket((1.0, 1.1), X, s, plane, True)
    (True, False)

    At 1e14 the spacing of doubles is coarse beside a margin of 1, so nothing is said of it:

    >>> is_bracket((0.9, 0.95), X + 1e14, s, Hyperplane(plane.w, -1e14 - 1), True)
    False
    """
    # Whoever wrote it may have had the same numbers as doubles.
    if plane.w.dtype == object:
        return False
    ends = _ends(X, s, plane, _shares(s, fit_intercept))
    return _are_known(ends) and all(abs(end - value) <= slack for end, (value, slack) in zip(said, ends, strict=True))


def _are_known(ends: Iterable[tuple[float, float]]) -> bool:
    return all(slack <= _KNOWN * abs(value) for value, slack in ends)


def _shares(s: Array, fit_intercept: bool) -> Array:
    """The weight of each row: the class means with an intercept, else the mean of all."""
    plus = s > 0
    return np.where(plus, 0.5 / plus.sum(), 0.5 / (~plus).sum()) if fit_intercept else np.full(s.size, 1 / s.size)


def _ends(X: Any, s: Array, plane: Hyperplane, share: Array) -> tuple[tuple[float, float], tuple[float, float]]:
    """Both ends of the bracket, each with how far rounding may have moved it."""
    doubles = X.astype(np.float64, copy=False)
    # BLAS scales a norm as it goes: squares of tiny or huge entries would leave the range of doubles.
    norm, upper = scipy.linalg.norm(plane.w), float(scipy.linalg.norm((share * s) @ doubles))
    with np.errstate(over="ignore", invalid="ignore"):
        lower = float((s * (doubles @ plane.w + plane.b)).min() / norm)
        size = float((abs(doubles) @ abs(plane.w) + abs(plane.b)).max() / norm)
        sizes = float(scipy.linalg.norm(share @ abs(doubles)))
    return (lower, _ROUNDING * size), (upper, _ROUNDING * sizes)
