"""`linsep separation`: `linsep.separation` for the numbers of a table exactly as they are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from linsep.app.design_file import design_data, is_plain, written_certificate
from linsep.app.labelled import (
    check_certificate,
    open_labelled,
    read_as,
    read_as_text,
)
from linsep.app.result import Result
from linsep.data.columns import TableChunk
from linsep.data.features.exact_decimals import exact_numbers, refuse_finer
from linsep.data.features.kinds import kinds_in_proof, left_out_of_proof
from linsep.data.features.missing import LEAVE_OUT
from linsep.data.sources.open import open_data
from linsep.data.sources.source import Source
from linsep.regression.design import design_of_numbers, outcome_of
from linsep.regression.formula import asked_as_written
from linsep.regression.model import Asked
from linsep.regression.separation import answer
from linsep.reporting.proof import separation_details, separation_lines
from linsep.theory.separation.families import Family, link_of
from linsep.theory.words.of_classes import rows_of_file
from linsep.types import Array, DataError

_NEAREST = "decimals that a function is applied to are the doubles nearest to them"
_ROUNDED = "more digits than doubles hold: the answer is about the nearest doubles"
_ALL_EVENTS = "without --set event=COLUMN every row counts as an event; a column of events is a feature like others"
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
    certificate: Path | None = None,
    exact: bool = False,
    columns: Mapping[str, str] | None = None,
    missing: Any = None,
    formula: str | None = None,
    details: bool = False,
    **reading: Any,
) -> Result:
    """Ask whether a regression of the target on the other columns has a maximum likelihood estimate.

    `beside` names the columns that belong to the response and are no features.
    """
    named = {role: name for role, name in (beside or {}).items() if name is not None}
    check_certificate(certificate, table)
    if formula is not None:
        if target is not None or missing is not None or not fit_intercept:
            raise DataError(
                "the formula names the response and the intercept, and leaves out rows with missing values: leave out "
                "--target, --set fit_intercept=no and --missing"
            )
        source = open_data(table, categorical=read_as_text(columns or {}), **reading)
        asked: dict[str, Any] = {"family": family, "link": link, "order": order, "beside": named, "exact": exact}
        return _of_formula(source, formula, time_limit, certificate, table, details, **asked)
    source = open_labelled(table, target, columns or {}, reading)
    taken = {role: _taken(source, role, name) for role, name in named.items()}
    rows = source.read()
    known = kinds_in_proof(rows, columns or {})
    levels = 0 if fit_intercept else 1
    numbers = exact_numbers(source, keep_levels=levels, kinds=known.kinds, missing=missing, advice=LEAVE_OUT)
    doubts = known.doubts + _of_events(family, named)
    doubts += [] if numbers.as_written else [_ROUNDED]
    if numbers.kept is not None:
        taken = {role: column[numbers.kept] for role, column in taken.items()}
    if numbers.y is None:
        raise DataError("these rows have no response: name its column with --target")
    outcome = outcome_of(numbers.y, family, order, **taken)
    question = Asked(design_of_numbers(numbers), outcome, fit_intercept, family, link_of(family, link))
    found = answer(question, time_limit, exact=exact)
    gone = [*numbers.rows_left_out(), *left_out_of_proof(known)]
    data = {**found.to_dict(), **numbers.in_table(source)}
    data |= {"beside": named} if named else {}
    data |= {"left_out": known.left_out} if known.left_out else {}
    if numbers.left_out is not None:
        parts = {"separated_rows": found.separated_rows}
        parts |= {"pairs": tuple(row for row, _ in found.pairs)} if found.pairs else {}
        data |= {"file_rows": {name: rows_of_file(rows, numbers.left_out).tolist() for name, rows in parts.items()}}
    told = separation_lines(found, numbers.left_out)
    design = None
    if certificate is not None:
        read = {named[role]: column.tolist() for role, column in outcome.beside.items()}
        plain = "strata" not in named and is_plain(table, source, numbers, {str(target): outcome.y.tolist(), **read})
        design = None if plain else _design(question, numbers.places)
    lines = [*read_as(source), *gone, *told, *written_certificate(certificate, data, table, design)]
    result = Result(lines, data, doubts, exit_status=_STATUS[found.verdict])
    result.details += separation_details(found, numbers.left_out, time_limit) if details else []
    return result


def _of_events(family: Family, beside: Mapping[str, str]) -> list[str]:
    return [_ALL_EVENTS] if family == "cox" and "event" not in beside else []


def _of_formula(
    source: Source,
    text: str,
    time_limit: float | None,
    certificate: Path | None,
    table: Any,
    details: bool,
    *,
    family: Family,
    link: str | None,
    order: Sequence[str] | None,
    beside: Mapping[str, str],
    exact: bool,
) -> Result:
    try:
        asked, as_written, whole = asked_as_written(text, source, family, order, link, beside)
    except ImportError as error:
        raise DataError(str(error)) from error
    found = answer(asked, time_limit, exact=exact)
    data = found.to_dict()
    lines = [*read_as(source), *separation_lines(found)]
    design = None if certificate is None else _design(asked, asked.design.rows)
    lines += written_certificate(certificate, data, table, design)
    more = separation_details(found, time_limit=time_limit) if details else []
    doubts = _of_events(family, beside) + ([] if as_written else [_NEAREST if whole else _ROUNDED])
    return Result(lines, {**data}, doubts, exit_status=_STATUS[found.verdict], details=more)


def _design(asked: Asked, rows: Array | None) -> dict[str, Any]:
    """The design, the response and what stands beside it."""
    design, outcome = asked.design, asked.outcome
    return design_data(design.X, outcome.y.tolist(), design.names, rows, outcome.beside, design.absorbed)


def _taken(source: Source, role: str, name: str) -> Any:
    """A column that is no feature; strata may be text."""
    if role != "strata":
        return source.take_out(name)
    rows = source.read()
    if isinstance(rows, TableChunk):
        rows.refuse_missing(name, text=True)
    column = source.take_column(name)
    refuse_finer(column)
    text = None if column.is_number else column.text
    return column.values if text is None else np.array(text.to_pylist(), dtype=object)
