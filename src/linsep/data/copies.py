"""Held-out rows that are copies of rows to learn from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from linsep.data.columns import Column, TableChunk
from linsep.types import Array

_FEWEST = 5  # held-out rows that are copies, and their share, from which on they are worth a word
_SHARE = 0.05
_BY_CHANCE = 0.1  # of the copies: so many may be expected of rows that are drawn column by column
_COMBINATIONS = 10  # for each row: so many rows must be possible
_DETERMINED = 1.05  # values of a column in use for each value of another one, on average, that tells it nearly


def hint_on_copies(chunk: Any, train: Array, test: Array) -> tuple[int, list[tuple[str, str]]]:
    """How many held-out rows are copies, and the line that says so; 0 and no line where there is nothing to say.

    A copy equals a row to learn from in every column and in the label. Rows of few columns with few values are equal by
    chance. So the line is there only if the columns have ten times as many combinations of values as there are rows,
    and if ten times as many are copies as can be expected: a row is equal to one of n others with probability at most
    n p_1 p_2 ..., p_j the share of its value in column j among the rows that are not copies of it. Columns that another
    one tells are left out.

    Parameters
    ----------
    chunk : TableChunk or Chunk
        All rows, with the columns in use.
    train, test : ndarray
        Positions of the rows to learn from and of those held out at random.

    Examples
    --------
    >>> from linsep import open_data
    >>> rows = "".join(f"{k % 50},{k % 50 * 7 % 31},{k % 2}\\n" for k in range(100))
    >>> chunk = open_data(("a,b,y\\n" + rows).encode(), target="y").read()
    >>> hint_on_copies(chunk, np.arange(80), np.arange(80, 100))[0]
    20
    """
    if not isinstance(chunk, TableChunk) or chunk.y is None:
        return 0, []
    labels = np.unique(chunk.y, return_inverse=True)[1].astype(np.int64)
    rows, columns = labels, []
    for name in chunk.names:
        codes = cell_codes(chunk.cells(name))
        columns.append(codes)
        rows = _together(rows, codes)
        if rows.max() + 1 == len(rows):  # no two are equal
            return 0, []
    copies = int(np.isin(rows[test], rows[train]).sum())
    if copies < max(_FEWEST, _SHARE * len(test)) or _by_chance(columns, rows, train, test, copies):
        return 0, []
    said = (
        f"{copies:,} of {len(test):,} held-out rows are copies of training rows, in all columns in use and the label: "
        "the accuracy is too good for new rows; drop the copies, or keep them together with --group COLUMN"
    )
    return copies, [("hint", said)]


def _by_chance(columns: list[Array], rows: Array, train: Array, test: Array, copies: int) -> bool:
    """Whether as many held-out rows may equal one to learn from because there are few values."""
    firsts = np.unique(rows, return_index=True)[1]
    n_values = [int(codes.max()) + 1 for codes in columns]
    alike = np.bincount(rows)[rows[test]]
    used: list[int] = []
    chance, combinations = np.full(len(test), float(len(train))), 1.0
    for j in sorted(range(len(columns)), key=lambda k: -n_values[k]):
        telling = [k for k in used if 2 * n_values[k] <= len(firsts)]  # one that differs in all rows tells any other
        if n_values[j] == 1 or any(
            _together(columns[k][firsts], columns[j][firsts]).max() < _DETERMINED * n_values[k] for k in telling
        ):
            continue
        used.append(j)
        combinations *= n_values[j]
        chance *= (np.bincount(columns[j])[columns[j][test]] - alike) / np.maximum(len(rows) - alike, 1)
        if combinations >= _COMBINATIONS * len(rows) and np.minimum(chance, 1).sum() <= _BY_CHANCE * copies:
            return False
    return True


def cell_codes(column: Column | None) -> Array:
    """A number for each distinct cell of a column, from 0.

    Examples
    --------
    >>> cell_codes(Column("x", None, pa.array(["u", "v", "u"]))).tolist()
    [0, 1, 0]
    """
    assert column is not None
    values = column.values
    cells = column.text if values is None else pa.array(values + 0.0)  # -0.0 is 0.0
    codes = _numbered(cells)
    return codes if column.missing is None else _together(codes, column.missing.astype(np.int64))


def _together(first: Array, second: Array) -> Array:
    """A number for each distinct pair of numbers, from 0."""
    return _numbered(pa.array(first * (int(second.max()) + 1) + second))


def _numbered(cells: Any) -> Array:
    indices = cells.dictionary_encode().indices
    return np.asarray(indices.to_numpy(zero_copy_only=False), dtype=np.int64)
