"""Which columns separate the classes, and which are needed? Pairs that do, and columns that cannot be left out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from linsep.tables import as_doubles, check_length, exact_table, holds_doubles
from linsep.theory.margin.geometry import signs
from linsep.theory.rows.deadline import Deadline, OutOfTimeError, deadline_of, time_left
from linsep.theory.separability.certificate import Separability
from linsep.theory.separability.decide import separability
from linsep.types import Array, Verdict

MOST_COLUMNS = 200  # of which all pairs are asked about
_SAMPLES = (8, 16, 32, 64)  # rows of each class that may refute a pair, drawn anew each time
_AT_ONCE = 2_000_000  # angles
_SHORT, _SHARE = 0.2, 0.05  # seconds, and the share of the time left, to find that half of the columns can go
_SURE = 1e-9  # radians; the angle of a difference of doubles is off by 1e-15

_CHANGED: dict[Verdict, tuple[Verdict, ...]] = {
    "separable": ("quasi-separable", "inseparable", "not-separable"),
    "quasi-separable": ("inseparable",),
}


class SeparatingPair(NamedTuple):
    """Two columns that separate the classes together, while neither does alone.

    Attributes
    ----------
    columns : tuple of int
        Their positions in X.
    proof : Separability
        The certificate for X[:, columns].
    """

    columns: tuple[int, int]
    proof: Separability


class Pairs(NamedTuple):
    """The pairs of columns that separate.

    Attributes
    ----------
    found : list of SeparatingPair
    asked, of : int
        Pairs that were refuted or proved, of all pairs of columns that do not separate alone.
    """

    found: list[SeparatingPair]
    asked: int
    of: int


class Needed(NamedTuple):
    """The columns without which the classes are not separable.

    Attributes
    ----------
    found : list of (int, Separability)
        Which of the groups, and the certificate that the others do not separate.
    asked : int
        Groups that were decided.
    """

    found: list[tuple[int, Separability]]
    asked: int


def separating_pairs(X: Any, y: Any, *, time_limit: float | None = None) -> Pairs:
    """Find columns j < k for which some w, b have y_i (w_1 x_ij + w_2 x_ik + b) > 0 for all i.

    Columns that do so alone are left out. A pair separates some rows just if the differences (x_ij - x_lj, x_ik - x_lk)
    of a positive row i and a negative row l lie in an open half plane: that leaves a gap of more than pi between their
    angles. Few rows that leave a smaller one refute a pair; what they do not refute is asked of all rows.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        Taken exactly, as by `separability`.
    y : array-like of shape (n_samples,)
        Two labels.
    time_limit : float, optional
        Seconds after which the remaining pairs are not asked about.

    Returns
    -------
    Pairs
        Pairs of up to 200 columns, those whose means of the two classes differ most in standard deviations.

    Raises
    ------
    DataError
        As `separability`.

    Examples
    --------
    >>> X = np.array([[1, 2, 0], [5, 6, 1], [3, 2, 1], [7, 5, 0]])
    >>> found = separating_pairs(X, [0, 0, 1, 1])
    >>> [pair.columns for pair in found.found], found.asked
    ([(0, 1)], 3)
    """
    deadline = deadline_of(time_limit)
    X = exact_table(X)
    check_length(X, y)
    s = signs(y)
    several = _not_alone(X, s)
    of = len(several) * (len(several) - 1) // 2
    A = _comparable(X)
    chosen = np.sort(several[_by_means(A[:, several], s)[:MOST_COLUMNS]])
    first, second = np.triu_indices(len(chosen), 1)
    pairs = np.column_stack([chosen[first], chosen[second]])
    found: list[SeparatingPair] = []
    asked = 0
    try:
        left = _not_refuted(A, s, pairs, deadline)
        asked = len(pairs) - len(left)
        for j, k in left.tolist():
            left_of_time = time_left(deadline)
            proof = separability(X[:, [j, k]], y, time_limit=None if left_of_time == np.inf else left_of_time)
            asked += proof.verdict != "undecided"
            if proof.verdict == "separable":
                found.append(SeparatingPair((j, k), proof))
    except OutOfTimeError:
        pass
    return Pairs(found, asked, of)


def needed_columns(
    X: Any,
    y: Any,
    groups: Sequence[Sequence[int]],
    *,
    verdict: Verdict = "separable",
    separating: Iterable[Iterable[int]] = (),
    time_limit: float | None = None,
) -> Needed:
    """Find the groups of columns without which the rows are separable no more, or quasi-separable no more.

    If the verdict holds without several groups, it does so without each of them. So halves of the groups are
    left out at first, and parts of a half only where the others do not separate, or are not soon found to do so. A
    group that is the whole table is not asked about.

    Parameters
    ----------
    X : array or SciPy CSR matrix of shape (n_samples, n_features)
        The rows, taken exactly.
    y : array-like of shape (n_samples,)
        Two labels.
    groups : sequence of sequences of int
        Columns that are left out together, as the indicators of one category.
    verdict : {"separable", "quasi-separable"}
        What is proved of the rows.
    separating : iterable of iterables of int
        Sets of columns that are known to separate: a group that has no column of one of them is not needed. Where
        `verdict` is "quasi-separable" they separate some rows and put none on the wrong side.
    time_limit : float, optional
        Seconds after which the remaining groups are not asked about.

    Returns
    -------
    Needed
        In ascending order of the groups.

    Raises
    ------
    DataError
        As `separability`.

    Examples
    --------
    >>> X = np.array([[1, 2, 0], [5, 6, 1], [3, 2, 1], [7, 5, 0]])
    >>> found = needed_columns(X, [0, 0, 1, 1], [[0], [1], [2]])
    >>> [k for k, _ in found.found], found.asked
    ([0, 1], 3)
    """
    deadline = deadline_of(time_limit)
    X = exact_table(X)
    found: list[tuple[int, Separability]] = []
    sets = [set(one) for one in separating]
    candidates = [k for k in range(len(groups)) if all(one.intersection(groups[k]) for one in sets)]
    asked = len(groups) - len(candidates)
    open_blocks = [candidates] if candidates else []
    try:
        while open_blocks:
            block = open_blocks.pop()
            kept = np.setdiff1d(np.arange(X.shape[1]), [j for k in block for j in groups[k]])
            if kept.size:
                left = time_left(deadline)
                share = left if len(block) == 1 else max(_SHORT, _SHARE * left)
                proof = separability(X[:, kept], y, time_limit=None if share == np.inf else share)
                if proof.verdict == verdict:
                    asked += len(block)
                    continue
                if len(block) == 1 and proof.verdict in _CHANGED[verdict]:
                    asked += 1
                    found.append((block[0], proof))
            if len(block) > 1:
                open_blocks += [block[len(block) // 2 :], block[: len(block) // 2]]
    except OutOfTimeError:
        pass
    return Needed(found, asked)


def _not_alone(X: Array, s: Array) -> Array:
    """The columns that do not separate alone: the ranges of the two classes meet."""
    plus, minus = X[s > 0], X[s < 0]
    apart = (plus.min(axis=0) > minus.max(axis=0)) | (plus.max(axis=0) < minus.min(axis=0))
    return np.flatnonzero(~apart.astype(bool))


def _comparable(X: Array) -> Array:
    """Doubles whose differences have the sign of the exact ones, each column by its largest entry; else NaN."""
    A = as_doubles(X)
    exact = [X.dtype != object or holds_doubles(X[:, [j]]) for j in range(X.shape[1])]
    largest = np.abs(A).max(axis=0, initial=0.0)
    _, powers = np.frexp(np.where(np.isfinite(largest), largest, 1.0))
    A = np.ldexp(A, -powers)
    return np.where(exact & np.isfinite(largest), A, np.nan)


def _by_means(A: Array, s: Array) -> Array:
    """Columns by the difference of the means of the two classes in standard deviations, the largest first."""
    if not A.shape[1]:
        return np.zeros(0, dtype=np.int64)
    spread = A.std(axis=0)
    apart = np.abs(A[s > 0].mean(axis=0) - A[s < 0].mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return np.argsort(-apart, kind="stable")


def _not_refuted(A: Array, s: Array, pairs: Array, deadline: Deadline) -> Array:
    """The pairs that rows drawn at random do not refute."""
    rng = np.random.default_rng(0)
    plus, minus = np.flatnonzero(s > 0), np.flatnonzero(s < 0)
    for size in _SAMPLES:
        some = A[rng.choice(plus, min(size, plus.size), replace=False)]
        others = A[rng.choice(minus, min(size, minus.size), replace=False)]
        differences = (some[:, None, :] - others[None, :, :]).reshape(-1, A.shape[1])
        step = max(1, _AT_ONCE // len(differences))
        kept = []
        for start in range(0, len(pairs), step):
            time_left(deadline)
            part = pairs[start : start + step]
            kept.append(part[~_surround_zero(differences[:, part[:, 0]], differences[:, part[:, 1]])])
        pairs = np.concatenate([pairs[:0], *kept])
    return pairs


def _surround_zero(a: Array, b: Array) -> Array:
    """Whether the vectors of each column certainly lie in no open half plane; not where one is NaN."""
    angles = np.sort(np.arctan2(a, b), axis=0)
    around = 2 * np.pi - (angles[-1] - angles[0])
    widest = np.maximum(np.diff(angles, axis=0).max(axis=0, initial=0.0), around)
    zero = ((a == 0) & (b == 0)).any(axis=0)
    return np.asarray(zero | (widest < np.pi - _SURE))
