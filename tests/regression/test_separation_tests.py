"""Likelihood-ratio tests of infinite coefficients, beside closed forms and the limit in 60 digits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2
from test_separation_remedies import maximum_in_50_digits

from linsep import separation
from linsep.types import Array

FAR = 300  # e^-300 is nothing beside the doubles that are compared


def entropy(k: int, n: int) -> float:
    """The largest log-likelihood of k successes among n."""
    return float(sum(a * np.log(a / n) for a in (k, n - k) if a))


@pytest.mark.parametrize(("a", "n", "m"), [(2, 4, 3), (1, 9, 5), (7, 8, 2), (3, 6, 40)])
@pytest.mark.parametrize("way", [1, -1])
def test_of_a_table_of_two_by_two(a: int, n: int, m: int, way: int) -> None:
    y = np.array([1] * a + [0] * (n - a) + [1] * m)
    x = np.array([0] * n + [way] * m)
    part = separation(x[:, None], y).finite_part()
    assert part.estimates["x1"].value == way * np.inf
    statistic = 2 * (entropy(a, n) - entropy(a + m, n + m))
    assert list(part.tests) == ["x1"]
    assert part.tests["x1"].statistic == pytest.approx(statistic, rel=1e-10)
    assert part.tests["x1"].p_value == pytest.approx(float(chi2.sf(statistic, 1)), rel=1e-9)
    # 0 is inside of the interval just where the test says so.
    level = 1 - part.tests["x1"].p_value
    ends = separation(x[:, None], y).finite_part(level).estimates["x1"]
    assert (ends.lower if way > 0 else ends.upper) == pytest.approx(0, abs=1e-6)


def largest(X: Array, y: Array, offset: Array) -> float:
    """The largest log-likelihood of a logistic regression of all rows, where Newton's method in 60 digits ends."""
    eta = X @ np.array(maximum_in_50_digits(X, y.astype(float), offset, "logistic")) + offset
    return -float(np.logaddexp(0, np.where(y == 1, -eta, eta)).sum())


@pytest.mark.parametrize("seed", range(3))
def test_of_the_limit_in_high_precision(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 24
    dose = (np.arange(n) >= 20).astype(float)
    X = np.column_stack([dose, rng.integers(-4, 5, n) / 4, np.arange(n) % 2])
    y = np.where(dose == 1, 1, rng.permutation(np.arange(n) % 3 == 0)).astype(int)
    found = separation(X, y)
    assert {name: value for name, value in found.coefficients.items() if value != "finite"} == {"x1": np.inf}
    whole: Any = np.column_stack([np.ones(n), X[:, 1:]])
    upper = largest(whole, y, FAR * dose)
    null = largest(whole, y, 0 * dose)
    part = found.finite_part()
    assert part.log_likelihood == pytest.approx(upper, rel=1e-12)
    assert part.tests["x1"].statistic == pytest.approx(2 * (upper - null), rel=1e-10)


def test_where_another_coefficient_takes_its_place_nothing_is_lost() -> None:
    # Either of the two columns fits the last rows without error.
    X = np.array([[0, 0], [0, 0], [0, 0], [0, 0], [1, 2], [1, 3], [2, 1]])
    y = [0, 1, 0, 1, 1, 1, 1]
    part = separation(X, y).finite_part()
    infinite = [name for name, found in part.estimates.items() if np.isinf(found.value)]
    assert set(part.tests) == set(infinite)
    assert all(test[:2] == (0.0, 1.0) for test in part.tests.values())
    X = np.array([[1, 2], [1, 1], [1, -3], [1, 0], [0, 1]])
    part = separation(X, [0, 1, 1, 0, 1]).finite_part()
    assert part.tests["x1"].statistic > 0
    assert "x1 = 0" in repr(part)
