"""Could rounding of the inputs change the verdict? Doubles that are no integers may be off by half a last place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.linalg

from linsep.tables import dense, is_sparse, stored
from linsep.theory.rows.exact_signs import as_floats
from linsep.theory.verify.near_weights import NearWeights
from linsep.types import Array, Hyperplane

_HALF = 2.0**-53  # half a unit in the last place of a double, relative to it; twice that where it is least
_STEP = 4096


def is_fragile(
    X: Any,
    s: Array,
    hyperplane: Hyperplane | None,
    directions: Sequence[Hyperplane],
    left: Array,
    witness: Mapping[int, int] | None,
    overlap: Mapping[int, int] | None,
    null: Sequence[Mapping[int, int]],
    fit_intercept: bool,
    near: NearWeights | None = None,
) -> bool:
    """Whether rounding of the inputs could change a verdict with these parts of a proof."""
    if exact_inputs(X):
        return False
    if hyperplane is not None:
        return direction_is_fragile(X, s, hyperplane, np.arange(X.shape[0]))
    if directions and not left.size:  # several directions, and no one plane instead of them
        return True
    if near and near_is_fragile(X, near, null, left, fit_intercept):
        return True
    if overlap and not near and overlap_is_fragile(X, s, overlap, null, left, fit_intercept):
        return True
    if witness and not overlap and witness_is_fragile(X, s, witness, fit_intercept):
        return True
    if not directions:
        return False
    # Rounding is about the last direction alone: peeled columns are 0 on the rows that they leave, and stay so.
    last = directions[-1]
    w = as_floats([*last.w.tolist(), int(last.b)])
    margins = s * (X.astype(np.float64) @ w[:-1] + w[-1])
    return direction_is_fragile(X, s, last, np.setdiff1d(np.flatnonzero(margins > 0), left))


def exact_inputs(X: Any) -> bool:
    """Whether no entry can be the rounding of another number: integers, Fractions, doubles that are integers."""
    if X.dtype.kind != "f":
        return X.dtype != object or not any(isinstance(v, float) and v != int(v) for v in X.ravel().tolist())
    values = stored(X)
    return bool(np.array_equal(values, np.rint(values)))


def _half_places(part: Any) -> Any:
    """How far each entry may be off."""
    values = stored(part)
    values = values.astype(np.float64) if values.dtype == object else values
    unit = np.finfo(values.dtype).eps / 2 if values.dtype.kind == "f" else _HALF
    off = np.where(values == np.rint(values), 0.0, np.abs(values) * unit * 1.01)
    if not is_sparse(part):
        return off
    out = part.astype(np.float64)
    out.data = off
    return out


def direction_is_fragile(X: Any, s: Array, plane: Hyperplane, rows: Array) -> bool:
    """Whether a margin of one of the `rows` is no larger than what rounding of that row could take away."""
    v = as_floats([*plane.w.tolist(), int(plane.b)]) if plane.w.dtype == object else np.append(plane.w, plane.b)
    unit = max(_HALF, float(np.finfo(X.dtype).eps / 2) if X.dtype.kind == "f" else 0.0)
    for start in range(0, rows.size, _STEP):
        at = rows[start : start + _STEP]
        part = X if at.size == X.shape[0] else X[at]
        doubles = part.astype(np.float64, copy=False)
        margin = s[at] * (doubles @ v[:-1] + v[-1])
        size = abs(doubles) @ abs(v[:-1]) + abs(v[-1])
        noise = 2.0**-52 * v.size * size
        if (margin > noise + 1.01 * unit * size).all():  # no entry is off by more than that share of it
            continue
        moved = _half_places(part) @ abs(v[:-1])
        if (moved > 0).any() and (margin <= moved + noise)[moved > 0].any():
            return True
    return False


def witness_is_fragile(X: Any, s: Array, weights: Mapping[int, int], fit_intercept: bool) -> bool:
    """Whether rows that add up to 0 could stop to: always where they leave a dimension in which rounding moves them."""
    rows = X[list(weights)]
    if exact_inputs(rows):
        return False
    if len(weights) <= X.shape[1] + fit_intercept:
        return True
    return overlap_is_fragile(X, s, weights, (), np.array(list(weights)), fit_intercept)


def _is_bent(X: Any, null: Sequence[Mapping[int, int]], left: Array) -> bool:
    """Whether rounding could move rows off the plane of a null vector."""
    bent = np.unique([j for vector in null for j in vector if j < X.shape[1]]).astype(np.int64)
    columns = X.tocsc() if hasattr(X, "tocsc") else X
    return bool(bent.size and abs(_half_places(columns[:, bent][left])).sum() > 0)


def near_is_fragile(
    X: Any, near: NearWeights, null: Sequence[Mapping[int, int]], left: Array, fit_intercept: bool
) -> bool:
    """The same as `overlap_is_fragile`, of weights near exact ones: how much of each weight rounding could move."""
    if _is_bent(X, null, left):
        return True
    B, ids = X[list(near.basis)].astype(np.float64), np.array(near.rows)
    scale = np.maximum(np.abs(B).max(axis=0), 1e-300)
    B = np.column_stack([B / scale, np.ones(len(B))]) if fit_intercept else B / scale
    top, moved = max(near.weights).bit_length(), np.zeros(B.shape[1])
    y = np.array([v / (1 << top) for v in near.weights])
    for start in range(0, y.size, _STEP):
        off = _half_places(X[ids[start : start + _STEP]])
        moved[: scale.size] += y[start : start + _STEP] @ off / scale
    inverse = np.linalg.inv(B) if len(B) == B.shape[1] else np.linalg.pinv(B)
    with np.errstate(over="ignore", invalid="ignore"):
        return not (2.0 * (moved @ np.abs(inverse)) < y[np.searchsorted(ids, near.basis)]).all()


def overlap_is_fragile(
    X: Any, s: Array, weights: Mapping[int, int], null: Sequence[Mapping[int, int]], left: Array, fit_intercept: bool
) -> bool:
    """Whether rows that overlap could stop to, or leave the directions on which they are all 0."""
    if _is_bent(X, null, left):
        return True
    ids = list(weights)
    Z = dense(X[ids]).astype(np.float64) * s[ids][:, None]
    Z, off = (np.column_stack([Z, s[ids]]) if fit_intercept else Z), _half_places(Z)
    off = np.column_stack([off, np.zeros(len(ids))]) if fit_intercept else off
    if not off.any():
        return False
    top = max(weights.values()).bit_length()
    y = np.array([weights[i] / (1 << top) for i in ids])
    scale = np.maximum(np.abs(Z).max(axis=0), 1e-300)
    # Rows of the overlap that span, with the columns that tell them apart: their weights absorb a change of all.
    R, pivots = scipy.linalg.qr((Z / scale).T * y, mode="r", pivoting=True)
    size = np.abs(np.diagonal(R))
    basis = pivots[: int((size > 1e-12 * size[0]).sum())]
    if not basis.size:  # weights so far apart that doubles tell nothing
        return True
    with np.errstate(all="ignore"):  # of scales so far apart that doubles tell nothing
        inverse = np.abs(np.linalg.pinv(Z[basis] / scale))
        moved, own = (y @ (off / scale)) @ inverse, (off[basis] / scale) @ inverse
        return not (own.sum(axis=1).max() <= 0.5 and (2 * moved < y[basis]).all())
