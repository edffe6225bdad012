"""Memory: arrays that begin with a line of it, asking for what will be read soon, and references that nobody counts.

A request is one instruction of the processor, in LLVM's words: Numba has no name for it, and a function more to
compile would be felt in a first fit.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, Literal, TypeVar

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from linsep.types import Array

# What memory hands over at a time.
LINE = 64

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def uncounted(**options: Any) -> Callable[[Kernel], Kernel]:
    """`numba.njit` for functions that make no array, nor call one that does: references to arrays are not counted.

    Numba counts them wherever one function hands an array to another, with a locked instruction each, and takes few of
    these out again where there are branches: text took four times as long to read, and the passes of a pocket twice.
    Whoever calls a kernel holds its arrays meanwhile, so there is nothing to count. Numba hands the option down to what
    is first compiled for such a kernel, and refuses one that makes an array.
    """
    decorator: Any = njit  # its types do not name this option
    compiled: Callable[[Kernel], Kernel] = decorator(_nrt=False, **options)
    return compiled


def aligned_zeros(shape: tuple[int, ...], dtype: Any, order: Literal["C", "F"] = "C") -> Array:
    """An array of zeros that begins with a line of memory, so that few of its entries lie across two."""
    size = prod(shape) * np.dtype(dtype).itemsize
    room = np.zeros(size + LINE, np.uint8)
    begin = -room.ctypes.data % LINE
    found: Array = room[begin : begin + size].view(dtype).reshape(shape, order=order)
    return found


def _prefetch(builder: Any, address: Any) -> None:
    """Ask for the cache line at an address; never fails, wherever it is."""
    number, byte = ir.IntType(32), ir.PointerType(ir.IntType(8))
    kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
    prefetch = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
    # To read, of use for long, data and no instructions.
    builder.call(prefetch, [address, number(0), number(3), number(1)])


def _ask_code(typing_context: Any, array: Any, index: Any) -> Any:
    """Ask for the line of array[index], an entry of a vector."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(array)(context, builder, value=args[0]).data
        _prefetch(builder, builder.bitcast(builder.gep(data, [args[1]]), ir.PointerType(ir.IntType(8))))
        return context.get_dummy_value()

    return types.void(array, types.uint64), codegen


ask: Any = intrinsic(_ask_code)


def _ask_lines_code(typing_context: Any, matrix: Any, i: Any, first: Any, end: Any) -> Any:
    """Ask for lines first, first + 1, ..., end - 1 of row i of a C-contiguous matrix, counted from where it begins."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value = context.make_array(matrix)(context, builder, value=args[0])
        whole = args[1].type
        begin = builder.mul(args[1], builder.extract_value(value.strides, 0))
        start = builder.add(builder.ptrtoint(value.data, whole), begin)
        line = ir.Constant(whole, LINE)
        asked, last = (builder.add(start, builder.mul(k, line)) for k in args[2:])
        # From address to address: counted by line, LLVM unrolls it, and a pass over MNIST takes a tenth longer.
        before = builder.basic_block
        check, body, after = (builder.append_basic_block(name) for name in ("check", "ask", "asked"))
        builder.branch(check)
        builder.position_at_end(check)
        address = builder.phi(whole)
        address.add_incoming(asked, before)
        builder.cbranch(builder.icmp_signed("<", address, last), body, after)
        builder.position_at_end(body)
        _prefetch(builder, builder.inttoptr(address, ir.PointerType(ir.IntType(8))))
        address.add_incoming(builder.add(address, line, flags=["nsw"]), body)
        builder.branch(check)
        builder.position_at_end(after)
        return context.get_dummy_value()

    return types.void(matrix, types.intp, types.intp, types.intp), codegen


ask_lines: Any = intrinsic(_ask_lines_code)
