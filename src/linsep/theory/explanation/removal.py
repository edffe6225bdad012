"""Few rows whose removal leaves the others separable: guesses by directions that have few rows on the wrong side.

A direction d leaves the rows with d.z > 0 separable, so those with d.z <= 0 may go. The fewest such rows are hard to
find (Johnson and Preparata 1978); what is found here is an upper bound. The hinge loss is least where few rows are
wrong by much; rows that are wrong weigh less in the next round, so that few rows are wrong at last.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from linsep.clock import clock
from linsep.tables import bounded_doubles, is_sparse, stored_in
from linsep.theory.rows.deadline import Deadline
from linsep.types import Array

_SMALL = 100_000  # entries up to which the hinge loss is minimised by a linear programme
_ROUNDS = 8
_LEAST = 2.0**-1000
_FIRST_EPOCHS, _EPOCHS = 10, 200  # of the descent, where there is a limit of time; at most
_SOFT = 0.05  # a row that is wrong by v has the weight 1 / (v + this) in the next round


def directions(X: Any, s: Array, *, constant: bool, deadline: Deadline) -> Iterator[Array]:
    """Directions (w, b), or w without a constant, in floating point, each to have fewer rows on the wrong side.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, p)
    s : ndarray of shape (n,)
        1 or -1.
    constant : bool
    deadline : Deadline
    """
    A: Any = bounded_doubles(X)
    scale = largest_of_columns(A)
    A = sp.csr_matrix(A @ sp.diags_array(1 / scale)) if is_sparse(A) else A / scale
    stored = stored_in(A)
    weights = np.ones(s.size)
    epochs = _EPOCHS if np.isinf(deadline.at) else _FIRST_EPOCHS
    for k in range(_ROUNDS):
        began = clock()
        if began > deadline.at:
            return
        if stored <= _SMALL:
            d = _by_programme(A, s, weights, constant, deadline)
        else:
            d = _by_descent(A, s, weights, constant, epochs)
            now = clock()
            left = max(0.0, deadline.at - now) / (_ROUNDS - k) / max(now - began, 1e-6)
            epochs = int(max(1, min(_EPOCHS, epochs * left)))
        if d is None or not d.any():
            return
        wrong = np.maximum(0.0, 1.0 - s * (A @ d[: A.shape[1]] + d[A.shape[1] :].sum()))
        yield np.append(d[: A.shape[1]] / scale, d[A.shape[1] :])
        weights = 1 / (wrong + _SOFT)
        weights /= weights.max()


def largest_of_columns(A: Any) -> Array:
    """The largest size of a number in each column, not so small that its inverse is no double; 1 for one of zeros."""
    largest = np.asarray(abs(A).max(axis=0).todense() if is_sparse(A) else abs(A).max(axis=0, initial=0.0)).reshape(-1)
    return np.where(largest > 0, np.maximum(largest, _LEAST), 1.0)


def between_means(X: Any, s: Array, *, constant: bool) -> Array:
    """The direction (w, b) from the mean of one class to that of the other, with the plane half way.

    Columns count by their size, not by their unit: a table of decimals is given as integers, times a power of ten.

    Examples
    --------
    >>> between_means(np.array([[0.0, 10.0], [1.0, 30.0]]), np.array([-1, 1]), constant=True).round(3).tolist()
    [1.0, 0.022, -0.944]
    """
    A = bounded_doubles(X)
    scale = largest_of_columns(A)
    plus, minus = (np.asarray(A[s == side].mean(axis=0)).ravel() / scale for side in (1, -1))
    w = plus - minus
    return np.append(w / scale, -w @ (plus + minus) / 2) if constant else w / scale


def with_constant(A: Any, constant: bool) -> Any:
    """The rows (x, 1), or x without a constant, in CSR."""
    return sp.csr_matrix(sp.hstack([sp.csr_matrix(A), sp.csr_matrix(np.ones((A.shape[0], 1)))]) if constant else A)


def _by_programme(A: Any, s: Array, weights: Array, constant: bool, deadline: Deadline) -> Array | None:
    """The least sum of weights times max(0, 1 - s (A w + b)), by HiGHS."""
    from scipy.optimize import linprog

    n, p = A.shape
    Z = sp.diags_array(s) @ with_constant(A, constant)
    width = p + constant
    table: Any = -sp.csc_matrix(sp.hstack([Z, sp.eye_array(n)]))
    left = max(0.05, min(deadline.at - clock(), 600.0))
    found: Any = linprog(
        np.append(np.zeros(width), weights),
        A_ub=table,
        b_ub=-np.ones(n),
        bounds=[(None, None)] * width + [(0, None)] * n,
        options={"time_limit": left},
    )
    return None if found.x is None else np.asarray(found.x[:width])


def _by_descent(A: Any, s: Array, weights: Array, constant: bool, epochs: int) -> Array:
    """The same, nearly, by LIBLINEAR's dual coordinate descent."""
    from sklearn.svm import LinearSVC

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learner = LinearSVC(C=10.0, fit_intercept=constant, intercept_scaling=1.0, max_iter=epochs, random_state=0)
        learner.fit(A, s, sample_weight=weights)
    return np.append(learner.coef_[0], learner.intercept_ if constant else [])
