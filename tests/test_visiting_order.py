"""The order of a shuffled epoch: which rows may come when, and from how far."""

from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
import pytest

from linsep.kernels.linear.visiting_order import fill_order
from linsep.learners.engine.visiting_order import shuffled_order


def orders(n: int, chunk: int, group: int, count: int) -> np.ndarray:
    rng = np.random.RandomState(0)
    found = np.empty((count, n), np.int32)
    for order in found:
        seed = np.uint64(rng.randint(1, 2**63 - 1, dtype=np.int64))
        fill_order(order, np.arange(-(-n // chunk)), chunk, group, seed)
    return found


def chi_square(counts: np.ndarray) -> float:
    """How far from equal they are, in standard deviations of what is expected."""
    wanted = counts.mean()
    freedom = (len(counts) - 1) ** counts.ndim
    return float((((counts - wanted) ** 2).sum() / wanted - freedom) / np.sqrt(2 * freedom))


@pytest.mark.parametrize(("n", "chunk", "group"), [(20, 4, 8), (23, 4, 8), (17, 16, 5), (9, 1, 9), (2, 16, 4096)])
def test_each_step_is_equally_likely_for_each_row(n: int, chunk: int, group: int) -> None:
    found = orders(n, chunk, group, 20_000)
    assert (np.sort(found, axis=1) == np.arange(n)).all()
    counts = np.zeros((n, n))
    np.add.at(counts, (found, np.broadcast_to(np.arange(n), found.shape)), 1)
    assert abs(chi_square(counts)) < 5


def test_few_rows_are_one_permutation_and_all_are_equally_likely() -> None:
    number = {order: k for k, order in enumerate(permutations(range(4)))}
    counts = np.bincount([number[tuple(order)] for order in orders(4, 16, 4096, 24_000).tolist()], minlength=24)
    assert abs(chi_square(counts)) < 5


def test_rows_of_one_place_lie_far_apart() -> None:
    order = shuffled_order(100_000, np.random.RandomState(1))
    assert (np.sort(order) == np.arange(len(order))).all()
    together = sum(abs(a - b) < 128 for a, b in pairwise(order.tolist()))
    assert together < 0.01 * len(order)  # 256 x 1/1000 of a permutation, and 15 of 4,096 of the same chunk
    other = shuffled_order(100_000, np.random.RandomState(2))
    assert (order == other).sum() < 20
