"""Asking memory for rows before their turn comes.

Rows in shuffled order are where no hardware expects them: a pass over short sparse rows then waits for memory most of
its time, unless it says a few rows ahead where it will look. A shuffled epoch over 2,000,000 rows of 8 entries takes
0.08 s with this and 0.14 s without. `fetch_ahead` is a stub in Python, as in `rows.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic, overload

from linsep.kernels.rows import is_csr

# Rows between the request and the use: a short row takes about 40 ns, a reply from memory 100 ns or more.
_AHEAD = 16
# Bytes of a line of memory, and the lines of dense rows that are asked for. Half a row would be worse than nothing: the
# hardware would no longer guess the other half. Of longer rows it guesses enough.
_LINE = 64
_FEW_LINES, _MOST_LINES = 8, 16


def _prefetch_code(typing_context: Any, address: Any) -> Any:
    """Ask for the cache line at an address, a whole number; never fails, whatever the address."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        number, byte = ir.IntType(32), ir.PointerType(ir.IntType(8))
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        # To read, of use for long, data and no instructions.
        builder.call(prefetch, [builder.inttoptr(args[0], byte), number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(types.uintp), codegen


_prefetch: Any = intrinsic(_prefetch_code)


@njit
def _ask(array: Any, index: Any) -> None:
    """Ask for array[index]."""
    _prefetch(np.uint64(array.ctypes.data) + index * np.uint64(array.itemsize))


def fetch_ahead(X: Any, y: Any, order: Any, t: int) -> None:
    """At step t of a pass in the order given, ask for rows a little later in it.

    Rows in their own order (`order` empty) need none of it: the hardware sees what comes next. The caller asks; a way
    out in here would be a call with every row, and halve the speed of a pass over short rows.
    """
    raise NotImplementedError


@overload(fetch_ahead, jit_options={"forceinline": True})
def _fetch_ahead(X: Any, y: Any, order: Any, t: Any) -> Callable[..., Any]:
    def dense(X: Any, y: Any, order: Any, t: Any) -> None:
        # One of two numbers of requests, as a loop of any length would cost narrow rows more than it gives.
        row = np.uint64(order[min(np.uint64(t + _AHEAD), np.uint64(order.shape[0] - 1))])
        start, last = row * np.uint64(X.shape[1]), np.uint64(X.shape[1] - 1)
        if X.shape[1] * X.itemsize <= _FEW_LINES * _LINE:
            for line in range(_FEW_LINES):
                _ask(X, start + min(np.uint64(line * (_LINE // X.itemsize)), last))
        elif X.shape[1] * X.itemsize <= _MOST_LINES * _LINE:
            for line in range(_MOST_LINES):
                _ask(X, start + min(np.uint64(line * (_LINE // X.itemsize)), last))

    def sparse(X: Any, y: Any, order: Any, t: Any) -> None:
        # Near the end the last row is asked for again and again: a branch would cost more than that.
        n = np.uint64(order.shape[0] - 1)
        later = np.uint64(order[min(np.uint64(t + 2 * _AHEAD), n)])
        _ask(X.indptr, later)
        _ask(y, later)
        soon = np.uint64(order[min(np.uint64(t + _AHEAD), n)])
        start = np.uint64(X.indptr[soon])
        end = np.uint64(X.indptr[soon + np.uint64(1)] - 1)  # a short row may lie across two lines
        _ask(X.data, start)
        _ask(X.indices, start)
        _ask(X.data, end)
        _ask(X.indices, end)
        # What lies between: nothing in a short row.
        for k in range(start + np.uint64(8), end, np.uint64(8)):
            _ask(X.data, k)
            _ask(X.indices, k)

    return sparse if is_csr(X) else dense
