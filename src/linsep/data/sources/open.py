"""One door for whatever a user has: paths, pipes, file objects, dataframes or arrays."""

from __future__ import annotations

import glob
from collections.abc import Collection
from importlib import import_module
from pathlib import Path
from typing import Any

from linsep.as_given import labels_of
from linsep.data.inputs import Input, bare_name, encoding_named
from linsep.data.readers.arrow import dataframe_to_arrow
from linsep.data.readers.lines import Asked, TextReader
from linsep.data.readers.written import check_decimal, check_sep
from linsep.data.sources.of_batches import ArraySource, ExcelSource, FrameSource, ParquetSource, QuerySource
from linsep.data.sources.of_text import TextSource
from linsep.data.sources.source import Source
from linsep.tables import check_index, column_names
from linsep.types import DataError

__all__ = ["Source", "open_data"]

_SUFFIXES = {
    "csv": (".csv", ".tsv", ".tab", ".txt"),
    "parquet": (".parquet",),
    "jsonl": (".jsonl", ".ndjson"),
    "svmlight": (".svmlight", ".svm", ".libsvm"),
    "vw": (".vw",),
    "excel": (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"),
}
FORMATS = tuple(_SUFFIXES)
_TEXT_READERS = {
    "csv": ("csv", "CsvReader"),
    "jsonl": ("jsonl", "JsonlReader"),
    "svmlight": ("sparse_text", "SvmlightReader"),
    "vw": ("sparse_text", "VowpalReader"),
}
_SEP_BY_SUFFIX = {".tsv": "\t", ".tab": "\t"}  # what separates the columns where the suffix tells
DATABASES = (".db", ".sqlite", ".sqlite3", ".duckdb", ".ddb")
# Where which ways to write rows can be asked for.
_WAYS = {
    ("csv",): ("sep", "decimal", "header"),
    ("excel",): ("sheet",),
    ("csv", "excel"): ("skip_rows",),
    ("csv", "jsonl", "excel"): ("na",),
    tuple(_TEXT_READERS): ("encoding",),
}
_USUAL = Asked()
_CHOICE = "csv, parquet, jsonl, svmlight, vw or excel"


def open_data(
    source: Any,
    *,
    target: str | None = None,
    format: str | None = None,
    categorical: Collection[str] = (),
    bits: int = 18,
    max_record_bytes: int = 1 << 24,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    query: str | None = None,
    drop_unlabelled: bool = False,
    na: Collection[str] = (),
    skip_rows: int = 0,
    sheet: str | None = None,
    header: bool = True,
) -> Source:
    """Return the rows of `source`, whatever it is, as a `Source`: all rows at once or a chunk at a time.

    Parameters
    ----------
    source : path, "-", list of paths, bytes, file object, dataframe, database, or (X, y)
        CSV (.csv, .tsv, .txt), JSON lines (.jsonl, .ndjson), Parquet (.parquet), svmlight (.svmlight, .svm, .libsvm) or
        Vowpal Wabbit text (.vw), spreadsheets (.xlsx, .xls, .xlsb, .ods; needs the extra excel), as they are or
        compressed (.gz, .zst): a file, a folder of files, a pattern such as 'part-*.csv.gz', several of them, "-"
        for standard input, a binary file object or bytes. Or a pandas, Polars or Arrow table; or a matrix (dense or
        sparse) with its labels, or (X, None). With `query` the path of a DuckDB or SQLite database.
    target : str, optional
        The column that holds the label; None where there is none, and for svmlight, Vowpal Wabbit text and (X, y).
    format : {"csv", "parquet", "jsonl", "svmlight", "vw", "excel"}, optional
        Needed where the name does not tell; what has no name is CSV unless told otherwise.
    categorical : collection of str
        Columns to read as text even if they hold numbers.
    bits : int, default=18
        Vowpal Wabbit's names are hashed to 2**bits columns.
    max_record_bytes : int, default=2**24
        In chunks of text: the most bytes of one line, or of one CSV record with line ends in quotes. A piece of the
        text (0.5 MB, of tables 2 MB) may always be one record.
    sep : str, optional
        Of CSV: the character between the columns, or "tab". Otherwise the first lines tell (of a .tsv file its name).
    decimal : {".", ","}, optional
        Of CSV: the decimal mark. Otherwise the first lines tell; with commas between the columns it is the point.
    encoding : str, optional
        Of text: "utf-8", "utf-16", "latin-1", "cp1252" or another name that Python knows. Otherwise UTF-8, or UTF-16
        where the file begins with a byte order mark; text that is neither is refused.
    query : str, optional
        A SELECT: its rows are read, under the names that it gives. The database is opened for reading alone. DuckDB
        needs the extra sql. Passes, and a run that goes on from a checkpoint, ask anew and refuse other rows, or the
        same in another order.
    drop_unlabelled : bool, default=False
        Leave out rows of a table whose label is missing, and count them (`unlabelled`); otherwise they are refused.
    na : collection of str
        Of CSV, JSON lines and spreadsheets: cells that stand for no value, in every column, such as "k.A."; blanks
        around a cell do not count, and "-999" is -999.0 too. What stands for no value in a column of numbers anyway
        (NA, #N/A, -, ...) need not be named.
    skip_rows : int, default=0
        Of CSV and spreadsheets: the number of lines or rows above the names of the columns, such as a title. Lines
        and rows are counted with them in messages.
    sheet : str, optional
        Of spreadsheets: the sheet to read; needed where several hold cells.
    header : bool, default=True
        Of CSV: whether the first line has the names of the columns; otherwise they are called 1, 2, 3 and so on.

    Returns
    -------
    Source
        `read()` gives all rows as one chunk, `chunks()` some rows at a time in constant memory.

    Raises
    ------
    DataError
        There is no such file or format. While rows are read: anything malformed, with file, line and column, what was
        expected, and what to do.

    Examples
    --------
    >>> import numpy as np
    >>> open_data((np.eye(3), [0, 1, 1])).read().X.shape
    (3, 3)
    >>> [chunk.n_rows for chunk, position in open_data(b"a,y\\n1,p\\n2,q\\n", target="y").chunks()]
    [2]
    """
    if drop_unlabelled and target is None:
        raise DataError("drop_unlabelled is for tables: name the label column with target (--target)")
    if isinstance(source, tuple) and query is None:
        if len(source) != 2:
            raise DataError(f"rows and labels are given as (X, y), got a tuple of {len(source)}")
        return ArraySource(*source)
    asked = Asked(
        target=target,
        categorical=frozenset(categorical),
        bits=bits,
        max_record_bytes=max_record_bytes,
        sep=check_sep(sep),
        decimal=check_decimal(decimal),
        encoding=None if encoding is None else encoding_named(encoding),
        query=query,
        drop_unlabelled=drop_unlabelled,
        na=_texts_of(na),
        skip_rows=skip_rows,
        sheet=sheet,
        header=header,
    )
    if query is not None:
        _check_ways(asked, "a query")
        if format is not None or not isinstance(source, str | Path):
            raise DataError("a query is asked of a database: give its path, and no format")
        return QuerySource(str(source), asked)
    inputs, name = _inputs_of(source)
    if not inputs:
        _check_ways(asked, "a dataframe")
        return FrameSource(source, asked)
    names = [file.name for file in inputs if _has_name(file)]
    chosen = choose_format(names, format)
    _check_ways(asked, chosen)
    if chosen == "csv" and asked.sep is None:
        asked.sep = sep_of(names)
    if chosen == "excel":
        return ExcelSource(inputs, name, asked)
    if chosen == "parquet":
        return ParquetSource(inputs, name, asked)
    reader = text_reader(chosen, asked)
    if reader.kind == "rows" and target is not None:
        raise DataError(f"{chosen} lines begin with their label: leave the target out")
    return TextSource(inputs, reader, name, chosen, asked)


def source_of(X: Any, y: Any) -> Source:
    """Rows in memory with their labels; a dataframe keeps the names of its columns."""
    if isinstance(X, Source):
        if y is not None:
            raise DataError("a source has its labels: leave out y")
        return X
    if isinstance(y, str):
        return open_data(X, target=y)
    if y is None:
        raise DataError("these rows have no labels: give them as y, or the name of the column that holds them")
    check_index(X, y)
    names = column_names(X)
    if names is None:
        return open_data((X, y))
    table, label = dataframe_to_arrow(X, None), "label"
    while label in names:
        label += " "
    labels = labels_of(y)
    if labels.shape != (table.num_rows,):
        raise DataError(f"X has {table.num_rows:,} rows and y has the shape {labels.shape}: give a label for each row")
    return open_data(table.append_column(label, [labels.tolist()]), target=label)


def _texts_of(na: Collection[str]) -> frozenset[str]:
    """The cells that stand for no value, without blanks around them."""
    if isinstance(na, str):
        raise DataError(f"na is a list of texts, such as [{na!r}], not one text")
    return frozenset(text.strip() for text in na) - {""}


def _check_ways(asked: Asked, chosen: str) -> None:
    """Raise DataError for what is asked about the writing of rows where they are not written so."""
    for formats, names in _WAYS.items():
        for name in names if chosen not in formats else ():
            if getattr(asked, name) != getattr(_USUAL, name):
                raise DataError(f"{name} is for {', '.join(formats)}, and this is {chosen}")


def _inputs_of(source: Any) -> tuple[list[Input], str]:
    """What is read and what it is called; nothing where the source is no file."""
    if isinstance(source, bytes | bytearray | memoryview) or hasattr(source, "read"):
        file = Input(source)
        return [file], file.name
    listed = source if isinstance(source, list) else [source]
    if not listed or not all(isinstance(one, str | Path) for one in listed):
        return [], ""
    inputs = [Input(path) for one in listed for path in find_files(str(one))]
    name = ", ".join("standard input" if str(one) == "-" else str(one) for one in listed[:3])
    return inputs, name


def _has_name(file: Input) -> bool:
    return file.path != "-" if file.path is not None else file.name not in ("buffer", "file object")


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
    suffix = Path(bare_name(name)).suffix.lower()
    return next((format for format, suffixes in _SUFFIXES.items() if suffix in suffixes), None)


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
        raise DataError(f"{names[0]}: {said}; use --read format (format=) {_CHOICE}")
    return told


def find_files(source: str) -> list[str]:
    """The files that a path, a folder or a pattern such as 'part-*.csv.gz' names, in order.

    "-" is itself.

    Raises
    ------
    DataError
        There is none.
    """
    if source == "-":
        return [source]
    path = Path(source)
    if path.is_dir():
        found = sorted(str(p) for p in path.iterdir() if p.is_file() and not p.name.startswith((".", "_")))
        if not found:
            raise DataError(f"{source} is a folder without files")
    elif path.exists():
        found = [source]
    else:
        found = sorted(p for p in glob.glob(source, recursive=True) if Path(p).is_file())
    if not found:
        fetch = "; fetch it first, or send it through a pipe, as in `curl ADDRESS | linsep fit -`"
        raise DataError(f"{source}: there is no file of that name{fetch if '://' in source else ''}")
    return found
