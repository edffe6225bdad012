"""Sums of products in fixed lanes: the naive twin to the last bit, and the same bits compiled for another processor."""

from __future__ import annotations

import inspect
import subprocess
import sys
import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import njit

from golden.machines import environment_of
from linsep.kernels.lanes import dots, fma, wide_dots
from linsep.kernels.linear.sums import product, times
from linsep.kernels.rows import row_norm2
from linsep.types import Array

SINGLE, DOUBLE = np.float32, np.float64


@njit
def _row(X: Any, i: int, w: Any) -> Any:
    return dots(X, (i,), w, (0,))[0]


@njit
def _fused(x: Any, y: Any, z: Any) -> Any:
    return fma(x, y, z)


@njit
def _norm(X: Any, i: int) -> Any:
    return row_norm2(X, i)


@njit
def _wide(v: Any, w: Any) -> Any:
    return wide_dots(v, (0,), w, (0,))[0]


def nearest(exact: Fraction, dtype: Any) -> Any:
    """The number of this type next to an exact one, of two as near the even one."""
    about = dtype(float(exact))
    candidates = [about, np.nextafter(about, dtype(np.inf)), np.nextafter(about, dtype(-np.inf))]
    integer = np.uint32 if dtype is SINGLE else np.uint64
    return min(candidates, key=lambda c: (abs(Fraction(float(c)) - exact), int(c.view(integer)) & 1))


def fused(x: Any, y: Any, z: Any) -> Any:
    return nearest(Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z)), type(z))


def in_lanes(x: Array, w: Array, dtype: Any, groups: int) -> Any:
    """x.w as `lanes.py` says it: groups of vectors of 32 bytes in turn, single ones, then halves."""
    n, lanes, first = len(x), 32 // np.dtype(dtype).itemsize, 0
    sums = [[dtype(0)] * lanes for _ in range(groups)]

    def add(v: list[Any], first: int) -> list[Any]:
        return [fused(x[first + j], w[first + j], s) for j, s in enumerate(v)]

    while n - first >= groups * lanes:
        sums = [add(v, first + k * lanes) for k, v in enumerate(sums)]
        first += groups * lanes
    while len(sums) > 1:
        sums = [[a + b for a, b in zip(*pair, strict=True)] for pair in zip(sums[::2], sums[1::2], strict=True)]
    (v,) = sums
    while n - first >= lanes:
        v = add(v, first)
        first += lanes
    while lanes > 1:
        lanes //= 2
        v = [a + b for a, b in zip(v[:lanes], v[lanes:], strict=True)]
        if n - first >= lanes:
            v = add(v, first)
            first += lanes
    return v[0]


def hostile(shape: tuple[int, ...], dtype: Any, seed: int) -> Array:
    """Numbers of very different sizes: no two orders of a sum agree."""
    rng = np.random.default_rng(seed)
    return np.asarray(rng.normal(size=shape) * 10.0 ** rng.integers(-4, 5, size=shape), dtype)


@pytest.mark.parametrize("dtype", [SINGLE, DOUBLE])
@pytest.mark.parametrize("p", [0, 1, 2, 3, 5, 8, 15, 16, 17, 31, 33, 50, 67])
def test_every_sum_is_that_of_the_naive_twin(p: int, dtype: Any) -> None:
    X, W = hostile((5, p), dtype, p), hostile((4, p), dtype, p + 100)
    alone = [in_lanes(x, W[0], dtype, 4) for x in X]
    assert [_row(X, i, W[0]) for i in range(5)] == alone
    assert times(X, W[0]).tolist() == alone
    assert times(np.asfortranarray(X), W[0]).tolist() == alone
    together = [[in_lanes(x, w, dtype, 1) for w in W] for x in X]
    assert product(X, W).tolist() == together
    assert [product(X[i : i + 1], W)[0].tolist() for i in range(5)] == together  # as few rows, the other way round
    assert [product(X, W[k : k + 1])[:, 0].tolist() for k in range(4)] == np.transpose(together).tolist()
    doubles = X.astype(np.float64)
    assert [_norm(X, i) for i in range(5)] == [in_lanes(x, x, DOUBLE, 4) for x in doubles]
    assert _wide(X[1], W[1].astype(np.float64)) == in_lanes(doubles[1], W[1].astype(np.float64), DOUBLE, 4)


def test_entries_that_do_not_lie_side_by_side_give_the_same_sums() -> None:
    X, w = hostile((3, 70), DOUBLE, 0), hostile((70,), DOUBLE, 1)
    apart = np.repeat(X, 2, axis=1)[:, ::2]
    assert [_row(apart, i, w) for i in range(3)] == [_row(X, i, w) for i in range(3)]


def test_a_product_is_added_with_one_rounding() -> None:
    x = 1.0 + 2.0**-30
    assert _fused(x, x, -1.0 - 2.0**-29) == 2.0**-60  # 0 where the product is rounded first
    y = np.float32(1.0 + 2.0**-13)
    assert _fused(y, y, np.float32(-1.0 - 2.0**-12)) == np.float32(2.0**-26)


def digest_of_sums() -> str:
    """Of what a learner, products and exponentials give; its source runs in another process, too."""
    import hashlib

    import numpy as np

    from linsep import AveragedPerceptron
    from linsep.kernels.dual import exponentials
    from linsep.kernels.linear.sums import product, times

    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(200, 37))
    model = AveragedPerceptron(max_iter=3, random_state=0).fit(X, X[:, 0] > rng.uniform(-1, 1, size=200))
    found = [model.decision_function(X), times(X, X[0]), product(X.astype(np.float32), X[:3].astype(np.float32))]
    exponentials(X)
    return hashlib.sha256(b"".join(values.tobytes() for values in [*found, X])).hexdigest()


def test_a_learner_and_sums_have_the_same_bits_on_another_processor(tmp_path: Path) -> None:
    script = f"{inspect.getsource(digest_of_sums)}\nprint(digest_of_sums())"
    asked = [sys.executable, "-W", "ignore", "-c", f"from __future__ import annotations\n{script}"]
    done = subprocess.run(asked, env=environment_of("generic", tmp_path), capture_output=True, text=True, check=True)
    with warnings.catch_warnings(action="ignore"):
        assert done.stdout.strip() == digest_of_sums()
