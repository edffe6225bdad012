"""Arguments and options that several commands share."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from linsep.app.parser import Option

_USED_FIRST = "Options that people use first"
_TABLE = "The table"
FORMATS = ("csv", "parquet", "svmlight", "jsonl", "vw", "excel")
under_read = partial(Option, under="--read")
under_set = partial(Option, under="--set")
used_first = partial(Option, group=_USED_FIRST)

_KINDS_OF_FILES = "CSV, Parquet, svmlight, JSON lines, Vowpal Wabbit text or Excel, also as .gz or .zst"
TABLE = Option("TABLE", f"{_KINDS_OF_FILES}; - is standard input.", needed=True)
ROWS = TABLE.but(help=f"{_KINDS_OF_FILES}: a file, a folder or a quoted pattern; - is standard input.")
MODEL = Option("MODEL", "A model file written by `linsep fit`.", Path, needed=True)
TARGET = used_first("target", "The column of the labels (not needed for svmlight files).")
POSITIVE = used_first("positive", "The label of the positive class; all other labels together are the other class.")
# How a table is read, as `open_data` takes it.
READING = (
    under_read("format", "The format, if the name of the file does not tell.", choices=FORMATS),
    under_read("sep", "CSV: the character between the columns, or tab, if the first lines do not tell."),
    under_read("decimal", "CSV: the decimal mark, a point or a comma, if the first lines do not tell."),
    under_read("encoding", "The encoding of text, such as cp1252; UTF-8, or UTF-16 with its mark, unless given."),
    under_read("query", "A SELECT: its rows are read, and TABLE is a database of SQLite or DuckDB (extra sql)."),
    under_read("na", "CSV, JSON lines, Excel: a cell that stands for no value; may be repeated.", many=True),
    under_read("skip_rows", "CSV, Excel: the number of lines above the names of the columns.", int, 0, least=0),
    under_read("sheet", "Excel: the sheet to read, where several hold cells."),
    under_read("header", "CSV: whether the first line names the columns; else they are 1, 2, 3.", bool, True),
)
# The same of a table with labels.
LABELLED = (
    *READING,
    under_read("drop_unlabelled", "Leave out the rows whose label is missing, and count them.", bool, False),
)
MISSING = Option(
    "missing",
    "Missing values: leave the row out, take the mean or the median of numbers, the mean and a column that tells "
    "(indicator, unless given), or refuse them. A stream takes the mean unless given, and has no median.",
    choices=("drop", "mean", "median", "indicator", "error"),
    group=_TABLE,
)
PROOF_MISSING = MISSING.but(
    help="Missing values: leave the row out, and count it, or refuse the first one. Unless given, a missing number is "
    "refused, and a missing category is a category of its own. Row numbers count all rows of the file.",
    choices=("drop", "error"),
)
COLUMN = Option(
    "column",
    "What a column holds, as NAME=KIND: number, category, date, a way to write dates such as %d.%m.%Y, a number with a "
    "unit such as '0.0 mg', text (also words1-2 or chars3-5), or skip. May be repeated.",
    many=True,
    group=_TABLE,
)
OUTPUT = Option("output", "CSV file to write; - is standard output.", default="-", spelled=("-o", "--output"))
PREDICTIONS = OUTPUT.but(spelled=(*OUTPUT.spelled, "--predictions"))
TIME_LIMIT = used_first("time_limit", "", float, least=0)
JSON = used_first("as_json", "Print one JSON object instead of a table.", bool, False, spelled=("--json",))
DETAILS = used_first("details", "Print all that is known: counts of each class, norms, brackets, bounds.", bool, False)
REPORT = used_first("report", "Also write one HTML page with pictures and tables (needs the extra report).", Path)
CERTIFICATE = used_first("certificate", "Write the proof as JSON; examples/verify_certificate.py checks it.", Path)
EXACT_WEIGHTS = under_set("exact", "Find exact weights of many columns, and not weights near exact ones.", bool, False)


def reading_of(asked: Any) -> dict[str, Any]:
    """How the table is read, as `open_data` takes it."""
    return {option.name: getattr(asked, option.name) for option in LABELLED if hasattr(asked, option.name)}
