"""`linsep check`: is a table linearly separable? Proved on the numbers as they are written."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from linsep.app.commands.labelled import encode_labels, inputs, open_labelled
from linsep.app.report import check_report, page_of_check, with_report
from linsep.app.result import Result
from linsep.data.features.exact_decimals import ExactNumbers, exact_numbers
from linsep.files import check_output, open_output
from linsep.reporting.proof import proof_lines
from linsep.theory.separability.certificate import Separability
from linsep.theory.separability.decide import separability
from linsep.types import Array, DataError, Verdict

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
    certificate: Path | None = None,
    report: Path | None = None,
    categorical: tuple[str, ...] = (),
    format: str | None = None,
) -> Result:
    """Decide separability of the numbers as they are written; one class against the rest when there are several."""
    if certificate is not None:
        check_output(certificate, "the certificate", reads=inputs(table))
    check_report(report, certificate, *inputs(table))
    source = open_labelled(table, target, format, categorical)
    numbers = exact_numbers(source)
    if numbers.y is None:
        raise DataError("these rows have no labels: name the label column with --target")
    doubts = [] if numbers.as_written else ["more digits than doubles hold: the verdict is about the nearest doubles"]
    labels = np.unique(numbers.y)
    if labels.size <= 2 or positive is not None:
        found, classes, named = _ask(numbers, positive, time_limit)
        asked = [("", found, named)]
        lines = [
            ("rows x features", "{:,} x {:,}".format(*numbers.X.shape)),
            ("classes", f"{classes[0]} (-), {classes[1]} (+)"),
            ("verdict", found.verdict),
            ("why", found.summary()),
            *proof_lines(found, numbers.names, numbers.exponents),
        ]
        data = _check_data(found, numbers, target)
        status = _STATUS[found.verdict]
    else:
        lines, verdicts, asked = [], {}, []
        for label in labels:
            found, _, named = _ask(numbers, str(label), time_limit)
            asked.append((str(label), found, named))
            lines.append((f"{label} against the rest", found.summary()))
            verdicts[str(label)] = _check_data(found, numbers, target)
        verdicts_found = {v["verdict"] for v in verdicts.values()}
        status = max(map(_STATUS.__getitem__, verdicts_found), key=(0, 3, 1).index)
        data = {"one_against_rest": verdicts}
    if certificate is not None:
        with open_output(certificate, "the certificate", reads=inputs(table)) as file:
            file.write(json.dumps(data, allow_nan=False) + "\n")
        lines.append(("certificate", str(certificate)))
    result = Result(lines, data, doubts, exit_status=status)
    return with_report(result, report, page_of_check(asked, numbers, source, list(lines)))


def _ask(numbers: ExactNumbers, positive: str | None, time_limit: float | None) -> tuple[Separability, Array, Array]:
    """The verdict, the two classes, and the class of each row, all by name."""
    codes, classes = encode_labels(numbers.y, positive)
    found, named = separability(numbers.X, codes, time_limit=time_limit), classes[codes]
    names = tuple(str(name) for name in classes)  # not in the order of their names: the second is the positive one
    return replace(found, classes=names, about=(numbers.X, named)), classes, named


def _check_data(found: Separability, numbers: ExactNumbers, target: str | None) -> dict[str, Any]:
    """The certificate, with the columns by which another program finds its data in the table."""
    levels = numbers.levels or {}
    columns: list[dict[str, Any]] = [
        {"column": levels[name][0], "level": levels[name][1]} if name in levels else {"column": name, "exponent": k}
        for name, k in zip(numbers.names, numbers.exponents, strict=True)
    ]
    data = {**found.to_dict(), "target": target, "columns": columns}
    return data if not any(numbers.exponents) else {**data, "margin": None}  # it would be in no one's units
