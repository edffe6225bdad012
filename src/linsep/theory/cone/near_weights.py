"""Positive weights that bring many dense rows nearly to 0, and the rows that show that exact ones are near.

From y = 1 the least change that makes Z'y = 0 mostly keeps y positive where rows are many and in no order; else the
change is measured anew from what is positive, relative to it, a few times. Rows chosen by LU with pivots, weighted, are
the basis. The theorem is in `linsep.theory.verify.cone`, which checks what is found; here nothing is certain.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import scipy as sp

from linsep.theory.cone.exact import CLEAR, triangle_of
from linsep.theory.rows.deadline import Deadline, Pace
from linsep.theory.rows.exact_signs import vanishing
from linsep.theory.rows.integers import whole_weights
from linsep.theory.rows.signed import SignedRows
from linsep.types import Array

_BLOCK = 2048  # rows at a time
_FLOOR = 0.02  # of the median weight: what is less is not called positive, and is so much before the next round
_BITS = 46  # of a weight of middle size
_SIMPLE = 4096  # the largest denominator of one


class Near(NamedTuple):
    """What was found.

    Attributes
    ----------
    weights : dict row -> int
        Positive weights near exact ones, in ascending order of rows.
    within : float
        Exact ones differ from them by at most this share.
    basis : list of int
        Some of these rows, as many as their rank: they are independent.
    null : list of mappings column -> integer
        Vectors orthogonal to the rows, each of which gives a column by others.
    """

    weights: dict[int, int]
    within: float
    basis: list[int]
    null: list[dict[int, int]]


@dataclass
class _Search:
    """Rows Z on independent columns; `pace` is that of the products with them.

    Rows that nearly lie in a plane are turned: Z = Q R, and Q stands for Z, until they are turned back.
    """

    Z: Array
    pace: Pace
    before: tuple[Array, Array] | None = None  # Z and R

    def turn(self) -> bool:
        """Take Q for Z; False if R is singular to rounding."""
        n, p = self.Z.shape
        self.pace.ask(3.0 * n * p * p)
        R = triangle_of(self.Z)
        if R is None:
            return False
        Q = sp.linalg.solve_triangular(R, self.Z.T, trans="T", check_finite=False).T
        self.before, self.Z = (self.Z, R), np.ascontiguousarray(Q)
        return True

    def turned_back(self, inverse: Array) -> Array:
        """The inverse that belongs to Z as it was, which is Z again."""
        if self.before is None:
            return inverse
        self.Z, R = self.before
        return np.ascontiguousarray(sp.linalg.solve_triangular(R, inverse.T, check_finite=False).T)

    def gram(self, w: Array | None) -> Array:
        """Upper half of Z'diag(w)^2 Z."""
        n, p = self.Z.shape
        out = np.zeros((p, p), order="F")
        for start in range(0, n, _BLOCK):
            at = slice(start, min(start + _BLOCK, n))
            block = self.Z[at] if w is None else self.Z[at] * w[at, None]
            self.pace.ask(block.shape[0] * p * p)
            out = sp.linalg.blas.dsyrk(1.0, block.T, beta=1.0, c=out, overwrite_c=1)
            self.pace.done += block.shape[0] * p * p
        return out

    def positive(self, gram: Array) -> Array | None:
        """Weights near 1 that bring the rows nearly to 0; None if some stay negative."""
        w, most = np.ones(self.Z.shape[0]), self.Z.shape[0]
        while True:  # each round halves the weights that are not positive, or is the last
            factor, info = sp.linalg.lapack.dpotrf(gram, lower=0, overwrite_a=1)
            if info:
                return None
            y = w - w * w * (self.Z @ sp.linalg.lapack.dpotrs(factor, self.Z.T @ w, lower=0)[0])
            middle = float(np.median(np.abs(y)))
            if y.min() > _FLOOR * middle:
                return np.asarray(y / middle)
            wrong = int((y <= _FLOOR * middle).sum())
            if wrong > most / 2:
                return None
            most, w = wrong, np.maximum(y, _FLOOR * middle)
            gram = self.gram(w)

    def basis(self, y: Array) -> tuple[Array, Array]:
        """Rows chosen by LU of the weighted rows, and the inverse R of the matrix of which they are the columns."""
        n, p = self.Z.shape
        self.pace.ask(n * p * p + 4.0 * p**3)  # as much again as follows, the check of the proof included
        A = np.empty((n, p), order="F")
        np.multiply(self.Z, y[:, None], out=A)
        lu, swaps, _ = sp.linalg.lapack.dgetrf(A, overwrite_a=1)
        order = np.arange(n)
        for k, other in enumerate(swaps.tolist()):
            order[[k, other]] = order[[other, k]]
        chosen = order[:p]
        inverse, _ = sp.linalg.lapack.dgetri(np.asfortranarray(lu[:p]), np.arange(p), overwrite_lu=1)
        return chosen, np.ascontiguousarray(inverse.T) * y[chosen, None]


def near_weights(rows: SignedRows, ids: Array, deadline: Deadline, y: Array | None = None) -> Near | None:
    """Find positive weights of the rows `ids`, near y if given, and rows that show that exact ones exist, or None.

    Raises
    ------
    OutOfTimeError

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> rows = SignedRows(rng.normal(size=(20, 2)), np.where(np.arange(20) % 2, 1.0, -1.0), constant=True)
    >>> found = near_weights(rows, np.arange(20), Deadline())
    >>> len(found.basis), len(found.weights), found.null
    (3, 20, [])
    """
    pace = Pace(deadline)
    search = _Search(rows.Z if ids.size == rows.n else rows.Z[ids], pace)
    gram = search.gram(None)
    pace.ask(rows.width**3)
    _, pivots, rank, _ = sp.linalg.lapack.dpstrf(gram, lower=0)
    columns, null = np.sort(pivots[:rank] - 1), []
    if rank < rows.width:
        found = _null_vectors(rows, columns, np.triu(gram) + np.triu(gram, 1).T)
        if found is None:  # they depend nearly, not exactly: in other coordinates they do not
            columns = np.arange(rows.width)
            if not search.turn():
                return None
            gram = search.gram(None)
        else:
            null, search.Z = found, np.ascontiguousarray(search.Z[:, columns])
            gram = np.asfortranarray(gram[np.ix_(columns, columns)])
    y = search.positive(gram) if y is None else y / np.median(y)
    if y is None:
        return None
    y = np.array(y)
    chosen, inverse = search.basis(y)
    inverse = search.turned_back(inverse)
    if not np.isfinite(inverse).all():
        return None
    for _ in range(2):
        y[chosen] -= inverse @ (y @ search.Z)
    if not y.min() > 0:
        return None
    proof = _whole(rows, ids, y, chosen, inverse, search.Z)
    return None if proof is None else Near(*proof, sorted(ids[chosen].tolist()), null)


def _whole(
    rows: SignedRows, ids: Array, y: Array, chosen: Array, inverse: Array, Z: Array
) -> tuple[dict[int, int], float] | None:
    """The weights as integers, and how near exact ones are; None if they may be far, or the rows are."""
    whole = np.rint(np.ldexp(y, _BITS))
    u = whole / 2.0**_BITS
    # The proof is about the exact sum: what rounding may hide of it is counted in, twice what the verifier counts. It
    # bounds a change by twice what it computes.
    rho = np.abs(u @ Z) + (u.size + 8) * 2.0**-51 * (u @ np.abs(Z))
    within = 10.0 ** np.ceil(np.log10(2.0 * ((np.abs(inverse) @ rho) / u[chosen]).max()))
    # Rows in the units of X.
    row_exps = rows.row_exps[ids]
    top = int(row_exps.max())
    if not (within < 1.0 and whole.min() > 0):
        return None
    parts = zip(ids.tolist(), whole.tolist(), row_exps.tolist(), strict=True)
    return dict(sorted((i, int(v) << (top - e)) for i, v, e in parts)), float(within)


def _null_vectors(rows: SignedRows, columns: Array, gram: Array) -> list[dict[int, int]] | None:
    """For each other column the vector that gives it by these, in the units of X, where its entries are simple."""
    others = np.setdiff1d(np.arange(rows.width), columns)
    _, given, info = sp.linalg.lapack.dposv(gram[np.ix_(columns, columns)], gram[np.ix_(columns, others)])
    if info:
        return None
    out = []
    for j, coefficients in zip(others.tolist(), given.T, strict=True):
        used = np.flatnonzero(np.abs(coefficients) > CLEAR)
        vector = _simple(rows, j, columns[used].tolist(), coefficients[used].tolist())
        if vector is None or not vanishing(rows.X, [vector.get(k, 0) for k in range(rows.width)]).all():
            return None
        if len(vector) > 1:  # the verifier does not count columns of zeros
            out.append(vector)
    return out


def _simple(rows: SignedRows, j: int, at: list[int], coefficients: list[float]) -> dict[int, int] | None:
    """Integers, column -> entry, of the column j less these multiples of the others; the multiple of one is exact."""
    scale = [int(e) for e in rows.column_exps]
    if len(at) == 1:
        row = next((i for i in range(rows.n) if _entry(rows, i, at[0])), 0)
        if not _entry(rows, row, at[0]):
            return None
        exact = {at[0]: -_entry(rows, row, j) / _entry(rows, row, at[0])}
    else:
        exact = {
            k: -Fraction(c).limit_denominator(_SIMPLE) * Fraction(2) ** (scale[j] - scale[k])
            for k, c in zip(at, coefficients, strict=True)
        }
    return whole_weights({j: Fraction(1), **exact})


def _entry(rows: SignedRows, i: int, j: int) -> Fraction:
    return Fraction(rows.X[i, j].item()) if j < rows.p else Fraction(1)
