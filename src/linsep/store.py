"""Save a fitted model in one file and load it again, ready to predict and to go on training.

The file is in the safetensors format: arrays as plain bytes behind a JSON header, so reading one runs no code
and other tools can open it. Under the key "linsep" the header holds the model's own JSON: format version,
library version, class, parameters, feature names, classes, counters, and two SHA-256 digests; of a `TableModel`
also the encoder and the names of the classes.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as _unpack
from safetensors.numpy import save as _pack
from sklearn.utils.validation import check_is_fitted

from linsep import learners
from linsep.files import write_whole
from linsep.jsonable import from_jsonable, to_jsonable
from linsep.learners.engine.protocol import Stored
from linsep.types import Array, DataError

FORMAT = 2
# The digest of the whole file is taken with zeros in its own place. It is the first such text in the file:
# the model's JSON stands in the header as a quoted string, and deeper strings have longer escapes.
_MARK = rb"\"file_sha256\":\""
_ZEROS = b"0" * 64
_ORIGIN = "linsep.save and `linsep fit --model` write model files"
# What a whole file may still raise when its version of the library named or shaped things differently.
_UNBUILDABLE = (AttributeError, LookupError, RecursionError, TypeError, ValueError, SafetensorError)


class ModelFileError(DataError):
    """A file that is not a whole, unaltered model of this library: the message says which file and why."""


def save(model: Any, path: str | os.PathLike[str], *, extra: Mapping[str, Any] | None = None) -> None:
    """Write a fitted model to one file: the old file or the new one, never a broken one.

    After `load` training continues as if it had never stopped, to the last bit. The trace is not saved.

    Parameters
    ----------
    model : fitted TableModel or learner of `linsep.learners`
        The model.
    path : str or PathLike
        An earlier model there is replaced in one step, when the new one is on the disk.
    extra : mapping of str, optional
        Plain values (numbers, text, lists, dicts) to keep beside the model; `load_with_extra` gives them back.

    Raises
    ------
    DataError
        The model cannot be written to a file (because a parameter is an object, for example); nothing was written.
    OSError
        The path cannot be written; an earlier model there is unchanged.

    Examples
    --------
    >>> import numpy as np, os, tempfile
    >>> from linsep.learners import Perceptron
    >>> learner = Perceptron().fit(np.array([[-1.0], [2.0]]), [0, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "model.safetensors")
    ...     save(learner, path)
    ...     load(path).n_mistakes_ == learner.n_mistakes_, load(path).n_iter_
    (True, 2)
    """
    write_whole(path, _to_bytes(model, extra), "the model")


def load(path: str | os.PathLike[str]) -> Any:
    """Return the fitted model that `save` wrote to `path`: a `TableModel` or a learner.

    Files of earlier formats are read too. There a learner of a table held its encoder; it is returned as a
    `TableModel`.

    Parameters
    ----------
    path : str or PathLike
        The file.

    Returns
    -------
    TableModel or learner
        The model, ready to predict and to be trained further.

    Raises
    ------
    ModelFileError
        The file is empty, cut short, altered, from a newer format or not a linsep model at all.
    OSError
        The file cannot be read.

    Examples
    --------
    >>> import os, tempfile
    >>> import pandas as pd
    >>> from linsep.learners.table_model import TableModel
    >>> model = TableModel().fit(pd.DataFrame({"age": [30.0, 50.0]}), ["no", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, path := os.path.join(folder, "model.linsep"))
    ...     load(path).predict(pd.DataFrame({"age": [60.0]})).item()
    'yes'
    """
    return load_with_extra(path)[0]


def load_with_extra(path: str | os.PathLike[str]) -> tuple[Any, dict[str, Any]]:
    """Return the model of a file and the `extra` values that were saved with it.

    Parameters
    ----------
    path : str or PathLike
        The file.

    Returns
    -------
    model : TableModel or learner
        The model.
    extra : dict
        The values; empty if there are none.

    Raises
    ------
    ModelFileError, OSError
        As `load`.

    Examples
    --------
    >>> import numpy as np, os, tempfile
    >>> from linsep.learners import Perceptron
    >>> learner = Perceptron().fit(np.array([[-1.0], [2.0]]), [0, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(learner, path := os.path.join(folder, "model.linsep"), extra={"rows": 2})
    ...     load_with_extra(path)[1]
    {'rows': 2}
    """
    raw = Path(path).read_bytes()
    try:
        return _from_bytes(raw)
    except ModelFileError as error:
        raise ModelFileError(f"{os.fspath(path)}: {error}") from error.__cause__


# ------------------------------------------------------------------- old formats
# Parameters in files of format 1 -> their names now.
_RENAMED = {"max_seconds": "time_limit", "which": "average"}


def _from_format_1(header: dict[str, Any], arrays: dict[str, Array]) -> None:
    """Change the header of format 1 into one of format 2, and the arrays with it.

    There the names of the classes of a table stood in place of those that the learner was trained on.
    """
    header["parameters"] = {_RENAMED.get(name, name): value for name, value in header["parameters"].items()}
    if "stream" in header:
        header["extra"] = to_jsonable({"stream": from_jsonable(header.pop("stream"))}, "extra")
    if "encoder" not in header:
        return
    names = _unpack_labels("classes", header["classes"], arrays)
    positive = str(names[1]) if len(names) == 2 and names[0] == f"not {names[1]}" else None
    coded = positive is not None or names.dtype.kind == "f" or not np.array_equal(np.unique(names), names)
    header["table"] = {"names": header["classes"], "positive": positive}
    if names.dtype.kind in "biuf":
        arrays["names"] = names
    if coded:
        arrays["classes"] = np.arange(len(names))
        header["classes"] = {"dtype": None}


# ------------------------------------------------------------------------ bytes
def _to_bytes(model: Any, extra: Mapping[str, Any] | None) -> bytes:
    is_table = _is_table_model(model)
    if is_table:
        check_is_fitted(model)
    estimator = model.learner_ if is_table else model
    cls = type(estimator)
    if _learner(cls.__name__) is not cls:
        raise DataError(
            f"cannot save a {cls.__name__}: a model file holds a TableModel or one of {', '.join(learners.__all__)}"
        )
    check_is_fitted(estimator)
    arrays: dict[str, Array] = {}
    header: dict[str, Any] = {"file_sha256": _ZEROS.decode(), "format": FORMAT, "version": version("linsep")}
    header["class"] = cls.__name__
    header["parameters"] = {
        name: to_jsonable(value, f"parameter {name} of {cls.__name__}")
        for name, value in estimator.get_params(deep=False).items()
    }
    if hasattr(estimator, "feature_names_in_"):
        header["feature_names"] = estimator.feature_names_in_.tolist()
    header["classes"] = _pack_labels("classes", estimator.classes_, arrays)
    header["state"], state = _part("state", estimator.get_state())
    arrays |= state
    if is_table:
        positive = to_jsonable(model.positive, "parameter positive of TableModel")
        header["table"] = {"names": _pack_labels("names", model.classes_, arrays), "positive": positive}
        if model.encoder_ is not None:
            header["encoder"], encoder = _part("encoder", model.encoder_.state())
            arrays |= encoder
    if extra:
        header["extra"] = to_jsonable(dict(extra), "extra")
    for name, array in arrays.items():
        if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
            raise DataError(f"cannot save the array {name}: safetensors has no type for {array.dtype}")
    header["arrays_sha256"] = _digest(arrays)
    raw = bytearray(_pack(arrays, {"linsep": json.dumps(header, allow_nan=False, separators=(",", ":"))}))
    at = raw.index(_MARK) + len(_MARK)
    raw[at : at + 64] = hashlib.sha256(raw).hexdigest().encode()
    return bytes(raw)


def _from_bytes(raw: bytes) -> tuple[Any, dict[str, Any]]:
    header = _read_header(raw)
    at = raw.find(_MARK) + len(_MARK)
    digest = hashlib.sha256(raw[:at] + _ZEROS)
    digest.update(memoryview(raw)[at + 64 :])
    if raw[at : at + 64] != digest.hexdigest().encode():
        raise ModelFileError("the file was altered or cut short since it was saved; save the model again")
    try:
        # Copies: the arrays of the format are read-only views, and training writes in place.
        arrays = {name: array.copy() for name, array in _unpack(raw).items()}
        if _digest(arrays) != header["arrays_sha256"]:
            raise ModelFileError("the arrays are not those that were saved; save the model again")
        return _build(header, arrays)
    except ModelFileError:
        raise
    except _UNBUILDABLE as error:
        raise ModelFileError(
            f"saved by linsep {header.get('version')}, this is {version('linsep')}, which cannot rebuild the "
            f"model ({type(error).__name__}: {error}); use that version"
        ) from error


def _read_header(raw: bytes) -> dict[str, Any]:
    """The model's JSON, once it is certain that the file is a model and of a format known here."""
    if not raw:
        raise ModelFileError(f"the file is empty; {_ORIGIN}")
    end = 8 + int.from_bytes(raw[:8], "little")
    if end > len(raw) and raw[8:9] == b"{":
        raise ModelFileError("the file is cut short inside its header; save the model again")
    try:
        header = json.loads(json.loads(raw[8:end])["__metadata__"]["linsep"])
        newer = header["format"] > FORMAT
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise ModelFileError(f"not a linsep model file; {_ORIGIN}") from error
    if newer:
        raise ModelFileError(
            f"format {header['format']}, saved by linsep {header.get('version')}, is newer than format {FORMAT} "
            f"that linsep {version('linsep')} reads; upgrade linsep"
        )
    return cast(dict[str, Any], header)


def _build(header: dict[str, Any], arrays: dict[str, Array]) -> tuple[Any, dict[str, Any]]:
    cls = _learner(header["class"])
    if cls is None:
        raise ModelFileError(f"the class {header['class']!r} is not a learner of this version of linsep")
    if header["format"] == 1:
        _from_format_1(header, arrays)
    estimator = cls(**{name: from_jsonable(value) for name, value in header["parameters"].items()})
    classes = _unpack_labels("classes", header["classes"], arrays)
    names = np.array(header["feature_names"], dtype=object) if "feature_names" in header else None
    estimator.set_state(from_jsonable(header["state"]), _under("state", arrays), classes, names)
    model = _build_table_model(estimator, header, arrays) if "table" in header else estimator
    return model, from_jsonable(header["extra"]) if "extra" in header else {}


def _build_table_model(learner: Any, header: dict[str, Any], arrays: dict[str, Array]) -> Any:
    # Imported here because they bring the table readers with them, which a model of a matrix does without.
    from linsep.data.features.encoder import TableEncoder
    from linsep.learners.table_model import TableModel

    encoder = None
    if "encoder" in header:
        encoder = TableEncoder.from_state(from_jsonable(header["encoder"]), _under("encoder", arrays))
    names = _unpack_labels("names", header["table"]["names"], arrays)
    return TableModel.of(learner, encoder, names, positive=from_jsonable(header["table"]["positive"]))


def _is_table_model(model: Any) -> bool:
    if type(model).__name__ != "TableModel":
        return False
    from linsep.learners.table_model import TableModel

    return type(model) is TableModel


def _learner(name: str) -> type[Stored] | None:
    """The learner of that name, or None: a file can name nothing else."""
    return cast("type[Stored]", getattr(learners, name)) if name in learners.__all__ else None


def _digest(arrays: dict[str, Array]) -> str:
    """SHA-256 over names, dtypes, shapes and little-endian bytes, in the order of the names."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(json.dumps([name, array.dtype.name, array.shape]).encode())
        digest.update(array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes())
    return digest.hexdigest()


# ------------------------------------------------------------------------ parts
def _part(prefix: str, state: tuple[dict[str, Any], dict[str, Array]]) -> tuple[Any, dict[str, Array]]:
    meta, arrays = state
    return to_jsonable(meta, prefix), {f"{prefix}/{name}": np.asarray(a, order="C") for name, a in arrays.items()}


def _under(prefix: str, arrays: dict[str, Array]) -> dict[str, Array]:
    return {name.removeprefix(f"{prefix}/"): a for name, a in arrays.items() if name.startswith(f"{prefix}/")}


def _pack_labels(key: str, labels: Array, arrays: dict[str, Array]) -> dict[str, Any]:
    """Labels as a part of the header, or as the array `key` where they are numbers."""
    if labels.dtype.kind in "biuf":
        arrays[key] = np.asarray(labels, order="C")
        return {"dtype": None}
    dtype = labels.dtype.str if labels.dtype.kind == "U" else "object"
    return {"dtype": dtype, "values": to_jsonable(labels.tolist(), f"{key}_")}


def _unpack_labels(key: str, packed: dict[str, Any], arrays: dict[str, Array]) -> Array:
    if packed["dtype"] is None:
        return arrays[key]
    return np.array(from_jsonable(packed["values"]), dtype=packed["dtype"])
