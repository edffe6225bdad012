"""How far to move at a margin: each rule is a namedtuple of its parameters, and its type selects `step_size`.

An update is w += tau y x, b += tau y with tau = step_size(rule, m, q), where m = y z is the functional margin
and q = ||x||^2 (+ 1 with an intercept). tau = 0 means no update.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from numba.extending import overload


class PerceptronStep(NamedTuple):
    """tau = 1 if m <= margin else 0. `margin` = 0 is Rosenblatt's rule; a tie is a mistake."""

    margin: float


def step_size(rule: Any, m: float, X: Any, i: int, intercept: float) -> float:
    """tau for margin m; the row is there for the rules that need its length."""
    raise NotImplementedError


@overload(step_size)
def _step_size(rule: Any, m: Any, X: Any, i: Any, intercept: Any) -> Callable[..., Any]:
    return {PerceptronStep: _perceptron}[rule.instance_class]


def _perceptron(rule: Any, m: Any, X: Any, i: Any, intercept: Any) -> Any:
    return 1.0 if m <= rule.margin else 0.0
