"""A pass of the plain perceptron that leaves out dot products whose sign is already proved.

The updates are those of `epoch.py`, to the last bit. The bound is the triangle inequality, used as in Elkan 2003
(Using the triangle inequality to accelerate k-means): a vector near to one whose products are known has products
near to those.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linsep.kernels.compiled import inner, uncounted
from linsep.kernels.linear.epoch import squared_norm, weight_of_constant, write_record
from linsep.kernels.optional import before_update, note_update, row_at, weight_at
from linsep.kernels.prefetch import fetch_ahead, rows_ahead
from linsep.kernels.rows import row_axpy, row_count, row_dot, row_norm2
from linsep.types import Array

# The numbers below decide how often r is taken anew, and when skipping begins and ends. Whatever they are, the updates
# are the same; only the time changes.
#
# Dot products between two references, in passes' worth, at first and at most; the number grows by a quarter each time.
# w moves fast in the beginning; later its distance from r grows like a random walk, so old references serve long.
_FIRST_SWEEPS, _MOST_SWEEPS, _GROWTH = 2.0, 12.0, 1.25
# Skipping has to save this share of the dot products; with less the plain pass, which keeps nothing up, is as fast.
_LEAST_SAVED = 0.25
# What it may have lost beyond that when it ends for good, in passes' worth: a first reference and two passes in vain.
MOST_LOST = 1.5
# One row in so many is asked whether skipping would pay, of a large table these many rows.
_ASKED_OF, _MOST_ASKED = 16, 1024
# Norms are rounded up by more than the error of a sum of ten million squares and its root, 10^7 x 2^-53.
_NORM_UP = 1.0 + 1e-9
# The root, the sum and the product in `_threshold` are off by less than 10 x 2^-52 together.
_ROOT_UP = 1.0 + 1e-14


class StateColumns(NamedTuple):
    """What a skipping pass carries from one row to the next, and from one pass to the next."""

    D2: int = 0  # ||w - r||^2 as computed
    E: int = 1  # a bound on the error of D2
    norm_r: int = 2  # an upper bound on ||(r, b_r / c)||
    work: int = 3  # dot products since r was taken
    lost: int = 4  # dot products beyond the share that pays, over the passes in which they add up most
    sweeps: int = 5  # dot products until the next reference, in passes' worth
    distance: int = 6  # an upper bound on ||w - r||


STATE = StateColumns()


class Skip(NamedTuple):
    """What exact skipping remembers of a past weight vector r.

    `rz[i]` = r.x_i + b_r; `norm[i]` is an upper bound on ||(x_i, c)||; `g[i]` a lower bound on
    y_i rz[i] / norm[i]; `state` has the columns `STATE`.
    """

    rz: Array
    norm: Array
    g: Array
    state: Array


def make_skip(n_rows: int) -> Skip:
    """Return an empty memory for `skipping_epoch`; `start_skip` fills it."""
    return Skip(np.empty(n_rows), np.empty(n_rows), np.empty(n_rows), np.zeros(len(STATE)))


@uncounted(cache=True, nogil=True)
def start_skip(X: Any, intercept: float, skip: Any) -> None:
    """norm[i] = ||(x_i, c)||, rounded up, and nothing to skip against yet; `intercept` is c^2. Changes `skip`."""
    for i in range(row_count(X)):
        skip.norm[i] = np.sqrt(row_norm2(X, i) + intercept) * _NORM_UP
    skip.rz[:] = 0.0
    skip.g[:] = -np.inf
    skip.state[:] = 0.0
    skip.state[STATE.work] = np.inf
    skip.state[STATE.sweeps] = _FIRST_SWEEPS


@uncounted(cache=True, nogil=True)
def pays(rows: Any, w: Any, b: Any, intercept: float, mistakes: Any) -> bool:
    """Whether skipping is predicted to save at least a quarter of the dot products of the next two passes.

    These cost 2 n without it. With it they cost n for the reference, and 2 n (1 - s) if a share s of the rows is right
    by more than w moves, g_i > ||w - r||, on the average. So s = 3/4 is asked for, halfway, after one pass. If that
    makes as many mistakes as the last, ||w - r||^2 is about mistakes x (mean of ||x||^2) then, or less: an update by a
    at decision value z adds a^2 ||x||^2 + 2 a (z - z') to it, where a z <= 0, as it is a mistake, and a z' > 0 for the
    rows that r has right. s and the mean are those of one row in 16, at most 1,024 or so: less than a fifth of a pass.
    """
    n = row_count(rows.X)
    stride = max(_ASKED_OF, n // _MOST_ASKED)
    asked = 0
    moved2 = 0.0
    for i in range(0, n, stride):
        asked += 1
        moved2 += weight_at(rows.weight, i) ** 2 * (row_norm2(rows.X, i) + intercept)
    moved2 *= mistakes / asked
    safe = 0
    for i in range(0, n, stride):
        m = rows.y[i] * (row_dot(rows.X, i, w) + b[0])
        safe += m > np.sqrt((row_norm2(rows.X, i) + intercept) * moved2)
    return safe >= 0.5 * (1.0 + 2.0 * _LEAST_SAVED) * asked


@inner(cache=True, nogil=True)
def _guard(w: Any) -> Any:
    """c p eps: 4 (p + 8) times the unit of w's dtype, see `skipping_epoch`."""
    return 4.0 * (w.shape[0] + 8.0) * np.finfo(w.dtype).eps


@inner(cache=True, nogil=True)
def _threshold(skip: Any, guard: float) -> Any:
    """The least g_i that proves row i right: sqrt(D2 + E) + guard (||w|| + ||r||), ||w|| <= ||r|| + ||w - r||."""
    distance = np.sqrt(max(skip.state[STATE.D2], 0.0) + skip.state[STATE.E]) * _ROOT_UP
    skip.state[STATE.distance] = distance
    return distance + guard * (2.0 * skip.state[STATE.norm_r] + distance)


@inner(cache=True, nogil=True)
def _take_reference(X: Any, y: Any, w: Any, b: Any, intercept: float, skip: Any) -> None:
    """r <- w: fill `skip` with the margins of every row under w."""
    tiny = (w.shape[0] + 1) * np.finfo(w.dtype).tiny
    for i in range(row_count(X)):
        z = row_dot(X, i, w) + b[0]
        skip.rz[i] = z
        skip.g[i] = (y[i] * z - tiny) / skip.norm[i] if skip.norm[i] > 0.0 else -np.inf
    v = weight_of_constant(b, intercept)
    norm2 = v * v + squared_norm(w)
    skip.state[STATE.D2] = 0.0
    skip.state[STATE.E] = 0.0
    skip.state[STATE.norm_r] = np.sqrt(norm2) * (1.0 + _guard(w))
    skip.state[STATE.sweeps] = min(_GROWTH * skip.state[STATE.sweeps], _MOST_SWEEPS)


@inner(cache=True, nogil=True)
def skipping_epoch(
    X: Any, y: Any, weight: Any, order: Any, w: Any, b: Any, intercept: float, skip: Any, watch: Any, visit: int
) -> tuple[int, int, int]:
    """w += y x, b += c^2 y at each row with y z <= 0, as `plain_epoch` with the step 0.0: fewer dot products.

    Return (mistakes, dot products done, absorbed updates). Changes `w`, `b`, `skip` and `watch`.

    Let r be a past weight vector with z'_i = r.x_i kept (rows with the constant c, w and r with its weight).
    Since y_i w.x_i >= y_i r.x_i - ||w - r|| ||x_i||, row i is right while ||w - r|| < g_i = y_i z'_i / ||x_i||.
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
    work = skip.state[STATE.work]
    mistakes = 0
    dots = 0
    absorbed = 0
    ahead = rows_ahead(X, order) if order.shape[0] > 0 else 0  # in order it would bring for nothing what is left out
    for t in range(n):
        i = row_at(order, t)
        if ahead > 0:
            fetch_ahead(X, y, order, t, ahead)
        if skip.g[i] > threshold:
            continue
        if work >= skip.state[STATE.sweeps] * n:
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
    skip.state[STATE.work] = work
    return mistakes, dots, absorbed


@inner(cache=True, nogil=True)
def _track(skip: Any, guard: float, i: int, a: float, z: float) -> None:
    """D2 = ||w - r||^2 and its error bound E after the update w += a x_i made at decision value z. Changes `skip`.

    The distance after it is at most the one before plus ||a x_i||.
    """
    move = abs(a) * skip.norm[i]
    reach = skip.state[STATE.distance] + 2.0 * move
    skip.state[STATE.D2] += 2.0 * a * (z - skip.rz[i]) + move * move
    skip.state[STATE.E] += guard * (2.0 * skip.state[STATE.norm_r] + reach) * reach


@uncounted(cache=True, nogil=True)
def skipping_epochs(
    rows: Any, skip: Any, w: Any, b: Any, intercept: float, watch: Any, visit: int, reference: Any, record: Any
) -> Any:
    """As `plain_epochs` for the plain perceptron, with exact skipping, until it has lost more than `MOST_LOST`.

    Who calls goes on with plain passes then. Changes `w`, `b`, `skip`, `watch` and `record`.
    """
    n = row_count(rows.X)
    for e in range(record.shape[0]):
        mistakes, dots, absorbed = skipping_epoch(
            rows.X, rows.y, rows.weight, rows.order, w, b, intercept, skip, watch, visit + e * n
        )
        write_record(record, e, (mistakes, mistakes, dots, absorbed), w, b, intercept, reference)
        lost = skip.state[STATE.lost] + dots - (1.0 - _LEAST_SAVED) * n
        skip.state[STATE.lost] = max(0.0, lost)
        if mistakes == 0 or lost > MOST_LOST * n:
            return e + 1
    return record.shape[0]
