"""Columns to features: numbers standardised, text one indicator a level, names kept; the state is plain data."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin

from linsep.data.columns import Column, TableChunk, are_numbers, as_text, number_column
from linsep.data.features.exact_decimals import WIDE, row_names
from linsep.data.features.running_moments import MOST_NAMES, RunningTable
from linsep.data.sources.open import open_data
from linsep.data.sources.source import Source
from linsep.tables import dense, is_matrix
from linsep.types import Array, Chunk, DataError


class TableEncoder(TransformerMixin, BaseEstimator):
    """Learn how to turn a source into rows of numbers, and do the same to any later source.

    `fit` sees all rows, `partial_fit` a stream of them.

    A number x becomes (x - mean) / s, s the population standard deviation (1 for a constant column); sparse rows are
    divided by s and not centred. Text becomes one indicator a level, levels sorted; a level not seen in `fit`
    becomes all zeros and is counted.

    After `partial_fit` means and deviations are those of the rows so far, and categories are hashed with a sign to
    2**bits columns, so a level never seen has a place too; the features are the hashed columns, then the numbers.

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
        A number by its column's name, an indicator as "column=level", a matrix column as "x1", "x2", ...
    target : str or None
        The label column of the source it was fitted to.
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
        self._levels: dict[str, list[str] | None] = {}
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
        """
        if not isinstance(source, Source):
            source = _as_source(source)
        self._running = None
        self._kind, self.target = source.kind, source.target
        chunk = source.read()
        self._first_index = source.first_index
        if source.kind == "rows":
            self._levels = {}
            self._mean, self._scale = _moments(chunk.X, row_names(chunk.X.shape[1], self._first_index))
            return self
        self._levels = {c.name: None if c.is_number else sorted(pc.unique(c.text).to_pylist()) for c in chunk.columns}
        numbers = [c for c in chunk.columns if c.values is not None]
        columns = np.column_stack([c.values for c in numbers]) if numbers else np.empty((1, 0))
        self._mean, self._scale = _moments(columns, [c.name for c in numbers])
        return self

    def partial_fit(self, source: Any, y: Any = None) -> Self:
        """Learn from some rows of a stream.

        Parameters
        ----------
        source : Source, TableChunk or dataframe
            The rows.
        y : object, optional
            Ignored.

        Returns
        -------
        self

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
        """Take in the next rows of a stream and return them encoded: row t by what rows 1 to t have told.

        Rows that are numbers already stay as they are.
        """
        if isinstance(chunk, Chunk):
            self._kind, self._first_index = "rows", 0
            if chunk.X.shape[1] > len(self._scale):
                self._scale = np.ones(chunk.X.shape[1])
                self._mean = np.zeros(chunk.X.shape[1])
            return chunk.X
        if self._running is None:
            text = self.text if isinstance(self.text, Mapping) else dict.fromkeys(self.text, "words")
            self._running = RunningTable(self.bits, text, is_open=self.open_columns)
        return self._running.encode(chunk, learn=True)

    def encode_chunk(self, chunk: TableChunk | Chunk) -> Any:
        """Rows of a stream, encoded by what has been learnt so far."""
        if isinstance(chunk, Chunk):
            return self._scale_rows(self._from_first(chunk))
        if self._kind == "rows":
            raise DataError("the model was trained on rows, and these are tables")
        if self._running is None:
            return self._encode(chunk)
        return self._running.encode(chunk, learn=False)

    def check_chunk(self, chunk: TableChunk | Chunk) -> None:
        """Raise DataError unless `learn_chunk` could take the rows in."""
        if isinstance(chunk, TableChunk):
            if self._running is not None:
                self._running.check(chunk)
            else:
                _ = chunk.columns

    def forget_names(self, weight: Callable[[], Array]) -> None:
        """Keep the names of the heaviest features where there are too many; `weight()` has one entry a feature."""
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
        """Encode rows.

        Parameters
        ----------
        source : Source, dataframe or array
            The rows.

        Returns
        -------
        Chunk, ndarray or SciPy CSR matrix
            A `Chunk` for a `Source`, a matrix for a dataframe or an array.

        Raises
        ------
        DataError
            A column is missing, or holds text where `fit` saw numbers. Extra columns are ignored.
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

    def _encode(self, chunk: TableChunk) -> Any:
        missing = [name for name in self._levels if chunk.column(name) is None]
        if missing:
            source = chunk.where(0).rpartition(":")[0] or "the table"
            raise DataError(f"{source}: columns missing: {', '.join(map(repr, missing))}")
        return self._assemble([self._as_fitted(chunk, name) for name in self._levels], chunk.n_rows)

    def _as_fitted(self, chunk: TableChunk, name: str) -> Column:
        """The column as numbers or as text, whichever it was in `fit`."""
        column = chunk.column(name)
        assert column is not None
        if self._levels[name] is not None:
            return Column(name, None, as_text(column.values) if column.text is None else column.text)
        if column.text is None or column.values is not None:
            return column
        bad = np.flatnonzero(~are_numbers(column.text))
        if not bad.size:  # numbers that the source was told to read as categories
            return number_column(name, column.text, chunk.where, is_text=False)
        row = int(bad[0])
        raise DataError(
            f"{chunk.where(row)}, column {name!r}: {column.text[row].as_py()!r} where the model was trained on numbers"
        )

    def _assemble(self, columns: list[Column], n: int) -> Any:
        """Entries column by column: one a row each, a number or a 1 at the place of its level."""
        data = np.ones((n, len(columns)))
        indices = np.empty((n, len(columns)), dtype=np.int64)
        offset = number = 0
        for j, column in enumerate(columns):
            levels = self._levels[column.name]
            if levels is None:
                data[:, j] = (column.values - self._mean[number]) / self._scale[number]
                indices[:, j] = offset
                number, offset = number + 1, offset + 1
            else:
                assert column.text is not None
                place = pc.index_in(column.text, value_set=pa.array(levels, pa.string()))
                codes = pc.fill_null(place, -1).to_numpy(zero_copy_only=False)
                if (codes < 0).any():
                    self.unknown_[column.name] = self.unknown_.get(column.name, 0) + int((codes < 0).sum())
                data[:, j] = codes >= 0
                indices[:, j] = offset + np.maximum(codes, 0)
                offset += len(levels)
        if offset > WIDE * len(columns):
            kept = data != 0
            indptr = np.concatenate([[0], np.cumsum(kept.sum(axis=1))])
            return sp.csr_matrix((data[kept], indices[kept], indptr), shape=(n, offset))
        X = np.zeros((n, offset))
        X[np.arange(n)[:, None], indices] = data
        return X

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


def _moments(X: Any, names: list[str]) -> tuple[Array, Array]:
    """Mean and population standard deviation of each column; 1 for a constant one. Means are 0 for sparse rows."""
    with np.errstate(over="ignore", invalid="ignore"):
        mean, scale = (X.mean(axis=0), X.std(axis=0)) if isinstance(X, np.ndarray) else _sparse_moments(X)
    low, high = X.min(axis=0), X.max(axis=0)
    low, high = dense(low).ravel(), dense(high).ravel()
    # The mean of equal numbers may be off by rounding, and their deviation then not quite 0.
    constant = (high == low) | (scale == 0)
    huge = np.flatnonzero(~np.isfinite(scale) & ~constant)
    if huge.size:
        raise DataError(f"column {names[huge[0]]!r}: numbers too large to be standardised (up to {high[huge[0]]:g})")
    scale = np.where(constant, 1.0, scale)
    return (np.where(constant, low, mean) if isinstance(X, np.ndarray) else np.zeros(len(scale))), scale


def _sparse_moments(X: Any) -> tuple[Array, Array]:
    n, p = X.shape
    mean = np.bincount(X.indices, X.data, p) / n
    # Two passes: squares of the stored entries about the mean, and the mean itself for those not stored.
    centred = (X.data - mean[X.indices]) ** 2
    stored = np.bincount(X.indices, minlength=p)
    return mean, np.sqrt((np.bincount(X.indices, centred, p) + (n - stored) * mean**2) / n)
