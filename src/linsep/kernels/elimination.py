"""Independent rows of a sparse table modulo a prime P < 2^31, and the factors L U of those rows.

Rows are taken in a given order, each reduced by those kept before it (an up-looking LU of Gilbert and Peierls 1988,
with the pivots met in their order by a heap). What remains of a row, if anything, is kept with a pivot in a column that
few rows have. U has rows with pivot 1, L has the pivots and multipliers: rows kept = L U. Products stay below 2^62.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Any, NamedTuple

import numpy as np

from linsep.kernels.compiled import kernel, uncounted
from linsep.types import Array


class Factors(NamedTuple):
    """Row k of the basis is `rows[k]`, its pivot is in column `pivots[k]`; `place` is the inverse, -1 for no pivot.

    L and U are by rows: where each begins, columns (of L: numbers of rows, the diagonal last) and values.
    """

    rows: Array
    pivots: Array
    place: Array
    l_start: Array
    l_index: Array
    l_value: Array
    u_start: Array
    u_index: Array
    u_value: Array


@uncounted(cache=True, nogil=True)
def inverse(a: Any, prime: Any) -> Any:
    """The inverse modulo the prime, as a power (Fermat)."""
    out, exponent = 1, prime - 2
    while exponent > 0:
        if exponent & 1:
            out = out * a % prime
        a = a * a % prime
        exponent >>= 1
    return out


@kernel(cache=True, nogil=True)
def _longer(values: Array, used: Any, more: Any) -> Array:
    """The array with room for so many more."""
    if used + more <= values.shape[0]:
        return values
    out = np.empty(2 * values.shape[0] + more, np.int64)
    out[:used] = values[:used]
    return out


@kernel(cache=True, nogil=True)
def eliminate(table: Any, width: Any, order: Array, cost: Array, prime: Any, stop: Array) -> Any:
    """Go through the rows in `order`; return the parts of `Factors` of the independent ones.

    `table` is (starts, columns, values) with values in 0..P-1. Of two columns the one of lower `cost` is the pivot.
    Another thread may set stop[0]: then the rows that are left are not looked at.
    """
    starts, columns, values = table
    rows, pivots = np.empty(width, np.int64), np.empty(width, np.int64)
    place, kept = np.full(width, -1, np.int64), 0
    l_start, u_start = np.zeros(width + 1, np.int64), np.zeros(width + 1, np.int64)
    l_index, l_value = np.empty(4 * width + 16, np.int64), np.empty(4 * width + 16, np.int64)
    u_index, u_value = np.empty(4 * width + 16, np.int64), np.empty(4 * width + 16, np.int64)
    w, seen = np.zeros(width, np.int64), np.zeros(width, np.bool_)
    touched, waiting = np.empty(width, np.int64), list(place[:0])
    for i in order:
        if stop[0]:
            break
        n_touched = 0
        for e in range(starts[i], starts[i + 1]):
            j = columns[e]
            w[j] = values[e]
            seen[j] = True
            touched[n_touched] = j
            n_touched += 1
            if place[j] >= 0:
                heappush(waiting, place[j])
        l_end = l_start[kept]
        while len(waiting) > 0:
            k = heappop(waiting)
            factor = w[pivots[k]]
            if factor == 0:
                continue
            l_index, l_value = _longer(l_index, l_end, 2), _longer(l_value, l_end, 2)
            l_index[l_end], l_value[l_end] = k, factor
            l_end += 1
            for e in range(u_start[k], u_start[k + 1]):
                j = u_index[e]
                w[j] = (w[j] - factor * u_value[e]) % prime
                if not seen[j]:
                    seen[j] = True
                    touched[n_touched] = j
                    n_touched += 1
                    if place[j] >= 0:
                        heappush(waiting, place[j])
        best = -1
        for j in touched[:n_touched]:
            if w[j] != 0 and place[j] < 0 and (best < 0 or cost[j] < cost[best]):
                best = j
        if best >= 0:
            turn = inverse(w[best], prime)
            l_index, l_value = _longer(l_index, l_end, 2), _longer(l_value, l_end, 2)
            l_index[l_end], l_value[l_end] = kept, w[best]
            u_end = u_start[kept]
            u_index, u_value = _longer(u_index, u_end, n_touched), _longer(u_value, u_end, n_touched)
            for j in touched[:n_touched]:
                if w[j] != 0:
                    u_index[u_end], u_value[u_end] = j, w[j] * turn % prime
                    u_end += 1
            rows[kept], pivots[kept], place[best] = i, best, kept
            kept += 1
            l_start[kept], u_start[kept] = l_end + 1, u_end
        for j in touched[:n_touched]:
            w[j] = 0
            seen[j] = False
    l_end, u_end = l_start[kept], u_start[kept]
    lower = (l_start[: kept + 1], l_index[:l_end], l_value[:l_end])
    upper = (u_start[: kept + 1], u_index[:u_end], u_value[:u_end])
    return (rows[:kept], pivots[:kept], place, *lower, *upper)


@kernel(cache=True, nogil=True)
def solve_rows(factors: Any, n_rows: Any, goal: Array, prime: Any) -> Array:
    """Weights u of the first `n_rows` rows kept whose sum has the entries `goal` in their pivot columns, modulo P."""
    _, pivots, _, l_start, l_index, l_value, u_start, u_index, u_value = factors
    w, u = goal.copy(), np.empty(n_rows, np.int64)
    for k in range(n_rows):
        u[k] = w[pivots[k]]
        if u[k] != 0:
            for e in range(u_start[k], u_start[k + 1]):
                j = u_index[e]
                w[j] = (w[j] - u[k] * u_value[e]) % prime
    for k in range(n_rows - 1, -1, -1):
        last = l_start[k + 1] - 1
        if u[k] != 0:
            u[k] = u[k] * inverse(l_value[last], prime) % prime
            for e in range(l_start[k], last):
                at = l_index[e]
                u[at] = (u[at] - u[k] * l_value[e]) % prime
    return u


@kernel(cache=True, nogil=True)
def solve_columns(factors: Any, n_rows: Any, goal: Array, prime: Any) -> Array:
    """Entries x in the pivot columns, by rows kept, with which the first `n_rows` of these have the products `goal`."""
    _, _, place, l_start, l_index, l_value, u_start, u_index, u_value = factors
    x = np.empty(n_rows, np.int64)
    for k in range(n_rows):
        total, last = goal[k], l_start[k + 1] - 1
        for e in range(l_start[k], last):
            total = (total - l_value[e] * x[l_index[e]]) % prime
        x[k] = total * inverse(l_value[last], prime) % prime
    for k in range(n_rows - 1, -1, -1):
        total = x[k]
        for e in range(u_start[k], u_start[k + 1]):
            at = place[u_index[e]]
            if k < at < n_rows:
                total = (total - u_value[e] * x[at]) % prime
        x[k] = total
    return x


@kernel(cache=True, nogil=True)
def disjoint_columns(n_rows: int, starts: Array, rows: Array, order: Array) -> Array:
    """The column that each row is in, of columns taken in this order unless they share a row with one taken; or -1."""
    owner = np.full(n_rows, -1, np.int64)
    for j in order:
        column = rows[starts[j] : starts[j + 1]]
        free = True
        for i in column:
            if owner[i] >= 0:
                free = False
                break
        if free:
            for i in column:
                owner[i] = j
    return owner
