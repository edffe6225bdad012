"""Asking memory for rows before their turn comes.

Rows in shuffled order are where no hardware expects them: a pass over short sparse rows then waits for memory most of
its time, unless it says a few rows ahead where it will look. A shuffled epoch over 2,000,000 rows of 8 entries takes
0.08 s with this and 0.14 s without. Dense rows in their own order gain as well: at a mistake the processor has to drop
what it had begun ahead. The stubs are Python, as in `rows.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.extending import overload

from linsep.kernels.memory import LINE, ask_lines
from linsep.kernels.optional import row_at
from linsep.kernels.rows import is_csr

# Rows between the request and the use: a short row takes about 40 ns, a reply from memory 100 ns or more.
_AHEAD = 16
# Bytes between the request and the use of dense rows; a longer row would drive out what is needed sooner.
_BYTES_AHEAD = 8192
# Bytes of a table that is in the cache anyhow, and of rows that the hardware brings as fast: shuffled, and in order.
_SMALL_TABLE, _SHORT_SHUFFLED, _SHORT_IN_ORDER = 1 << 20, 64, 256


def rows_ahead(X: Any, order: Any) -> int:
    """How many rows ahead a pass has to ask, 0 if not at all: where the hardware sees what comes next."""
    raise NotImplementedError


@overload(rows_ahead)
def _rows_ahead(X: Any, order: Any) -> Callable[..., Any]:
    def sparse(X: Any, order: Any) -> Any:
        return _AHEAD if order.shape[0] > 0 else 0

    def dense(X: Any, order: Any) -> Any:
        width = X.shape[1] * X.itemsize
        short = _SHORT_SHUFFLED if order.shape[0] > 0 else _SHORT_IN_ORDER
        if X.shape[0] * width < _SMALL_TABLE or not short < width <= _BYTES_AHEAD:
            return 0
        return _AHEAD if width * _AHEAD <= _BYTES_AHEAD else _BYTES_AHEAD // width

    return sparse if is_csr(X) else dense


def fetch_ahead(X: Any, y: Any, order: Any, t: int, ahead: int) -> None:
    """At step t of a pass in the order given (empty: that of the rows), ask for rows a little later in it.

    `ahead` is `rows_ahead`, and the caller asks whether it is 0: a way out in here would be a call with every row, and
    halve the speed of a pass over short rows.
    """
    raise NotImplementedError


@overload(fetch_ahead)
def _fetch_ahead(X: Any, y: Any, order: Any, t: Any, ahead: Any) -> Callable[..., Any]:
    def dense(X: Any, y: Any, order: Any, t: Any, ahead: Any) -> None:
        if t + ahead < X.shape[0]:
            ask_lines(X, row_at(order, t + ahead), 0, X.shape[1] * X.itemsize // LINE + 1)  # a row may begin in a line

    def sparse(X: Any, y: Any, order: Any, t: Any, ahead: Any) -> None:
        # Near the end the last row is asked for again and again: a branch would cost more than that.
        n = np.uint64(order.shape[0] - 1)
        later = np.uint64(order[min(np.uint64(t + 2 * ahead), n)])
        ask_lines(X.indptr, later, 0, 1)
        ask_lines(y, later, 0, 1)
        soon = np.uint64(order[min(np.uint64(t + ahead), n)])
        start = np.uint64(X.indptr[soon])
        end = np.uint64(X.indptr[soon + np.uint64(1)] - 1)  # a short row may lie across two lines
        ask_lines(X.data, start, 0, 1)
        ask_lines(X.indices, start, 0, 1)
        ask_lines(X.data, end, 0, 1)
        ask_lines(X.indices, end, 0, 1)

    return sparse if is_csr(X) else dense
