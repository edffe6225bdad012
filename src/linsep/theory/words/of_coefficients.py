"""Where coefficients go: one table of what is said of each code, and lists of names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf
from typing import Any, NamedTuple

from linsep.theory.verify.consequences import FINITE, UNDETERMINED, UNIDENTIFIED, UNSIGNED

_SHOWN = 8


class _Words(NamedTuple):
    """How a code for the place where a coefficient goes is said."""

    short: str
    many: str  # of these, beside their number
    names: str  # with the names for the braces
    reason: str


SAID: dict[str | float, _Words] = {
    inf: _Words("+inf", "+infinity", "+infinity for {}", "no direction that separates lowers it, and some raise it"),
    -inf: _Words("-inf", "-infinity", "-infinity for {}", "no direction that separates raises it, and some lower it"),
    UNDETERMINED: _Words(
        "no limit is determined",
        "without a limit",
        "no limit is determined for {}",
        "some directions that separate raise it and others lower it: no limit is determined",
    ),
    UNSIGNED: _Words(
        "limit not decided",
        "not decided",
        "whether a limit is determined was not decided in the time allowed for {}",
        "whether a limit is determined was not decided in the time allowed",
    ),
    FINITE: _Words(FINITE, FINITE, "finite for {}", "the rows that overlap determine it"),
    UNIDENTIFIED: _Words(UNIDENTIFIED, UNIDENTIFIED, "", "columns depend on each other: any value gives the same fit"),
}


def estimate(value: str | float) -> str:
    """What a certificate says about a coefficient, infinities as "+inf" and "-inf"."""
    return value if isinstance(value, str) else "+inf" if value > 0 else "-inf"


def told(value: str | float) -> str:
    """The same in words for people.

    Examples
    --------
    >>> told(inf), told(UNDETERMINED)
    ('+inf', 'no limit is determined')
    """
    return SAID[value].short


def reason_of(value: str | float) -> str:
    """The reason for what is said of a coefficient.

    Examples
    --------
    >>> reason_of(-inf)
    'no direction that separates raises it, and some lower it'
    """
    return SAID[value].reason


def listed(names: Iterable[Any]) -> str:
    """The first names, and the number of the others."""
    every = [_key(name) for name in names]
    more = len(every) - _SHOWN
    if more > 0:
        return f"{', '.join(every[:_SHOWN])} and {more:,} more"
    return ", ".join(every)


def _key(name: Any) -> str:
    return f"{name[1]} of class {name[0]}" if isinstance(name, tuple) else str(name)


def by_estimate(coefficients: Mapping[Any, str | float]) -> dict[str | float, list[Any]]:
    """What is said about coefficients -> their names."""
    out: dict[str | float, list[Any]] = {value: [] for value in SAID}
    for name, value in coefficients.items():
        out[value].append(name)
    return out
