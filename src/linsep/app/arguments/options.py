"""Arguments and options that several commands share."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from linsep.app.arguments.parser import Option

under_read = partial(Option, under="--read")
under_set = partial(Option, under="--set")
_USED_FIRST = "Options that people use first"
_TABLE = "The table"
FORMATS = ("csv", "parquet", "svmlight", "jsonl", "vw", "excel")

_KINDS_OF_FILES = "CSV, Parquet, svmlight, JSON lines, Vowpal Wabbit text or Excel, also as .gz or .zst"
TABLE = Option("TABLE", f"{_KINDS_OF_FILES}; - is standard input.", needed=True)
ROWS = TABLE.but(help=f"{_KINDS_OF_FILES}: a file, a folder or a quoted pattern; - is standard input.")
MODEL = Option("MODEL", "A model file written by `linsep fit`.", Path, needed=True)
TARGET = Option("target", "The column of the labels (not needed for svmlight files).", group=_USED_FIRST)
POSITIVE = Option(
    "positive", "The label of the positive class; all other labels together are the other class.", group=_USED_FIRST
)
# How a table is read, as `open_data` takes it.
READING = (
    under_read("format", "The format of the table, if the name of the file does not tell.", choices=FORMATS),
    under_read("sep", "CSV: the character between the columns, or tab. Otherwise the first lines tell, or the suffix."),
    under_read("decimal", "CSV: the decimal mark, a point or a comma. Otherwise the first lines tell."),
    under_read(
        "encoding",
        "The encoding of text, such as latin-1 or cp1252. Otherwise UTF-8, or UTF-16 with its mark.",
    ),
    under_read("query", "A SELECT: its rows are read, and TABLE is a database of SQLite or DuckDB (extra sql)."),
    under_read(
        "na", "CSV, JSON lines, Excel: a cell that stands for no value, such as k.A.; may be repeated.", many=True
    ),
    under_read(
        "skip_rows", "CSV, Excel: the number of lines above the names of the columns, such as a title.", int, 0, least=0
    ),
    under_read("sheet", "Excel: the sheet to read, where several hold cells."),
    under_read(
        "header", "CSV: whether the first line has the names of the columns; else they are 1, 2, 3.", bool, True
    ),
)
# The same of a table with labels.
LABELLED = (
    *READING,
    under_read("drop_unlabelled", "Leave out the rows whose label is missing, and count them.", bool, False),
)
MISSING = Option(
    "missing",
    "What becomes of missing values: leave the row out, put the mean or the median in place of a number, the mean and "
    "a feature that tells (indicator, unless given), or refuse them. Stream: mean unless given, no median.",
    choices=("drop", "mean", "median", "indicator", "error"),
    group=_TABLE,
)
PROOF_MISSING = MISSING.but(
    help="What becomes of missing values: leave the row out (drop), and count it, or refuse the first one (error). "
    "Numbers of rows that are printed count all rows of the file. Unless given, a missing number is refused, and a "
    "missing category is a category of its own.",
    choices=("drop", "error"),
)
COLUMN = Option(
    "column",
    "What a column holds, as NAME=KIND: number, category, date, a way to write dates such as %d.%m.%Y, a number with a "
    "unit such as '0.0 mg', text (also words1-2 or chars3-5), or skip. May be repeated; the other columns are looked "
    "at.",
    many=True,
    group=_TABLE,
)
OUTPUT = Option("output", "CSV file to write; - is standard output.", default="-", spelled=("-o", "--output"))
TIME_LIMIT = Option("time_limit", "", float, least=0, group=_USED_FIRST)
JSON = Option(
    "as_json", "Print one JSON object instead of a table.", bool, False, spelled=("--json",), group=_USED_FIRST
)
DETAILS = Option(
    "details", "Print all that is known: counts of each class, norms, brackets, bounds.", bool, False, group=_USED_FIRST
)
REPORT = Option(
    "report",
    "Also write one HTML page with the receipt, pictures and tables (needs the extra report).",
    Path,
    group=_USED_FIRST,
)
CERTIFICATE = Option(
    "certificate",
    "Write the proof as JSON, which examples/verify_certificate.py checks, and the numbers of a table that is no plain "
    "CSV.",
    Path,
    group=_USED_FIRST,
)
EXACT_WEIGHTS = under_set(
    "exact",
    "Find exact weights, of thousands of digits where columns are many, and not weights near exact ones.",
    bool,
    False,
)


def split_off(asked: dict[str, Any]) -> dict[str, Any]:
    """Take out of the options how a table with labels is read, as `open_data` takes it."""
    return {option.name: asked.pop(option.name) for option in LABELLED}


def with_kinds(asked: dict[str, Any]) -> dict[str, Any]:
    """The options with what --column says as a mapping."""
    from linsep.app.labelled import kinds_of

    asked["columns"] = kinds_of(asked.pop("column"))
    return asked
