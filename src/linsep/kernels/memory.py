"""Memory: asking for what will be read soon, and references that nobody counts.

A request is one instruction of the processor, in LLVM's words: Numba has no name for it, and a function more to
compile would be felt in a first fit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

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


def _ask_code(typing_context: Any, array: Any, index: Any) -> Any:
    """Ask for the line of array[index], an entry of a vector; never fails, wherever it is."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(array)(context, builder, value=args[0]).data
        number, byte = ir.IntType(32), ir.PointerType(ir.IntType(8))
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        address = builder.bitcast(builder.gep(data, [args[1]]), byte)
        # To read, of use for long, data and no instructions.
        builder.call(prefetch, [address, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(array, types.uint64), codegen


ask: Any = intrinsic(_ask_code)
