"""Is there a separator? A verdict that is proved, the strongest that the time allows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from linsep.as_given import labels_of
from linsep.tables import as_doubles, exact_table, labelled_table
from linsep.theory.cone.opposite_rows import contradiction
from linsep.theory.cone.search import ConeEnd, solve_cone
from linsep.theory.margin.geometry import signs
from linsep.theory.rows.deadline import UNCHECKED, Deadline, OutOfTimeError, deadline_of, what_ended
from linsep.theory.rows.integers import vectors_of, whole_row
from linsep.theory.separability.certificate import Separability
from linsep.theory.verify.cone import CertificateError, ConeProof
from linsep.types import Array, DataError

_LONGEST = 4000  # bits of an integer in the one hyperplane that replaces several directions
_MOST_NULL = 4_000_000  # entries of null vectors that a quasi-separable certificate carries


@np.errstate(all="ignore")  # doubles only suggest
def separability(
    X: Any, y: Any, *, fit_intercept: bool = True, time_limit: float | None = None, exact: bool = False
) -> Separability:
    """Decide whether some w, b have y_i (w.x_i + b) > 0 for all i, and prove it in exact arithmetic.

    Parameters
    ----------
    X : array or SciPy CSR matrix of shape (n_samples, n_features)
        Taken as it is: floats are the dyadic rationals that they store. Decimal text is exact as an object array of
        Python integers or Fractions.
    y : array-like of shape (n_samples,)
        Two labels; the second in sorted order is the positive class.
    fit_intercept : bool
        Whether b may differ from 0.
    time_limit : float, optional
        Seconds after which the answer is what is proved by then: `not-separable` if a witness was found,
        `quasi-separable` (with at least these rows) if a direction was found too, or else `undecided`. The clock is
        looked at between steps of the search, also inside exact solves. Without a limit everything is decided.
    exact : bool, default=False
        Whether the weights of a witness and an overlap have to be exact integers, which every checker can add up. Of
        dense tables with a hundred columns of floats or more they have thousands of digits and take longer to find:
        unless asked for, weights near exact ones are given there, and the rows that prove that exact ones exist.

    Returns
    -------
    Separability
        `.verdict` is "separable", "quasi-separable", "inseparable", "not-separable" or "undecided"; the parts that
        prove it have passed `.verify(X, y)` before the verdict is given.

    Raises
    ------
    DataError
        Wrong shapes, a number that is not finite, not two classes, or a time limit that is no number of seconds.

    Notes
    -----
    Witness: Gordan 1873; two opposite rows if there are any, else the rows of the overlap. Overlap: Stiemke 1915, at
    most 2 r rows, r the rank of the signed rows; of large sparse tables all rows left. The search is that of
    `cone/search.py`, of 50,000 rows or more first of a sample.

    Examples
    --------
    >>> square = [[0, 0], [1, 1], [0, 1], [1, 0]]
    >>> found = separability(square, ["same", "same", "other", "other"])
    >>> found.verdict, found.witness.rows, found.witness.weights
    ('inseparable', (0, 1, 2, 3), (1, 1, 1, 1))
    >>> separability([[0], [1], [1], [2]], [0, 0, 1, 1]).verdict
    'quasi-separable'
    """
    deadline = deadline_of(time_limit)
    X = labelled_table(X, y)
    s = signs(y)
    about = {"n_features": X.shape[1], "fit_intercept": bool(fit_intercept), "about": (X, y)}
    for may_be_near in (False,) if exact else (True, False):
        end = solve_cone(X, s, constant=fit_intercept, deadline=deadline, may_be_near=may_be_near)
        proofs, ended = _proofs(X, s, end, deadline, time_limit)
        found = _first_that_holds(proofs, ended=ended, **about)
        if found is not None:
            return found
        if not end.within:
            break
    return Separability(ConeProof(X.shape[0], left=range(X.shape[0])), ended=UNCHECKED, **about)


def separability_one_vs_rest(
    X: Any,
    y: Any,
    *,
    fit_intercept: bool = True,
    time_limit: float | None = None,
    exact: bool = False,
) -> dict[Any, Separability]:
    """Decide for each class k whether some w_k, b_k have w_k.x_i + b_k > 0 if y_i = k and < 0 if not; prove it.

    Parameters
    ----------
    X : array or SciPy CSR matrix of shape (n_samples, n_features)
        As in `separability`.
    y : array-like of shape (n_samples,)
        Two labels or more.
    fit_intercept : bool
        Whether b_k may differ from 0.
    time_limit : float, optional
        Seconds for each class.
    exact : bool, default=False
        Whether weights have to be exact, as in `separability`.

    Returns
    -------
    dict
        Label -> Separability of this class, named by the label, against the rest, named "not " and the label. Labels
        are in sorted order.

    Raises
    ------
    DataError
        As in `separability`; there are fewer than two labels.

    Examples
    --------
    >>> found = separability_one_vs_rest([[0], [1], [2]], ["low", "middle", "high"])
    >>> {label: one.verdict for label, one in found.items()}
    {'high': 'separable', 'low': 'separable', 'middle': 'inseparable'}
    >>> found["middle"].witness.rows, found["middle"].witness.weights
    ((0, 1, 2), (1, 2, 1))
    """
    table, y = labelled_table(X, y), labels_of(y)
    labels = np.unique(y)
    if labels.size < 2:
        raise DataError(f"two classes or more are needed, found {', '.join(map(str, labels)) or 'none'}")
    asked: dict[str, Any] = {"fit_intercept": fit_intercept, "time_limit": time_limit, "exact": exact}
    answers = [separability(table, (y == label).astype(np.int8), **asked) for label in labels]
    return {
        key: replace(one, classes=(f"not {label!s}", str(label)), about=(table, y))
        for key, label, one in zip(labels.tolist(), labels, answers, strict=True)
    }


def _first_that_holds(proofs: Iterable[ConeProof], **about: Any) -> Separability | None:
    """The certificate of the first proof that passes its check: nothing found by floating point is believed without."""
    for proof in proofs:
        found = Separability(proof, **about)
        with suppress(CertificateError):
            found.verify(*about["about"])
            return found
    return None


def _proofs(
    X: Any, s: Array, end: ConeEnd, deadline: Deadline, time_limit: float | None
) -> tuple[Iterable[ConeProof], str | float | None]:
    """Proofs of what was found, the one to be preferred first, and what ended the search if not all is decided."""
    if end.decided and not end.rows_left.size:
        return _separable(X, s, end.directions, end.constant), None
    try:
        if end.decided:
            return [_not_separable(X, end, deadline)], None
    except OutOfTimeError:
        pass  # the null vectors take as long as the search
    left = tuple(end.rows_left.tolist()) if end.directions else range(X.shape[0])
    weights = end.witness or dict.fromkeys(contradiction(X, s, end.rows_left) or (), 1)
    return [ConeProof(X.shape[0], vectors_of(end.directions), left, weights)], what_ended(time_limit)


def separable_by(X: Any, y: Any, direction: list[int], *, fit_intercept: bool = True) -> Separability:
    """The certificate of rows that a direction (w, b) of integers separates, which needs no search.

    Raises
    ------
    CertificateError
        It does not separate them.

    Examples
    --------
    >>> separable_by([[1], [4]], [0, 1], [2, -5]).verdict
    'separable'
    """
    X = exact_table(X)
    about = {"n_features": X.shape[1], "fit_intercept": fit_intercept, "about": (X, y)}
    found = _first_that_holds(_separable(X, signs(y), [direction], fit_intercept), **about)
    if found is None:
        raise CertificateError("the direction does not separate the rows")
    return found


def _separable(X: Any, s: Array, directions: list[list[int]], constant: bool) -> Iterator[ConeProof]:
    """Proofs by one direction that doubles hold, by one of integers, and by the directions as they are."""
    for one in _single_directions(X, s, directions, constant):
        yield ConeProof(X.shape[0], vectors_of([one]))
    if len(directions) > 1:
        yield ConeProof(X.shape[0], vectors_of(directions))


def _not_separable(X: Any, end: ConeEnd, deadline: Deadline) -> ConeProof:
    """The proof of rows that overlap, with null vectors unless they are very long beside directions."""
    n, rank, directions = X.shape[0], len(end.basis), vectors_of(end.directions)
    left = tuple(end.rows_left.tolist()) if directions else range(n)
    used = X.shape[1] - _without_entries(X[end.rows_left]) if directions else 0
    if not end.within and (used - rank) * rank > _MOST_NULL:
        return ConeProof(n, directions, left, end.witness or {})
    weights = end.overlap or end.witness or {}
    return ConeProof(n, directions, left, weights, end.within, tuple(end.basis), tuple(end.null_vectors(deadline)))


def _without_entries(X: Any) -> int:
    """How many columns are 0 on all rows."""
    used = np.bincount(X.indices, X.data != 0, X.shape[1]) if hasattr(X, "indptr") else (X != 0).any(axis=0)
    return int(np.count_nonzero(np.asarray(used) == 0))


def _single_directions(X: Any, s: Array, directions: list[list[int]], constant: bool) -> Iterator[list[int]]:
    """The directions added with weights that fall fast enough: rounded to doubles, then as they are; none if long."""
    whole = directions[0] if len(directions) == 1 else None
    if whole is None:
        A = as_doubles(X) if X.dtype == object else X.astype(np.float64, copy=False)
        if X.dtype != object or np.isfinite(A).all():
            whole = _sum_of(A, s, directions)
    if whole is not None:
        yield whole_row(_halved(whole)[0].tolist())
        yield whole


def _halved(whole: list[int]) -> tuple[Array, int]:
    """Integers over the least power of two above them all, as doubles, and the exponent of that power."""
    length = max(max(whole), -min(whole)).bit_length()
    if length < 1000:
        return np.ldexp(np.array(whole, dtype=np.float64), -length), length
    return np.array([value / (1 << length) for value in whole]), length


def _sum_of(X: Any, s: Array, directions: list[list[int]]) -> list[int] | None:
    """Sum 2^t_k d_k, with t_k so large that d_k outweighs all later ones on the rows that it takes away."""
    if len(directions) == 1:
        return directions[0]
    p = X.shape[1]
    lengths, scores, taken = [], [], []
    left = np.ones(X.shape[0], dtype=bool)
    for d in directions:
        v, length = _halved(d)
        lengths.append(length)
        scores.append(s * (X @ v[:p] + sum(v[p:])))
        taken.append(left & (scores[-1] > 0))
        left &= ~taken[-1]
    total, powers = scores[-1].copy(), [0]
    for score, rows in zip(scores[-2::-1], taken[-2::-1], strict=True):
        with np.errstate(over="ignore"):  # of the tiniest rows: then there is no such power, as is seen below
            most = float((-total[rows] / score[rows]).max(initial=1.0))
        power = int(np.frexp(most)[1]) + 1
        if not np.isfinite(most) or power > _LONGEST:
            return None
        powers.append(power)
        with np.errstate(over="ignore"):
            total += np.ldexp(score, power)
    exps = [power - length for power, length in zip(powers[::-1], lengths, strict=True)]
    least = min(exps)
    longest = max(exps) - least + max(lengths)
    if longest > _LONGEST:
        return None
    if longest + len(directions) < 63:
        small = [np.array(d) << (e - least) for d, e in zip(directions, exps, strict=True)]
        return [int(v) for v in np.sum(small, axis=0).tolist()]
    shifted = [[v << (e - least) for v in d] for d, e in zip(directions, exps, strict=True)]
    return [sum(column) for column in zip(*shifted, strict=True)]
