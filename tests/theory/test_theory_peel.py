"""Rows that a column of one sign separates are those of the definition."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from linsep.theory.cone.search import peel
from linsep.types import Array


def by_definition(X: Array, s: Array, equal: Array) -> tuple[list[list[int]], list[bool]]:
    """What `peel` is to find, column by column."""
    Z, left = s[:, None] * X, np.ones(len(X), dtype=bool)
    directions: list[list[int]] = []
    while True:
        sign = [0] * X.shape[1]
        for j, column in enumerate(Z.T):
            seen = {int(v) for v in np.sign(column[left])} - {0}
            if len(seen) == 1 and not X[equal, j].any():
                (sign[j],) = seen
        hit = left & (Z @ np.array(sign) != 0)
        if not hit.any():
            return directions, left.tolist()
        directions.append(sign)
        left &= ~hit


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@given(
    X=arrays.arrays(np.float64, st.tuples(st.integers(1, 9), st.integers(1, 7)), elements=st.integers(-2, 2)),
    seed=st.integers(0, 2**32 - 1),
)
def test_rows_are_taken_away_as_the_definition_says(form: Callable[[Array], Array], X: Array, seed: int) -> None:
    rng = np.random.default_rng(seed)
    s, equal = rng.choice([-1.0, 1.0], len(X)), rng.random(len(X)) < 0.1
    directions, left = peel(form(X), s, constant=False, equal=equal)
    assert ([found.tolist() for found in directions], left.tolist()) == by_definition(X, s, equal)
