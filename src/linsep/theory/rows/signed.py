"""Rows as the search for separators sees them: signed by label, scaled by powers of two, floats or exact integers."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any

import numpy as np
import scipy.sparse

from linsep.theory.rows.powers_of_two import even_exponents, is_uneven, shifted, times_columns, times_rows
from linsep.types import Array, DataError


def _is_sparse(X: Any) -> bool:
    return bool(scipy.sparse.issparse(X))


def check_rows(X: Any, y: Any) -> Any:
    """Return X as a 2-D array or CSR matrix whose entries are all finite numbers; X itself is never changed.

    Raises
    ------
    DataError
        Not two-dimensional, empty, as many labels as rows, or an entry that is no finite number (row and column named).
    """
    if _is_sparse(X):
        X = X.tocsr()
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
    else:
        X = np.asarray(X)
    if X.ndim != 2 or 0 in X.shape:
        raise DataError(f"X must be a table of at least one row and one column, its shape is {X.shape}")
    if X.shape[0] != np.shape(y)[0]:
        raise DataError(f"X has {X.shape[0]} rows and y {np.shape(y)[0]} labels")
    if X.dtype == object and not _is_sparse(X):
        return _check_objects(X)
    if X.dtype.kind not in "biuf" or X.dtype.itemsize > 8:
        raise DataError(f"X must hold numbers of at most 64 bits or Python integers, not {X.dtype}")
    stored = X.data if _is_sparse(X) else X
    if stored.dtype.kind == "f" and not np.isfinite(stored).all():
        at = np.flatnonzero(~np.isfinite(stored.ravel()))[0]
        sparse = _is_sparse(X)
        row = np.searchsorted(X.indptr, at, side="right") - 1 if sparse else at // X.shape[1]
        raise DataError(f"row {row}, column {X.indices[at] if sparse else at % X.shape[1]}: not a finite number")
    if X.dtype.kind == "b":
        return X.astype(np.float64)
    return X


def _check_objects(X: Array) -> Array:
    out = np.empty(X.shape, dtype=object)
    for (i, j), value in np.ndenumerate(X):
        if not (isinstance(value, int | Fraction | np.integer) or (isinstance(value, float) and np.isfinite(value))):
            raise DataError(f"row {i}, column {j}: {value!r} is not a finite number")
        out[i, j] = value if isinstance(value, Fraction) else value.item() if isinstance(value, np.generic) else value
    return out


class SignedRows:
    """z_i = y_i (x_i, 1) with columns, and then rows, scaled by powers of two.

    A positive scale of a row or of a column changes neither the signs of margins (columns: after scaling the
    direction back) nor which combinations vanish, so verdicts carry over exactly. `basis`, orthonormal columns, makes
    `point` return rows projected on their complement.
    """

    def __init__(self, X: Any, s: Array, *, constant: bool, scaled: bool = True) -> None:
        self.X, self.s, self.constant, self.scaled = X, s, constant, scaled
        self.n, self.p = X.shape
        self.width = self.p + constant
        self.sparse = _is_sparse(X)
        self.whole = X.dtype == object or (X.dtype.kind in "iu" and X.dtype.itemsize == 8 and _beyond(X, 2**53))
        self.active = np.ones(self.n, dtype=bool)  # the rows that the search still asks about
        self.equal = np.zeros(self.n, dtype=bool)  # the rows on which a direction has to be 0
        self.basis: Array | None = None

    def _from_integers(self, exps: Array) -> tuple[Array, list[int]]:
        """X as doubles with scaled columns, and what Fractions in a column were multiplied by; sets `exps`."""
        if self.sparse:
            raise DataError("sparse integers beyond 2^53: give a dense array of Python integers")
        out, multiples = np.empty(self.X.shape), []
        for j in range(self.p):
            column = self.X[:, j].tolist()
            multiple = lcm(*(v.as_integer_ratio()[1] for v in column))
            whole = [int(v * multiple) if isinstance(v, int) else int(Fraction(v) * multiple) for v in column]
            exps[j] = max(abs(v) for v in whole).bit_length() if self.scaled else 0
            scaled = [v / 2 ** int(exps[j]) for v in whole]
            out[:, j] = scaled if self.scaled else [float(v) for v in column]
            multiples.append(multiple)
        return out, multiples

    @property
    def scaled_columns(self) -> Any:
        """X as doubles, each column divided by 2 to its exponent of `column_exps`."""
        return times_columns(self.X, self.column_exps[: self.p])

    @property
    def stored(self) -> int:
        """Entries that the table holds."""
        return int(self.X.nnz) if self.sparse else self.n * self.p

    @cached_property
    def _scaling(self) -> tuple[Any, Array, Array, list[int]]:
        """z_i without its constant as doubles, the exponents of columns and rows, and `multiples`."""
        columns, rows, multiples = np.zeros(self.width, dtype=np.int64), np.zeros(self.n, dtype=np.int64), [1] * self.p
        if self.whole:
            values, multiples = self._from_integers(columns)
        else:
            columns[: self.p] = _exponents(_column_max(self.X)) if self.scaled else 0
            values = times_columns(self.X, columns[: self.p])
        if self.scaled:
            rows = _exponents(np.maximum(_row_max(values), float(self.constant)))
        values = times_rows(values, rows, self.s)
        if self.scaled and not self.whole and is_uneven(self.X, values):
            columns, rows = even_exponents(self.X, constant=self.constant)
            values = shifted(self.X, columns[: self.p], rows, self.s)
        return values, columns, rows, multiples

    @property
    def column_exps(self) -> Array:
        """Columns, the constant's last, are divided by 2 to these."""
        return self._scaling[1]

    @property
    def row_exps(self) -> Array:
        """Rows are divided by 2 to these."""
        return self._scaling[2]

    @property
    def doubles(self) -> Any:
        """z_i without its constant: exact unless `whole`, or entries differ by hundreds of powers of two."""
        return self._scaling[0]

    @cached_property
    def k(self) -> Array:
        """The constants of z_i."""
        if not self.constant:
            return np.zeros(self.n)
        return np.asarray(np.ldexp(self.s, -(self.row_exps + self.column_exps[self.p])))

    @property
    def multiples(self) -> list[int]:
        """Columns of Fractions are multiplied by these."""
        return self._scaling[3]

    @cached_property
    def rank_bound(self) -> int:
        """Columns that are not all 0."""
        return int((_column_max(self.doubles) > 0).sum()) + self.constant

    @cached_property
    def zero(self) -> Array:
        """Which rows are all 0."""
        if self.constant:
            return np.zeros(self.n, dtype=bool)
        return np.asarray(np.asarray((self.X != 0).sum(axis=1)).reshape(-1) == 0)

    def dense(self, ids: Any) -> Array:
        """z_i of the rows `ids`, constant included, as doubles."""
        part = self.doubles[ids].toarray() if self.sparse else self.doubles[ids]
        return np.asarray(np.column_stack([part, self.k[ids]]) if self.constant else part)

    def scores(self, v: Array) -> Array:
        """z_i.v of every row."""
        z = self.doubles @ v[: self.p]
        return np.asarray(z + self.k * v[self.p] if self.constant else z)

    def lowest(self, v: Array) -> tuple[float, int]:
        z = np.where(self.active, self.scores(v), np.inf)
        i = int(z.argmin())
        return float(z[i]), i

    def point(self, key: int) -> Array:
        row = self.doubles[[key]].toarray()[0] if self.sparse else self.doubles[key]
        z = np.append(row, self.k[key]) if self.constant else np.array(row)
        if self.basis is not None:
            z -= self.basis @ (self.basis.T @ z)
            z -= self.basis @ (self.basis.T @ z)
        return z

    def norms2(self) -> Array:
        """||z_i||^2 of every row."""
        Z = self.doubles
        squares = Z.multiply(Z).sum(axis=1) if self.sparse else np.einsum("ij,ij->i", Z, Z)
        return np.asarray(np.asarray(squares).reshape(-1) + self.k**2)

    def exact(self, i: int) -> tuple[list[int], int]:
        """Integers m and an exponent q with z_i = m 2^-q exactly (columns of Fractions times their denominators)."""
        row = self.X[[i]].toarray()[0] if self.sparse else self.X[i]
        ratios = [(v * m).as_integer_ratio() for v, m in zip(row.tolist(), self.multiples, strict=True)]
        ratios += [(1, 1)] * self.constant
        shift = self.column_exps + self.row_exps[i]
        exps = [-(q.bit_length() - 1) - int(e) for (_, q), e in zip(ratios, shift, strict=True)]
        q = max([0, *(-e for (m, _), e in zip(ratios, exps, strict=True) if m)])
        sign = int(self.s[i])
        return [sign * m << (q + e) if m else 0 for (m, _), e in zip(ratios, exps, strict=True)], q

    @cached_property
    def units(self) -> list[int]:
        """What turns a direction of the scaled columns into one of the units of X, times one power of two."""
        top = int(self.column_exps.max())
        multiples = [*self.multiples, 1][: self.width]
        return [m << (top - int(e)) for m, e in zip(multiples, self.column_exps, strict=True)]

    def original(self, d: list[int]) -> list[int]:
        """A direction of the scaled columns in the units of X, times some power of two."""
        return [v * unit for v, unit in zip(d, self.units, strict=True)]


def _column_max(values: Any) -> Array:
    if not _is_sparse(values):
        return np.asarray(np.maximum(values.max(axis=0).astype(np.float64), -values.min(axis=0).astype(np.float64)))
    stored = abs(values.data if values.dtype.kind == "f" else values.data.astype(np.float64))
    out = np.zeros(values.shape[1], dtype=stored.dtype)
    np.maximum.at(out, values.indices, stored)
    return out.astype(np.float64)


def _row_max(values: Any) -> Array:
    if not _is_sparse(values):
        return np.asarray(np.maximum(values.max(axis=1), -values.min(axis=1)))
    out = np.zeros(values.shape[0])
    stored = np.flatnonzero(np.diff(values.indptr))
    if stored.size:
        out[stored] = np.maximum.reduceat(abs(values.data), values.indptr[stored])
    return out


def _beyond(X: Any, limit: int) -> bool:
    stored = X.data if _is_sparse(X) else X
    return bool(stored.size) and (int(stored.max()) > limit or int(stored.min()) < -limit)


def _exponents(largest: Array) -> Array:
    return np.where(largest > 0, np.frexp(largest)[1], 0).astype(np.int64)
