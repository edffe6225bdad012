"""Tables drawn at random for tests of learners."""

from __future__ import annotations

from typing import Any

import numpy as np


def integer_table(seed: int, n: int = 40, p: int = 3, n_classes: int = 2) -> tuple[Any, Any]:
    """Rows of small whole numbers, whose sums are exact in any order; every class is there, hardly ever separable."""
    rng = np.random.RandomState(seed)
    y = rng.randint(0, n_classes, n)
    y[:n_classes] = np.arange(n_classes)
    return rng.randint(-4, 5, (n, p)).astype(float), y
