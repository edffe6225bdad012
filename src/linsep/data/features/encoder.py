"""Columns to features: numbers standardised, categories one indicator a level, dates, text; the state is plain data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np
import scipy

from linsep.data.columns import TableChunk
from linsep.data.features import missing as gaps
from linsep.data.features.exact_decimals import row_names
from linsep.data.features.fitted_columns import Fitted, Unknown, check_columns, encode_as_fitted, fit_columns, moments
from linsep.data.features.kinds import CATEGORY, NUMBER, derive, find_kinds, is_words, kinds_in_stream
from linsep.data.features.known_columns import KnownColumns
from linsep.data.features.missing import Missing
from linsep.data.features.running_moments import MOST_NAMES, RunningTable, check_size, check_size_of_entries
from linsep.data.features.words import Grams
from linsep.data.numbers import is_amount, unit_of
from linsep.data.sources.open import open_data
from linsep.data.sources.source import Source
from linsep.scikit import BaseEstimator, TransformerMixin, join_if_loaded
from linsep.tables import is_matrix
from linsep.types import Array, Chunk, DataError


class TableEncoder(KnownColumns, TransformerMixin, BaseEstimator):
    """Learn how columns become numbers from one table, and encode later tables in the same way.

    After `fit`, which sees all rows, a number x becomes (x - mean) / s, where s is the population standard deviation (1
    for a constant column). Sparse rows are divided by s and not centred. A category becomes one indicator for each of
    its levels, in sorted order; a level that `fit` did not see becomes all zeros and is counted. A date becomes the
    elapsed days (seconds, if it has a time of day), the month, the weekday and the hour. Running text becomes the
    weights of its words (`fit_words`). Columns that name the rows are left out. Which column is what `fit` finds out
    (`find_kinds`), unless `columns` says so.

    After `partial_fit`, which sees a stream, means and deviations are those of the rows so far. Categories are hashed
    with a sign to 2**bits columns, so every level has a place. The hashed columns come first, then the numbers.

    Parameters
    ----------
    bits : int, default=18
        In a stream: categories and text are hashed to 2**bits columns.
    columns : dict of str to str, optional
        What columns hold: "number", "category", "date", a way to write dates like "%d.%m.%Y", a number with a unit like
        "0.0 mg", "text", "words1-2" or "chars3-5" for running text in runs of words or characters, or "skip".
    missing : {"drop", "mean", "median", "indicator", "error"}, optional
        What becomes of missing values. A missing category is a category of its own. For a missing number stands the
        mean or the median of the rows of `fit`; with "indicator" the mean, and each number that was missing in a row of
        `fit` has one more feature, which is 1 where it is missing. With "drop" `fit` leaves rows out that have a
        missing value. None is "indicator", and "mean" in a stream, where the columns that lack values are not known
        before.

    Attributes
    ----------
    feature_names_ : list of str
        The column's name for a number, "column=level" for an indicator, "x1", "x2", ... for the columns of a matrix.
    feature_signs_ : ndarray
        -1 where a hashed feature counts with its sign turned, 1 elsewhere.
    text_columns : list of str
        The columns that hold categories, dates, text or numbers with a unit.
    kinds_ : dict
        Column -> what it holds, for those that are neither a number nor a category, or of which `columns` says it.
    left_out_ : dict
        Column -> why `fit` left it out.
    doubts_ : list of str
        What `fit` could not decide.
    target : str or None
        The label column of the source that `fit` saw.
    na_ : frozenset of str
        Cells that the source was said to have in place of no value; `score_table` and `iter_predictions` read alike,
        and such numbers of dataframes and Parquet are missing, too.
    decimal_ : str or None
        "," where the CSV that was learnt from has decimal commas; new CSV whose numbers do not tell is read alike.
    unknown_ : dict
        Column -> rows with an unknown level in the last `transform`; missing values are not among them.
    first_unknown_ : dict
        Column -> the first three of those levels, each with the place of its first row.
    ignored_ : int
        Matrix columns beyond those seen in `fit`, in the last `transform`.
    missing_ : dict
        Column -> missing values in the rows of `fit`.
    new_missing_ : dict
        Column -> missing values in the last `transform`, where `fit` saw none.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from linsep.data.sources.open import open_data
    >>> source = open_data(pa.table({"a": [1.0, 3.0], "b": ["u", "v"]}))
    >>> encoder = TableEncoder().fit(source)
    >>> encoder.feature_names_
    ['a', 'b=u', 'b=v']
    >>> float(encoder.transform(source).X[1, 0])
    1.0
    """

    def __init__(
        self,
        *,
        bits: int = 18,
        columns: Mapping[str, str] | None = None,
        missing: Missing | None = None,
    ) -> None:
        join_if_loaded()
        self.bits = bits
        self.missing = missing
        self.columns = columns
        super().__init__()

    # -------------------------------------------------------------------- fit
    def fit(self, source: Any, y: Any = None) -> Self:
        """Learn levels, means and standard deviations.

        Parameters
        ----------
        source : Source, dataframe or array
            All rows.
        y : object, optional
            Ignored.

        Returns
        -------
        self

        Raises
        ------
        DataError
            A column cannot be read, or its numbers are too large to be standardised.

        Examples
        --------
        >>> TableEncoder().fit(np.array([[1.0], [3.0]])).transform(np.array([[5.0]])).tolist()
        [[3.0]]
        """
        source = _as_source(source)
        gaps.check_way(self.missing)
        chunk = source.read()
        self.target, self._first_index = source.target, source.first_index  # the index is known after reading
        self.na_, self.decimal_ = source.asked.na, source.decimal
        return self.fit_chunk(chunk, source.name)

    def fit_chunk(self, chunk: TableChunk | Chunk, name: str) -> Self:
        """As `fit`, from rows that are read already.

        Parameters
        ----------
        chunk : TableChunk or Chunk
            The rows.
        name : str
            That of their source, for messages.

        Returns
        -------
        self
        """
        self._running, self.missing_ = None, {}
        if isinstance(chunk, Chunk):
            self._kind = "rows"
            mean, scale = moments(chunk.X, row_names(chunk.X.shape[1], self._first_index))
            self._fitted = Fitted({}, mean, scale, np.empty(0))
            return self
        self._kind = "table"
        self.kinds_, self.left_out_, self.doubts_ = find_kinds(chunk, self.columns or {})
        chunk = derive(chunk, self.kinds_)
        gaps.count_missing(chunk, self.missing_)
        gaps.refuse_missing(chunk, self.missing)
        kept = gaps.rows_to_learn(chunk, self.missing)
        if kept is not None and not kept.any():
            raise gaps.none_left(chunk, name)
        grams = {column: Grams.parse(kind) for column, kind in self.kinds_.items() if is_words(kind)}
        self._fitted = fit_columns(chunk if kept is None else chunk.take(kept), self.way, grams)
        return self

    def alike(self) -> TableEncoder:
        """Return an encoder, not fitted, that takes the columns to hold what this one found that they hold."""
        texts = set(self.text_columns)
        kinds = {name: CATEGORY if name in texts else NUMBER for name in self.column_names or ()} | self.kinds_
        other = TableEncoder(columns=kinds, missing=self.missing)
        other.target, other.na_, other.decimal_ = self.target, self.na_, self.decimal_
        return other

    def partial_fit(self, source: Any, y: Any = None) -> Self:
        """Learn from the next rows of a stream.

        Parameters
        ----------
        source : Source, TableChunk or dataframe
            The rows.
        y : object, optional
            Ignored.

        Returns
        -------
        self

        Raises
        ------
        DataError
            A column is missing or new, or holds text where the rows before held numbers.

        Examples
        --------
        >>> import pyarrow as pa
        >>> encoder = TableEncoder(bits=8)
        >>> for size in ([50.0, 70.0], [60.0, 60.0]):
        ...     encoder = encoder.partial_fit(pa.table({"city": ["Oslo", "Rome"], "size": size}))
        >>> encoder.transform(pa.table({"city": ["Oslo"], "size": [60.0]})).toarray()[0, -1].item()
        0.0
        """
        self.learn_chunk(source if isinstance(source, TableChunk) else _as_source(source).read())
        return self

    def learn_chunk(self, chunk: TableChunk | Chunk) -> Any:
        """Learn from the next rows of a stream and return them encoded: row t by means and deviations of rows 1 to t.

        Rows of a matrix stay as they are.
        """
        self.check_chunk(chunk)
        if isinstance(chunk, Chunk):
            self._kind, self._first_index = "rows", 0
            width = chunk.X.shape[1]
            if width > len(self._fitted.scale):  # one number each, however wide the rows
                self._fitted = Fitted({}, np.broadcast_to(0.0, width), np.broadcast_to(1.0, width), np.empty(0))
            return chunk.X
        known = self._as_met(chunk)
        gaps.count_missing(known, self.missing_)
        if self._running is None:
            self.kinds_ = kinds_in_stream(chunk, self.columns or {})
            self._running = RunningTable(self.bits, self._text, flags=self.missing == "indicator")
        return self._running.encode(known, learn=True)

    def encode_chunk(self, chunk: TableChunk | Chunk, decimal: str | None = None) -> Any:
        """Return rows encoded by what was learnt so far; nothing is learnt from them.

        Parameters
        ----------
        chunk : TableChunk or Chunk
            The rows.
        decimal : str, optional
            The decimal mark of numbers with a unit, if another one is asked for than in training.

        Raises
        ------
        DataError
            A column is missing, or a cell holds no number or date where the model knows such a column.
        """
        if isinstance(chunk, Chunk):
            if self._kind != "rows":
                raise DataError("the model was trained on tables, and these are rows of numbers")
            return self._scaled(aligned(chunk.X, self._first_index, 0))
        if self._kind == "rows":
            raise DataError("the model was trained on rows, and these are tables")
        chunk = self._as_known(chunk, decimal)
        kinds = self.made.kinds
        hashed = () if self._running is None else [name for name in kinds if kinds[name] not in ("number", "text")]
        gaps.note_missing(chunk, kinds, self.missing, self.missing_, self.new_missing_, hashed)
        if self._running is None:
            unknown = Unknown(self.unknown_, self.first_unknown_, self.new_missing_)
            return encode_as_fitted(chunk, self._fitted, unknown)
        return self._running.encode(chunk, learn=False)

    def _as_known(self, chunk: TableChunk, decimal: str | None = None) -> TableChunk:
        """New rows with their columns read as they are known; missing in all are those that JSON lines lack.

        Raises
        ------
        DataError
            Other rows lack a column, or a cell is none that the column may hold.
        """
        known, made = self.column_names or [], self.made.kinds
        if not chunk.keyed or (self._running is None and not set(known).intersection(chunk.names)):
            check_columns(chunk, known)
        kinds = {name: NUMBER if kind == "number" else CATEGORY for name, kind in made.items() if kind != "text"}
        for name, kind in self.kinds_.items():
            kinds[name] = f"0{decimal}0 {unit_of(kind)}" if decimal and is_amount(kind) else kind
        return derive(chunk.with_columns(known), kinds)

    def named_as_read(self, chunk: TableChunk) -> TableChunk:
        """Return rows of a stream with their columns as they are called, and read as in its first rows.

        A piece in which all cells of a column of numbers are NA would have it for a category.

        Parameters
        ----------
        chunk : TableChunk
            The rows.

        Returns
        -------
        TableChunk
            The same rows.
        """
        if chunk.keyed:
            chunk = chunk.with_columns(self.column_names or [])
        if self._running is None:
            return chunk
        known = self._as_known(chunk)
        return replace(chunk, parse=lambda name: (known if name in known.names else chunk).cells(name), _parsed={})

    def _as_met(self, chunk: TableChunk) -> TableChunk:
        """The next rows of a stream with their columns read as in its first rows, which these may be."""
        if self._running is not None:
            return self._as_known(chunk)
        return derive(chunk, kinds_in_stream(chunk, self.columns or {}))

    def check_chunk(self, chunk: TableChunk | Chunk) -> None:
        """Raise DataError unless `learn_chunk` can learn from the rows.

        Numbers beyond 1e100 are refused, as sums of their squares may be infinite, and the means, scales and weights of
        all later rows would be lost with them.
        """
        if isinstance(chunk, Chunk):
            check_size_of_entries(chunk)
            return
        gaps.check_way(self.missing, stream=True)
        chunk = self._as_met(chunk)
        gaps.refuse_missing(chunk, self.missing)
        for name in chunk.names:
            check_size(chunk.cells(name), chunk)

    def forget_names(self, weight: Callable[[], Array]) -> None:
        """Drop names of hashed features if too many are kept, smallest |weight| first; `weight()` has one a feature."""
        if self._running is not None and len(self._running.names) > MOST_NAMES:
            self._running.forget_names(weight())

    # -------------------------------------------------------------- transform
    def transform(self, source: Any) -> Any:
        """Return rows as numbers.

        Parameters
        ----------
        source : Source, dataframe or array
            Columns that `fit` did not see are ignored.

        Returns
        -------
        Chunk, ndarray or SciPy CSR matrix
            `Chunk(X, y, start)` for a `Source`, else X alone.

        Raises
        ------
        DataError
            A column is missing, or holds text where there were numbers.

        Examples
        --------
        >>> import pyarrow as pa
        >>> encoder = TableEncoder().fit(pa.table({"city": ["Oslo", "Rome"]}))
        >>> encoder.transform(pa.table({"city": ["Rome", "Bari"]})).tolist(), encoder.unknown_
        ([[0.0, 1.0], [0.0, 0.0]], {'city': 1})
        """
        if not isinstance(source, Source):
            return self.transform(_as_source(source)).X
        source.asked.na |= self.na_
        self.start_counting(source)
        if source.kind != self._kind:
            raise DataError(f"the model was trained on {self._kind}, and {source.name} holds {source.kind}")
        chunk = source.read()
        if self._kind == "rows":
            X = aligned(chunk.X, self._first_index, source.first_index)
            return Chunk(self._scaled(X), chunk.y, chunk.start)
        return Chunk(self.encode_chunk(chunk), chunk.y, chunk.start)

    def start_counting(self, source: Source) -> None:
        """Set to 0 what `unknown_` and `ignored_` count in the rows of a source."""
        self.unknown_, self.first_unknown_, self.new_missing_ = {}, {}, {}
        self.ignored_ = 0

    def _scaled(self, X: Any) -> Any:
        """(x - mean) / scale; sparse rows are not centred. Further columns are left out; those they lack are 0."""
        mean, scale = self._fitted.mean, self._fitted.scale
        p = len(scale)
        self.ignored_ = max(self.ignored_, X.shape[1] - p)
        if isinstance(X, np.ndarray):
            if X.shape[1] < p:
                raise DataError(f"the model was trained on {p} features, these rows have {X.shape[1]}")
            return (X[:, :p] - mean) / scale
        X = scipy.sparse.csr_matrix(X[:, :p], dtype=np.float64, copy=True)
        X.resize(X.shape[0], p)
        X.data /= scale[X.indices]
        return X


def aligned(X: Any, ours: int | None, theirs: int | None) -> Any:
    """Sparse rows with the columns where they were in `fit`, whichever index they begin with; None for arrays."""
    if ours is None or theirs is None or ours == theirs:
        return X
    if ours == 0:
        return scipy.sparse.hstack([scipy.sparse.csr_matrix((X.shape[0], 1)), X], format="csr")
    if (X.indices == 0).any():
        raise DataError("there is an index 0, and the model was trained on indices from 1")
    return X[:, 1:]


def _as_source(rows: Any) -> Source:
    return rows if isinstance(rows, Source) else open_data((rows, None) if is_matrix(rows) else rows)
