"""A bound with its formula and its conditions, and a table of bounds on one run."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from linsep.markup import table_html


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
        lines = [f"{row.name:<{wide}}  {_value(row):>15}  {row.formula}{_note(row)}" for row in self.rows]
        if self.mistakes is not None:
            lines.append(f"{'mistakes made':<{wide}}  {self.mistakes:>15,}")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows: list[tuple[object, ...]] = [(row.name, _value(row), f"{row.formula}{_note(row)}") for row in self.rows]
        if self.mistakes is not None:
            rows.append(("mistakes made", f"{self.mistakes:,}", ""))
        return table_html("Mistake bounds", rows)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        best = self.best
        return {
            "bounds": [asdict(row) for row in self.rows],
            "best": best.name if best else None,
            "mistakes": self.mistakes,
            "epochs": self.epochs,
        }


def _value(row: Bound) -> str:
    return f"{row.value:,.6g}" if row.applies and row.value is not None else "not applicable"


def _note(row: Bound) -> str:
    return ("  [one pass]" if row.one_pass else "") if row.applies else f"  ({row.why})"
