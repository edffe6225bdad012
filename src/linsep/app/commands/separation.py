"""`linsep separation`: `linsep.separation` for the numbers of a table exactly as they are written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from linsep.app.commands.labelled import inputs, open_labelled, read_as
from linsep.app.report import check_report, page_of_separation, with_report
from linsep.app.result import Result
from linsep.data.features.exact_decimals import exact_numbers
from linsep.data.sources.open import open_data
from linsep.data.sources.source import Source
from linsep.regression.formula import asked_as_written
from linsep.regression.separation import separation_as_written
from linsep.reporting.separated import separation_lines
from linsep.theory.separation.model_rows import Family
from linsep.types import DataError

_ROUNDED = "more digits than doubles hold: the answer is about the nearest doubles"
_STATUS = {"overlap": 0, "quasi-complete": 1, "complete": 1, "undecided": 3}


def separation(
    table: Any,
    *,
    target: str | None,
    family: Family,
    fit_intercept: bool,
    time_limit: float | None,
    categorical: tuple[str, ...] = (),
    formula: str | None = None,
    report: Path | None = None,
    **reading: Any,
) -> Result:
    """Ask whether a regression of the target on the other columns has a maximum likelihood estimate."""
    if formula is not None:
        if target is not None or report is not None or not fit_intercept:
            raise DataError("the formula names the response and the intercept, and has no report: leave out the others")
        return _of_formula(open_data(table, categorical=categorical, **reading), formula, family, time_limit)
    check_report(report, *inputs(table))
    source = open_labelled(table, target, categorical, reading)
    numbers = exact_numbers(source, keep_levels=0 if fit_intercept else 1)
    doubts = [] if numbers.as_written else [_ROUNDED]
    found = separation_as_written(numbers, family, fit_intercept, time_limit)
    lines = [*read_as(source), *separation_lines(found)]
    result = Result(lines, found.to_dict(), doubts, exit_status=_STATUS[found.verdict])
    return with_report(result, report, page_of_separation(found, numbers, source, list(lines)))


def _of_formula(source: Source, text: str, family: Family, time_limit: float | None) -> Result:
    try:
        asked, exact = asked_as_written(text, source)
    except ImportError as error:
        raise DataError(str(error)) from error
    found = separation_as_written(asked, family, True, time_limit)
    lines = [*read_as(source), *separation_lines(found)]
    return Result(lines, found.to_dict(), [] if exact else [_ROUNDED], exit_status=_STATUS[found.verdict])
