"""`linsep separation`: `linsep.separation` for the numbers of a table exactly as they are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from linsep.app.commands.labelled import inputs, open_labelled, read_as
from linsep.app.report import check_report, page_of_separation, with_report
from linsep.app.result import Result
from linsep.data.features.exact_decimals import exact_numbers
from linsep.data.sources.source import Source
from linsep.regression.separation import separation_as_written
from linsep.reporting.separated import separation_lines
from linsep.theory.separation.families import Family

_STATUS = {"overlap": 0, "quasi-complete": 1, "complete": 1, "undecided": 3}


def separation(
    table: Any,
    *,
    target: str | None,
    family: Family,
    link: str | None = None,
    order: Sequence[str] | None = None,
    beside: Mapping[str, str | None] | None = None,
    fit_intercept: bool,
    time_limit: float | None,
    categorical: tuple[str, ...] = (),
    report: Path | None = None,
    **reading: Any,
) -> Result:
    """Ask whether a regression of the target on the other columns has a maximum likelihood estimate.

    `beside` names the columns that belong to the response and are no features.
    """
    check_report(report, *inputs(table))
    source = open_labelled(table, target, categorical, reading)
    columns = {role: _taken(source, role, name) for role, name in (beside or {}).items() if name is not None}
    numbers = exact_numbers(source, keep_levels=0 if fit_intercept else 1)
    doubts = [] if numbers.as_written else ["more digits than doubles hold: the answer is about the nearest doubles"]
    found = separation_as_written(numbers, family, fit_intercept, time_limit, link, order=order, **columns)
    lines = [*read_as(source), *separation_lines(found)]
    result = Result(lines, found.to_dict(), doubts, exit_status=_STATUS[found.verdict])
    return with_report(result, report, page_of_separation(found, numbers, source, list(lines)))


def _taken(source: Source, role: str, name: str) -> Any:
    """A column that is no feature; strata may be text."""
    if role != "strata":
        return source.take_out(name)
    column = source.take_column(name)
    return column.values if column.text is None else np.array(column.text.to_pylist(), dtype=object)
