"""Bounds on updates and mistakes from what a vector u falls short of a margin, for planes, classes and chains.

An update adds a vector `a` to w, y x or the like. What is needed of a run is m, the largest a.w at which it still
updates; of the rows S >= ||a||^2 + 2 m, for every update; of u the margins u.a of the rows, and its length. Each row is
visited T times. For s > 0 let short_i = max(0, 1 - margin_i / s), and A = ||u||^2 / s^2. Then k updates obey, with unit
steps from w = 0:

- k <= (sqrt(S A) + sqrt(T sum short^2))^2;
- k <= (sqrt(S A)/2 + sqrt(S A/4 + T sum short))^2.

The proofs are on the page theory/no-separator. Nothing in them asks visits to be of different rows, so that a run of T
passes is one of T n visits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from linsep.theory.bounds.rounding import root_above, safely, short_sums
from linsep.theory.bounds.table import Bound
from linsep.types import Array

# number, A, sum short, sum short^2 -> the bound. `number` makes floats or fractions of what else is in the formula.
_Formula = Callable[[Callable[[Any], Any], Any, Any, Any], Any]


@dataclass(frozen=True)
class Evaluated:
    """A vector u on the rows of a run.

    Attributes
    ----------
    low : ndarray
        Lower bounds of the margins of u, as it is, not divided by its length.
    length2 : Fraction
        An upper bound on ||u||^2.
    step2 : float
        S, an upper bound on ||a||^2 + 2 m.
    why : str
        Why u is no separator; empty if it is one.
    also : str
        What is to be said behind a formula in R: that something stands for R^2.
    """

    low: Array
    length2: Fraction | float
    step2: Fraction | float
    why: str = ""
    also: str = ""


def evaluated(margins: Any, norm: float, R: float) -> Evaluated:
    """A vector of the length `norm` with these margins, all taken as they are, where no update is longer than R."""
    margins = np.asarray(margins, dtype=np.float64)
    length2, step2 = (Fraction(float(v)) ** 2 if math.isfinite(v) else math.inf for v in (norm, R))
    return Evaluated(margins, length2, step2, mistakes_of(margins))


def mistakes_of(margins: Array) -> str:
    """Why a vector of these margins is no separator, or nothing."""
    made = int((margins <= 0).sum())
    plural = "mistake" if made == 1 else "mistakes"
    return f"this separator makes {made:,} {plural}: smallest margin is {margins.min() + 0.0:.6g}" if made else ""


def of_margin(name: str, formula: str, u: Evaluated) -> Bound:
    """S ||u||^2 / eps^2, eps the least margin of u: the bound with nothing short."""
    if u.why:
        return Bound(name, None, False, u.why, formula)
    eps = float(u.low.min())
    value = 0.0 if eps == math.inf else safely(lambda: Fraction(u.step2) * Fraction(u.length2) / Fraction(eps) ** 2)
    return Bound(name, value, True, "", formula)


def of_unit_steps(u: Evaluated, epochs: int | None) -> list[Bound]:
    """The bounds that need no separator: on the first pass, and on all T passes if there were more.

    >>> found = of_unit_steps(evaluated([1.0, 1.0, -1.0], 1.0, 1.0), 2)
    >>> found[0].name, found[0].one_pass, round(found[1].value, 2), round(found[3].value, 2)
    ('freund-schapire', True, 3.0, 6.0)
    """
    formulas = {
        "freund-schapire": "min over g of ((R + D) / g)^2",
        "hinge loss": "min over g of (R/(2g) + sqrt(R^2/(4g^2) + L))^2",
    }
    sums = _Sums(u)
    first = [
        Bound(name, sums.least(rule(u, 1)), True, "", formulas[name] + u.also, True) for name, rule in _RULES.items()
    ]
    if epochs is None or epochs < 2:
        return first
    many = {"D)": "sqrt(T) D)", "+ L)": "+ T L)"}
    rows = []
    for row, (old, new) in zip(first, many.items(), strict=True):
        value, formula = sums.least(_RULES[row.name](u, epochs)), row.formula.replace(old, new)
        rows.append(Bound(f"{row.name}, all passes", value, True, "", formula))
    return [*first, *rows]


def of_aggressive_steps(u: Evaluated, variant: str, C: float, epochs: int, S: str) -> Bound:
    """The bound of Crammer and others (2006) on the mistakes of T passes, at the best multiple of u; `S` is step2."""
    if variant == "pa" or math.isinf(C):
        return of_margin(variant, f"({S}) ||u||^2, l(u) = 0", u)
    rule, formula = {
        "pa1": (_pa1, f"min over u of max({S}, 1/C) (||u||^2 + 2 C T sum l(u))"),
        "pa2": (_pa2, f"min over u of ({S} + 1/(2C)) (||u||^2 + 2 C T sum l(u)^2)"),
    }[variant]
    return Bound(variant, _Sums(u).least(rule(u, epochs, C)), True, "", formula)


def _squares(u: Evaluated, T: int) -> _Formula:
    def bound(number: Any, a: Any, short: Any, short2: Any) -> Any:
        sa, lost = number(u.step2) * a, T * short2
        return sa + lost + 2 * _root(sa * lost)

    return bound


def _hinge(u: Evaluated, T: int) -> _Formula:
    def bound(number: Any, a: Any, short: Any, short2: Any) -> Any:
        sa, lost = number(u.step2) * a, T * short
        return sa / 2 + lost + _root(sa * (sa / 4 + lost))

    return bound


_RULES = {"freund-schapire": _squares, "hinge loss": _hinge}


def _pa1(u: Evaluated, T: int, C: float) -> _Formula:
    def bound(number: Any, a: Any, short: Any, short2: Any) -> Any:
        return max(number(u.step2), 1 / number(C)) * (a + 2 * number(C) * T * short)

    return bound


def _pa2(u: Evaluated, T: int, C: float) -> _Formula:
    def bound(number: Any, a: Any, short: Any, short2: Any) -> Any:
        return (number(u.step2) + 1 / (2 * number(C))) * (a + 2 * number(C) * T * short2)

    return bound


def _root(value: Any) -> Any:
    return root_above(value) if isinstance(value, Fraction) else np.sqrt(value)


class _Sums:
    """sum short and sum short^2 of a vector at each s of a grid: any s > 0 gives a valid bound."""

    def __init__(self, u: Evaluated) -> None:
        self._low = u.low[u.low < math.inf]
        self._length2 = u.length2
        self._grid = self._values(math.sqrt(u.step2) * math.sqrt(u.length2)) if self._low.size else np.empty(0)
        short = [np.maximum(1 - self._low / s, 0.0) for s in self._grid]
        self._short = np.array([part.sum() for part in short])
        self._short2 = np.array([part @ part for part in short])

    def _values(self, longest: float) -> Array:
        """The least margin is among them where it is positive: nothing is short of it."""
        top = max(float(abs(self._low).max()), 1e-6 * longest, 1e-150)
        least = float(self._low.min())
        return np.append(np.geomspace(1e-4 * top, 1e3 * top, 150), [least] if least > 0 else [])

    def least(self, bound: _Formula) -> float:
        """The least value on the grid, rounded up; 0 if all margins are infinite."""
        if not self._low.size:
            return 0.0
        with np.errstate(over="ignore", invalid="ignore"):
            near = bound(float, float(self._length2) / self._grid**2, self._short, self._short2)
        s = float(self._grid[int(np.argmin(near))])
        return safely(lambda: bound(Fraction, Fraction(self._length2) / Fraction(s) ** 2, *short_sums(self._low, s)))
