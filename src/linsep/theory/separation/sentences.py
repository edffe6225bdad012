"""What was found about separation, in sentences for the methods section of a paper."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from math import inf
from typing import Any

from linsep.theory.separation.families import ORDERED, SEVERAL_MAXIMA, is_concave, model_words, source, why
from linsep.theory.verify.consequences import FINITE, UNDETERMINED, UNIDENTIFIED, UNSIGNED

INTERCEPT = "(Intercept)"
_CONSTANTS = ("Intercept", "const")  # columns of statsmodels
_SHOWN = 8
_NUMBER = re.compile(r"-?\d+(\.\d+)?")  # levels of a column of numbers
_OF_MANY = {"+inf": "+infinity", "-inf": "-infinity", UNDETERMINED: "without a limit", UNSIGNED: "not decided"}


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
    words: dict[str | float, str] = {UNDETERMINED: "no limit is determined", UNSIGNED: "limit not decided"}
    return words.get(value, estimate(value))


def reason_of(value: str | float) -> str:
    """The reason for what is said of a coefficient.

    Examples
    --------
    >>> reason_of(-inf)
    'no direction that separates raises it, and some lower it'
    """
    reasons: dict[str | float, str] = {
        FINITE: "the rows that overlap determine it",
        inf: "no direction that separates lowers it, and some raise it",
        -inf: "no direction that separates raises it, and some lower it",
        UNDETERMINED: "some directions that separate raise it and others lower it: no limit is determined",
        UNSIGNED: "whether a limit is determined was not decided in the time allowed",
        UNIDENTIFIED: "columns depend on each other: any value gives the same fit",
    }
    return reasons[value]


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
    parts: list[tuple[str | float, str]] = [
        (inf, "+infinity for {}"),
        (-inf, "-infinity for {}"),
        (UNDETERMINED, "no limit is determined for {}"),
        (UNSIGNED, "whether a limit is determined was not decided in the time allowed for {}"),
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


def proved(family: str, link: str) -> str:
    """How it was decided."""
    return (
        f"Decided in exact arithmetic on the numbers given ({source(family, link)}; maximal separated set and null "
        "space of the remaining rows), with certificates checked on every row; no tolerance is involved."
    )


def of_references(
    family: str,
    coefficients: Mapping[Any, str | float],
    levels: Mapping[str, tuple[str, str]],
    separated_levels: Mapping[str, Mapping[str, int]],
    references: Mapping[str, str],
) -> list[str]:
    """Where all levels of a factor go to infinity together, because every row at its reference level is separated.

    In a Cox model they go to one infinity, as where no row at the reference has an event.

    Examples
    --------
    >>> levels = {"w=b": ("w", "b"), "w=c": ("w", "c")}
    >>> len(of_references("logistic", {"w=b": inf, "w=c": inf}, levels, {"w": {"a": 2}}, {"w": "a"}))
    1
    """
    out = []
    for column, reference in references.items():
        whole = {} if family == "cox" else separated_levels.get(column, {})
        others = {name: level for name, (own, level) in levels.items() if own == column and level not in whole}
        values = {value for name, value in coefficients.items() if _plain(name) in others}
        of_cox = family == "cox" and values in ({inf}, {-inf})
        if len(others) < 2 or not values or not (of_cox or (reference in whole and values <= {inf, -inf})):
            continue
        better = _quoted(next(iter(others.values())))
        if family == "cox":
            why = (
                f"the coefficients of all {len(others)} other levels go to infinity together, as where no row at "
                f"{reference!r}, the reference, has an event"
            )
        else:
            rows = f"{whole[reference]:,} {'row' if whole[reference] == 1 else 'rows'}"
            why = (
                f"every row at {reference!r}, the reference, is separated ({rows}), so the coefficients of its "
                f"{len(others)} other levels go to infinity together"
            )
        out.append(
            f"Take another reference level of {column}: {why}; with C({column}, Treatment(reference={better})) in a "
            f"formula that of {reference!r} takes their place."
        )
    return out


def _quoted(level: str) -> str:
    """A level as it is written in a formula."""
    return level if _NUMBER.fullmatch(level) else f'"{level}"'


def _is_cell(name: str, levels: Mapping[str, Any]) -> bool:
    """Whether a column is the product of two indicators."""
    cuts = (k for k, letter in enumerate(name) if letter == ":")
    return any(name[:cut] in levels and name[cut + 1 :] in levels for cut in cuts)


def _plain(name: Any) -> Any:
    return name[1] if isinstance(name, tuple) else name


def advice(
    family: str,
    coefficients: Mapping[Any, str | float],
    levels: Mapping[str, tuple[str, str]],
    separated_levels: Mapping[str, Mapping[str, int]],
    separated: bool,
    n_features: int,
    constant: Sequence[str],
) -> list[str]:
    """What to do: drop, merge levels, penalise."""
    found = by_estimate(coefficients)
    out = []
    if found[UNIDENTIFIED]:
        out.append("Drop columns until none is a combination of the others: their coefficients mean nothing alone.")
    if constant:
        instead = {"cox": "the baseline hazard takes its place"} | dict.fromkeys(ORDERED, "thresholds take its place")
        reason = instead.get(family, "so is the intercept; or ask without one (fit_intercept=False, --no-intercept)")
        out.append(f"Leave out {listed(constant)}, constant in all rows: {reason}.")
    if not separated:
        return out
    infinite = [name for value in (inf, -inf, UNDETERMINED, UNSIGNED) for name in found[value]]
    plain = list(dict.fromkeys(name[1] if isinstance(name, tuple) else name for name in infinite))
    merge = dict.fromkeys(levels[name][0] for name in plain if name in levels)
    for column in merge:
        if whole := separated_levels.get(column):
            said = listed(f"{level!r} ({n:,} {'row' if n == 1 else 'rows'})" for level, n in whole.items())
            out.append(f"Merge levels of {column}: every row is separated at {said}; join it with a similar level.")
    if merge and not out and family != "cox":
        out.append(f"Merge levels of {listed(merge)}: together with other columns they fix the outcome of some rows.")
    if family == "gamma":
        out.append(
            "Give rows with a response of 0 a model of their own (a two-part model), or use a Poisson regression, "
            "which allows them."
        )
    elif family in ("poisson", "negative-binomial"):
        out.append(
            "Drop the separated rows, and the columns that are then constant or dependent: the finite estimates do not "
            "change (Correia, Guimaraes and Zylkin 2019)."
        )
    else:
        out.append(
            "Penalise: Firth's method (Jeffreys prior) or a ridge penalty gives finite estimates for all coefficients; "
            "take intervals from the penalised profile likelihood, not from Wald standard errors."
        )
        rest = "the finite estimates are those of the rows that overlap"
        if family == "cox":
            rest = (
                "where a level without an event is the cause, the finite estimates are those of a fit without its rows"
            )
        out.append(f"Or report the infinite estimates as such, with one-sided profile likelihood intervals; {rest}.")
    columns = [name[1] if isinstance(name, tuple) else name for name in list(coefficients)[-n_features:]]
    known = {*levels, *_CONSTANTS}
    numbers = [name for name in plain if name not in known and name in columns and not _is_cell(str(name), levels)]
    if numbers:
        out.append(
            f"Drop a column ({listed(numbers)}) only if it should not be in the model, as when it records the outcome "
            "itself: a separating column is often the strongest predictor."
        )
    return out
