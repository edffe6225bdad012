"""Regular matrices of integers whose columns with few entries are eliminated before FLINT solves the rest.

The levels of a factor are such columns: each row has an entry in one of them. FLINT does not see zeros, and its time
grows with the cube of the size.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, lcm

import numpy as np
from flint import fmpz_mat

from linsep.theory.rows.deadline import NEVER, Deadline
from linsep.theory.rows.integers import solve
from linsep.types import Array

_WORTH = 8  # columns go if they are one in so many at least
_FACTOR = 8  # bits that a row may grow by


class Square:
    """A square matrix A of integers, the rows `entries`; `filled` says where they may be other than 0.

    Some columns c have no rows in common. One row of each, its pivot p, brings the other rows to 0 there: row k becomes
    keep_k A_k + add_k A_p. What these have in the other columns, `core`, is all that is left to be solved, and serves
    systems from both sides.
    """

    def __init__(self, entries: list[list[int]], filled: Array) -> None:
        self.entries = entries
        self.pivots: list[tuple[int, int]] = []  # row and column
        self.changes: list[tuple[int, int, int, int]] = []  # k, p, keep_k, add_k
        gone_rows, gone_columns = set(), set()
        for p, c, changes in _apart(entries, filled):
            self.pivots.append((p, c))
            self.changes += changes
            gone_rows.add(p)
            gone_columns.add(c)
        self.rows = [k for k in range(len(entries)) if k not in gone_rows]
        self.columns = [j for j in range(len(entries)) if j not in gone_columns]
        if not self.pivots:
            self.core = fmpz_mat(entries)
            return
        part = [[row[j] for j in self.columns] for row in entries]
        self.at_pivots = {p: part[p] for p, _ in self.pivots}
        for k, p, keep, add in self.changes:
            first = part[k] if keep == 1 else [keep * a for a in part[k]]
            part[k] = [a + add * b for a, b in zip(first, self.at_pivots[p], strict=True)]
        n = len(self.rows)
        self.core = fmpz_mat(n, n, [v for k in self.rows for v in part[k]])

    def columns_to(self, wanted: Sequence[Sequence[int]], deadline: Deadline = NEVER) -> tuple[list[list[int]], int]:
        """Numerators x, a vector for each of `wanted`, and a denominator q > 0 with A x = q b.

        Raises
        ------
        OutOfTimeError
        ZeroDivisionError
            The matrix is singular. (It may be, and the solution be given, where the pivots alone bring it about.)

        Examples
        --------
        >>> rows = [[2, 0, 1], [0, 1, 1], [0, 0, 5]]
        >>> Square(rows, np.array(rows) != 0).columns_to([[1, 1, 1]])
        ([[2, 4, 1]], 5)
        """
        reduced = []
        for b in wanted:
            right = list(b)
            for k, p, keep, add in self.changes:
                right[k] = keep * b[k] + add * b[p]
            reduced.append([right[k] for k in self.rows])
        found, q = _solved(self.core, reduced, deadline)
        if not self.pivots:
            return found, q
        # Row p of the system says what its own column needs beside the others.
        beside = fmpz_mat(len(found), len(self.columns), [v for x in found for v in x])
        parts = beside * fmpz_mat([self.at_pivots[p] for p, _ in self.pivots]).transpose()
        below = [self.entries[p][c] for p, c in self.pivots]
        above = [
            [q * b[p] - int(v) for (p, _), v in zip(self.pivots, part, strict=True)]
            for b, part in zip(wanted, parts.tolist(), strict=True)
        ]
        unit = lcm(*(d // gcd(v, d) for values in above for v, d in zip(values, below, strict=True)))
        out = []
        for x, values in zip(found, above, strict=True):
            whole = [0] * len(self.entries)
            for j, v in zip(self.columns, x, strict=True):
                whole[j] = v * unit
            for (_, c), v, d in zip(self.pivots, values, below, strict=True):
                whole[c] = v * unit // d
            out.append(whole)
        return out, q * unit

    def rows_to(self, wanted: Sequence[int], deadline: Deadline = NEVER) -> tuple[list[int], int]:
        """Numerators x and a denominator q > 0 with x A = q b; errors as for `columns_to`.

        Examples
        --------
        >>> rows = [[2, 0, 1], [0, 1, 1], [0, 0, 5]]
        >>> Square(rows, np.array(rows) != 0).rows_to([1, 1, 1])
        ([5, 10, -1], 10)
        """
        if not self.pivots:
            (found,), q = _solved(self.core.transpose(), [list(wanted)], deadline)
            return found, q
        below = [self.entries[p][c] for p, c in self.pivots]
        unit = lcm(*(d // gcd(wanted[c], d) for (_, c), d in zip(self.pivots, below, strict=True)))
        shares = {p: wanted[c] * unit // d for (p, c), d in zip(self.pivots, below, strict=True)}
        right = [wanted[j] * unit for j in self.columns]
        for p, share in shares.items():
            if share:
                right = [v - share * a for v, a in zip(right, self.at_pivots[p], strict=True)]
        (found,), q = _solved(self.core.transpose(), [right], deadline)
        out = [0] * len(self.entries)
        for k, v in zip(self.rows, found, strict=True):
            out[k] = v
        for p, share in shares.items():
            out[p] = share * q
        for k, p, keep, add in self.changes:
            out[p] += add * out[k]
            out[k] *= keep
        return out, q * unit


def _solved(A: fmpz_mat, wanted: list[list[int]], deadline: Deadline) -> tuple[list[list[int]], int]:
    """Numerators of a vector for each right side, and their denominator."""
    n = A.nrows()
    if not n or not any(map(any, wanted)):
        return [[0] * n for _ in wanted], 1
    numerators, q = solve(A, fmpz_mat(len(wanted), n, [v for b in wanted for v in b]).transpose(), deadline)
    return [[int(v) for v in x] for x in numerators.transpose().tolist()], q


def _apart(entries: list[list[int]], filled: Array) -> list[tuple[int, int, list[tuple[int, int, int, int]]]]:
    """Columns that have no rows in common, unless they are few: a pivot, the column, and how the other rows change."""
    n = len(entries)
    counts = np.count_nonzero(filled, axis=0)
    few = np.flatnonzero((counts > 0) & (2 * counts <= n))
    if few.size * _WORTH < n:
        return []
    few = few[np.argsort(counts[few], kind="stable")]
    column, row = np.nonzero(filled[:, few].T)
    ends = np.searchsorted(column, np.arange(few.size + 1)).tolist()
    every, out = row.tolist(), []
    taken: set[int] = set()
    for at, c in enumerate(few.tolist()):
        ids = every[ends[at] : ends[at + 1]]
        if not taken.isdisjoint(ids):
            continue
        p = min(ids, key=lambda k: abs(entries[k][c]))
        pivot, changes = entries[p][c], []
        for k in ids:
            if k != p:
                common = gcd(entries[k][c], pivot)
                changes.append((k, p, pivot // common, -entries[k][c] // common))
        if all(abs(keep).bit_length() <= _FACTOR for _, _, keep, _ in changes):
            out.append((p, c, changes))
            taken.update(ids)
    return out if len(out) * _WORTH >= n else []
