"""Hints on rows that are held out, or separated, although they belong together or are copies of others."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linsep.data.columns import Column, TableChunk
from linsep.data.distinct import distinct
from linsep.data.features.dates import is_date
from linsep.data.features.kinds import CATEGORY, NUMBER, SKIP, is_words, without_skipped
from linsep.data.numbers import NEARLY_ALL, names_whom
from linsep.markup import quote
from linsep.types import Array

_FEWEST_GROUPS = 10
# Levels of a category from which on they may be names: so many and this share of the rows, or half of the rows.
_MANY_LEVELS, _MANY_OF_ROWS = 100, 0.1
_FEWEST_ROWS = 60
_FEWEST_COPIES = 5  # held-out rows that are copies, and their share, from which on they are worth a word
_SHARE_COPIES = 0.05
_BY_CHANCE = 0.1  # of the copies: so many may be expected of rows that are drawn column by column
_COMBINATIONS = 10  # for each row: so many rows must be possible
_DETERMINED = 1.05  # values of a column in use for each value of another one, on average, that tells it nearly
_SURE_DIGITS = 15  # characters of numbers that stay apart as doubles
_MOST_READ = 20_000  # rows whose digits are all looked at


class _Groups(NamedTuple):
    """A column whose rows of one value may belong together; `called` says whether its name says so."""

    name: str
    what: str
    called: bool


def hints_on_holding_out(chunk: Any, kinds: Mapping[str, str]) -> list[tuple[str, str]]:
    """The line for rows held out at random, if a column names groups of them; else none.

    A column names groups if it is called after whom several rows are about (patient, customer_id, userId;
    `names_whom`), has at least ten different values, and a tenth of its rows have a value that another has. Failing
    that, a category does that has very many levels, whatever it is called: 100 and a tenth of the rows, or, from 60
    rows on, half of them. What is skipped counts for nothing.

    Parameters
    ----------
    chunk : TableChunk or Chunk
        All rows.
    kinds : mapping of str to str
        What the columns hold, as `TableEncoder.kinds_`.

    Returns
    -------
    list of (str, str)
        At most one line.

    Examples
    --------
    >>> from linsep import open_data
    >>> rows = "".join(f"p{k % 12},{k % 5}\\n" for k in range(40))
    >>> hints_on_holding_out(open_data(("patient,size\\n" + rows).encode()).read(), {})
    [('hint', "12 values of 'patient' in 40 rows: --group patient keeps all rows of one together")]
    """
    groups = _groups(chunk, kinds)
    if groups is None:
        return []
    together = f"--group {quote(groups.name)} keeps all rows of one together"
    skip = f"--column {quote(groups.name)}=skip leaves it out if new rows have other values"
    said = together if groups.called else f"{together}, if they belong together, and {skip}"
    return [("hint", f"{groups.what}: {said}")]


def hint_on_digits(chunk: Any, kinds: Mapping[str, str]) -> list[tuple[str, str]]:
    """The line for a column of numbers that differ and are one double all the same; none if there is none.

    Examples
    --------
    >>> from linsep import open_data
    >>> rows = open_data(b"id,y\\n9007199254740992,a\\n9007199254740993,b\\n").read()
    >>> [text[:46] for _, text in hint_on_digits(rows, {})]
    ["column 'id' has more digits than double precis"]
    """
    if not isinstance(chunk, TableChunk) or chunk.n_rows > _MOST_READ:
        return []
    chunk = without_skipped(chunk, kinds)
    for name in [name for name in chunk.names if kinds.get(name, NUMBER) == NUMBER]:
        column = chunk.cells(name)
        texts = column.text if column.is_number else None
        if texts is None or (pc.max(pc.utf8_length(texts)).as_py() or 0) <= _SURE_DIGITS:
            continue
        with suppress(ArithmeticError):  # a power of ten that no double has
            exact = {Decimal(text) for text in distinct(texts)[0].to_pylist() if text}
            if len(set(map(float, exact))) < len(exact):
                two = "different numbers in it are the same to the learner, and to the answer above"
                said = f"column {name!r} has more digits than double precision holds: {two}; `linsep check` reads all"
                return [("digits", said)]
    return []


def hints_on_proof(chunk: Any, kinds: Mapping[str, str]) -> list[tuple[str, str]]:
    """The line for classes that a hyperplane separates, if a column in use names groups of rows; else none.

    What groups are is said in `hints_on_holding_out`. Fewer columns separate no more rows, so there is nothing to say
    of classes that cannot be separated.

    Examples
    --------
    >>> from linsep import open_data
    >>> rows = "".join(f"p{k % 12},{k % 5}\\n" for k in range(40))
    >>> for line in hints_on_proof(open_data(("patient,size\\n" + rows).encode()).read(), {}):
    ...     print(line)
    ('hint', "12 values of 'patient' in 40 rows: the classes may be separable by 'patient' alone, which says nothing
    about new values; --column patient=skip leaves it out")
    """
    groups = _groups(chunk, kinds)
    if groups is None:
        return []
    only = f"the classes may be separable by {groups.name!r:.40} alone, which says nothing about new values"
    return [("hint", f"{groups.what}: {only}; --column {quote(groups.name)}=skip leaves it out")]


def _groups(chunk: Any, kinds: Mapping[str, str]) -> _Groups | None:
    """A column whose values several rows share because they belong together: the first one called so, or a category."""
    most, found = 0, None
    for name in chunk.names if isinstance(chunk, TableChunk) else []:
        kind = kinds.get(name, "")
        if kind == SKIP or is_words(kind) or is_date(kind):
            continue
        column = chunk.cells(name)
        n_values = _n_values(column)
        if n_values > NEARLY_ALL * (chunk.n_rows - (0 if column.missing is None else int(column.missing.sum()))):
            continue  # hardly two rows share a value
        what = f"{n_values:,} values of {name!r:.40} in {chunk.n_rows:,} rows"
        if names_whom(name) and n_values >= _FEWEST_GROUPS:
            return _Groups(name, what, True)
        is_category = kind == CATEGORY or (not kind and not column.is_number)
        if is_category and n_values > most and _are_many(n_values, chunk.n_rows):
            most, found = n_values, _Groups(name, what, False)
    return found


def _are_many(n_levels: int, n_rows: int) -> bool:
    """Whether levels are too many for an ordinary category of so many rows."""
    few_rows_of_each = n_levels >= max(_MANY_LEVELS, _MANY_OF_ROWS * n_rows)
    half = n_rows >= _FEWEST_ROWS and 2 * n_levels >= n_rows
    return few_rows_of_each or half


def _n_values(column: Column) -> int:
    """How many different values there are; none of numbers with fractions, which name nothing."""
    if column.is_number:
        return len(column.numbers) if column.are_whole else 0
    return len(distinct(column.raw).texts) - (column.missing is not None)


# -------------------------------------------------------------------------- copies
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
    if copies < max(_FEWEST_COPIES, _SHARE_COPIES * len(test)) or _by_chance(columns, rows, train, test, copies):
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


def cell_codes(column: Column) -> Array:
    """A number for each distinct cell of a column, from 0.

    Examples
    --------
    >>> cell_codes(Column("x", None, pa.array(["u", "v", "u"]))).tolist()
    [0, 1, 0]
    """
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
