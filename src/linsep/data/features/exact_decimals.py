"""The numbers of a table exactly as they are written: for verdicts, which are about the numbers given."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
import pyarrow.compute as pc
import scipy

from linsep.data.columns import Column, TableChunk
from linsep.data.distinct import distinct
from linsep.data.features.dates import is_date, parts_of
from linsep.data.features.kinds import derive, without_skipped
from linsep.data.features.missing import count_missing, rows_to_prove, told_dropped
from linsep.data.labels import told as told_unlabelled
from linsep.data.numbers import is_amount
from linsep.data.readers.lines import Decimals
from linsep.data.sources.source import Source
from linsep.tables import dense
from linsep.types import Array, DataError

# round(x 10^k) of a double x nearest to m / 10^k is m while |m| < 2^50: the two roundings are off by at most 1/4.
_SAFE = 2.0**50
_LARGEST_EXPONENT = 5000
_FEW = 1000  # entries, for which a sparse table is not worth the loading of SciPy's
_MOST_INTEGERS = 10_000_000  # entries of an array of Python integers, about 100 bytes each
# More indicator columns than four times the table's columns are kept as a sparse matrix.
WIDE = 4


class ExactNumbers(NamedTuple):
    """`X[:, j]` is column j times 10**exponents[j]: float64, a CSR matrix, or Python integers beyond 2**53.

    `as_written` is False where decimal text could not be kept exactly and X holds the nearest doubles instead.
    `levels` tells which column and level an indicator stands for, `references` the levels that were left out, and
    `derived` of which column, written in which way, an elapsed time or a number with a unit is. `kept` says which rows
    of the source these are, None for all; `left_out` has the positions, among all rows that were read, of those without
    a label and those dropped because of a missing value; `missing` counts the missing values of each column, where rows
    were dropped.
    """

    X: Any
    y: Array | None
    names: list[str]
    exponents: list[int]
    as_written: bool = True
    levels: dict[str, tuple[str, str]] | None = None
    references: dict[str, str] | None = None
    derived: dict[str, dict[str, Any]] | None = None
    kept: Array | None = None
    left_out: Array | None = None
    missing: dict[str, int] | None = None

    def of(self, chunk: Any) -> Any:
        """The rows of the source's chunk that these are."""
        return chunk if self.kept is None else chunk.take(self.kept)

    @property
    def places(self) -> Array | None:
        """The positions of these rows among all that were read; None where all are there."""
        gone = self.left_out
        return None if gone is None else np.setdiff1d(np.arange(self.X.shape[0] + gone.size), gone)

    def in_table(self, source: Source) -> dict[str, Any]:
        """What a certificate says of the table: by this another program finds the columns and the rows in it."""
        levels = self.levels or {}
        columns: list[dict[str, Any]] = [
            {"column": levels[name][0], "level": levels[name][1]}
            if name in levels
            else (self.derived or {}).get(name) or {"column": name, "exponent": k}
            for name, k in zip(self.names, self.exponents, strict=True)
        ]
        said: dict[str, Any] = {"target": source.target, "columns": columns}
        if self.left_out is not None:
            said["rows_left_out"] = self.left_out.tolist()
        return said

    def rows_left_out(self) -> list[tuple[str, str]]:
        """The lines on rows without a label and on those dropped because of a missing value; none if there are none."""
        if self.left_out is None:
            return []
        dropped = 0 if self.kept is None else int((~self.kept).sum())
        lines = told_unlabelled(len(self.left_out) - dropped)
        lines += told_dropped(self.missing or {}, dropped, self.X.shape[0])
        return [*lines[:-1], (lines[-1][0], lines[-1][1] + " (row numbers count them too)")]


def exact_numbers(
    source: Source,
    *,
    keep_levels: int | None = None,
    kinds: Mapping[str, str] | None = None,
    missing: str | None = None,
    advice: str = "fill or drop missing values first",
    codes: Mapping[str, Array] | None = None,
) -> ExactNumbers:
    """Return the features of a source as written: decimal text as integers over a power of ten a column.

    Text columns become indicators, one a level. Doubles (Parquet, dataframes, arrays) are taken as the doubles that
    they are, those of JSON lines too. svmlight text is decimal text; where its integers pass
    2**53 the rows are an array of Python integers, and where that array would have more than ten million entries the
    nearest doubles.

    `keep_levels` is the number of text columns, from the left, that get an indicator of every level: all by default.
    The others go without one of their first level, the reference, as regressions need it. Columns of the `kinds` that
    say so are left out or, where they are dates, become the elapsed days or seconds, to the microsecond. Finer times,
    which a source that is no text may have, are refused.
    With `missing` "drop" rows are left out that have a missing value in a column in use, with "error" the first one is
    refused, with None only a missing number; `advice` says what to do then. Levels are sorted as text, or by
    the `codes` of a column, one for each row.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from linsep.data.sources.open import open_data
    >>> exact_numbers(open_data(pa.table({"a": [1.5, 2.0], "y": ["p", "q"]}), target="y")).names
    ['a']
    """
    chunk = source.read()
    if source.kind == "rows":
        p = chunk.X.shape[1]
        found = ExactNumbers(source.exact_rows, chunk.y, row_names(p, source.first_index), [0] * p, not source.rounded)
        return found if source.decimals is None else _exact_rows(found, source.decimals)
    parts: list[Any] = []
    names: list[str] = []
    exponents: list[int] = []
    indicator_of: dict[str, tuple[str, str]] = {}
    references: dict[str, str] = {}
    n_text = 0
    for name in without_skipped(chunk, kinds or {}).names:
        refuse_finer(chunk.cells(name))
    rows = derive(chunk, kinds or {}, exact=True)
    gone: dict[str, int] = {}
    kept = rows_to_prove(rows, missing, advice, source.name)
    if kept is not None:
        count_missing(rows, gone)
        rows = rows.take(kept)
    for column in rows.columns:
        if column.is_number:
            values, exponent = exact_column(column)
            parts.append(values[:, None])
            names.append(column.name)
            exponents.append(exponent)
        else:
            indicators, levels = indicator_columns(column.text, (codes or {}).get(column.name))
            n_text += 1
            if keep_levels is not None and n_text > keep_levels:
                references[column.name] = levels[0]
                indicators, levels = indicators[:, 1:], levels[1:]
            parts.append(indicators)
            names += [f"{column.name}={level}" for level in levels]
            indicator_of |= {f"{column.name}={level}": (column.name, level) for level in levels}
            exponents += [0] * len(levels)
    if not parts:
        raise DataError(f"{source.name}: no column is left: names of rows and running text are no part of a proof")
    if len(set(names)) < len(names):
        twice = next(name for name in indicator_of if names.count(name) > 1)
        raise DataError(f"{source.name}: a column and a level of a column are both called {twice!r}: rename a column")
    X = _stack(parts, len(names) > WIDE * len(parts))
    derived = _derived(kinds or {}, dict(zip(names, exponents, strict=True)))
    found = ExactNumbers(X, rows.y, names, exponents, True, indicator_of, references, derived)
    return found._replace(kept=kept, left_out=_left_out(chunk, kept), missing=gone)


def _derived(kinds: Mapping[str, str], exponents: Mapping[str, int]) -> dict[str, dict[str, Any]]:
    """Of which columns the elapsed times and the numbers with a unit are, and how these are written."""
    found: dict[str, dict[str, Any]] = {}
    for name, kind in kinds.items():
        if is_amount(kind):
            found[name] = {"column": name, "unit": kind, "exponent": exponents[name]}
        elif is_date(kind):
            part = parts_of(name, kind)[0]
            k = exponents[part]
            found[part] = {"column": name, "date": kind} | ({"exponent": k} if k else {})
    return found


def _left_out(chunk: TableChunk, kept: Array | None) -> Array | None:
    """The positions of rows without a label and of those not kept, among all rows that were read."""
    if kept is None:
        return chunk.unlabelled
    gone = np.zeros(0, dtype=np.int64) if chunk.unlabelled is None else chunk.unlabelled
    labelled = np.delete(np.arange(chunk.n_read), gone)
    return np.sort(np.concatenate([gone, labelled[~kept]]))


def refuse_finer(column: Column) -> None:
    """Raise DataError for times that two rows may differ in while their text does not."""
    if column.is_finer:
        raise DataError(
            f"column {column.name!r}: times finer than a microsecond are not handled exactly; round them first, or "
            "make them whole numbers"
        )


def _stack(parts: list[Any], wide: bool) -> Any:
    big = any(isinstance(part, np.ndarray) and part.dtype == object for part in parts)
    if wide and not big:
        return scipy.sparse.hstack([scipy.sparse.csr_matrix(part) for part in parts], format="csr")
    whole = [dense(part) for part in parts]
    return np.hstack([part.astype(object) if big else part for part in whole])


def exact_column(column: Column) -> tuple[Array, int]:
    """Return integers m and k with value = m / 10**k, as float64 if all are small enough; doubles as they are."""
    values = column.values
    if column.text is None:
        return values, 0
    k = _places(column.text)
    if k <= 22 and float(np.abs(values).max()) * 10.0**k < _SAFE:
        return np.rint(values * 10.0**k), k
    return _as_integers(column)


def _places(texts: Any) -> int:
    """The most decimals of these numbers, as many as there are without a power of ten."""
    powered = pc.match_substring_regex(texts, "[eE]")
    most = 0
    for text in texts.filter(powered).to_pylist():
        digits, _, power = text.lower().partition("e")
        most = max(most, len(digits.partition(".")[2]) - int(power))
    plain = texts.filter(pc.invert(powered))
    point = pc.find_substring(plain, ".").to_numpy(zero_copy_only=False)
    after = pc.utf8_length(plain).to_numpy(zero_copy_only=False) - 1 - point
    return max(most, int(np.where(point < 0, 0, after).max(initial=0)))


def _as_integers(column: Column) -> tuple[Array, int]:
    integers, k = _shifted([_decimal(text, column.name) for text in column.text.to_pylist()])
    if max(map(abs, integers)) < 2**53:
        return np.array(integers, dtype=np.float64), k
    return np.array(integers, dtype=object), k


def _decimal(text: str, name: str) -> Decimal:
    """The number as written, a zero as 0 whatever its power of ten."""
    digits, _, power = text.lower().partition("e")
    # Decimal itself refuses powers of ten of twenty digits.
    if power and abs(int(power)) > _LARGEST_EXPONENT:
        if Decimal(digits) == 0:
            return Decimal(0)
        raise DataError(f"column {name!r}: powers of ten beyond {_LARGEST_EXPONENT} are not handled exactly")
    return Decimal(text)


def _shifted(decimals: list[Decimal]) -> tuple[list[int], int]:
    """Integers m and k with decimal = m / 10**k."""
    k = max((-int(d.as_tuple().exponent) for d in decimals if d), default=0)
    integers = []
    for d in decimals:
        sign, digits, exponent = d.as_tuple()
        integers.append(int(Decimal((sign, digits, int(exponent) + k))) if d else 0)
    return integers, k


def _exact_rows(doubles: ExactNumbers, decimals: Decimals) -> ExactNumbers:
    """Sparse rows as written, given the doubles nearest to them."""
    X, p = doubles.X, len(doubles.names)
    m, e = decimals.mantissa, decimals.exponent
    if not decimals.beyond:
        some = m != 0
        powers = np.full(p, np.iinfo(np.int64).min)
        np.maximum.at(powers, X.indices[some], -e[some].astype(np.int64))
        powers[powers == np.iinfo(np.int64).min] = 0
        shift = np.where(some, e + powers[X.indices], 0)
        # Then m, the power and their product are whole numbers that doubles hold.
        if shift.max() <= 22 and np.abs(m).max() < 2**53 and np.abs(values := m * 10.0**shift).max() < 2**53:
            rows = scipy.sparse.csr_matrix((values, X.indices, X.indptr), shape=X.shape)
            return doubles._replace(X=rows, exponents=powers.tolist())
    if X.shape[0] * p > _MOST_INTEGERS:
        return doubles._replace(as_written=False)
    return _rows_of_integers(doubles, decimals)


def _rows_of_integers(doubles: ExactNumbers, decimals: Decimals) -> ExactNumbers:
    X = doubles.X
    # The same structure with the entry's number as its value leads from a column to its decimals.
    entries = scipy.sparse.csr_matrix((np.arange(1, X.nnz + 1), X.indices, X.indptr), shape=X.shape).tocsc()
    dense = np.zeros(X.shape, dtype=object)
    exponents = []
    for j, name in enumerate(doubles.names):
        part = slice(entries.indptr[j], entries.indptr[j + 1])
        integers, k = _shifted([_entry(decimals, int(entry) - 1, name) for entry in entries.data[part]])
        dense[entries.indices[part], j] = integers
        exponents.append(k)
    return doubles._replace(X=dense, exponents=exponents)


def _entry(decimals: Decimals, k: int, name: str) -> Decimal:
    text = decimals.beyond.get(k)
    return _decimal(f"{decimals.mantissa[k]}e{decimals.exponent[k]}" if text is None else text, name)


def row_names(p: int, first_index: int | None) -> list[str]:
    """Names of matrix columns: x1, x2, ... by position, or by the index they have in svmlight text."""
    first = 1 if first_index is None else first_index
    return [f"x{j + first}" for j in range(p)]


def indicator_columns(text: Any, codes: Array | None = None) -> tuple[Any, list[str]]:
    """Return the 0/1 matrix of a text column (one column a level; CSR if large) and its levels, sorted or by codes.

    Examples
    --------
    >>> import pyarrow as pa
    >>> indicator_columns(pa.array(["mid", "low", "mid"]), np.array([1, 0, 1]))[1]
    ['low', 'mid']
    >>> int(indicator_columns(pa.array(["b", "a", "b"]), np.array([0, 1, 0]))[0][0, 0])
    1
    """
    texts, of_rows = distinct(text)
    levels = texts.to_pylist()
    keys: list[Any] = [str(level) for level in levels]
    if codes is not None:
        _, first = np.unique(of_rows, return_index=True)
        keys = codes[first].tolist()
    order = sorted(range(len(levels)), key=keys.__getitem__)
    rank = np.empty(len(levels), dtype=np.int64)
    rank[order] = np.arange(len(levels))
    columns = rank[of_rows]
    n = len(columns)
    if n * len(levels) <= _FEW:
        return np.equal.outer(columns, np.arange(len(levels))).astype(np.float64), [levels[i] for i in order]
    matrix = scipy.sparse.csr_matrix((np.ones(n), columns, np.arange(n + 1)), shape=(n, len(levels)))
    return matrix, [levels[i] for i in order]
