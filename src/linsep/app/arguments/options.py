"""Arguments and options that several commands share."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer


class Format(StrEnum):
    """File formats by name, for input without a telling name."""

    CSV = "csv"
    PARQUET = "parquet"
    SVMLIGHT = "svmlight"
    JSONL = "jsonl"
    VW = "vw"
    EXCEL = "excel"


class Family(StrEnum):
    """Regression families."""

    LOGISTIC = "logistic"
    BINOMIAL = "binomial"
    POISSON = "poisson"
    NEGATIVE_BINOMIAL = "negative-binomial"
    GAMMA = "gamma"
    INVERSE_GAUSSIAN = "inverse-gaussian"
    MULTINOMIAL = "multinomial"
    CUMULATIVE = "cumulative"
    ADJACENT = "adjacent"
    CONTINUATION = "continuation"
    COX = "cox"


class Link(StrEnum):
    """Links of regressions that have a choice."""

    LOGIT = "logit"
    PROBIT = "probit"
    CLOGLOG = "cloglog"
    CAUCHIT = "cauchit"


class MissingWay(StrEnum):
    """What becomes of missing values."""

    DROP = "drop"
    MEAN = "mean"
    MEDIAN = "median"
    INDICATOR = "indicator"
    ERROR = "error"


class ProofMissingWay(StrEnum):
    """What becomes of missing values where something is proved."""

    DROP = "drop"
    ERROR = "error"


TableArg = Annotated[
    str,
    typer.Argument(
        help="CSV, Parquet, svmlight, JSON lines, Vowpal Wabbit text or Excel, also as .gz or .zst; - is "
        "standard input. Also an address, https:// or s3:// (extra remote)."
    ),
]
RowsArg = Annotated[
    str,
    typer.Argument(
        help="CSV, Parquet, svmlight, JSON lines, Vowpal Wabbit text or Excel, also as .gz or .zst: a file, a folder "
        "or a quoted pattern, also at an address, https:// or s3:// (extra remote); - is standard input."
    ),
]
ModelArg = Annotated[Path, typer.Argument(help="A model file written by `linsep fit`.")]
TargetOpt = Annotated[str | None, typer.Option(help="The column of the labels (not needed for svmlight files).")]
PositiveOpt = Annotated[
    str | None, typer.Option(help="The label of the positive class; all other labels together are the other class.")
]
FormatOpt = Annotated[
    Format | None, typer.Option(help="The format of the table, if the name of the file does not tell.")
]
SepOpt = Annotated[
    str | None,
    typer.Option(help="CSV: the character between the columns, or tab. Otherwise the first lines tell, or the suffix."),
]
DecimalOpt = Annotated[
    str | None, typer.Option(help="CSV: the decimal mark, a point or a comma. Otherwise the first lines tell.")
]
EncodingOpt = Annotated[
    str | None,
    typer.Option(
        help="The encoding of text, such as latin-1 or cp1252. Otherwise UTF-8, or UTF-16 with its mark; "
        "CSV that is neither is read as cp1252 where that reads well, and it is said that this was guessed."
    ),
]
NaOpt = Annotated[
    list[str] | None,
    typer.Option(
        "--na", help="CSV, JSON lines, Excel: a cell that stands for no value, such as k.A. The option may be repeated."
    ),
]
SkipRowsOpt = Annotated[
    int,
    typer.Option(min=0, help="CSV, Excel: the number of lines above the names of the columns, such as a title."),
]
SheetOpt = Annotated[str | None, typer.Option(help="Excel: the sheet to read, where several hold cells.")]
QueryOpt = Annotated[
    str | None,
    typer.Option(
        help="A SELECT: its rows are read, and TABLE is a database of SQLite, DuckDB or PostgreSQL (extra sql)."
    ),
]
DropUnlabelledOpt = Annotated[
    bool, typer.Option("--drop-unlabelled", help="Leave out the rows whose label is missing, and count them.")
]
ShownWeightsOpt = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="The number of weights of each class to print, the largest ones. Unless given, 20, or of several classes "
        "about ten in all.",
    ),
]
LenientOpt = Annotated[
    bool,
    typer.Option("--lenient", help="Count cells that the model cannot read as missing, and name the first ones."),
]
ProbabilitiesOpt = Annotated[
    bool,
    typer.Option("--probabilities", help="Also write the probability of each class, of a model that has them."),
]
MissingOpt = Annotated[
    MissingWay | None,
    typer.Option(
        help="What becomes of missing values: leave the row out, put the mean or the median in place of a number, the "
        "mean and a feature that tells (indicator, unless given), or refuse them. Stream: mean unless given, no median."
    ),
]
ProofMissingOpt = Annotated[
    ProofMissingWay | None,
    typer.Option(
        help="What becomes of missing values: leave the row out (drop), and count it, or refuse the first one (error). "
        "Numbers of rows that are printed count all rows of the file. "
        "Unless given, a missing number is refused, and a missing category is a category of its own."
    ),
]
CategoricalOpt = Annotated[
    list[str] | None,
    typer.Option(help="Read this column as text even if it holds numbers. The option may be repeated."),
]
ColumnOpt = Annotated[
    list[str] | None,
    typer.Option(
        help="What a column holds, as NAME=KIND: number, category, date, a way to write dates such as %d.%m.%Y, a "
        "number with a unit such as '0.0 mg', text (also words1-2 or chars3-5), or skip. May be repeated; the other "
        "columns are looked at."
    ),
]
JsonOpt = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of a table.")]
DetailsOpt = Annotated[
    bool, typer.Option("--details", help="Print all that is known: counts of each class, norms, brackets, bounds.")
]
ReportOpt = Annotated[
    Path | None,
    typer.Option(help="Also write one HTML page with the receipt, pictures and tables (needs the extra report)."),
]
CertificateOpt = Annotated[
    Path | None,
    typer.Option(
        help="Write the proof as JSON, which examples/verify_certificate.py checks, and the numbers of a table that is "
        "no plain CSV."
    ),
]
ExactWeightsOpt = Annotated[
    bool,
    typer.Option(
        "--exact-weights",
        help="Find exact weights, of thousands of digits where columns are many, and not weights near exact ones.",
    ),
]
FormulaOpt = Annotated[
    str | None,
    typer.Option(
        help="Instead of --target: y ~ x + C(dose) + x:z | firm + year, with fixed effects after the |, as R and "
        "statsmodels have it. It is evaluated as Python. Needs the extra regression."
    ),
]
StrataOpt = Annotated[str | None, typer.Option(help="Cox: the column of strata, which are never at risk together.")]
EntryOpt = Annotated[str | None, typer.Option(help="Cox: the column of the times after which rows are at risk.")]


def reading_of(
    format: Format | None,
    sep: str | None,
    decimal: str | None,
    encoding: str | None,
    query: str | None,
    na: list[str] | None,
    skip_rows: int,
    sheet: str | None,
) -> dict[str, Any]:
    """How a table is read, as `open_data` takes it."""
    written = {"sep": sep, "decimal": decimal, "encoding": encoding, "na": tuple(na or ())}
    return {"format": format, **written, "query": query, "skip_rows": skip_rows, "sheet": sheet}
