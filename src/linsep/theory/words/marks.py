"""That rounding could change a verdict, as every sentence about one says it."""

from __future__ import annotations

FRAGILE = "Fragile: rounding the numbers that are no integers could change this verdict"
REMEDY = "; give decimals as text or as Fractions, which are exact, or leave out a column that depends on others"


def with_mark(said: str, fragile: bool) -> str:
    """A sentence, and that the verdict is fragile where it is.

    Examples
    --------
    >>> with_mark("separable", False)
    'separable'
    """
    return f"{said.removesuffix('.')}{'. ' if said else ''}{FRAGILE}{REMEDY}" if fragile else said
