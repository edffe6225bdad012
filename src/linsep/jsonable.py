"""Plain values as strict JSON and back, with what JSON lacks: tuples, infinities, NaN, keys that are not text."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from linsep.types import DataError


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
