"""Asking memory for what will be read soon, line by line: one instruction of the processor, in LLVM's words.

Written out here as Numba has no name for it, and because a function more to compile would be felt in a first fit.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

# What memory hands over at a time.
LINE = 64


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
        asked = [builder.add(start, builder.mul(k, line)) for k in args[2:]]
        # From address to address: counted by line, LLVM unrolls it, and a pass over MNIST takes a tenth longer.
        with cgutils.for_range_slice(builder, *asked, line) as (address, _):
            # To read, of use for long, data and no instructions.
            builder.call(prefetch, [builder.inttoptr(address, byte), number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(array, types.intp, types.intp, types.intp), codegen


ask_lines: Any = intrinsic(_ask_code)
