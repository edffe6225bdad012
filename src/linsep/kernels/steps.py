"""How far to move at a margin: each rule is a namedtuple of its parameters, and its type selects `step_size`.

A bare number stands for `PerceptronStep` of it, and is handed over sooner from Python.

An update is w += tau y x, b += tau y with tau = step_size(rule, m, q), where m is the functional margin (y z, or
z_y - z_r between two classes) and q the squared length of what is added (||x||^2, + 1 with an intercept; twice that
between two classes). tau = 0 means no update.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from numba import types
from numba.extending import overload

from linsep.kernels.rows import row_norm2


class PerceptronStep(NamedTuple):
    """tau = 1 if m <= margin else 0. `margin` = 0 is Rosenblatt's rule; a tie is a mistake."""

    margin: float


class PA(NamedTuple):
    """tau = max(0, 1 - m) / q: the least move that brings the margin to 1 (Crammer et al. 2006, PA)."""


class PA1(NamedTuple):
    """tau = min(C, max(0, 1 - m) / q) (PA-I)."""

    C: float


class PA2(NamedTuple):
    """tau = max(0, 1 - m) / (q + 1 / (2 C)) (PA-II)."""

    C: float


def step_size(rule: Any, m: float, X: Any, i: int, intercept: float, copies: float) -> float:
    """tau for margin m; q = copies (||x_i||^2 + intercept) is computed only where it is needed."""
    raise NotImplementedError


@overload(step_size)
def _step_size(rule: Any, m: Any, X: Any, i: Any, intercept: Any, copies: Any) -> Callable[..., Any]:
    return _margin if isinstance(rule, types.Float) else _RULES[rule.instance_class]


def _perceptron(rule: Any, m: Any, X: Any, i: Any, intercept: Any, copies: Any) -> Any:
    return 1.0 if m <= rule.margin else 0.0


def _margin(rule: Any, m: Any, X: Any, i: Any, intercept: Any, copies: Any) -> Any:
    return 1.0 if m <= rule else 0.0


def _pa(rule: Any, m: Any, X: Any, i: Any, intercept: Any, copies: Any) -> Any:
    if m >= 1.0:
        return 0.0
    q = copies * (row_norm2(X, i) + intercept)
    return (1.0 - m) / q if q > 0.0 else 0.0


def _pa1(rule: Any, m: Any, X: Any, i: Any, intercept: Any, copies: Any) -> Any:
    if m >= 1.0:
        return 0.0
    q = copies * (row_norm2(X, i) + intercept)
    return min(rule.C, (1.0 - m) / q) if q > 0.0 else 0.0


def _pa2(rule: Any, m: Any, X: Any, i: Any, intercept: Any, copies: Any) -> Any:
    if m >= 1.0:
        return 0.0
    return (1.0 - m) / (copies * (row_norm2(X, i) + intercept) + 0.5 / rule.C)


_RULES = {PerceptronStep: _perceptron, PA: _pa, PA1: _pa1, PA2: _pa2}
