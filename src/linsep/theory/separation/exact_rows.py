"""Rows made of other rows without rounding: as doubles where these hold them, else as Python integers."""

from __future__ import annotations

from math import lcm
from typing import Any

import numpy as np
import scipy as sp

from linsep.tables import dense, holds_doubles, is_sparse, stored
from linsep.types import Array, DataError

_WHOLE = 2**53  # every smaller integer is a double
_MOST_INTEGERS = 10_000_000  # entries of an array of Python integers, about 100 bytes each


def whole_columns(X: Any) -> Any:
    """X as doubles, without rounding; if doubles cannot hold it, with each column multiplied to integers.

    The numbers alone decide, not the type that holds them: so equal tables have equal proofs.

    Examples
    --------
    >>> from fractions import Fraction
    >>> whole_columns(np.array([[Fraction(1, 2)]], dtype=object)), whole_columns(np.array([[Fraction(1, 3)]]))
    (array([[0.5]]), array([[1.]]))
    """
    if is_sparse(X) or holds_doubles(X):
        return X.astype(np.float64, copy=False)
    whole = as_integers(X)
    small = all(abs(value) <= _WHOLE for value in whole.ravel().tolist())
    return whole.astype(np.float64) if small else whole


def column_multiples(X: Any) -> list[int]:
    """What `whole_columns` multiplies each column by.

    Examples
    --------
    >>> from fractions import Fraction
    >>> column_multiples(np.array([[Fraction(1, 3), 2]])), column_multiples(np.array([[0.5, 2.0]]))
    ([3, 1], [1, 1])
    """
    if is_sparse(X) or holds_doubles(X):
        return [1] * int(X.shape[1])
    return [lcm(*(value.as_integer_ratio()[1] for value in column)) for column in X.astype(object).T.tolist()]


def multiples_in(X: Any, Z: Any, kept: Array) -> list[int]:
    """What each column of X was multiplied by in rows Z of inequalities, which are made of its rows `kept`."""
    if Z.dtype == object and holds_doubles(X):  # differences that doubles would round
        return [lcm(*(v.as_integer_ratio()[1] for v in column)) for column in dense(X[kept]).T.tolist()]
    return column_multiples(X)


def as_integers(X: Any, n: int = 0) -> Any:
    """X with each column multiplied to Python integers, of which `n` rows are to be made.

    Raises
    ------
    DataError
        An array would have more than ten million entries.

    Examples
    --------
    >>> as_integers(np.array([[0.5, 2.0], [0.25, 3.0]])).tolist()
    [[2, 2], [1, 3]]
    """
    n = max(n, X.shape[0])
    if X.dtype.kind == "f" and n * X.shape[1] > _MOST_INTEGERS:
        raise DataError(
            f"{n:,} rows or pairs of {X.shape[1]:,} columns are too many for exact sums of numbers that are not whole: "
            "round the columns, or multiply them to whole numbers"
        )
    out = np.empty(X.shape, dtype=object)
    for j, column in enumerate(dense(X).T.tolist()):
        ratios = [value.as_integer_ratio() for value in column]
        common = lcm(*(q for _, q in ratios))
        out[:, j] = [p * (common // q) for p, q in ratios]
    return out


def multiples(X: Any, rows: Array, by: Array) -> Any:
    """Some rows of X, each times a whole number, exactly: with the columns as integers where doubles would round.

    Examples
    --------
    >>> multiples(np.array([[0.5], [0.75]]), np.array([1, 0, 0]), np.array([1, -3, 2])).tolist()
    [[0.75], [-1.5], [1.0]]
    >>> multiples(np.array([[0.5], [0.1]]), np.array([1]), np.array([3])).tolist()
    [[10808639105689191]]
    """
    if X.dtype != object and not _has_room(X.data if is_sparse(X) else X, int(np.abs(by).max(initial=1))):
        X = as_integers(X)
    if is_sparse(X):
        return sp.sparse.csr_matrix(X[rows].multiply(by[:, None].astype(np.float64)))
    return X[rows] * by[:, None].astype(X.dtype)


def _has_room(values: Array, most: int) -> bool:
    """Whether doubles hold all products of these doubles with whole numbers up to `most`."""
    if most == 1:
        return True
    # The mantissa as a whole number without the factors 2 at its end.
    mantissa = np.abs(np.ldexp(np.frexp(values)[0], 53)).astype(np.int64)
    odd = mantissa // np.maximum(mantissa & -mantissa, 1)
    largest = float(np.abs(values).max(initial=0.0))
    return bool(odd.max(initial=0) <= _WHOLE // most and largest < np.finfo(np.float64).max / most)


def differences(X: Any, first: Array, second: Array) -> Any:
    """Rows of X minus rows of X, exactly: with the columns as integers where doubles would round.

    Examples
    --------
    >>> differences(np.array([[0.5], [2.0]]), np.array([0]), np.array([1])).tolist()
    [[-1.5]]
    >>> differences(np.array([[1.0], [2.0**-60]]), np.array([0]), np.array([1])).tolist() == [[2**60 - 1]]
    True
    """
    if X.dtype != object:
        A, B = X[first], X[second]
        with np.errstate(over="ignore", invalid="ignore"):
            found = A - B
            taken = A - found  # B, if nothing was rounded
            lost = (A - (found + taken)) + (taken - B)  # Knuth's sum of the rounding error
        if np.isfinite(stored(found)).all() and not stored(lost).any():
            return found
        X = as_integers(X, first.size)
    return X[first] - X[second]
