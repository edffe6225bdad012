"""Choose the simplest learner that no other one beats clearly on held-out rows."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold

from linsep.learners.kernel.perceptron import KernelPerceptron
from linsep.learners.linear.averaged import AveragedPerceptron
from linsep.learners.linear.rocchio import Rocchio
from linsep.learners.mlp import MLP
from linsep.tables import is_sparse
from linsep.types import Array, DataError

# From the bottom up. A seed each, so that the same table ends on the same rung.
RUNGS: dict[str, Any] = {
    "rocchio": Rocchio(),
    "averaged": AveragedPerceptron(multi_class="multiclass", random_state=0),
    "kernel": KernelPerceptron(average="voted", max_iter=10, random_state=0),
    "mlp": MLP(random_state=0),
}
_FOLDS = 5
# Above so many rows one fold of them says enough, and above so many a kernel, whose cost grows with the rows times the
# mistakes, is not tried.
_MANY_ROWS, _TOO_MANY_FOR_KERNELS = 10_000, 20_000
# d rows more are more than three standard errors, d > 3 sqrt(d), from 10 on.
_LEAST_TO_TELL = 10


class Ladder(NamedTuple):
    """Where `climb` stopped: the name of the rung, its learner (not fitted), and why, in two sentences.

    `accuracy` holds the share of held-out rows that each rung tried was right about, in the order of trying.
    """

    name: str
    learner: Any
    why: str
    accuracy: dict[str, float]


def climb(X: Any, y: Any, rungs: Mapping[str, Any] = RUNGS) -> Ladder:
    """The lowest rung that no higher one beats, that is sum d_i > 3 sqrt(sum d_i^2) over the rows held out.

    d_i is 1 where only the higher rung is right about row i, -1 where only the lower one is and 0 elsewhere: a gain of
    more than three standard errors (McNemar's test; as the folds share rows, two are not enough). Every row is held
    out once, in five folds; of more than 10,000 rows one fold is. All rungs are tried, since exclusive-or looks like
    noise to every linear one, unless one of them makes no mistake; of more than 20,000 rows no kernel is.

    Parameters
    ----------
    X : {array, sparse matrix}, shape (n_samples, n_features)
    y : array, shape (n_samples,)
    rungs : mapping of name to learner, from the bottom up

    Returns
    -------
    Ladder

    Raises
    ------
    DataError
        A class with fewer than two rows: none can be held out.

    Examples
    --------
    >>> from linsep.data.synthetic.separable import make_xor
    >>> X, y, _ = make_xor(200, noise=0.2, random_state=0)
    >>> found = climb(X, y)
    >>> found.name, round(found.accuracy["kernel"], 2)
    ('kernel', 1.0)
    """
    X, y = X if is_sparse(X) else np.asarray(X), np.asarray(y)
    labels, counts = np.unique(y, return_counts=True)
    if counts.min() < 2:
        raise DataError(f"label {labels[counts.argmin()]} has 1 row: to hold one out there must be 2 of each label")
    if len(y) > _TOO_MANY_FOR_KERNELS:
        rungs = {name: rung for name, rung in rungs.items() if not isinstance(rung, KernelPerceptron)}
    folds = list(StratifiedKFold(min(_FOLDS, counts.min()), shuffle=True, random_state=0).split(X, y))
    folds = folds[:1] if len(y) > _MANY_ROWS else folds
    tried: dict[str, Array] = {}
    for name, learner in rungs.items():
        tried[name] = _held_out(learner, X, y, folds)
        if tried[name].all():
            break
    names = list(tried)
    beaten = {low for i, low in enumerate(names) for high in names[i + 1 :] if _clearly_more(tried[high], tried[low])}
    best = next(name for name in names if name not in beaten)
    accuracy = {name: float(right.mean()) for name, right in tried.items()}
    return Ladder(best, clone(rungs[best]), _why(best, accuracy, list(rungs), len(tried[best])), accuracy)


def _held_out(learner: Any, X: Any, y: Array, folds: list[tuple[Array, Array]]) -> Array:
    """Whether the learner is right about each held-out row."""
    right = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for train, test in folds:
            right.append(clone(learner).fit(X[train], y[train]).predict(X[test]) == y[test])
    return np.concatenate(right)


def _clearly_more(higher: Array, lower: Array) -> bool:
    d = higher.astype(int) - lower
    return bool(d.sum() > 3 * np.sqrt(np.abs(d).sum()))


def _why(best: str, accuracy: dict[str, float], names: list[str], n: int) -> str:
    """The two sentences."""
    at = names.index(best)
    below = [f"{name} about {accuracy[name]:.1%}" for name in names[:at]]
    first = f"{best} was right about {accuracy[best]:.1%} of {n:,} rows held out" + "".join(
        f", {text}" for text in below
    )
    above = names[at + 1 :]
    if not above:
        return f"{first}. It is the top of the ladder."
    if accuracy[best] == 1.0:
        return f"{first}. That leaves nothing to gain, so {' and '.join(above)} above it stayed untried."
    shown = ", ".join(f"{name} {accuracy[name]:.1%}" for name in above if name in accuracy)
    if n < _LEAST_TO_TELL:
        return f"{first}. On fewer than {_LEAST_TO_TELL} rows no rung can be better by three standard errors ({shown})."
    return f"{first}. No rung above it was better by more than three standard errors ({shown})."
