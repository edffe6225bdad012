"""Arguments and options that several commands share."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Format(StrEnum):
    """File formats by name, for input whose name does not tell."""

    CSV = "csv"
    PARQUET = "parquet"
    SVMLIGHT = "svmlight"
    JSONL = "jsonl"
    VW = "vw"


class Model(StrEnum):
    """Regression families."""

    LOGISTIC = "logistic"
    POISSON = "poisson"
    MULTINOMIAL = "multinomial"


TableArg = Annotated[str, typer.Argument(help="CSV (.gz too), Parquet or svmlight file; - is standard input.")]
RowsArg = Annotated[
    str,
    typer.Argument(
        help="CSV, Parquet, svmlight, JSON lines or Vowpal Wabbit text, .gz or .zst; a folder or a quoted pattern; - "
        "is standard input."
    ),
]
ModelArg = Annotated[Path, typer.Argument(help="A model file written by `linsep fit`.")]
TargetOpt = Annotated[str | None, typer.Option(help="Column that holds the label (svmlight files need none).")]
PositiveOpt = Annotated[
    str | None, typer.Option(help="Label of the positive class; with three or more classes, this one against the rest.")
]
FormatOpt = Annotated[Format | None, typer.Option(help="Format of the table, where its name does not tell.")]
CategoricalOpt = Annotated[
    list[str] | None, typer.Option(help="Read this column as text even if it holds numbers (may be repeated).")
]
JsonOpt = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of a table.")]
ReportOpt = Annotated[
    Path | None,
    typer.Option(help="Also write one HTML page with the receipt, pictures and tables (needs the extra report)."),
]
