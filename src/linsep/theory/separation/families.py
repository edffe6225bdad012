"""The kinds of regression that `separation` knows, their links, and the response with the columns beside it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from linsep.as_given import as_array
from linsep.types import Array, DataError, RowError

Family = Literal[
    "logistic",
    "binomial",
    "poisson",
    "negative-binomial",
    "multinomial",
    "cumulative",
    "adjacent",
    "continuation",
    "cox",
    "conditional",
]
FAMILIES: tuple[Family, ...] = get_args(Family)
_OF_TWO = ("logit", "probit", "cloglog", "cauchit")
# The first is the one that is meant unless another is asked for.
LINKS: dict[Family, tuple[str, ...]] = {
    "logistic": _OF_TWO,
    "binomial": _OF_TWO,
    "poisson": ("log",),
    "negative-binomial": ("log",),
    "multinomial": ("logit",),
    "cumulative": _OF_TWO,
    "adjacent": ("logit",),
    "continuation": _OF_TWO,
    "cox": ("log",),
    "conditional": ("logit",),
}
INTERCEPT = "(Intercept)"
ORDERED = ("cumulative", "adjacent", "continuation")  # thresholds stand in place of the intercept
LABELLED = ("logistic", "multinomial", *ORDERED)  # the response is labels; elsewhere it is numbers
WITHOUT_INTERCEPT = (*ORDERED, "cox", "conditional")  # thresholds, a baseline or strata stand in its place
# What a response is.
RESPONSES = {
    "poisson": "a Poisson response is a count",
    "negative-binomial": "a negative binomial response is a count",
}


def link_of(family: str, link: str | None) -> str:
    """The link, or that of the family if it is None.

    Raises
    ------
    DataError
        There is no such family, or it has no such link.

    Examples
    --------
    >>> link_of("logistic", None)
    'logit'
    """
    if family not in LINKS:
        raise DataError(f"no family called {family!r}: choose from {', '.join(FAMILIES)}")
    known = LINKS[family]
    if link is not None and link not in known:
        raise DataError(f"the family {family!r} has no link called {link!r}: choose from {', '.join(known)}")
    return known[0] if link is None else link


class Outcome(NamedTuple):
    """The response `y` and, where the family has them, further numbers, one for each row.

    An offset moves every linear predictor by a finite number and no direction: it counts in estimates only. `beyond` is
    a sentence about what else a model has that was guarded, where estimates made here would not be its own; `ties` says
    what a Cox model makes of events at the same time in estimates, "breslow" or "efron"; `thresholds` are what a fitted
    model calls those between ordered classes.
    """

    y: Array
    trials: Array | None = None
    weights: Array | None = None
    event: Array | None = None
    strata: Array | None = None
    entry: Array | None = None
    order: Array | None = None  # all labels, the lowest first
    offset: Array | None = None
    beyond: str = ""
    ties: str = "breslow"
    thresholds: tuple[str, ...] = ()

    @property
    def beside(self) -> dict[str, Array]:
        """What stands beside the response in each row and belongs to the question whether there is an estimate."""
        named = {name: getattr(self, name) for name in ("trials", "weights", "event", "strata", "entry")}
        return {name: column for name, column in named.items() if column is not None}

    @property
    def happened(self) -> Array:
        """Which rows have an event: all, unless it is said."""
        return np.ones(len(self.y), dtype=bool) if self.event is None else self.event > 0

    @property
    def stratum(self) -> Array:
        """Which rows are compared with each other: all, unless it is said."""
        return np.zeros(len(self.y)) if self.strata is None else self.strata

    @property
    def classes(self) -> Array:
        """The labels of the rows that say anything, in their order."""
        present = np.unique(self.y[self.kept])
        return present if self.order is None else self.order[np.isin(self.order, present)]

    @property
    def kept(self) -> Array:
        """Which rows say anything: those with trials and with a weight above 0."""
        kept = np.ones(len(self.y), dtype=bool)
        for column in (self.trials, self.weights):
            if column is not None:
                kept &= column > 0
        return kept

    @property
    def compared(self) -> Array:
        """Which rows of a conditional model say anything: those of strata with cases and others."""
        _, at = np.unique(self.stratum, return_inverse=True)
        cases, others = (np.bincount(at, self.kept & side) > 0 for side in (self.y > 0, self.y <= 0))
        return self.kept & (cases & others)[at]

    @property
    def at_risk(self) -> Array:
        """Which rows of a Cox model are at risk at some event of their stratum."""
        out = np.zeros(len(self.y), dtype=bool)
        for rows in together(self.stratum):
            events = np.append(np.sort(self.y[rows][self.happened[rows] & self.kept[rows]]), np.inf)
            entry = np.full(rows.size, -np.inf) if self.entry is None else self.entry[rows]
            out[rows] = events[np.searchsorted(events, entry, side="right")] <= self.y[rows]
        return out & self.kept

    def take(self, rows: Array) -> Outcome:
        """The outcome of some rows."""
        columns = self.beside if self.offset is None else self.beside | {"offset": self.offset}
        taken: dict[str, Any] = {name: column[rows] for name, column in columns.items()}
        return self._replace(y=self.y[rows], **taken)


def together(codes: Array) -> list[Array]:
    """The places of the rows of each code.

    Examples
    --------
    >>> [places.tolist() for places in together(np.array([7, 3, 7]))]
    [[1], [0, 2]]
    """
    order = np.argsort(codes, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)


def column_of(values: Any, name: str, n: int) -> Array:
    """Finite numbers, one for each of `n` rows, as an array of doubles.

    Raises
    ------
    DataError
        They are of another number, or one is not a finite number; the message names the row.

    Examples
    --------
    >>> column_of([1, 2], "trials", 2).tolist()
    [1.0, 2.0]
    """
    given = as_array(values, name)
    if given.dtype.kind not in "biufOSU":
        raise DataError(f"{name} must hold numbers, one for each row, not {given.dtype}")
    try:
        column = given.astype(np.float64) + 0.0  # no -0.0, of which the hash would be another
    except (TypeError, ValueError, OverflowError):
        raise DataError(f"{name} must hold numbers, one for each row") from None
    if column.ndim != 1 or len(column) != n:
        raise DataError(f"{name} has the shape {column.shape}: one number for each of the {n} rows is needed")
    refuse(name, column, ~np.isfinite(column), "is not a finite number")
    small = given.dtype.kind in "iu" and np.abs(column).max(initial=0) < 2**53  # then all are doubles
    if given.dtype.kind != "b" and not small and given.dtype not in (np.float16, np.float32, np.float64):
        same = [_exactly(value) == kept for value, kept in zip(given.tolist(), column.tolist(), strict=True)]
        refuse(name, given, ~np.array(same, dtype=bool), "is no double: divide the column, or give floats")
    return column


def _exactly(value: Any) -> Fraction:
    """A number of any type, or of text, as it is."""
    value = value.item() if isinstance(value, np.generic) else value
    return Fraction(*value.as_integer_ratio()) if hasattr(value, "as_integer_ratio") else Fraction(str(value))


def refuse(name: str, column: Array, bad: Array, why: str) -> None:
    """Raise DataError for the first value that is bad.

    Examples
    --------
    >>> refuse("weights", np.array([1.0, -2.0]), np.array([False, True]), "is below 0")
    Traceback (most recent call last):
    linsep.types.RowError: row 1 (counted from 0): weights is -2.0, which is below 0
    """
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise RowError(row, f": {name} is {column[row]}, which {why}")
