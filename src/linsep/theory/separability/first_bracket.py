"""A first bracket of the best margin, from a separator that was found for another reason."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp

from linsep.tables import is_sparse, stored
from linsep.theory.margin.max_margin import MarginBracket
from linsep.types import Array, Hyperplane

_ROUNDING = 2.0**-40  # of the size of what is added up: more than rounding does to a sum
_LEAST = 2.0**-400  # of the largest entry
_KNOWN = 2.0**-10  # an end that rounding may move by more than this share of it is not known


def first_bracket(X: Any, s: Array, plane: Hyperplane, fit_intercept: bool) -> MarginBracket | None:
    """The margin of a plane, and half the distance of the class means, above it; None where doubles do not tell."""
    if plane.w.dtype == object or X.dtype == object:
        return None
    share = _shares(s, fit_intercept)
    unit, ends = _ends(X, s, plane, share)
    lower, upper = (float(np.ldexp(value, unit)) for value, _ in ends)
    if not 0 < lower <= upper < np.inf or not _are_known(ends):
        return None
    return MarginBracket(lower, upper, plane, dict(enumerate(share.tolist())), "free" if fit_intercept else None)


def _are_known(ends: Iterable[tuple[float, float]]) -> bool:
    return all(slack <= _KNOWN * abs(value) for value, slack in ends)


def _shares(s: Array, fit_intercept: bool) -> Array:
    """The weight of each row: the class means with an intercept, else the mean of all."""
    plus = s > 0
    return np.where(plus, 0.5 / plus.sum(), 0.5 / (~plus).sum()) if fit_intercept else np.full(s.size, 1 / s.size)


def _ends(X: Any, s: Array, plane: Hyperplane, share: Array) -> tuple[int, list[tuple[float, float]]]:
    """k, and both ends of the bracket over 2^k, each with how far rounding may have moved it.

    The largest entry of X and that of the plane become about 1, so that what rounds to 0 is below the least slack.
    """
    doubles: Any = X.astype(np.float64, copy=False)
    unit, of_plane = (int(np.frexp(np.abs(values).max(initial=0.0))[1]) for values in (stored(doubles), plane.w))
    w, b = np.ldexp(plane.w, -of_plane), float(np.ldexp(plane.b, -of_plane - unit))
    scaled = np.ldexp(stored(doubles), -unit)
    doubles = sp.csr_matrix((scaled, doubles.indices, doubles.indptr), doubles.shape) if is_sparse(doubles) else scaled
    with np.errstate(over="ignore", invalid="ignore"):
        norm, upper = np.linalg.norm(w), float(np.linalg.norm((share * s) @ doubles))
        lower = float((s * (doubles @ w + b)).min() / norm)
        size = float((abs(doubles) @ abs(w) + abs(b)).max() / norm)
        sizes = float(np.linalg.norm(share @ abs(doubles)))
    return unit, [(value, _ROUNDING * size + _LEAST) for value, size in ((lower, size), (upper, sizes))]
