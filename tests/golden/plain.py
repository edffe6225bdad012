"""Results as plain JSON. What is long becomes a SHA-256 of its bytes beside its size, a sum and a few values."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

LONGEST = 24  # values that are recorded as they are
SHOWN = 6  # values that stand for a longer array
# What depends on the clock, and where a model comes from.
TIMES = ("seconds", "rows_per_second", "origin")
# What a search in floating point found and exact arithmetic accepted.
FOUND = {"proof", "directions", "hyperplane", "witness", "overlap", "null", "bits", "lower", "measured_excess",
         "near_weights"}  # fmt: skip
# Columns and totals of a trace; that of a learner without them has fewer.
TRACE = ("epoch", "mistakes", "updates", "dots", "updates_so_far", "skipped", "norm_w", "b", "cos", "w_dot_reference",
         "absorbed", "bits", "total_dots", "total_absorbed", "update_rows", "update_epochs", "update_steps",
         "update_classes")  # fmt: skip


def plain(value: Any) -> Any:
    """A result as JSON has it: finite numbers, text, lists and objects."""
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, np.ndarray):
        return _array(value)
    if sp.issparse(value):
        rows: Any = value
        rows = rows.tocsr()
        return {"shape": list(rows.shape), **{name: _array(getattr(rows, name)) for name in ("data", "indices")}}
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        kept = {str(key): item for key, item in value.items() if key not in TIMES}
        return _object({key: _part(key, item) for key, item in kept.items()})
    if isinstance(value, list | tuple):
        return _list(list(value))
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value) if field.name[0] != "_"}
    raise TypeError(f"no plain form of {type(value).__name__}")


def _part(key: str, value: Any) -> Any:
    if key in FOUND:
        return None if value is None else "found"
    # Bounds hold for a separator that a search found, and the upper end of a margin for weights that one found.
    return float(f"{value:.9g}") if key in ("allowed", "upper") and isinstance(value, float) else plain(value)


def _array(array: np.ndarray[Any, Any]) -> Any:
    if array.dtype.kind not in "fiub":
        return {"dtype": array.dtype.kind, "values": _list(array.ravel().tolist())}
    about: dict[str, Any] = {"dtype": array.dtype.str, "shape": list(array.shape)}
    flat = np.ascontiguousarray(array).ravel()
    if flat.size <= LONGEST:
        return {**about, "values": [plain(item) for item in flat]}
    total = math.fsum(flat.tolist()) if flat.dtype.kind == "f" else int(flat.sum(dtype=np.int64))
    some = flat[np.linspace(0, flat.size - 1, SHOWN).astype(int)]
    return {**about, "sha256": _digest(flat.tobytes()), "sum": plain(total), "some": [plain(item) for item in some]}


def _list(items: list[Any]) -> Any:
    if len(items) > LONGEST and all(type(item) is float for item in items):
        return _array(np.array(items))
    found = [plain(item) for item in items]
    written = json.dumps(found)
    if len(written) <= 40 * LONGEST:
        return found
    return {"length": len(found), "sha256": _digest(written.encode()), "some": found[:2]}


def _object(found: dict[str, Any]) -> dict[str, Any]:
    if len(found) <= 2 * LONGEST:
        return found
    written = json.dumps(found)
    some = dict(list(found.items())[:2])
    return {"length": len(found), "sha256": _digest(written.encode()), "some": some}


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def text(written: str) -> Any:
    """A file or an output: whole where it is short, else its SHA-256 and its beginning."""
    if len(written) <= 2500:
        return written
    return {"length": len(written), "sha256": _digest(written.encode()), "some": written[:300]}


def learned(model: Any, X: Any = None) -> dict[str, Any]:
    """All that a fitted model shows: its attributes, its trace, and what it says of some rows.

    Of a `TableModel` these are those of its learner, with its own names for the classes.
    """
    if hasattr(model, "learner_"):
        return learned(model.learner_) | {"classes_": plain(model.classes_)}
    about: dict[str, Any] = {"class": type(model).__name__}
    for name in sorted(dir(model)):
        if name.endswith("_") and not name.startswith("_") and name not in ("trace_", "encoder_"):
            about[name] = _or_refusal(partial(getattr, model, name))
    trace = getattr(model, "trace_", None)
    if trace is not None:
        about["trace"] = {name: plain(column) for name in TRACE if (column := getattr(trace, name, None)) is not None}
    if X is not None:
        about["predict"] = plain(np.asarray(model.predict(X)))
        about["decision_function"] = plain(model.decision_function(X))
    if hasattr(model, "survival_counts"):
        about["survival_counts"] = _or_refusal(model.survival_counts)
    return about


def _or_refusal(value: Callable[[], Any]) -> Any:
    """What a model says, or why it does not: some attributes are refused after some runs."""
    try:
        return plain(value())
    except (AttributeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"
