"""Asking memory for rows before their turn comes.

Rows in shuffled order are where no hardware expects them: a pass over sparse rows then waits for memory most of its
time, unless it says a few rows ahead where it will look. A shuffled epoch over 3,000,000 rows of 6 entries takes 0.05 s
with this and 0.1 s without, one over 200,000 rows of 40 entries 5 ms and 33 ms. `fetch_ahead` is a stub in Python, as
in `rows.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from linsep.kernels.rows import is_csr, is_ones

# Rows between the request and the use: a short row takes about 40 ns, a reply from memory 100 ns or more.
_AHEAD = 16
# Bits that memory sends at a time.
_LINE = 512
# A call with every row would take longer than the row, and LLVM makes one wherever there is a loop or a branch.
_INLINE: Any = {"forceinline": True}


def _ask_code(typing_context: Any, array: Any, index: Any) -> Any:
    """Ask for the cache line of array[index]; never fails, whatever the index."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(array)(context, builder, value=args[0]).data
        number, byte = ir.IntType(32), ir.PointerType(ir.IntType(8))
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        # To read, of use for long, data and no instructions.
        builder.call(prefetch, [builder.bitcast(builder.gep(data, [args[1]]), byte), number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(array, types.uint64), codegen


_ask: Any = intrinsic(_ask_code)


def _ask_part(array: Any, start: Any, end: Any) -> None:
    """Ask for all of array[start:end], which may be empty."""
    raise NotImplementedError


@overload(_ask_part, jit_options=_INLINE)
def _overload_ask_part(array: Any, start: Any, end: Any) -> Callable[..., Any]:
    step = np.uint64(_LINE // array.dtype.bitwidth)

    def ask(array: Any, start: Any, end: Any) -> None:
        k = start
        while k < end:
            _ask(array, k)
            k += step
        _ask(array, end - np.uint64(1))  # the last entries may lie on a line of their own

    return ask


def _ask_entries(X: Any, start: Any, end: Any) -> None:
    """Ask for the entries of sparse rows from start to end: their columns and, unless all are 1, their values."""
    raise NotImplementedError


@overload(_ask_entries, jit_options=_INLINE)
def _overload_ask_entries(X: Any, start: Any, end: Any) -> Callable[..., Any]:
    def columns(X: Any, start: Any, end: Any) -> None:
        _ask_part(X.indices, start, end)

    def both(X: Any, start: Any, end: Any) -> None:
        _ask_part(X.data, start, end)
        _ask_part(X.indices, start, end)

    return columns if is_ones(X) else both


def fetch_ahead(X: Any, y: Any, order: Any, t: int) -> None:
    """At step t of a pass in the order given, ask for rows a little later in it. Does nothing for dense rows.

    Rows in their own order (`order` empty) need none of it: the hardware sees what comes next. The caller
    looks whether there is an order.
    """
    raise NotImplementedError


@overload(fetch_ahead, jit_options=_INLINE)
def _fetch_ahead(X: Any, y: Any, order: Any, t: Any) -> Callable[..., Any]:
    def nothing(X: Any, y: Any, order: Any, t: Any) -> None:
        return None

    def sparse(X: Any, y: Any, order: Any, t: Any) -> None:
        # Near the end the last row is asked for again and again: a branch would cost more than that.
        n = np.uint64(order.shape[0] - 1)
        later = np.uint64(order[min(np.uint64(t + 2 * _AHEAD), n)])
        _ask(X.indptr, later)
        _ask(y, later)
        soon = np.uint64(order[min(np.uint64(t + _AHEAD), n)])
        start = np.uint64(X.indptr[soon])
        end = np.uint64(X.indptr[soon + np.uint64(1)])
        _ask_entries(X, start, end)

    return sparse if is_csr(X) else nothing
