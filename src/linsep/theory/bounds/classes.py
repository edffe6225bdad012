"""How many mistakes a learner of several classes can make."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from linsep.tables import check_index, is_sparse
from linsep.theory.bounds.aggressive import check_rule
from linsep.theory.bounds.mistakes import unless, why_no_bound
from linsep.theory.bounds.rounding import error_of_products, largest_square, length2, safely
from linsep.theory.bounds.shortfall import Evaluated, mistakes_of, of_aggressive_steps, of_margin, of_unit_steps
from linsep.theory.bounds.table import Bound, MistakeBounds
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
    check_rule(variant, C)
    c = constant_of(intercept_scaling) if fit_intercept else 0.0
    if not 0 <= margin < math.inf:
        raise DataError(f"the margin of a run is finite and at least 0, got {margin!r}")
    u = _matrix_on_rows(X, y, np.asarray(W, dtype=np.float64), b, c, Fraction(float(margin)))
    more = "" if not c else " + 1" if c == 1 else " + c^2"
    S = f"2 (R^2{more})" if c else "2 R^2"
    if variant is not None:
        rows = [of_aggressive_steps(u, variant, float(C), epochs, S)]
    else:
        S += " + 2m" if margin else ""
        u = replace(u, also=f", {S} for R^2")
        novikoff = of_margin("novikoff", f"({S}) / gamma^2" if margin else f"{S} / gamma^2", u)
        rows = [novikoff, *of_unit_steps(u, epochs)]
    return MistakeBounds(tuple(unless(why_no_bound(u, from_zero, weighted), rows)), mistakes, epochs)


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
    margins = own - Z.max(axis=1)
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
