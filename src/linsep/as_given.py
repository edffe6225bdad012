"""What an array would change is refused: masked entries, and labels that would become others."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from linsep.types import Array, DataError, row_from_0

_AT_MOST = 8  # bytes of a number
_BARE = ("text", "number", "true or false")


def labels_of(y: Any, place: Callable[[int], str] = row_from_0) -> Array:
    """Return labels as an array of truth values, numbers or text in which no two become one.

    Dates, decimals, bytes and other objects of one type are called what `str` calls them. `place` says where a row is.

    Raises
    ------
    DataError
        There is not one label a row, one is missing, they are of several types, or two would become one.

    Examples
    --------
    >>> labels_of(["a", "b"]).tolist(), labels_of([1, 2.5]).tolist()
    (['a', 'b'], [1.0, 2.5])
    >>> labels_of(["a", "a\\0"])
    Traceback (most recent call last):
    linsep.types.DataError: row 1 (counted from 0): the label 'a\\x00' holds a NUL, which an array loses: take it out
    """
    if isinstance(y, str | dict | set | frozenset) or len(getattr(y, "columns", ())):
        raise DataError(f"one label a row is needed: y must be one-dimensional, not {type(y).__name__}")
    array = as_array(y)
    kind = array.dtype.kind
    if array.ndim == 1 and not (kind in "bU" or (kind in "iuf" and array.dtype.itemsize <= _AT_MOST)):
        array = _of_objects(_listed(array), place)
    if array.ndim != 1:
        raise DataError(f"one label a row is needed: y must be one-dimensional, its shape is {array.shape}")
    if array.dtype.kind == "f":
        refuse_missing(~np.isfinite(array), place)
        array = array.astype(np.float64) + 0.0  # a label has one name, whatever holds it; -0.0 and 0.0 are one
    return array


def as_array(y: Any, name: str = "y") -> Array:
    """Return an array, or a column of pandas, as an array of its type, and anything else as one of Python objects."""
    refuse_masked(y, name)
    if isinstance(getattr(getattr(y, "dtype", None), "kind", None), str):
        if "pyarrow" in str(y.dtype):  # a column of pandas that Arrow holds
            refuse_finer(str(y.dtype))
        return np.asarray(y)
    if not hasattr(y, "__iter__") or isinstance(y, str | bytes):
        raise DataError(f"{name} holds one value for each row, it is not {y!r:.40}")
    values = _listed(y)
    if any(isinstance(v, list | tuple) or (isinstance(v, np.ndarray) and v.ndim) for v in values):
        raise DataError(f"one value a row is needed: {name} must be one-dimensional")
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _listed(y: Any) -> list[Any]:
    """Labels as Python objects; times that these cannot hold are refused."""
    kind = str(getattr(y, "dtype", getattr(y, "type", "")))
    if getattr(getattr(y, "dtype", None), "kind", "") in ("M", "m"):
        coarse = y.astype(f"{y.dtype.kind}8[us]")
        kind, y = "ns" if ((coarse != y) & ~np.isnat(y)).any() else "", coarse.astype(object)
    refuse_finer(kind)
    for name in ("to_list", "to_pylist", "tolist"):  # of Polars, Arrow and NumPy
        if hasattr(y, name):
            try:
                return list(getattr(y, name)())
            except (OverflowError, ValueError) as error:  # a date after the year 9999
                raise DataError(f"labels that Python has no objects for: {error}") from None
    return list(y)


def refuse_finer(kind: str) -> None:
    """Raise DataError for the name of a type of times that Python's own objects cannot hold."""
    if kind in ("Time", "ns") or re.search(r"(Datetime|Duration|timestamp|time64|duration).*\bns\b", kind):
        raise DataError("labels that are times finer than a microsecond are not handled: make them text")


def _of_objects(values: list[Any], place: Callable[[int], str]) -> Array:
    """Python objects of one type as an array."""
    units = [isinstance(v, np.timedelta64) for v in values]  # a number, and `item` loses its unit
    typed = [isinstance(v, np.ndarray | np.number | np.bool_ | np.str_) for v in values]
    bare = [v.item() if is_typed and not unit else v for v, is_typed, unit in zip(values, typed, units, strict=True)]
    refuse_missing(np.array([is_missing(v) for v in bare], dtype=bool), place)
    kinds = list(map(_kind, bare))
    for row, (value, kind) in enumerate(zip(bare, kinds, strict=True)):
        if kind != kinds[0]:
            before = f"those before are of the type {kinds[0]}"
            raise DataError(
                f"{place(row)}: the label {value!r:.80} is of the type {kind}, and {before}: make all labels text, or "
                "all of them numbers"
            )
    return _named(bare, kinds[0], place) if kinds and kinds[0] not in _BARE else _kept(bare, bare, place)


def _kept(labels: list[Any], names: list[Any], place: Callable[[int], str]) -> Array:
    """The names of labels as an array, which holds each of them as it is."""
    array = np.array(names)
    for row, (name, kept) in enumerate(zip(names, array.tolist(), strict=True)):
        surrogate = isinstance(name, str) and not name.isascii() and any("\ud800" <= c <= "\udfff" for c in name)
        if name != kept or array.dtype == object or surrogate:
            text = "is no Unicode text" if surrogate else "holds a NUL, which an array loses: take it out"
            number = "would be rounded beside numbers with a point, or has more than 64 bits: give text"
            raise DataError(f"{place(row)}: the label {labels[row]!r:.80} {text if isinstance(name, str) else number}")
    return array


def _named(labels: list[Any], kind: str, place: Callable[[int], str]) -> Array:
    """What `str` calls objects, if equal ones have one name, and others have others."""
    if kind == "complex":
        raise DataError("labels are text or numbers, and these are complex numbers")
    try:
        names = [label.decode() if isinstance(label, bytes) else str(label) for label in labels]
    except UnicodeDecodeError as error:
        raise DataError(f"the label {error.object!r} is not UTF-8 text") from None
    first = dict(zip(names, labels, strict=True))
    if type(labels[0]).__hash__ is None:
        raise DataError(f"labels are text or numbers, and these are of the type {kind}")
    if len(first) != len(set(labels)) or any(first[name] != label for name, label in zip(names, labels, strict=True)):
        raise DataError(f"labels of the type {kind}: equal ones have several names, or others have one; make them text")
    return _kept(labels, names, place)


def is_missing(value: Any) -> bool:
    """Whether a Python object stands for no value: None, NaN, NaT or pandas.NA."""
    try:
        return value is None or bool(value != value)
    except (TypeError, ArithmeticError):  # pandas.NA is neither the same nor another; a signalling NaN raises
        return True


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "true or false"
    names = {str: "text", int: "number", float: "number"}
    return next((name for kind, name in names.items() if isinstance(value, kind)), type(value).__name__)


def refuse_missing(missing: Array, place: Callable[[int], str]) -> None:
    """Raise DataError for the first row without a label."""
    rows = np.flatnonzero(missing)
    if rows.size:
        more = f" (and in {rows.size - 1:,} more rows)" if rows.size > 1 else ""
        raise DataError(f"{place(int(rows[0]))}: the label is missing{more}; leave such rows out")


def refuse_masked(values: Any, name: str) -> None:
    """Raise DataError for a masked entry of a masked array: it would count as the number behind the mask.

    Examples
    --------
    >>> refuse_masked(np.ma.array([1, 2], mask=[False, True]), "y")
    Traceback (most recent call last):
    linsep.types.DataError: y is a masked array, and its entry [1] is masked: leave such rows out, or fill them
    """
    if "numpy.ma" not in sys.modules:  # then there is none
        return
    for row in values if isinstance(values, list | tuple) else ():
        if isinstance(row, np.ma.MaskedArray):
            refuse_masked(row, name)
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        place = np.argwhere(np.ma.getmaskarray(values))[0].tolist()
        raise DataError(f"{name} is a masked array, and its entry {place} is masked: leave such rows out, or fill them")


def refuse_unlike_doubles(X: Any) -> None:
    """Raise DataError for a dataframe without rows yet or with a column that is rounded unseen: float16, sparse uint64.

    Examples
    --------
    >>> import pandas as pd
    >>> refuse_unlike_doubles(pd.DataFrame({"a": np.array([0.1], dtype=np.float16)}))
    Traceback (most recent call last):
    linsep.types.DataError: column 'a' holds float16: make it float32 or float64
    """
    if type(X).__name__ == "LazyFrame":
        raise DataError("this is a LazyFrame, whose rows are not there yet: give what its collect() returns")
    kinds = X.schema.types if hasattr(X, "column_names") and hasattr(X, "schema") else getattr(X, "dtypes", ())
    names = getattr(X, "columns", ()) if not hasattr(X, "column_names") else X.column_names
    for name, kind in zip(names, kinds if hasattr(kinds, "__iter__") else (), strict=False):
        if str(kind).lower().startswith(("float16", "halffloat")):
            raise DataError(f"column {name!r} holds float16: make it float32 or float64")
        if str(kind).startswith("Sparse[uint64"):  # its array is one of doubles
            raise DataError(f"column {name!r} holds {kind}: make it dense, or int64")


def array_of(X: Any, names: list[str] | None) -> Array:
    """The array of X; Polars makes doubles of its decimals, dates and durations, which are refused."""
    kinds = map(str, X.dtypes) if names is not None and isinstance(getattr(X, "dtypes", None), list) else ()
    for name, kind in zip(names or (), kinds, strict=False):
        if kind.partition("(")[0] in ("Decimal", "Date", "Datetime", "Duration", "Time", "Int128", "UInt128"):
            raise DataError(f"column {name!r} holds {kind}, not numbers of 64 bits: make floats or integers of it")
    of_arrow = X.columns if hasattr(X, "column_names") and not hasattr(X, "iloc") else ()
    for name, column in zip(names or (), of_arrow, strict=False):
        if column.null_count:  # an array of Arrow may have another value in its place
            raise DataError(f"column {name!r} lacks {column.null_count:,} values: leave such rows out")
    try:
        return np.asarray(X)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"X does not become an array of numbers: {error}") from None


def kept_exactly(X: Any, A: Array, names: list[str] | None) -> Array:
    """The array of X, of Python numbers where integers beyond 2^53 stand beside floats, which would round them."""
    if A.dtype.kind != "f" or A.ndim != 2 or isinstance(X, np.ndarray | memoryview):
        return A
    if names is None:
        rows: list[list[Any]] = [list(map(_bare, row)) for row in X]
        large = any(isinstance(v, int | np.integer) and abs(int(v)) > 2**53 for row in rows for v in row)
        return np.array(rows, dtype=object) if large else A
    places = range(A.shape[1])  # two columns may have one name
    if hasattr(X, "iloc"):
        columns = [np.asarray(X.iloc[:, j]) for j in places]
    else:
        columns = [np.asarray(X.column(j) if hasattr(X, "column_names") else X[:, j]) for j in places]
    large = any(c.dtype.kind in "iu" and c.size and max(int(c.max()), -int(c.min())) > 2**53 for c in columns)
    return np.array([c.tolist() for c in columns], dtype=object).T if large else A


def _bare(value: Any) -> Any:
    """A number of Arrow, or an array without axes, as the number of Python that it is."""
    value = value.as_py() if hasattr(value, "as_py") else value
    return value.item() if isinstance(value, np.ndarray) else value


def with_room(X: Any) -> Any:
    """A sparse matrix of integers in a type that holds the sums of entries that stand in one place; else X itself.

    Raises
    ------
    DataError
        64 bits may not hold such a sum.
    """
    if X.dtype.kind not in "iu":
        return X
    sizes = np.abs(X.data.astype(np.float64))
    at = ((X.row, X.col),) if X.format == "coo" else (X.indices, X.indptr)
    total = type(X)((sizes, *at), shape=X.shape, copy=True).tocsr()  # places are moved as they are added up
    total.sum_duplicates()
    if total.nnz == X.data.size:  # none stands there twice
        return X
    if total.max() >= 2.0**62:
        raise DataError("entries of a sparse matrix that stand there several times may add up beyond 64 bits")
    return type(X)((X.data.astype(np.int64), *at), shape=X.shape)


def not_rounded(merged: Any, X: Any) -> Any:
    """CSR rows of X with one entry a place, if adding up those that stand in one place did not round.

    Raises
    ------
    DataError
        It may have: floats stand there several times that are not all small whole numbers.
    """
    added = X.format in ("coo", "csr", "csc", "bsr") and X.dtype.kind == "f" and merged.nnz < X.nnz
    if added and not (np.array_equal(X.data, np.rint(X.data)) and abs(X.data).sum() < 2.0**53):
        raise DataError(
            "floats that stand several times in one place of a sparse matrix would be added up with rounding, so "
            "nothing could be proved of them: add them up before, X.sum_duplicates()"
        )
    return merged


def refuse_unsound(X: Any) -> None:
    """Raise DataError where a CSR or CSC matrix points outside of itself, which compiled code would follow.

    Examples
    --------
    >>> import scipy.sparse
    >>> X = scipy.sparse.csr_matrix([[0.0, 2.0]])
    >>> X.indices[0] = 3
    >>> try:
    ...     refuse_unsound(X)
    ... except DataError as error:
    ...     print(error)
    a sparse matrix of 2 columns has an entry in a column that is not there
    """
    if X.format not in ("csr", "csc"):
        return
    (lines, places), names = (X.shape, ("row", "column")) if X.format == "csr" else (X.shape[::-1], ("column", "row"))
    ends = X.indptr
    stored = min(X.indices.size, X.data.size)
    if ends.shape != (lines + 1,) or ends[0] != 0 or ends[-1] > stored or (ends[1:] < ends[:-1]).any():
        raise DataError(f"the sparse matrix is damaged: its indptr does not cut {stored} entries into {names[0]}s")
    used = X.indices[: ends[-1]]
    if used.size and used.view(f"u{used.itemsize}").max() >= places:  # a negative one is very large
        raise DataError(f"a sparse matrix of {places} {names[1]}s has an entry in a {names[1]} that is not there")


def csr_of(X: Any) -> Any:
    """CSR rows; COO adds entries up that stand there several times."""
    refuse_unsound(X)
    out = (with_room(X) if X.format == "coo" else X).tocsr()
    if out is not X:
        refuse_unsound(out)
    plain: Any = next(kind for kind in type(out).__mro__ if kind.__module__.startswith("scipy."))
    return out if type(out) is plain else plain((out.data, out.indices, out.indptr), out.shape)  # a subclass may lie
