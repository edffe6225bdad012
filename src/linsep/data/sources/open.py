"""One door for whatever a user has: a path, standard input, a dataframe or arrays."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np

from linsep.data.columns import TableChunk, as_labels
from linsep.data.readers.csv import read_csv
from linsep.data.readers.parquet import from_dataframe, read_parquet
from linsep.data.readers.svmlight import Decimals, SparseText, read_svmlight
from linsep.types import Chunk, DataError

Format = Literal["csv", "parquet", "svmlight"]
_BY_SUFFIX = {".csv": "csv", ".parquet": "parquet", ".svmlight": "svmlight", ".svm": "svmlight", ".libsvm": "svmlight"}


class Source:
    """Rows that can be read again and again: iterate for chunks, or take all of them with `read`.

    `kind` is "table" for named columns (`TableChunk`s) and "rows" for matrices (`Chunk`s). Once read, svmlight text
    tells the index of its first column (`first_index`, 0 or 1) and its values as written (`decimals`).
    """

    def __init__(self, name: str, kind: Literal["table", "rows"], target: str | None, read: Callable[[], Any]) -> None:
        self.first_index: int | None = None
        self.decimals: Decimals | None = None
        self.name = name
        self.kind = kind
        self.target = target
        self._read = read
        self._chunk: TableChunk | Chunk | None = None

    def read(self) -> Any:
        """Return all rows as one chunk; they are read once and kept."""
        if self._chunk is None:
            found = self._read()
            if isinstance(found, SparseText):
                found, self.first_index, self.decimals = found
            self._chunk = found
        return self._chunk

    def __iter__(self) -> Iterator[TableChunk | Chunk]:
        yield self.read()

    def __repr__(self) -> str:
        return f"<Source {self.name}>"


def open_data(
    source: Any, *, target: str | None = None, format: str | None = None, categorical: Collection[str] = ()
) -> Source:
    """Return the rows of `source`, whatever it is, as a `Source` of chunks.

    Parameters
    ----------
    source : path, "-", dataframe, or (X, y)
        CSV (.csv, .csv.gz), Parquet (.parquet) or svmlight (.svmlight, .svm, .libsvm, also .gz); "-" is standard input;
        a pandas, Polars or Arrow table; a matrix (dense or sparse) with its labels, or (X, None).
    target : str, optional
        The column that holds the label; None where there is none, and for svmlight and (X, y).
    format : {"csv", "parquet", "svmlight"}, optional
        Where the name does not tell; standard input is CSV unless told otherwise.
    categorical : collection of str
        Columns to read as text even if they hold numbers.

    Raises
    ------
    DataError
        For anything malformed: file, line and column, what was expected, and what to do.

    Examples
    --------
    >>> import numpy as np
    >>> open_data((np.eye(3), [0, 1, 1])).read().X.shape
    (3, 3)
    """
    if isinstance(source, tuple):
        return Source("arrays", "rows", None, lambda: _from_arrays(*source))
    if not isinstance(source, str | Path):
        return Source("dataframe", "table", target, lambda: from_dataframe(source, target, categorical))
    name = "standard input" if str(source) == "-" else str(source)
    chosen = format or _guess_format(str(source))
    if chosen not in _BY_SUFFIX.values():
        raise DataError(f"no format called {chosen!r}: choose csv, parquet or svmlight")
    if chosen == "svmlight":
        if target is not None:
            raise DataError("svmlight lines begin with their label: leave the target out")
        return Source(name, "rows", None, lambda: read_svmlight(read_content(source), name))
    if chosen == "parquet":
        return Source(name, "table", target, lambda: read_parquet(read_content(source), name, target, categorical))
    return Source(name, "table", target, lambda: read_csv(read_content(source), name, target, categorical))


def _guess_format(name: str) -> str:
    if name == "-":
        return "csv"
    suffix = Path(name.removesuffix(".gz")).suffix.lower()
    if suffix not in _BY_SUFFIX:
        raise DataError(f"{name}: the name does not tell its format; say --format csv, parquet or svmlight")
    return _BY_SUFFIX[suffix]


def read_content(source: str | Path) -> bytes:
    """The bytes of a file, or of standard input for "-"; gzip is undone."""
    if str(source) == "-":
        content = sys.stdin.buffer.read()
    else:
        path = Path(source)
        if path.is_dir():
            raise DataError(f"{path} is a folder: name a file in it")
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            raise DataError(f"there is no file {path}") from None
    if not content.startswith(b"\x1f\x8b"):
        return content
    try:
        return gzip.decompress(content)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DataError(f"{source}: the compressed file is cut short or damaged ({error}); fetch it again") from None


def _from_arrays(X: Any, y: Any) -> Chunk:
    X = X.tocsr() if hasattr(X, "tocsr") else np.asarray(X)
    if X.ndim != 2 or X.shape[0] == 0 or X.shape[1] == 0:
        raise DataError(f"rows of features are needed, got an array of shape {X.shape}")
    try:
        X = X.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise DataError(f"X holds something that is no number: {error}") from None
    if not isinstance(X, np.ndarray) and not X.has_canonical_format:
        X = X.copy()  # what the user gave stays as it is
        X.sum_duplicates()
    _refuse_non_finite(X)
    labels = None if y is None else as_labels(y, lambda row: f"row {row}", "y")
    if labels is not None and len(labels) != X.shape[0]:
        raise DataError(f"{X.shape[0]} rows but {len(labels)} labels")
    return Chunk(X, labels, 0)


def _refuse_non_finite(X: Any) -> None:
    stored = X if isinstance(X, np.ndarray) else X.data
    if np.isfinite(stored).all():
        return
    place = np.argwhere(~np.isfinite(stored))[0]
    value = stored[tuple(place)]
    if not isinstance(X, np.ndarray):
        place = np.array([np.searchsorted(X.indptr, place[0], side="right") - 1, X.indices[place[0]]])
    raise DataError(f"row {place[0]}, column {place[1]}: {value} is not a finite number")
