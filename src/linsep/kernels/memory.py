"""Lines of memory: arrays that begin with one, and asking for what will be read soon.

The request is one instruction of the processor, in LLVM's words: Numba has no name for it, and a function more to
compile would be felt in a first fit.
"""

from __future__ import annotations

from math import prod
from typing import Any, Literal

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from linsep.types import Array

# What memory hands over at a time.
LINE = 64


def aligned_zeros(shape: tuple[int, ...], dtype: Any, order: Literal["C", "F"] = "C") -> Array:
    """An array of zeros that begins with a line of memory, so that few of its entries lie across two."""
    size = prod(shape) * np.dtype(dtype).itemsize
    room = np.zeros(size + LINE, np.uint8)
    begin = -room.ctypes.data % LINE
    found: Array = room[begin : begin + size].view(dtype).reshape(shape, order=order)
    return found


def _ask_code(typing_context: Any, array: Any, i: Any, first: Any, end: Any) -> Any:
    """Ask for lines first, first + 1, ..., end - 1, counted from where array[i] begins; never fails, wherever they are.

    `array` is a vector, or a C-contiguous matrix, and array[i] its row. Other lines are asked for where array[i] begins
    within a line: they lie the same way.
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        number, byte = ir.IntType(32), ir.PointerType(ir.IntType(8))
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        value = context.make_array(signature.args[0])(context, builder, args[0])
        whole = args[1].type
        begin = builder.mul(args[1], builder.extract_value(value.strides, 0))
        start = builder.add(builder.ptrtoint(value.data, whole), begin)
        line = ir.Constant(whole, LINE)
        asked, end = (builder.add(start, builder.mul(k, line)) for k in args[2:])
        # From address to address: counted by line, LLVM unrolls it, and a pass over MNIST takes a tenth longer.
        before = builder.basic_block
        check, body, after = (builder.append_basic_block(name) for name in ("check", "ask", "asked"))
        builder.branch(check)
        builder.position_at_end(check)
        address = builder.phi(whole)
        address.add_incoming(asked, before)
        builder.cbranch(builder.icmp_signed("<", address, end), body, after)
        builder.position_at_end(body)
        # To read, of use for long, data and no instructions.
        builder.call(prefetch, [builder.inttoptr(address, byte), number(0), number(3), number(1)])
        address.add_incoming(builder.add(address, line, flags=["nsw"]), body)
        builder.branch(check)
        builder.position_at_end(after)
        return context.get_dummy_value()

    return types.void(array, types.intp, types.intp, types.intp), codegen


ask_lines: Any = intrinsic(_ask_code)
