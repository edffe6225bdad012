"""What a learner says when its weights outgrow the digits of their dtype."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from linsep.kernels.linear.epoch import bits_in_use
from linsep.learners import (
    AveragedPerceptron,
    Perceptron,
)
from linsep.types import PrecisionWarning

ignored = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning", "ignore::linsep.types.PrecisionWarning"
)


@pytest.mark.parametrize("learner", [Perceptron(fit_intercept=False), AveragedPerceptron(fit_intercept=False)])
@pytest.mark.parametrize(("dtype", "digits"), [(np.float32, 24), (np.float64, 53)])
def test_an_absorbed_update_warns(learner: Any, dtype: Any, digits: int) -> None:
    learner = clone(learner)
    big = 2.0 ** (digits + 1)
    learner.partial_fit(np.array([[big]], dtype), [1], classes=[0, 1])
    with pytest.warns(PrecisionWarning, match=rf"^1 update\(s\) no longer changed w: .* large for {np.dtype(dtype)}"):
        learner.partial_fit(np.array([[1.0]], dtype), [0])
    assert learner.coef_[0, 0] > 0.4 * big and learner.n_updates_ == 2


def test_several_classes_warn_too() -> None:
    learner = Perceptron(fit_intercept=False, max_iter=1)
    X = np.array([[2.0**25], [1.0], [1.0]], np.float32)
    with pytest.warns(PrecisionWarning, match=r"^4 update\(s\)"), pytest.warns(UserWarning, match="last pass allowed"):
        learner.fit(X, ["a", "b", "c"])
    assert learner.trace_.absorbed.tolist() == [4]


@ignored
@given(st.integers(0, 2**32 - 1), st.sampled_from([np.float32, np.float64]), st.booleans())
def test_absorbed_updates_are_those_that_leave_w_as_it_is(seed: int, dtype: Any, intercept: bool) -> None:
    rng = np.random.RandomState(seed)
    X = (rng.randint(-3, 4, (12, 2)) * 2.0 ** rng.choice([0, 27, 54], (12, 1))).astype(dtype)
    y = rng.permutation(np.repeat([-1, 1], 6))
    learner = Perceptron(max_iter=40, fit_intercept=intercept, trace="updates").fit(X, y)
    absorbed, before = 0, np.zeros(2, dtype)
    for i, w, _ in learner.trace_.iter_weights(X, y):
        absorbed += bool(X[i].any() and np.array_equal(w, before))
        before = w
    assert learner.trace_.total_absorbed == absorbed
    assert learner.trace_.bits[-1] == max(map(significant_bits, learner.coef_[0].tolist()))


def significant_bits(value: float) -> int:
    numerator = abs(value.as_integer_ratio()[0])
    return len(bin(numerator)[2:].rstrip("0"))


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=5))
def test_bits_in_use(values: list[float]) -> None:
    assert bits_in_use(np.array(values)) == max(map(significant_bits, values))
    assert bits_in_use(np.array([2.0**24 - 1, 0.5], np.float32)) == 24


def test_one_long_row_at_the_end_is_enough() -> None:
    X = np.full((5000, 1), 1e-30)
    X[-1] = 1.0
    with pytest.warns(ConvergenceWarning):
        Perceptron(max_iter=1).fit(X, np.arange(5000) % 2)


def test_without_an_intercept_the_scale_does_not_matter() -> None:
    rng = np.random.RandomState(0)
    X = rng.randn(50, 3)
    y = X @ rng.randn(3) > 0
    small = Perceptron(fit_intercept=False).fit(2.0**-100 * X, y)
    np.testing.assert_array_equal(small.coef_, 2.0**-100 * Perceptron(fit_intercept=False).fit(X, y).coef_)
