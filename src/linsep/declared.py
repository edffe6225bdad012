"""What the arrays and values of a model must be: declared beside their names, checked before anything else sees them.

A file is bytes from anywhere, and compiled code does not look where it writes. So each part of a model lists its
arrays with dtype, shape and range, and its values with type and range; `load` and `save` compare.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from linsep.types import Array, DataError

# Whole numbers above this are not all floats, and counters are added to floats.
MOST = 1 << 53
# Columns that a model can have, at most: their numbers fit 32 bits.
MOST_COLUMNS = (1 << 31) - 1
_DTYPES = {
    "float": ("float32", "float64"),
    "whole": ("int32", "int64"),
    "count": ("float64", "int64"),
    "tag": ("uint16", "uint32"),
}


@dataclass(frozen=True)
class ArraySpec:
    """What one array must be.

    Attributes
    ----------
    shape : tuple of int or str
        Its sizes. A name stands for a size that all arrays share; the first array that uses a name sets it, unless the
        model did. "rows+1" is one more than "rows".
    dtype : str
        "float" (32 or 64 bits), "whole" (signed, 32 or 64 bits), "count" (float64 or int64), "tag" (unsigned, 16 or 32
        bits), or the name of a dtype.
    least : float, optional
        No entry is below this.
    below : int or str, optional
        All entries are below this number or this size.
    cuts : str, optional
        The entries cut something of this size into parts: they never fall and end there. One more than there are
        parts begins with 0.
    like : str, optional
        The array whose dtype it has.
    needed : bool, default=True
        Whether there is no model without it.
    bounded : bool, default=True
        Floats: whether the sum of the squares is finite too, as of weights, so that no product overflows.
    """

    shape: tuple[int | str, ...]
    dtype: str = "float"
    least: float | None = None
    below: int | str | None = None
    cuts: str | None = None
    like: str | None = None
    needed: bool = True
    bounded: bool = True


@dataclass(frozen=True)
class ValueSpec:
    """What one value must be.

    Attributes
    ----------
    kind : {"whole", "number", "flag", "choice", "text", "list", "dict", "tuple"}
        A whole number, a real number, True or False, one of `choices`, or a tuple of `parts`.
    least, most : float
        The range of a number; of a tuple `least` is its least length, 0 for that of `parts`.
    choices : tuple
        For "choice".
    parts : tuple of ValueSpec
        For "tuple".
    none, nan : bool, default=False
        Whether it may be None, or NaN.
    needed : bool, default=True
        Whether there is no model without it.
    """

    kind: str = "whole"
    least: float = 0
    most: float = MOST
    choices: tuple[Any, ...] = ()
    parts: tuple[ValueSpec, ...] = ()
    none: bool = False
    nan: bool = False
    needed: bool = True


def check_arrays(arrays: Mapping[str, Array], specs: Mapping[str, ArraySpec], sizes: dict[str, int]) -> None:
    """Raise DataError unless the arrays are those declared; names of sizes that the arrays set are added to `sizes`.

    Examples
    --------
    >>> check_arrays({"w": np.ones((1, 2))}, {"w": ArraySpec((1, "features"))}, {"features": 3})
    Traceback (most recent call last):
    linsep.types.DataError: the array w has the shape (1, 2), not (1, 3)
    """
    for name in arrays.keys() - specs.keys():
        raise DataError(f"an array is called {name!r}, and this kind of model has none of that name")
    for name, spec in specs.items():
        array = arrays.get(name)
        if array is not None:
            check_form(name, array, spec, sizes, arrays)
        elif spec.needed:
            raise DataError(f"the array {name} is missing")
    for name, spec in specs.items():
        if name in arrays:
            _check_entries(name, arrays[name], spec, sizes)


def check_form(name: str, array: Any, spec: ArraySpec, sizes: dict[str, int], others: Mapping[str, Any]) -> None:
    """Raise DataError unless dtype and shape are as declared: the part of `check_arrays` that costs next to nothing.

    Parameters
    ----------
    name : str
        Of the array, for the message.
    array : object
        What stands in its place.
    spec : ArraySpec
        What it must be.
    sizes : dict of str to int
        The sizes known; those that this array sets are added.
    others : mapping of str to array
        The other arrays, for `ArraySpec.like`.
    """
    if not isinstance(array, np.ndarray):
        raise DataError(f"{name} is a {type(array).__name__}, not an array")
    allowed = _DTYPES.get(spec.dtype, (spec.dtype,))
    if spec.like is not None and isinstance(other := others.get(spec.like), np.ndarray):
        allowed = (other.dtype.name,)
    if array.dtype.name not in allowed or not array.dtype.isnative:
        raise DataError(f"the array {name} holds {array.dtype} numbers, not {' or '.join(allowed)}")
    found = array.shape
    wanted = found if len(found) != len(spec.shape) else tuple(map(_size_of, spec.shape, found, [sizes] * len(found)))
    if found != wanted or len(found) != len(spec.shape):
        shape = ", ".join(str(sizes.get(size, size) if isinstance(size, str) else size) for size in spec.shape)
        raise DataError(f"the array {name} has the shape {found}, not ({shape}{',' if len(spec.shape) == 1 else ''})")


def _size_of(declared: int | str, found: int, sizes: dict[str, int]) -> int:
    """The size that is wanted where the array has `found`; it sets a name that has no size yet."""
    if isinstance(declared, int):
        return declared
    name, _, more = declared.partition("+")
    extra = int(more or 0)
    return max(0, sizes.setdefault(name, found - extra)) + extra


def _check_entries(name: str, array: Array, spec: ArraySpec, sizes: Mapping[str, int]) -> None:
    if not array.size:
        if spec.cuts is not None and sizes[spec.cuts]:
            raise DataError(f"the array {name} is empty, and there are {sizes[spec.cuts]} entries to cut into parts")
        return
    if array.dtype.kind == "f":
        entries = array.ravel(order="K")
        with np.errstate(over="ignore", invalid="ignore"):
            whole = np.isfinite(entries @ entries) if spec.bounded else np.isfinite(entries).all()
        if not whole:
            raise DataError(f"the array {name} holds numbers that are not finite, or are too large to be added up")
    if spec.least is not None and (low := array.min()) < spec.least:
        raise DataError(f"the array {name} holds {low}; its entries are at least {spec.least:g}")
    if spec.below is not None:
        limit = sizes[spec.below] if isinstance(spec.below, str) else spec.below
        if (high := array.max()) >= limit:
            raise DataError(f"the array {name} holds {high}; its entries are below {limit}")
    if spec.cuts is not None:
        begins = 0 if str(spec.shape[0]).endswith("+1") else array[0]
        if array[0] != begins or begins < 0 or array[-1] != sizes[spec.cuts] or (array[1:] < array[:-1]).any():
            raise DataError(
                f"the array {name} does not cut {sizes[spec.cuts]} entries into parts: it falls, or ends elsewhere"
            )


def check_values(values: Any, specs: Mapping[str, ValueSpec], *, others: bool = False) -> None:
    """Raise DataError unless the values are those declared; `others` allows more.

    Examples
    --------
    >>> check_values({"t_": -1}, {"t_": ValueSpec()})
    Traceback (most recent call last):
    linsep.types.DataError: t_ is -1, and this kind of model has no such value
    """
    if not isinstance(values, dict):
        raise DataError(f"its values are a {type(values).__name__}, not named values")
    for name in [] if others else values.keys() - specs.keys():
        raise DataError(f"a value is called {name!r:.40}, and this kind of model has none of that name")
    for name, spec in specs.items():
        if name not in values:
            if spec.needed:
                raise DataError(f"the value {name} is missing")
        elif not _is_as_declared(value := values[name], spec):
            raise DataError(f"{name} is {value!r:.60}, and this kind of model has no such value")


def _is_as_declared(value: Any, spec: ValueSpec) -> bool:
    if value is None:
        return spec.none
    if spec.kind in ("whole", "number"):
        if not isinstance(value, int | np.integer if spec.kind == "whole" else int | float | np.number):
            return False
        return not isinstance(value, bool) and bool(spec.least <= value <= spec.most or (spec.nan and value != value))
    if spec.kind == "choice":
        return isinstance(value, str) and value in spec.choices
    if spec.kind == "tuple":
        most = len(spec.parts)
        return (
            isinstance(value, tuple)
            and (spec.least or most) <= len(value) <= most
            and all(map(_is_as_declared, value, spec.parts))
        )
    return isinstance(value, {"flag": bool | np.bool_, "text": str, "list": list, "dict": dict}[spec.kind])


def rows_declared(prefix: str, arrays: Mapping[str, Array], rows: str) -> dict[str, ArraySpec]:
    """What the arrays of stored rows must be: one matrix, or the three arrays of a sparse one.

    Parameters
    ----------
    prefix : str
        Their names are `prefix` + "_", or + "_data", "_indices", "_indptr".
    arrays : mapping of str to array
        The arrays that there are, which tell the two apart.
    rows : str
        The name of the number of rows.

    Examples
    --------
    >>> list(rows_declared("kept", {"kept_": np.zeros((2, 3))}, "rows"))
    ['kept_']
    """
    if f"{prefix}_" in arrays:
        return {f"{prefix}_": ArraySpec((rows, "features"))}
    entries = f"{prefix} entries"
    return {
        f"{prefix}_data": ArraySpec((entries,)),
        f"{prefix}_indices": ArraySpec((entries,), "whole", least=0, below="features"),
        f"{prefix}_indptr": ArraySpec((f"{rows}+1",), "whole", cuts=entries, like=f"{prefix}_indices"),
    }
