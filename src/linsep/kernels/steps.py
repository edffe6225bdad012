"""How far to move at a margin: each rule is a namedtuple of `passes.py`, and its type selects `step_size`.

An update is w += tau y x, b += c^2 tau y, where tau depends on the functional margin m (y z, or z_y - z_r between two
classes) and on the squared length q of what is added (||x||^2 + c^2; twice that between two classes). c is the constant
feature whose weight is b / c, or 0 without an intercept.
tau = 0 means no update.

A bare number stands for `PerceptronStep` of it: calls from Python cost less with a number than with a namedtuple.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import types
from numba.extending import overload

from linsep.kernels.rows import row_norm2
from linsep.passes import PA, PA1, PA2, PerceptronStep


def step_size(rule: Any, m: float, X: Any, i: int, intercept: float, copies: float) -> float:
    """tau of the rule at margin m, for q = copies (||x_i||^2 + intercept), which is computed only where it is needed.

    A stub in Python, as in `rows.py`.
    """
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
