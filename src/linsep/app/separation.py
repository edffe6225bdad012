"""What `linsep separation` does: the question of `linsep.separation` about a table, exactly as it is written."""

from __future__ import annotations

from typing import Any

from linsep.app.commands import open_labelled
from linsep.app.result import Result
from linsep.data.numbers import exact_numbers
from linsep.regression import Separation, design_of_numbers, separation_of_design
from linsep.theory.separation_rows import Family
from linsep.theory.separation_words import by_estimate, estimate, listed
from linsep.types import DataError

_STATUS = {"overlap": 0, "quasi-complete": 1, "complete": 1, "undecided": 3}
_MOST_LINES = 40  # coefficients printed one a line


def separation(
    table: Any,
    *,
    target: str | None,
    family: Family,
    fit_intercept: bool,
    time_limit: float | None,
    categorical: tuple[str, ...] = (),
    format: str | None = None,
) -> Result:
    """Ask whether a regression of the target on the other columns has a maximum likelihood estimate."""
    source = open_labelled(table, target, format, categorical)
    numbers = exact_numbers(source, keep_levels=0 if fit_intercept else 1)
    if numbers.y is None:
        raise DataError("these rows have no response: name its column with --target")
    doubts = [] if numbers.as_written else ["more digits than doubles hold: the answer is about the nearest doubles"]
    found = separation_of_design(design_of_numbers(numbers), numbers.y, family, fit_intercept, time_limit)
    return Result(_lines(found), found.to_dict(), doubts, exit_status=_STATUS[found.kind])


def _lines(found: Separation) -> list[tuple[str, str]]:
    lines: list[tuple[str, str]] = [("separation", found.kind)]
    if found.references:
        lines.append(("reference levels", listed(f"{name}={level}" for name, level in found.references.items())))
    lines.append(("summary", found.summary()))
    if found.rows:
        lines.append(("separated rows", f"{listed(found.rows)} (counted from 0)"))
    if found.pairs:
        pairs = (f"row {row} from {label}" for row, label in found.pairs)
        lines.append(("separated pairs", listed(pairs)))
    lines += _coefficients(found)
    lines += [("advice", text) for text in found.advice]
    return lines


def _coefficients(found: Separation) -> list[tuple[str, str]]:
    if len(found.coefficients) <= _MOST_LINES:
        return [(f"  {listed([name])}", estimate(value)) for name, value in found.coefficients.items()]
    groups = by_estimate(found.coefficients)
    return [(f"  {estimate(value)}", listed(names)) for value, names in groups.items() if names]
