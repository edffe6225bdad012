"""How many mistakes a learner of several classes, or of chains, can make; and what a length says of the margin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from linsep.passes import Sentences
from linsep.tables import check_index, is_sparse
from linsep.theory.bounds.mistakes import check_run, constant_in, of_run
from linsep.theory.bounds.rounding import error_of_products, largest_square, length2, length_above, safely
from linsep.theory.bounds.table import (
    Bound,
    Evaluated,
    MistakeBounds,
    mistakes_of,
    numbers,
    of_aggressive_steps,
    of_margin,
    of_unit_steps,
)
from linsep.theory.margin.geometry import constant_of
from linsep.types import Array, DataError


def class_bounds(
    X: Any,
    y: Any,
    W: Any,
    b: Any = None,
    *,
    variant: str | None = None,
    C: float = 1.0,
    margin: float = 0.0,
    fit_intercept: bool = True,
    intercept_scaling: float = 1.0,
    mistakes: int | None = None,
    epochs: int = 1,
    from_zero: bool = True,
    weighted: bool = False,
) -> MistakeBounds:
    """2 (R/gamma)^2 and other bounds on the mistakes of a learner of several classes, evaluated at one matrix W.

    A mistake is z_y <= max z_s over the other classes s, and an update adds tau x to the plane of the right class and
    takes it from the best other one (`multi_class="multiclass"`). With ||W|| the Frobenius norm and gamma the least
    (z_y - max z_s) / ||W|| of a row:

    - novikoff: 2 (R / gamma)^2;
    - freund-schapire and hinge loss: as in `mistake_bounds`, with 2 R^2 for R^2 and the margins z_y - max z_s;
    - with a `variant`, that of `aggressive_bounds` alone, with 2 R^2 for R^2.

    For an update is one along a vector that holds x for one class and -x for another, of squared length 2 ||x||^2; its
    product with W is at least the margin of the row (theory/mistakes). With an intercept read (x, c), (w, b/c) and
    R^2 + c^2. A `margin` m stands for 2m more, as in `mistake_bounds`. Values are rounded up.

    Parameters
    ----------
    X : array or SciPy CSR matrix of shape (n_samples, n_features)
        The rows of the run.
    y : array-like of shape (n_samples,)
        Their labels, all classes among them.
    W : array-like of shape (n_classes, n_features)
        The planes at which the bounds are evaluated, in the sorted order of the labels.
    b : array-like of shape (n_classes,), optional
        Their intercepts; 0 if not given.
    variant : {"pa", "pa1", "pa2"}, optional
        The rule of a passive-aggressive learner; without it steps have length 1.
    C : float, default=1.0
        Aggressiveness of "pa1" and "pa2".
    margin : float, default=0.0
        m of a run that updates where z_y - max z_s <= m.
    fit_intercept : bool, default=True
        Whether the run learns intercepts.
    intercept_scaling : float, default=1.0
        c, the constant feature of the run.
    mistakes : int, optional
        How many mistakes the run made; shown in the table.
    epochs : int, default=1
        T, the number of passes.
    from_zero : bool, default=True
        Whether the run started from W = 0; if not, no bound applies.
    weighted : bool, default=False
        Whether the run used weights, decay or projections; if so, no bound applies.

    Returns
    -------
    MistakeBounds
        The table of bounds.

    Raises
    ------
    DataError
        The shapes do not match, b is not 0 although the run has no intercept, or an option is out of its range.

    References
    ----------
    Collins 2002, EMNLP, theorems 1 and 2, for a single label. Crammer and Singer 2003, JMLR 3. Crammer, Dekel, Keshet,
    Shalev-Shwartz and Singer 2006, JMLR 7.

    Examples
    --------
    >>> X, y, W = np.eye(3), [0, 1, 2], np.eye(3)
    >>> round(class_bounds(X, y, W, fit_intercept=False).get("novikoff").value, 6)
    6.0
    """
    check_run(variant, C, margin)
    c = constant_of(intercept_scaling) if fit_intercept else 0.0
    u = _matrix_on_rows(X, y, np.asarray(W, dtype=np.float64), b, c, Fraction(float(margin)))
    S = f"2 (R^2{constant_in(c)})" if c else "2 R^2"
    if variant is not None:
        rows = [of_aggressive_steps(u, variant, float(C), epochs, S)]
    else:
        S += " + 2m" if margin else ""
        u = replace(u, also=f", {S} for R^2")
        novikoff = of_margin("novikoff", f"({S}) / gamma^2" if margin else f"{S} / gamma^2", u)
        rows = [novikoff, *of_unit_steps(u, epochs)]
    return of_run(u, rows, from_zero, weighted, mistakes, epochs)


def _matrix_on_rows(X: Any, y: Any, W: Array, b: Any, c: float, margin: Fraction) -> Evaluated:
    """Planes of several classes on the rows of a run: the margins z_y - max z_s, with what rounding may add."""
    check_index(X, y)
    X, codes = X if is_sparse(X) else np.asarray(X), np.unique(np.asarray(y), return_inverse=True)[1]
    k = int(codes.max()) + 1
    b = np.zeros(k) if b is None else np.asarray(b, dtype=np.float64)
    if k < 2 or X.shape[0] != codes.size or W.shape != (k, X.shape[1]) or b.shape != (k,):
        shapes = f"X has shape {X.shape}, y {codes.shape} with {k} classes, W {W.shape} and b {b.shape}"
        raise DataError(f"{shapes}: need (n, p), (n,), (n_classes, p) and (n_classes,), and two classes or more")
    if not c and b.any():
        raise DataError("b is not 0, but the run has no intercept: give planes with b = 0")
    Z = np.asarray(X.astype(np.float64) @ W.T) + b
    error = np.max([error_of_products(X, w, v) for w, v in zip(W, b.tolist(), strict=True)], axis=0)
    own = Z[np.arange(codes.size), codes]
    Z[np.arange(codes.size), codes] = -np.inf
    margins = numbers(own - Z.max(axis=1))
    # Both values may be off by `error`; their difference is rounded once, and so are the two steps here.
    low = np.nextafter(np.nextafter(margins, -np.inf) - 2 * error, -np.inf)
    offsets = [Fraction(v) / Fraction(c) for v in b.tolist() if v]
    whole2 = sum(map(length2, W)) + sum(v**2 for v in offsets)
    return Evaluated(low, whole2, 2 * (largest_square(X) + Fraction(c) ** 2 + margin), mistakes_of(low))


def added_up(tables: Sequence[MistakeBounds], names: Sequence[str]) -> MistakeBounds:
    """The bounds on the mistakes of all classes together, each against the rest: the sums of those of the classes."""
    rows = [_added(parts, names) for parts in zip(*(table.rows for table in tables), strict=True)]
    return MistakeBounds(tuple(rows), None, tables[0].epochs)


def _added(parts: Sequence[Bound], names: Sequence[str]) -> Bound:
    whole = replace(parts[0], formula=f"{parts[0].formula}, added up over the classes")
    for part, name in zip(parts, names, strict=True):
        if not part.applies or part.value is None:
            return replace(whole, value=None, applies=False, why=f"class {name}: {part.why}")
    values = [part.value for part in parts if part.value is not None]
    return replace(whole, value=safely(lambda: sum(map(Fraction, values), Fraction(0))))


# Sentences whose features are counted at once: bounds the memory for the counts.
_BLOCK = 4096


def chain_radius(sentences: Sentences, tags: Array, n_features: int, n_tags: int) -> float:
    """R = max over i and z of ||Phi(x_i, y_i) - Phi(x_i, z)||, or an upper bound on it.

    Let a and b count how often one feature occurs with each tag under y and under z. Then
    ||a - b||^2 <= ||a||^2 + ||b||^2, because counts are not negative, and ||b|| is at most the number of times that the
    feature occurs. The same holds for pairs of tags. A sequence z of one tag that does not occur in y has equality
    everywhere, so the value is exact unless the sentence with the largest value uses every tag.

    Parameters
    ----------
    sentences : Sentences
        The features of each token.
    tags : ndarray of int, shape (n_tokens,)
        The number of the tag of each token.
    n_features : int
        The number of features.
    n_tags : int
        The number of tags.

    Returns
    -------
    float
        R, or an upper bound on it.

    Examples
    --------
    >>> one = Sentences(np.array([0, 2]), np.array([0, 1, 2]), np.array([0, 1]))
    >>> chain_radius(one, np.array([0, 1]), 2, 3) ** 2  # 2 for each feature, 2 for the pair, 2 for start and end
    10.000000000000002
    """
    first, indptr, indices = sentences
    most = 0
    for start in range(0, len(first) - 1, _BLOCK):
        ends = first[start : start + _BLOCK + 1]
        lengths = np.diff(ends)
        here = np.repeat(np.arange(len(lengths)), lengths)
        y = tags[ends[0] : ends[-1]].astype(np.int64)
        per_token = np.diff(indptr[ends[0] : ends[-1] + 1])
        of_token = np.repeat(here, per_token) * n_features + indices[indptr[ends[0]] : indptr[ends[-1]]]
        total = _sum_of_squares(of_token, n_features, len(lengths))
        total += _sum_of_squares(of_token * n_tags + np.repeat(y, per_token), n_features * n_tags, len(lengths))
        inside = here[1:] == here[:-1]
        pairs = ((here[1:] * n_tags + y[:-1]) * n_tags + y[1:])[inside]
        total += _sum_of_squares(pairs, n_tags * n_tags, len(lengths))
        total += np.where(lengths > 0, (lengths - 1) ** 2 + 4, 0)
        most = max(most, int(total.max(initial=0)))
    return length_above(most)


def _sum_of_squares(keys: Array, size: int, n: int) -> Array:
    """For each i < n: the sum of the squared counts of the keys k with k // size = i."""
    distinct, counts = np.unique(keys, return_counts=True)
    total = np.zeros(n, dtype=np.int64)
    np.add.at(total, distinct // size, counts.astype(np.int64) ** 2)
    return total


def margin_upper_bound(w: Any, b: float, n_updates: int, *, intercept_scaling: float = 1.0) -> float:
    """gamma~* <= ||(w_k, b_k/c)|| / k: an upper bound on the best homogeneous margin, after k updates of a plain run.

    A run from zero with unit steps adds the signed row (x, c) at each mistake, c = 1 unless it is given. So (w_k,
    b_k/c) / k is a convex combination of signed rows, and its length is at least the margin. It does not bound the
    geometric margin.

    Parameters
    ----------
    w : array-like of shape (n_features,)
        w_k, the weights at the end of the run.
    b : float
        b_k; 0 for a run without an intercept.
    n_updates : int
        k, the number of updates of the run.
    intercept_scaling : float, default=1.0
        c, the constant feature of the run.

    Returns
    -------
    float
        The upper bound.

    Raises
    ------
    DataError
        `n_updates` is not positive, or c is not above 0 and finite.

    Examples
    --------
    >>> margin_upper_bound([3.0, 0.0], 4.0, 10)
    0.5
    """
    if n_updates <= 0:
        raise DataError("n_updates must be at least 1: a run without updates says nothing about the margin")
    whole = np.append(np.asarray(w, dtype=np.float64), b / constant_of(intercept_scaling))
    return float(np.linalg.norm(whole)) / n_updates
