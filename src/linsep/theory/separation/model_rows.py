"""A regression as inequalities z.d >= 0: it is separated if a direction d satisfies all, one of them strictly."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from linsep.tables import check_length, exact_table, is_sparse
from linsep.theory.separation.exact_rows import minus_sum, stacked, whole_columns
from linsep.theory.separation.families import INTERCEPT, LABELLED, ORDERED, RESPONSES, Family
from linsep.theory.separation.ordered_rows import ordered_rows
from linsep.theory.separation.outcome import Outcome, refuse
from linsep.theory.separation.risk_rows import check_times, risk_rows
from linsep.types import Array, DataError


class ModelRows(NamedTuple):
    """Rows z of Xbar, with one column for each coefficient.

    `Z` is float64, CSR of float64, or an array of Python integers. Rows with `equal` are equalities z.d = 0. Row k
    comes from row `owner[k]` of the data, which may have none, one or several; in a multinomial model it compares the
    observed class with class `rival[k]`. `classes` holds the two labels of a logistic model, or all labels of a
    multinomial one with the reference first. Rows with the owner -1 belong to all rows of the data in `shared`, and
    where one of them can be strict, the likelihood has no upper bound.
    """

    Z: Any
    equal: Array
    names: list[Any]
    owner: Array
    rival: Array
    classes: Array
    shared: Array = np.empty(0, dtype=np.int64)


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
    if family in (*ORDERED, "cox"):
        if not fit_intercept:
            raise DataError(f"the family {family!r} has no intercept of its own: leave fit_intercept as it is")
        classes = outcome.classes.tolist() if family in ORDERED else []
        names = [*(f"{low}|{high}" for low, high in pairwise(classes)), *names]
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
    return rows._replace(owner=np.where(rows.owner < 0, -1, kept[rows.owner]), shared=kept[rows.shared])


def _rows_of(X: Any, outcome: Outcome, names: list[Any], family: Family) -> ModelRows:
    """The inequalities of rows all of which count."""
    if family == "cox":
        Z, equal, owner = risk_rows(X, outcome)
        return ModelRows(Z, equal, names, owner, np.full(len(owner), -1), np.empty(0))
    if family == "gamma" and (outcome.y == 0).any():
        return _gamma_with_zeros(X, outcome, names)
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
    if family in ("gamma", "inverse-gaussian"):
        return np.zeros(len(outcome.y), dtype=np.int8)
    rises = outcome.y == (1 if outcome.trials is None else outcome.trials) if family == "binomial" else False
    return np.where(outcome.y == 0, -1, np.where(rises, 1, 0))


def _gamma_with_zeros(X: Any, outcome: Outcome, names: list[Any]) -> ModelRows:
    """x.d >= 0 where the response is positive, and the weighted sum of x.d over all rows is not above 0."""
    positive = np.flatnonzero(outcome.y > 0)
    X, total = minus_sum(X, outcome.weights)
    owner = np.append(positive, -1)
    none = np.zeros(len(owner), dtype=bool)
    rival = np.full(len(owner), -1)
    return ModelRows(
        stacked(X[positive], total), none, names, owner, rival, np.empty(0), np.flatnonzero(outcome.y == 0)
    )


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
    if of_cox and family != "cox":
        raise DataError(f"{of_cox[0]} belongs to the family 'cox', not to {family!r}")
    if family == "cox":
        check_times(outcome)
    elif family == "binomial":
        _check_proportions(outcome)
    elif family not in LABELLED:
        kind = RESPONSES[family]
        if y.dtype.kind not in "biuf":
            raise DataError(f"{kind[0]}, not {y.dtype}")
        bad = np.flatnonzero(~(np.isfinite(y) & ((y > 0) if family == "inverse-gaussian" else (y >= 0))))
        if bad.size:
            raise DataError(f"row {bad[0]}: {kind[0]} {kind[1]}, not {y[bad[0]]}")


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
        return sp.csr_matrix((data, indices, starts), shape=(n, X.shape[1] + 1))
    return np.hstack([np.ones((X.shape[0], 1), dtype=X.dtype), X])


def _signed(X: Any, s: Array) -> Any:
    if is_sparse(X):
        signs = np.repeat(s.astype(np.float64), np.diff(X.indptr))
        return sp.csr_matrix((X.data * signs, X.indices.copy(), X.indptr.copy()), shape=X.shape)
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
    X = X if X.dtype == object else sp.csr_matrix(X)
    parts: list[Any] = []
    owners, rivals = [], []
    for own in range(K):
        at = np.flatnonzero(codes == own)
        for rival in range(K):
            if rival != own:
                u = np.zeros(K, dtype=X.dtype)
                u[own], u[rival] = 1, -1  # the first class, the reference, has no block
                parts.append(np.kron(u[None, 1:], X[at]) if X.dtype == object else sp.kron(u[None, 1:], X[at]))
                owners.append(at)
                rivals.append(np.full(at.size, rival))
    owner, rival_of = np.concatenate(owners), np.concatenate(rivals)
    order = np.lexsort((rival_of, owner))
    Z: Any = np.vstack(parts) if X.dtype == object else sp.vstack(parts, format="csr")
    if X.dtype != object:
        Z.eliminate_zeros()
    keys = [(label, name) for label in classes[1:].tolist() for name in names]
    return ModelRows(Z[order], np.zeros(owner.size, dtype=bool), keys, owner[order], rival_of[order], classes)
