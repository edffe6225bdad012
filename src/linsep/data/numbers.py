"""The numbers of a table exactly as they are written: for verdicts, which are about the numbers given."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import scipy.sparse as sp

from linsep.data.open import Source
from linsep.data.table import Column
from linsep.types import Array, DataError

# round(x 10^k) of a double x nearest to m / 10^k is m while |m| < 2^50: the two roundings are off by at most 1/4.
_SAFE = 2.0**50
_LARGEST_EXPONENT = 5000
# More indicator columns than four times the table's columns are kept as a sparse matrix.
WIDE = 4


class ExactNumbers(NamedTuple):
    """`X[:, j]` is column j times 10**exponents[j]: float64, a CSR matrix, or Python integers beyond 2**53."""

    X: Any
    y: Array | None
    names: list[str]
    exponents: list[int]


def exact_numbers(source: Source) -> ExactNumbers:
    """Return the features of a source as written: decimal text as integers over a power of ten a column.

    Text columns become indicators, one a level. Doubles (Parquet, dataframes, arrays) and svmlight values are taken
    as the doubles that they are.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from linsep.data.open import open_data
    >>> exact_numbers(open_data(pa.table({"a": [1.5, 2.0], "y": ["p", "q"]}), target="y")).exponents
    [0]
    """
    chunk = source.read()
    if source.kind == "rows":
        p = chunk.X.shape[1]
        return ExactNumbers(chunk.X, chunk.y, [f"x{j + 1}" for j in range(p)], [0] * p)
    parts: list[Any] = []
    names: list[str] = []
    exponents: list[int] = []
    for column in chunk.columns:
        if column.is_number:
            values, exponent = exact_column(column)
            parts.append(values[:, None])
            names.append(column.name)
            exponents.append(exponent)
        else:
            indicators, levels = indicator_columns(column.text)
            parts.append(indicators)
            names += [f"{column.name}={level}" for level in levels]
            exponents += [0] * len(levels)
    return ExactNumbers(_stack(parts, len(names) > WIDE * len(parts)), chunk.y, names, exponents)


def _stack(parts: list[Any], wide: bool) -> Any:
    big = any(isinstance(part, np.ndarray) and part.dtype == object for part in parts)
    if wide and not big:
        return sp.hstack([sp.csr_matrix(part) for part in parts], format="csr")
    dense = [part.toarray() if hasattr(part, "toarray") else part for part in parts]
    return np.hstack([part.astype(object) if big else part for part in dense])


def exact_column(column: Column) -> tuple[Array, int]:
    """Return integers m and k with value = m / 10**k, as float64 if all are small enough; doubles as they are."""
    values = column.values
    assert values is not None
    if column.text is None:
        return values, 0
    if not pc.any(pc.match_substring_regex(column.text, "[eE]")).as_py():
        point = pc.find_substring(column.text, ".").to_numpy(zero_copy_only=False)
        digits = pc.utf8_length(column.text).to_numpy(zero_copy_only=False) - 1 - point
        k = int(np.where(point < 0, 0, digits).max())
        if k <= 22 and np.abs(values).max() * 10.0**k < _SAFE:
            return np.rint(values * 10.0**k), k
    return _as_integers(column)


def _as_integers(column: Column) -> tuple[Array, int]:
    assert column.text is not None
    decimals = [Decimal(text) for text in column.text.to_pylist()]
    exponents = [int(d.as_tuple().exponent) for d in decimals if d]
    k = -min(exponents, default=0)
    if max(map(abs, exponents), default=0) > _LARGEST_EXPONENT:
        raise DataError(f"column {column.name!r}: powers of ten beyond {_LARGEST_EXPONENT} are not handled exactly")
    integers = [int(Decimal(sign_digits_exponent(d, k))) for d in decimals]
    if max(map(abs, integers)) < 2**53:
        return np.array(integers, dtype=np.float64), k
    return np.array(integers, dtype=object), k


def sign_digits_exponent(d: Decimal, k: int) -> Any:
    """d times 10**k, shifted without rounding."""
    sign, digits, exponent = d.as_tuple()
    return (sign, digits, int(exponent) + k)


def indicator_columns(text: Any) -> tuple[Any, list[str]]:
    """Return the 0/1 matrix of a text column (CSR, one column a level in sorted order) and its levels."""
    encoded = text.dictionary_encode() if not pa.types.is_dictionary(text.type) else text
    levels = encoded.dictionary.to_pylist()
    order = sorted(range(len(levels)), key=lambda i: str(levels[i]))
    rank = np.empty(len(levels), dtype=np.int64)
    rank[order] = np.arange(len(levels))
    columns = rank[encoded.indices.to_numpy(zero_copy_only=False)]
    n = len(columns)
    matrix = sp.csr_matrix((np.ones(n), columns, np.arange(n + 1)), shape=(n, len(levels)))
    return matrix, [levels[i] for i in order]
