"""Questions about the numbers of a table, beside the plainest ways to answer them."""

from itertools import pairwise

import numpy as np
import pytest

from linsep.kernels.rows import is_rising, with_duplicates
from linsep.types import Array


def test_duplicate_columns_are_found_in_any_order() -> None:
    assert not with_duplicates(np.array([2, 0, 1, 0, 2]), np.array([0, 3, 3, 5]), 3).any()
    assert with_duplicates(np.array([2, 0, 2]), np.array([0, 0, 3]), 3).tolist() == [False, True]


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("n_rows", [0, 1, 5, 1023, 1024, 1025, 3000])
def test_columns_rise_in_every_row_or_not_in_one(n_rows: int, index: type) -> None:
    rng = np.random.default_rng(n_rows)
    rows = [np.flatnonzero(rng.random(6) < 0.4).tolist() for _ in range(n_rows)]
    spoilt = [k for k, row in enumerate(rows) if len(row) > 1]
    for where in [None, *spoilt[:2], *spoilt[-2:]]:
        altered = [row[::-1] if k == where else row for k, row in enumerate(rows)]
        columns: Array = np.array([j for row in altered for j in row], index)
        ends: Array = np.cumsum([0, *map(len, altered)]).astype(index)
        naive = all(a < b for row in altered for a, b in pairwise(row))
        assert is_rising(columns, ends) is naive is (where is None)


def test_a_column_twice_in_a_row_does_not_rise() -> None:
    assert is_rising(np.array([0, 1, 1]), np.array([0, 3])) is False
    assert is_rising(np.array([0, 1, 1]), np.array([0, 2, 3])) is True
