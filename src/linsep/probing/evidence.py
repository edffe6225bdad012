"""What stands beside a verdict: whether chance could do it (Cover's bound), and how well new rows are told apart."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from flint import fmpz_mat, nmod_mat
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from linsep.learners.linear.perceptron import AveragedPerceptron
from linsep.theory.bounds.cover import cover_odds, cover_rows
from linsep.theory.cone.opposite_rows import row_hashes
from linsep.theory.rows.integers import PRIME, whole_rows
from linsep.types import Array

_CHANCE = 0.001
_ENTRIES, _WORK = 2 * 10**6, 2 * 10**8  # that are made integers; products of a rank: some seconds each
_SPREAD = 300  # powers of two between the largest and the smallest entry: with more, integers are too long
_Z = 1.959963984540054  # of a normal variable: two sides of 95 %


class Settings(NamedTuple):
    """How each layer and concept is asked."""

    controls: int = 20
    folds: int = 5
    time_limit: float | None = None
    seed: int = 0
    explain: float | None = None  # seconds for what stands in the way, and for few columns; None: these are not asked


def chance(rank: int, positive: Array, groups: Array | None = None, of_more: int | None = None) -> dict[str, Any]:
    """Cover's bound for rows of a rank, or a number above it; `of_more` is what the rank of more rows may be.

    One row of each group stands for it: a hyperplane that separates all rows separates those, and their rank is no
    larger. So the bound counts groups where each group has one label; where one has both there are no odds.

    Returns
    -------
    dict of str to float
        The fields of `ProbeRow` that are about chance.

    Examples
    --------
    >>> found = chance(3, np.array([True] * 4 + [False] * 16))
    >>> found["units"], round(10 ** found["log10_odds_fair"], 6), found["rare_rows"]
    (20, 0.000364, 19)
    >>> chance(3, np.array([True, False]), np.array([0, 0]))
    {'units': 1}
    """
    units = positive
    if groups is not None:
        first, code = np.unique(groups, return_index=True, return_inverse=True)[1:]
        units = positive[first]
        if (units[code] != positive).any():
            return {"units": len(units)}
    n = len(units)
    odds = {"log10_odds": cover_odds(n, rank, int(units.sum())), "log10_odds_fair": cover_odds(n, rank)}
    return {"units": n, **odds, "rare_rows": cover_rows(of_more or rank, _CHANCE)}


def same_rows(X: Array) -> Array:
    """For each row the first one that is equal to it, known by 64 bits made of its numbers.

    Examples
    --------
    >>> same_rows(np.array([[1.0, 0.0], [2.0, 0.0], [1.0, -0.0]])).tolist()
    [0, 1, 0]
    """
    first, same = np.unique(row_hashes(X), return_index=True, return_inverse=True)[1:]
    return np.asarray(first[same])


def counted_once(same: Array, positive: Array) -> Array | None:
    """Rows that are equal as groups, for `chance`; None where there are none, or equal rows have both labels.

    Labels that belong to what a row is about, such as a word or a sentence, are the same wherever it occurs again. So
    a label for each distinct row is what chance would draw, and Cover's bound counts m distinct rows: 2 S / 2^m is
    larger than the 2 S / 2^n of n rows with a label each. Where equal rows have both labels they are no copies of one
    example, the rows count as they are, and no hyperplane separates them.

    Examples
    --------
    >>> same = np.array([0, 1, 0])
    >>> counted_once(same, np.array([True, False, True])).tolist()
    [0, 1, 0]
    >>> counted_once(same, np.array([True, False, False])) is None
    True
    """
    copies = (same != np.arange(len(same))).any()
    return same if copies and (positive[same] == positive).all() else None


class Rank(NamedTuple):
    """The rank of the rows (x, 1) if `exact`; otherwise a number that it does not exceed.

    `of_more` is what the rank of more such rows may be: where these are independent, that of the columns is not known
    from them, and it is 1 and the distinct columns that are not constant.
    """

    value: int
    exact: bool
    of_more: int


def rank_bound(X: Array) -> Rank:
    """The rank of the rows (x, 1), computed exactly where that takes seconds at most.

    Otherwise the lesser one of the distinct rows, and of 1 and the distinct columns that are not constant.

    Examples
    --------
    >>> rank_bound(np.array([[1.0, 0.0, 0.0], [1.0, 2.0, 4.0], [1.0, 3.0, 6.0]]))
    Rank(value=2, exact=True, of_more=2)
    >>> rank_bound(np.array([[1.0, 0.0, 0.0, 5.0], [1.0, 2.0, 4.0, 2.0]]))  # two rows of three columns that vary
    Rank(value=2, exact=True, of_more=4)
    """
    varying = np.flatnonzero((X[0] != X).any(axis=0))
    distinct = list({X[:, j].tobytes(): j for j in varying.tolist()}.values())
    X = np.column_stack([np.ones(len(X), dtype=X.dtype), X[:, distinct]])
    X = X[list({row.tobytes(): i for i, row in enumerate(X)}.values())]
    most = min(X.shape)
    proved = _exact_rank(X, most)
    value = most if proved is None else proved
    return Rank(value, proved is not None, value if value < len(X) else X.shape[1])


def _exact_rank(X: Array, most: int) -> int | None:
    """The rank of the rows X, which is at most `most`; None where it would take more than seconds."""
    n, width = X.shape
    exps = np.frexp(X[X != 0].astype(np.float64))[1]
    if exps.size and int(exps.max()) - int(exps.min()) > _SPREAD:
        return None
    some = range(0, n, max(1, 4 * n // (5 * width)))  # from all over the table: neighbours may be alike
    if len(some) * width <= _ENTRIES and nmod_mat(_integers_of(X, some), PRIME).rank() == most:
        return most
    return int(_integers_of(X, range(n)).rank()) if n * width * most <= _WORK else None


def _integers_of(X: Array, ids: range) -> fmpz_mat:
    """Rows, each times a power of two of its own: the rank is the same."""
    return fmpz_mat([row for row, _ in whole_rows(X, ids)])


def held_out(
    X: Array, positive: Array, groups: Array | None, types: Array | None, settings: Settings
) -> dict[str, Any]:
    """Fit averaged perceptrons on standardised rows of all folds but one, and try them on that one, fold after fold.

    Each of the `controls` shuffles and control tasks is tried on one fold, each fold in its turn.

    The folds are stratified; with groups each group is in one fold. Labels are shuffled among the rows, or among the
    groups where each has one label. The control task draws a label for each type from the labels of the rows; types
    occur on both sides of its folds, since remembering them is what it asks for (Hewitt and Liang 2019).

    Returns
    -------
    dict of str to float
        The numbers that `ProbeRow` has by these names, as far as there is something to compute them from: nothing where
        a class has fewer than two rows or groups.
    """
    rng, controls = np.random.default_rng(settings.seed), settings.controls
    splits = _splits(positive, groups, settings)
    if not splits:
        return {}
    found = _tried(X, [positive, *shuffles(positive, groups, controls, rng)], splits, "shuffled")
    found["low"], found["high"] = interval(found["accuracy"], len(X) if groups is None else len(np.unique(groups)))
    if types is not None and controls:
        there, codes = np.unique(types, return_inverse=True)  # types of other rows draw no label
        tasks = [rng.choice(positive, size=len(there))[codes] for _ in range(controls)]
        plain = splits if groups is None else _splits(positive, None, settings)
        inside = _tried(X, [positive, *tasks], plain, "control")
        found |= {name: value for name, value in inside.items() if name.startswith("control")}
        found["selectivity"] = inside["accuracy"] - inside["control"]
    return found


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


def _splits(positive: Array, groups: Array | None, settings: Settings) -> list[tuple[Array, Array]]:
    """Pairs of rows to train on and rows to try; none where a class is too rare for two folds."""
    units = np.arange(len(positive)) if groups is None else groups
    folds = min(settings.folds, *(len(np.unique(units[side])) for side in (positive, ~positive)))
    if folds < 2:
        return []
    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    found = kind(folds, shuffle=True, random_state=settings.seed).split(positive, positive, groups)
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


def _tried(X: Array, labels: list[Array], splits: list[tuple[Array, Array]], others: str) -> dict[str, Any]:
    """Of the first labels the share told right and the mean area; of the `others` what their shares are.

    The first labels are tried on each fold, each of the others on a single one, which is as good for their mean.
    """
    tried: dict[bool, list[tuple[int, int]]] = {True: [], False: []}  # the first labels, and the others
    areas = []
    for fold, (train, test) in enumerate(splits):
        known = X[train].astype(np.float32 if X.dtype == np.float32 else np.float64)
        mean, spread = spread_of(known)
        known = (known - mean) / spread
        new = ((X[test] - mean) / spread).astype(known.dtype)
        for k in (0, *range(1 + fold, len(labels), len(splits))):
            truth = labels[k][test]
            values = _values(known, labels[k][train], new)
            tried[k == 0].append((int(((values > 0) == truth).sum()), len(test)))
            if k == 0 and len(np.unique(truth)) == 2:
                areas.append(float(roc_auc_score(truth, values)))
    found: dict[str, Any] = {"accuracy": sum(told for told, _ in tried[True]) / sum(n for _, n in tried[True])}
    if shares := [told / n for told, n in tried[False]]:
        found |= {others: float(np.mean(shares)), f"{others}_low": min(shares), f"{others}_high": max(shares)}
    if areas:
        found["auc"] = float(np.mean(areas))
    return found


def _values(known: Array, labels: Array, new: Array) -> Array:
    """Decision values of new rows; where all known ones have one label, new ones are given it too."""
    if labels.all() or not labels.any():
        return np.full(len(new), 1.0 if labels.all() else -1.0)
    return np.asarray(AveragedPerceptron(random_state=0).fit(known, labels).decision_function(new))


def spread_of(X: Array) -> tuple[Array, Array]:
    """Mean and standard deviation of each column, 1 in place of 0.

    Examples
    --------
    >>> [ends.tolist() for ends in spread_of(np.array([[1.0, 5.0], [3.0, 5.0]]))]
    [[2.0, 5.0], [1.0, 1.0]]
    """
    mean, spread = X.mean(axis=0), X.std(axis=0)
    spread[spread == 0] = 1
    return mean, spread
