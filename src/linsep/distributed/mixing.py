"""Mix the weights of shards, and compute the bound on the mistakes."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy, deepcopy
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from linsep.learners.base.linear_learner import LinearLearner
from linsep.passes import RECORD
from linsep.theory.bounds.rounding import length2, safely
from linsep.theory.bounds.table import Bound
from linsep.types import Array, DataError, Hyperplane

# Arrays of a learner that can be mixed, besides weights and their running sums.
_MIXABLE = {"coef_", "intercept_"}


class Pass(NamedTuple):
    """A learner after one epoch on some shards, with the state of their random numbers and their records."""

    learner: Any
    rngs: tuple[Any, ...] = ()
    records: tuple[Array, ...] = ()


@dataclass(frozen=True, repr=False)
class Mixing:
    """The record of training on shards: the mistakes of each shard in each epoch, and how the weights were mixed.

    Attributes
    ----------
    mix : "uniform" or None
        How the weights were mixed.
    mistakes : ndarray of int64, shape (n_epochs, n_shards)
        k, the mistakes of each shard in each epoch.
    rows : ndarray of int64, shape (n_shards,)
        The number of rows in each shard.
    radius : float
        R, the largest norm of a row.
    bound : Bound
        sum mu k <= R^2 / gamma^2 at the separators at hand: the one found, if a pass was clean, and the reference.
    """

    mix: str | None
    mistakes: Array
    rows: Array
    radius: float
    bound: Bound

    @property
    def weighted_mistakes(self) -> float:
        """The sum of mu k over epochs and shards, mu being the share of a shard in the mix, 1 without mixing."""
        return float(self.mistakes.sum() / (1 if self.mix is None else self.mistakes.shape[1]))

    def __repr__(self) -> str:
        epochs, shards = self.mistakes.shape
        how = "shards in turn" if self.mix is None else f"mix={self.mix!r}"
        allowed = f"of {self.bound.value:,.6g} allowed" if self.bound.applies else f"(no bound: {self.bound.why})"
        run = f"{epochs:,} epochs on {shards:,} shards, {how}"
        return f"<Mixing of {run}: sum mu k = {self.weighted_mistakes:,.6g} {allowed}>"


def check_mix(learner: Any, mix: str | None) -> None:
    """Raise unless the learner can be trained in this way."""
    if mix not in ("uniform", None):
        raise DataError(f'mix must be "uniform" or None, got {mix!r}')
    if not (isinstance(learner, LinearLearner) and hasattr(type(learner), "partial_fit") and hasattr(learner, "trace")):
        why = "cannot be trained shard by shard: it needs all rows at once, or makes no passes"
    elif set(learner.state_values) > set(LinearLearner.state_values):
        why = "remembers more of its rows than weights; its own partial_fit takes them in chunks"
    elif mix and set(learner.state_arrays) - _MIXABLE - {*learner.running_sums, *learner.running_sums.values()}:
        why = "predicts with more than weights that can be mixed; mix=None takes the shards in turn"
    elif learner.intercept_scaling == "auto" or learner.warm_start or learner.trace == "updates":
        why = 'on shards has no intercept_scaling="auto", warm_start=True or trace="updates"'
    else:
        return
    raise DataError(f"a {type(learner).__name__} {why}")


def fresh(learner: Any) -> Any:
    """A copy of the learner that a shard starts from: the same weights, running sums of 0."""
    start = copy(learner)
    start.t_ = 0
    for name in _sums(learner):
        setattr(start, name, np.zeros_like(getattr(learner, name)))
    return start


def blend(before: Any, parts: Iterable[Pass]) -> Pass:
    """The mean of the w_i, each trained from the weights of `before`.

    If no shard moved the weights they stay as they are: a mean would round. Averages: the sum of all vectors in use
    is T w - u, u the running sum that averaging keeps over T visits; the shards' sums, which began at 0, are added
    to that of `before`, and u is then taken about the new w. Only the weights of one part are held at a time.
    """
    after = deepcopy(before)
    weighted = [np.zeros_like(array, dtype=np.float64) for array in before.moving()]
    in_use = {name: _in_use(before, name) for name in _sums(before)}
    rngs: list[Any] = []
    records: list[Array] = []
    for part in parts:
        for sums, array in zip(weighted, part.learner.moving(), strict=True):
            sums += array.astype(np.float64)
        for name, vectors in in_use.items():
            vectors += _in_use(part.learner, name)
        after.t_ += part.learner.t_
        rngs += part.rngs
        records += part.records
    if np.array(records)[:, RECORD.updates].any():
        for sums, array in zip(weighted, after.moving(), strict=True):
            array[...] = sums / len(records)
    for name, vectors in in_use.items():
        weights = getattr(after, after.running_sums[name]).astype(np.float64)
        setattr(after, name, after.t_ * weights - vectors)
    return Pass(after, tuple(rngs), tuple(records))


def _sums(learner: Any) -> list[str]:
    """Names of the running sums that this learner keeps."""
    return [name for name in learner.running_sums if hasattr(learner, name)]


def _in_use(learner: Any, name: str) -> Array:
    """The sum of all vectors in use so far: T w - u."""
    weights = getattr(learner, learner.running_sums[name]).astype(np.float64)
    return np.asarray(learner.t_ * weights - getattr(learner, name))


def why_no_bound(learner: Any) -> str:
    """Why the mistakes of this learner have no bound whatever the rows; "" if they may have one."""
    if len(learner.classes_) > 2:
        return "several classes"
    return "the steps are not of unit length" if not learner.unit_steps or learner.class_weight is not None else ""


def mixing_bound(learner: Any, radius2: float, plane: Hyperplane | None, margin: float) -> Bound:
    """R^2 / gamma^2 at a separator with its least functional margin, if there is one.

    McDonald, Hall and Mann 2010, theorem 3: sum over epochs and shards of mu k is no more, for one shard (Novikoff)
    and for any mix. With an intercept rows are (x, c) and vectors (w, b/c), c the constant feature.
    """
    c = learner.intercept_scaling_
    formula = f"(R^2 + {1 if c == 1 else 'c^2'}) / gamma~^2" if learner.fit_intercept else "R^2 / gamma^2"
    why = why_no_bound(learner)
    if not why and (plane is None or not margin > 0):
        why = "no separator is at hand: no pass was clean"
    if why or plane is None:
        return Bound("parameter mixing", None, False, why, formula)
    # As a fraction, rounded up once: the bound is attained by orthonormal rows.
    steepness = (length2(plane.w) + (Fraction(plane.b) / Fraction(c)) ** 2) / Fraction(margin) ** 2
    value = safely(lambda: (Fraction(float(radius2)) + Fraction(learner.constant2_)) * Fraction(steepness))
    return Bound("parameter mixing", value, True, "", formula)
