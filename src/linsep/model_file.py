"""One file: arrays as safetensors has them, the model's JSON in its header, two digests, and its origin."""

from __future__ import annotations

import hashlib
import json
import math
import os
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as _unpack
from safetensors.numpy import save as _pack

from linsep.declared import ValueSpec, check_values
from linsep.types import Array, DataError

FORMAT = 1
# The digest of the whole file is taken with zeros in its place, which is the first such text in the file: the model's
# JSON stands in the header as a quoted string, and deeper strings have longer escapes.
_MARK = rb"\"file_sha256\":\""
_ZEROS = b"0" * 64
_ORIGIN = "linsep.save and `linsep fit --model` write model files"
# As in safetensors. A header takes some twenty times its size while it is read.
_MOST_HEADER = 100_000_000
# Arrays of more bytes are kept without their zeros, if most entries are: hashed features seldom meet all columns.
_SMALL = 1 << 16
_MOST_ENTRIES = 1 << 28  # of an array that a small file may bring
_PLACES, _ENTRIES = "#places", "#entries"
_TEXT, _DICT = ValueSpec("text"), ValueSpec("dict")
_FIELDS = {
    "file_sha256": _TEXT,
    "format": ValueSpec(least=1, most=FORMAT),
    "version": _TEXT,
    "class": _TEXT,
    "parameters": _DICT,
    "feature_names": ValueSpec("list", needed=False),
    "classes": _DICT,
    "state": _DICT,
    "table": ValueSpec("dict", needed=False),
    "encoder": ValueSpec("dict", needed=False),
    "extra": ValueSpec("dict", needed=False),
    "arrays_sha256": _TEXT,
    "sparse": ValueSpec("dict", needed=False),
    "origin": _DICT,
}
# What does not belong to the state: where and when the file was made, and what is taken from the rest of it.
_ABOUT = ("file_sha256", "origin", "version")


class ModelFileError(DataError):
    """A file that is not a whole, unaltered model of this library: the message says which file and why."""


# -------------------------------------------------------------------- writing
def to_bytes(header: dict[str, Any], arrays: dict[str, Array]) -> bytes:
    """Return the bytes of a file with these arrays and this header.

    Parameters
    ----------
    header : dict
        JSON-able, without digests.
    arrays : dict of str to ndarray
        Nothing may write into them meanwhile.

    Raises
    ------
    DataError
        safetensors has no type for an array.
    """
    for name, array in arrays.items():
        if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
            raise DataError(f"cannot save the array {name}: safetensors has no type for {array.dtype}")
    inner = {
        "file_sha256": _ZEROS.decode(),
        "format": FORMAT,
        "version": version("linsep"),
        **header,
        "arrays_sha256": digest(arrays),
    }
    packed, shapes = _without_zeros(arrays)
    inner |= {"sparse": shapes} if shapes else {}
    raw = bytearray(_pack(packed, {"linsep": json.dumps(inner, allow_nan=False, separators=(",", ":"))}))
    at = raw.index(_MARK) + len(_MARK)
    raw[at : at + 64] = hashlib.sha256(raw).hexdigest().encode()
    return bytes(raw)


def _without_zeros(arrays: dict[str, Array]) -> tuple[dict[str, Array], dict[str, list[int]]]:
    """The arrays, of those that are mostly zeros the other entries and their places; and the shapes of these."""
    packed: dict[str, Array] = {}
    shapes: dict[str, list[int]] = {}
    for name, array in arrays.items():
        bits = array.reshape(-1).view(f"u{array.dtype.itemsize}")  # -0.0 is no zero
        at = np.flatnonzero(bits) if array.nbytes > _SMALL and array.size <= _MOST_ENTRIES else None
        if at is None or 2 * at.size * (8 + array.itemsize) > array.nbytes:
            packed[name] = array
        else:
            packed |= {f"{name}{_PLACES}": at, f"{name}{_ENTRIES}": array.reshape(-1)[at]}
            shapes[name] = list(array.shape)
    return packed, shapes


def _with_zeros(packed: dict[str, Array], shapes: Any) -> dict[str, Array]:
    """Undo `_without_zeros`."""
    for name, shape in shapes.items():
        at, entries = packed.pop(f"{name}{_PLACES}"), packed.pop(f"{name}{_ENTRIES}")
        if not all(type(n) is int and n > 0 for n in shape) or math.prod(shape) > _MOST_ENTRIES:
            raise DataError(f"the array {name} has the shape {shape!r:.40}")
        packed[name] = np.zeros(math.prod(shape), entries.dtype)
        packed[name][at] = entries
        packed[name] = packed[name].reshape(shape)
    return packed


def digest(arrays: dict[str, Array]) -> str:
    """SHA-256 over names, dtypes, shapes and little-endian bytes, in the order of the names."""
    found = hashlib.sha256()
    for name in sorted(arrays):
        array = arrays[name]
        found.update(json.dumps([name, array.dtype.name, array.shape]).encode())
        found.update(array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes())
    return found.hexdigest()


def state_digest(header: dict[str, Any]) -> str:
    """SHA-256 of all in a file but where and when it was made: equal for equal models, whoever saved them.

    Examples
    --------
    >>> a, b = ({"class": "Perceptron", "origin": {"time": time}} for time in ("12:00", "13:00"))
    >>> state_digest(a) == state_digest(b)
    True
    """
    state = {name: value for name, value in header.items() if name not in _ABOUT}
    return hashlib.sha256(json.dumps(state, sort_keys=True).encode()).hexdigest()


# -------------------------------------------------------------------- reading
def from_bytes(raw: bytes) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return header and arrays of a file, once it is certain that it is whole.

    Parameters
    ----------
    raw : bytes
        The file.

    Raises
    ------
    ModelFileError
        Anything else.
    """
    header = read_header(raw)
    at = raw.find(_MARK) + len(_MARK)
    found = hashlib.sha256(raw[:at] + _ZEROS)
    found.update(memoryview(raw)[at + 64 :])
    if raw[at : at + 64] != found.hexdigest().encode():
        raise ModelFileError("the file was altered or cut short since it was saved; save the model again")
    try:
        check_values(header, _FIELDS, others=True)
        check_values(header["origin"], _OF_ORIGIN, others=True)  # later versions may say more
        # Copies: the arrays of the format are read-only views, and training writes in place.
        arrays = _with_zeros({name: array.copy() for name, array in _unpack(raw).items()}, header.get("sparse", {}))
    except (DataError, SafetensorError, ValueError, TypeError, LookupError, OverflowError) as error:
        raise unbuildable(header, error) from error
    if digest(arrays) != header["arrays_sha256"]:
        raise ModelFileError("the arrays are not those that were saved; save the model again")
    return header, arrays


def read_header(raw: bytes) -> dict[str, Any]:
    """The model's JSON, once it is certain that the file is a model and of a format known here.

    Parameters
    ----------
    raw : bytes
        The file.

    Raises
    ------
    ModelFileError
        Anything else.
    """
    if not raw:
        raise ModelFileError(f"the file is empty; {_ORIGIN}")
    end = 8 + int.from_bytes(raw[:8], "little")
    if end > len(raw) and raw[8:9] == b"{":
        raise ModelFileError("the file is cut short inside its header; save the model again")
    if end > _MOST_HEADER and raw[8:9] == b"{":
        raise ModelFileError(f"its header has {end:,} bytes; a model's has at most {_MOST_HEADER:,}")
    try:
        header = json.loads(json.loads(raw[8:end])["__metadata__"]["linsep"])
        found = header["format"]
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise ModelFileError(f"not a linsep model file; {_ORIGIN}") from error
    if not isinstance(found, int) or isinstance(found, bool) or found < 1:
        raise ModelFileError(f"format {found!r:.20} is no format of linsep: there is format {FORMAT}")
    if found > FORMAT:
        raise ModelFileError(
            f"format {found}, saved by linsep {_plain(header.get('version'))}, is newer than format {FORMAT} "
            f"that linsep {version('linsep')} reads; upgrade linsep"
        )
    return dict(header)


def _plain(value: Any) -> str:
    """The beginning of a text from a file, without what could steer a terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in str(value)[:20])


def unbuildable(header: dict[str, Any], error: Exception) -> ModelFileError:
    """The error for a file that is whole but holds no model of this version; `error` says what was wrong."""
    kind = "" if isinstance(error, DataError) else f"{type(error).__name__}: "
    return ModelFileError(
        f"saved by linsep {_plain(header.get('version'))}, this is {version('linsep')}, which cannot rebuild the model "
        f"({kind}{error!s:.300}); use that version, or save the model again"
    )


# ---------------------------------------------------- plain values: JSON, with what JSON lacks
def to_jsonable(value: Any, what: str) -> Any:
    """Return `value` as JSON has it; what JSON lacks becomes an object with the one key "$".

    Parameters
    ----------
    value : None, bool, int, float, str, NumPy scalar, or a list, tuple or dict of those
    what : str
        Name of the value for the error.

    Raises
    ------
    DataError
        The value is or holds anything else.

    Examples
    --------
    >>> to_jsonable({"eta0": float("inf"), "n": 3}, "parameters")
    {'eta0': {'$': ['float', 'inf']}, 'n': 3}
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return {"$": ["float", repr(value)]}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list):
        return [to_jsonable(item, what) for item in value]
    if isinstance(value, tuple):
        return {"$": ["tuple", [to_jsonable(item, what) for item in value]]}
    if isinstance(value, dict):
        if "$" not in value and all(type(key) is str for key in value):
            return {key: to_jsonable(item, what) for key, item in value.items()}
        pairs = [[to_jsonable(key, what), to_jsonable(item, what)] for key, item in value.items()]
        return {"$": ["dict", pairs]}
    raise DataError(
        f"cannot save: {what} is or holds a {type(value).__name__}; only numbers, text, lists, tuples and dicts "
        "can be saved, so replace it first, as in set_params(random_state=0, verbose=0)"
    )


def from_jsonable(plain: Any) -> Any:
    """Return what `to_jsonable` was given (NumPy scalars as Python numbers).

    Examples
    --------
    >>> from_jsonable(to_jsonable({0: 0.5, 1: (2.0, -float("inf"))}, "class_weight"))
    {0: 0.5, 1: (2.0, -inf)}
    """
    if isinstance(plain, list):
        return [from_jsonable(item) for item in plain]
    if not isinstance(plain, dict):
        return plain
    if "$" not in plain:
        return {key: from_jsonable(item) for key, item in plain.items()}
    kind, content = plain["$"]
    if kind == "float":
        return float(content)
    items = [from_jsonable(item) for item in content]
    return tuple(items) if kind == "tuple" else dict(items)


# --------------------------------------------------------------------- labels
def pack_labels(name: str, labels: Array, arrays: dict[str, Array]) -> dict[str, Any]:
    """Labels as a part of the header, or as the array `name` where they are numbers."""
    if labels.dtype.kind in "biuf":
        arrays[name] = np.array(labels, order="C")
        return {"dtype": None}
    return {
        "dtype": labels.dtype.str if labels.dtype.kind == "U" else "object",
        "values": to_jsonable(labels.tolist(), name),
    }


def unpack_labels(name: str, packed: Any, arrays: dict[str, Array]) -> Array:
    """Undo `pack_labels`.

    Raises
    ------
    DataError
        They are not labels.
    """
    dtype = packed.get("dtype") if isinstance(packed, dict) else ""
    if dtype is None:
        if name not in arrays or arrays[name].ndim != 1:
            raise DataError(f"the array {name} is missing, or no list of labels")
        return arrays[name]
    values = packed.get("values") if isinstance(packed, dict) else None
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise DataError(f"the {name} are no list of labels")
    if dtype == "object":
        return np.array(values, dtype=object)
    width = int(dtype[2:]) if isinstance(dtype, str) and dtype[:2] in ("<U", ">U") and dtype[2:].isdecimal() else -1
    longest = max(map(len, values), default=0)
    if width < longest:
        raise DataError(f"the {name} are of type {dtype!r:.20}, which does not hold them")
    # A width far beyond the longest label is of no use, and would take memory for each of them.
    return np.array(values, dtype=f"<U{width if width < 1 << 12 else max(1, longest)}")


# What a caller may tell, beside what is found out here.
TOLD = ("command", "data", "data_sha256", "data_hash", "rows_seen")
_MAYBE = ValueSpec("text", needed=False)
_OF_ORIGIN = {
    **dict.fromkeys(("linsep", "numpy", "python", "time"), _TEXT),
    **dict.fromkeys(("command", "data", "data_sha256", "data_hash"), _MAYBE),
    "rows_seen": ValueSpec(needed=False),
}
_HASHES = {"data_sha256": "SHA-256", "data_hash": "running hash"}


def origin_now(rows_seen: int | None, told: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return what a file says of where it comes from; SOURCE_DATE_EPOCH sets the time, so that files can be equal.

    Parameters
    ----------
    rows_seen : int, optional
        Visits to rows, each row once a pass.
    told : mapping, optional
        More, under the names of `TOLD`.

    Raises
    ------
    DataError
        `told` has another name or value.
    """
    found = {
        "linsep": version("linsep"),
        "numpy": np.__version__,
        "python": platform.python_version(),
        "time": _now(),
        **({} if rows_seen is None else {"rows_seen": int(rows_seen)}),
    }
    told = dict(told or {})
    if strange := sorted(told.keys() - set(TOLD)):
        raise DataError(f"origin has no entry {strange[0]!r}: its entries are {', '.join(TOLD)}")
    found |= {name: value for name, value in told.items() if value is not None}
    check_values(found, _OF_ORIGIN)
    return dict(to_jsonable(found, "origin"))


def in_words(found: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Labels and texts for people, of what `linsep.read_origin` returns.

    Examples
    --------
    >>> for line in in_words({"linsep": "0.9", "rows_seen": 1200}):
    ...     print(line)
    ('saved by', 'linsep 0.9')
    ('rows seen', '1,200 rows read (each row counts again in every epoch)')
    """
    programs = (("linsep", "linsep"), ("numpy", "NumPy"), ("python", "Python"))
    data = [found.get("data"), *(f"{name} {found[key]}" for key, name in _HASHES.items() if key in found)]
    lines = {
        "saved by": ", ".join(f"{name} {found[key]}" for key, name in programs if key in found),
        "saved at": found.get("time"),
        "by the command": found.get("command"),
        "training data": ", ".join(filter(None, data)),
        "rows seen": f"{found['rows_seen']:,} rows read (each row counts again in every epoch)"
        if "rows_seen" in found
        else None,
        "state": f"SHA-256 {found['state_sha256']}" if "state_sha256" in found else None,
    }
    return [(label, text) for label, text in lines.items() if text]


def _now() -> str:
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    when = datetime.fromtimestamp(int(given), UTC) if given.isdecimal() else datetime.now(UTC)
    return when.isoformat(timespec="seconds").replace("+00:00", "Z")
