"""One door for tables of numbers: dense arrays, SciPy sparse matrices and dataframes, seen alike.

In: what a caller gives as X. Out: a 2-D array or a CSR matrix whose shape and entries are checked. Begin with
`as_table`; the small functions above it answer what every part of the library asks of a table.
"""

from __future__ import annotations

from fractions import Fraction
from numbers import Number
from typing import Any

import numpy as np

from linsep.as_given import array_of, csr_of, kept_exactly, not_rounded, refuse_masked, refuse_unlike_doubles, with_room
from linsep.types import CSR, Array, DataError, RowError, row_from_0

_WHOLE = 2**53  # every smaller integer is a double
_MOST_DENSE = 100_000_000  # entries of a sparse table that is made dense, because its integers are no doubles


def is_sparse(X: Any) -> bool:
    """Whether X is a sparse matrix: its entries are in `X.data`, and zeros may be absent.

    Examples
    --------
    >>> is_sparse(np.eye(2))
    False
    """
    return hasattr(X, "tocsr")


def stored_in(X: Any) -> int:
    """How many numbers an array or a sparse matrix holds in memory.

    Examples
    --------
    >>> stored_in(np.eye(3))
    9
    """
    return int(X.nnz if is_sparse(X) else X.size)


def is_matrix(X: Any) -> bool:
    """Whether X is an array or a sparse matrix, not a dataframe, a path or a list.

    Examples
    --------
    >>> is_matrix(np.eye(2)), is_matrix("rows.csv")
    (True, False)
    """
    return isinstance(X, np.ndarray) or is_sparse(X)


def column_names(X: Any) -> list[str] | None:
    """Return the names of the columns of a dataframe (pandas, Polars, Arrow, Dask); None for anything else.

    Examples
    --------
    >>> import pyarrow as pa
    >>> column_names(pa.table({"a": [1.0], "b": [2.0]})), column_names(np.eye(2))
    (['a', 'b'], None)
    """
    # An Arrow table has its data in `columns` and its names in `column_names`.
    names = None if hasattr(X, "iloc") else getattr(X, "column_names", None)
    names = getattr(X, "columns", None) if names is None else names
    return None if names is None else [str(name) for name in names]


def stored(X: Any) -> Array:
    """Return the entries that X holds: the array itself, or the `data` of a sparse matrix. No copy is made.

    Examples
    --------
    >>> import scipy.sparse
    >>> stored(scipy.sparse.csr_matrix([[0.0, 2.0], [3.0, 0.0]])).tolist()
    [2.0, 3.0]
    """
    return np.asarray(X.data) if is_sparse(X) else X


def dense(X: Any) -> Array:
    """Return X as an array: a sparse matrix with its zeros, an array as it is.

    Examples
    --------
    >>> import scipy.sparse
    >>> dense(scipy.sparse.csr_matrix([[0.0, 2.0]])).tolist()
    [[0.0, 2.0]]
    """
    return np.asarray(X.toarray() if is_sparse(X) else X)


def place_of(X: Any, k: int) -> tuple[int, int]:
    """Return row and column of the k-th stored entry of an array (in C order) or a CSR matrix.

    Examples
    --------
    >>> place_of(np.eye(3), 4)
    (1, 1)
    """
    if is_sparse(X):
        return int(np.searchsorted(X.indptr, k, side="right")) - 1, int(X.indices[k])
    row, column = divmod(k, X.shape[1])
    return int(row), int(column)


def as_table(X: Any) -> Any:
    """Return X as a 2-D array or a CSR matrix with at least one row and one column; X itself is never changed.

    Parameters
    ----------
    X : array-like, sparse matrix or dataframe

    Returns
    -------
    ndarray or SciPy CSR matrix
        X itself where it is one of them.

    Raises
    ------
    DataError
        X is not two-dimensional, is empty, or is a dataframe with a column that does not hold numbers.

    Examples
    --------
    >>> as_table([[1, 2], [3, 4]]).shape
    (2, 2)
    """
    refuse_unlike_doubles(X)
    names = column_names(X)
    refuse_masked(X, "X")
    X = csr_of(X) if is_sparse(X) else kept_exactly(X, array_of(X, names), names)
    if names is not None and X.dtype.kind not in "biufc":
        _check_numbers(X, names)
    if X.ndim != 2 or 0 in X.shape:
        raise DataError(f"X must be a table of at least one row and one column, its shape is {X.shape}")
    return X


def _check_numbers(X: Array, names: list[str]) -> None:
    """Raise DataError for the first column of a dataframe that holds something else than numbers."""
    for j, name in enumerate(names):
        for i, value in enumerate(X[:, j].tolist()):
            if not isinstance(value, Number):
                raise DataError(
                    f"column {name!r} holds {value!r} in {row_from_0(i)}, which is not a number: make indicators "
                    "of it, as pandas.get_dummies does, or fit a TableModel or run `linsep check`: these do so "
                    "themselves"
                )


def merge_duplicates(X: Any) -> Any:
    """Return X with one entry a place: in a new CSR matrix where entries are repeated or out of order, else X itself.

    Examples
    --------
    >>> import scipy.sparse
    >>> merge_duplicates(scipy.sparse.csr_matrix(([1.0, 2.0], ([0, 0], [1, 1])))).data.tolist()
    [3.0]
    """
    if not is_sparse(X):
        return X
    same = type(X)((X.data, X.indices, X.indptr), shape=X.shape)  # which does not believe what is said of its order
    if not same.has_canonical_format:
        X = with_room(same).copy()
        X.sum_duplicates()
    return X


def rows_for_kernels(X: Any) -> Any:
    """Return a view of an array, or of a CSR matrix as a `CSR` with indices of 32 bits wherever they suffice.

    Numba compiles a kernel once for each type of its arguments, so there are as few types as possible: all arrays are
    read-only, since a kernel compiled for writable ones does not take those of a memory map.

    Examples
    --------
    >>> X = np.array([[1.0, 2.0]])
    >>> rows_for_kernels(X).flags.writeable, X.flags.writeable
    (False, True)
    """
    if isinstance(X, np.ndarray):
        view = X.view()
        view.flags.writeable = False
        return view
    dtype = np.int32 if max(X.shape[1], X.nnz) <= np.iinfo(np.int32).max else np.int64
    indices, indptr = X.indices.astype(dtype, copy=False), X.indptr.astype(dtype, copy=False)
    return CSR(rows_for_kernels(X.data), rows_for_kernels(indices), rows_for_kernels(indptr))


def as_floats(X: Any, dtype: type = np.float64) -> Any:
    """Return a table as numbers of one type of float, without a copy where it has it already.

    Raises
    ------
    DataError
        An entry is text, complex, or anything else that is not a real number.

    Examples
    --------
    >>> as_floats(np.array([[1, 2]])).tolist()
    [[1.0, 2.0]]
    """
    if X.dtype.kind == "c":
        raise DataError("X holds complex numbers: give their real and imaginary parts as columns of their own")
    try:
        return X.astype(dtype, copy=False)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"X must hold numbers in every column: {error}") from None


def as_doubles(X: Any) -> Any:
    """Return an exact table as the nearest doubles, with infinities for integers that are too large for one.

    Examples
    --------
    >>> as_doubles(np.array([[1, -10**400]], dtype=object)).tolist()
    [[1.0, -inf]]
    """
    if X.dtype != object:
        return X.astype(np.float64)
    return np.array([[_nearest(value) for value in row] for row in X.tolist()], dtype=np.float64).reshape(X.shape)


def bounded_doubles(X: Any) -> Any:
    """The nearest doubles, of integers that are too large for one a large one: good enough for a guess.

    Examples
    --------
    >>> bounded_doubles(np.array([[1, -10**400]], dtype=object)).tolist()
    [[1.0, -1e+300]]
    """
    return np.clip(as_doubles(X), -1e300, 1e300) if X.dtype == object else as_doubles(X)


def _nearest(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return np.inf if value > 0 else -np.inf


def check_finite(X: Any) -> None:
    """Raise DataError for the first entry that is infinite or not a number; its row and column are named.

    Examples
    --------
    >>> check_finite(np.array([[1.0, np.inf]]))
    Traceback (most recent call last):
    linsep.types.RowError: row 0 (counted from 0), column 1: inf is not a finite number
    """
    values = stored(X)
    finite = np.isfinite(values)
    if not finite.all():
        k = int(np.flatnonzero(~finite.ravel())[0])
        row, column = place_of(X, k)
        raise RowError(row, f", column {column}: {values.ravel()[k]} is not a finite number")


def check_length(X: Any, y: Any) -> None:
    """Raise DataError unless y has one label for each row of X.

    Examples
    --------
    >>> check_length(np.eye(2), [0, 1, 1])
    Traceback (most recent call last):
    linsep.types.DataError: X has 2 rows and y 3 labels: one label a row is needed
    """
    shape = (len(y),) if isinstance(y, list | tuple) else np.shape(y) if getattr(y, "shape", None) is None else y.shape
    n_labels = shape[0] if shape else 0
    if X.shape[0] != n_labels:
        raise DataError(f"X has {X.shape[0]} rows and y {n_labels} labels: one label a row is needed")


def labelled_table(X: Any, y: Any) -> Any:
    """X as an exact table, once its rows are those that y has labels of; DataError if not."""
    check_index(X, y)
    X = exact_table(X)
    check_length(X, y)
    return X


def holds_doubles(X: Any) -> bool:
    """Whether every entry of an exact table is exactly a double, whatever type holds it.

    Examples
    --------
    >>> holds_doubles(np.array([[2**60, 1]])), holds_doubles(np.array([[2**60 + 1, 1]]))
    (True, False)
    """
    values = stored(X)
    if X.dtype != object:
        if X.dtype.kind == "f" or X.dtype.itemsize < 8:
            return True
        values = values[(values > _WHOLE) | (values < -_WHOLE)]
    return all(_is_double(value) for value in values.ravel().tolist())


def _is_double(value: Any) -> bool:
    try:
        return isinstance(value, float) or Fraction(float(value)) == value
    except OverflowError:
        return False


def check_index(X: Any, y: Any, name: str = "y", of: str = "X") -> None:
    """Raise DataError where X and y are of pandas and their rows are called differently: they would be paired wrongly.

    Whatever has no index, as arrays and lists, is paired by position; a wrong length is left to `check_length`. `name`
    and `of` are what the message calls y and X.

    Examples
    --------
    >>> import pandas as pd
    >>> check_index(pd.DataFrame({"a": [1, 2]}, index=[7, 5]), pd.Series([0, 1], index=[5, 7]))
    Traceback (most recent call last):
    linsep.types.DataError: row 0 (counted from 0) is called 7 in X and 5 in y: give y.loc[X.index], or
    y.to_numpy() where both have the same order
    """
    ours: Any = getattr(X, "index", None)
    theirs: Any = getattr(y, "index", None)
    if ours is theirs or not (hasattr(ours, "equals") and hasattr(theirs, "equals")):
        return
    if len(ours) != len(theirs) or ours.equals(theirs):
        return
    row = next((k for k, (a, b) in enumerate(zip(ours, theirs, strict=True)) if a != b), 0)
    raise DataError(
        f"{row_from_0(row)} is called {ours[row]} in {of} and {theirs[row]} in {name}: give {name}.loc[{of}.index], or "
        f"{name}.to_numpy() where both have the same order"
    )


def exact_table(X: Any) -> Any:
    """Return X as `as_table`, its entries finite numbers that are kept exactly as they were given.

    Parameters
    ----------
    X : array-like or sparse matrix
        Integers and floats of at most 64 bits, or Python integers and Fractions in an array of objects.

    Returns
    -------
    ndarray or SciPy CSR matrix
        Booleans become float64; a sparse matrix has one entry a place, and is float64 or, where its integers are no
        doubles, an array of Python integers. X itself is never changed.

    Raises
    ------
    DataError
        X is not a table, or holds something that is not a finite number: its row and column are named.

    Examples
    --------
    >>> exact_table([[Fraction(1, 3), 2]]).tolist()
    [[Fraction(1, 3), 2]]
    """
    X = as_table(not_rounded(merge_duplicates(csr_of(X)), X) if is_sparse(X) else X)
    if X.dtype == object and not is_sparse(X):
        return _exact_objects(X)
    if X.dtype.kind not in "biuf" or X.dtype.itemsize > 8:
        raise DataError(f"X must hold numbers of at most 64 bits or Python integers, not {X.dtype}")
    if X.dtype.kind == "f":
        check_finite(X)
    if is_sparse(X) and X.dtype.kind in "iu" and X.dtype.itemsize == 8:
        return _exact_sparse(X)
    return X.astype(np.float64) if X.dtype.kind == "b" else X


def _exact_sparse(X: Any) -> Any:
    """Sparse integers of 64 bits as doubles, or where these would round, as an array of Python integers."""
    if holds_doubles(X):
        return X.astype(np.float64)
    if X.shape[0] * X.shape[1] > _MOST_DENSE:
        raise DataError(
            f"integers beyond 2^53 in a sparse table of {X.shape[0]:,} x {X.shape[1]:,}: they are checked in a dense "
            f"one, which may have {_MOST_DENSE:,} entries; divide the columns, or ask about fewer rows"
        )
    return X.toarray().astype(object)


class OfDouble(Fraction):
    """A double that is no integer, kept exactly: it may be the rounding of another number."""


def _exact_objects(X: Array) -> Any:
    """Python integers and Fractions: sums of floats with these would be rounded."""
    if all(type(value) is float for value in X.ravel().tolist()):
        return exact_table(X.astype(np.float64))
    out = np.empty(X.shape, dtype=object)
    for (i, j), value in np.ndenumerate(X):
        if not (isinstance(value, int | Fraction | np.integer) or (isinstance(value, float) and np.isfinite(value))):
            raise RowError(i, f", column {j}: {value!r} is not a finite number")
        kind = OfDouble if isinstance(value, float) else Fraction
        exact = kind(value.item() if isinstance(value, np.generic) else value)
        over, under = int(exact.numerator), int(exact.denominator)  # a Fraction of NumPy's integers holds these
        out[i, j] = over if under == 1 else kind(over, under)
    return out
