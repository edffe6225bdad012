"""Entries of sparse rows at the door: what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from linsep.learners import Perceptron
from linsep.types import DataError


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("last", "error"),
    [(1.0, None), (-1.0, None), (0.5, None), (np.nan, ValueError), (np.inf, ValueError), (None, DataError)],
)
def test_ones_are_taken_and_what_follows_them_is_looked_at(
    dtype: Any, last: float | None, error: type[Exception] | None
) -> None:
    ones = np.ones(3000, dtype)
    ones[-1] = np.finfo(dtype).max if last is None else last
    X = sp.csr_matrix(ones.reshape(1500, 2))
    y = np.arange(1500) % 2
    if error is None:
        assert Perceptron().partial_fit(X, y, classes=[0, 1]).n_iter_ == 1
    else:
        with pytest.raises(error):
            Perceptron().partial_fit(X, y, classes=[0, 1])
