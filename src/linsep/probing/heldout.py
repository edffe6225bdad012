"""How well a fitted probe tells new rows apart, and how well it does on labels that mean nothing."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from linsep.learners.linear.averaged import AveragedPerceptron
from linsep.probing.directions import spread_of
from linsep.types import Array

_Z = 1.959963984540054  # of a normal variable: two sides of 95 %


class HeldOut(NamedTuple):
    """Shares of rows that were held out; None where there is nothing to compute it from.

    `shuffled` is the mean accuracy on shuffled labels, `control` that on a random label for each type, `selectivity`
    the accuracy in the same folds less `control`. Of both there are the least and the greatest one, and the mean area
    under the ROC curve.
    """

    accuracy: float
    low: float
    high: float
    auc: float | None
    auc_low: float | None
    auc_high: float | None
    shuffled: float | None
    shuffled_low: float | None
    shuffled_high: float | None
    shuffled_auc: float | None
    control: float | None
    control_low: float | None
    control_high: float | None
    control_auc: float | None
    selectivity: float | None


class _Others(NamedTuple):
    """The accuracy of several labels: mean, least and greatest, and the mean area; None where there are none."""

    mean: float | None = None
    low: float | None = None
    high: float | None = None
    auc: float | None = None


def held_out(
    X: Array,
    positive: Array,
    *,
    groups: Array | None = None,
    types: Array | None = None,
    folds: int = 5,
    controls: int = 20,
    seed: int = 0,
) -> HeldOut | None:
    """Fit averaged perceptrons on standardised rows of all folds but one, and try them on that one, fold after fold.

    Each of the `controls` shuffles and control tasks is tried on one fold, each fold in its turn.

    The folds are stratified; with groups each group is in one fold. Labels are shuffled among the rows, or among the
    groups where each has one label. The control task draws a label for each type from the labels of the rows; types
    occur on both sides of its folds, since remembering them is what it asks for (Hewitt and Liang 2019).

    Returns
    -------
    HeldOut or None
        None where a class has fewer than two rows or groups.
    """
    rng = np.random.default_rng(seed)
    splits = _splits(positive, groups, folds, seed)
    if not splits:
        return None
    accuracy, auc, shuffled = _tried(X, np.column_stack([positive, *shuffles(positive, groups, controls, rng)]), splits)
    low, high = interval(accuracy, len(positive) if groups is None else len(np.unique(groups)))
    auc_low, auc_high = (None, None) if auc is None else auc_interval(auc, *_sizes(positive, groups))
    control, selectivity = _Others(), None
    if types is not None and controls:
        tasks = [_task(positive, types, rng) for _ in range(controls)]
        plain = splits if groups is None else _splits(positive, None, folds, seed)
        inside, _, control = _tried(X, np.column_stack([positive, *tasks]), plain)
        selectivity = None if control.mean is None else inside - control.mean
    return HeldOut(accuracy, low, high, auc, auc_low, auc_high, *shuffled, *control, selectivity)


def interval(share: float, n: int) -> tuple[float, float]:
    """Wilson's interval of 95 % of a share of n rows.

    Examples
    --------
    >>> [round(end, 4) for end in interval(0.9, 100)]
    [0.8256, 0.9448]
    """
    centre = (share + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    half = _Z / (1 + _Z**2 / n) * (share * (1 - share) / n + _Z**2 / (4 * n**2)) ** 0.5
    return max(0.0, centre - half), min(1.0, centre + half)


def auc_interval(area: float, positives: int, negatives: int) -> tuple[float, float]:
    """Newcombe's interval of 95 % of the area under a ROC curve of so many rows of each class.

    Its ends are the areas t with (area - t)^2 = z^2 V(t), V the variance of Hanley and McNeil (1982) with the mean of
    both sizes for each: method 5 of Newcombe, Statistics in Medicine 25 (2006). At an area of 1 it has a width.

    Examples
    --------
    >>> [round(end, 4) for end in auc_interval(0.9, 50, 50)]
    [0.8159, 0.9462]
    """
    n = (positives + negatives) / 2 - 1

    def beyond(t: float) -> bool:
        """Whether t is further from the area than the end of the interval."""
        variance = t * (1 - t) * (1 + n * (1 - t) / (2 - t) + n * t / (1 + t)) / (positives * negatives)
        return bool((area - t) ** 2 > _Z**2 * variance)

    ends = []
    for far in (0.0, 1.0):
        near = area
        for _ in range(60):  # halved until a double has no more digits
            middle = (near + far) / 2
            near, far = (near, middle) if beyond(middle) else (middle, far)
        ends.append(near)
    return ends[0], ends[1]


def _sizes(positive: Array, groups: Array | None) -> list[int]:
    """Rows, or groups, that have each of the two labels."""
    sides = (positive, ~positive)
    return [int(side.sum()) if groups is None else len(np.unique(groups[side])) for side in sides]


def _splits(positive: Array, groups: Array | None, folds: int, seed: int) -> list[tuple[Array, Array]]:
    """Pairs of rows to train on and rows to try; none where a class is too rare for two folds."""
    folds = min(folds, *_sizes(positive, groups))
    if folds < 2:
        return []
    if groups is None:
        found = list(StratifiedKFold(folds, shuffle=True, random_state=seed).split(positive, positive))
    else:
        found = list(StratifiedGroupKFold(folds, shuffle=True, random_state=seed).split(positive, positive, groups))
    return [(train, test) for train, test in found if len(test) and len(np.unique(positive[train])) == 2]


def shuffles(positive: Array, groups: Array | None, controls: int, rng: np.random.Generator) -> list[Array]:
    """The labels in other orders; whole groups change places where each has one label.

    Examples
    --------
    >>> found = shuffles(np.array([True, False, False]), None, 4, np.random.default_rng(0))
    >>> [int(labels.sum()) for labels in found]
    [1, 1, 1, 1]
    """
    if groups is not None:
        first, code = np.unique(groups, return_index=True, return_inverse=True)[1:]
        if (positive[first][code] == positive).all():
            return [np.asarray(rng.permutation(positive[first])[code]) for _ in range(controls)]
    return [rng.permutation(positive) for _ in range(controls)]


def _task(positive: Array, types: Array, rng: np.random.Generator) -> Array:
    """A label for each type, drawn from the labels of the rows."""
    there, codes = np.unique(types, return_inverse=True)  # types of other rows draw no label
    return np.asarray(rng.choice(positive, size=len(there))[codes.reshape(-1)])


def _tried(X: Array, labels: Array, splits: list[tuple[Array, Array]]) -> tuple[float, float | None, _Others]:
    """Of the first column of labels the share told right and the mean area, of the others the shares and areas.

    The first column is tried on each fold, each other one on a single fold, which is as good for their mean.
    """
    right, others = 0, []
    areas: dict[bool, list[float]] = {True: [], False: []}  # of the first column, and of the others
    for fold, (train, test) in enumerate(splits):
        known = X[train].astype(np.float32 if X.dtype == np.float32 else np.float64)
        mean, spread = spread_of(known)
        known = (known - mean) / spread
        new = ((X[test] - mean) / spread).astype(known.dtype)
        for k in (0, *range(1 + fold, labels.shape[1], len(splits))):
            truth = labels[test, k]
            values = _values(known, labels[train, k], new)
            told = int(((values > 0) == truth).sum())
            if len(np.unique(truth)) == 2:
                areas[k == 0].append(float(roc_auc_score(truth, values)))
            if k:
                others.append(told / len(test))
            else:
                right += told
    share = right / sum(len(test) for _, test in splits)
    area, of_others = (float(np.mean(some)) if some else None for some in areas.values())
    if not others:
        return share, area, _Others()
    return share, area, _Others(float(np.mean(others)), min(others), max(others), of_others)


def _values(known: Array, labels: Array, new: Array) -> Array:
    """Decision values of new rows; where all known ones have one label, new ones are given it too."""
    if labels.all() or not labels.any():
        return np.full(len(new), 1.0 if labels.all() else -1.0)
    return np.asarray(AveragedPerceptron(random_state=0).fit(known, labels).decision_function(new))
