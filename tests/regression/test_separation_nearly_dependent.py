"""Designs whose rank holds only up to rounding: each sign is the one that an exact search of its own gives."""

from __future__ import annotations

import numpy as np
import pytest

from linsep import separation
from linsep.theory.separation.coefficient_signs import Signs
from linsep.types import Array


def nearly_dependent(seed: int, n: int, p: int, k: int, eps: float) -> tuple[Array, Array]:
    """Coin tosses and columns of which the last k are combinations of the others up to eps."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    for j in range(k):
        X[:, -1 - j] = X[:, : p - k] @ rng.normal(size=p - k) + eps * rng.normal(size=n)
    return X, rng.integers(0, 2, n)


@pytest.mark.parametrize("eps", [1e-12, 1e-15, 1e-16])
@pytest.mark.parametrize("drawn", [(0, 20, 10, 1), (4, 24, 12, 2), (5, 24, 12, 2)])
def test_guessed_signs_are_those_of_exact_searches(
    drawn: tuple[int, int, int, int], eps: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = nearly_dependent(*drawn, eps)
    found = separation(X, y)
    assert found.verdict == "complete"
    found.verify(X, y)
    monkeypatch.setattr(Signs, "guess", lambda *_: (None, None))
    assert separation(X, y).coefficients == found.coefficients
