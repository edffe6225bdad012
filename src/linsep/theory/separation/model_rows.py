"""A regression as inequalities z.d >= 0: it is separated if a direction d satisfies all, one of them strictly."""

from __future__ import annotations

from math import lcm
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.sparse as sp

from linsep.tables import check_length, exact_table, is_sparse
from linsep.theory.separation.sentences import INTERCEPT
from linsep.types import Array, DataError

Family = Literal["logistic", "poisson", "multinomial"]
FAMILIES: tuple[Family, ...] = ("logistic", "poisson", "multinomial")
_WHOLE = 2**53  # every smaller integer is a double


class ModelRows(NamedTuple):
    """Rows z of Xbar, with one column for each coefficient.

    `Z` is float64, CSR of float64, or an array of Python integers. Rows with `equal` are equalities z.d = 0. Row k
    comes from row `owner[k]` of the data; in a multinomial model it compares the observed class with class `rival[k]`.
    `classes` holds the two labels of a logistic model, or all labels of a multinomial one with the reference first.
    """

    Z: Any
    equal: Array
    names: list[Any]
    owner: Array
    rival: Array
    classes: Array


def model_rows(X: Any, y: Array, names: list[str], family: Family, fit_intercept: bool) -> ModelRows:
    """Return the rows z that decide about separation in a regression of y on the columns of X.

    Raises
    ------
    DataError
        Shapes that do not match, numbers that are not finite, a response that the family does not allow.
    """
    if family not in FAMILIES:
        raise DataError(f"no family called {family!r}: choose from {', '.join(FAMILIES)}")
    X = exact_table(X)
    check_length(X, y)
    X = whole_columns(X)
    if fit_intercept:
        X = _with_constant(X)
    names = [INTERCEPT, *names] if fit_intercept else list(names)
    if len(set(names)) < len(names):
        twice = next(name for k, name in enumerate(names) if name in names[:k])
        raise DataError(f"two columns of the design are called {twice!r}; rename one")
    if family == "poisson":
        positive = _counts(y) > 0
        return _one_a_row(X, np.where(positive, 1, -1), positive, names, np.empty(0))
    classes, codes = _classes(y, family)
    if family == "logistic":
        return _one_a_row(X, np.where(codes == 1, 1, -1), np.zeros(len(y), dtype=bool), names, classes)
    return _multinomial(X, codes, names, classes)


def whole_columns(X: Any) -> Any:
    """X as doubles, without rounding; a column that doubles cannot hold is multiplied to integers."""
    if is_sparse(X):
        return X.astype(np.float64)
    if X.dtype != object:
        if X.dtype.kind in "biuf" and not (X.dtype.kind in "iu" and X.dtype.itemsize == 8):
            return X.astype(np.float64)
        X = X.astype(object)
    columns = []
    for column in X.T:
        ratios = [value.as_integer_ratio() for value in column.tolist()]
        common = lcm(*(q for _, q in ratios))
        columns.append([p * (common // q) for p, q in ratios])
    small = all(abs(value) <= _WHOLE for column in columns for value in column)
    out = np.empty(X.shape, dtype=np.float64 if small else object)
    for j, column in enumerate(columns):
        out[:, j] = column
    return out


def _with_constant(X: Any) -> Any:
    if is_sparse(X):
        return sp.hstack([sp.csr_matrix(np.ones((X.shape[0], 1))), X], format="csr")
    return np.hstack([np.ones((X.shape[0], 1), dtype=X.dtype), X])


def _signed(X: Any, s: Array) -> Any:
    if is_sparse(X):
        return sp.csr_matrix(X.multiply(s[:, None].astype(np.float64)))
    return X * s[:, None].astype(X.dtype)


def _one_a_row(X: Any, s: Array, equal: Array, names: list[Any], classes: Array) -> ModelRows:
    n = X.shape[0]
    return ModelRows(_signed(X, s), equal, names, np.arange(n), np.full(n, -1), classes)


def _counts(y: Array) -> Array:
    if y.dtype.kind not in "biuf":
        raise DataError(f"a Poisson response is a count, not {y.dtype}")
    bad = np.flatnonzero(~(np.isfinite(y) & (y >= 0)))
    if bad.size:
        raise DataError(f"row {bad[0]}: a Poisson response is a count of 0 or more, not {y[bad[0]]}")
    return y


def _classes(y: Array, family: Family) -> tuple[Array, Array]:
    classes, codes = np.unique(y, return_inverse=True)
    if classes.size < 2:
        raise DataError(f"every row has the label {classes[0]}: rows of at least two classes are needed")
    if family == "logistic" and classes.size > 2:
        raise DataError(
            f"y holds {classes.size} labels and a logistic model has two: ask for the family 'multinomial', "
            "or for 'poisson' if they are counts"
        )
    return classes, codes.reshape(-1)


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
