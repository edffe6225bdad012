"""Is there a separator? A verdict that is proved, the strongest that the time allows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from linsep.tables import as_doubles, check_index, check_length, exact_table
from linsep.theory.cone.opposite_rows import contradiction, first_opposite
from linsep.theory.cone.search import ConeEnd, solve_cone
from linsep.theory.margin.geometry import signs
from linsep.theory.rows.deadline import Deadline, OutOfTimeError, deadline_of, why_over
from linsep.theory.rows.json_values import UNCHECKED
from linsep.theory.separability.certificate import Separability
from linsep.theory.separability.combination import Combination, NearCombination
from linsep.theory.verify.separability import CertificateError
from linsep.types import Array, Hyperplane, Verdict

_LONGEST = 4000  # bits of an integer in the one hyperplane that replaces several directions
_MOST_NULL = 4_000_000  # entries of null vectors that a quasi-separable certificate carries


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
    Witness: Gordan 1873 and Caratheodory, at most r + 1 rows. Overlap proof: Stiemke 1915, at most 2 r rows; r is the
    rank of the signed rows. The search is that of `cone/search.py`.

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
    check_index(X, y)
    X = exact_table(X)
    check_length(X, y)
    s = signs(y)
    about = {"n_rows": X.shape[0], "n_features": X.shape[1], "fit_intercept": fit_intercept, "about": (X, y)}
    for may_be_near in (False,) if exact else (True, False):
        end = solve_cone(X, s, constant=fit_intercept, deadline=deadline, may_be_near=may_be_near)
        for result in _answers(X, s, end, about, deadline, time_limit):
            try:
                result.verify(X, y)
            except CertificateError:
                continue  # nothing found by floating point is believed without its proof
            return result
        if end.near is None:
            break
    return Separability("undecided", reason=UNCHECKED, **about)


def _answers(
    X: Any, s: Array, end: ConeEnd, about: dict[str, Any], deadline: Deadline, time_limit: float | None
) -> Iterable[Separability]:
    """Certificates of what was found, the one to be preferred first."""
    if end.decided and not end.rows_left.size:
        return _separable(X, s, end.directions, end.constant, about)
    try:
        if end.decided:
            return [_not_separable(X, s, end, about, deadline)]
    except OutOfTimeError:
        pass  # the null vectors take as long as the search
    return [_cut_short(X, s, end, about, why_over(time_limit))]


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
    about = {"n_rows": X.shape[0], "n_features": X.shape[1], "fit_intercept": fit_intercept, "about": (X, y)}
    error: CertificateError | None = None
    for result in _separable(X, signs(y), [direction], fit_intercept, about):
        try:
            result.verify(X, y)
            return result
        except CertificateError as said:
            error = said
    assert error is not None
    raise error


def _separable(
    X: Any, s: Array, directions: list[list[int]], constant: bool, about: dict[str, Any]
) -> Iterator[Separability]:
    """Certificates with one hyperplane of doubles, with one of integers, and with the directions alone."""
    planes = _planes(directions, X.shape[1])
    for plane in (*_single_planes(X, s, directions, constant), None):
        yield Separability("separable", hyperplane=plane, directions=planes, **about)


def _not_separable(X: Any, s: Array, end: ConeEnd, about: dict[str, Any], deadline: Deadline) -> Separability:
    """The certificate of rows that overlap, with null vectors unless they are very long beside directions."""
    planes, rank = _planes(end.directions, X.shape[1]), len(end.basis)
    short = not planes or (_used_columns(X[end.rows_left]) - rank) * rank <= _MOST_NULL
    witness = _shortest_witness(X, s, end)
    parts: dict[str, Any] = {}
    if end.near:
        near, null = NearCombination.near(end.near.weights), tuple(end.near.null)
        witness = witness or near
        parts = {"overlap": near, "null": null, "near_weights": end.near.weights}
    elif short and end.span:
        overlap = Combination(tuple(end.overlap), tuple(end.overlap.values())) if end.overlap else witness
        names, found = end.columns.tolist(), end.span.null_vectors(deadline)
        # Columns that are 0 on all rows left need no vector: the verifier does not count them.
        null = tuple({names[j]: value for j, value in v.items()} for v in found if len(v) > 1)
        parts = {"overlap": overlap, "null": null}
    verdict: Verdict = "quasi-separable" if planes else "inseparable"
    return Separability(verdict, directions=planes, rows_left=end.rows_left, witness=witness, **parts, **about)


def _cut_short(X: Any, s: Array, end: ConeEnd, about: dict[str, Any], reason: str) -> Separability:
    """What is proved although the search is not over."""
    planes, witness = _planes(end.directions, X.shape[1]), _shortest_witness(X, s, end)
    verdict: Verdict = "undecided"
    if witness is not None:
        verdict = "quasi-separable" if planes else "not-separable"
    left = end.rows_left if planes else np.zeros(0, dtype=np.int64)
    return Separability(verdict, directions=planes, rows_left=left, witness=witness, reason=reason, **about)


def _shortest_witness(X: Any, s: Array, end: ConeEnd) -> Combination | None:
    """Two equal rows with opposite labels if there are any, else what the search found."""
    found = Combination(tuple(end.witness), tuple(end.witness.values())) if end.witness else None
    if not end.rows_left.size or (found and len(found.rows) <= 2):
        return found
    pair = contradiction(X, s, end.rows_left) if end.pairs is None else first_opposite(X, s, end.pairs)
    return Combination(pair, (1, 1)) if pair else found


def _planes(directions: list[list[int]], p: int) -> tuple[Hyperplane, ...]:
    return tuple(Hyperplane(np.array(d[:p], dtype=object), sum(d[p:])) for d in directions)


def _used_columns(X: Any) -> int:
    if hasattr(X, "indptr"):
        return int((np.bincount(X.indices, minlength=X.shape[1]) > 0).sum())
    return int((X != 0).any(axis=0).sum())


def _single_planes(X: Any, s: Array, directions: list[list[int]], constant: bool) -> Iterator[Hyperplane]:
    """The directions added with weights that fall fast enough: doubles, then integers; none where those are long."""
    p, whole = X.shape[1], directions[0] if len(directions) == 1 else None
    if whole is None:
        A = as_doubles(X) if X.dtype == object else X.astype(np.float64, copy=False)
        if X.dtype != object or np.isfinite(A).all():
            whole = _sum_of(A, s, directions)
    if whole is not None:
        v = _halved(whole)[0]
        yield Hyperplane(v[:p], float(v[p]) if constant else 0.0)
        yield Hyperplane(np.array(whole[:p], dtype=object), sum(whole[p:]))


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
