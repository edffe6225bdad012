"""`linsep check`: is a table linearly separable? Proved on the numbers as they are written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from linsep.app.design_file import design_data, is_plain, written_certificate
from linsep.app.labelled import check_certificate, inputs, open_labelled, read_as
from linsep.app.present import write_csv
from linsep.app.report import check_report, page_of_check, with_report
from linsep.app.result import Result
from linsep.data.columns import label_names
from linsep.data.sources.source import Source
from linsep.files import check_output, open_output
from linsep.reporting.table_check import TableCheck, check_table
from linsep.types import Array, Verdict

_STATUS: dict[Verdict, int] = {
    "separable": 0,
    "quasi-separable": 1,
    "inseparable": 1,
    "not-separable": 1,
    "undecided": 3,
}


def check(
    table: Any,
    *,
    target: str | None,
    positive: str | None,
    time_limit: float | None,
    n_jobs: int | None = None,
    certificate: Path | None = None,
    exact: bool = False,
    report: Path | None = None,
    columns: Mapping[str, str] | None = None,
    missing: Any = None,
    explain: bool = False,
    suspects: Path | None = None,
    on_step: Callable[[str], None] = lambda step: None,
    **reading: Any,
) -> Result:
    """Decide separability of the numbers as they are written; one class against the rest when there are several."""
    check_certificate(certificate, table)
    check_report(report, certificate, *inputs(table))
    if suspects is not None:
        check_output(suspects, "the list of suspects", reads=inputs(table))
    on_step("reading")
    source = open_labelled(table, target, columns or {}, reading)
    on_step("proving")
    asked: dict[str, Any] = {"positive": positive, "columns": columns, "missing": missing, "time_limit": time_limit}
    found = check_table(source, **asked, n_jobs=n_jobs, exact=exact, explain=explain or suspects is not None)
    design = None if certificate is None else _design(table, source, found, positive)
    lines = [*read_as(source), *found.lines, *written_certificate(certificate, found.data, table, design)]
    if suspects is not None and found.explanation is not None:
        lines.append(("list of suspects", str(suspects)))
        with open_output(suspects, "the list of suspects", reads=inputs(table)) as file:
            write_csv(found.explanation.rows, file)
    data = {**found.data, **({"hints": found.hints} if found.hints else {})}
    result = Result(lines, data, found.warnings, exit_status=_STATUS[found.verdict])
    result.details = found.details
    return with_report(result, report, page_of_check(found, source, columns, [*lines, *found.details]))


def _design(table: Any, source: Source, found: TableCheck, positive: str | None) -> dict[str, Any] | None:
    """What the certificate is about; None where it is a plain table."""
    numbers = found.numbers
    y: Array = np.asarray(numbers.y)
    whole = positive is None or y.dtype.kind != "f"  # one class against the rest is 2, not 2.0
    if whole and source.target is not None and is_plain(table, source, numbers, {source.target: y.tolist()}):
        return None
    names = label_names(y).tolist() if positive is not None else list(map(str, y.tolist()))
    return design_data(numbers.X, names, numbers.names, numbers.places)
