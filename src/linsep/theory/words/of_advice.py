"""What to do about separation, in sentences."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import inf
from typing import Any

from linsep.theory.separation.families import ORDERED
from linsep.theory.verify.consequences import UNDETERMINED, UNIDENTIFIED, UNSIGNED
from linsep.theory.words.of_regressions import by_estimate, listed

_CONSTANTS = ("Intercept", "const")  # columns of statsmodels
_NUMBER = re.compile(r"-?\d+(\.\d+)?")  # levels of a column of numbers


def _of_references(found: Any) -> list[str]:
    """Where all levels of a factor go to infinity together, because every row at its reference level is separated.

    In a Cox model they go to one infinity, as where no row at the reference has an event.
    """
    is_cox = found.family == "cox"
    out = []
    for column, reference in found.references.items():
        whole = {} if is_cox else found.separated_levels.get(column, {})
        others = {name: level for name, (own, level) in found.levels.items() if own == column and level not in whole}
        values = {value for name, value in found.coefficients.items() if _plain(name) in others}
        of_cox = is_cox and values in ({inf}, {-inf})
        if len(others) < 2 or not values or not (of_cox or (reference in whole and values <= {inf, -inf})):
            continue
        better = _quoted(next(iter(others.values())))
        if is_cox:
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
            f"formula that of {reference!r} may take their place."
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


_DROP = (
    "Drop the separated rows, and the columns that are then constant or dependent: the finite estimates do not change "
    "(Correia, Guimaraes and Zylkin 2019)."
)
_PENALISE = (
    "Penalise: Firth's method (Jeffreys prior) or a ridge penalty gives finite estimates for all coefficients; take "
    "intervals from the penalised profile likelihood, not from Wald standard errors."
)
_REPORT = "Or report the infinite estimates as such, with one-sided profile likelihood intervals;"
_PENALISED = (_PENALISE, f"{_REPORT} the finite estimates are those of the rows that overlap.")
_OF_FAMILY = {
    "poisson": (_DROP,),
    "negative-binomial": (_DROP,),
    "cox": (
        _PENALISE,
        f"{_REPORT} where a level without an event is the cause, the finite estimates are those of a fit without its "
        "rows.",
    ),
}


def advice(found: Any) -> list[str]:
    """What to do about what was found of a regression: drop, merge levels, penalise."""
    family, levels, names = found.family, found.levels, by_estimate(found.coefficients)
    first = _of_references(found)
    out = []
    if names[UNIDENTIFIED]:
        out.append("Drop columns until none is a combination of the others: their coefficients mean nothing alone.")
    if found.constant_columns and found.fit_intercept:
        instead = {"cox": "the baseline hazard takes its place"} | dict.fromkeys(ORDERED, "thresholds take its place")
        without = "so is the intercept; or ask without one (fit_intercept=False, --set fit_intercept=no)"
        reason = instead.get(family, without)
        out.append(f"Leave out {listed(found.constant_columns)}, constant in all rows that count: {reason}.")
    if found.verdict not in ("complete", "quasi-complete"):
        return first + out
    infinite = [name for value in (inf, -inf, UNDETERMINED, UNSIGNED) for name in names[value]]
    plain = list(dict.fromkeys(map(_plain, infinite)))
    merge = dict.fromkeys(levels[name][0] for name in plain if name in levels)
    for column in merge:
        if whole := found.separated_levels.get(column):
            said = listed(f"{level!r} ({n:,} {'row' if n == 1 else 'rows'})" for level, n in whole.items())
            out.append(f"Merge levels of {column}: every row is separated at {said}; join it with a similar level.")
    if merge and not out and family != "cox":
        out.append(f"Merge levels of {listed(merge)}: together with other columns they fix the outcome of some rows.")
    out += _OF_FAMILY.get(family, _PENALISED)
    columns = list(map(_plain, found.coefficients))[-found.n_features :]
    known = {*levels, *_CONSTANTS}
    numbers = [name for name in plain if name not in known and name in columns and not _is_cell(str(name), levels)]
    if numbers:
        out.append(
            f"Drop a column ({listed(numbers)}) only if it should not be in the model, as when it records the outcome "
            "itself: a separating column is often the strongest predictor."
        )
    return first + out
