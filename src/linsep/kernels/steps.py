"""How far to move at a margin: the type of a rule selects `step_size`.

A number is the margin up to which a perceptron moves (0 of Rosenblatt 1958, a tie a mistake; above 0 of Krauth and
Mezard 1987, without their choice of the worst row); the others are namedtuples of `passes.py`.

An update is w += tau y x, b += c^2 tau y, where tau depends on the functional margin m (y z, or z_y - z_r between two
classes) and on the squared length q of what is added (||x||^2 + c^2; twice that between two classes). c is the constant
feature whose weight is b / c, or 0 without an intercept.
tau = 0 means no update.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import types
from numba.extending import overload

from linsep.kernels.rows import row_norm2
from linsep.passes import PA1


def step_size(rule: Any, m: float, X: Any, i: int, intercept: float, copies: float) -> float:
    """tau of the rule at margin m, for q = copies (||x_i||^2 + intercept), which is computed only where it is needed.

    A stub in Python, as in `rows.py`.
    """
    raise NotImplementedError


@overload(step_size)
def _step_size(rule: Any, m: Any, X: Any, i: Any, intercept: Any, copies: Any) -> Callable[..., Any]:
    def perceptron(rule: Any, m: Any, X: Any, i: Any, intercept: Any, copies: Any) -> Any:
        return 1.0 if m <= rule else 0.0

    def pa1(rule: Any, m: Any, X: Any, i: Any, intercept: Any, copies: Any) -> Any:
        if m >= 1.0:
            return 0.0
        q = copies * (row_norm2(X, i) + intercept)
        return min(rule.C, (1.0 - m) / q) if q > 0.0 else 0.0

    def pa2(rule: Any, m: Any, X: Any, i: Any, intercept: Any, copies: Any) -> Any:
        if m >= 1.0:
            return 0.0
        return (1.0 - m) / (copies * (row_norm2(X, i) + intercept) + 0.5 / rule.C)

    if isinstance(rule, types.Float):
        return perceptron
    return pa1 if rule.instance_class is PA1 else pa2
