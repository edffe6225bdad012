"""Rows as the search for separators sees them: signed by label, scaled by powers of two, floats or exact integers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cached_property, partial
from math import lcm
from typing import Any, NamedTuple

import numpy as np
import scipy as sp

from linsep.types import Array


class SignedRows:
    """z_i = y_i (x_i, 1) with columns, and then rows, scaled by powers of two.

    A positive scale of a row or of a column changes neither the signs of margins (columns: after scaling the
    direction back) nor which combinations vanish, so verdicts carry over exactly. All parts are made at once.

    Attributes
    ----------
    doubles, k
        z_i without its constant (an array, or CSR), and the constants: exact unless `whole`, or entries differ by
        hundreds of powers of two.
    Z
        `Z[ids]` are the rows `ids` with their constants, as an array.
    column_exps, row_exps
        Columns, the constant's last, and rows are divided by 2 to these.
    multiples
        Columns of Fractions are multiplied by these.
    units
        What turns a direction of the scaled columns into one of the units of X, times one power of two.
    rank_bound
        Columns that are not all 0.
    stored
        Entries that the table holds.
    """

    def __init__(self, X: Any, s: Array, *, constant: bool) -> None:
        self.X, self.s, self.constant = X, s, constant
        self.n, self.p = X.shape
        self.width = self.p + constant
        self.sparse = not isinstance(X, np.ndarray)
        self.stored = int(X.nnz) if self.sparse else self.n * self.p
        self.whole = X.dtype == object or (X.dtype.kind in "iu" and X.dtype.itemsize == 8 and _beyond(X, 2**53))
        found = scale_rows(X, s, constant=constant, whole=self.whole)
        self.column_exps, self.row_exps, self.multiples = found.columns, found.rows, found.multiples
        self.rank_bound = found.filled
        self.doubles, self.k, self.Z = found.table, np.zeros(self.n), found.table
        if self.sparse:
            if constant:
                self.k = np.ldexp(s, -(self.row_exps + self.column_exps[self.p]))
            self.Z = _DenseRows(self)
        elif constant:
            self.doubles, self.k = found.table[:, : self.p], found.table[:, self.p]
        top = int(self.column_exps.max())
        exps = self.column_exps.tolist()
        self.units = [m << (top - e) for m, e in zip([*self.multiples, 1][: self.width], exps, strict=True)]

    def scores(self, v: Array) -> Array:
        """z_i.v of every row."""
        z = self.doubles @ v[: self.p]
        return np.asarray(z + self.k * v[self.p] if self.constant else z)

    @cached_property
    def largest(self) -> Array:
        """The largest |entry| of every row."""
        return np.maximum(row_max(self.doubles), np.abs(self.k) if self.constant else 0.0)

    def compressed(self, ids: Array) -> Any:
        """The rows `ids` of a sparse table with their constants, as CSR."""
        part = self.doubles[ids]
        return (
            sp.sparse.csr_array(sp.sparse.hstack([part, sp.sparse.csr_array(self.k[ids, None])]))
            if self.constant
            else part
        )

    def original(self, d: list[int]) -> list[int]:
        """A direction of the scaled columns in the units of X, times some power of two."""
        return [v * unit for v, unit in zip(d, self.units, strict=True)]


class _DenseRows:
    """Rows of a sparse table, made dense when they are asked for."""

    def __init__(self, rows: SignedRows) -> None:
        self.rows = rows

    def __getitem__(self, ids: Any) -> Array:
        part = self.rows.doubles[ids].toarray()
        return np.asarray(np.column_stack([part, self.rows.k[ids]]) if self.rows.constant else part)


def _beyond(X: Any, limit: int) -> bool:
    values = X if isinstance(X, np.ndarray) else X.data
    return bool(values.size) and (int(values.max()) > limit or int(values.min()) < -limit)


_UNEVEN = 2.0**-80  # an entry this small, of columns and rows whose largest are 1, calls for a better scale
_SMALLEST = -900  # a row whose largest entry is below 2 to this may have lost bits when its columns were scaled
_ROUNDS = 30  # of scales by rows and by columns in turn, which end by themselves as a rule
_LARGEST = 400  # exponents of entries, at most: sums of their squares are doubles
TOGETHER = 2**18  # entries that are looked at together: what is written on the way stays in the cache
_FAR = 1000  # powers of two from here on are left to ldexp: a double might not hold them


class Scaled(NamedTuple):
    """Scaled rows and their scales.

    `table` holds s_i x_ij 2^-(columns_j + rows_i), its dense form the scaled constants s_i as a last column too; column
    j of X was multiplied by `multiples[j]` first, where it held Fractions. `filled` counts columns that are not all 0.
    """

    table: Any
    columns: Array
    rows: Array
    multiples: list[int]
    filled: int


def scale_rows(X: Any, s: Array, *, constant: bool, whole: bool) -> Scaled:
    """Sign the rows of X, and scale columns and then rows by their largest entries.

    `whole` says that X holds numbers that are no doubles.

    Examples
    --------
    >>> found = scale_rows(np.array([[8.0], [2.0]]), np.array([1.0, -1.0]), constant=True, whole=False)
    >>> found.table.tolist(), found.columns.tolist(), found.rows.tolist()
    ([[0.25, 0.5], [-0.0625, -0.5]], [4, 0], [1, 1])
    """
    n, p = X.shape
    sparse = not isinstance(X, np.ndarray)
    columns = np.zeros(p + constant, dtype=np.int64)
    multiples = [1] * p
    table = None if sparse else np.empty((n, p + constant))
    values = X if table is None else table[:, :p]
    if whole:
        values[...], multiples = _from_integers(X, columns)
        filled = int(values.any(axis=0).sum())
    else:
        largest = _column_max(X)
        columns[:p], filled = _exponents(largest), int(np.count_nonzero(largest))
        values = times_columns(X, columns[:p], None if sparse else values)
    rows = _exponents(np.maximum(row_max(values), float(constant)))
    values = times_rows(values, rows, s)
    if not whole and (rows.min(initial=0) < _SMALLEST or _is_uneven(X, values)):
        columns, rows = even_exponents(X, constant=constant)
        values = _shifted(X, columns[:p], rows, s)
    if table is None:
        return Scaled(values, columns, rows, multiples, filled + constant)
    if values.base is not table:
        table[:, :p] = values
    if constant:
        table[:, p] = np.ldexp(s, -(rows + columns[p]))
    return Scaled(table, columns, rows, multiples, filled + constant)


def _from_integers(X: Array, exps: Array) -> tuple[Array, list[int]]:
    """X as doubles with scaled columns, and what Fractions in a column were multiplied by; sets `exps`."""
    out, multiples = np.empty(X.shape), []
    for j in range(X.shape[1]):
        column = X[:, j].tolist()
        multiple = lcm(*(v.as_integer_ratio()[1] for v in column))
        whole = [int(v * multiple) if isinstance(v, int) else int(Fraction(v) * multiple) for v in column]
        exps[j] = max(abs(v) for v in whole).bit_length()
        out[:, j] = [v / 2 ** int(exps[j]) for v in whole]
        multiples.append(multiple)
    return out, multiples


def _column_max(X: Any) -> Array:
    if isinstance(X, np.ndarray):
        return np.asarray(np.maximum(X.max(axis=0).astype(np.float64), -X.min(axis=0).astype(np.float64)))
    out = np.zeros(X.shape[1])
    for start in range(0, X.data.size, TOGETHER):
        part = slice(start, start + TOGETHER)
        np.maximum.at(out, X.indices[part], abs(X.data[part].astype(np.float64)))
    return out


def row_max(values: Any) -> Array:
    """The largest |entry| of each row."""
    if isinstance(values, np.ndarray):
        return np.asarray(np.maximum(values.max(axis=1), -values.min(axis=1)))
    out = np.zeros(values.shape[0])
    filled = np.flatnonzero(np.diff(values.indptr))
    if filled.size:
        begins = values.indptr[filled]
        out[filled] = np.maximum(np.maximum.reduceat(values.data, begins), -np.minimum.reduceat(values.data, begins))
    return out


def _exponents(largest: Array) -> Array:
    return np.where(largest > 0, np.frexp(largest)[1], 0).astype(np.int64)


def _is_uneven(X: Any, Z: Any) -> bool:
    """Whether Z, which is X with columns and rows divided by their largest entries, has very small entries."""
    if X.dtype.kind in "iu" and X.dtype.itemsize <= 4:
        return False
    before, after = (table if isinstance(table, np.ndarray) else table.data for table in (X, Z))
    step = max(1, TOGETHER // max(1, after[:1].size))
    for start in range(0, after.shape[0], step):
        part = slice(start, start + step)
        if np.count_nonzero(np.abs(after[part]) >= _UNEVEN) < np.count_nonzero(before[part]):
            return True
    return False


def even_exponents(X: Any, *, constant: bool) -> tuple[Array, Array]:
    """Exponents c of columns (the constant's last) and r of rows that make log2 |x_ij| - c_j - r_i small in the mean.

    Means over the entries of each row and of each column in turn: the least squares of Curtis and Reid (1972) by
    alternating projections. Rows and columns that differ by powers of two alone come out alike to rounding.

    Examples
    --------
    >>> columns, rows = even_exponents(np.array([[1.0, 2.0**300], [2.0**-300, 1.0]]), constant=False)
    >>> (rows[0] - rows[1]).item(), (columns[0] - columns[1]).item()
    (300, -300)
    """
    i, j, e = _entries(X, constant)
    n, width = X.shape[0], X.shape[1] + constant
    r, c = np.zeros(n), np.zeros(width)
    per_row, per_column = (np.maximum(np.bincount(at, minlength=size), 1) for at, size in ((i, n), (j, width)))
    for _ in range(_ROUNDS):
        before = c
        r = np.bincount(i, e - c[j], n) / per_row
        c = np.bincount(j, e - r[i], width) / per_column
        if np.abs(c - before).max() < 0.25:
            break
    # Where a row cannot be balanced with its columns its largest entry comes down all the same: squares would overflow.
    np.maximum.at(r, i, e - c[j] - _LARGEST)
    return np.rint(c).astype(np.int64), np.rint(r).astype(np.int64)


def _entries(X: Any, constant: bool) -> tuple[Array, Array, Array]:
    """Row, column and exponent of each entry that is not 0."""
    if not isinstance(X, np.ndarray):
        table = X.tocoo()
        i, j, values = table.row, table.col, table.data
        i, j, values = i[values != 0], j[values != 0], values[values != 0]
    else:
        i, j = np.nonzero(X)
        values = X[i, j]
    e = np.frexp(values)[1].astype(np.float64)
    if constant:
        every = np.arange(X.shape[0])
        i, j = np.append(i, every), np.append(j, np.full(every.size, X.shape[1]))
        e = np.append(e, np.zeros(every.size))
    return i, j, e


def times_columns(X: Any, exps: Array, out: Array | None = None) -> Any:
    """x_ij 2^-exps_j as doubles: a new table, or `out` for a dense one."""
    if isinstance(X, np.ndarray):
        if abs(exps).max() < _FAR:
            return np.multiply(X, _powers(exps), out=out)
        return np.ldexp(X.astype(np.float64), -exps, out=out)
    data = X.data.astype(np.float64)
    if exps.any():
        near = abs(exps).max() < _FAR
        factors = _powers(exps) if near else -exps
        for start in range(0, data.size, TOGETHER):
            part = slice(start, start + TOGETHER)
            data[part] = (np.multiply if near else np.ldexp)(data[part], factors[X.indices[part]])
    return sp.sparse.csr_array((data, X.indices, X.indptr), shape=X.shape)


def times_rows(X: Any, exps: Array, signs: Array) -> Any:
    """signs_i x_ij 2^-exps_i in place, which is returned."""
    near = abs(exps).max(initial=0) < _FAR
    factors = signs * _powers(exps) if near else None
    for rows, values, per_row in _stripes(X):
        if factors is not None:
            values *= per_row(factors[rows])
        else:
            values[...] = np.ldexp(values * per_row(signs[rows]), -per_row(exps[rows]))
    return X


def _stripes(X: Any) -> Iterator[tuple[slice, Array, Callable[[Array], Array]]]:
    """Some rows after the other: which, their entries, and what gives each entry the value of its row."""
    if isinstance(X, np.ndarray):
        yield slice(None), X, lambda each: each[:, None]
        return
    step = max(1, TOGETHER * X.shape[0] // max(1, X.nnz))
    for start in range(0, X.shape[0], step):
        ends = X.indptr[start : start + step + 1]
        yield slice(start, start + step), X.data[ends[0] : ends[-1]], partial(np.repeat, repeats=np.diff(ends))


def _powers(exps: Array) -> Array:
    return np.asarray(np.ldexp(1.0, -exps))


def _each(per_row: Array, X: Any) -> Array:
    """One value a row, shaped to meet the entries of X."""
    return per_row[:, None] if isinstance(X, np.ndarray) else np.repeat(per_row, np.diff(X.indptr))


def _shifted(X: Any, columns: Array, rows: Array, signs: Array) -> Any:
    """signs_i x_ij 2^(-columns_j - rows_i) where either factor alone might overflow: a new table."""
    if isinstance(X, np.ndarray):
        return np.ldexp(X.astype(np.float64), -(columns[None, :] + rows[:, None])) * signs[:, None]
    data = np.ldexp(X.data.astype(np.float64), -(columns[X.indices] + _each(rows, X))) * _each(signs, X)
    return sp.sparse.csr_array((data, X.indices, X.indptr), shape=X.shape)
