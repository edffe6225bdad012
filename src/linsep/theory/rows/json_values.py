"""Certificates as JSON: integers of any size, and reading what may have been damaged or altered.

Not every reader keeps integers beyond 2^53, so these are written as hexadecimal text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from math import isfinite
from typing import Any, NoReturn, TypeVar

from linsep.types import DataError

_LARGEST_NUMBER = 2**53
MOST = 2**62  # what counts and numbers of rows and columns are below
_HEXADECIMAL = re.compile(r"-?0x[0-9a-f]+")
T = TypeVar("T")


def to_plain(value: int) -> int | str:
    """Return the integer as JSON has it.

    Examples
    --------
    >>> to_plain(-7), to_plain(2**60)
    (-7, '0x1000000000000000')
    """
    return value if abs(value) <= _LARGEST_NUMBER else hex(value)


def from_plain(value: Any) -> int:
    """Return the integer that `to_plain` wrote.

    Raises
    ------
    ValueError
        The value is not an integer of this form.
    """
    if isinstance(value, str) and _HEXADECIMAL.fullmatch(value):
        return int(value, 16)
    if type(value) is not int:
        raise ValueError(f"{_short(value)} is not an integer")
    return value


def read(text: str, build: Callable[[dict[str, Any]], T]) -> T:
    """Return what `build` makes of the JSON object in a text.

    Raises
    ------
    DataError
        The text is not one JSON object with the parts that `build` asks for: one sentence says what is wrong.

    Examples
    --------
    >>> read('{"rows": 3}', lambda plain: count(plain, "rows"))
    3
    """
    try:
        plain = json.loads(text, object_pairs_hook=_each_once, parse_float=_finite, parse_constant=_no_number)
        if not isinstance(plain, dict):
            raise ValueError("it is not a JSON object")
        return build(plain)
    except RecursionError:
        why = "it is nested too deeply"
    except KeyError as error:
        why = f"it lacks {error}"
    except (ArithmeticError, ValueError) as error:
        why = str(error)
    except (AttributeError, IndexError, TypeError):
        why = "a part of it has the wrong form (a list or an object where the other is meant, or neither)"
    raise DataError(f"not a certificate that this version reads: {why}")


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Readers differ in which of two values of one key they take, so there must be one."""
    out = dict(pairs)
    if len(out) < len(pairs):
        raise ValueError("a key stands twice in one object")
    return out


def _finite(text: str) -> float:
    return float(text) if isfinite(float(text)) else _no_number(text)


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{_short(name)} is not a number of JSON, or too large")


def _short(value: Any) -> str:
    shown = repr(value) if not isinstance(value, int) or value.bit_length() < 200 else "a very long integer"
    return shown if len(shown) <= 60 else f"{shown[:57]}..."


def of_type(plain: dict[str, Any], name: str, kind: type[T]) -> T:
    """Return `plain[name]`, which must have exactly this type.

    Raises
    ------
    KeyError, ValueError
        It is missing, or is something else.

    Examples
    --------
    >>> of_type({"fragile": False}, "fragile", bool)
    False
    """
    value = plain[name]
    if type(value) is not kind:
        what = {bool: "true or false", str: "text", list: "a list", dict: "an object"}.get(kind, kind.__name__)
        raise ValueError(f"its {name} is {_short(value)}, not {what}")
    return value


def count(plain: dict[str, Any], name: str) -> int:
    """Return `plain[name]`, which must be a whole number of 0 or more, and one that an index can be."""
    return whole_count(plain[name], f"its {name}")


def whole_count(value: Any, what: str = "a part of it") -> int:
    """Return a value that must be a whole number of 0 or more, and one that an index can be.

    Raises
    ------
    ValueError
        It is something else.

    Examples
    --------
    >>> whole_count(3)
    3
    """
    if type(value) is not int or not 0 <= value < MOST:
        raise ValueError(f"{what}: {_short(value)} is not a whole number of 0 or more")
    return value


def row_list(values: Any, n: int, what: str) -> list[int]:
    """Return a list of rows (or columns), which must be different and lie in 0..n-1.

    Raises
    ------
    ValueError
        It is something else; the first wrong entry is named.

    Examples
    --------
    >>> row_list([0, 2], 3, "its witness")
    [0, 2]
    """
    if not isinstance(values, list):
        raise ValueError(f"{what} is {_short(values)}, not a list")
    wrong = [v for v in values if type(v) is not int or not 0 <= v < n]
    if wrong or len(set(values)) < len(values):
        why = f"names {_short(wrong[0])}, which is not one of 0 to {n - 1}" if wrong else "names one twice"
        raise ValueError(f"{what} {why}")
    return values
