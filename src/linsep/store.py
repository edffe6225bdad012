"""Save a fitted model in one file and load it again, ready to predict and to go on training.

The file is in the safetensors format: arrays as plain bytes behind a JSON header, so reading one runs no code
and other tools can open it. Under the key "linsep" the header holds the model's own JSON: format version,
library version, class, parameters, feature names, classes, counters, two SHA-256 digests, and where the model comes
from; of a `TableModel` also the encoder and the names of the classes.

Every array and every value is declared by the part of the model that it belongs to, and compared with that before
anything is built from it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from linsep import learners
from linsep.files import write_whole
from linsep.learners.base.classifier import Classifier
from linsep.model_file import (
    ModelFileError,
    from_bytes,
    from_jsonable,
    origin_now,
    pack_labels,
    state_digest,
    to_bytes,
    to_jsonable,
    unbuildable,
    unpack_labels,
)
from linsep.scikit import check_is_fitted
from linsep.types import Array, DataError

# What a whole file may still raise when its version of the library named or shaped things differently.
_UNBUILDABLE = (ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, TypeError, ValueError)


def save(
    model: Any,
    path: str | os.PathLike[str],
    *,
    extra: Mapping[str, Any] | None = None,
    origin: Mapping[str, Any] | None = None,
) -> None:
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
    origin : mapping of str, optional
        What is known of the training, for `read_origin`: "command", "data", "data_sha256" and "data_hash" are text,
        "rows_seen" a number. Versions, time and visits to rows are entered by themselves.

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
    header, arrays = _header_of(model, extra)
    header["origin"] = origin_now(getattr(_learner_in(model), "t_", None), origin)
    raw = to_bytes(header, arrays)
    write_whole(path, raw, "the model")


def load(path: str | os.PathLike[str]) -> Any:
    """Return the fitted model that `save` wrote to `path`: a `TableModel` or a learner.

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
        The file is empty, cut short, altered, from a newer format or not a linsep model at all, or what
        it holds cannot be the state of such a model.
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
    header, arrays = _read(path)
    try:
        return _build(header, arrays)
    except _UNBUILDABLE as error:
        raise ModelFileError(f"{os.fspath(path)}: {unbuildable(header, error)}") from error


def read_origin(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return what a model file says of where it comes from.

    Parameters
    ----------
    path : str or PathLike
        The file.

    Returns
    -------
    dict
        "linsep", "numpy" and "python" (versions), "time" (UTC, when it was saved), "command", "data", "data_sha256",
        "data_hash" and "rows_seen" (visits to rows), as far as they are known; "state_sha256", equal for models that
        are equal to the bit, whoever saved them and when. Anybody may have written this.

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
    ...     save(learner, path := os.path.join(folder, "model.linsep"))
    ...     origin = read_origin(path)
    >>> origin["rows_seen"]
    4
    """
    header, _ = _read(path)
    return {**header["origin"], "state_sha256": state_digest(header)}


# ------------------------------------------------------------------------ parts
def _read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, Array]]:
    try:
        return from_bytes(Path(path).read_bytes())
    except ModelFileError as error:
        raise ModelFileError(f"{os.fspath(path)}: {error}") from error.__cause__


def _header_of(model: Any, extra: Mapping[str, Any] | None) -> tuple[dict[str, Any], dict[str, Array]]:
    """Header and arrays of a model that nobody changes meanwhile, checked as `load` checks them."""
    estimator = _learner_in(model)
    cls = type(estimator)
    if _learner(cls.__name__) is not cls:
        kinds = ", ".join(learners.__all__)
        raise DataError(f"cannot save a {cls.__name__}: a model file holds a TableModel or one of {kinds}")
    check_is_fitted(estimator)
    arrays: dict[str, Array] = {}
    header: dict[str, Any] = {"class": cls.__name__}
    header["parameters"] = {
        name: to_jsonable(value, f"parameter {name} of {cls.__name__}")
        for name, value in estimator.get_params(deep=False).items()
    }
    values, state = estimator.get_state()
    names = getattr(estimator, "feature_names_in_", None)
    if names is not None:
        header["feature_names"] = names.tolist()
    try:
        estimator.check_parameters()
        estimator.check_state(values, state, estimator.classes_, names)
    except ValueError as error:
        raise DataError(f"cannot save this {cls.__name__}, as it could not be loaded again: {error}") from None
    header["classes"] = pack_labels("classes", estimator.classes_, arrays)
    header["state"] = to_jsonable(values, "state")
    arrays |= _named("state", state)
    if model is not estimator:
        positive = to_jsonable(model.positive, "parameter positive of TableModel")
        header["table"] = {"names": pack_labels("names", model.classes_, arrays), "positive": positive}
        if model.calibration_ is not None:
            header["table"]["calibration"] = to_jsonable([list(part) for part in model.calibration_], "calibration")
        if model.encoder_ is not None:
            values, state = model.encoder_.state()
            header["encoder"] = to_jsonable(values, "encoder")
            arrays |= _named("encoder", state)
    if extra:
        header["extra"] = to_jsonable(dict(extra), "extra")
    return header, arrays


def _build(header: dict[str, Any], arrays: dict[str, Array]) -> tuple[Any, dict[str, Any]]:
    cls = _learner(header["class"])
    if cls is None:
        raise DataError(f"the class {header['class']!r:.40} is not a learner of this version of linsep")
    estimator = cls(**{name: from_jsonable(value) for name, value in header["parameters"].items()})
    estimator.check_parameters()
    classes = unpack_labels("classes", header["classes"], arrays)
    names = np.array(header["feature_names"], dtype=object) if "feature_names" in header else None
    estimator.set_state(from_jsonable(header["state"]), _under("state", arrays), classes, names)
    model = _build_table_model(estimator, header, arrays) if "table" in header else estimator
    extra = from_jsonable(header["extra"]) if "extra" in header else {}
    if not isinstance(extra, dict):
        raise DataError("the values beside the model have no names")
    return model, extra


def _build_table_model(learner: Any, header: dict[str, Any], arrays: dict[str, Array]) -> Any:
    # Imported here because they bring the table readers with them, which a model of a matrix does without.
    from linsep.data.features.encoder import TableEncoder
    from linsep.learners.table_model import TableModel

    if not isinstance(learner, Classifier):
        raise DataError(f"a table's learner is one of rows, not a {type(learner).__name__}")
    encoder = None
    if "encoder" in header:
        encoder = TableEncoder.from_state(from_jsonable(header["encoder"]), _under("encoder", arrays))
    names = unpack_labels("names", header["table"]["names"], arrays)
    if len(set(names.tolist())) < len(names):
        raise DataError("two classes have one name")
    positive = from_jsonable(header["table"]["positive"])
    if not isinstance(positive, str | int | float | None):
        raise DataError(f"positive is {positive!r:.40}, which is no label")
    calibration = _calibration(header["table"].get("calibration"), 1 if len(names) == 2 else len(names))
    return TableModel.of(learner, encoder, names, positive=positive, calibration=calibration)


def _calibration(told: Any, n: int) -> Any:
    """Slopes and offsets as a model file has them: n finite numbers each."""
    if told is None:
        return None
    from linsep.learners.predicting import Calibration

    parts = from_jsonable(told)
    lists = isinstance(parts, list) and len(parts) == 2 and all(isinstance(part, list) for part in parts)
    if not lists or any(len(part) != n or not all(type(a) is float and isfinite(a) for a in part) for part in parts):
        raise DataError(f"the calibration is not {n} slopes and as many offsets, all finite numbers")
    return Calibration(tuple(parts[0]), tuple(parts[1]))


def _learner_in(model: Any) -> Any:
    """The estimator that holds what was learnt: the model itself, or the learner of a `TableModel`."""
    if type(model).__name__ != "TableModel":
        return model
    check_is_fitted(model)
    return model.learner_


def _learner(name: Any) -> type[Any] | None:
    """The learner of that name, or None: a file can name nothing else."""
    found = getattr(learners, name) if name in learners.__all__ else None
    return found if hasattr(found, "set_state") else None


def _named(part: str, arrays: dict[str, Array]) -> dict[str, Array]:
    return {f"{part}/{name}": np.asarray(array, order="C") for name, array in arrays.items()}


def _under(part: str, arrays: dict[str, Array]) -> dict[str, Array]:
    return {name.removeprefix(f"{part}/"): a for name, a in arrays.items() if name.startswith(f"{part}/")}
