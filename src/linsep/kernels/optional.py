"""Parts of a pass that may be absent: weights, a visiting order, and who is told of updates.

An absent order and absent weights are arrays without entries: asking costs a pass nothing that can be measured, and one
compiled kernel serves both cases. A `watch` that is None costs nothing: the code for it is not even compiled.

The type of a step rule selects how far to move at a margin. A number is the margin up to which a perceptron moves (0 of
Rosenblatt 1958, a tie a mistake; above 0 of Krauth and Mezard 1987, without their choice of the worst row); the others
are namedtuples of `passes.py`. An update is w += tau y x, b += c^2 tau y, where tau depends on the functional margin m
(y z, or z_y - z_r between two classes) and on the squared length q of what is added (||x||^2 + c^2; twice that between
two classes). c is the constant feature whose weight is b / c, or 0 without an intercept. tau = 0 means no update.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types

from linsep.kernels.compiled import by_type, inner
from linsep.kernels.rows import row_axpy, row_dot, row_norm2
from linsep.passes import PA1, Mean, Predicted, UpdateLog

# All bits but the sign. A row number cleared of it needs no look whether it counts from the end, a tenth of a pass.
_NO_SIGN = np.int64(2**63 - 1)


def is_pair(watch: Any) -> bool:
    """Whether the Numba type `watch` is that of two watches: two of one type are a tuple of another kind."""
    return isinstance(watch, types.Tuple | types.UniTuple)


@inner(nogil=True)
def row_at(order: Any, t: int) -> Any:
    """The row visited at step t: order[t], or t itself where there is no order."""
    return np.int64(order[t]) & _NO_SIGN if order.shape[0] > 0 else t


@inner(nogil=True)
def weight_at(weight: Any, i: int) -> Any:
    """The weight of row i, or 1 where there are no weights."""
    return weight[i] if weight.shape[0] > 0 else 1.0


@inner(nogil=True)
def _is_wrong(m: float, y: float) -> Any:
    """Whether a row with the margin m = y z is predicted wrongly."""
    return not m >= 0.0 if y > 0.0 else m <= 0.0  # NaN is not >= 0


@inner(nogil=True)
def note_value(told: Any, i: int, z: float) -> None:
    """Tell a `Predicted` the decision value of row i, if it wants to know."""
    if told.values.shape[0] > 0:
        told.values[i] = z
        told.said[i] = z >= 0.0


@by_type()
def note_margin(watch: Any, X: Any, i: Any, m: Any, y: Any, visit: Any) -> Callable[..., Any]:
    """Tell a `Predicted`, the first of a pair, the margin m = y z of row i before its update."""

    def predicted(watch: Any, X: Any, i: Any, m: Any, y: Any, visit: Any) -> None:
        watch[0].wrong[i] = _is_wrong(m, y)
        note_value(watch[0], i, y * m)

    def beside_mean(watch: Any, X: Any, i: Any, m: Any, y: Any, visit: Any) -> None:
        watch[0].wrong[i] = _is_wrong(m, y)
        note_value(watch[0], i, y * m)
        if watch[0].asked[i]:
            past = (row_dot(X, i, watch[1].u[0]) + watch[1].u_b[0]) / max(visit, 1)  # u is 0 before the first visit
            watch[0].missed[i] = _is_wrong(m - y * past, y)
            note_value(watch[0], i, y * m - past)

    return told_before(watch, predicted, beside_mean, lambda watch, X, i, m, y, visit: None)


def told_before(
    watch: Any, predicted: Callable[..., Any], beside_mean: Callable[..., Any], otherwise: Callable[..., Any]
) -> Callable[..., Any]:
    """What is right for the Numba type `watch`: a pair of a `Predicted` with a `Mean` or without, or anything else."""
    first, second = (getattr(one, "instance_class", None) for one in (watch if is_pair(watch) else [None, None]))
    return otherwise if first is not Predicted else beside_mean if second is Mean else predicted


@by_type()
def note_update(watch: Any, X: Any, i: Any, a: Any, intercept: Any, visit: Any, k: Any) -> Callable[..., Any]:
    """Tell `watch` that class k moved by a x_i: an `UpdateLog`, a `Mean`, a pair of both, or None."""

    def enter(watch: Any, X: Any, i: Any, a: Any, intercept: Any, visit: Any, k: Any) -> None:
        e = watch.used[0]
        if e < watch.rows.shape[0]:
            watch.rows[e] = i
            watch.visits[e] = visit
            watch.classes[e] = k
            watch.steps[e] = a
        watch.used[0] = e + 1

    def average(watch: Any, X: Any, i: Any, a: Any, intercept: Any, visit: Any, k: Any) -> None:
        row_axpy(X, i, a * visit, watch.u[k])
        watch.u_b[k] += intercept * a * visit

    def both(watch: Any, X: Any, i: Any, a: Any, intercept: Any, visit: Any, k: Any) -> None:
        note_update(watch[0], X, i, a, intercept, visit, k)
        note_update(watch[1], X, i, a, intercept, visit, k)

    if is_pair(watch):
        return both
    kind = getattr(watch, "instance_class", None)
    if kind is UpdateLog:
        return enter
    return average if kind is Mean else (lambda watch, X, i, a, intercept, visit, k: None)


@by_type()
def before_update(watch: Any, X: Any, visit: Any, k: Any) -> Callable[..., Any] | None:
    """Tell `watch` that class k is about to move; all but a `Pocket` (`pocket.py`), alone or in a pair, ignore it."""

    def both(watch: Any, X: Any, visit: Any, k: Any) -> None:
        before_update(watch[0], X, visit, k)
        before_update(watch[1], X, visit, k)

    if is_pair(watch):
        return both
    if getattr(watch, "instance_class", None) in (None, UpdateLog, Mean, Predicted):
        return lambda watch, X, visit, k: None
    return None  # `pocket.py` has an overload for its own type


@by_type()
def step_size(rule: Any, m: Any, X: Any, i: Any, intercept: Any, copies: Any) -> Callable[..., Any]:
    """tau of the rule at margin m, for q = copies (||x_i||^2 + intercept), computed only where it is needed."""

    def pa1(rule: Any, m: Any, X: Any, i: Any, intercept: Any, copies: Any) -> Any:
        if m >= 1.0:
            return 0.0
        q = copies * (row_norm2(X, i) + intercept)
        return min(rule.C, (1.0 - m) / q) if q > 0.0 else 0.0

    def pa2(rule: Any, m: Any, X: Any, i: Any, intercept: Any, copies: Any) -> Any:
        if m >= 1.0:
            return 0.0
        return (1.0 - m) / (copies * (row_norm2(X, i) + intercept) + 0.5 / rule.C)

    if isinstance(rule, types.Float):
        return lambda rule, m, X, i, intercept, copies: 1.0 if m <= rule else 0.0
    return pa1 if rule.instance_class is PA1 else pa2
