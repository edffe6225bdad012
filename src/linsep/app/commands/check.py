"""`linsep check`: is a table linearly separable? Proved on the numbers as they are written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from linsep.app import options
from linsep.app.options import Command, under_set, used_first
from linsep.app.present import Result, until_ctrl_c, write_csv
from linsep.types import DataError

if TYPE_CHECKING:
    from linsep.data.sources.source import Source
    from linsep.reporting.table_check import TableCheck

_STATUS = {"separable": 0, "quasi-separable": 1, "inseparable": 1, "not-separable": 1, "undecided": 3}
_EXPLAIN = "Also find the fewest rows to remove, and the columns behind the verdict, in 30 s or in --time-limit."
_OPTIONS = (
    options.TABLE,
    options.TARGET,
    options.POSITIVE,
    options.TIME_LIMIT.but(
        help="Answer after this number of seconds with what is proved by then; --explain has the same again."
    ),
    options.CERTIFICATE,
    options.REPORT,
    options.DETAILS,
    options.JSON,
    used_first("explain", _EXPLAIN, bool, False),
    options.COLUMN,
    options.PROOF_MISSING,
    *options.LABELLED,
    under_set(
        "suspects", "Write the rows that --explain removes to this CSV file, each with three rows near it.", Path
    ),
    options.EXACT_WEIGHTS,
)


@until_ctrl_c
def _check(asked: Any) -> Result:
    """Prove whether a hyperplane separates the classes of TABLE, for the numbers exactly as they are written.

    Separable: some plane has each class on its own side, and no row on it. Quasi-separable: no plane does so, but one
    has no row on its wrong side, and some rows off it. Inseparable: neither. Not-separable: not the first; which of the
    others was not decided in time. Of three or more classes each is compared with all others together.

    Exit status: 0 separable (each class), 1 any other of these answers, 3 undecided, 2 wrong options or data, 130 after
    Ctrl-C (what is known by then is printed).
    """
    from linsep.app.tables import check_outputs, inputs, open_labelled, read_as
    from linsep.app.written import is_for_strangers, with_report, written_certificate
    from linsep.files import open_output
    from linsep.reporting.table_check import check_table

    table, suspects, certificate = asked.table, asked.suspects, asked.certificate
    check_outputs(inputs(table), certificate=certificate, report=asked.report, list_of_suspects=suspects)
    source, columns = open_labelled(asked)
    if is_for_strangers(certificate) and asked.positive is None and len(set(map(str, source.read().y))) > 2:
        raise DataError(f"a {certificate.suffix} file is about two classes: name one with --positive")
    how = {name: getattr(asked, name) for name in ("positive", "missing", "time_limit")}
    how |= {"explain": asked.explain or suspects is not None, "exact": asked.exact or is_for_strangers(certificate)}
    found = check_table(source, columns=columns, **how)
    design = None if certificate is None else _design(certificate, table, source, found, asked.positive)
    proved = [one.found for one in found.asked]
    lines = [*read_as(source), *found.lines, *written_certificate(certificate, found.data, table, design, proved)]
    if suspects is not None and found.explanation is not None:
        lines.append(("list of suspects", str(suspects)))
        with open_output(suspects, "the list of suspects", reads=inputs(table)) as file:
            write_csv(found.explanation.rows, file)
    data = {**found.data, **({"hints": found.hints} if found.hints else {})}
    result = Result(lines, data, found.warnings, exit_status=_STATUS[found.verdict], details=found.details)
    every = [*lines, *found.details]
    return with_report(result, asked.report, lambda pages, *said: pages.of_check(found, every, *said))


def _design(
    certificate: Path, table: Any, source: Source, found: TableCheck, positive: str | None
) -> dict[str, Any] | None:
    """What the certificate is about; None where it is a plain table."""
    import numpy as np

    from linsep.app.written import design_data, is_plain
    from linsep.data.columns import label_names

    numbers = found.numbers
    y = np.asarray(numbers.y)
    whole = positive is None or y.dtype.kind != "f"  # one class against the rest is 2, not 2.0
    read = {str(source.target): y.tolist()}
    if whole and source.target is not None and is_plain(table, source, numbers, read, certificate):
        return None
    names = label_names(y).tolist() if positive is not None else list(map(str, y.tolist()))
    return design_data(numbers.X, names, numbers.names, numbers.places)


check = Command("check", _OPTIONS, _check)
