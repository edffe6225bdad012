"""Passive-aggressive steps against SciPy's solution of the quadratic programme that they solve."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from linsep.learners import PassiveAggressive

VARIANTS = ["pa", "pa1", "pa2"]


def solve(start: Any, move: Any, variant: str, C: float) -> Any:
    """argmin ||v - start||^2 / 2 + C xi ("pa1"), C xi^2 ("pa2"), subject to v.move >= 1 - xi, xi >= 0 (0 for "pa")."""
    slack = variant != "pa"
    square = variant == "pa2"

    def objective(u: Any) -> float:
        return float(0.5 * ((u[: start.size] - start) ** 2).sum() + (C * u[-1] ** (1 + square) if slack else 0.0))

    def gradient(u: Any) -> Any:
        return np.append(u[: start.size] - start, [C * (2 * u[-1] if square else 1.0)] if slack else [])

    row, last = np.append(move, [1.0] if slack else []), np.append(np.zeros(start.size), [1.0])
    constraints = [{"type": "ineq", "fun": lambda u: u @ row - 1, "jac": lambda u: row}]
    if slack:
        constraints.append({"type": "ineq", "fun": lambda u: u @ last, "jac": lambda u: last})
    u = np.append(start, [0.0] if slack else [])
    programme: Any = minimize
    found = programme(objective, u, jac=gradient, method="SLSQP", constraints=constraints, options={"ftol": 1e-12})
    assert found.success
    return found.x[: start.size]


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
