"""Asking memory for sparse rows before their turn comes.

Rows in shuffled order are where no hardware expects them: a pass over sparse rows then waits for memory most of its
time, unless it says a few rows ahead where it will look. A shuffled epoch over 3,000,000 rows of 6 entries takes 0.05 s
with this and 0.1 s without, one over 200,000 rows of 40 entries 5 ms and 33 ms. Long rows in their own order gain as
well: at a mistake the processor drops what it had begun ahead. Dense rows are not asked for: their passes only became
slower. The stubs are Python, as in `rows.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.extending import overload

from linsep.kernels.memory import LINE, ask
from linsep.kernels.rows import is_csr, is_ones

# Rows between the request and the use: a short row takes about 40 ns, a reply from memory 100 ns or more.
_AHEAD = 16
# Bytes of a row in order that the hardware brings as fast, and of entries in order from which on they come from memory:
# from a large cache the hardware brings them as fast.
_SHORT_IN_ORDER, _LARGE_TABLE = 256, 1 << 25
# A call with every row would take longer than the row, and LLVM makes one wherever there is a loop or a branch.
_INLINE: Any = {"forceinline": True}


def rows_ahead(X: Any, order: Any) -> int:
    """How many rows ahead a pass has to ask, 0 if not at all: where the hardware sees what comes next."""
    raise NotImplementedError


@overload(rows_ahead)
def _rows_ahead(X: Any, order: Any) -> Callable[..., Any]:
    def dense(X: Any, order: Any) -> Any:
        return 0

    if not is_csr(X):
        return dense
    # Bytes of an entry: of its column and, unless all are 1, of its value.
    arrays = dict(zip(X.fields, X.types, strict=True))
    entry = sum(arrays[name].dtype.bitwidth // 8 for name in ("data", "indices") if name in arrays)

    def sparse(X: Any, order: Any) -> Any:
        entries = X.indices.shape[0] * entry
        long = entries > _SHORT_IN_ORDER * (X.indptr.shape[0] - 1) and entries > _LARGE_TABLE
        return _AHEAD if order.shape[0] > 0 or long else 0

    return sparse


def _ask_part(array: Any, start: Any, mean: int) -> None:
    """Ask for as many lines of array[start:] as `mean` entries fill, and for two more."""
    raise NotImplementedError


@overload(_ask_part, jit_options=_INLINE)
def _overload_ask_part(array: Any, start: Any, mean: Any) -> Callable[..., Any]:
    a_line = 8 * LINE // array.dtype.bitwidth

    def part(array: Any, start: Any, mean: Any) -> None:
        k = start
        for _ in range(mean // a_line + 2):
            ask(array, k)
            k += np.uint64(a_line)

    return part


def _ask_entries(X: Any, start: Any) -> None:
    """Ask for the entries of a sparse row from its start: their columns and, unless all are 1, their values.

    As many lines for each row: a number of its own is one more branch to guess wrongly, a tenth of a pass. What a long
    row lacks the hardware brings, as it reads on.
    """
    raise NotImplementedError


@overload(_ask_entries, jit_options=_INLINE)
def _overload_ask_entries(X: Any, start: Any) -> Callable[..., Any]:
    def columns(X: Any, start: Any) -> None:
        _ask_part(X.indices, start, X.indices.shape[0] // (X.indptr.shape[0] - 1))

    def both(X: Any, start: Any) -> None:
        mean = X.indices.shape[0] // (X.indptr.shape[0] - 1)
        _ask_part(X.data, start, mean)
        _ask_part(X.indices, start, mean)

    return columns if is_ones(X) else both


def fetch_ahead(X: Any, y: Any, order: Any, t: int, ahead: int) -> None:
    """At step t of a pass, ask for rows a little later in it.

    `ahead` is `rows_ahead`, and the caller looks whether it is 0.
    """
    raise NotImplementedError


@overload(fetch_ahead, jit_options=_INLINE)
def _fetch_ahead(X: Any, y: Any, order: Any, t: Any, ahead: Any) -> Callable[..., Any]:
    def dense(X: Any, y: Any, order: Any, t: Any, ahead: Any) -> None:
        return None

    def sparse(X: Any, y: Any, order: Any, t: Any, ahead: Any) -> None:
        ordered = order.shape[0] > 0
        # Near the end the last row is asked for again and again: a branch would cost more than that.
        n = np.uint64((order.shape[0] if ordered else X.indptr.shape[0] - 1) - 1)
        later, soon = min(np.uint64(t + 2 * ahead), n), min(np.uint64(t + ahead), n)
        later = np.uint64(order[later]) if ordered else later
        soon = np.uint64(order[soon]) if ordered else soon
        ask(X.indptr, later)
        ask(y, later)
        _ask_entries(X, np.uint64(X.indptr[soon]))

    return sparse if is_csr(X) else dense
