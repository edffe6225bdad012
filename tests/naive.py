"""Plain-loop twins of the kernels, short enough to check by eye."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Run(NamedTuple):
    w: Any
    b: Any
    updates: list[tuple[int, int]]  # (epoch from 1, row)
    clean: bool


def perceptron(X: Any, y: Any, epochs: int, *, intercept: bool = True, weight: Any = None) -> Run:
    """w += y x, b += y wherever y z <= 0, in X's dtype; sums from left to right."""
    w, b = np.zeros(X.shape[1], X.dtype), X.dtype.type(0)
    updates = []
    for epoch in range(1, epochs + 1):
        before = len(updates)
        for i, x in enumerate(X):
            z = X.dtype.type(0)
            for j in range(len(x)):
                z += x[j] * w[j]
            if y[i] * (z + b) <= 0:
                a = y[i] * (1.0 if weight is None else weight[i])
                w += X.dtype.type(a) * x
                b += X.dtype.type(a) * intercept
                updates.append((epoch, i))
        if len(updates) == before:
            return Run(w, b, updates, True)
    return Run(w, b, updates, False)
