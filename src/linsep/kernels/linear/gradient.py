"""One pass of stochastic gradient descent on a convex loss, with projection and lazy averaging.

w_1 = 0, w_{t+1} = proj(w_t - eta_t g_t), g_t = slope(y, z) x, and (w, b) is one vector throughout. The mean is
sum omega_t w_t / sum omega_t with w_t taken before step t.

Sources: greedy projection of Zinkevich 2003 (ICML), on the ball, with its steps eta_0 / sqrt(t) or constant ones; no
regulariser, so it is not Pegasos, whose projection and w = s v it uses (Shalev-Shwartz, Singer, Srebro and Cotter 2011,
Mathematical Programming 127). The mean of sparse steps is kept as in Xu 2011 (arXiv 1107.2490).

A step costs as many operations as its row has entries, whatever the length of w:

- w = s v. Projection only shrinks s; its length comes from ||w - eta g x||^2 = ||w||^2 - 2 eta g z + eta^2 g^2 ||x||^2.
- sum_k omega_k w_k = M + S v with S = sum_k omega_k s_k: if v moves by a x after S has grown by its step, M moves by
  -S a x and the sum stays what it was.

Only now and then is a whole vector touched: to measure ||w|| afresh, once in p visits, and to put s back to 1 when it
has fallen below 2^-10 (v would grow as s shrinks, and M + S v cancel).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from linsep.kernels.compiled import inner, uncounted
from linsep.kernels.linear.epoch import bits_in_use, squared_norm, weight_of_constant
from linsep.kernels.optional import note_update, row_at, weight_at
from linsep.kernels.prefetch import fetch_ahead, rows_ahead
from linsep.kernels.rows import row_axpy, row_count, row_dot, row_norm2
from linsep.passes import HINGE, LOGISTIC, PERCEPTRON, RECORD, SQUARED_HINGE
from linsep.types import Array

# omega_t = 0 (the last vector predicts), 1 or eta_t.
NO_MEAN, UNIFORM, BY_STEP = range(3)
# s is put back to 1 below this: at most 10 of the bits of M + S v cancel, and a projection seldom has to touch all of
# v.
LEAST_SCALE = 2.0**-10
# Visits between two measurements of ||w||, at least; with few features measuring would cost more than the visits.
_MEASURE = 64


class Descent(NamedTuple):
    """How to step: eta_t = eta0, or eta0 / sqrt(t) if `decreasing`; `weighting` is one of the three above.

    `radius` and `clip` (the most that ||g_t|| may be) are inf where there is no limit. `intercept` is c^2, c the
    constant feature, or 0 without an intercept.
    """

    loss: int
    eta0: float
    decreasing: bool
    weighting: int
    radius: float
    clip: float
    intercept: float


class Iterate(NamedTuple):
    """The vectors in play, one row a plane: w = s v, the sum of omega_t w_t = M + S v, ||w||^2.

    `V`, `M` (n_planes, n_features); `b`, `M_b`, `s`, `S`, `norm2` (n_planes,); `total` (1,) is the sum of omega_t, the
    same for all planes. `V` and `b` have the dtype of the rows, the rest is float64.
    """

    V: Array
    b: Array
    M: Array
    M_b: Array
    s: Array
    S: Array
    norm2: Array
    total: Array


@uncounted(cache=True, nogil=True)
def fold(w: Any, k: int) -> None:
    """Put s_k back to 1: v <- s v, M <- M + S v, S <- 0. Changes `w`."""
    V, M = w.V[k], w.M[k]
    s, S = w.s[k], w.S[k]
    for j in range(np.uint64(V.shape[0])):
        M[j] += S * V[j]
        V[j] *= s
    w.M_b[k] += S * w.b[k]
    w.b[k] *= s
    w.s[k] = 1.0
    w.S[k] = 0.0


@uncounted(cache=True, nogil=True)
def measure(w: Any, k: int, intercept: float) -> None:
    """norm2_k = ||(w_k, b_k / c)||^2 from its entries, `intercept` being c^2. Changes `w.norm2`."""
    w.norm2[k] = w.s[k] ** 2 * (squared_norm(w.V[k]) + weight_of_constant(w.b[k:], intercept) ** 2)


@inner(cache=True, nogil=True)
def sgd_epoch(rows: Any, rule: Any, w: Any, watch: Any, visit: int, record: Any) -> None:
    """w_k <- proj(w_k - eta_t slope(y, z) x) for t = visit + 1, visit + 2, ..., a row each, and every plane k.

    `rows.y[i]` is the class of row i: y is +1 for plane k where it is k, -1 elsewhere. Row weights scale gradients.
    Changes `w`, `watch` and three columns of `record`, one of `RECORD`: mistakes, steps with a gradient that is not 0,
    and those of them on mistakes that rounding left without effect.
    """
    X, classes, weight, own_weight, order = rows.X, rows.y, rows.weight, rows.own, rows.order
    bounded, clipped, averaged = rule.radius < np.inf, rule.clip < np.inf, rule.weighting != NO_MEAN
    n, planes, period = row_count(X), w.s.shape[0], max(w.V.shape[1], _MEASURE)
    ahead = rows_ahead(X, order)
    # Planes know nothing of each other: one visits all rows before the next begins. A log is kept row by row.
    span = max(n, 1) if watch is None or planes == 1 else 1
    for turn in range(n // span * planes):
        k = turn % planes
        first = turn // planes * span
        due = (visit + first) // period * period + period
        # Numbers stand in variables: an entry of an array would be read and written at every row.
        v, mean, s, S, norm2, b, mean_b = w.V[k], w.M[k], w.s[k], w.S[k], w.norm2[k], w.b[k], w.M_b[k]
        total = 0.0 if k > 0 else w.total[0]
        mistakes = updates = absorbed = 0
        for t in range(first, first + span):
            i = row_at(order, t)
            if ahead > 0:
                fetch_ahead(X, classes, order, t, ahead)
            eta = rule.eta0 / np.sqrt(visit + t + 1.0) if rule.decreasing else rule.eta0
            omega = 0.0 if not averaged else 1.0 if rule.weighting == UNIFORM else eta
            total += omega
            own = classes[i] == k
            y = 1.0 if own else -1.0
            z = s * (row_dot(X, i, v) + b)
            mistake = y * z <= 0.0
            mistakes += mistake
            S += omega * s
            g = loss_slope(rule.loss, y, z) * weight_at(weight, i) * (weight_at(own_weight, i) if own else 1.0)
            if g != 0.0:
                updates += 1
                q = row_norm2(X, i) + rule.intercept if bounded or clipped else 0.0
                if clipped and abs(g) * np.sqrt(q) > rule.clip:
                    g *= rule.clip / (abs(g) * np.sqrt(q))
                a = -eta * g / s
                if not row_axpy(X, i, a, v) and mistake:
                    absorbed += row_norm2(X, i) > 0.0
                b = w.b.dtype.type(b + rule.intercept * a)
                if averaged:  # M + S v stays as it is
                    row_axpy(X, i, -S * a, mean)
                    mean_b -= rule.intercept * S * a
                note_update(watch, X, i, -eta * g, rule.intercept, visit + t, k)
                if bounded:
                    norm2 += eta * g * (eta * g * q - 2.0 * z)
                    factor = shrinkage(norm2, rule.radius)
                    if factor < 1.0:
                        s *= factor
                        norm2 = rule.radius * rule.radius
            if bounded and (s < LEAST_SCALE or visit + t + 1 == due):
                w.s[k], w.S[k], w.b[k], w.M_b[k] = s, S, b, mean_b
                if s < LEAST_SCALE:
                    fold(w, k)
                measure(w, k, rule.intercept)
                s, S, norm2, b, mean_b = w.s[k], w.S[k], w.norm2[k], w.b[k], w.M_b[k]
                due = (visit + t + 1) // period * period + period
        w.s[k], w.S[k], w.norm2[k], w.b[k], w.M_b[k] = s, S, norm2, b, mean_b
        if k == 0:
            w.total[0] = total
        record[RECORD.mistakes] += mistakes
        record[RECORD.updates] += updates
        record[RECORD.absorbed] += absorbed


@uncounted(cache=True, nogil=True)
def sgd_pass(rows: Any, rule: Any, w: Any, watch: Any, visit: int, record: Any) -> None:
    """Run `sgd_epoch` and write down what it did. Changes what that does, and `record`, whose columns are `RECORD`."""
    sgd_epoch(rows, rule, w, watch, visit, record)
    planes = w.s.shape[0]
    norm2 = b2 = 0.0
    bits = 0
    for k in range(planes):
        norm2 += w.s[k] * w.s[k] * squared_norm(w.V[k])
        b2 += (w.s[k] * w.b[k]) ** 2
        bits = max(bits, bits_in_use(w.V[k]))
    record[RECORD.dots] = row_count(rows.X) * planes
    record[RECORD.norm_w] = np.sqrt(norm2)
    record[RECORD.b] = w.s[0] * w.b[0] if planes == 1 else np.sqrt(b2)
    record[RECORD.bits] = bits


@uncounted(cache=True, nogil=True)
def shrinkage(norm2: float, radius: float) -> float:
    """The factor that projects a vector of squared length `norm2` on the ball of that radius: min(1, radius/norm)."""
    return radius / math.sqrt(norm2) if norm2 > radius * radius else 1.0


@uncounted(cache=True, nogil=True)
def row_sizes(X: Any, weight: Any, intercept: float) -> tuple[float, float]:
    """max_i q_i and (1/n) sum_i weight_i q_i, q_i = ||x_i||^2 + c^2; `intercept` is c^2."""
    most = total = 0.0
    for i in range(row_count(X)):
        q = row_norm2(X, i) + intercept
        most = max(most, q)
        total += weight_at(weight, i) * q
    return most, total / row_count(X)


@uncounted(cache=True, nogil=True)
def mean_loss(loss: int, y: Any, z: Any, weight: Any) -> Any:
    """(1/n) sum_i weight_i loss(y_i, z_i)."""
    total = 0.0
    for i in range(y.shape[0]):
        total += weight_at(weight, i) * loss_value(loss, y[i], z[i])
    return total / y.shape[0]


@uncounted(cache=True, nogil=True)
def loss_value(loss: int, y: float, z: float) -> Any:
    """The loss at position `loss` of `LOSSES`."""
    m = y * z
    if loss == PERCEPTRON:
        return max(0.0, -y * z)
    if loss == HINGE:
        return max(0.0, 1.0 - m)
    if loss == LOGISTIC:  # ln(1 + exp(-m)), accurate for every m
        return max(0.0, -m) + math.log1p(math.exp(-abs(m)))
    if loss == SQUARED_HINGE:
        return max(0.0, 1.0 - m) ** 2
    return (y - z) ** 2


@uncounted(cache=True, nogil=True)
def loss_slope(loss: int, y: float, z: float) -> Any:
    """A subgradient in z of the loss at position `loss` of `LOSSES`; a tie is a mistake of the perceptron."""
    m = y * z
    if loss == PERCEPTRON:
        return -y if m <= 0.0 else 0.0
    if loss == HINGE:
        return -y if m < 1.0 else 0.0
    if loss == LOGISTIC:
        e = math.exp(-abs(m))  # at most 1; a branch on m would be guessed wrong at many rows
        return -y * (e if m > 0.0 else 1.0) / (1.0 + e)
    if loss == SQUARED_HINGE:
        return -2.0 * y * max(0.0, 1.0 - m)
    return 2.0 * (z - y)
