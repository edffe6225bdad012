"""Files of activations: .npy and .safetensors mapped into memory, .npz, HDF5, and lists in Parquet and Arrow files."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet
from safetensors import SafetensorError, safe_open

from linsep.data.readers.asked import in_a_line
from linsep.probing.stored import Stored, layer_in, skipped
from linsep.types import Array, DataError

# As NumPy calls what safetensors calls so; BF16 is the upper half of a float32.
_TYPES = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "BF16": "<u2",
    "BOOL": "?",
    **{f"I{bits}": f"<i{bits // 8}" for bits in (8, 16, 32, 64)},
    **{f"U{bits}": f"<u{bits // 8}" for bits in (8, 16, 32, 64)},
}


def arrays_of_file(path: str, key: str | None = None) -> list[tuple[str, Stored]]:
    """Return the arrays of a file by name; the one of a .npy file and that of a table of numbers have the name "".

    Raises
    ------
    DataError
        The name tells no format that is known, or the file is not whole.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in _READERS:
        raise DataError(f"{path}: activations are read from {', '.join(_READERS)}")
    try:
        found = _READERS[suffix](path, key)
    except (ValueError, EOFError, OSError, BadZipFile, SafetensorError, pa.ArrowException) as error:
        if isinstance(error, DataError) or getattr(error, "errno", None) is not None:
            raise
        raise DataError(f"{path}: not a whole {suffix} file: {in_a_line(error)}") from None
    names = [name for name, _ in found]
    # another order than that of the alphabet is one that somebody chose
    return sorted(found, key=lambda one: by_number(one[0])) if names == sorted(names) else found


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


def _npy(path: str, key: str | None) -> list[tuple[str, Stored]]:
    array = np.load(path, mmap_mode="r", allow_pickle=False)
    if not isinstance(array, np.ndarray):
        raise DataError(f"{path}: this is a .npz file: give it that suffix")
    return [("", _of_array(lambda: array))]


def _npz(path: str, key: str | None) -> list[tuple[str, Stored]]:
    with np.load(path, allow_pickle=False) as archive:
        if isinstance(archive, np.ndarray):
            raise DataError(f"{path}: this is a .npy file: give it that suffix")
        there = set(archive.zip.namelist())
        members = {name: name if name in there else f"{name}.npy" for name in archive.files}
        headers = {name: _header_in(archive.zip, member) for name, member in members.items()}
    return [(name, _in_archive(path, name, header)) for name, header in headers.items()]


class _Header(NamedTuple):
    """An array of an archive: its name there, and where its numbers begin in it."""

    member: ZipInfo
    begin: int
    shape: tuple[int, ...]
    fortran: bool
    dtype: np.dtype[Any]


def _header_in(archive: ZipFile, member: str) -> _Header:
    with archive.open(member) as file:
        version = np.lib.format.read_magic(file)
        header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, fortran, dtype = header(file)
        return _Header(archive.getinfo(member), file.tell(), tuple(shape), fortran, dtype)


def _in_archive(path: str, name: str, header: _Header) -> Stored:
    """An array of an archive, of which only the layer asked for is kept; bytes that are damaged are refused."""
    at_once = header.member.compress_type == ZIP_STORED and 0 not in header.shape

    def read() -> Array:
        with np.load(path, allow_pickle=False) as again:
            return np.asarray(again[name])

    @cache
    def mapped() -> Array:
        with ZipFile(path) as archive, archive.open(header.member) as file:
            skipped(file, header.member.file_size)  # compares the checksum
        with open(path, "rb") as raw:
            raw.seek(header.member.header_offset + 26)
            lengths = int.from_bytes(raw.read(2), "little") + int.from_bytes(raw.read(2), "little")
        begin = header.member.header_offset + 30 + lengths + header.begin
        return np.memmap(path, header.dtype, "r", begin, header.shape, "F" if header.fortran else "C")

    def read_at(axis: int, k: int) -> Array:
        if header.dtype.hasobject:
            return read()  # which refuses them
        if at_once:
            return np.array(mapped()[(slice(None),) * axis + (k,)], order="C")  # aligned, as the archive is not
        shape, place = (header.shape[::-1], len(header.shape) - 1 - axis) if header.fortran else (header.shape, axis)
        with ZipFile(path) as archive, archive.open(header.member) as file:
            skipped(file, header.begin)
            found = layer_in(file, shape, place, k, header.dtype)
        return np.ascontiguousarray(found.T) if header.fortran else found

    def or_refused(function: Callable[..., Array], *given: int) -> Array:
        try:
            return function(*given)
        except (ValueError, EOFError, BadZipFile, zlib.error) as error:
            raise DataError(f"{path}: {name!r} cannot be read: {in_a_line(error)}") from None

    return Stored(header.shape, lambda: or_refused(read), lambda axis, k: or_refused(read_at, axis, k))


def _of_array(load: Callable[[], Array]) -> Stored:
    def at(axis: int, k: int) -> Array:
        return np.ascontiguousarray(load()[(slice(None),) * axis + (k,)])

    return Stored(load().shape, load, at)


def _safetensors(path: str, key: str | None) -> list[tuple[str, Stored]]:
    with safe_open(path, "np") as file:  # checks the header, its offsets and lengths
        names = sorted(file.keys())
    with open(path, "rb") as raw:
        length = int.from_bytes(raw.read(8), "little")
        header = json.loads(raw.read(length))
    return [(name, _tensor(path, name, header[name], 8 + length)) for name in names]


def _tensor(path: str, name: str, facts: dict[str, Any], begin: int) -> Stored:
    kind, shape = facts["dtype"], tuple(facts["shape"])
    if kind not in _TYPES:
        raise DataError(f"{path}: {name!r} holds {kind}; {', '.join(_TYPES)} are read")

    def mapped() -> Array:
        if 0 in shape:
            return np.zeros(shape, dtype=_TYPES[kind])
        return np.memmap(path, _TYPES[kind], "r", begin + facts["data_offsets"][0], shape)

    def widened(part: Array) -> Array:
        return (part.astype(np.uint32) << 16).view(np.float32) if kind == "BF16" else part

    inner = _of_array(mapped)
    return Stored(shape, lambda: widened(mapped()), lambda axis, k: widened(inner.read_at(axis, k)))


def _hdf5(path: str, key: str | None) -> list[tuple[str, Stored]]:
    """The datasets of a file and of its groups, as "group/name"; single values are none."""
    try:
        import h5py
    except ImportError:
        raise DataError(
            f"{path}: reading HDF5 needs h5py, which is not installed: pip install 'linsep[hdf5]'"
        ) from None
    shapes: dict[str, tuple[int, ...]] = {}

    def keep(name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset) and item.shape:
            shapes[name] = item.shape

    with h5py.File(path, "r") as file:
        file.visititems(keep)

    def one(name: str) -> Stored:
        def read(chosen: Any = ()) -> Array:
            try:
                with h5py.File(path, "r") as again:
                    part = again[name]
                    return np.asarray((part.asstr() if h5py.check_string_dtype(part.dtype) else part)[chosen])
            except (OSError, TypeError) as error:
                raise DataError(f"{path}: {name!r} cannot be read: {in_a_line(error)}") from None

        return Stored(shapes[name], read, lambda axis, k: read((slice(None),) * axis + (k,)))

    return [(name, one(name)) for name in sorted(shapes)]


def _parquet(path: str, key: str | None) -> list[tuple[str, Stored]]:
    with pyarrow.parquet.ParquetFile(path) as file:
        schema, n_rows = file.schema_arrow, file.metadata.num_rows
    return _of_columns(path, schema, n_rows, lambda names: pyarrow.parquet.read_table(path, columns=names), key)


def _arrow(path: str, key: str | None) -> list[tuple[str, Stored]]:
    source = pa.memory_map(path)
    try:
        table = pyarrow.ipc.open_file(source).read_all()
    except pa.ArrowInvalid:
        table = pyarrow.ipc.open_stream(pa.memory_map(path)).read_all()
    return _of_columns(path, table.schema, table.num_rows, table.select, key)


def _of_columns(
    path: str, schema: Any, n_rows: int, read: Callable[[list[str]], Any], key: str | None
) -> list[tuple[str, Stored]]:
    """Each column of lists is an array; without one, the columns of numbers are an array together.

    Columns of single values are arrays of one axis too: one of them may be the key.
    """
    kinds = dict(zip(schema.names, schema.types, strict=True))
    found = [
        (name, _list_column(path, name, (n_rows, getattr(kind, "list_size", -1)), read))
        for name, kind in kinds.items()
        if _is_list(kind)
    ]
    if not found:
        numbers = [name for name, kind in kinds.items() if name != key and _is_number(kind)]
        others = [name for name, kind in kinds.items() if name != key and not _is_number(kind)]
        if others:
            raise DataError(
                f"{path}: column {others[0]!r} holds {kinds[others[0]]!s:.60}, no number and no list of numbers: leave "
                "it out, or name it as the key of the rows (key, --key)"
            )
        found = [("", _number_columns(path, numbers, n_rows, read))]
    single = [name for name, kind in kinds.items() if not pa.types.is_nested(kind)]
    return found + [(name, _single_values(name, n_rows, read)) for name in single]


def _single_values(name: str, n_rows: int, read: Callable[[list[str]], Any]) -> Stored:
    return _of_table((n_rows,), lambda: read([name])[name].to_numpy())


def _is_list(kind: Any) -> bool:
    return bool(pa.types.is_fixed_size_list(kind) or pa.types.is_list(kind) or pa.types.is_large_list(kind))


def _is_number(kind: Any) -> bool:
    return bool(pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_boolean(kind))


def _of_table(shape: tuple[int, ...], load: Callable[[], Array]) -> Stored:
    return Stored(shape, load, lambda axis, k: np.take(load(), k, axis))


def _number_columns(path: str, names: list[str], n_rows: int, read: Callable[[list[str]], Any]) -> Stored:
    def load() -> Array:
        table = read(names)
        for name in names:
            _refuse_nulls(path, name, table[name])
        return np.column_stack([table[name].to_numpy() for name in names])

    return _of_table((n_rows, len(names)), load)


def _list_column(path: str, name: str, shape: tuple[int, ...], read: Callable[[list[str]], Any]) -> Stored:
    """A column of lists that have the same length: -1 in the shape where the type does not say it."""

    def load() -> Array:
        column = read([name])[name]
        _refuse_nulls(path, name, column)
        parts = [_matrix(path, name, chunk) for chunk in column.chunks if len(chunk)]
        if len({part.shape[1] for part in parts}) > 1:
            raise DataError(f"{path}, column {name!r}: the lists are not all of the same length")
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    return _of_table(shape, load)


def _matrix(path: str, name: str, chunk: Any) -> Array:
    values = chunk.flatten()
    if values.null_count:
        raise DataError(f"{path}, column {name!r}: a number in a list is missing; fill or drop missing values first")
    width, rest = divmod(len(values), len(chunk))
    if rest or not (np.asarray(chunk.value_lengths()) == width).all():
        raise DataError(f"{path}, column {name!r}: the lists are not all of the same length")
    return np.asarray(values.to_numpy(zero_copy_only=False)).reshape(-1, width)


def _refuse_nulls(path: str, name: str, column: Any) -> None:
    if column.null_count:
        row = int(np.flatnonzero(column.is_null().to_numpy())[0])
        raise DataError(f"{path}, row {row}, column {name!r}: the value is missing; fill or drop missing values first")


_READERS: dict[str, Callable[[str, str | None], list[tuple[str, Stored]]]] = {
    ".npy": _npy,
    ".npz": _npz,
    ".safetensors": _safetensors,
    ".h5": _hdf5,
    ".hdf5": _hdf5,
    ".parquet": _parquet,
    ".arrow": _arrow,
    ".feather": _arrow,
}
