"""Integers of any size in JSON: not every reader keeps those beyond 2^53, so these are written as hexadecimal text."""

from __future__ import annotations

from typing import Any

_LARGEST_NUMBER = 2**53


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
    if isinstance(value, str):
        return int(value, 16)
    if type(value) is not int:
        raise ValueError(f"{value!r} is not an integer")
    return value
