"""What was found about separation, in sentences for the methods section of a paper."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf
from typing import Any

from linsep.theory.verify.separation import FINITE, UNDETERMINED, UNIDENTIFIED, UNSIGNED

INTERCEPT = "(Intercept)"
_SHOWN = 8
_OF_MANY = {"+inf": "+infinity", "-inf": "-infinity", UNDETERMINED: "infinite of undetermined sign"}


def estimate(value: str | float) -> str:
    """What is said about a coefficient, infinities as "+inf" and "-inf"."""
    return value if isinstance(value, str) else "+inf" if value > 0 else "-inf"


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
    out: dict[str | float, list[Any]] = {
        inf: [],
        -inf: [],
        UNDETERMINED: [],
        UNSIGNED: [],
        FINITE: [],
        UNIDENTIFIED: [],
    }
    for name, value in coefficients.items():
        out[value].append(name)
    return out


def opening(family: str, verdict: str, n: int, k: int, classes: Sequence[Any]) -> str:
    """The verdict in a sentence or two; `k` of the `n` rows are separated."""
    model = {
        "logistic": f"the logistic regression of {classes[1]!r} against {classes[0]!r}" if classes else "",
        "poisson": "the Poisson regression with log link",
        "multinomial": f"the multinomial regression with {len(classes)} classes (reference {classes[0]!r})"
        if classes
        else "",
    }[family]
    if verdict == "overlap":
        return (
            f"Overlap: {model} on {n:,} rows is not separated. A maximum likelihood estimate exists, and every "
            "coefficient that is identified has a finite one."
        )
    name = {"complete": "Complete", "quasi-complete": "Quasi-complete"}[verdict]
    why = _WHY[family, verdict].format(k=f"{k:,}", left=f"{n - k:,}")
    return f"{name} separation: {model} on {n:,} rows has no maximum likelihood estimate. {why}"


_WHY = {
    ("logistic", "complete"): (
        "A linear combination of the columns tells the two outcomes apart on every row: fitted probabilities tend "
        "to 0 and 1, and an iterative fit stops only at its limit."
    ),
    ("logistic", "quasi-complete"): (
        "A linear combination of the columns has the sign of the outcome on {k} rows and is exactly 0 on the other "
        "{left}: the fitted probabilities of the {k} rows tend to 0 and 1; the other rows overlap."
    ),
    ("poisson", "complete"): "Every count can be fitted by a mean that tends to 0.",
    ("poisson", "quasi-complete"): (
        "A linear combination of the columns is below 0 on {k} rows, all with a count of 0, and exactly 0 on the "
        "other {left}: the fitted means of the {k} rows tend to 0."
    ),
    ("multinomial", "complete"): (
        "Linear combinations of the columns tell the classes apart on every row: fitted probabilities tend to 0 and 1."
    ),
    ("multinomial", "quasi-complete"): (
        "In some rows the fitted probability of a class that was not observed tends to 0; in {k} rows that of every "
        "such class does."
    ),
}


def left_out(n: int) -> str:
    """That rows with missing values were left out."""
    return f"{n:,} further {'row was' if n == 1 else 'rows were'} left out for missing values."


def estimates(
    coefficients: Mapping[Any, str | float], rank: int, fixed_effects: Mapping[str, Mapping[str, int]] | None = None
) -> list[str]:
    """Which coefficients are infinite, which finite, which not identified; of fixed effects how many."""
    fixed_effects = fixed_effects or {}
    found = by_estimate(coefficients)
    out = []
    parts: list[tuple[str | float, str]] = [
        (inf, "+infinity for {}"),
        (-inf, "-infinity for {}"),
        (UNDETERMINED, "infinite, of a sign that the data do not determine, for {}"),
        (UNSIGNED, "infinite, of a sign that was not decided in the time allowed, for {}"),
        (FINITE, "finite for {}"),
    ]
    said = [text.format(listed(found[value])) for value, text in parts if found[value]]
    if said:
        out.append(f"Maximum likelihood estimates: {'; '.join(said)}.")
    for effect, counts in fixed_effects.items():
        every = listed(f"{n:,} {_OF_MANY.get(text, text)}" for text, n in counts.items())
        out.append(f"Coefficients of the fixed effect {effect}: {every}.")
    width = len(coefficients) + sum(sum(counts.values()) for counts in fixed_effects.values())
    if rank < width:
        which = listed(found[UNIDENTIFIED]) or "some of the fixed effects"
        out.append(
            f"The design is rank-deficient (rank {rank:,}, {width:,} coefficients): not identified, "
            f"because they can change together without changing any fit: {which}."
        )
    return out


PROVED = (
    "Decided in exact arithmetic on the numbers given (Albert and Anderson 1984; maximal separated set and null space "
    "of the remaining rows), with certificates checked on every row; no tolerance is involved."
)


def advice(
    family: str,
    coefficients: Mapping[Any, str | float],
    levels: Mapping[str, tuple[str, str]],
    separated_levels: Mapping[str, Mapping[str, int]],
    separated: bool,
) -> list[str]:
    """What to do: drop, merge levels, penalise."""
    found = by_estimate(coefficients)
    out = []
    if found[UNIDENTIFIED]:
        out.append("Drop columns until none is a combination of the others: their coefficients mean nothing alone.")
    if not separated:
        return out
    infinite = [name for value in (inf, -inf, UNDETERMINED, UNSIGNED) for name in found[value]]
    plain = list(dict.fromkeys(name[1] if isinstance(name, tuple) else name for name in infinite))
    merge = dict.fromkeys(levels[name][0] for name in plain if name in levels)
    for column in merge:
        if whole := separated_levels.get(column):
            said = listed(f"{level!r} ({n:,} {'row' if n == 1 else 'rows'})" for level, n in whole.items())
            out.append(f"Merge levels of {column}: every row is separated at {said}; join it with a similar level.")
    if merge and not out:
        out.append(f"Merge levels of {listed(merge)}: together with other columns they fix the outcome of some rows.")
    if family == "poisson":
        out.append(
            "Drop the separated rows, and the columns that are then constant or dependent: the finite estimates do not "
            "change (Correia, Guimaraes and Zylkin 2019)."
        )
    else:
        out.append(
            "Penalise: Firth's method (Jeffreys prior) or a ridge penalty gives finite estimates for all coefficients; "
            "take intervals from the penalised profile likelihood, not from Wald standard errors."
        )
        out.append(
            "Or report the infinite estimates as such, with one-sided profile likelihood intervals; the finite "
            "estimates are those of the rows that overlap."
        )
    numbers = [name for name in plain if name not in levels and name != INTERCEPT]
    if numbers:
        out.append(
            f"Drop a column ({listed(numbers)}) only if it should not be in the model, as when it records the outcome "
            "itself: a separating column is often the strongest predictor."
        )
    return out
