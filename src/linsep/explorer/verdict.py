"""What is proved about the rows of a story: the verdict, the best plane, the bound and the witness."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from linsep.explorer.runs import SECONDS, Setting
from linsep.theory.margin.geometry import row_norms2
from linsep.theory.margin.max_margin import max_margin
from linsep.theory.separability.certificate import Separability
from linsep.theory.separability.decide import separability
from linsep.types import Array, Hyperplane

_ON_MARGIN = 1e-6  # rows whose margin is the least one but for this part of it hold the plane


def verdict_of(at: Setting, seconds: float = SECONDS) -> dict[str, Any]:
    """The verdict on rows and what goes with it, as plain values; all but the bracket of the margin is exact.

    The proof may take so many seconds, and the margin as many again.
    """
    found = separability(at.X, at.y, fit_intercept=at.constant > 0, time_limit=seconds)
    length = float(np.sqrt(row_norms2(at.X).max() + at.constant2))
    told: dict[str, Any] = {
        "verdict": _word(found),
        "line": found.summary(),
        "plane": None,
        "u": None,
        "gamma": None,
        "R": length,
        "bound": None,
        "witness": _witness(found),
        "support": [],
    }
    return {**told, **_margins(at, found, seconds)} if found.verdict == "separable" else told


def _word(found: Separability) -> str:
    if found.verdict in ("separable", "undecided"):
        return found.verdict
    return "inseparable"  # quasi-separable rows, too, have a witness and no plane with all of them on their sides


def _witness(found: Separability) -> dict[str, Any] | None:
    if found.witness is None:
        return None
    weights = [int(weight) for weight in found.witness.weights]
    whole = sum(weights)
    shares = [weight / whole for weight in weights]
    return {"rows": [int(row) for row in found.witness.rows], "weights": list(map(str, weights)), "shares": shares}


def _margins(at: Setting, found: Separability, seconds: float) -> dict[str, Any]:
    """The plane of the best margin, and (R / gamma)^2 at the best vector over (x, c)."""
    c = at.constant
    drawn = max_margin(at.X, at.y, bias="free" if c else None, time_limit=seconds).hyperplane
    seen = max_margin(at.X / c, at.y, bias="homogeneous", time_limit=seconds).hyperplane if c else drawn
    planes = [drawn, Hyperplane(seen.w, c * seen.b) if c else seen]
    if found.hyperplane is not None and found.hyperplane.w.dtype != object:  # integers may be beyond doubles
        planes.append(found.hyperplane)
    planes = [one for one in planes if np.isfinite(one.w).all() and _margin(at, one)[0] > 0]
    if not planes:
        return {}
    best = max(planes, key=lambda one: _margin(at, one)[0])
    gamma, margins = _margin(at, best)
    v = _vector(at, best)
    first = planes[0]
    at_plane = at.y * (at.X @ first.w + first.b)
    low = float(at_plane.min())
    return {
        "plane": {"w": first.w.tolist(), "b": float(first.b)},
        "u": (v / np.linalg.norm(v)).tolist(),
        "gamma": gamma,
        "bound": _bound(at, v, margins),
        "support": np.flatnonzero(at_plane <= low * (1 + _ON_MARGIN)).tolist(),
    }


def _vector(at: Setting, plane: Hyperplane) -> Array:
    """(w, b / c), whose product with (x, c) is z."""
    return np.append(plane.w, plane.b / at.constant if at.constant else 0.0)


def _margin(at: Setting, plane: Hyperplane) -> tuple[float, Array]:
    """The least y z / ||(w, b / c)||, and y z of all rows."""
    margins = at.y * (at.X @ plane.w + plane.b)
    length = float(np.linalg.norm(_vector(at, plane)))
    return (float(margins.min()) / length if length > 0 else 0.0), margins


def _bound(at: Setting, v: Array, margins: Array) -> int | None:
    """The largest whole number that is at most (R / gamma)^2 at v, in exact arithmetic: a run makes no more mistakes.

    Floating point leaves out the rows that can hold neither R nor the least margin; the others are computed as
    fractions.
    """
    norms2 = row_norms2(at.X)
    exact_v, c = [Fraction(float(one)) for one in v], Fraction(float(at.constant))
    slack = 2.0**-50 * (v.size + 2) * float(np.sqrt(norms2.max() + at.constant2) * np.linalg.norm(v))
    low = np.flatnonzero(margins <= margins.min() + 2 * slack)
    far = np.flatnonzero(norms2 >= norms2.max() * (1 - 2.0**-50 * (v.size + 2)))
    signed = np.unique(at.y[low, None] * np.column_stack([at.X[low], np.full(low.size, at.constant)]), axis=0)
    least = min(sum(a * Fraction(x) for a, x in zip(exact_v, row, strict=False)) for row in signed.tolist())
    longest = np.unique(np.abs(at.X[far]), axis=0)
    radius2 = max(sum(Fraction(x) ** 2 for x in row) for row in longest.tolist()) + c**2
    if least <= 0:
        return None
    return int(radius2 * sum(a * a for a in exact_v) / least**2)
