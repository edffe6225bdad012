"""Hints on rows that are held out, or separated, although they belong together or lack values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linsep.data.codes import NEARLY_ALL, names_whom
from linsep.data.columns import Column, TableChunk
from linsep.data.features.dates import is_date
from linsep.data.features.kinds import CATEGORY, SKIP, is_words
from linsep.markup import quote

_FEWEST_GROUPS = 10
# Levels of a category from which on they may be names: so many and this share of the rows, or half of the rows.
_MANY_LEVELS, _MANY_OF_ROWS = 100, 0.1
_FEWEST_ROWS = 60


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
    [('hint', "12 values of 'patient' in 40 rows: --group patient holds out all rows of one, or none")]
    """
    groups = _groups(chunk, kinds)
    if groups is None:
        return []
    together = f"--group {quote(groups.name)} holds out all rows of one, or none"
    skip = f"--column {quote(groups.name)}=skip leaves it out if its values will be others in new rows"
    said = together if groups.called else f"{together}, if they belong together, and {skip}"
    return [("hint", f"{groups.what}: {said}")]


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
    ('hint', "12 values of 'patient' in 40 rows: the classes may be told apart by which 'patient' a row is about, which
    says nothing about others; --column patient=skip asks without it")
    """
    groups = _groups(chunk, kinds)
    if groups is None:
        return []
    name = groups.name
    return [
        (
            "hint",
            f"{groups.what}: the classes may be told apart by which {name!r:.40} a row is about, which says nothing "
            f"about others; --column {quote(name)}=skip asks without it",
        )
    ]


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
    there = None if column.missing is None else ~column.missing
    values = column.values
    if values is None:
        assert column.text is not None
        return len(pc.unique(column.text if there is None else column.text.filter(pa.array(there))))
    values = values if there is None else values[there]
    return 0 if (values != np.floor(values)).any() else len(np.unique(values))
