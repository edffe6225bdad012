"""Layers of activations, whatever holds them: each is read when its turn comes, and only one is kept in memory.

Files are .npy and .safetensors, which are mapped into memory, .npz and HDF5.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
from safetensors import SafetensorError, safe_open

from linsep.as_given import refuse_masked
from linsep.data.readers.lines import in_a_line
from linsep.data.sources.open import find_files
from linsep.tables import check_finite
from linsep.types import Array, DataError

_LISTED = 8  # arrays that a message names
# As NumPy calls what safetensors calls so; BF16 is the upper half of a float32.
_TYPES = {"BOOL": "?", "BF16": "<u2", "F16": "<f2", "F32": "<f4", "F64": "<f8"}
_TYPES |= {f"{kind}{bits}": f"<{kind.lower()}{bits // 8}" for kind in "IU" for bits in (8, 16, 32, 64)}
_DAMAGED = (ValueError, TypeError, EOFError, OSError, BadZipFile, zlib.error, SafetensorError)
Index = tuple[slice | int, ...]


class Stored(NamedTuple):
    """The shape of an array, and what reads the part of it at an index: () is all of it."""

    shape: tuple[int, ...]
    read: Callable[[Index], Array]


@dataclass(frozen=True)
class Layer:
    """A layer: its name, and what reads its rows, their keys, and arrays beside it that have a value a row."""

    name: str
    read: Callable[[], Array]
    read_keys: Callable[[], Array] | None
    beside: Mapping[str, Callable[[], Array]]


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
    given = [given] if isinstance(given, str | Path) else given
    several = isinstance(given, list | tuple) and len(given) > 0
    if several and all(isinstance(one, str | Path) for one in given):
        layers = _of_files(files_of(given), axis, key)
    else:
        if several and all(len(getattr(one, "shape", ())) == 2 for one in given):
            given = dict(enumerate(given))
        parts = given if isinstance(given, Mapping) else {"X": given}
        layers = _of_parts([(str(name), _in_memory(part)) for name, part in parts.items()], axis, key, "X")
    names = [layer.name for layer in layers]
    for name in names:
        if names.count(name) > 1:
            raise DataError(f"two layers are called {name!r}: give their files or keys other names")
    return layers


def files_of(given: Iterable[str | Path]) -> list[str]:
    """The files that paths, folders and patterns name: those of one in the order of the numbers in their names."""
    return [path for one in given for path in sorted(find_files(str(one)), key=by_number)]


def by_number(name: str) -> list[tuple[int, str]]:
    """What to sort names by, so that layer.2 stands before layer.10.

    Examples
    --------
    >>> sorted(["l10.npy", "l2.npy", "l1.npy", "embedding.npy"], key=by_number)
    ['embedding.npy', 'l1.npy', 'l2.npy', 'l10.npy']
    >>> by_number("l10")[1]
    (10, '')
    """
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)]


def _of_files(paths: list[str], axis: int | None, key: str | None) -> list[Layer]:
    """The layers of all files; of several files their names say which file."""
    found: list[Layer] = []
    for path in paths:
        parts, stem = arrays_of_file(path), Path(path).stem
        if len(paths) > 1:
            parts = {name if name in ("", key) else f"{stem}/{name}": part for name, part in parts.items()}
        found += _of_parts([(name or stem, part) for name, part in parts.items()], axis, key, path, len(paths) == 1)
    return found


def _of_parts(
    parts: list[tuple[str, Stored]], axis: int | None, key: str | None, place: str, numbered: bool = True
) -> list[Layer]:
    """The layers of arrays that stand together; one of them may hold the keys of all."""
    listed = ", ".join(f"{name!r} {part.shape}" for name, part in parts[:_LISTED]) or "no arrays"
    keys = None if key is None else dict(parts).get(key)
    if key is not None and keys is None:
        raise DataError(f"{place}: there is nothing called {key!r} that names the rows; there are {listed}")
    read_keys = None if keys is None else partial(keys.read, ())
    beside = {name.rpartition("/")[2]: partial(part.read, ()) for name, part in parts if len(part.shape) == 1}
    many = [(name, part) for name, part in parts if name != key and (len(part.shape) != 1 or len(parts) == 1)]
    layers: list[Layer] = []
    for name, part in many:
        places: list[tuple[str, Index]] = [(name, ())]
        if (across := _checked_axis(f"{place}: {name!r}", part.shape, axis)) is not None:
            start = "" if numbered and len(many) == 1 else f"{name}/"
            places = [(f"{start}{k}", _at(across, k)) for k in range(part.shape[across])]
        layers += [Layer(inner, partial(_rows, inner, part, index), read_keys, beside) for inner, index in places]
    if not layers:
        raise DataError(f"{place}: there is no layer: an array with a row for each label; there are {listed}")
    return layers


def _checked_axis(what: str, shape: tuple[int, ...], axis: int | None) -> int | None:
    """The axis of three that counts the layers, from 0; None for an array that is one layer."""
    if len(shape) not in (2, 3) or 0 in shape:
        raise DataError(f"{what} has the shape {shape}; a layer has two axes, rows and numbers, and is not empty")
    if len(shape) == 2:
        return None
    if axis is None or axis not in range(-3, 3):
        which = "say which of them counts the layers (axis)" if axis is None else f"there is no axis {axis}"
        raise DataError(f"{what} has three axes {shape}: {which}, from 0")
    return axis % 3


def _at(axis: int, k: Any) -> Index:
    """The index of what stands at k of an axis."""
    return (slice(None),) * axis + (k,)


def _rows(name: str, part: Stored, index: Index) -> Array:
    """The rows as integers or floats that hold exactly what was stored."""
    X = np.asarray(part.read(index))
    X = np.ascontiguousarray(X) if index else X
    if X.dtype.name == "bfloat16":
        X = X.astype(np.float32)  # exactly
    if X.dtype.kind not in "biuf" or X.dtype.itemsize > 8:
        raise DataError(f"layer {name!r} must hold numbers of at most 64 bits, not {X.dtype}")
    try:
        check_finite(X)
    except DataError as error:
        raise DataError(f"layer {name!r}, {error}") from None
    return X


def _in_memory(given: Any) -> Stored:
    """Anything with `__array__` or `__dlpack__`."""
    refuse_masked(given, "X")

    def read(index: Index) -> Array:
        try:
            by_dlpack = hasattr(given, "__dlpack__") and not hasattr(given, "__array__")
            return np.asarray((np.from_dlpack(given) if by_dlpack else np.asarray(given))[index])
        except (TypeError, RuntimeError, BufferError) as error:
            advice = "give float32 numbers in main memory, as tensor.detach().float().cpu().numpy() does"
            raise DataError(f"this {type(given).__name__} does not become an array: {error}; {advice}") from None

    return Stored(tuple(int(size) for size in getattr(given, "shape", None) or read(()).shape), read)


def arrays_of_file(path: str) -> dict[str, Stored]:
    """Return the arrays of a file by name; the one of a .npy file has the name "".

    Raises
    ------
    DataError
        The name tells no format that is known, or the file is not whole.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in _READERS:
        raise DataError(f"{path}: activations are read from {', '.join(_READERS)}")
    try:
        found = _READERS[suffix](path)
    except _DAMAGED as error:
        if isinstance(error, DataError) or getattr(error, "errno", None) is not None:
            raise
        raise DataError(f"{path}: not a whole {suffix} file of numbers or text: {in_a_line(error)}") from None
    # another order than that of the alphabet is one that somebody chose
    names = sorted(found, key=by_number) if list(found) == sorted(found) else found
    return {name: Stored(found[name].shape, partial(_read, path, name, found[name].read)) for name in names}


def _read(path: str, name: str, read: Callable[[Index], Array], index: Index) -> Array:
    try:
        return read(index)
    except _DAMAGED as error:
        raise DataError(f"{path}: {name!r} cannot be read: {in_a_line(error)}") from None


def _numpy(path: str) -> dict[str, Stored]:
    array = np.load(path, mmap_mode="r", allow_pickle=False)
    if isinstance(array, np.ndarray):
        return {"": Stored(array.shape, array.__getitem__)}
    found = {}
    with array as archive:
        for name in archive.files:
            with archive.zip.open(f"{name}.npy") as file:
                np.lib.format.read_magic(file)
                found[name] = Stored(np.lib.format.read_array_header_1_0(file)[0], partial(_in_archive, path, name))
    return found


def _in_archive(path: str, name: str, index: Index) -> Array:
    with np.load(path, allow_pickle=False) as archive:
        return np.array(archive[name][index], order="C")  # without the other layers


def _safetensors(path: str) -> dict[str, Stored]:
    with safe_open(path, "np") as file:  # checks the header, its offsets and lengths
        names = sorted(file.keys())
    with open(path, "rb") as raw:
        begin = 8 + int.from_bytes(raw.read(8), "little")
        header = json.loads(raw.read(begin - 8))
    return {name: Stored(tuple(header[name]["shape"]), partial(_tensor, path, header[name], begin)) for name in names}


def _tensor(path: str, facts: dict[str, Any], begin: int, index: Index) -> Array:
    kind = facts["dtype"]
    if kind not in _TYPES:
        raise ValueError(f"it holds {kind}; {', '.join(_TYPES)} are read")
    part = np.memmap(path, _TYPES[kind], "r", begin + facts["data_offsets"][0], tuple(facts["shape"]))[index]
    return (part.astype(np.uint32) << 16).view(np.float32) if kind == "BF16" else part


def _hdf5(path: str) -> dict[str, Stored]:
    """The datasets of a file and of its groups, as "group/name"; single values are none."""
    try:
        import h5py
    except ImportError:
        raise DataError(f"{path}: HDF5 needs h5py, which is not installed: pip install '.[hdf5]'") from None
    found: dict[str, Stored] = {}

    def read(name: str, index: Index) -> Array:
        with h5py.File(path, "r") as again:
            part = again[name]
            return np.asarray((part.asstr() if h5py.check_string_dtype(part.dtype) else part)[index])

    def keep(name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset) and item.shape:
            found[name] = Stored(item.shape, partial(read, name))

    with h5py.File(path, "r") as file:
        file.visititems(keep)
    return dict(sorted(found.items()))


_READERS: dict[str, Callable[[str], dict[str, Stored]]] = {".npy": _numpy, ".npz": _numpy, ".safetensors": _safetensors}
_READERS |= {".h5": _hdf5, ".hdf5": _hdf5}
