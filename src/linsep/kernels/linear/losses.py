"""Convex losses of (y, z), y = -1.0 or +1.0 and z the decision value, with a subgradient in z.

Kernels take the position of a loss in `LOSSES`, so that one compiled pass serves all: the branch is the same for
every row.
"""

from __future__ import annotations

import math
from typing import Any

from linsep.kernels.memory import uncounted

LOSSES = ("perceptron", "hinge", "logistic", "squared_hinge", "squared")
PERCEPTRON, HINGE, LOGISTIC, SQUARED_HINGE = range(4)  # what is none of these is "squared"


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
