"""Formats by name and by suffix: the one table of both."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from linsep.data.inputs import bare_name
from linsep.data.readers.asked import Asked, TextReader
from linsep.types import DataError

_TEXT_READERS = {
    "csv": ("csv", "CsvReader"),
    "jsonl": ("jsonl", "JsonlReader"),
    "svmlight": ("svmlight", "SvmlightReader"),
    "vw": ("vowpal", "VowpalReader"),
}
FORMATS = ("csv", "parquet", "jsonl", "svmlight", "vw", "excel")
_BY_SUFFIX = {
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".txt": "csv",
    ".parquet": "parquet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".svmlight": "svmlight",
    ".svm": "svmlight",
    ".libsvm": "svmlight",
    ".vw": "vw",
    ".xlsx": "excel",
    ".xlsm": "excel",
    ".xlsb": "excel",
    ".xls": "excel",
    ".ods": "excel",
}
DATABASES = (".db", ".sqlite", ".sqlite3", ".duckdb", ".ddb")
_CHOICE = "csv, parquet, jsonl, svmlight, vw or excel"


def text_reader(chosen: str, asked: Asked) -> TextReader:
    """The reader of a format of text; the compiled code of the others is not loaded.

    Examples
    --------
    >>> text_reader("jsonl", Asked()).kind
    'table'
    """
    module, name = _TEXT_READERS[chosen]
    reader: TextReader = getattr(import_module(f"linsep.data.readers.{module}"), name)(asked)
    return reader


# What separates the columns where the suffix tells.
_SEP_BY_SUFFIX = {".tsv": "\t", ".tab": "\t"}


def sep_of(names: list[str]) -> str | None:
    """What separates the columns of files with these names; None where the names do not tell.

    Examples
    --------
    >>> sep_of(["a.tsv.gz"]), sep_of(["a.csv"])
    ('\\t', None)
    """
    told = {_SEP_BY_SUFFIX.get(Path(bare_name(name)).suffix.lower()) for name in names}
    return told.pop() if len(told) == 1 else None


def format_of(name: str) -> str | None:
    """The format that the suffix of a name tells, compressed or not; None if it tells none.

    Examples
    --------
    >>> format_of("mails.vw.zst"), format_of("notes.doc")
    ('vw', None)
    """
    return _BY_SUFFIX.get(Path(bare_name(name)).suffix.lower())


def choose_format(names: list[str], asked: str | None) -> str:
    """The format that was asked for, or else the one that all names tell; CSV for what has no name.

    Raises
    ------
    DataError
        There is no such format, or the names tell none or several.

    Examples
    --------
    >>> choose_format(["part-1.csv.gz", "part-2.csv.gz"], None)
    'csv'
    """
    if asked is not None:
        if asked not in FORMATS:
            raise DataError(f"no format called {asked!r}: choose {_CHOICE}")
        return asked
    found = {format_of(name) for name in names}
    told = "csv" if not names else found.pop() if len(found) == 1 else None
    if told is None:
        if Path(names[0]).suffix.lower() in DATABASES:
            raise DataError(f"{names[0]} is a database: say which of its rows with --read query='SELECT ...' (query=)")
        said = "its name does not tell its format" if len(names) == 1 else "the names do not tell one format"
        raise DataError(f"{names[0]}: {said}; say --read format (format=) {_CHOICE}")
    return told
