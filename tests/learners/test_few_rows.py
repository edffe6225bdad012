"""Decision values and passes of few rows, without Numba: the bits of the kernels."""

from __future__ import annotations

import itertools
import math
import sys
from fractions import Fraction
from typing import Any

import numba  # noqa: F401  # so that kernels run
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from linsep import AveragedPerceptron, MarginPerceptron, Perceptron
from linsep.kernels.linear.sums import add_rows
from linsep.learners.base import linear_learner
from linsep.learners.base.few_passes import few_epochs
from linsep.learners.base.scores import _Made as few
from linsep.learners.base.scores import are_in_range, few_scores, fused, may_make, scores
from linsep.passes import RECORD


@given(st.integers(0, 10**6), st.integers(1, 14), st.integers(1, 70), st.sampled_from([1, 3, 5, 9]), st.booleans())
def test_the_bits_are_those_of_the_kernels(seed: int, n: int, p: int, planes: int, sparse: bool) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * np.exp(rng.normal(size=(n, p)) * rng.choice([0, 5]))
    X[rng.random(X.shape) < 0.3] = 0.0
    W = rng.normal(size=(p, planes)) * np.exp(rng.normal(size=(p, planes)) * rng.choice([0, 5]))
    rows = sp.csr_matrix(X) if sparse else X
    expected, finite = scores(rows, W, np.zeros(planes))
    assert finite and few_scores(rows, W).tobytes() == expected.tobytes()


@given(*[st.floats(-(2.0**200), 2.0**200, allow_subnormal=False).filter(lambda x: x == 0 or abs(x) > 2.0**-200)] * 3)
def test_a_product_is_added_with_one_rounding(x: float, y: float, z: float) -> None:
    found = float(fused(*(np.array([one]) for one in (x, y, z)))[0])
    exact = Fraction(x) * Fraction(y) + Fraction(z)
    assert found == (exact.numerator / exact.denominator if exact else 0.0)


@pytest.mark.parametrize("x, y, z", [*itertools.product((0.0, -0.0, 1.0), (1.0, -1.0), (0.0, -0.0, 1.0, -1.0))])
def test_zeros_have_the_sign_that_the_kernels_give_them(x: float, y: float, z: float) -> None:
    W = np.array([[z]])
    add_rows(np.array([[x]]), np.array([[y]]), W)
    assert fused(np.array([[x]]), y, np.array([[z]])).tobytes() == W.tobytes()


def test_many_fits_of_few_rows_load_numba_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    X, W = np.array([[1.0, 0.0, -1.0], [0.0, 1.0, 1.0]]), np.ones((3, 1))
    assert are_in_range(X, W) and are_in_range(sp.csr_matrix(X), W) and not are_in_range(X.astype(np.float32), W)
    for far in (math.inf, math.nan, 1e-200, 1e200):
        assert not are_in_range(np.array([[far, 1.0, 1.0]]), W)
    assert not may_make(1)  # it is loaded
    monkeypatch.delitem(sys.modules, "numba")
    monkeypatch.setattr(few, "products", 0)
    assert may_make(100_000) and not may_make(100_001)
    fits = 0
    while may_make(1_000) and fits < 3000:
        Perceptron().fit(X, [0, 1])
        fits += 1
    assert 100 < fits < 2000


@given(
    st.integers(0, 10**6),
    st.sampled_from([Perceptron, AveragedPerceptron, MarginPerceptron]),
    st.integers(2, 4),
    st.sampled_from(["ovr", "multiclass"]),
    st.booleans(),
    st.integers(1, 60),
)
@pytest.mark.filterwarnings("ignore")
def test_passes_over_few_rows_have_the_bits_of_the_kernels(
    seed: int, kind: type, classes: int, multi_class: str, whole: bool, epochs: int
) -> None:
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(classes, 9)), int(rng.integers(1, 20))
    X = rng.integers(-3, 4, (n, p)).astype(float) if whole else rng.normal(size=(n, p)) * 10.0 ** rng.integers(-20, 20)
    y = rng.permutation(np.arange(n) % classes)
    learner = kind(max_iter=epochs, multi_class=multi_class, shuffle=bool(seed % 2), random_state=seed)
    learner.set_params(fit_intercept=bool(seed % 3), intercept_scaling=float(rng.choice([1.0, 0.3])))
    made: list[int] = []

    def noted(*given: Any) -> int:
        made.append(few_epochs(*given))
        return made[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linear_learner, "few_epochs", noted)
        patch.setattr(few, "products", 0)
        compiled = state(learner.fit(X, y))
        assert not made
        patch.delitem(sys.modules, "numba")
        assert state(learner.fit(X, y)) == compiled
    assert any(made)


def state(learner: Any) -> list[Any]:
    """What was learnt, and the course of the run, without its seconds."""
    meta, arrays = learner.get_state()
    course = [getattr(learner.trace_, name) for name in (*RECORD._fields, "updates_so_far")]
    return [meta, *(np.asarray(part).tobytes() for part in (*arrays.values(), *course))]
