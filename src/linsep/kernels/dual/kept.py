"""What a budgeted kernel perceptron keeps, w = sum_j a_j k(x_j, .), and sums over it."""

from __future__ import annotations

from typing import Any, NamedTuple

from linsep.kernels.memory import uncounted
from linsep.types import Array


class Kept(NamedTuple):
    """What a budgeted plane knows, the rows themselves apart.

    `live` (budget + 1,) holds the slots of the rows in use, oldest first; `coefs` (slots,) the coefficient of each
    slot; `counts` and `sums` have the columns `COUNTS` and `SUMS` of `records.py`, see `linsep.theory.bounds.kernel`
    for what they are needed.
    """

    live: Array
    coefs: Array
    counts: Array
    sums: Array


@uncounted(cache=True, nogil=True)
def value_at(G: Any, s: int, kept: Any, size: int) -> float:
    """sum_j a_j G[s, j] over the `size` rows in use: w(x) where G[s, j] = k(x, x_j)."""
    z = 0.0
    for e in range(size):
        z += kept.coefs[kept.live[e]] * G[s, kept.live[e]]
    return z


@uncounted(cache=True, nogil=True)
def solve(L: Any, size: int, v: Any) -> None:
    """v = L^-1 v for the lower triangle L[:size, :size]. Changes `v`."""
    for i in range(size):
        for j in range(i):
            v[i] -= L[i, j] * v[j]
        v[i] /= L[i, i]


@uncounted(cache=True, nogil=True)
def solve_transposed(L: Any, size: int, v: Any) -> None:
    """v = L'^-1 v for the lower triangle L[:size, :size]. Changes `v`."""
    for i in range(size - 1, -1, -1):
        v[i] /= L[i, i]
        for j in range(i):
            v[j] -= L[i, j] * v[i]
