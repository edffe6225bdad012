"""Rows as points of the plane: their two features, or two directions with much variance."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linsep.plots.style import shorten, thinned
from linsep.plots.subject import Table
from linsep.tables import dense, is_sparse
from linsep.types import Array, Hyperplane

# Principal directions of wide tables come from at most so many rows.
_ROWS = 1000
_WIDE = 500


class View(NamedTuple):
    """Points are X @ basis; `labels` name the two axes. `exact`: the axes are the features themselves."""

    basis: Array
    labels: tuple[str, str]
    exact: bool

    def points(self, X: Any) -> Array:
        """Coordinates in the picture, shape (n, 2)."""
        return np.asarray(X @ self.basis, dtype=np.float64)


def view_of(table: Table, plane: Hyperplane | None = None) -> View:
    """One or two features as they are; of more, w and the first principal direction orthogonal to it.

    Without a plane the first two principal directions.
    """
    p = table.X.shape[1]
    if p <= 2:
        names = shorten(table.names)
        return View(np.eye(p, 2), (names[0], names[1] if p == 2 else ""), True)
    if plane is None or not plane.w.any():
        u, labels = principal_direction(table.X, None), ("first principal direction", "second principal direction")
    else:
        u = plane.w / np.linalg.norm(plane.w)
        labels = ("projection on w: w.x / ||w||", "first principal direction\northogonal to w")
    return View(np.column_stack([u, principal_direction(table.X, u)]), labels, False)


def principal_direction(X: Any, u: Array | None) -> Array:
    """The unit vector v orthogonal to the unit vector u with the largest variance of v.x_i.

    Tables of more than 500 columns are represented by 1,000 rows. Its largest entry is positive.

    Examples
    --------
    >>> principal_direction(np.array([[0.0, 9, 0], [0, -9, 3], [0, 0, 3.0]]), np.array([0, 1.0, 0])).tolist()
    [0.0, 0.0, 1.0]
    """
    p = X.shape[1]
    if p > _WIDE or is_sparse(X):
        X = X[thinned(X.shape[0], _ROWS)]
    mean = np.asarray(X.mean(axis=0), dtype=np.float64).ravel()
    drop = np.zeros((p, 0)) if u is None else u[:, None]
    v = _of_columns(X, mean, drop) if p <= _WIDE else _of_rows(X, mean, drop)
    v = v - drop @ (drop.T @ v)
    norm = float(np.linalg.norm(v))
    if norm < 1e-8:  # all rows are on one line along u: any direction beside it will do
        v = np.zeros(p)
        v[0 if u is None else int(np.abs(u).argmin())] = 1.0
        v = v - drop @ (drop.T @ v)
        norm = float(np.linalg.norm(v))
    v = v / norm
    return np.asarray(v * np.sign(v[np.abs(v).argmax()]))


def _of_columns(X: Any, mean: Array, drop: Array) -> Array:
    """From the p x p covariance, with u projected off."""
    gram = dense(X.T @ X) if is_sparse(X) else X.T.astype(np.float64) @ X
    covariance = gram / X.shape[0] - np.outer(mean, mean)
    off = np.eye(len(mean)) - drop @ drop.T
    values, vectors = np.linalg.eigh(off @ covariance @ off)
    return np.asarray(vectors[:, -1] if values[-1] > 0 else np.zeros(len(mean)))


def _of_rows(X: Any, mean: Array, drop: Array) -> Array:
    """From the n x n products of the centred rows, with u projected off: v = A^T e / ||A^T e||."""
    products = dense(X @ X.T) if is_sparse(X) else X.astype(np.float64) @ X.T
    onto = np.asarray(X @ drop) - mean @ drop
    centre = np.eye(len(products)) - 1.0 / len(products)
    values, vectors = np.linalg.eigh(centre @ products @ centre - onto @ onto.T)
    e = vectors[:, -1] if values[-1] > 0 else np.zeros(len(products))
    return np.asarray(X.T @ e - mean * e.sum(), dtype=np.float64).ravel()
