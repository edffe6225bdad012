"""What a cone of rows reaches, by a plain simplex in exact rationals: slow, short, and no code of the library."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

Row = Sequence[int] | Sequence[Fraction]


def reaches(columns: Sequence[Row], target: Row) -> bool:
    """Whether sum_k t_k columns[k] = target for some t >= 0: phase one of the simplex method, by Bland's rule."""
    m, n = len(target), len(columns)
    table = []
    for i in range(m):
        sign = -1 if target[i] < 0 else 1
        row = [sign * column[i] for column in columns] + [int(i == k) for k in range(m)] + [sign * target[i]]
        table.append([Fraction(v) for v in row])
    basis = list(range(n, n + m))
    while True:
        made_up = [i for i in range(m) if basis[i] >= n]
        entering = next((j for j in range(n) if sum(table[i][j] for i in made_up) > 0), None)
        if entering is None:
            return all(table[i][-1] == 0 for i in made_up)
        rows = [i for i in range(m) if table[i][entering] > 0]
        k = min(rows, key=lambda i: (table[i][-1] / table[i][entering], basis[i]))
        pivot = table[k][entering]
        table[k] = [v / pivot for v in table[k]]
        for i in range(m):
            if i != k and (factor := table[i][entering]):
                table[i] = [v - factor * u for v, u in zip(table[i], table[k], strict=True)]
        basis[k] = entering


def rank(rows: list[list[Fraction]]) -> int:
    """The rank of rows, by elimination."""
    left, found = [list(row) for row in rows], 0
    for j in range(len(left[0]) if left else 0):
        k = next((k for k, row in enumerate(left) if row[j]), None)
        if k is None:
            continue
        pivot = left.pop(k)
        left = [[v - row[j] / pivot[j] * u for v, u in zip(row, pivot, strict=True)] for row in left]
        found += 1
    return found
