"""The learners by the names that the command line gives them."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any, NamedTuple

from linsep import learners
from linsep.learners.selection import RUNGS, Rung
from linsep.types import DataError

LEARNERS: dict[str, tuple[str, dict[str, Any]]] = {
    "perceptron": ("Perceptron", {}),
    "averaged": ("AveragedPerceptron", {"multi_class": "multiclass"}),
    "voted": ("VotedPerceptron", {}),
    "pocket": ("PocketPerceptron", {}),
    "margin": ("MarginPerceptron", {}),
    "pa": ("PassiveAggressive", {"variant": "pa"}),
    "pa1": ("PassiveAggressive", {"variant": "pa1"}),
    "pa2": ("PassiveAggressive", {"variant": "pa2"}),
    "rocchio": ("Rocchio", {}),
    "sgd": ("SGDClassifier", {"sampling": "replacement", "projection_radius": 10.0}),  # what carries a guarantee
    "kernel": ("KernelPerceptron", {"average": "voted", "max_iter": 10}),
    "mlp": ("MLP", {}),
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


def new_learner(name: str) -> Any:
    """The learner of that name, as the command line takes it."""
    kind, parameters = LEARNERS[name]
    return getattr(learners, kind)(**parameters)


def make_learner(name: str, limits: Limits, **options: Any) -> Any:
    """Make the learner of that name with all `options` that are not None; the radius "none" is no limit."""
    if name not in LEARNERS:
        raise DataError(f"no learner called {name!r}: choose from {', '.join(LEARNERS)} or auto")
    estimator = new_learner(name)
    _check_options(name, estimator.get_params(), options)
    given = {option: value for option, value in options.items() if value is not None}
    estimator.set_params(**given | ({"projection_radius": None} if given.get("projection_radius") == "none" else {}))
    return limits.put_on(estimator)


def make_ladder(limits: Limits, **options: Any) -> dict[str, Rung]:
    """The rungs that --learner auto tries, the simplest first; a time limit comes on top of their limits on epochs."""
    _check_options("auto", {}, options)

    def limited(rung: Rung) -> Rung:
        epochs = limits._replace(time_limit=None)
        return lambda X: [epochs.put_on(learner).set_params(time_limit=limits.time_limit) for learner in rung(X)]

    return {name: limited(rung) for name, rung in RUNGS.items()}


def check_weights(learner: Any, sample_weight: str | None) -> None:
    """Raise DataError if rows have weights and the learner takes none."""
    if sample_weight is None:
        return
    if isinstance(learner, Mapping) or "sample_weight" not in signature(learner.fit).parameters:
        name = "auto" if isinstance(learner, Mapping) else type(learner).__name__
        raise DataError(f"sample_weight: the learner {name} takes no weights of rows")


def _check_options(name: str, known: Any, options: dict[str, Any]) -> None:
    for option, value in options.items():
        if value is not None and option not in known:
            raise DataError(f"{option} is not a parameter of --learner {name}")
