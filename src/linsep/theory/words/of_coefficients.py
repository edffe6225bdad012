"""What was found about separation, in sentences for the methods section of a paper."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf
from typing import Any, NamedTuple

from linsep.theory.verify.consequences import FINITE, UNDETERMINED, UNIDENTIFIED, UNSIGNED
from linsep.theory.words.of_models import SEVERAL_MAXIMA, is_concave, model_words, source, why

_SHOWN = 8


class _Words(NamedTuple):
    """How a code for the place where a coefficient goes is said."""

    short: str
    many: str  # of these, beside their number
    names: str  # with the names for the braces
    reason: str


_SAID: dict[str | float, _Words] = {
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

UNREAD = "not verified: verify(X, y) checks it against the data and says what it proves"
OTHER_DATA = (
    "this certificate is about other rows, labels or options: their hash differs; decimals count as they are written "
    "(the double 0.1 is not 1/10): give such a table as open_data(path, target=...)"
)


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
    return _SAID[value].short


def reason_of(value: str | float) -> str:
    """The reason for what is said of a coefficient.

    Examples
    --------
    >>> reason_of(-inf)
    'no direction that separates raises it, and some lower it'
    """
    return _SAID[value].reason


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
    out: dict[str | float, list[Any]] = {value: [] for value in _SAID}
    for name, value in coefficients.items():
        out[value].append(name)
    return out


def opening(family: str, verdict: str, n: int, k: int, classes: Sequence[Any], link: str) -> str:
    """The verdict in a sentence or two; `k` of the `n` rows are separated."""
    model = model_words(family, link, classes)
    if verdict == "overlap":
        said = (
            f"Overlap: {model} on {n:,} rows is not separated. A maximum likelihood estimate exists, and every "
            "coefficient that is identified has a finite one."
        )
        return said if is_concave(family, link) else f"{said} {SEVERAL_MAXIMA}"
    name = {"complete": "Complete", "quasi-complete": "Quasi-complete"}[verdict]
    meaning = why(family, verdict).format(k=f"{k:,}", left=f"{n - k:,}")
    return f"{name} separation: {model} on {n:,} rows has no maximum likelihood estimate. {meaning}"


def missing(n: int) -> str:
    """That rows with missing values were left out."""
    return f"{n:,} further {'row was' if n == 1 else 'rows were'} left out for missing values."


def estimates(
    coefficients: Mapping[Any, str | float], rank: int, fixed_effects: Mapping[str, Mapping[str, int]] | None = None
) -> list[str]:
    """Which coefficients are infinite, which finite, which not identified; of fixed effects how many."""
    fixed_effects = fixed_effects or {}
    found = by_estimate(coefficients)
    out = []
    said = [words.names.format(listed(found[value])) for value, words in _SAID.items() if words.names and found[value]]
    if said:
        out.append(f"Maximum likelihood estimates: {'; '.join(said)}.")
    many = {estimate(value): words.many for value, words in _SAID.items()}
    for effect, counts in fixed_effects.items():
        every = listed(f"{n:,} {many[text]}" for text, n in counts.items())
        out.append(f"Coefficients of the fixed effect {effect}: {every}.")
    width = len(coefficients) + sum(sum(counts.values()) for counts in fixed_effects.values())
    if rank < width:
        which = listed(found[UNIDENTIFIED]) or "some of the fixed effects"
        out.append(
            f"The design is rank-deficient (rank {rank:,}, {width:,} coefficients): not identified, "
            f"because they can change together without changing any fit: {which}."
        )
    return out


def proved(family: str, link: str) -> str:
    """How it was decided."""
    return (
        f"Decided in exact arithmetic on the numbers given ({source(family, link)}; maximal separated set and null "
        "space of the remaining rows), with certificates checked on every row; no tolerance is involved."
    )
