"""Convex losses of (y, z), y = -1.0 or +1.0 and z the decision value, with a subgradient in z.

A loss is a pair of small functions, `NAME_value` and `NAME_slope`. Kernels take its position in `LOSSES`, not a type
of its own, so that one compiled pass serves all of them: the branch is the same for every row.
"""

from __future__ import annotations

import math
from typing import Any

from linsep.kernels.memory import uncounted

LOSSES = ("perceptron", "hinge", "logistic", "squared_hinge", "squared")
PERCEPTRON, HINGE, LOGISTIC, SQUARED_HINGE = range(4)  # what is none of these is "squared"


@uncounted(cache=True, nogil=True)
def perceptron_value(y: float, z: float) -> float:
    """max(0, -y z)"""
    return max(0.0, -y * z)


@uncounted(cache=True, nogil=True)
def perceptron_slope(y: float, z: float) -> float:
    """-y where y z <= 0, a tie being a mistake, else 0."""
    return -y if y * z <= 0.0 else 0.0


@uncounted(cache=True, nogil=True)
def hinge_value(y: float, z: float) -> float:
    """max(0, 1 - y z)"""
    return max(0.0, 1.0 - y * z)


@uncounted(cache=True, nogil=True)
def hinge_slope(y: float, z: float) -> float:
    """-y where y z < 1, else 0."""
    return -y if y * z < 1.0 else 0.0


@uncounted(cache=True, nogil=True)
def logistic_value(y: float, z: float) -> float:
    """ln(1 + exp(-y z)), which is accurate for every y z."""
    m = y * z
    return max(0.0, -m) + math.log1p(math.exp(-abs(m)))


@uncounted(cache=True, nogil=True)
def logistic_slope(y: float, z: float) -> float:
    """-y / (1 + exp(y z))"""
    m = y * z
    e = math.exp(-abs(m))  # at most 1; a branch on m would be guessed wrong at many rows
    return -y * (e if m > 0.0 else 1.0) / (1.0 + e)


@uncounted(cache=True, nogil=True)
def squared_hinge_value(y: float, z: float) -> float:
    """max(0, 1 - y z)^2"""
    return max(0.0, 1.0 - y * z) ** 2


@uncounted(cache=True, nogil=True)
def squared_hinge_slope(y: float, z: float) -> float:
    """-2 y max(0, 1 - y z)"""
    return -2.0 * y * max(0.0, 1.0 - y * z)


@uncounted(cache=True, nogil=True)
def squared_value(y: float, z: float) -> float:
    """(y - z)^2"""
    return (y - z) ** 2


@uncounted(cache=True, nogil=True)
def squared_slope(y: float, z: float) -> float:
    """2 (z - y)"""
    return 2.0 * (z - y)


@uncounted(cache=True, nogil=True)
def loss_value(loss: int, y: float, z: float) -> Any:
    """The loss at position `loss` of `LOSSES`."""
    if loss == PERCEPTRON:
        return perceptron_value(y, z)
    if loss == HINGE:
        return hinge_value(y, z)
    if loss == LOGISTIC:
        return logistic_value(y, z)
    if loss == SQUARED_HINGE:
        return squared_hinge_value(y, z)
    return squared_value(y, z)


@uncounted(cache=True, nogil=True)
def loss_slope(loss: int, y: float, z: float) -> Any:
    """A subgradient in z of the loss at position `loss` of `LOSSES`."""
    if loss == PERCEPTRON:
        return perceptron_slope(y, z)
    if loss == HINGE:
        return hinge_slope(y, z)
    if loss == LOGISTIC:
        return logistic_slope(y, z)
    if loss == SQUARED_HINGE:
        return squared_hinge_slope(y, z)
    return squared_slope(y, z)
