"""The columns of a table that is read whole: numbers standardised, categories one indicator a level, text by words."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import scipy

from linsep.data.columns import Column, TableChunk
from linsep.data.distinct import distinct
from linsep.data.features.exact_decimals import WIDE
from linsep.data.features.missing import missing_word
from linsep.data.features.words import Counted, Grams, Words, fit_words, weigh_words
from linsep.tables import dense, is_sparse
from linsep.types import Array, DataError

_NAMED = 3  # levels that are named

# Levels of each text column, None for numbers, in the order of the columns.
Levels = dict[str, list[str] | None]


class Unknown(NamedTuple):
    """What new rows hold in columns of categories that was not there in training; counted on from piece to piece.

    `rows` counts the rows of each column with such a level, `first` has its first levels with their places, and
    `missing` counts its missing values.
    """

    rows: dict[str, int]
    first: dict[str, dict[str, str]]
    missing: dict[str, int]

    def note(self, chunk: TableChunk, column: Column, unknown: Array) -> None:
        """Look at the rows of a column whose level was not there in training."""
        text = column.raw
        missing = np.zeros_like(unknown) if column.missing is None else column.missing
        gone, new = unknown & missing, unknown & ~missing
        for counts, rows in ((self.missing, gone), (self.rows, new)):
            if rows.any():
                counts[column.name] = counts.get(column.name, 0) + int(rows.sum())
        first = self.first.setdefault(column.name, {}) if new.any() else {}
        for row in np.flatnonzero(new).tolist():
            if len(first) == _NAMED:
                break
            if (level := text[row].as_py()) not in first:
                first[level] = chunk.where(row)


class Fitted(NamedTuple):
    """What was learnt of the columns.

    `mean`, `scale` and `fill` have one entry a number: what is subtracted, what it is divided by then, and what stands
    in for a missing one after that. The numbers `flagged` have one more feature, which is 1 where they are missing.
    The terms of running text come after all other features. `counted` are the texts that were just learnt from, until
    rows are encoded for the first time.
    """

    levels: Levels
    mean: Array
    scale: Array
    fill: Array
    flagged: frozenset[str] = frozenset()
    words: Mapping[str, Words] = {}
    counted: dict[str, Counted] | None = None

    @property
    def kinds(self) -> dict[str, str]:
        """The columns that rows must have, and what they hold: "number", "category" or "text"."""
        found = {name: "number" if levels is None else "category" for name, levels in self.levels.items()}
        return found | dict.fromkeys(self.words, "text")

    @property
    def numbers(self) -> list[str]:
        """The columns of numbers."""
        return [name for name, levels in self.levels.items() if levels is None]

    def state(self, *, fill: bool) -> tuple[dict[str, Any], dict[str, Array]]:
        """All of it as a JSON-able part and an array part, with `fill` also what stands in for missing numbers."""
        meta: dict[str, Any] = {"columns": [{"name": name, "levels": found} for name, found in self.levels.items()]}
        meta["words"] = {name: {"grams": w.grams.spec, "terms": w.terms} for name, w in self.words.items()}
        idf = np.concatenate([np.empty(0), *(words.idf for words in self.words.values())])
        return meta, {"mean": self.mean, "scale": self.scale, "idf": idf} | ({"fill": self.fill} if fill else {})

    @classmethod
    def from_state(cls, meta: dict[str, Any], arrays: dict[str, Array], flagged: Collection[str]) -> Fitted:
        """Take back what `state` gave; of the columns `flagged` the numbers have a feature for missing ones."""
        levels = {column["name"]: column["levels"] for column in meta["columns"]}
        mean, scale = arrays["mean"], arrays["scale"]
        fill = arrays.get("fill", np.zeros(len(scale) if meta["kind"] == "table" else 0))
        words, at = {}, 0
        for name, found in meta["words"].items():
            words[name] = Words(Grams.parse(found["grams"]), found["terms"], arrays["idf"][at:][: len(found["terms"])])
            at += len(found["terms"])
        numbers = frozenset(name for name in flagged if levels.get(name, ()) is None)
        return cls(levels, mean, scale, fill, numbers, words)

    def feature_names(self) -> list[str]:
        """The name of a number, "column=level" of an indicator, "column:term" of a term; a missing value is called
        "(missing)"."""
        names = []
        for name, levels in self.levels.items():
            if levels is None:
                names += [name, f"{name}=(missing)"] if name in self.flagged else [name]
            else:
                names += [f"{name}={level or '(missing)'}" for level in levels]
        return names + [f"{name}:{term}" for name, words in self.words.items() for term in words.terms]


def fit_columns(chunk: TableChunk, missing: str = "indicator", grams: Mapping[str, Grams] | None = None) -> Fitted:
    """Return the levels of text columns in sorted order, and the means and standard deviations of the numbers.

    Missing numbers count for nothing in them. The columns of `grams` are running text.

    Examples
    --------
    >>> from linsep import open_data
    >>> fitted = fit_columns(open_data(b"size,city\\n1,Rome\\n3,Oslo\\n,Oslo\\n").read())
    >>> fitted.levels, fitted.mean.tolist(), fitted.feature_names()
    ({'size': None, 'city': ['Oslo', 'Rome']}, [2.0], ['size', 'size=(missing)', 'city=Oslo', 'city=Rome'])
    """
    levels: Levels = {}
    words: dict[str, Words] = {}
    counted: dict[str, Counted] = {}
    names: list[str] = []
    numbers: list[Array] = []
    there: dict[int, Array] = {}
    for name in chunk.names:
        column = chunk.cells(name)
        if grams and name in grams:
            words[name], counted[name] = fit_words(column.text, grams[name])
        elif (values := column.values) is not None:
            levels[name] = None
            if column.missing is not None:
                there[len(names)] = values[~column.missing]
            names.append(name)
            numbers.append(values)
        elif column.raw is not None:
            levels[name] = sorted(distinct(column.raw).texts.to_pylist())
    mean, scale = moments(np.column_stack(numbers) if numbers else np.empty((1, 0)), names)
    fill = np.zeros(len(names))
    for j, values in there.items():
        if not values.size:  # 0 in every row
            continue
        mean[j : j + 1], scale[j : j + 1] = moments(values[:, None], [names[j]])
        if missing == "median":
            fill[j] = (np.median(values) - mean[j]) / scale[j]
    flagged = frozenset(names[j] for j in there) if missing == "indicator" else frozenset()
    return Fitted(levels, mean, scale, fill, flagged, words, counted)


def encode_as_fitted(chunk: TableChunk, fitted: Fitted, unknown: Unknown) -> Any:
    """Return the rows of a chunk as a matrix, CSR where there are many levels.

    Parameters
    ----------
    chunk : TableChunk
        Its columns of numbers are read as such; its further columns are ignored.
    fitted : Fitted
        As `fit_columns` returned it.
    unknown : Unknown
        Counts rows with a level that is not among `levels`, whose indicators are all 0.

    Examples
    --------
    >>> from linsep import open_data
    >>> fitted = fit_columns(open_data(b"size,city\\n1,Rome\\n3,Oslo\\n").read())
    >>> encode_as_fitted(open_data(b"size,city\\n3,Oslo\\n").read(), fitted, Unknown({}, {}, {})).tolist()
    [[1.0, 1.0, 0.0]]
    """
    n, offsets = chunk.n_rows, _offsets(fitted)
    width, n_features = len(offsets) - 1, offsets[-1]
    parts = _parts(chunk, fitted, unknown)
    if n_features > WIDE * width or fitted.words:
        X = _sparse_rows(parts, offsets, n)
        return X if not fitted.words else scipy.sparse.hstack([X, *_weights(chunk, fitted)], format="csr")
    X = np.zeros((n, n_features))
    for offset, part in zip(offsets, parts, strict=False):
        if part.is_number:
            X[:, offset] = part.found
        else:
            known = np.flatnonzero(part.found >= 0)
            X[known, offset + part.found[known]] = 1
    return X


def _offsets(fitted: Fitted) -> list[int]:
    """The first feature of each part (`_parts`), and the number of features."""
    sizes: list[int] = []
    for name, levels in fitted.levels.items():
        sizes += [1 if levels is None else len(levels)] + [1] * (name in fitted.flagged)
    return [0, *np.cumsum(sizes, dtype=np.int64).tolist()]


class _Part(NamedTuple):
    """A group of features: in each row a number, or the place of its level in a category, -1 for none."""

    is_number: bool
    found: Array


def _parts(chunk: TableChunk, fitted: Fitted, unknown: Unknown) -> Iterator[_Part]:
    """The groups of features in their order."""
    moments_of_numbers = zip(fitted.mean, fitted.scale, fitted.fill, strict=True)
    for name, levels in fitted.levels.items():
        column = chunk.cells(name)
        if levels is not None:
            yield _category(chunk, column, levels, unknown)
            continue
        yield _Part(True, _number(column, *next(moments_of_numbers)))
        if name in fitted.flagged:
            yield _Part(True, np.zeros(chunk.n_rows) if column.missing is None else column.missing)


def _category(chunk: TableChunk, column: Column, levels: list[str], unknown: Unknown) -> _Part:
    texts, codes = distinct(column.raw)
    place = pc.index_in(texts, value_set=pa.array(levels, pa.string()))
    level = pc.fill_null(place, -1).to_numpy(zero_copy_only=False)
    if (level < 0).any():
        unknown.note(chunk, column, (level < 0)[codes])
    if column.missing is not None and "" in levels and (word := missing_word(levels)) and word not in texts.to_pylist():
        unknown.missing[column.name] = unknown.missing.get(column.name, 0) + int(column.missing.sum())
    return _Part(False, level[codes])


def _number(column: Column, mean: float, scale: float, fill: float) -> Array:
    values: Array = (column.stored - mean) / scale
    if column.missing is not None:
        values[column.missing] = fill
    return values


def _sparse_rows(parts: Iterator[_Part], offsets: list[int], n: int) -> Any:
    """The parts as CSR: one entry a row and part, less those that are 0."""
    width = len(offsets) - 1
    data, places = np.ones((n, width)), np.empty((n, width), np.int32 if offsets[-1] < 2**31 else np.int64)
    for j, part in enumerate(parts):
        places[:, j] = offsets[j]
        if part.is_number:
            data[:, j] = part.found
        else:
            places[:, j] += np.maximum(part.found, 0)
            data[part.found < 0, j] = 0.0
    X = scipy.sparse.csr_matrix((data.ravel(), places.ravel(), np.arange(n + 1) * width), shape=(n, offsets[-1]))
    X.eliminate_zeros()
    return X


def check_columns(chunk: TableChunk, names: Collection[str]) -> None:
    """Raise DataError for the columns that the rows lack."""
    absent = chunk.lacks(names)
    if absent:
        source = chunk.where(0).rpartition(":")[0] or "the table"
        raise DataError(f"{source}: columns missing: {', '.join(map(repr, absent))}")


def _weights(chunk: TableChunk, fitted: Fitted) -> list[Any]:
    """The weights of the terms, a matrix for each column of running text."""
    # Rows are most often encoded right after they were learnt from; their counts are not kept for longer.
    counted = {} if fitted.counted is None else fitted.counted
    return [weigh_words(chunk.cells(name).text, w, counted.pop(name, None)) for name, w in fitted.words.items()]


def moments(X: Any, names: list[str]) -> tuple[Array, Array]:
    """Return mean and population standard deviation of each column: 1 for a constant one. Means are 0 for sparse rows.

    Raises
    ------
    DataError
        The numbers of a column are too large for their squares.

    Examples
    --------
    >>> moments(np.array([[1.0, 5.0], [3.0, 5.0]]), ["a", "b"])
    (array([2., 5.]), array([1., 1.]))
    """
    with np.errstate(over="ignore", invalid="ignore"):
        mean, scale = (X.mean(axis=0), X.std(axis=0)) if not is_sparse(X) else _sparse_moments(X)
    low, high = X.min(axis=0), X.max(axis=0)
    mean, scale = _of_constants(mean, scale, dense(low).ravel(), dense(high).ravel(), names)
    return (mean if not is_sparse(X) else np.zeros(len(scale))), scale


def _of_constants(mean: Array, scale: Array, low: Array, high: Array, names: list[str]) -> tuple[Array, Array]:
    """Mean and standard deviation with those of constant columns put right, from the least and greatest numbers."""
    # The mean of equal numbers may be off by rounding, and their deviation then not quite 0.
    constant = (high == low) | (scale == 0)
    huge = np.flatnonzero(~np.isfinite(scale) & ~constant)
    if huge.size:
        most = max(-low[huge[0]], high[huge[0]])
        raise DataError(f"column {names[huge[0]]!r}: numbers too large to be standardised (up to {most:g})")
    return np.where(constant, low, mean), np.where(constant, 1.0, scale)


def _sparse_moments(X: Any) -> tuple[Array, Array]:
    n, p = X.shape
    mean = np.bincount(X.indices, X.data, p) / n
    # Two passes: squares of the stored entries about the mean, and the mean itself for those not stored.
    centred = (X.data - mean[X.indices]) ** 2
    stored = np.bincount(X.indices, minlength=p)
    return mean, np.sqrt((np.bincount(X.indices, centred, p) + (n - stored) * mean**2) / n)
