"""Choose the simplest learner that no other one beats clearly on held-out rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from linsep.learners.linear.passive_aggressive import PassiveAggressive
from linsep.learners.linear.perceptron import AveragedPerceptron
from linsep.scikit import clone
from linsep.tables import is_sparse
from linsep.types import Array, DataError

# The learners of a rung for these rows, each with other parameters; none where the rung is not for such rows.
Rung = Callable[[Any], list[Any]]

# So many rows say which learner is the best one; the chosen one then learns from all.
_ROWS_TRIED = 2_000
# Of five folds all are held out, but three of more than so many rows.
_FOLDS, _FEWER_FOLDS, _MANY_ROWS = 5, 3, 500
# After so many rows held out, or two folds, a rung is given up that is not ahead of those below.
_FIRST_LOOK = 300
# A gain of more than so many standard errors is clear; e mistakes leave room for one only if e > 1.5 sqrt(e).
_ERRORS = 1.5
_TOO_FEW_MISTAKES = _ERRORS**2
# Kernel values times (features + what a value costs besides its features), for all rows: about 10 s of one core.
_KERNEL_WORK, _KERNEL_VALUE = 8e10, 100
# Above so many features distances take several times as long as products.
_DISTANCES = 100
# A network: rows visited times (features + 100), about 1 s of one core; least and most epochs, most features.
_NETWORK_WORK, _LEAST_EPOCHS, _MOST_EPOCHS, _NETWORK_FEATURES = 2e7, 20, 100, 400


# --------------------------------------------------------------------------- rungs
def linear_rung(X: Any) -> list[Any]:
    """The mean of the perceptron's vectors, and those of PA-I for three values of C."""
    options: Any = {"multi_class": "multiclass", "random_state": 0}
    steps = [PassiveAggressive(C=C, average=True, **options) for C in (1.0, 0.1, 0.01)]
    return [AveragedPerceptron(**options), *steps]


def kernel_rung(X: Any) -> list[Any]:
    """exp(-gamma ||x - y||^2) for gamma p v = 0.3, 1, 3 and, of dense rows, exp(-gamma |x - y|) for gamma p s = 1, 3.

    p is the number of features, v the variance of all entries of X and s its root. The first follows round classes, the
    second those that are bounded by single features. There is no such learner for as many features as rows: a
    hyperplane separates rows in general position then.
    """
    from linsep.learners.kernel_perceptron import KernelPerceptron

    n, p = X.shape
    if p >= n:
        return []
    mean2 = float((X.multiply(X) if is_sparse(X) else X * X).mean())
    v = max(mean2 - float(X.mean()) ** 2, 0.0) or 1.0
    options: Any = {"average": "averaged", "max_iter": 5, "random_state": 0}
    found = [KernelPerceptron("rbf", gamma=share / (p * v), **options) for share in (0.3, 1.0, 3.0)]
    if p <= _DISTANCES and not is_sparse(X):
        found += [KernelPerceptron("laplacian", gamma=share / (p * v**0.5), **options) for share in (1.0, 3.0)]
    return found


def hidden_rung(X: Any) -> list[Any]:
    """A network with one hidden layer, for fewer epochs the more rows there are."""
    from linsep.learners.mlp import MLP

    n, p = X.shape
    if p >= n or p > _NETWORK_FEATURES:
        return []
    epochs = int(np.clip(_NETWORK_WORK / (n * (p + 100)), _LEAST_EPOCHS, _MOST_EPOCHS))
    return [MLP(max_iter=epochs, random_state=0)]


RUNGS: dict[str, Rung] = {"linear": linear_rung, "kernel": kernel_rung, "mlp": hidden_rung}


# -------------------------------------------------------------------------- ladder
class Ladder(NamedTuple):
    """Where `climb` stopped: the name of the rung, its learner (not fitted), and why, in two sentences.

    `accuracy` holds the share of held-out rows that each rung tried was right about, in the order of trying.
    """

    name: str
    learner: Any
    why: str
    accuracy: dict[str, float]


class _Trial(NamedTuple):
    """The best learner of a rung, by its place, the rows held out so far that it is right about, and why it ended."""

    place: int
    right: Array
    given_up: str = ""


def climb(X: Any, y: Any, rungs: Mapping[str, Rung] = RUNGS, groups: Array | None = None) -> Ladder:
    """The lowest rung that no higher one beats, that is sum d_i > 1.5 sqrt(sum d_i^2) over the rows held out.

    d_i is 1 where only the higher rung is right about row i, -1 where only the lower one is and 0 elsewhere: a gain of
    more than one and a half standard errors (McNemar's test). Rows are held out in five folds, of more than 500 rows
    three of them; of more than 2,000 rows so many are tried, drawn with a fixed seed, the same share of each class.

    A rung is one or more learners, and the one that is right most often stands for it. After each fold a learner is
    left that is more than one standard error behind another one of its rung. After 300 rows, or two folds, a rung is
    given up that is not ahead of those below, and at any time if the kernel values of all rows would take too long. No
    rung is tried where the mistakes of a lower one are too few to be clearly fewer.

    Parameters
    ----------
    X : {array, sparse matrix}, shape (n_samples, n_features)
    y : array, shape (n_samples,)
        A label with one row has no part in the choice.
    rungs : mapping of name to function, from the bottom up
        Each is called with rows and returns the learners of the rung for them: with those tried, and for the learner
        returned with all rows.
    groups : array, shape (n_samples,), optional
        All rows of a group are held out, or none of them.

    Returns
    -------
    Ladder

    Raises
    ------
    DataError
        Fewer than two classes with two rows, or all rows of one group, or a class in each group: none can be held out.

    References
    ----------
    McNemar 1947, Psychometrika 12. Maron and Moore 1997, Artificial Intelligence Review 11 (giving up early).

    Examples
    --------
    >>> from linsep.data.synthetic import make_xor
    >>> X, y, _ = make_xor(200, noise=0.2, random_state=0)
    >>> found = climb(X, y)
    >>> found.name, round(found.accuracy["kernel"], 2)
    ('kernel', 1.0)
    """
    X, y = X if is_sparse(X) else np.asarray(X), np.asarray(y)
    tried = _rows_to_try(y)
    few, labels = X[tried], y[tried]
    folds = _folds(labels, None if groups is None else np.asarray(groups)[tried])
    trials: dict[str, _Trial] = {}
    for name, rung in rungs.items():
        learners = rung(few)
        if not learners:
            continue
        below = {lower: trial for lower, trial in trials.items() if not trial.given_up}
        trials[name] = _try(learners, few, labels, folds, below, X.shape[0])
        if not trials[name].given_up and _mistakes(trials[name]) <= _TOO_FEW_MISTAKES:
            break
    standing = [name for name, trial in trials.items() if not trial.given_up] or list(trials)
    beaten = {
        low
        for i, low in enumerate(standing)
        for high in standing[i + 1 :]
        if _clearly_more(trials[high].right, trials[low].right)
    }
    best = next(name for name in standing if name not in beaten)
    learner = clone(rungs[best](X)[trials[best].place])
    accuracy = {name: float(trial.right.mean()) for name, trial in trials.items()}
    held_out = "rows held out" if groups is None else "rows held out, all of a group or none"
    return Ladder(best, learner, _why(best, learner, trials, list(rungs), held_out), accuracy)


def _rows_to_try(y: Array) -> Array:
    """About 2,000 rows, the same share of each class but five rows at least where it has them."""
    labels, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    if (counts >= 2).sum() < 2:
        raise DataError(f"label {labels[counts.argmin()]} has 1 row: to hold one out there must be 2 of each label")
    wanted = counts if len(y) <= _ROWS_TRIED else np.maximum(np.minimum(counts, 5), counts * _ROWS_TRIED // len(y))
    wanted = np.where(counts < 2, 0, wanted)
    order = np.random.RandomState(0).permutation(len(y))
    order = order[np.argsort(codes[order], kind="stable")]
    place = np.arange(len(y)) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.sort(order[place < np.repeat(wanted, counts)])


def _folds(y: Array, groups: Array | None) -> list[tuple[Array, Array]]:
    """Rows to learn from and rows held out; a class with fewer rows than folds is in as many as it has rows.

    Of groups each is held out whole, and folds that leave one class alone to learn from are left out.
    """
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    n_folds = min(_FOLDS, int(np.unique(y, return_counts=True)[1].max()))
    if groups is not None and (n_folds := min(n_folds, len(np.unique(groups)))) < 2:
        raise DataError("all rows are of one group: no group can be held out to choose a learner")
    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        folds = list(kind(n_folds, shuffle=True, random_state=0).split(y, y, groups))
    folds = [(train, test) for train, test in folds if len(test) and len(np.unique(y[train])) > 1]
    if not folds:
        raise DataError("each class is in a group alone, so no group can be held out to choose a learner: name one")
    return folds[:_FEWER_FOLDS] if len(y) > _MANY_ROWS else folds


def _try(
    learners: list[Any], X: Any, y: Array, folds: list[tuple[Array, Array]], below: Mapping[str, _Trial], n: int
) -> _Trial:
    """Hold out fold after fold; n is the number of rows that the chosen learner will learn from."""
    rights = [np.zeros(0, bool) for _ in learners]
    going_on = list(range(len(learners)))
    for number, (train, test) in enumerate(folds, 1):
        for k in list(going_on):
            fitted, right = _held_out(learners[k], X, y, train, test)
            rights[k] = np.concatenate([rights[k], right])
            if _takes_too_long(fitted, n):
                going_on.remove(k)
        if not going_on:
            return _Trial(0, rights[0], f", but it would take too long on {n:,} rows")
        best = max(going_on, key=lambda k: rights[k].sum())
        going_on = [k for k in going_on if not _clearly_more(rights[best], rights[k], 1)]
        seen = len(rights[best])
        lower = max(below, key=lambda name: below[name].right[:seen].sum(), default=None)
        if lower is None or (seen < _FIRST_LOOK and number != 2):
            continue
        reached = below[lower].right[:seen]
        if rights[best].sum() <= reached.sum():
            compared = f"where {lower} was right about {reached.mean():.1%}: it was then given up"
            return _Trial(best, rights[best], f" of the first {seen:,} of these rows, {compared}")
    return _Trial(best, rights[best])


def _held_out(learner: Any, X: Any, y: Array, train: Array, test: Array) -> tuple[Any, Array]:
    """The learner fitted on some rows, and whether it is right about each of the others."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a budget that ends is no news here
        fitted = clone(learner).fit(X[train], y[train])
        return fitted, np.asarray(fitted.predict(X[test]) == y[test])


def _takes_too_long(fitted: Any, n: int) -> bool:
    """Whether the kernel values of n rows with the rows mistaken are too many, by the mistakes made on a few rows."""
    from linsep.learners.kernel_perceptron import KernelPerceptron

    if not isinstance(fitted, KernelPerceptron):
        return False
    mistaken = fitted.n_updates_ / fitted.t_ * fitted.n_iter_ * n
    return bool(n * mistaken * (fitted.n_features_in_ + _KERNEL_VALUE) > _KERNEL_WORK)


def _mistakes(trial: _Trial) -> int:
    return int((~trial.right).sum())


def _clearly_more(higher: Array, lower: Array, errors: float = _ERRORS) -> bool:
    d = higher.astype(int) - lower
    return bool(d.sum() > errors * np.sqrt(np.abs(d).sum()))


# --------------------------------------------------------------------- two sentences
def _why(best: str, learner: Any, trials: Mapping[str, _Trial], names: list[str], held_out: str) -> str:
    """What was best, and why nothing above it was chosen."""
    at = names.index(best)
    told = {name: f"{trial.right.mean():.1%}{trial.given_up}" for name, trial in trials.items()}
    below = [f"{name} about {told[name]}" for name in names[:at] if name in trials]
    n = len(trials[best].right)
    first = "; ".join([f"{best} ({_described(learner)}) was right about {told[best]} of {n:,} {held_out}", *below])
    above = names[at + 1 :]
    tried = [f"{name} {told[name]}" for name in above if name in trials]
    if tried:
        shown = "; ".join(tried)
        return (
            f"{first}. No more complex one was better by over {_ERRORS} standard errors ({shown}): {best} was chosen."
        )
    if not above:
        return f"{first}. It is the most complex learner."
    untried = f"so {' and '.join(above)} {'were' if len(above) > 1 else 'was'} not tried"
    if (mistakes := _mistakes(trials[best])) <= _TOO_FEW_MISTAKES:
        return f"{first}. With {mistakes} mistakes no learner could be clearly better, {untried}."
    return f"{first}. There are too many features for more complex learners, {untried}."


def _described(learner: Any) -> str:
    """The learner with what its rung varies."""
    varied = {"PassiveAggressive": ["C"], "KernelPerceptron": ["kernel", "gamma"]}
    kind = type(learner).__name__
    shown = ((name, getattr(learner, name)) for name in varied.get(kind, []))
    return ", ".join([kind, *(f"{name}={value:.3g}" if name != "kernel" else value for name, value in shown)])
