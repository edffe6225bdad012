"""Models of ordered classes as inequalities on thresholds and coefficients.

With thresholds t_1, ..., t_(K-1) between K classes, every inequality compares thresholds with x.b: for a row s of
whole numbers it is s.t - sum(s) x.b >= 0 on the direction (t, b).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from linsep.tables import is_sparse
from linsep.theory.separation.exact_rows import multiples
from linsep.theory.separation.families import Family
from linsep.types import Array


def ordered_rows(X: Any, codes: Array, n_classes: int, family: Family) -> tuple[Any, Array]:
    """The rows z and the row of the data that each comes from.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, p)
        The design without a constant.
    codes : ndarray of int, shape (n,)
        The class of each row, 0 for the lowest.
    n_classes : int
    family : "cumulative", "adjacent" or "continuation"

    Returns
    -------
    tuple of (array or CSR matrix of shape (m, n_classes - 1 + p), ndarray of int)

    Examples
    --------
    >>> Z, owner = ordered_rows(np.array([[2.0], [3.0]]), np.array([0, 1]), 3, "cumulative")
    >>> Z.tolist(), owner.tolist()
    ([[1.0, 0.0, -2.0], [0.0, 1.0, -3.0], [-1.0, 0.0, 3.0]], [0, 1, 1])
    """
    shares, owners = [], []
    for k in range(n_classes):
        of_class = np.array(_shares(k, n_classes, family))
        at = np.flatnonzero(codes == k)
        shares.append(np.tile(of_class, (at.size, 1)))
        owners.append(np.repeat(at, len(of_class)))
    owner = np.concatenate(owners)
    order = np.argsort(owner, kind="stable")
    owner, share = owner[order], np.vstack(shares)[order]
    X = multiples(X, owner, -share.sum(axis=1))
    if is_sparse(X):
        return sp.hstack([sp.csr_matrix(share.astype(np.float64)), X], format="csr"), owner
    return np.hstack([share.astype(X.dtype), X]), owner


def _shares(k: int, n_classes: int, family: Family) -> list[list[int]]:
    """The rows s of one observation of class k."""
    last = n_classes - 1
    unit = np.eye(last, dtype=int)
    if family == "cumulative":
        return [*([unit[k].tolist()] if k < last else []), *([(-unit[k - 1]).tolist()] if k else [])]
    if family == "continuation":
        return [*([unit[k].tolist()] if k < last else []), *((-unit[m]).tolist() for m in range(k))]
    above = [unit[k:other].sum(axis=0).tolist() for other in range(k + 1, n_classes)]
    return above + [(-unit[other:k].sum(axis=0)).tolist() for other in range(k)]
