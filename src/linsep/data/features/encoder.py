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
from linsep.data.features.fitted_columns import Levels, encode_as_fitted, fit_columns, moments
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
        self, *, bits: int = 18, text: Mapping[str, str] | Collection[str] = (), open_columns: bool = False
    ) -> None:
        self.bits = bits
        self.open_columns = open_columns
        self.text = text
        self._running: RunningTable | None = None
        self.target: str | None = None
        self.unknown_: dict[str, int] = {}
        self.ignored_ = 0
        self._kind = "table"
        # The index that svmlight text gives to the first matrix column; None for arrays.
        self._first_index: int | None = None
        # Levels of each text column, None for numbers, in the order of the columns.
        self._levels: Levels = {}
        self._mean = np.empty(0)
        self._scale = np.empty(0)

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
        self._running = None
        self._kind, self.target = source.kind, source.target
        chunk = source.read()
        self._first_index = source.first_index
        if source.kind == "rows":
            self._levels = {}
            self._mean, self._scale = moments(chunk.X, row_names(chunk.X.shape[1], self._first_index))
            return self
        self._levels, self._mean, self._scale = fit_columns(chunk)
        return self

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
            if width > len(self._scale):  # one number each, however wide the rows
                self._mean, self._scale = np.broadcast_to(0.0, width), np.broadcast_to(1.0, width)
            return chunk.X
        if self._running is None:
            text = self.text if isinstance(self.text, Mapping) else dict.fromkeys(self.text, "words")
            self._running = RunningTable(self.bits, text, is_open=self.open_columns)
        return self._running.encode(chunk, learn=True)

    def encode_chunk(self, chunk: TableChunk | Chunk) -> Any:
        """Return rows encoded by what was learnt so far; nothing is learnt from them."""
        if isinstance(chunk, Chunk):
            return self._scale_rows(self._from_first(chunk))
        if self._kind == "rows":
            raise DataError("the model was trained on rows, and these are tables")
        if self._running is None:
            return encode_as_fitted(chunk, self._levels, self._mean, self._scale, self.unknown_)
        return self._running.encode(chunk, learn=False)

    def check_chunk(self, chunk: TableChunk | Chunk) -> None:
        """Raise DataError unless `learn_chunk` can learn from the rows.

        Numbers beyond 1e100 are refused, as sums of their squares may be infinite, and the means, scales and weights of
        all later rows would be lost with them.
        """
        if isinstance(chunk, Chunk):
            check_size_of_entries(chunk)
            return
        if self._running is not None:
            self._running.check(chunk)
        for column in chunk.columns:
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
        return [name for name, levels in self._levels.items() if levels is not None]

    @property
    def column_names(self) -> list[str] | None:
        """The columns that it was fitted to, in their order; None for rows of numbers, which have no names."""
        if self._kind == "rows":
            return None
        return list(self._levels if self._running is None else self._running.kinds)

    @property
    def is_running(self) -> bool:
        """Whether it is the encoder of a table in a stream, made by `partial_fit`."""
        return self._running is not None

    @property
    def feature_names_(self) -> list[str]:
        if self._kind == "rows":
            return row_names(len(self._scale), self._first_index)
        if self._running is not None:
            return self._running.feature_names()
        names = []
        for name, levels in self._levels.items():
            names += [name] if levels is None else [f"{name}={level}" for level in levels]
        return names

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
        p = len(self._scale)
        self.ignored_ = max(self.ignored_, X.shape[1] - p)
        if isinstance(X, np.ndarray):
            if X.shape[1] < p:
                raise DataError(f"the model was trained on {p} features, these rows have {X.shape[1]}")
            return (X[:, :p] - self._mean) / self._scale
        X = sp.csr_matrix(X[:, :p], dtype=np.float64, copy=True)
        X.resize(X.shape[0], p)
        X.data /= self._scale[X.indices]
        return X

    # ------------------------------------------------------------------ state
    def state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return all that was learnt as a JSON-able part and an array part."""
        columns = [{"name": name, "levels": levels} for name, levels in self._levels.items()]
        meta: dict[str, Any] = {
            "kind": self._kind,
            "target": self.target,
            "columns": columns,
            "first_index": self._first_index,
        }
        arrays = {"mean": self._mean, "scale": self._scale}
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
        encoder._levels = {c["name"]: c["levels"] for c in meta["columns"]}
        encoder._mean, encoder._scale = arrays["mean"], arrays["scale"]
        if "running" in meta:
            running = {name.removeprefix("running/"): a for name, a in arrays.items() if name.startswith("running/")}
            encoder._running = RunningTable.from_state(meta["running"], running)
            encoder.bits, encoder.open_columns = encoder._running.bits, encoder._running.is_open
            encoder.text = {name: grams.spec for name, grams in encoder._running.text.items()}
        return encoder


def _as_source(rows: Any) -> Source:
    return rows if isinstance(rows, Source) else open_data((rows, None) if is_matrix(rows) else rows)
