"""The order of a shuffled epoch: which rows may come when, and from how far."""

from __future__ import annotations

from itertools import pairwise, permutations
from typing import Any

import numpy as np
import pytest

from linsep.learners.base import loop
from linsep.learners.base.loop import shuffled_order


def orders(n: int, count: int) -> Any:
    rng = np.random.RandomState(0)
    return np.array([shuffled_order(n, rng) for _ in range(count)])


def chi_square(counts: Any) -> float:
    """How far from equal they are, in standard deviations of what is expected."""
    wanted = counts.mean()
    freedom = (len(counts) - 1) ** counts.ndim
    return float((((counts - wanted) ** 2).sum() / wanted - freedom) / np.sqrt(2 * freedom))


@pytest.mark.parametrize(("n", "group"), [(20, 8), (23, 8), (30, 12), (2, 4096), (17, 4096)])
def test_each_step_is_equally_likely_for_each_row(n: int, group: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "GROUP", group)
    monkeypatch.setattr(loop, "CHUNK", 4)
    found = orders(n, 20_000)
    assert (np.sort(found, axis=1) == np.arange(n)).all()
    counts = np.zeros((n, n))
    np.add.at(counts, (found, np.broadcast_to(np.arange(n), found.shape)), 1)
    assert abs(chi_square(counts)) < 5


def test_few_rows_are_one_permutation_and_all_are_equally_likely() -> None:
    number = {order: k for k, order in enumerate(permutations(range(4)))}
    counts = np.bincount([number[tuple(order)] for order in orders(4, 24_000).tolist()], minlength=24)
    assert abs(chi_square(counts)) < 5


@pytest.mark.parametrize("n", [3968, 3969, 100_000])
def test_rows_of_one_place_lie_far_apart(n: int) -> None:
    order, other = orders(n, 2)
    assert (np.sort(order) == np.arange(n)).all()
    # Of a permutation 255 in n; of rows in chunks beside it 15 in 4,096, as those of a chunk come in one group.
    near = sum(abs(a - b) < 128 for a, b in pairwise(order.tolist()))
    assert near < 1.3 * (255 + 15 * n / 4096)
    assert (order == other).sum() < 20
