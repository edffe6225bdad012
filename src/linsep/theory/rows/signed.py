"""Rows as the search for separators sees them: signed by label, scaled by powers of two, floats or exact integers."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from linsep.theory.rows.powers_of_two import row_max, scale_rows
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

    def __init__(self, X: Any, s: Array, *, constant: bool, scaled: bool = True) -> None:
        self.X, self.s, self.constant, self.scaled = X, s, constant, scaled
        self.n, self.p = X.shape
        self.width = self.p + constant
        self.sparse = not isinstance(X, np.ndarray)
        self.stored = int(X.nnz) if self.sparse else self.n * self.p
        self.whole = X.dtype == object or (X.dtype.kind in "iu" and X.dtype.itemsize == 8 and _beyond(X, 2**53))
        found = scale_rows(X, s, constant=constant, scaled=scaled, whole=self.whole)
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
        return sp.csr_array(sp.hstack([part, sp.csr_array(self.k[ids, None])])) if self.constant else part

    def norms2(self) -> Array:
        """||z_i||^2 of every row."""
        Z = self.doubles
        squares = Z.multiply(Z).sum(axis=1) if self.sparse else np.einsum("ij,ij->i", Z, Z)
        return np.asarray(np.asarray(squares).reshape(-1) + self.k**2)

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
