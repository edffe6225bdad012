"""Products and sums whose order is fixed: the same bits on every processor with fused multiply-add.

A compiler that may reorder a sum does so for the width of the vectors at hand, so that another processor gives other
bits. Here the vectors have 32 bytes wherever the code runs, LLVM splits or joins them as it likes, and each product is
added with one rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from linsep.kernels.compiled import by_type, inner

_tuple_of: Any = types.UniTuple  # Numba gives no type of it

_BYTES = 32
# Vectors that one product alone keeps going: an addition takes four times as long as until the next may begin.
_GROUP = 4


def fused(builder: Any, x: Any, y: Any, z: Any) -> Any:
    """x y + z, rounded once, of numbers or of vectors."""
    kind = z.type
    of = f"v{kind.count}{kind.element.intrinsic_name}" if isinstance(kind, ir.VectorType) else kind.intrinsic_name
    function = ir.FunctionType(kind, [kind] * 3)
    return builder.call(builder.module.declare_intrinsic(f"llvm.fma.{of}", (), function), [x, y, z])


def _fma_code(typing_context: Any, x: Any, y: Any, z: Any) -> Any:
    """x y + z, rounded once, in the widest of their types."""
    out = typing_context.unify_types(x, y, z)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return fused(builder, *(context.cast(builder, a, t, out) for a, t in zip(args, signature.args, strict=True)))

    return out(x, y, z), codegen


fma: Any = intrinsic(_fma_code)


class _Line:
    """One row of a matrix, or a vector, as `out` reads it."""

    def __init__(self, context: Any, builder: Any, kind: Any, value: Any, i: Any, out: Any) -> None:
        array = context.make_array(kind)(context, builder, value=value)
        self.builder, self.kind, self.number = builder, kind, context.get_value_type(out)
        last = kind.ndim - 1
        strides = [builder.extract_value(array.strides, k) for k in (0, last)]
        self.length = builder.extract_value(array.shape, last)
        start = builder.bitcast(array.data, ir.PointerType(ir.IntType(8)))
        self.start = builder.gep(start, [builder.mul(i, strides[0])]) if kind.ndim > 1 else start
        self.entry, self.size = context.get_value_type(kind.dtype), kind.dtype.bitwidth // 8
        self.stride = ir.Constant(strides[-1].type, self.size) if kind.layout == "C" else strides[-1]

    def __getitem__(self, at: tuple[Any, int]) -> Any:
        """The `width` entries from `first`, a vector or a number."""
        first, width = at
        if self.kind.layout == "C":
            read = self._load(first, ir.VectorType(self.entry, width) if width > 1 else self.entry)
        elif width == 1:
            read = self._load(first, self.entry)
        else:
            read = ir.Constant(ir.VectorType(self.entry, width), ir.Undefined)
            for k in range(width):
                one = self._load(self.builder.add(first, ir.Constant(first.type, k)), self.entry)
                read = self.builder.insert_element(read, one, ir.IntType(32)(k))
        wide = ir.VectorType(self.number, width) if width > 1 else self.number
        return read if self.entry == self.number else self.builder.fpext(read, wide)

    def _load(self, k: Any, kind: Any) -> Any:
        at = self.builder.gep(self.start, [self.builder.mul(k, self.stride)])
        return self.builder.load(self.builder.bitcast(at, kind.as_pointer()), align=self.size)


def _dots_in(out: Any, X: Any, rows: Any, W: Any, planes: Any) -> Any:
    """sum_j X[r, j] W[c, j] for each r of `rows` and c of `planes`, row by row, summed in the type `out`.

    `X` and `W` are matrices, or vectors, of which there is one row; those of X are at least as long as those of W. Each
    sum is made in vectors of 32 bytes: one alone in four of them, which take turns and are added as (0 + 1) + (2 + 3),
    several in one each. What is left after whole turns is added vector by vector; then the upper half of the sums is
    added to the lower, and half a vector of products to these if so many are left, down to one.
    """
    sums = [(r, c) for r in range(rows.count) for c in range(planes.count)]
    found: Any = _tuple_of(out, len(sums))

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        whole, number = ir.IntType(64), context.get_value_type(out)
        lanes = _BYTES // (out.bitwidth // 8)

        def numbers(given: int, kind: Any) -> list[Any]:
            return [builder.extract_value(args[given], k) for k in range(kind.count)]

        xs = [_Line(context, builder, X, args[0], i, out) for i in numbers(1, rows)]
        ws = [_Line(context, builder, W, args[2], i, out) for i in numbers(3, planes)]
        n = ws[0].length

        def more(z: list[Any], first: Any, width: int) -> list[Any]:
            x, w = [line[first, width] for line in xs], [line[first, width] for line in ws]
            return [fused(builder, x[r], w[c], s) for (r, c), s in zip(sums, z, strict=False)]

        def loop(z: list[Any], first: Any) -> Any:
            """Add vectors to the parts of each sum in turn, as many as there are for whole turns."""
            parts = range(len(z) // len(sums))
            step = whole(lanes * len(parts))
            end = builder.sub(n, builder.urem(builder.sub(n, first), step))
            before = builder.block
            test, body, after = (builder.append_basic_block() for _ in range(3))
            builder.branch(test)
            builder.position_at_end(test)
            j, now = builder.phi(whole), [builder.phi(s.type) for s in z]
            builder.cbranch(builder.icmp_unsigned("<", j, end), body, after)
            builder.position_at_end(body)
            then = [s for k in parts for s in more(now[k * len(sums) :], builder.add(j, whole(k * lanes)), lanes)]
            _join([j, *now], before, [first, *z])
            _join([j, *now], body, [builder.add(j, step), *then])
            builder.branch(test)
            builder.position_at_end(after)
            return now, j

        z = [ir.Constant(ir.VectorType(number, lanes), [0.0] * lanes) for _ in sums]
        first: Any = whole(0)
        if len(sums) == 1:
            (a, b, c, d), first = loop(z * _GROUP, first)
            z = [builder.fadd(builder.fadd(a, b), builder.fadd(c, d))]
        z, first = loop(z, first)
        while lanes > 1:
            lanes //= 2
            z = [_halves(builder, s, lanes) for s in z]
            left = builder.and_(builder.sub(n, first), whole(lanes))
            before = builder.block
            with builder.if_then(builder.icmp_unsigned("!=", left, whole(0))):
                added, inside = more(z, first, lanes), builder.block
            kept, z = z, [builder.phi(s.type) for s in z]
            _join(z, before, kept)
            _join(z, inside, added)
            first = builder.add(first, left)
        return context.make_tuple(builder, signature.return_type, z)

    return found(X, rows, W, planes), codegen


def _join(phis: list[Any], block: Any, values: list[Any]) -> None:
    """Coming from `block` these have these values."""
    for phi, value in zip(phis, values, strict=True):
        phi.add_incoming(value, block)


def _halves(builder: Any, v: Any, width: int) -> Any:
    """The lower half of a vector plus its upper half, `width` numbers each."""
    if width == 1:
        return builder.fadd(*(builder.extract_element(v, ir.IntType(32)(k)) for k in range(2)))
    places = ir.VectorType(ir.IntType(32), width)
    low, high = (builder.shuffle_vector(v, v, ir.Constant(places, [k + j for j in range(width)])) for k in (0, width))
    return builder.fadd(low, high)


def _dots_code(typing_context: Any, X: Any, rows: Any, W: Any, planes: Any) -> Any:
    """X[r].W[c] for each row and plane asked for, in the wider of the two types."""
    return _dots_in(max(X.dtype, W.dtype, key=lambda kind: kind.bitwidth), X, rows, W, planes)


def _wide_dots_code(typing_context: Any, X: Any, rows: Any, W: Any, planes: Any) -> Any:
    """The same in float64, whatever the two types."""
    return _dots_in(types.float64, X, rows, W, planes)


dots: Any = intrinsic(_dots_code)
wide_dots: Any = intrinsic(_wide_dots_code)


# Classes in a vector, and vectors in a pass over the entries: on processors with half or a quarter as wide registers
# LLVM takes two or four for each, 12 of the 16 that the oldest have.
_LANES, _VECTORS = 8, 3


def _eight_each_code(
    typing_context: Any, data: Any, indices: Any, start: Any, end: Any, W: Any, Z: Any, r: Any, firsts: Any
) -> Any:
    """Z[r, c] = sum of data[k] W[c, indices[k]], k from start to end, for eight classes from each of `firsts`."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        def pointer(array: Any, *terms: Any) -> Any:
            at = context.make_array(signature.args[array])(context, builder, value=args[array]).data
            for term in terms:
                at = builder.gep(at, [term])
            return at

        def vector(at: Any) -> Any:
            return builder.bitcast(at, lanes.as_pointer())

        whole, number = ir.IntType(64), context.get_value_type(Z.dtype)
        lanes, size = ir.VectorType(number, _LANES), Z.dtype.bitwidth // 8
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
        every = builder.shuffle_vector(lone, lone, ir.Constant(ir.VectorType(ir.IntType(32), _LANES), None))
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


_eight_each: Any = intrinsic(_eight_each_code)


@inner(cache=True, nogil=True, forceinline=True)
def _one_by_one(data: Any, indices: Any, start: Any, end: Any, W: Any, Z: Any, r: Any) -> None:
    for c in range(np.uint64(Z.shape[1])):
        z = Z.dtype.type(0)
        for k in range(np.uint64(start), np.uint64(end)):
            z = Z.dtype.type(fma(data[k], W[c, np.uint64(indices[k])], z))
        Z[r, c] = z


@by_type(forceinline=True)
def sum_planes(data: Any, indices: Any, start: Any, end: Any, W: Any, Z: Any, r: Any) -> Callable[..., Any]:
    """Z[r, c] = sum of data[k] W[c, indices[k]], k from start to end, in this order, for every class c.

    `W` is (n_classes, n_features); in Fortran's order, where the classes of a feature stand side by side, eight of them
    or more are summed at once. Changes `Z` (n_rows, n_classes).
    """

    def side_by_side(data: Any, indices: Any, start: Any, end: Any, W: Any, Z: Any, r: Any) -> None:
        n = np.uint64(Z.shape[1])
        if n < _LANES:
            _one_by_one(data, indices, start, end, W, Z, r)
        else:
            # The last vector ends with the last class; what it shares with the one before comes out the same.
            last = n - np.uint64(_LANES)
            for c in range(np.uint64(0), n, np.uint64(_LANES * _VECTORS)):
                second, third = c + np.uint64(_LANES), c + np.uint64(2 * _LANES)
                firsts = (min(c, last), min(second, last), min(third, last))
                _eight_each(data, indices, np.uint64(start), np.uint64(end), W, Z, np.uint64(r), firsts)

    # The products of wider entries with narrower weights would be rounded before they are added.
    fits = W.dtype == Z.dtype and data.dtype.bitwidth <= Z.dtype.bitwidth
    if fits and W.layout == "F":
        return side_by_side
    return lambda data, indices, start, end, W, Z, r: _one_by_one(data, indices, start, end, W, Z, r)
