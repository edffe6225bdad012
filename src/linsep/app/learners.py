"""The learners by the names that the command line gives them."""

from __future__ import annotations

from typing import Any, NamedTuple

from sklearn.base import clone

from linsep.learners import (
    MLP,
    AveragedPerceptron,
    KernelPerceptron,
    MarginPerceptron,
    PassiveAggressive,
    Perceptron,
    PocketPerceptron,
    Rocchio,
    SGDClassifier,
    VotedPerceptron,
)
from linsep.learners.selection import RUNGS
from linsep.types import DataError

LEARNERS: dict[str, tuple[Any, dict[str, Any]]] = {
    "perceptron": (Perceptron, {}),
    "averaged": (AveragedPerceptron, {}),
    "voted": (VotedPerceptron, {}),
    "pocket": (PocketPerceptron, {}),
    "margin": (MarginPerceptron, {}),
    "pa": (PassiveAggressive, {"variant": "pa"}),
    "pa1": (PassiveAggressive, {"variant": "pa1"}),
    "pa2": (PassiveAggressive, {"variant": "pa2"}),
    "rocchio": (Rocchio, {}),
    "sgd": (SGDClassifier, {"sampling": "replacement", "projection_radius": 10.0}),  # what carries a guarantee
    "kernel": (KernelPerceptron, {"average": "voted", "max_iter": 10}),
    "mlp": (MLP, {}),
}


class Limits(NamedTuple):
    """Limits of training, and the seed; a time limit replaces the limit on epochs."""

    max_iter: int | None
    time_limit: float | None
    seed: int = 0

    def put_on(self, estimator: Any) -> Any:
        """Set them on a learner: the limits if it has `max_iter`, the seed if it has `random_state`."""
        if "random_state" in estimator.get_params():
            estimator.set_params(random_state=self.seed)
        if not hasattr(estimator, "max_iter"):
            return estimator
        if self.max_iter is not None or self.time_limit is not None:
            estimator.set_params(max_iter=self.max_iter)
        return estimator.set_params(time_limit=self.time_limit)


def make_learner(name: str, limits: Limits, **options: Any) -> Any:
    """Make the learner of that name with all `options` that are not None."""
    if name not in LEARNERS:
        raise DataError(f"no learner called {name!r}: choose from {', '.join(LEARNERS)} or auto")
    kind, parameters = LEARNERS[name]
    estimator = kind(**parameters)
    _check_options(name, estimator.get_params(), options)
    estimator.set_params(**{option: value for option, value in options.items() if value is not None})
    return limits.put_on(estimator)


def make_ladder(limits: Limits, **options: Any) -> dict[str, Any]:
    """The learners that --learner auto tries, the simplest first; each has the same limits."""
    _check_options("auto", {}, options)
    return {name: limits.put_on(clone(rung)) for name, rung in RUNGS.items()}


def _check_options(name: str, known: Any, options: dict[str, Any]) -> None:
    for option, value in options.items():
        if value is not None and option not in known:
            raise DataError(f"--{option.replace('_', '-')} is not an option of --learner {name}")
