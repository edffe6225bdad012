"""A regression as inequalities z.d >= 0: it is separated if a direction d satisfies all, one of them strictly.

Of ordered classes they compare thresholds with x.b, of Cox's partial likelihood an event with all rows at risk with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy as sp

from linsep.tables import check_length, exact_table, is_sparse
from linsep.theory.separation.exact_rows import differences, multiples, whole_columns
from linsep.theory.separation.families import (
    INTERCEPT,
    LABELLED,
    ORDERED,
    RESPONSES,
    WITHOUT_INTERCEPT,
    Family,
    Outcome,
    refuse,
    together,
)
from linsep.types import Array, DataError, RowError


class ModelRows(NamedTuple):
    """Rows z of Xbar, with one column for each coefficient.

    `Z` is float64, CSR of float64, or an array of Python integers. Rows with `equal` are equalities z.d = 0. Row k
    comes from row `owner[k]` of the data, which may have none, one or several; in a multinomial model it compares the
    observed class with class `rival[k]`. `classes` holds the two labels of a logistic model, or all labels of a
    multinomial one with the reference first.
    """

    Z: Any
    equal: Array
    names: list[Any]
    owner: Array
    rival: Array
    classes: Array


def model_rows(X: Any, outcome: Outcome, names: list[str], family: Family, fit_intercept: bool) -> ModelRows:
    """Return the rows z that decide about separation in a regression of the outcome on the columns of X.

    Raises
    ------
    DataError
        Shapes that do not match, numbers that are not finite, a response that the family does not allow.
    """
    X = exact_table(X)
    check_length(X, outcome.y)
    _check_response(outcome, family)
    X = whole_columns(X)
    if family in WITHOUT_INTERCEPT:
        if not fit_intercept:
            raise DataError(f"the family {family!r} has no intercept of its own: leave fit_intercept as it is")
        classes = outcome.classes.tolist() if family in ORDERED else []
        names = [*(outcome.thresholds or [f"{low}|{high}" for low, high in pairwise(classes)]), *names]
    elif fit_intercept:
        X = with_constant(X)
        names = [INTERCEPT, *names]
    if len(set(names)) < len(names):
        twice = next(name for k, name in enumerate(names) if name in names[:k])
        raise DataError(f"two columns of the design are called {twice!r}; rename one")
    kept = np.flatnonzero(outcome.kept)
    if kept.size == 0:
        raise DataError("no row is left: every row has a weight of 0 or no trials")
    if kept.size < X.shape[0]:
        X, outcome = X[kept], outcome.take(kept)
    rows = _rows_of(X, outcome, names, family)
    return rows._replace(owner=kept[rows.owner])


def _rows_of(X: Any, outcome: Outcome, names: list[Any], family: Family) -> ModelRows:
    """The inequalities of rows all of which count."""
    if family in ("cox", "conditional"):
        Z, equal, owner = risk_rows(X, outcome, family)
        return ModelRows(Z, equal, names, owner, np.full(len(owner), -1), np.empty(0))
    if family not in LABELLED:
        return _one_a_row(X, _ways(outcome, family), names, np.empty(0))
    classes, codes = _classes(outcome, family)
    if family == "logistic":
        return _one_a_row(X, np.where(codes == 1, 1, -1), names, classes)
    if family in ORDERED:
        Z, owner = ordered_rows(X, codes, len(classes), family)
        return ModelRows(Z, np.zeros(len(owner), dtype=bool), names, owner, np.full(len(owner), -1), classes)
    return _multinomial(X, codes, names, classes)


def _ways(outcome: Outcome, family: Family) -> Array:
    """Whether the linear predictor of each row may only rise (1), only fall (-1) or do neither (0)."""
    rises = outcome.y == (1 if outcome.trials is None else outcome.trials) if family == "binomial" else False
    return np.where(outcome.y == 0, -1, np.where(rises, 1, 0))


def _check_response(outcome: Outcome, family: Family) -> None:
    """Raise DataError unless the family allows this response and what stands beside it."""
    y = outcome.y
    if outcome.trials is not None and family != "binomial":
        raise DataError(f"trials belong to the family 'binomial', not to {family!r}")
    if outcome.weights is not None:
        refuse("weights", outcome.weights, outcome.weights < 0, "is below 0")
    if outcome.order is not None and (lacking := np.setdiff1d(y[outcome.kept], outcome.order)).size:
        raise DataError(f"order lacks the label {str(lacking[0])!r}: name all labels, the lowest first")
    of_cox = [name for name in ("event", "strata", "entry") if name in outcome.beside]
    if of_cox and family != "cox" and (family, of_cox) != ("conditional", ["strata"]):
        raise DataError(f"{of_cox[0]} belongs to the family 'cox', not to {family!r}")
    if family == "cox":
        check_times(outcome)
    elif family == "conditional":
        if y.dtype.kind not in "biuf":
            raise DataError(f"the response of a conditional model is 1 (a case) or 0, not {y.dtype}")
        refuse("y", y, ~np.isin(y, (0, 1)), "is neither 1 (a case) nor 0")
    elif family == "binomial":
        _check_proportions(outcome)
    elif family not in LABELLED:
        kind = RESPONSES[family]
        if y.dtype.kind not in "biuf":
            raise DataError(f"{kind}, not {y.dtype}")
        bad = np.flatnonzero(~(np.isfinite(y) & (y >= 0)))
        if bad.size:
            raise RowError(int(bad[0]), f": {kind} of 0 or more, not {y[bad[0]]}")


def _check_proportions(outcome: Outcome) -> None:
    y = outcome.y
    if y.dtype.kind not in "biuf":
        raise DataError(f"a binomial response is a number of successes or a proportion, not {y.dtype}")
    refuse("y", y, y < 0, "is below 0")
    if outcome.trials is None:
        refuse("y", y, y > 1, "is above 1: give proportions, or the numbers of trials too")
    else:
        refuse("trials", outcome.trials, outcome.trials < 0, "is below 0")
        refuse("y", y, y > outcome.trials, "is more than the trials of the row")
        part = (y > 0) & (y < 1)
        refuse("y", y, part, "is a proportion, and trials belong to numbers of successes: give proportion x trials")


def with_constant(X: Any) -> Any:
    """X with a first column of ones."""
    if is_sparse(X):
        X = X.tocsr()
        n = X.shape[0]
        starts = X.indptr + np.arange(n + 1)
        given = np.ones(starts[-1], dtype=bool)
        given[starts[:-1]] = False
        data, indices = np.ones(given.size, dtype=X.dtype), np.zeros(given.size, dtype=X.indices.dtype)
        data[given], indices[given] = X.data, X.indices + 1
        return sp.sparse.csr_matrix((data, indices, starts), shape=(n, X.shape[1] + 1))
    return np.hstack([np.ones((X.shape[0], 1), dtype=X.dtype), X])


def _signed(X: Any, s: Array) -> Any:
    if is_sparse(X):
        signs = np.repeat(s.astype(np.float64), np.diff(X.indptr))
        return sp.sparse.csr_matrix((X.data * signs, X.indices.copy(), X.indptr.copy()), shape=X.shape)
    return X * s[:, None].astype(X.dtype)


def _one_a_row(X: Any, ways: Array, names: list[Any], classes: Array) -> ModelRows:
    n = X.shape[0]
    return ModelRows(_signed(X, np.where(ways < 0, -1, 1)), ways == 0, names, np.arange(n), np.full(n, -1), classes)


def _classes(outcome: Outcome, family: Family) -> tuple[Array, Array]:
    classes = outcome.classes
    if classes.size < 2:
        raise DataError(f"every row has the label {classes[0]}: rows of at least two classes are needed")
    if family == "logistic" and classes.size > 2:
        raise DataError(
            f"y holds {classes.size} labels and a logistic model has two: ask for the family 'multinomial', "
            "for 'binomial' if they are proportions, or for 'poisson' if they are counts"
        )
    sorter = np.argsort(classes)
    return classes, sorter[np.searchsorted(classes, outcome.y, sorter=sorter)]


def _multinomial(X: Any, codes: Array, names: list[str], classes: Array) -> ModelRows:
    """One row for each observation and other class: x in the block of its own class, -x in that of the other."""
    K = len(classes)
    X = X if X.dtype == object else sp.sparse.csr_matrix(X)
    parts: list[Any] = []
    owners, rivals = [], []
    for own in range(K):
        at = np.flatnonzero(codes == own)
        for rival in range(K):
            if rival != own:
                u = np.zeros(K, dtype=X.dtype)
                u[own], u[rival] = 1, -1  # the first class, the reference, has no block
                parts.append(np.kron(u[None, 1:], X[at]) if X.dtype == object else sp.sparse.kron(u[None, 1:], X[at]))
                owners.append(at)
                rivals.append(np.full(at.size, rival))
    owner, rival_of = np.concatenate(owners), np.concatenate(rivals)
    order = np.lexsort((rival_of, owner))
    Z: Any = np.vstack(parts) if X.dtype == object else sp.sparse.vstack(parts, format="csr")
    if X.dtype != object:
        Z.eliminate_zeros()
    keys = [(label, name) for label in classes[1:].tolist() for name in names]
    return ModelRows(Z[order], np.zeros(owner.size, dtype=bool), keys, owner[order], rival_of[order], classes)


def ordered_rows(X: Any, codes: Array, n_classes: int, family: Family) -> tuple[Any, Array]:
    """The rows z of a model of ordered classes and the row of the data that each comes from.

    With thresholds t_1, ..., t_(K-1) between K classes, every inequality compares thresholds with x.b: for a row s of
    whole numbers it is s.t - sum(s) x.b >= 0 on the direction (t, b).

    Parameters
    ----------
    X : array or CSR matrix of shape (n, p)
        The design without a constant.
    codes : ndarray of int, shape (n,)
        The class of each row, 0 for the lowest.
    n_classes : int
    family : "cumulative", "adjacent" or "continuation"

    Returns
    -------
    tuple of (array or CSR matrix of shape (m, n_classes - 1 + p), ndarray of int)

    Examples
    --------
    >>> Z, owner = ordered_rows(np.array([[2.0], [3.0]]), np.array([0, 1]), 3, "cumulative")
    >>> Z.tolist(), owner.tolist()
    ([[1.0, 0.0, -2.0], [0.0, 1.0, -3.0], [-1.0, 0.0, 3.0]], [0, 1, 1])
    """
    shares, owners = [], []
    for k in range(n_classes):
        of_class = np.array(_shares(k, n_classes, family))
        at = np.flatnonzero(codes == k)
        shares.append(np.tile(of_class, (at.size, 1)))
        owners.append(np.repeat(at, len(of_class)))
    owner = np.concatenate(owners)
    order = np.argsort(owner, kind="stable")
    owner, share = owner[order], np.vstack(shares)[order]
    X = multiples(X, owner, -share.sum(axis=1))
    if is_sparse(X):
        return sp.sparse.hstack([sp.sparse.csr_matrix(share.astype(np.float64)), X], format="csr"), owner
    return np.hstack([share.astype(X.dtype), X]), owner


def _shares(k: int, n_classes: int, family: Family) -> list[list[int]]:
    """The rows s of one observation of class k."""
    last = n_classes - 1
    unit = np.eye(last, dtype=int)
    if family == "cumulative":
        return [*([unit[k].tolist()] if k < last else []), *([(-unit[k - 1]).tolist()] if k else [])]
    if family == "continuation":
        return [*([unit[k].tolist()] if k < last else []), *((-unit[m]).tolist() for m in range(k))]
    above = [unit[k:other].sum(axis=0).tolist() for other in range(k + 1, n_classes)]
    return above + [(-unit[other:k].sum(axis=0)).tolist() for other in range(k)]


_MOST_PAIRS = 5_000_000  # each is a row of the cone
_AT_ONCE = 256  # later rows looked at together: most often one of the first is at risk


class Pairs(NamedTuple):
    """Rows x_first - x_second of z.d >= 0, or of z.d = 0 where `equal`."""

    first: Array
    second: Array
    equal: Array


def risk_rows(X: Any, outcome: Outcome, family: str = "cox") -> tuple[Any, Array, Array]:
    """The rows z, which of them are equalities, and the event that each comes from.

    Examples
    --------
    >>> Z, equal, owner = risk_rows(np.array([[3.0], [2.0], [0.5]]), Outcome(np.array([1, 2, 3])))
    >>> Z.tolist(), owner.tolist()
    ([[1.0], [1.5]], [0, 1])
    """
    pairs = pairs_of(outcome, family)
    if pairs.first.size == 0 and family == "conditional":
        raise DataError("no stratum has a case and another row: the likelihood says nothing about coefficients")
    if pairs.first.size == 0:
        raise DataError("no event has another row at risk: the partial likelihood says nothing about coefficients")
    return differences(X, pairs.first, pairs.second), pairs.equal, pairs.first


def pairs_of(outcome: Outcome, family: str) -> Pairs:
    """The pairs of a Cox model, or of a conditional one: each case beside each other row of its stratum.

    The conditional likelihood of a stratum with m cases compares them with all sets of m of its rows. It never falls
    along d if and only if no row has a higher x.d than a case: a set in which they are exchanged would win.
    """
    if family == "cox":
        return risk_pairs(outcome)
    first, second, size = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)], 0
    for at in together(outcome.stratum):
        cases, others = at[outcome.y[at] > 0], at[outcome.y[at] == 0]
        size += cases.size * others.size
        if size > _MOST_PAIRS:
            raise DataError(f"cases and other rows of their strata make more than {_MOST_PAIRS:,} pairs to compare")
        first.append(np.repeat(cases, others.size))
        second.append(np.tile(others, cases.size))
    return Pairs(np.concatenate(first), np.concatenate(second), np.zeros(size, dtype=bool))


def risk_pairs(outcome: Outcome) -> Pairs:
    """The pairs that imply all others: of two events the later one stands for the rows that both have at risk.

    With x_i.d >= x_k.d for event i and the next event k among the rows at risk with i, x_k.d >= x_j.d for all j at risk
    with k says the rest. So event i is compared with k and with the rows that leave between them. Without entry times
    every row leaves once: there are at most two pairs a row.

    Raises
    ------
    DataError
        There are more than five million pairs.
    """
    found = [Pairs(np.empty(0, dtype=int), np.empty(0, dtype=int), np.empty(0, dtype=bool))]
    size = 0
    for members in together(outcome.stratum):
        for part in _of_stratum(outcome, members, outcome.happened[members]):
            found.append(part)
            size += part.first.size
            if size > _MOST_PAIRS:
                raise DataError(
                    f"the rows at risk make more than {_MOST_PAIRS:,} pairs to compare: use fewer rows, or no entry "
                    "times where they do not matter"
                )
    return Pairs(*(np.concatenate(columns) for columns in zip(*found, strict=True)))


def _of_stratum(outcome: Outcome, members: Array, event: Array) -> Iterator[Pairs]:
    # By time; events stand before the rows that are censored at their time, which are still at risk.
    sorter = np.lexsort((~event, outcome.y[members]))
    order, is_event = members[sorter], event[sorter]
    time = outcome.y[order]
    entry = None if outcome.entry is None else outcome.entry[order]
    events = np.flatnonzero(is_event)
    starts = np.flatnonzero(np.append(True, np.diff(time[events]) > 0)) if events.size else events
    for at, stop in pairwise([*starts.tolist(), events.size]):
        tied = order[events[at:stop]]
        if tied.size > 1:  # each is ahead of the other
            yield Pairs(tied, np.roll(tied, -1), np.ones(tied.size, dtype=bool))
        now = time[events[at]]
        following = _following(events[stop:], entry, now)
        rest = np.arange(events[stop - 1] + 1, len(order) if following is None else following)
        rest = rest if entry is None else rest[entry[rest] < now]
        second = order[rest if following is None else np.append(rest, following)]
        yield Pairs(np.full(second.size, tied[0]), second, np.zeros(second.size, dtype=bool))


def _following(later: Array, entry: Array | None, now: float) -> int | None:
    """The first of the later events whose row is at risk now."""
    if entry is None:
        return int(later[0]) if later.size else None
    for start in range(0, later.size, _AT_ONCE):
        inside = np.flatnonzero(entry[later[start : start + _AT_ONCE]] < now)
        if inside.size:
            return int(later[start + inside[0]])
    return None


def check_times(outcome: Outcome) -> None:
    """Raise DataError unless times, events and entries fit together."""
    y = outcome.y
    if y.dtype.kind not in "biuf":
        raise DataError(f"the response of a Cox model is a time, which is a number, not {y.dtype}")
    if outcome.event is not None:
        refuse("event", outcome.event, ~np.isin(outcome.event, (0, 1)), "is neither 1 (the event) nor 0 (censored)")
    if outcome.entry is not None:
        refuse("entry", outcome.entry, outcome.entry >= y, "is not before the time of the row")
