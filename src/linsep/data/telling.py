"""Columns that tell the classes apart alone: copies of the label, or what is only known when the label is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import floor, lgamma, log
from typing import Any

import numpy as np
import pyarrow as pa

from linsep.data.columns import Column, TableChunk, label_names
from linsep.data.distinct import distinct
from linsep.data.sources.open import open_data, source_of
from linsep.markup import between
from linsep.tables import dense
from linsep.types import Array, DataError

# A column that has nothing to do with the label is called out in fewer than one table of so many.
BY_CHANCE = 1000


@dataclass(frozen=True)
class TellingColumn:
    """A column from which alone the label can be told.

    Attributes
    ----------
    name : str
        The column.
    errors, rows : int
        Rows told wrongly, of all rows.
    rule : str
        How the label is told.
    balanced_accuracy : float
        The mean over the classes of the share of their rows that are told rightly.
    """

    name: str
    errors: int
    rows: int
    rule: str
    balanced_accuracy: float

    def __str__(self) -> str:
        wrong = f"{self.errors:,} of {self.rows:,} rows wrong" if self.errors else f"all {self.rows:,} rows right"
        return f"column {self.name!r} alone tells the classes apart ({wrong}: {self.rule})"


def telling_columns(source: Any, y: Any = None, *, least: float = 0.99) -> list[TellingColumn]:
    """Find the columns that alone tell the classes apart: 1 - e / (n - n_majority) or mean(1 - e_k / n_k) >= `least`.

    Of e = e_1 + ... + e_K errors e_k are rows of class k. The first share is 0 for a column that does no better than
    always answering the majority class. The second one is the balanced accuracy: a few errors among very many rows do
    not count for much where the other class is rare. Both are 1 without an error.

    A number tells by thresholds: K - 1 of them cut the line into one interval a class, with the fewest errors; three
    and more classes stand in the order of their medians. A category tells by the other rows of its level: each row is
    told by the majority of those, so that a column with a level of its own for each row tells nothing. A missing value
    is a level of its own and, of a number, told wrongly. A column of any kind, dates and running text too, also tells
    by whether the cell is missing: who has an end date has left.

    A column is left out that chance could explain, or that does no better than the majority class. Let F be the
    labelings that a column can tell: K! (n + 1)^(K-1) by thresholds (K! if e = 0), K^L by L levels. Shuffled labels are
    told with at most e errors with probability at most F (e + 1) C(n, e) (K-1)^e n_1! ... n_K! / n!; that times the
    number of columns has to be below 1/1000.

    Such a column is often a copy of the label, or known only after it: a date of payment tells who has paid.

    Parameters
    ----------
    source : Source, dataframe, or array of shape (n_samples, n_features)
        The rows.
    y : array-like of shape (n_samples,), optional
        The labels; None takes those of the source.
    least : float, default=0.99
        The least share, above 0 and at most 1.

    Returns
    -------
    list of TellingColumn
        Those with the fewest errors first.

    Raises
    ------
    DataError
        There are no labels, or they are not as many as the rows.

    Examples
    --------
    >>> import pyarrow as pa
    >>> rows = pa.table({"age": [30, 50, 40] * 9, "days_overdue": [0, 90, 0] * 9})
    >>> found = telling_columns(rows, ["paid", "late", "paid"] * 9)
    >>> print(found[0])
    column 'age' alone tells the classes apart (all 27 rows right: paid up to 45, late above 45)
    """
    if not 0 < least <= 1:
        raise ValueError(f"least must be above 0 and at most 1, got {least!r}")
    chunk = source_of(source, y).read()
    if chunk.y is None:
        raise DataError("these rows have no labels: name the label column with target, or give y")
    if isinstance(chunk, TableChunk):
        return tell(chunk, label_names(chunk.y), least=least)
    names = [f"x{j + 1}" for j in range(chunk.X.shape[1])]
    return tell(as_columns(chunk.X, names), label_names(chunk.y), least=least)


def tell(chunk: TableChunk, labels: Array, *, least: float = 0.99) -> list[TellingColumn]:
    """As `telling_columns`, of rows that are read already and labels by name."""
    names, codes = np.unique(labels, return_inverse=True)
    if len(names) < 2:
        return []
    tries = log(BY_CHANCE * max(1, len(chunk.names)))
    found = []
    for name in chunk.names:
        column = chunk.cells(name)
        ways = [_telling(column, names, codes, least, tries)]
        if column.missing is not None:
            gaps = Column(name, None, pa.array(np.where(column.missing, "missing", "there")))
            told = _telling(gaps, names, codes, least, tries)
            ways.append(told and replace(told, rule="by whether it is missing"))
        if some := [one for one in ways if one is not None]:
            found.append(min(some, key=lambda one: one.errors))
    return sorted(found, key=lambda one: one.errors)


def _telling(column: Column, names: Array, codes: Array, least: float, tries: float) -> TellingColumn | None:
    """How well the column tells every class, None where not well enough; `tries` is ln of how many columns."""
    sizes = np.bincount(codes, minlength=len(names)).tolist()
    others = len(codes) - max(sizes)
    if tries + _log_chance(_log_patterns(column, len(codes), len(names), 0), sizes, 0) > 0:
        return None
    told = by_thresholds(column, names, codes) if column.is_number else by_levels(column, codes, len(names))
    good = told.errors <= floor((1 - least) * others) or told.balanced_accuracy >= least
    chance = _log_chance(_log_patterns(column, len(codes), len(names), told.errors), sizes, told.errors)
    return told if good and told.errors < others and tries + chance <= 0 else None


def as_columns(X: Any, names: Sequence[str]) -> TableChunk:
    """The rows of a matrix as those of a table."""
    columns = dense(X).astype(np.float64).T
    found: TableChunk = open_data(pa.table(dict(zip(names, columns, strict=True)))).read()
    return found


def _log_chance(patterns: float, sizes: list[int], e: int) -> float:
    """ln of F (e + 1) C(n, e) (K-1)^e n_1! ... n_K! / n!, given ln F: a bound on the chance of e errors at most."""
    n, k = sum(sizes), len(sizes)
    near = log(e + 1) + lgamma(n + 1) - lgamma(e + 1) - lgamma(n - e + 1) + e * log(k - 1)
    return patterns + near + sum(lgamma(size + 1) for size in sizes) - lgamma(n + 1)


def _log_patterns(column: Column, n: int, k: int, e: int) -> float:
    """ln of the number of labelings that a column can tell without an error."""
    if column.text is not None and not column.is_number:
        return len(distinct(column.raw).texts) * log(k)
    return lgamma(k + 1) + (0.0 if e == 0 else (k - 1) * log(n + 1))


def by_thresholds(column: Column, names: Array, codes: Array) -> TellingColumn:
    """The fewest errors of one interval a class; a missing number is an error.

    Examples
    --------
    >>> column = Column("x", np.array([3.0, 1.0, 2.0]), None)
    >>> by_thresholds(column, np.array(["a", "b"]), np.array([1, 0, 1])).rule
    'a up to 1.5, b above 1.5'
    """
    numbers = column.values
    there = np.ones(len(codes), dtype=np.bool_) if column.missing is None else ~column.missing
    values, labels = numbers[there], codes[there]
    distinct, place = np.unique(values, return_inverse=True)
    counts = np.zeros((len(distinct) + 1, len(names)), dtype=np.int64)
    np.add.at(counts, (place + 1, labels), 1)
    before = counts.cumsum(axis=0)  # rows of each class among the first i distinct values
    medians = [float(np.median(values[labels == k] / 2)) if (labels == k).any() else 0.0 for k in range(len(names))]
    order = sorted(range(len(names)), key=medians.__getitem__)
    orders = [order, order[::-1]] if len(order) == 2 else [order]
    errors, order, ends = min((_cut(before, order) for order in orders), key=lambda found: found[0])
    said, begin, right = [], 0, np.zeros(len(names))
    for k, end in zip(order, ends, strict=True):
        right[k] = before[end, k] - before[begin, k]
        if end > begin:
            low = f" above {between(*distinct[begin - 1 : begin + 1])}" if begin else ""
            high = f" up to {between(*distinct[end - 1 : end + 1])}" if end < len(distinct) else ""
            said.append(f"{names[k]}{low}{high}")
        begin = end
    errors += int((~there).sum())
    return TellingColumn(column.name, errors, len(codes), ", ".join(said), _mean_recall(right, codes))


def _cut(before: Array, order: list[int]) -> tuple[int, list[int], list[int]]:
    """The fewest errors, the order, and where the interval of each class ends, by dynamic programming.

    The least number of errors among the first i values, with the classes up to the k-th in use, is the least over
    j <= i of that among the first j values without the k-th, plus the errors of the k-th in between.
    """
    total = before.sum(axis=1)
    places = np.arange(len(total))
    best = np.where(places == 0, 0, total[-1] + 1)
    begins = []
    for k in order:
        wrong = total - before[:, k]
        gain = best - wrong
        least = np.minimum.accumulate(gain)
        begins.append(np.maximum.accumulate(np.where(gain == least, places, 0)))
        best = wrong + least
    ends = [len(total) - 1]
    for begin in reversed(begins[1:]):
        ends.append(int(begin[ends[-1]]))
    return int(best[-1]), order, ends[::-1]


def by_levels(column: Column, codes: Array, n_classes: int) -> TellingColumn:
    """Each row by the majority of the other rows of its level; a tie is an error.

    Examples
    --------
    >>> by_levels(Column("x", None, pa.array(["u", "u", "v"])), np.array([0, 0, 1]), 2).errors
    1
    """
    texts, levels = distinct(column.raw)
    n_levels = len(texts)
    counts = np.bincount(levels.astype(np.int64) * n_classes + codes, minlength=n_levels * n_classes)
    counts = counts.reshape(n_levels, n_classes)
    others = counts[levels]
    rows = np.arange(len(codes))
    others[rows, codes] -= 1
    own = others[rows, codes].copy()
    others[rows, codes] = -1
    right = own > np.maximum(others.max(axis=1), 0)
    recall = _mean_recall(np.bincount(codes[right], minlength=n_classes), codes)
    errors, rule = int((~right).sum()), f"each of its {len(counts):,} levels has one class"
    return TellingColumn(column.name, errors, len(codes), rule, recall)


def _mean_recall(right: Array, codes: Array) -> float:
    """The balanced accuracy of rows told rightly, counted for each class that occurs."""
    sizes = np.bincount(codes, minlength=len(right))
    return float(np.mean(right[sizes > 0] / sizes[sizes > 0]))
