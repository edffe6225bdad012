"""The rank of rows modulo a prime: never more than that of the integers that they stand for."""

from __future__ import annotations

from typing import Any

import numpy as np
from flint import fmpz_mat, nmod_mat

from linsep.theory.verify.pauses import pause
from linsep.types import Array

_WORTH = 8  # columns without common rows are looked for if one in so many has entries in at most half of the rows
_FILLED = 0.2  # the part of a sparse table that is filled from which on it is eliminated as a dense one


def sparse_rank(table: Any, residues: Array, prime: int) -> int:
    """Rank modulo a prime of a CSR table whose entries have these residues: columns with one entry first.

    Then columns with few; what fills up is eliminated as a dense table.
    """
    kept, row = residues != 0, np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
    ends = np.searchsorted(row[kept], np.arange(table.shape[0] + 1)).tolist()
    columns = table.indices[kept].tolist()
    gone = _single_columns(columns, ends, table.shape[1])
    left, values = [i for i, went in enumerate(gone) if not went], residues[kept].tolist()
    parts = [slice(ends[i], ends[i + 1]) for i in left]
    rank, core = sum(gone), [dict(zip(columns[part], values[part], strict=True)) for part in parts]
    more, rest = _eliminated(core, prime)
    if not rest:
        return rank + more
    names = {j: k for k, j in enumerate(sorted({j for row in rest for j in row}))}
    entries = np.zeros((len(rest), len(names)), dtype=np.int64)
    for i, left_over in enumerate(rest):
        entries[i, [names[j] for j in left_over]] = list(left_over.values())
    return rank + more + dense_rank(entries, prime)


def dense_rank(residues: Array, prime: int) -> int:
    """Rank of a table modulo a prime: columns that have no rows in common first, such as the levels of a factor."""
    filled = residues != 0
    columns = _apart(filled)
    if columns:
        part = filled[:, columns]
        pivots, (rows, at) = part.argmax(axis=0), np.nonzero(part)
        inverse = np.array([pow(v, -1, prime) for v in residues[pivots, columns].tolist()])
        factor = residues[rows, np.array(columns)[at]] * inverse[at] % prime
        residues = residues.copy()
        residues[rows] = (residues[rows] - factor[:, None] * residues[pivots[at]]) % prime
        residues = np.delete(np.delete(residues, pivots, axis=0), columns, axis=1)
    if not residues.size:
        return len(columns)
    # A matrix of integers first: made from a list it takes less time than one of residues.
    return len(columns) + int(nmod_mat(fmpz_mat(residues.tolist()), prime).rank())


def _apart(filled: Array) -> list[int]:
    """Columns of which no two have an entry in one row, those with few entries first; none if there are few."""
    counts = np.count_nonzero(filled, axis=0)
    few = np.flatnonzero((counts > 0) & (2 * counts <= len(filled)))
    if few.size * _WORTH < filled.shape[1]:
        return []
    taken, found = np.zeros(len(filled), dtype=bool), []
    for j in few[np.argsort(counts[few], kind="stable")].tolist():
        if not (taken & filled[:, j]).any():
            taken |= filled[:, j]
            found.append(j)
    return found


def _single_columns(columns: list[int], ends: list[int], width: int) -> list[bool]:
    """A column with one entry makes its row independent of the others: take such rows away, and say which went."""
    times, where = [0] * width, [0] * width
    for i in range(len(ends) - 1):
        for j in columns[ends[i] : ends[i + 1]]:
            times[j] += 1
            where[j] ^= i  # with one row left, this is it
    gone = [False] * (len(ends) - 1)
    single = [j for j in range(width) if times[j] == 1]
    while single:
        pause()
        j = single.pop()
        if times[j] != 1:
            continue
        i = where[j]
        gone[i] = True
        for k in columns[ends[i] : ends[i + 1]]:
            times[k] -= 1
            where[k] ^= i
            if times[k] == 1:
                single.append(k)
    return gone


def _eliminated(rows: list[dict[int, int]], prime: int) -> tuple[int, list[dict[int, int]]]:
    """Eliminate columns with few entries; return how many rows that took, and the rows left once they fill up."""
    at: dict[int, set[int]] = {}
    for i, row in enumerate(rows):
        for j in row:
            at.setdefault(j, set()).add(i)
    rank, left, stored = 0, len(rows), sum(map(len, rows))
    waiting: dict[int, set[int]] = {}
    for j, ids in at.items():
        waiting.setdefault(len(ids), set()).add(j)
    while left and stored < _FILLED * left * len(at):
        pause()
        few = min(n for n, columns in waiting.items() if columns)
        column = waiting[few].pop()
        ids = at.pop(column)
        if not ids:
            continue
        pivot = min(ids, key=lambda i: len(rows[i]))
        ids.discard(pivot)
        row = rows[pivot]
        rows[pivot] = {}
        inverse = pow(row.pop(column), -1, prime)
        before = {j: len(at[j]) for j in row}
        stored -= len(row) + 1
        for j in row:
            at[j].discard(pivot)
        for i in ids:
            other = rows[i]
            factor = other.pop(column) * inverse % prime
            stored -= len(other) + 1
            for j, v in row.items():
                value = (other.get(j, 0) - factor * v) % prime
                if value:
                    other[j] = value
                    at[j].add(i)
                elif j in other:
                    del other[j]
                    at[j].discard(i)
            stored += len(other)
        for j, n in before.items():
            if len(at[j]) != n:
                waiting[n].discard(j)
                waiting.setdefault(len(at[j]), set()).add(j)
        rank, left = rank + 1, left - 1
    return rank, [row for row in rows if row]
