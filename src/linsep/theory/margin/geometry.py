"""Margins of a separator and the geometry of its plane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linsep.as_given import labels_of
from linsep.tables import check_index, is_sparse
from linsep.theory.verify.cone import CertificateError
from linsep.types import Array, DataError


def signs(y: Any) -> Array:
    """Labels as y_i in {-1.0, +1.0}: of two labels the one that sorts first is negative.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Any two labels.

    Returns
    -------
    ndarray of float64, shape (n_samples,)

    Raises
    ------
    DataError
        There are not exactly two labels.

    Examples
    --------
    >>> signs(["ham", "spam", "ham"]).tolist()
    [-1.0, 1.0, -1.0]
    """
    y = labels_of(y)
    labels = np.unique(y)
    if labels.size != 2:
        shown = ", ".join(str(label) for label in labels[:5])
        many = (
            "more than two classes: compare one class against the rest, as separability_one_vs_rest does"
            if labels.size > 2
            else "two classes are needed"
        )
        raise DataError(f"{many}; the labels are {shown or 'missing'}{', ...' if labels.size > 5 else ''}")
    return np.asarray(2.0 * (y != labels[0]) - 1.0)


def row_norms2(X: Any) -> Array:
    """||x_i||^2 of each row, in float64."""
    if is_sparse(X):
        X = X.astype(np.float64)
        return np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).reshape(-1)
    X = np.asarray(X, dtype=np.float64)
    return np.asarray(np.einsum("ij,ij->i", X, X))


def radius(X: Any) -> float:
    """R = max_i ||x_i||, the distance of the farthest row from the origin.

    The radius of the rows (x, 1) is sqrt(R^2 + 1).

    Parameters
    ----------
    X : array or SciPy CSR matrix of shape (n_samples, n_features)
        The rows.

    Returns
    -------
    float
        In the units of X.

    Raises
    ------
    DataError
        X is not a table of at least one row.

    Examples
    --------
    >>> radius([[3.0, 4.0], [0.0, 1.0]])
    5.0
    """
    X = X if hasattr(X, "shape") else np.asarray(X)
    if len(X.shape) != 2 or X.shape[0] == 0:
        raise DataError(f"X must be a table of at least one row, its shape is {X.shape}")
    return float(np.sqrt(row_norms2(X).max()))


def functional_margins(X: Any, y: Any, w: Any, b: float = 0.0) -> Array:
    """y_i z_i = y_i (w.x_i + b) of each row; a row with a margin <= 0 is a mistake.

    Parameters
    ----------
    X : array or SciPy CSR matrix of shape (n_samples, n_features)
        The rows.
    y : array-like of shape (n_samples,)
        Two labels; the second in sorted order is the positive class, y_i = 1.
    w : array-like of shape (n_features,)
        The weights.
    b : float, default=0.0
        The intercept.

    Returns
    -------
    ndarray of float64, shape (n_samples,)
        The margin of each row.

    Raises
    ------
    DataError
        The shapes do not match, or there are not two labels.

    Examples
    --------
    >>> functional_margins([[2.0], [-1.0]], [1, 0], [3.0], 1.0).tolist()
    [7.0, 2.0]
    """
    check_index(X, y)
    X = X if is_sparse(X) else np.asarray(X)
    w = np.asarray(w, dtype=np.float64)
    s = signs(y)
    if X.ndim != 2 or X.shape != (s.size, w.size):
        raise DataError(f"X has shape {X.shape}, y {s.shape} and w {w.shape}: need (n, p), (n,) and (p,)")
    return np.asarray(s * (X.astype(np.float64) @ w + float(b)))


def geometric_margin(X: Any, y: Any, w: Any, b: float = 0.0) -> float:
    """gamma(w, b) = min_i y_i (w.x_i + b) / ||w||, the geometric margin of a plane.

    It is the distance between the plane and the nearest row if the plane separates the classes. It is negative or 0 if
    some row is a mistake.

    Parameters
    ----------
    X : array or SciPy CSR matrix of shape (n_samples, n_features)
        The rows.
    y : array-like of shape (n_samples,)
        Two labels; the second in sorted order is the positive class, y_i = 1.
    w : array-like of shape (n_features,)
        The weights.
    b : float, default=0.0
        The intercept.

    Returns
    -------
    float
        gamma(w, b), in the units of X.

    Raises
    ------
    DataError
        The shapes do not match, there are not two labels, or w is zero.

    Examples
    --------
    >>> geometric_margin([[2.0], [-1.0]], [1, 0], [3.0], 1.0)
    0.6666666666666666
    """
    return _scaled(functional_margins(X, y, w, b), float(np.linalg.norm(np.asarray(w, dtype=np.float64))))


def constant_of(intercept_scaling: Any) -> float:
    """c, the constant feature of a run, as a float; DataError unless it is above 0 and finite."""
    c = float(intercept_scaling)
    if not 0 < c < np.inf:
        raise DataError(f"intercept_scaling must be a finite number above 0, not {intercept_scaling!r}")
    return c


def homogeneous_margin(X: Any, y: Any, w: Any, b: float = 0.0, *, intercept_scaling: float = 1.0) -> float:
    """gamma~(w, b) = min_i y_i (w.x_i + b) / ||(w, b/c)||, the margin of the rows (x, c) at the vector (w, b/c).

    c is 1 unless it is given. The absolute value is at most that of the geometric margin.

    Parameters
    ----------
    X : array or SciPy CSR matrix of shape (n_samples, n_features)
        The rows.
    y : array-like of shape (n_samples,)
        Two labels; the second in sorted order is the positive class, y_i = 1.
    w : array-like of shape (n_features,)
        The weights.
    b : float, default=0.0
        The intercept.
    intercept_scaling : float, default=1.0
        c, the constant feature.

    Returns
    -------
    float
        gamma~(w, b).

    Raises
    ------
    DataError
        The shapes do not match, there are not two labels, (w, b) is zero, or c is not above 0 and finite.

    Examples
    --------
    >>> round(homogeneous_margin([[2.0], [-1.0]], [1, 0], [3.0], 1.0), 6)
    0.632456
    """
    whole = np.append(np.asarray(w, dtype=np.float64), float(b) / constant_of(intercept_scaling))
    return _scaled(functional_margins(X, y, w, b), float(np.linalg.norm(whole)))


def _scaled(margins: Array, norm: float) -> float:
    if norm == 0.0:
        raise DataError("the zero vector is no separator and has no margin")
    return float(margins.min() / norm)


def unit_form(w: Any, b: float = 0.0) -> tuple[Array, float, Array]:
    """w/||w||, -b/||w|| and -(b/||w||^2) w: the unit form of the plane {x : w.x + b = 0}.

    Sources that write the plane as w.x = b have the opposite sign in the last two.

    Parameters
    ----------
    w : array-like of shape (n_features,)
        The weights; of any length above 0.
    b : float, default=0.0
        The intercept.

    Returns
    -------
    orientation : ndarray of shape (n_features,)
        w / ||w||, the unit vector orthogonal to the plane.
    offset : float
        -b / ||w||. Every point of the plane has this projection on the orientation.
    nearest : ndarray of shape (n_features,)
        -(b / ||w||^2) w, the point of the plane that is nearest to the origin.

    Raises
    ------
    DataError
        w is zero.

    Examples
    --------
    >>> orientation, offset, nearest = unit_form([3.0, 4.0], -10.0)
    >>> offset, nearest.tolist()
    (2.0, [1.2, 1.6])
    """
    w = np.asarray(w, dtype=np.float64)
    norm = float(np.linalg.norm(w))
    if norm == 0.0:
        raise DataError("w is zero: there is no plane")
    orientation = w / norm
    offset = -float(b) / norm
    return orientation, offset, offset * orientation


def projection(u: Any, v: Any) -> Any:
    """u.v / ||v||, the projection of a point u on the direction of v; of each row if u is a table.

    Parameters
    ----------
    u : array-like of shape (n_features,), or array or SciPy sparse matrix of shape (n_samples, n_features)
        A point, or one point in each row.
    v : array-like of shape (n_features,)
        A direction of any length.

    Returns
    -------
    float or ndarray of float64, shape (n_samples,)
        A number for a point, an array for rows.

    Raises
    ------
    DataError
        The shapes do not match, or v is zero.

    Examples
    --------
    >>> projection([3.0, 4.0], [0.0, 2.0])
    4.0
    >>> projection([[3.0, 4.0], [1.0, -1.0]], [0.0, 2.0]).tolist()
    [4.0, -1.0]
    """
    u = u.astype(np.float64) if is_sparse(u) else np.asarray(u, dtype=np.float64)
    v = np.asarray(v, dtype=np.float64)
    if v.ndim != 1 or len(u.shape) not in (1, 2) or u.shape[-1] != v.size:
        raise DataError(f"u has shape {u.shape} and v {v.shape}: need (p,) or (n, p), and (p,)")
    norm = float(np.linalg.norm(v))
    if norm == 0.0:
        raise DataError("cannot project on the zero vector")
    z = u @ v / norm
    return float(z) if len(u.shape) == 1 else np.asarray(z)


def names_of(y: Any) -> tuple[str, ...]:
    """Return the labels as text, in sorted order.

    Examples
    --------
    >>> names_of([1, 0, 1])
    ('0', '1')
    """
    return tuple(str(label) for label in np.unique(labels_of(y)))


def class_signs(y: Any, classes: Sequence[str]) -> Array:
    """Return 1.0 for rows of the second class and -1.0 for those of the first.

    "not a" and "a" are one class against all others. Without names the label that sorts first is negative.

    Raises
    ------
    CertificateError
        The labels are not those of the classes.

    Examples
    --------
    >>> class_signs(["b", "a"], ["b", "a"]).tolist(), class_signs([3, 1, 2], ["not 1", "1"]).tolist()
    ([-1.0, 1.0], [-1.0, 1.0, -1.0])
    """
    if not classes:
        return signs(y)
    y = labels_of(y)
    labels, codes = np.unique(y, return_inverse=True)
    names = [str(label) for label in labels]
    negative, positive = classes
    rest = len(names) > 1 and negative == f"not {positive}" and positive in names
    if not (rest or sorted(names) == sorted(classes)):
        raise CertificateError(f"the labels are not those of the classes {negative!r} and {positive!r}")
    side = np.array([1.0 if name == positive else -1.0 for name in names])
    return np.asarray(side[codes.reshape(-1)])
