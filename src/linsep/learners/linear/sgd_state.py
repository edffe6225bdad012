"""What gradient descent is asked, what it remembers, and how far its loss can be above that of other vectors.

It remembers w = s v as a number and a vector, and the sum of weighted vectors likewise.
"""

from __future__ import annotations

import math
import sys
from dataclasses import astuple
from typing import Any

import numpy as np
import scipy

from linsep.declared import ArraySpec, ValueSpec
from linsep.kernels.linear.gradient import BY_STEP, LEAST_SCALE, NO_MEAN, UNIFORM, Descent, Iterate, measure
from linsep.theory.bounds.losses import loss_code, sgd_bound
from linsep.theory.bounds.table import Bound
from linsep.types import Array

_SUMS = ArraySpec(("planes",), "float64", bounded=False)
# In the order of `linsep.kernels.linear.gradient.Iterate`. Sums are finite, and `LinearLearner.set_state` looks at the
# vector that they give.
ARRAYS = {
    "_v": ArraySpec(("planes", "features")),
    "_b": ArraySpec(("planes",), like="_v"),
    "_mean": ArraySpec(("planes", "features"), "float64", bounded=False),
    "_mean_b": _SUMS,
    "_scale": ArraySpec(("planes",), "float64", least=LEAST_SCALE, below=2),  # projections shorten
    "_scale_sum": _SUMS,
    "_norm2": _SUMS,
    "_total": ArraySpec((1,), "float64", least=0, bounded=False),
}
_TEXT = ValueSpec("text")
_BOUND = (_TEXT, ValueSpec("number", most=math.inf, none=True), ValueSpec("flag"), _TEXT, _TEXT, ValueSpec("flag"))
VALUES = {
    "eta0_": ValueSpec("number", most=sys.float_info.max, needed=False),
    "gradient_bound_": ValueSpec("number", most=math.inf, nan=True),
    "_promise": ValueSpec("tuple", least=5, parts=_BOUND),
}
NO_PLAN = "it covers one fit from w = 0, not rows that come in parts or a warm start"
NO_STEPS = (
    'eta0="auto" needs all rows at once, for max ||(x, 1)|| and T: give eta0 as a number to learn from a stream (after '
    'a fit its eta0_, say); learning_rate="invsqrt" needs no T'
)


def has_steps(learner: Any) -> bool:
    """Whether `partial_fit` knows how far to step; AttributeError if not."""
    if learner.eta0 == "auto":
        raise AttributeError(NO_STEPS)
    return True


def is_logistic(learner: Any) -> bool:
    """Whether z is the logarithm of odds; AttributeError if not."""
    if learner.loss != "logistic":
        raise AttributeError(f'probabilities come with loss="logistic", this learner has loss={learner.loss!r}')
    return True


def probabilities(z: Array, n_classes: int) -> Array:
    """1 / (1 + exp(-z)) of the positive class; of several classes that of each against the rest, made to sum to 1."""
    if z.ndim == 2:
        return np.asarray(scipy.special.softmax(scipy.special.log_expit(z), axis=1))
    return np.column_stack([scipy.special.expit(-z), scipy.special.expit(z)])


def descent(learner: Any) -> Descent:
    """How to step. Sets `eta0_` where `eta0` is a number."""
    if learner.eta0 != "auto":
        learner.eta0_ = float(learner.eta0)
    return Descent(
        loss=loss_code(learner.loss),
        eta0=learner.eta0_,
        decreasing=learner.learning_rate == "invsqrt",
        weighting={None: NO_MEAN, "uniform": UNIFORM, "eta": BY_STEP}[learner.average],
        radius=math.inf if learner.projection_radius is None else float(learner.projection_radius),
        clip=math.inf if learner.clip_norm is None else float(learner.clip_norm),
        intercept=learner.constant2_,
    )


def measure_all(w: Iterate, constant2: float) -> None:
    """Measure the length of every vector from its entries. Changes `w.norm2`."""
    for k in range(len(w.b)):
        measure(w, k, constant2)


# ------------------------------------------------------------------ what a run promises
def promise(learner: Any, steps: int, *, planned: bool) -> tuple[Any, ...]:
    """The guarantee of a run after so many steps, or why there is none, as a tuple that a model file can hold."""
    bound = _bound(learner, learner.projection_radius, steps, learner.average)
    if not planned:
        why = NO_PLAN
    elif learner.projection_radius is None:
        why = _without_ball(learner, steps)
    elif not bound.applies:
        why = ""
    elif learner.sampling == "epochs":
        why = 'epochs do not draw rows independently: sampling="replacement" does'
    else:
        why = _clipped(learner)
    return astuple(Bound(bound.name, None, False, why, bound.formula) if why else bound)


def _bound(learner: Any, radius: float | None, steps: int, average: str | None) -> Bound:
    how: dict[str, Any] = {"eta0": learner.eta0_, "learning_rate": learner.learning_rate, "average": average}
    return sgd_bound(radius, learner.gradient_bound_, steps, **how)


def _clipped(learner: Any) -> str:
    if learner.clip_norm is None or learner.clip_norm >= learner.gradient_bound_:
        return ""
    return f"gradients may be as long as {learner.gradient_bound_:.6g} and are clipped at {learner.clip_norm:.6g}"


def _without_ball(learner: Any, steps: int) -> str:
    """Why there is no guarantee, and what holds instead against a vector u of any length."""
    why = _clipped(learner)
    if math.isinf(learner.gradient_bound_):
        why = f"no ball: gradients of the {learner.loss} loss have no limit, give projection_radius"
    elif learner.average == "uniform" and learner.learning_rate == "invsqrt":
        why = 'it weighs the steps by their size, as average="eta" does'
    if why:
        return f"w is not projected: give projection_radius ({why})"
    still, one = (_bound(learner, norm, steps, "eta").value or 0.0 for norm in (0.0, 1.0))
    return (
        "w is not projected, so it depends on the vector u to compare with: over these rows the mean loss of the steps "
        f"exceeds that of u by at most {one - still:.3g} |u|^2 + {still:.3g}"
    )
