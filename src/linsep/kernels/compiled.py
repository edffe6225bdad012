"""Ways to compile a function: references that nobody counts, and code chosen by the types of what is given."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from numba import njit
from numba.extending import overload

Kernel = TypeVar("Kernel", bound=Callable[..., Any])
# Numba also makes of each function one that C could call, which nobody does: a tenth of the time to compile.
_NOT_FOR_C = {"no_cfunc_wrapper": True}


def kernel(**options: Any) -> Callable[[Kernel], Kernel]:
    """`numba.njit` for functions that Python and other kernels call."""
    decorator: Any = njit  # its types do not name these options
    compiled: Callable[[Kernel], Kernel] = decorator(**_NOT_FOR_C, **options)
    return compiled


def uncounted(**options: Any) -> Callable[[Kernel], Kernel]:
    """`kernel` for functions that make no array, nor call one that does: references to arrays are not counted.

    Numba counts them wherever one function hands an array to another, with a locked instruction each, and takes few of
    these out again where there are branches: text took four times as long to read, and the passes of a pocket twice.
    Whoever calls a kernel holds its arrays meanwhile, so there is nothing to count. Numba hands the option down to what
    is first compiled for such a kernel, and refuses one that makes an array.
    """
    return kernel(_nrt=False, **options)


def inner(**options: Any) -> Callable[[Kernel], Kernel]:
    """`uncounted` for parts of kernels that only compiled code calls: a call from Python would end the process."""
    return uncounted(no_cpython_wrapper=True, **options)


def by_type(more_of: Any = None, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """A function of compiled code alone, whose code depends on the types of its arguments.

    What is decorated is given these types, and returns the function of the values for them; so a kernel is written
    once, and Numba compiles it once for each kind of rows, rule or watch. It returns None for types that are left to
    another choice, `more_of` this one. `options` are those of `numba.njit`.
    """

    def decorate(choose: Callable[..., Any]) -> Any:
        @wraps(choose)
        def in_compiled_code(*given: Any) -> Any:
            raise NotImplementedError(f"{choose.__name__} is called by compiled code alone")

        told: Any = _NOT_FOR_C | options  # it has a type that names them
        overload(more_of or in_compiled_code, jit_options=told, strict=False)(choose)
        return more_of or in_compiled_code

    return decorate
