"""One pass of a binary learner over its rows, plain and exactly skipping, and runs of many passes.

A pass visits rows in the order given and updates `w` and `b` in place. Labels are -1.0 and +1.0 in float64.
The intercept is the weight of a feature that is 1 in every row; that feature is never stored. `intercept` is
1.0 to learn it and 0.0 to leave it at 0.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from linsep.kernels.ahead import fetch_ahead
from linsep.kernels.optional import before_update, note_margin, note_update, row_at, weight_at
from linsep.kernels.rows import FASTMATH, row_axpy, row_count, row_dot, row_norm2
from linsep.kernels.steps import PerceptronStep, step_size
from linsep.types import Array

# Columns of the record that a run keeps, one row an epoch.
RECORD = ("mistakes", "updates", "dots", "norm_w", "b", "cos", "w_dot_reference", "absorbed", "bits")


class Rows(NamedTuple):
    """What a pass reads: rows, labels and, where there are any, weights and a visiting order.

    `own` weighs a row for its own class alone; a binary pass has it multiplied into `weight`.
    """

    X: Any
    y: Array
    weight: Array | None = None
    own: Array | None = None
    order: Array | None = None


class Skip(NamedTuple):
    """What exact skipping remembers of a past weight vector r.

    `rz[i]` = r.x_i + b_r; `norm[i]` an upper bound on ||(x_i, intercept)||; `g[i]` a lower bound on
    y_i rz[i] / norm[i]; `state` = (D2, E, ||r||, work, pause, next pause, sweeps, distance), see
    `skipping_epoch`.
    """

    rz: Array
    norm: Array
    g: Array
    state: Array


_D2, _E, _NORM_R, _WORK, _PAUSE, _NEXT_PAUSE, _SWEEPS, _DISTANCE = range(8)
# Sweeps' worth of dot products between two references, at first and at most; it grows by a quarter each time. w moves
# fast in the beginning; later its distance from r grows like a random walk, so old references serve long.
_FIRST_SWEEPS, _MOST_SWEEPS = 2.0, 12.0


@njit(cache=True, nogil=True, fastmath=FASTMATH)
def plain_epoch(
    X: Any, y: Any, weight: Any, order: Any, step: Any, w: Any, b: Any, intercept: float, watch: Any, visit: int
) -> tuple[int, int, int]:
    """w += tau y x, b += tau y at each row whose step size tau is not 0. Return (mistakes, updates, absorbed).

    An absorbed update is one that rounding left without any effect on w, unless it only was to lift a margin that is
    right by a hair (aggressive steps end so). Changes `w` (n_features,), `b` (1,) and
    `watch`. A mistake is y z <= 0. `visit` counts the rows visited before this pass; it is only told to `watch`.
    """
    mistakes = 0
    updates = 0
    absorbed = 0
    for t in range(row_count(X)):
        i = row_at(order, t)
        fetch_ahead(X, y, order, t)
        m = y[i] * (row_dot(X, i, w) + b[0])
        note_margin(watch, i, m, y[i])
        if m <= 0.0:
            mistakes += 1
        tau = step_size(step, m, X, i, intercept, 1.0) * weight_at(weight, i)
        if tau > 0.0:
            updates += 1
            before_update(watch, X, visit + t, 0)
            if not row_axpy(X, i, tau * y[i], w) and (m <= 0.0 or tau >= 1.0):
                absorbed += row_norm2(X, i) > 0.0
            b[0] += intercept * tau * y[i]
            note_update(watch, X, i, tau * y[i], intercept, visit + t, 0)
    return mistakes, updates, absorbed


@njit(cache=True, nogil=True)
def _guard(w: Any) -> Any:
    """c p eps: 4 (p + 8) times the unit of w's dtype, see `skipping_epoch`."""
    return 4.0 * (w.shape[0] + 8.0) * np.finfo(w.dtype).eps


@njit(cache=True, nogil=True)
def _threshold(skip: Any, guard: float) -> Any:
    """The least g_i that proves row i right: sqrt(D2 + E) + guard (||w|| + ||r||), ||w|| <= ||r|| + ||w - r||."""
    distance = np.sqrt(max(skip.state[_D2], 0.0) + skip.state[_E]) * (1.0 + 1e-14)
    skip.state[_DISTANCE] = distance
    return distance + guard * (2.0 * skip.state[_NORM_R] + distance)


@njit(cache=True, nogil=True, fastmath=FASTMATH)
def squared_norm(w: Any) -> Any:
    """||w||^2, summed in float64."""
    norm2 = 0.0
    for j in range(w.shape[0]):
        norm2 += np.float64(w[j]) * np.float64(w[j])
    return norm2


@njit(cache=True, nogil=True, fastmath=FASTMATH)
def _take_reference(X: Any, y: Any, w: Any, b: Any, intercept: float, skip: Any) -> None:
    """r <- w: fill `skip` with the margins of every row under w."""
    tiny = (w.shape[0] + 1) * np.finfo(w.dtype).tiny
    for i in range(row_count(X)):
        z = row_dot(X, i, w) + b[0]
        skip.rz[i] = z
        skip.g[i] = (y[i] * z - tiny) / skip.norm[i] if skip.norm[i] > 0.0 else -np.inf
    norm2 = intercept * np.float64(b[0]) * np.float64(b[0]) + squared_norm(w)
    skip.state[_D2] = 0.0
    skip.state[_E] = 0.0
    skip.state[_NORM_R] = np.sqrt(norm2) * (1.0 + _guard(w))
    skip.state[_SWEEPS] = min(1.25 * skip.state[_SWEEPS], _MOST_SWEEPS)


@njit(cache=True, nogil=True, fastmath=FASTMATH)
def skipping_epoch(
    X: Any, y: Any, weight: Any, order: Any, w: Any, b: Any, intercept: float, skip: Any, watch: Any, visit: int
) -> tuple[int, int, int]:
    """One pass of the plain perceptron that leaves out dot products whose sign is already proved.

    Return (mistakes, dot products done, absorbed updates). Changes `w`, `b`, `skip` and `watch`; the sequence of
    updates is that of `plain_epoch` with `PerceptronStep(0)`, to the last bit.

    Let r be a past weight vector with z'_i = r.x_i kept (rows, w and r with the constant). Since
    y_i w.x_i >= y_i r.x_i - ||w - r|| ||x_i||, row i is right while ||w - r|| < g_i = y_i z'_i / ||x_i||.
    An update by a = tau y changes D2 = ||w - r||^2 by 2 a (z - z'_i) + a^2 ||x_i||^2, so D2 costs O(1).

    The guard. A dot product of p + 1 terms in any order is off by at most k ||w|| ||x||, k = (p + 2) eps, and the
    stored w differs from w + a x by at most eps (||w|| + 2 |a| ||x||) in norm. So one update moves D2 off by
    at most 2 |a| k (||w|| + ||r||) ||x|| + 2 eps (||w|| + 2 |a| ||x||)(D + |a| ||x||) plus the rounding of the
    sum, which is below c p eps (||w|| + ||r|| + |a| ||x||)(|a| ||x|| + D) for c p eps = 4 (p + 8) eps: E adds
    these up. Row i is skipped only if g_i > sqrt(D2 + E) + c p eps (||w|| + ||r||), and then the *computed*
    margin is positive too. What underflows is at most p times the smallest normal number, taken off g_i
    beforehand; anything not finite compares false, so the row is visited.
    """
    n = row_count(X)
    guard = _guard(w)
    threshold = _threshold(skip, guard)
    work = skip.state[_WORK]
    mistakes = 0
    dots = 0
    absorbed = 0
    for t in range(n):
        i = row_at(order, t)
        fetch_ahead(X, y, order, t)
        if skip.g[i] > threshold:
            continue
        if work >= skip.state[_SWEEPS] * n:
            _take_reference(X, y, w, b, intercept, skip)
            threshold = _threshold(skip, guard)
            dots += n
            work = 0.0
            if skip.g[i] > threshold:
                continue
        z = row_dot(X, i, w) + b[0]
        dots += 1
        work += 1.0
        if y[i] * z <= 0.0:
            tau = weight_at(weight, i)
            if tau > 0.0:
                before_update(watch, X, visit + t, 0)
                if not row_axpy(X, i, tau * y[i], w):
                    absorbed += row_norm2(X, i) > 0.0
                b[0] += intercept * tau * y[i]
                note_update(watch, X, i, tau * y[i], intercept, visit + t, 0)
                _track(skip, guard, i, tau * y[i], np.float64(z))
                threshold = _threshold(skip, guard)
            mistakes += 1
    skip.state[_WORK] = work
    return mistakes, dots, absorbed


@njit(cache=True, nogil=True)
def _track(skip: Any, guard: float, i: int, a: float, z: float) -> None:
    """Carry D2 = ||w - r||^2 and its error bound E over the update w += a x_i made at decision value z.

    The distance after it is at most the one before plus ||a x_i||.
    """
    move = abs(a) * skip.norm[i]
    reach = skip.state[_DISTANCE] + 2.0 * move
    skip.state[_D2] += 2.0 * a * (z - skip.rz[i]) + move * move
    skip.state[_E] += guard * (2.0 * skip.state[_NORM_R] + reach) * reach


def make_skip(n_rows: int) -> Skip:
    """Return an empty memory for `skipping_epoch`; `start_skip` fills it."""
    return Skip(np.empty(n_rows), np.empty(n_rows), np.empty(n_rows), np.zeros(8))


@njit(cache=True, nogil=True)
def _forget(skip: Any) -> None:
    """Leave nothing to skip against, and ask for a reference at the next visit."""
    skip.g[:] = -np.inf
    skip.state[_WORK] = np.inf


@njit(cache=True, nogil=True)
def start_skip(X: Any, intercept: float, skip: Any) -> None:
    """Fill the row norms, rounded up."""
    for i in range(row_count(X)):
        skip.norm[i] = np.sqrt(row_norm2(X, i) + intercept) * (1.0 + 1e-9)
    skip.rz[:] = 0.0
    skip.state[:] = 0.0
    _forget(skip)
    skip.state[_NEXT_PAUSE] = 1.0
    skip.state[_SWEEPS] = _FIRST_SWEEPS


# fastmath is handed down to callees that do not refuse it, and would undo the split below.
@njit(cache=True, nogil=True, fastmath=False)
def bits_in_use(w: Any) -> int:
    """The most significant bits that an entry of w takes, from its first to its last 1: 53 at most, 24 in float32.

    An integer w needs about log2(R sqrt t) bits after t mistakes; one that uses them all is about to round.
    """
    most = 0
    factor = np.inf
    full = 53 if w.itemsize == 8 else 24
    for j in range(w.shape[0]):
        # Veltkamp's split rounds to `most` bits: an entry that survives it has no more.
        product = factor * np.float64(w[j])
        if w[j] == 0.0 or product - (product - w[j]) == w[j]:
            continue
        mantissa = np.int64(abs(math.frexp(w[j])[0]) * 2.0**53)
        bits = 53
        while mantissa & 0xFFFF == 0:
            mantissa >>= 16
            bits -= 16
        while mantissa & 1 == 0:
            mantissa >>= 1
            bits -= 1
        most = max(most, bits)
        if most >= full:
            break
        factor = 2.0 ** (53 - most) + 1.0
    return most


@njit(cache=True, nogil=True, fastmath=FASTMATH)
def _write_record(record: Any, e: int, w: Any, b: Any, reference: Any) -> None:
    """Enter ||w||, b and, with a reference (w*, b*), the cosine of the angle to it and w.w* + b b*."""
    norm2 = squared_norm(w)
    record[e, 3] = np.sqrt(norm2)
    record[e, 4] = b[0]
    # A look at the bits costs as much as a short pass: in a long batch only every 64th part of it gets one.
    due = e % (record.shape[0] // 64 + 1) == 0 or e + 1 == record.shape[0]
    record[e, 8] = bits_in_use(w) if due else record[e - 1, 8]
    if reference.shape[0] > 0:
        p = w.shape[0]
        dot = np.float64(b[0]) * reference[p]
        length2 = reference[p] * reference[p]
        for j in range(p):
            dot += np.float64(w[j]) * reference[j]
            length2 += reference[j] * reference[j]
        full = np.sqrt((norm2 + np.float64(b[0]) * np.float64(b[0])) * length2)
        record[e, 5] = dot / full if full > 0.0 else np.nan
        record[e, 6] = dot


@njit(cache=True, nogil=True)
def plain_epochs(
    rows: Any,
    step: Any,
    w: Any,
    b: Any,
    intercept: float,
    watch: Any,
    visit: int,
    reference: Any,
    record: Any,
    few: int = 0,
) -> Any:
    """Run `plain_epoch` until a pass makes at most `few` updates or `record` is full. Return the passes made.

    Many short passes in one call: from Python each would cost more than the pass itself. Changes `w`, `b`,
    `watch` and `record` (one row an epoch, columns `RECORD`).
    """
    n = row_count(rows.X)
    for e in range(record.shape[0]):
        mistakes, updates, absorbed = plain_epoch(
            rows.X, rows.y, rows.weight, rows.order, step, w, b, intercept, watch, visit + e * n
        )
        record[e, 0] = mistakes
        record[e, 1] = updates
        record[e, 2] = n
        record[e, 7] = absorbed
        _write_record(record, e, w, b, reference)
        if updates <= few:
            return e + 1
    return record.shape[0]


@njit(cache=True, nogil=True)
def skipping_epochs(
    rows: Any, skip: Any, w: Any, b: Any, intercept: float, watch: Any, visit: int, reference: Any, record: Any
) -> Any:
    """As `plain_epochs` for the plain perceptron, with exact skipping where it pays.

    A skipping pass that saved less than a quarter of its dot products is followed by plain passes: one, then
    two, four, ... up to 64, until a skipping pass pays again.
    """
    n = row_count(rows.X)
    for e in range(record.shape[0]):
        if skip.state[_PAUSE] > 0.0:
            skip.state[_PAUSE] -= 1.0
            mistakes, _, absorbed = plain_epoch(
                rows.X,
                rows.y,
                rows.weight,
                rows.order,
                PerceptronStep(0.0),
                w,
                b,
                intercept,
                watch,
                visit + e * n,
            )
            dots = n
            if skip.state[_PAUSE] == 0.0:
                _forget(skip)
        else:
            mistakes, dots, absorbed = skipping_epoch(
                rows.X, rows.y, rows.weight, rows.order, w, b, intercept, skip, watch, visit + e * n
            )
            if dots <= 0.75 * n:
                skip.state[_NEXT_PAUSE] = 1.0
            elif dots > n + 0.75 * n:
                skip.state[_PAUSE] = skip.state[_NEXT_PAUSE]
                skip.state[_NEXT_PAUSE] = min(64.0, 2.0 * skip.state[_NEXT_PAUSE])
        record[e, 0] = mistakes
        record[e, 1] = mistakes
        record[e, 2] = dots
        record[e, 7] = absorbed
        _write_record(record, e, w, b, reference)
        if mistakes == 0:
            return e + 1
    return record.shape[0]
