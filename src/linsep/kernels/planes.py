"""One sparse row against the weights of all classes, which stand side by side: their sums stay in vector registers.

A loop over classes within one over entries would load and store each sum with every entry, and wait for what it has
just stored. LLVM finds no better by itself, so the loop over entries is written in its own language.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from linsep.kernels.compiled import by_type
from linsep.kernels.lanes import fma, fused

# Classes in a vector, and vectors in a pass over the entries: on processors with half or a quarter as wide registers
# LLVM takes two or four for each, 12 of the 16 that the oldest have.
_LANES, _VECTORS = 8, 3


def _sum_code(
    n_lanes: int, context: Any, data: Any, indices: Any, start: Any, end: Any, W: Any, Z: Any, r: Any, firsts: Any
) -> Any:
    """Z[r, c] = sum of data[k] W[c, indices[k]], k from start to end, for `n_lanes` classes from each of `firsts`."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        def pointer(array: Any, *terms: Any) -> Any:
            at = context.make_array(signature.args[array])(context, builder, value=args[array]).data
            for term in terms:
                at = builder.gep(at, [term])
            return at

        def vector(at: Any) -> Any:
            return builder.bitcast(at, lanes.as_pointer())

        whole, number = ir.IntType(64), context.get_value_type(Z.dtype)
        lanes, size = ir.VectorType(number, n_lanes), Z.dtype.bitwidth // 8
        width = builder.extract_value(context.make_array(Z)(context, builder, value=args[5]).shape, 1)
        step = builder.extract_value(context.make_array(W)(context, builder, value=args[4]).strides, 1)
        step = builder.udiv(step, whole(size))  # these may be some of the classes that stand side by side
        first = [builder.extract_value(args[7], v) for v in range(firsts.count)]
        before = builder.block
        test, body, after = (builder.append_basic_block() for _ in range(3))
        builder.branch(test)
        builder.position_at_end(test)
        k, sums = builder.phi(whole), [builder.phi(lanes) for _ in first]
        builder.cbranch(builder.icmp_unsigned("<", k, args[3]), body, after)
        builder.position_at_end(body)
        x = context.cast(builder, builder.load(pointer(0, k)), data.dtype, Z.dtype)
        j = context.cast(builder, builder.load(pointer(1, k)), indices.dtype, types.int64)
        lone = builder.insert_element(ir.Constant(lanes, ir.Undefined), x, whole(0))
        every = builder.shuffle_vector(lone, lone, ir.Constant(ir.VectorType(ir.IntType(32), n_lanes), None))
        for f, s in zip(first, sums, strict=True):
            w = builder.load(vector(pointer(4, builder.mul(j, step), f)), align=size)
            more = fused(builder, every, w, s)
            s.add_incoming(ir.Constant(lanes, None), before)
            s.add_incoming(more, body)
        k.add_incoming(args[2], before)
        k.add_incoming(builder.add(k, whole(1)), body)
        builder.branch(test)
        builder.position_at_end(after)
        for f, s in zip(first, sums, strict=True):
            builder.store(s, vector(pointer(5, builder.mul(args[6], width), f)), align=size)
        return context.get_dummy_value()

    return types.void(data, indices, types.uint64, types.uint64, W, Z, types.uint64, firsts), codegen


def _eight_each_code(
    context: Any, data: Any, indices: Any, start: Any, end: Any, W: Any, Z: Any, r: Any, firsts: Any
) -> Any:
    return _sum_code(_LANES, context, data, indices, start, end, W, Z, r, firsts)


def _one_code(context: Any, data: Any, indices: Any, start: Any, end: Any, W: Any, Z: Any, r: Any, firsts: Any) -> Any:
    return _sum_code(1, context, data, indices, start, end, W, Z, r, firsts)


_eight_each: Any = intrinsic(_eight_each_code)
_one: Any = intrinsic(_one_code)


@by_type(forceinline=True)
def sum_planes(data: Any, indices: Any, start: Any, end: Any, W: Any, Z: Any, r: Any) -> Callable[..., Any]:
    """Z[r, c] = sum of data[k] W[c, indices[k]], k from start to end, in this order, for every class c.

    `W` is (n_classes, n_features); in Fortran's order, where the classes of a feature stand side by side, eight of them
    or more are summed at once. Changes `Z` (n_rows, n_classes).
    """

    def anyhow(data: Any, indices: Any, start: Any, end: Any, W: Any, Z: Any, r: Any) -> None:
        for c in range(np.uint64(Z.shape[1])):
            Z[r, c] = 0
        for k in range(np.uint64(start), np.uint64(end)):
            x = data[k]
            j = np.uint64(indices[k])
            for c in range(np.uint64(Z.shape[1])):
                Z[r, c] = fma(x, W[c, j], Z[r, c])

    def side_by_side(data: Any, indices: Any, start: Any, end: Any, W: Any, Z: Any, r: Any) -> None:
        n = np.uint64(Z.shape[1])
        if n < _LANES:
            for c in range(n):
                _one(data, indices, np.uint64(start), np.uint64(end), W, Z, np.uint64(r), (c,))
        else:
            # The last vector ends with the last class; what it shares with the one before comes out the same.
            last = n - np.uint64(_LANES)
            for c in range(np.uint64(0), n, np.uint64(_LANES * _VECTORS)):
                second, third = c + np.uint64(_LANES), c + np.uint64(2 * _LANES)
                firsts = (min(c, last), min(second, last), min(third, last))
                _eight_each(data, indices, np.uint64(start), np.uint64(end), W, Z, np.uint64(r), firsts)

    # The products of wider entries with narrower weights would be rounded where `anyhow` does not round them.
    fits = W.dtype == Z.dtype and data.dtype.bitwidth <= Z.dtype.bitwidth
    return side_by_side if fits and W.layout == "F" else anyhow
