"""A bound is never below its formula in exact arithmetic: where it is attained, its whole part is the mistakes made."""

from __future__ import annotations

import math
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from linsep.distributed.mixing import mixing_bound
from linsep.learners import KernelPerceptron, Perceptron
from linsep.theory.bounds.kernel import kernel_bounds
from linsep.theory.bounds.mistakes import collins_bounds, mistake_bounds
from linsep.theory.bounds.rounding import above, exact_square, length_above, root_above, safely, short_sums
from linsep.types import Hyperplane


def test_orthonormal_rows_attain_the_bound_and_it_is_not_below() -> None:
    for n in (*range(2, 100), *range(100, 400, 13)):
        X, y = np.eye(n), np.where(np.arange(n) % 2, 1.0, -1.0)
        u = y / math.sqrt(n)
        run = SimpleNamespace(
            classes_=[0, 1],
            unit_steps=True,
            class_weight=None,
            fit_intercept=False,
            intercept_scaling_=1.0,
            constant2_=0.0,
        )
        found = [
            *mistake_bounds(X, y, u, fit_intercept=False, epochs=1),
            *mistake_bounds(sp.csr_matrix(X / 3), y, 7 * u, fit_intercept=False, epochs=2),
            *collins_bounds(y * u, length_above(float(exact_square(u.tolist()))), 1.0, epochs=2),
            *kernel_bounds(np.ones(n), root := float(root_above(Fraction(n))), 1.0, norm_w=root, epochs=2),
            mixing_bound(run, 1.0, Hyperplane(u, 0.0), float((y * u).min())),
        ]
        # In a table of its own a row is a mistake once: n mistakes, and every bound on them allows n.
        for row in found:
            assert not row.applies or (row.value is not None and n <= int(row.value) <= n * (1 + 1e-9)), (n, row)


@pytest.mark.parametrize("n", [3, 7, 399])
def test_those_rows_make_as_many_mistakes(n: int) -> None:
    X, y = np.eye(n), np.arange(n) % 2
    assert Perceptron(fit_intercept=False).fit(X, y).n_mistakes_ == n
    learner = KernelPerceptron("linear", shuffle=False).fit(X, y)
    assert learner.n_mistakes_ == n
    assert int(learner.mistake_bound(float(root_above(Fraction(n))), 0.0)[0]) == n


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(2, 12), st.booleans(), st.booleans(), st.floats(1e-3, 1e3))
def test_the_exact_value_is_not_above(seed: int, p: int, n: int, sparse: bool, bias: bool, scale: float) -> None:
    """Against fractions for every number, with margins that nearly vanish."""
    rng = np.random.default_rng(seed)
    w, b = rng.normal(size=p) * scale, float(rng.normal()) * bias
    X = rng.normal(size=(n, p)).astype(np.float32 if seed % 2 else np.float64)
    if seed % 3 == 0:  # one row as near to the plane as doubles allow
        X[0] = -b * w / (w @ w)
    exact = [
        Fraction(b) + sum(Fraction(v) * Fraction(x) for v, x in zip(w.tolist(), row, strict=True)) for row in X.tolist()
    ]
    y = np.array([z > 0 for z in exact])
    if y.all() or not y.any() or 0 in exact:
        return
    eps = min(map(abs, exact))
    R2 = max(sum(Fraction(x) ** 2 for x in row) for row in X.tolist())
    true = (R2 + bias) * (sum(Fraction(v) ** 2 for v in w.tolist()) + Fraction(b) ** 2) / eps**2
    found = mistake_bounds(sp.csr_matrix(X) if sparse else X, y, w, b, fit_intercept=bias, epochs=3)
    novikoff = found.get("novikoff")
    if novikoff.applies:  # a margin that is computed as 0 or less may be positive
        assert novikoff.value is not None
        assert true <= Fraction(novikoff.value) <= true * (1 + Fraction(1, 10**9))
    for name in ("freund-schapire", "hinge loss"):
        assert (found.get(name).value or 0) <= (found.get(f"{name}, all passes").value or 0)


def test_a_margin_that_rounding_made_positive_is_no_separator() -> None:
    # The doubles 0.1, 0.2 and -0.3 add up to 2.8e-17; adding them one by one gives 5.6e-17.
    X, y = np.array([[0.1, 0.2, 0.3], [-1.0, -1.0, 1.0]]), [1, 0]
    narrow = mistake_bounds(X, y, [1.0, 1.0, -1.0], fit_intercept=False).get("novikoff")
    eps = Fraction(0.1) + Fraction(0.2) - Fraction(0.3)
    assert eps > 0 and narrow.applies and narrow.value is not None
    assert narrow.value == above(3 * 3 / eps**2)
    # 1e16 + 1 - 1e16 - 1 is 0, which doubles may add up to something else.
    tie = np.array([[1e16, 1.0, -1e16, -0.5], [-1.0, 0.0, 0.0, 0.0]])
    told = mistake_bounds(tie, y, [1.0, 0.5, 1.0, 1.0], fit_intercept=False).get("novikoff")
    assert not told.applies and "makes 1 mistake" in told.why


def test_parts() -> None:
    assert (above(Fraction(10) ** 400), safely(lambda: Fraction(math.nan))) == (math.inf, math.inf)
    many = np.random.default_rng(0).normal(size=30_000)
    few = [max(Fraction(0), 1 - Fraction(m) / Fraction(0.5)) for m in many.tolist()]
    first, second = short_sums(many, 0.5)
    exact = sum(few), sum(v * v for v in few)
    assert exact[0] <= first <= exact[0] * (1 + Fraction(1, 10**12))
    assert exact[1] <= second <= exact[1] * (1 + Fraction(1, 10**12))
