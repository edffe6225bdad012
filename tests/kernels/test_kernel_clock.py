"""A pass of a kernel perceptron may take minutes: the clock is looked at between its blocks."""

from __future__ import annotations

from itertools import count
from typing import Any

import numpy as np
import pytest

import linsep
from linsep.learners import kernel_passes as passes
from linsep.learners import kernel_perceptron as perceptron
from linsep.types import StopReason


@pytest.mark.parametrize("budget", [None, 100])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_clock_ends_a_pass_between_blocks(budget: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(2000, 2)), rng.integers(2, size=2000)
    ticks = count(1)
    monkeypatch.setattr(perceptron, "clock", lambda: 0.0)
    monkeypatch.setattr(passes, "clock", lambda: float(next(ticks)))
    model = linsep.KernelPerceptron("rbf", max_iter=9, time_limit=3.0, shuffle=False, budget=budget).fit(X, y)
    assert model.stop_reason_ is StopReason.TIME_BUDGET
    assert (model.t_, model.n_iter_) == (3 * 256, 1)
    monkeypatch.undo()
    same = linsep.KernelPerceptron("rbf", shuffle=False, budget=budget).fit(X[: 3 * 256], y[: 3 * 256])
    np.testing.assert_array_equal(model.decision_function(X[:50]), same.decision_function(X[:50]))


def test_a_short_time_makes_one_block() -> None:
    X, y = np.eye(2), [0, 1]
    model = linsep.KernelPerceptron("linear", max_iter=None, time_limit=1e-9).fit(X, y)
    assert model.t_ >= 2 and model.n_mistakes_ > 0
