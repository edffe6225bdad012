"""Layers of activations, whatever holds them: each is read when its turn comes, and only one is in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from linsep.data.inputs import find_files
from linsep.probing.files import arrays_of_file, by_number
from linsep.probing.stored import Stored
from linsep.tables import check_finite
from linsep.types import Array, DataError

_KINDS = "biuf"
_LISTED = 8  # arrays that a message names


@dataclass(frozen=True)
class Layer:
    """A layer: its name, and what reads its rows, their keys, and arrays beside it that have a value a row."""

    name: str
    read: Callable[[], Array]
    read_keys: Callable[[], Array] | None = None
    beside: Mapping[str, Callable[[], Array]] = field(default_factory=dict)


def open_layers(given: Any, *, axis: int | None = None, key: str | None = None) -> list[Layer]:
    """Return the layers of what a user gives as activations, in their order; no rows are read.

    Parameters
    ----------
    given : array, mapping of names to arrays, sequence of arrays, path, or sequence of paths
        Arrays are anything with `__dlpack__`, or with `shape` and `__array__`.
    axis : int, optional
        The axis of arrays of three axes that counts the layers.
    key : str, optional
        The array or column that holds the names of the rows, in each file and in a mapping.

    Returns
    -------
    list of Layer

    Raises
    ------
    DataError
        There is no layer, a file cannot be read, or an array has not two axes (three with `axis`).
    """
    if isinstance(given, str | Path):
        given = [given]
    if isinstance(given, Mapping):
        layers = _of_parts([(str(name), _in_memory(part)) for name, part in given.items()], axis, key, "X")
    elif hasattr(given, "shape") or hasattr(given, "__dlpack__"):
        layers = _of_parts([("X", _in_memory(given))], axis, key, "X")
    elif isinstance(given, list | tuple) and given and all(isinstance(one, str | Path) for one in given):
        layers = _of_files(files_of(given), axis, key)
    elif isinstance(given, list | tuple) and given and all(len(getattr(one, "shape", ())) == 2 for one in given):
        layers = _of_parts([(str(k), _in_memory(part)) for k, part in enumerate(given)], axis, key, "X")
    else:
        layers = _of_parts([("X", _in_memory(np.asarray(given)))], axis, key, "X")
    names = [layer.name for layer in layers]
    for name in names:
        if names.count(name) > 1:
            raise DataError(f"two layers are called {name!r}: give their files or keys other names")
    return layers


def files_of(given: Iterable[str | Path]) -> list[str]:
    """The files that paths, folders and patterns name: those of one in the order of the numbers in their names."""
    return [path for one in given for path in sorted(find_files(str(one)), key=by_number)]


def _of_files(paths: list[str], axis: int | None, key: str | None) -> list[Layer]:
    found: list[Layer] = []
    for path in paths:
        parts = arrays_of_file(path, key)
        stem = Path(path).stem
        alone = len(paths) == 1
        named = [
            (name if name and (alone or name == key) else f"{stem}/{name}" if name else stem, part)
            for name, part in parts
        ]
        found += _of_parts(named, axis, key, path, numbered=alone)
    return found


def _of_parts(
    parts: list[tuple[str, Stored]], axis: int | None, key: str | None, place: str, *, numbered: bool = True
) -> list[Layer]:
    """The layers of arrays that stand together; one of them may hold the keys of all."""
    keys = next((part for name, part in parts if name == key), None)
    if key is not None and keys is None:
        raise DataError(f"{place}: there is nothing called {key!r} that names the rows; there are {_listed(parts)}")
    read_keys = None if keys is None else keys.read
    layers: list[Layer] = []
    beside = {name.rpartition("/")[2]: part.read for name, part in parts if len(part.shape) == 1}
    many = [(name, part) for name, part in parts if name != key and (len(part.shape) != 1 or len(parts) == 1)]
    for name, part in many:
        if axis is None or len(part.shape) == 2:
            _check_axes(name, part.shape, place, axis)
            layers.append(Layer(name, _rows(name, part), read_keys, beside))
            continue
        if len(part.shape) != 3 or not -3 <= axis < 3:
            raise DataError(
                f"{place}: {name!r} has the shape {part.shape}; with axis {axis} it needs three axes, counted from 0"
            )
        for k in range(part.shape[axis]):
            inner = str(k) if numbered and len(many) == 1 else f"{name}/{k}"
            layers.append(Layer(inner, _rows(inner, part, (axis % 3, k)), read_keys, beside))
    if not layers:
        raise DataError(f"{place}: there is no layer: an array with a row for each label; there are {_listed(parts)}")
    return layers


def _listed(parts: Sequence[tuple[str, Stored]]) -> str:
    more = ", ..." if len(parts) > _LISTED else ""
    return ", ".join(f"{name!r} {part.shape}" for name, part in parts[:_LISTED]) + more or "no arrays"


def _check_axes(name: str, shape: tuple[int, ...], place: str, axis: int | None) -> None:
    if len(shape) == 3 and axis is None:
        raise DataError(
            f"{place}: {name!r} has three axes {shape}: say which of them counts the layers (axis, --axis), or average "
            "over the one that is not wanted"
        )
    if len(shape) != 2:
        raise DataError(f"{place}: {name!r} has the shape {shape}; a layer has two axes, rows and numbers")
    if 0 in shape:
        raise DataError(f"{place}: {name!r} is empty, its shape is {shape}")


def _rows(name: str, part: Stored, at: tuple[int, int] | None = None) -> Callable[[], Array]:
    def read() -> Array:
        X = part.read() if at is None else part.read_at(*at)
        return _checked(name, np.asarray(X))

    return read


def _checked(name: str, X: Array) -> Array:
    """The rows as integers or floats that hold exactly what was stored."""
    if X.dtype.name == "bfloat16" or X.dtype == np.float16:
        X = X.astype(np.float32)  # both are exact
    if X.dtype.kind not in _KINDS or X.dtype.itemsize > 8:
        raise DataError(f"layer {name!r} must hold numbers of at most 64 bits, not {X.dtype}")
    try:
        if X.dtype.kind == "f":
            check_finite(X)
    except DataError as error:
        raise DataError(f"layer {name!r}, {error}") from None
    return X


def _in_memory(given: Any) -> Stored:
    """Anything with `__array__` or `__dlpack__`."""

    def whole() -> Array:
        try:
            by_dlpack = hasattr(given, "__dlpack__") and not hasattr(given, "__array__")
            return np.from_dlpack(given) if by_dlpack else np.asarray(given)
        except (TypeError, RuntimeError, BufferError) as error:
            kind = type(given).__name__
            raise DataError(
                f"this {kind} does not become an array: {error}; give float32 numbers in main memory, as "
                "tensor.detach().float().cpu().numpy() does"
            ) from None

    def some(axis: int, k: int) -> Array:
        return np.asarray(np.take(whole(), k, axis))

    shape = given.shape if hasattr(given, "shape") else whole().shape
    return Stored(tuple(int(size) for size in shape), whole, some)
