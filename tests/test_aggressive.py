"""Passive-aggressive steps against SciPy's solution of the quadratic programme that they solve."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from linsep.learners import PassiveAggressive

VARIANTS = ["pa", "pa1", "pa2"]


def solve(start: Any, move: Any, variant: str, C: float) -> Any:
    """argmin ||v - start||^2 / 2 + (0, C xi or C xi^2) subject to v.move >= 1 - xi, xi >= 0 (xi = 0 for "pa")."""

    def objective(u: Any) -> float:
        slack = {"pa": 0.0, "pa1": C * u[-1], "pa2": C * u[-1] ** 2}[variant]
        return float(0.5 * ((u[:-1] - start) ** 2).sum() + slack)

    constraints = [
        {"type": "ineq", "fun": lambda u: u[:-1] @ move - 1 + u[-1]},
        {"type": "ineq", "fun": lambda u: u[-1]},
    ]
    if variant == "pa":
        constraints.append({"type": "eq", "fun": lambda u: u[-1]})
    found = minimize(
        objective,
        np.append(start, 0.0),
        method="SLSQP",
        constraints=constraints,
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert found.success
    return found.x[:-1]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("label", [0, 1])
def test_a_binary_step_solves_its_quadratic_programme(variant: str, intercept: bool, label: int) -> None:
    steps = 0
    for seed in range(10):
        rng = np.random.RandomState(seed)
        X, w, b = rng.randn(1, 3), rng.randn(3), rng.randn() if intercept else 0.0
        learner = PassiveAggressive(variant=variant, C=0.3, fit_intercept=intercept)
        learner.partial_fit(X, [label], classes=[0, 1])
        learner.coef_[0], learner.intercept_[0] = w, b
        learner.partial_fit(X, [label])
        move = (2 * label - 1) * np.append(X[0], float(intercept))
        best = solve(np.append(w, b), move, variant, 0.3)
        np.testing.assert_allclose(np.append(learner.coef_[0], learner.intercept_), best, atol=1e-6)
        steps += not np.array_equal(learner.coef_[0], w)
    assert steps >= 3


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_step_between_two_classes_solves_its_quadratic_programme(variant: str) -> None:
    for seed in range(10):
        rng = np.random.RandomState(seed)
        X, W = rng.randn(1, 2), rng.randn(4, 3)
        label = int(rng.randint(4))
        learner = PassiveAggressive(variant=variant, C=0.3, multi_class="multiclass")
        learner.partial_fit(X, [label], classes=range(4))
        learner.coef_[:], learner.intercept_[:] = W[:, :2], W[:, 2]
        learner.partial_fit(X, [label])
        x = np.append(X[0], 1.0)
        z = W @ x
        z[label] = -np.inf
        move = np.zeros((4, 3))
        move[label], move[z.argmax()] = x, -x
        best = solve(W.ravel(), move.ravel(), variant, 0.3).reshape(4, 3)
        np.testing.assert_allclose(np.column_stack([learner.coef_, learner.intercept_]), best, atol=1e-6)
