"""Columns that tell by where they are missing: in rows of one class alone, which no proof of complete rows sees."""

from __future__ import annotations

from math import lgamma, log

import numpy as np

from linsep.data.columns import Column, TableChunk
from linsep.data.telling import BY_CHANCE, TellingColumn
from linsep.types import Array


def telling_gaps(chunk: TableChunk, labels: Array) -> list[TellingColumn]:
    """Find the columns that are missing in rows of one class alone, or there in rows of one class alone.

    Left out are those that chance could explain: let m rows lack the column, or have it, of n rows, of which n_k are of
    class k. Shuffled labels put these m rows into it with probability C(n_k, m) / C(n, m); that times four, the number
    of columns that lack values and the number of classes has to be below 1/1000.

    Parameters
    ----------
    chunk : TableChunk
        All rows, also those that a proof leaves out, without the columns that are skipped.
    labels : ndarray of str
        Their labels by name.

    Returns
    -------
    list of TellingColumn
        At most one a column, those with the fewest errors first.

    Examples
    --------
    >>> from linsep import open_data
    >>> from linsep.data.columns import label_names
    >>> rows = "".join(f"{k},{k if k < 15 else ''},{'late' if k < 15 else 'paid'}\\n" for k in range(30))
    >>> whole = open_data(("age,overdue,state\\n" + rows).encode(), target="state").read()
    >>> [gap] = telling_gaps(whole, label_names(whole.y))
    >>> gap.rule, gap.errors
    ('missing in every row of paid, and in no row of another class', 0)
    """
    names, codes = np.unique(labels, return_inverse=True)
    columns = [column for name in chunk.names if (column := chunk.cells(name)) and column.missing is not None]
    many = log(BY_CHANCE * 4 * max(1, len(columns)) * max(1, len(names)))
    found: list[TellingColumn] = []
    for column in columns:
        ways = [gap for lacking in (True, False) if (gap := _gap(column, lacking, names, codes, many))]
        found += sorted(ways, key=lambda gap: gap.some)[:1]
    return sorted(found, key=lambda gap: gap.some)


def _gap(column: Column, lacking: bool, names: Array, codes: Array, many: float) -> TellingColumn | None:
    """The class in which alone cells are missing, or there; `many` is ln of the least number of tables for one."""
    rows = codes[column.missing == lacking]
    m, n = rows.size, codes.size
    if not 0 < m < n or (rows != rows[0]).any():
        return None
    label, of = str(names[rows[0]]), int((codes == rows[0]).sum())
    if many + _log_choose(of, m) - _log_choose(n, m) > 0:
        return None
    share = "every row" if m == of else f"{m:,} of {of:,} rows"
    rule = f"{'missing' if lacking else 'there'} in {share} of {label}, and in no row of another class"
    two = m == of and len(names) == 2
    return TellingColumn(column.name, of - m, n, rule, (1 + m / of) / 2, None if two else label, m < of)


def _log_choose(n: int, m: int) -> float:
    """ln of the number of ways to choose m of n."""
    return lgamma(n + 1) - lgamma(m + 1) - lgamma(n - m + 1)
