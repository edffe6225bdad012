"""`linsep separation`: `linsep.separation` for the numbers of a table exactly as they are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from linsep.app.commands.labelled import inputs, open_labelled, read_as, read_as_text
from linsep.app.report import check_report, page_of_separation, with_report
from linsep.app.result import Result
from linsep.data.features.exact_decimals import exact_numbers
from linsep.data.features.kinds import kinds_in_proof, left_out_of_proof
from linsep.data.features.missing import LEAVE_OUT
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
    columns: Mapping[str, str] | None = None,
    missing: Any = None,
    report: Path | None = None,
    **reading: Any,
) -> Result:
    """Ask whether a regression of the target on the other columns has a maximum likelihood estimate.

    `beside` names the columns that belong to the response and are no features.
    """
    check_report(report, *inputs(table))
    source = open_labelled(table, target, (*categorical, *read_as_text(columns or {})), reading)
    taken = {role: _taken(source, role, name) for role, name in (beside or {}).items() if name is not None}
    known = kinds_in_proof(source.read(), columns or {})
    levels = 0 if fit_intercept else 1
    numbers = exact_numbers(source, keep_levels=levels, kinds=known.kinds, missing=missing, advice=LEAVE_OUT)
    rounded = ["more digits than doubles hold: the answer is about the nearest doubles"]
    doubts = known.doubts + ([] if numbers.as_written else rounded)
    if numbers.kept is not None:
        taken = {role: column[numbers.kept] for role, column in taken.items()}
    found = separation_as_written(numbers, family, fit_intercept, time_limit, link, order=order, **taken)
    gone = [*numbers.rows_left_out(), *left_out_of_proof(known)]
    lines = [*read_as(source), *gone, *separation_lines(found)]
    data = found.to_dict()
    data |= {"left_out": known.left_out} if known.left_out else {}
    data |= {} if numbers.left_out is None else {"rows_left_out": numbers.left_out.tolist()}
    result = Result(lines, data, doubts, exit_status=_STATUS[found.verdict])
    return with_report(result, report, page_of_separation(found, numbers, source, columns, list(lines)))


def _taken(source: Source, role: str, name: str) -> Any:
    """A column that is no feature; strata may be text."""
    if role != "strata":
        return source.take_out(name)
    column = source.take_column(name)
    return column.values if column.text is None else np.array(column.text.to_pylist(), dtype=object)
