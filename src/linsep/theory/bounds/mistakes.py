"""How many mistakes a perceptron can make that starts from zero and moves with unit steps."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linsep.theory.bounds.table import Bound, MistakeBounds
from linsep.theory.margin.geometry import constant_of, functional_margins, radius, row_norms2
from linsep.types import Array, DataError


@dataclass(frozen=True)
class _Given:
    """What the bounds are computed from: margins y z of the separator, its norms, R^2 and the run's set-up."""

    margins: Array
    norm2: float
    b: float
    R2: float
    sphere: bool
    fit_intercept: bool
    c: float = 1.0

    @property
    def whole2(self) -> float:
        return self.norm2 + (self.b / self.c) ** 2

    @property
    def constant(self) -> str:
        """c^2 in formulas."""
        return "1" if self.c == 1 else "c^2"

    @property
    def seen_radius2(self) -> float:
        """Squared radius of the rows as the run sees them: with an intercept those of (x, c)."""
        return self.R2 + self.c**2 * self.fit_intercept


def mistake_bounds(
    X: Any,
    y: Any,
    w: Any,
    b: float = 0.0,
    *,
    fit_intercept: bool = True,
    intercept_scaling: float = 1.0,
    mistakes: int | None = None,
    epochs: int | None = None,
    from_zero: bool = True,
    weighted: bool = False,
) -> MistakeBounds:
    """(R/gamma)^2 and every other known bound on the mistakes of a perceptron, evaluated at one separator (w, b).

    With eps = min_i y_i (w.x_i + b), gamma = eps / ||w||, gamma~ = eps / ||(w, b)||, R = max_i ||x_i||:

    - novikoff: (R / gamma)^2; a run with an intercept sees (x, 1): (R^2 + 1) / gamma~^2;
    - unit sphere: 4 / gamma^2 when every ||x_i|| = 1 and the plane cuts the ball, |b| <= ||w||;
    - bounded bias: 2 (R^2 + 1) / gamma^2 when |b| <= ||w|| (unit form: ||w*|| = 1, |b*| <= 1, margin gamma);
    - general: (R^2 + 1)(||w||^2 + b^2) / eps^2;
    - freund-schapire: ((R + D) / g)^2, D^2 = sum_i max(0, g - m_i)^2, with m_i the margins of the unit vector, least
      over a grid of g > 0; it needs no separator but covers one pass only;
    - freund-schapire hinge: (R/(2g) + sqrt(R^2/(4g^2) + L))^2, L = sum_i max(0, 1 - m_i/g); also for one pass only. In
      both, a run with an intercept has R^2 + 1 in the place of R^2 and ||(w, b)|| in that of ||w||.

    A run with `intercept_scaling=c` sees (x, c), where the separator is (w, b/c): R^2 + c^2 stands in the place of
    R^2 + 1, b/c in that of b, 2 (1 + c^2) / gamma^2 in that of 4 / gamma^2.

    All hold for any number of rows in any order. They are computed in float64.

    Parameters
    ----------
    X : array or SciPy CSR matrix of shape (n_samples, n_features)
        The rows of the run.
    y : array-like of shape (n_samples,)
        Two labels; the second in sorted order is the positive class, y_i = 1.
    w : array-like of shape (n_features,)
        The separator at which the bounds are evaluated, in the units of X and of any length. The wider its margin, the
        lower the bounds. It need not be the vector that the run found.
    b : float, default=0.0
        The intercept of the separator.
    fit_intercept : bool, default=True
        Whether the run learns an intercept.
    intercept_scaling : float, default=1.0
        c, the constant feature of the run.
    mistakes : int, optional
        How many mistakes the run made; shown in the table.
    epochs : int, optional
        How many passes the run made. If it is not 1, the bounds for one pass do not apply. If it is not given, they are
        shown with a flag and are never `best`.
    from_zero : bool, default=True
        Whether the run started from w = 0; if not, no bound applies.
    weighted : bool, default=False
        Whether the run used weights, decay or projections; if so, no bound applies.

    Returns
    -------
    MistakeBounds
        The table of bounds.

    Raises
    ------
    DataError
        The shapes do not match, there are not two labels, b is not 0 although the run has no intercept, or c is not
        above 0 and finite.

    References
    ----------
    A. Novikoff, On convergence proofs on perceptrons, 1962. Y. Freund and R. Schapire, Large margin classification
    using the perceptron algorithm, Machine Learning 37 (1999), theorem 2. The hinge form is due to Gentile and
    Shalev-Shwartz.

    Examples
    --------
    >>> table = mistake_bounds([[1.0, 0.0], [-1.0, 0.0]], [1, 0], [1.0, 0.0])
    >>> [(row.name, row.value) for row in table][:3], table.best.value
    ([('novikoff', 2.0), ('unit sphere', 4.0), ('bounded bias', 4.0)], 2.0)
    """
    if not fit_intercept and b != 0:
        raise DataError(f"b = {b:g}, but the run has no intercept: give a separator with b = 0")
    c = constant_of(intercept_scaling)
    w = np.asarray(w, dtype=np.float64)
    margins = functional_margins(X, y, w, b)
    given = _Given(margins, float(w @ w), float(b), radius(X) ** 2, _on_sphere(X), fit_intercept, c)
    why_none = _wrong_run(given, from_zero, weighted)
    rows = [_novikoff(given), _unit_sphere(given), _bounded_bias(given), _general(given), *_one_pass(given, epochs)]
    if why_none:
        rows = [Bound(row.name, None, False, why_none, row.formula, row.one_pass) for row in rows]
    return MistakeBounds(tuple(rows), mistakes, epochs)


def collins_bounds(
    margins: Any, norm: float, R: float, *, mistakes: int | None = None, epochs: int | None = None
) -> MistakeBounds:
    """(R/delta)^2 and the bounds for one pass on the mistakes of a structured perceptron, evaluated at one vector u.

    With m_i = u.Phi(x_i, y_i) - max over z other than y_i of u.Phi(x_i, z), delta = min_i m_i / ||u|| and R an upper
    bound on every ||Phi(x_i, y_i) - Phi(x_i, z)||:

    - collins: (R / delta)^2, for any number of passes, if every m_i > 0 (theorem 1);
    - freund-schapire, plain (theorem 2) and hinge: as in `mistake_bounds`, for the first pass alone.

    The run has to start from w = 0 and to add Phi(x_i, y_i) - Phi(x_i, z) where the best z is not y_i, and only there.

    Parameters
    ----------
    margins : array-like of shape (n_examples,)
        The m_i.
    norm : float
        ||u||.
    R : float
        R, an upper bound on the length of every difference above.
    mistakes : int, optional
        How many mistakes the run made; shown in the table.
    epochs : int, optional
        How many passes the run made, as in `mistake_bounds`.

    Returns
    -------
    MistakeBounds
        The table of bounds.

    Raises
    ------
    DataError
        There are no examples.

    References
    ----------
    M. Collins, Discriminative training methods for hidden Markov models, EMNLP 2002, theorems 1 and 2.

    Examples
    --------
    >>> collins_bounds([2.0, 4.0], norm=2.0, R=3.0).get("collins").value
    9.0
    """
    rows = bounds_of_margins(margins, norm, R, epochs)
    rows[0] = replace(rows[0], name="collins", formula="(R / delta)^2")
    return MistakeBounds(tuple(rows), mistakes, epochs)


def bounds_of_margins(margins: Any, norm: float, R: float, epochs: int | None) -> list[Bound]:
    """Novikoff's bound and the two for one pass, from the margins of a vector, its length and R."""
    margins = np.asarray(margins, dtype=np.float64)
    if not margins.size:
        raise DataError("there are no examples to take margins of")
    given = _Given(margins, float(norm) ** 2, 0.0, float(R) ** 2, False, False)
    rows = [_novikoff(given), *_one_pass(given, epochs)]
    if given.whole2 == 0:
        rows = [Bound(row.name, None, False, "u is the zero vector", row.formula, row.one_pass) for row in rows]
    return rows


def _wrong_run(given: _Given, from_zero: bool, weighted: bool) -> str:
    if not from_zero:
        return "the run did not start from w = 0"
    if weighted:
        return "the run used weights, decay or projections instead of unit steps"
    return "" if given.whole2 > 0 else "the separator is the zero vector"


def _no_separator(given: _Given) -> str:
    made = int((given.margins <= 0).sum())
    if made == 0:
        return ""
    plural = "mistake" if made == 1 else "mistakes"
    return f"this separator makes {made:,} {plural}: smallest margin is {given.margins.min() + 0.0:.6g}"


def _bound(name: str, formula: str, why: str, numerator: float, denominator: float) -> Bound:
    if why:
        return Bound(name, None, False, why, formula)
    with np.errstate(over="ignore"):
        return Bound(name, float(np.float64(numerator) / np.float64(denominator)), True, "", formula)


def _novikoff(given: _Given) -> Bound:
    formula = f"(R^2 + {given.constant}) / gamma~^2" if given.fit_intercept else "(R / gamma)^2"
    gamma2 = _over(given.margins.min(), given.whole2)
    return _bound("novikoff", formula, _no_separator(given), given.seen_radius2, gamma2)


def _over(eps: float, norm2: float) -> float:
    """(eps / norm)^2, divided before squaring so that small margins do not underflow."""
    return float(eps / math.sqrt(norm2)) ** 2 if norm2 > 0 else math.nan


def _needs_small_bias(given: _Given) -> str:
    if not given.fit_intercept:
        return "the run has no intercept"
    if given.norm2 == 0:
        return "w is zero: there is no plane"
    offset = abs(given.b) / math.sqrt(given.norm2)
    if offset > given.c:
        return f"the plane is {offset:.6g} from the origin, more than {given.c:.6g}"
    return ""


def _unit_sphere(given: _Given) -> Bound:
    why = _needs_small_bias(given) or ("" if given.sphere else "some row is not of norm 1") or _no_separator(given)
    # 2 (R^2 + c^2) rather than 2 (1 + c^2): rows are on the sphere to rounding only.
    formula = "4 / gamma^2" if given.c == 1 else "2 (1 + c^2) / gamma^2"
    return _bound("unit sphere", formula, why, 2 * (given.R2 + given.c**2), _over(given.margins.min(), given.norm2))


def _bounded_bias(given: _Given) -> Bound:
    why = _needs_small_bias(given) or _no_separator(given)
    gamma2 = _over(given.margins.min(), given.norm2)
    formula = f"2 (R^2 + {given.constant}) / gamma^2"
    return _bound("bounded bias", formula, why, 2 * (given.R2 + given.c**2), gamma2)


def _general(given: _Given) -> Bound:
    formula = "R^2 ||w||^2 / eps^2"
    if given.fit_intercept:
        b2 = "b^2" if given.c == 1 else "b^2/c^2"
        formula = f"(R^2 + {given.constant})(||w||^2 + {b2}) / eps^2"
    value = given.seen_radius2, _over(given.margins.min(), given.whole2)
    return _bound("general", formula, _no_separator(given), *value)


def _one_pass(given: _Given, epochs: int | None) -> list[Bound]:
    formulas = {
        "freund-schapire": "min over g of ((R + D) / g)^2",
        "freund-schapire hinge": "min over g of (R/(2g) + sqrt(R^2/(4g^2) + L))^2",
    }
    if epochs is not None and epochs != 1:
        why = f"covers the mistakes of one pass; this run made {epochs:,}"
        return [Bound(name, None, False, why, formula, True) for name, formula in formulas.items()]
    if given.whole2 == 0:
        return [Bound(name, None, False, "", formula, True) for name, formula in formulas.items()]
    m = given.margins / math.sqrt(given.whole2)
    R = math.sqrt(given.seen_radius2)
    values = dict.fromkeys(formulas, math.inf)
    for g in _grid(m, R):
        short = np.maximum(g - m, 0.0)
        plain = ((R + float(np.linalg.norm(short))) / g) ** 2
        hinge = (R / (2 * g) + math.sqrt(R**2 / (4 * g**2) + float((short / g).sum()))) ** 2
        values["freund-schapire"] = min(values["freund-schapire"], plain)
        values["freund-schapire hinge"] = min(values["freund-schapire hinge"], hinge)
    return [Bound(name, values[name], True, "", formula, True) for name, formula in formulas.items()]


def _grid(m: Array, R: float) -> list[float]:
    """Values of g to try: any g > 0 gives a valid bound. The least margin is among them when it is positive."""
    top = max(float(abs(m).max()), 1e-6 * R, 1e-150)
    grid = np.geomspace(1e-4 * top, 1e3 * top, 150).tolist()
    least = float(m.min())
    return [*grid, least] if least > 0 else list(grid)


def _on_sphere(X: Any) -> bool:
    stored = getattr(X, "dtype", np.dtype(np.float64))
    eps = float(np.finfo(stored).eps) if np.issubdtype(stored, np.floating) else float(np.finfo(np.float64).eps)
    return bool((abs(row_norms2(X) - 1.0) <= 32 * eps).all())
