"""Columns to features: numbers standardised, text one indicator a level, names kept; the state is plain data."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin

from linsep.data.columns import TableChunk
from linsep.data.features.encoder_state import check_encoder
from linsep.data.features.exact_decimals import row_names
from linsep.data.features.fitted_columns import Fitted, encode_as_fitted, fit_columns, moments
from linsep.data.features.missing import Missing, check_way, count_missing, note_missing, refuse_missing, rows_to_learn
from linsep.data.features.running_moments import MOST_NAMES, RunningTable
from linsep.data.features.sizes import check_size, check_size_of_entries
from linsep.data.sources.open import open_data
from linsep.data.sources.source import Source
from linsep.tables import is_matrix
from linsep.types import Array, Chunk, DataError


class TableEncoder(TransformerMixin, BaseEstimator):
    """Learn how columns become numbers from one table, and encode later tables in the same way.

    After `fit`, which sees all rows, a number x becomes (x - mean) / s, where s is the population standard deviation (1
    for a constant column). Sparse rows are divided by s and not centred. A text column becomes one indicator for each
    of its levels, in sorted order; a level that `fit` did not see becomes all zeros and is counted.

    After `partial_fit`, which sees a stream, means and deviations are those of the rows so far. Categories are hashed
    with a sign to 2**bits columns, so every level has a place. The hashed columns come first, then the numbers.

    Parameters
    ----------
    bits : int, default=18
        In a stream: categories and text are hashed to 2**bits columns.
    text : dict or collection of str, default=()
        In a stream: columns of running text, and what is made of each: "words", "words1-2", "chars3-5" and the like.
    open_columns : bool, default=False
        In a stream: columns join as they appear, and rows may lack some. A row has no entry for a column that it lacks,
        and the mean and deviation of a number are those of the rows that have it.
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
        The columns that hold categories or text.
    target : str or None
        The label column of the source that `fit` saw.
    unknown_ : dict
        Column -> rows with an unknown level in the last `transform`.
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
        text: Mapping[str, str] | Collection[str] = (),
        open_columns: bool = False,
        missing: Missing | None = None,
    ) -> None:
        self.bits = bits
        self.missing = missing
        self.open_columns = open_columns
        self.text = text
        self._running: RunningTable | None = None
        self.target: str | None = None
        self.unknown_: dict[str, int] = {}
        self.ignored_ = 0
        self.missing_: dict[str, int] = {}
        self.new_missing_: dict[str, int] = {}
        self._kind = "table"
        # The index that svmlight text gives to the first matrix column; None for arrays.
        self._first_index: int | None = None
        self._fitted = Fitted({}, np.empty(0), np.empty(0), np.empty(0))

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
        if not isinstance(source, Source):
            source = _as_source(source)
        check_way(self.missing)
        self._running = None
        self._kind, self.target = source.kind, source.target
        chunk = source.read()
        self._first_index = source.first_index
        self.missing_ = {}
        if source.kind == "rows":
            mean, scale = moments(chunk.X, row_names(chunk.X.shape[1], self._first_index))
            self._fitted = Fitted({}, mean, scale, np.empty(0))
            return self
        count_missing(chunk, self.missing_)
        refuse_missing(chunk, self.missing)
        kept = rows_to_learn(chunk, self.missing)
        if kept is not None and not kept.any():
            raise DataError(f"{source.name}: every row has a missing value, and none is left: do not drop them")
        self._fitted = fit_columns(chunk if kept is None else chunk.take(kept), self.way)
        return self

    @property
    def way(self) -> Missing:
        """What becomes of missing values: `missing`, or what stands for None."""
        return self.missing or ("indicator" if self._running is None else "mean")

    @property
    def _met(self) -> Collection[str]:
        """The columns that a stream has had, if later rows may not lack them."""
        return () if self._running is None or self.open_columns else self._running.kinds

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
        count_missing(chunk, self.missing_, self._met)
        if self._running is None:
            text = self.text if isinstance(self.text, Mapping) else dict.fromkeys(self.text, "words")
            self._running = RunningTable(self.bits, text, is_open=self.open_columns, flags=self.missing == "indicator")
        return self._running.encode(chunk, learn=True)

    def encode_chunk(self, chunk: TableChunk | Chunk) -> Any:
        """Return rows encoded by what was learnt so far; nothing is learnt from them."""
        if isinstance(chunk, Chunk):
            return self._scale_rows(self._from_first(chunk))
        if self._kind == "rows":
            raise DataError("the model was trained on rows, and these are tables")
        note_missing(chunk, self.column_names or [], self.missing, self.missing_, self.new_missing_)
        if self._running is None:
            return encode_as_fitted(chunk, self._fitted, self.unknown_)
        return self._running.encode(chunk, learn=False)

    def check_chunk(self, chunk: TableChunk | Chunk) -> None:
        """Raise DataError unless `learn_chunk` can learn from the rows.

        Numbers beyond 1e100 are refused, as sums of their squares may be infinite, and the means, scales and weights of
        all later rows would be lost with them.
        """
        if isinstance(chunk, Chunk):
            check_size_of_entries(chunk)
            return
        check_way(self.missing, stream=True)
        refuse_missing(chunk, self.missing, self._met)
        if self._running is not None:
            self._running.check(chunk)
        for name in chunk.names:
            column = chunk.cells(name)
            if column is not None:
                check_size(column, chunk)

    def forget_names(self, weight: Callable[[], Array]) -> None:
        """Drop names of hashed features if too many are kept, smallest |weight| first; `weight()` has one a feature."""
        if self._running is not None and len(self._running.names) > MOST_NAMES:
            self._running.forget_names(weight())

    @property
    def text_columns(self) -> list[str]:
        """Columns that hold categories or text."""
        if self._running is not None:
            return [name for name, kind in self._running.kinds.items() if kind != "number"]
        return [name for name, levels in self._fitted.levels.items() if levels is not None]

    @property
    def column_names(self) -> list[str] | None:
        """The columns that it was fitted to, in their order; None for rows of numbers, which have no names."""
        if self._kind == "rows":
            return None
        return list(self._fitted.levels if self._running is None else self._running.kinds)

    @property
    def is_running(self) -> bool:
        """Whether it is the encoder of a table in a stream, made by `partial_fit`."""
        return self._running is not None

    @property
    def width(self) -> int:
        """How many features a row has."""
        if self._kind == "rows":
            return len(self._fitted.scale)
        return len(self.feature_names_) if self._running is None else self._running.width

    @property
    def feature_names_(self) -> list[str]:
        if self._kind == "rows":
            return row_names(len(self._fitted.scale), self._first_index)
        if self._running is not None:
            return self._running.feature_names()
        return self._fitted.feature_names()

    @property
    def feature_signs_(self) -> Array:
        """-1 where a hashed feature counts with its sign turned, 1 elsewhere."""
        return np.ones(len(self.feature_names_)) if self._running is None else self._running.signs()

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
        self.start_counting()
        if source.kind != self._kind:
            raise DataError(f"the model was trained on {self._kind}, and {source.name} holds {source.kind}")
        chunk = source.read()
        if self._kind == "rows":
            return Chunk(self._scale_rows(self._aligned(chunk.X, source)), chunk.y, chunk.start)
        return Chunk(self.encode_chunk(chunk), chunk.y, chunk.start)

    def start_counting(self) -> None:
        """Set to 0 what `unknown_` and `ignored_` count."""
        self.unknown_ = {}
        self.new_missing_ = {}
        self.ignored_ = 0

    def _aligned(self, X: Any, source: Source) -> Any:
        """Sparse rows with the columns where they were in `fit`, whichever index the file happens to begin with."""
        if self._first_index is None or source.first_index is None or self._first_index == source.first_index:
            return X
        if self._first_index == 1:
            raise DataError(f"{source.name}: there is an index 0, and the model was trained on indices from 1")
        return sp.hstack([sp.csr_matrix((X.shape[0], 1)), X], format="csr")

    def _from_first(self, chunk: Chunk) -> Any:
        """The columns of rows that a stream gave, column j being index j, from the first index of the model on."""
        if self._kind != "rows":
            raise DataError("the model was trained on tables, and these are rows of numbers")
        if self._first_index != 1:
            return chunk.X
        if (chunk.X.indices == 0).any():
            raise DataError("there is an index 0, and the model was trained on indices from 1")
        return chunk.X[:, 1:]

    def _scale_rows(self, X: Any) -> Any:
        mean, scale = self._fitted.mean, self._fitted.scale
        p = len(scale)
        self.ignored_ = max(self.ignored_, X.shape[1] - p)
        if isinstance(X, np.ndarray):
            if X.shape[1] < p:
                raise DataError(f"the model was trained on {p} features, these rows have {X.shape[1]}")
            return (X[:, :p] - mean) / scale
        X = sp.csr_matrix(X[:, :p], dtype=np.float64, copy=True)
        X.resize(X.shape[0], p)
        X.data /= scale[X.indices]
        return X

    # ------------------------------------------------------------------ state
    def state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return all that was learnt as a JSON-able part and an array part."""
        columns = [{"name": name, "levels": levels} for name, levels in self._fitted.levels.items()]
        meta: dict[str, Any] = {
            "kind": self._kind,
            "target": self.target,
            "columns": columns,
            "first_index": self._first_index,
        }
        arrays = {"mean": self._fitted.mean, "scale": self._fitted.scale}
        if self.missing is not None:
            meta["missing"] = self.missing
        if self.missing == "median" and self._running is None:
            arrays["fill"] = self._fitted.fill
        if self.missing_:
            meta["had_missing"] = sorted(self.missing_)
        if self._running is not None:
            meta["running"], running = self._running.state()
            arrays |= {f"running/{name}": array for name, array in running.items()}
        return meta, arrays

    @classmethod
    def from_state(cls, meta: dict[str, Any], arrays: dict[str, Array]) -> Self:
        """Take back what `state` gave."""
        check_encoder(meta, arrays)
        encoder = cls()
        encoder._kind, encoder.target = meta["kind"], meta["target"]
        encoder._first_index = meta["first_index"]
        encoder.missing = meta.get("missing")
        encoder.missing_ = dict.fromkeys(meta.get("had_missing", ()), 0)
        levels = {c["name"]: c["levels"] for c in meta["columns"]}
        flagged = [name for name in encoder.missing_ if levels.get(name, ()) is None and encoder.way == "indicator"]
        mean, scale = arrays["mean"], arrays["scale"]
        fill = arrays.get("fill", np.zeros(len(scale) if meta["kind"] == "table" else 0))
        encoder._fitted = Fitted(levels, mean, scale, fill, frozenset(flagged))
        if "running" in meta:
            running = {name.removeprefix("running/"): a for name, a in arrays.items() if name.startswith("running/")}
            encoder._running = RunningTable.from_state(meta["running"], running)
            encoder.bits, encoder.open_columns = encoder._running.bits, encoder._running.is_open
            encoder.text = {name: grams.spec for name, grams in encoder._running.text.items()}
        return encoder


def _as_source(rows: Any) -> Source:
    return rows if isinstance(rows, Source) else open_data((rows, None) if is_matrix(rows) else rows)
