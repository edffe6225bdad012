"""A bound with its formula and its conditions, a table of bounds on one run, and how most of them come about.

Bounds on updates and mistakes from what a vector u falls short of a margin, for planes, classes and chains.

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
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from linsep.markup import table_html
from linsep.theory.bounds.rounding import root_above, safely, short_sums
from linsep.types import Array, DataError


@dataclass(frozen=True)
class Bound:
    """A bound: its value if it applies, otherwise the reason why it does not.

    Attributes
    ----------
    name : str
        "novikoff", for example.
    value : float or None
        None if the bound does not apply.
    applies : bool
        Whether its conditions hold.
    why : str
        Why it does not apply; empty if it does.
    formula : str
        The bound as a formula.
    one_pass : bool
        Whether it covers the mistakes of a single pass only.
    """

    name: str
    value: float | None
    applies: bool
    why: str
    formula: str
    one_pass: bool = False


@dataclass(frozen=True, repr=False)
class MistakeBounds:
    """A table of bounds on the mistakes of one run; iterating over it gives its `Bound` rows.

    Attributes
    ----------
    rows : tuple of Bound
        The bounds.
    mistakes : int or None
        How many mistakes the run made.
    epochs : int or None
        How many passes the run made.
    """

    rows: tuple[Bound, ...]
    mistakes: int | None = None
    epochs: int | None = None

    def __post_init__(self) -> None:
        if self.epochs is not None and self.epochs < 1:
            raise DataError(f"a run makes at least 1 pass, not {self.epochs!r}")

    @property
    def best(self) -> Bound | None:
        """The least bound that applies to the whole run, or None; bounds for one pass count only if `epochs` is 1."""
        fit = [row for row in self.rows if row.applies and (not row.one_pass or self.epochs == 1)]
        return min(fit, key=lambda row: math.inf if row.value is None else row.value, default=None)

    def get(self, name: str) -> Bound:
        """Return the bound called `name`.

        Parameters
        ----------
        name : str
            "novikoff", for example.

        Returns
        -------
        Bound
            The bound of that name.

        Raises
        ------
        KeyError
            No bound has that name; the message lists the names.
        """
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(f"no bound is called {name!r}; there are {', '.join(row.name for row in self.rows)}")

    def __iter__(self) -> Iterator[Bound]:
        return iter(self.rows)

    def __str__(self) -> str:
        wide = max(len(row.name) for row in self.rows)
        return "\n".join(f"{name:<{wide}}  {value:>15}  {how}".rstrip() for name, value, how in self._cells())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return table_html("Mistake bounds", self._cells())

    def _cells(self) -> list[tuple[str, str, str]]:
        cells = [(row.name, *_shown(row)) for row in self.rows]
        return cells if self.mistakes is None else [*cells, ("mistakes made", f"{self.mistakes:,}", "")]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        best = self.best
        return {
            "bounds": [asdict(row) for row in self.rows],
            "best": best.name if best else None,
            "mistakes": self.mistakes,
            "epochs": self.epochs,
        }


def _shown(row: Bound) -> tuple[str, str]:
    """The value, and the formula with what there is to say about it."""
    if not row.applies or row.value is None:
        return "not applicable", f"{row.formula}  ({row.why})"
    return f"{row.value:,.6g}", f"{row.formula}{'  [one pass]' if row.one_pass else ''}"


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
    if not (norm >= 0 and R >= 0):
        raise DataError(f"lengths are at least 0, not {norm!r} and {R!r}")
    margins = numbers(np.asarray(margins, dtype=np.float64))
    length2, step2 = (Fraction(float(v)) ** 2 if math.isfinite(v) else math.inf for v in (norm, R))
    return Evaluated(margins, length2, step2, mistakes_of(margins))


def numbers(margins: Array) -> Array:
    """The margins, which are numbers: DataError for a NaN."""
    if np.isnan(margins).any():
        raise DataError("a margin is not a number: rows, weights and the bias have to be finite, and not too large")
    return margins


def mistakes_of(margins: Array) -> str:
    """Why a vector of these margins is no separator, or nothing."""
    made = int((margins <= 0).sum())
    plural = "mistake" if made == 1 else "mistakes"
    return f"this separator makes {made:,} {plural}: smallest margin is {margins.min() + 0.0:.6g}" if made else ""


def of_margin(name: str, formula: str, u: Evaluated, why: str = "") -> Bound:
    """S ||u||^2 / eps^2, eps the least margin of u: the bound with nothing short."""
    if why := why or u.why:
        return Bound(name, None, False, why, formula)
    eps = float(u.low.min())
    value = 0.0 if eps == math.inf else safely(lambda: Fraction(u.step2) * Fraction(u.length2) / Fraction(eps) ** 2)
    return Bound(name, value, True, "", formula)


def of_unit_steps(u: Evaluated, epochs: int | None) -> list[Bound]:
    """The bounds that need no separator: on the first pass, and on all T passes if there were more.

    >>> found = of_unit_steps(evaluated([1.0, 1.0, -1.0], 1.0, 1.0), 2)
    >>> found[0].name, found[0].one_pass, round(found[1].value, 2), round(found[3].value, 2)
    ('freund-schapire', True, 3.0, 6.0)
    """
    sums, rows = _Sums(u), []
    for passes in (1, epochs) if epochs is not None and epochs > 1 else (1,):
        for name in ("freund-schapire", "hinge loss"):
            rule, one_pass = RULES[name], passes == 1
            formula = (rule.formula if one_pass else rule.passes) + u.also
            name = name if one_pass else f"{name}, all passes"
            rows.append(Bound(name, sums.least(rule, passes), True, "", formula, one_pass))
    return rows


def of_aggressive_steps(u: Evaluated, variant: str, C: float, epochs: int, S: str) -> Bound:
    """The bound of Crammer and others (2006) on the mistakes of T passes, at the best multiple of u; `S` is step2."""
    if variant == "pa" or math.isinf(C):
        return of_margin(variant, f"({S}) ||u||^2, l(u) = 0", u)
    rule = RULES[variant]
    return Bound(variant, _Sums(u).least(rule, epochs, C), True, "", rule.passes.format(S=S))


class Rule(NamedTuple):
    """A bound from what u falls short: the formula of one pass, that of T passes, and its value.

    The value is that of S, A, T, C, sum short and sum short^2, all doubles, or arrays of them, or all fractions.
    """

    formula: str
    passes: str
    value: Callable[..., Any]


RULES = {
    "freund-schapire": Rule(
        "min over g of ((R + D) / g)^2",
        "min over g of ((R + sqrt(T) D) / g)^2",
        lambda S, a, T, C, short, short2: S * a + T * short2 + 2 * _root(S * a * (T * short2)),
    ),
    "hinge loss": Rule(
        "min over g of (R/(2g) + sqrt(R^2/(4g^2) + L))^2",
        "min over g of (R/(2g) + sqrt(R^2/(4g^2) + T L))^2",
        lambda S, a, T, C, short, short2: S * a / 2 + T * short + _root(S * a * (S * a / 4 + T * short)),
    ),
    "pa1": Rule(
        "",
        "min over u of max({S}, 1/C) (||u||^2 + 2 C T sum l(u))",
        lambda S, a, T, C, short, short2: max(S, 1 / C) * (a + 2 * C * T * short),
    ),
    "pa2": Rule(
        "",
        "min over u of ({S} + 1/(2C)) (||u||^2 + 2 C T sum l(u)^2)",
        lambda S, a, T, C, short, short2: (S + 1 / (2 * C)) * (a + 2 * C * T * short2),
    ),
}


def _root(value: Any) -> Any:
    return root_above(value) if isinstance(value, Fraction) else np.sqrt(value)


class _Sums:
    """sum short and sum short^2 of a vector at each s of a grid: any s > 0 gives a valid bound."""

    def __init__(self, u: Evaluated) -> None:
        self.u, self.low = u, u.low[u.low < math.inf]
        self.grid = self._values(math.sqrt(u.step2) * math.sqrt(u.length2)) if self.low.size else np.empty(0)
        short = [np.maximum(1 - self.low / s, 0.0) for s in self.grid]
        self.sums = np.array([part.sum() for part in short]), np.array([part @ part for part in short])

    def _values(self, longest: float) -> Array:
        """The least margin is among them where it is positive: nothing is short of it."""
        top = max(float(abs(self.low).max()), 1e-6 * longest, 1e-150)
        least = float(self.low.min())
        return np.append(np.geomspace(1e-4 * top, 1e3 * top, 150), [least] if least > 0 else [])

    def least(self, rule: Rule, T: int, C: float = 1.0) -> float:
        """The least value on the grid, rounded up; 0 if all margins are infinite."""
        if not self.low.size:
            return 0.0

        def value(number: Any, s: Any, sums: Any) -> Any:
            return rule.value(number(self.u.step2), number(self.u.length2) / s**2, T, number(C), *sums)

        with np.errstate(over="ignore", invalid="ignore"):
            s = float(self.grid[int(np.argmin(value(float, self.grid, self.sums)))])
        return safely(lambda: value(Fraction, Fraction(s), short_sums(self.low, s)))
