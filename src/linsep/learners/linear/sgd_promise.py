"""What a run of gradient descent promises: how far its loss can be above that of other vectors."""

from __future__ import annotations

import math
from dataclasses import astuple
from typing import Any

from linsep.theory.bounds.losses import sgd_bound
from linsep.theory.bounds.table import Bound

NO_PLAN = "it covers one fit from w = 0, not rows that come in parts or a warm start"
_REGRET = "(|u|^2 + G^2 sum eta^2) / (2 sum eta)"


def promise(learner: Any, steps: int, *, planned: bool) -> tuple[Any, ...]:
    """The guarantee of a run after so many steps, or why there is none, as a tuple that a model file can hold."""
    return astuple(_excess_bound(learner, steps, planned=planned))


def _excess_bound(learner: Any, steps: int, *, planned: bool) -> Bound:
    bound = sgd_bound(learner.projection_radius, *_of_run(learner, steps), **_how(learner))
    why = ""
    if not planned:
        why = NO_PLAN
    elif learner.projection_radius is None:
        why = _without_ball(learner, steps)
    elif learner.sampling == "epochs":
        why = 'epochs do not draw rows independently: sampling="replacement" does'
    else:
        why = _clipped(learner)
    if planned and learner.projection_radius is not None and not bound.applies:
        return bound
    return Bound(bound.name, None, False, why, bound.formula) if why else bound


def regret_bound(learner: Any, steps: int, norm: float, *, planned: bool) -> Bound:
    """The bound of `SGDClassifier.regret_bound`."""
    radius = math.inf if learner.projection_radius is None else learner.projection_radius
    why = "" if planned else NO_PLAN
    if not why and math.isinf(learner.gradient_bound_):
        why = f"no ball: gradients of the {learner.loss} loss have no limit, give projection_radius"
    elif not why and norm > radius:
        why = f"w is projected on a ball of radius {radius:g}, and u is not in it"
    elif not why and learner.average == "uniform" and learner.learning_rate == "invsqrt":
        why = 'it weighs the steps by their size, as average="eta" does'
    why = why or _clipped(learner)
    if why:
        return Bound("regret", None, False, why, _REGRET)
    value = sgd_bound(norm, *_of_run(learner, steps), **_how(learner) | {"average": "eta"}).value
    return Bound("regret", value, True, "", _REGRET)


def _of_run(learner: Any, steps: int) -> tuple[float, int]:
    return learner.gradient_bound_, steps


def _how(learner: Any) -> dict[str, Any]:
    return {"eta0": learner.eta0_, "learning_rate": learner.learning_rate, "average": learner.average}


def _clipped(learner: Any) -> str:
    if learner.clip_norm is None or learner.clip_norm >= learner.gradient_bound_:
        return ""
    return f"gradients may be as long as {learner.gradient_bound_:.6g} and are clipped at {learner.clip_norm:.6g}"


def _without_ball(learner: Any, steps: int) -> str:
    """Why there is no guarantee, and what holds instead against a vector u of any length."""
    still = regret_bound(learner, steps, 0.0, planned=True)
    if still.value is None:
        return f"w is not projected: give projection_radius ({still.why})"
    one = regret_bound(learner, steps, 1.0, planned=True)
    assert one.value is not None
    return (
        "w is not projected, so it depends on the vector u to compare with: over these rows the mean loss of the steps "
        f"exceeds that of u by at most {one.value - still.value:.3g} |u|^2 + {still.value:.3g}"
    )
