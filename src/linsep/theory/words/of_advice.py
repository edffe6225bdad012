"""What to do about a separation, in sentences: what is removed has been tried; `found` is a `Separation`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any

from linsep.markup import count
from linsep.theory.separation.families import ORDERED
from linsep.theory.verify.consequences import FINITE, UNDETERMINED, UNIDENTIFIED, UNSIGNED
from linsep.theory.words.of_regressions import SHOWN, by_estimate, cell_of, common_to, listed, multiplied, parts_of

CONSTANTS = ("Intercept", "const")  # columns of statsmodels
_OF_LEVEL = re.compile(r"\[.*?\](?=:|$)")  # what a formula puts behind a factor in the name of a column
_NUMBER = re.compile(r"-?\d+(\.\d+)?")  # levels of a column of numbers


def _of_references(found: Any, groups: Sequence[Any]) -> list[str]:
    """Where all levels of a factor go to infinity together, because every row at its reference level is separated.

    So they do in a Cox model if no row at the reference has an event.
    """
    out = []
    for column, reference in found.references.items():
        whole = found._levels.get(column, {})
        others = {name: level for name, (own, level) in found.levels.items() if own == column and level not in whole}
        values = {value for name, value in found.coefficients.items() if bare(name) in others}
        if len(others) < 2 or reference not in whole or not values or not values <= {inf, -inf}:
            continue
        called = column if column.isidentifier() else f"`{column}`"
        better = _quoted(next(iter(others.values())))
        at = [one for one in groups if (one.factors, one.levels) == ((column,), (reference,))]
        why = f"{common_to(found, at)} at {reference!r}, the reference ({count(whole[reference], 'row')})"
        out.append(
            f"Take another reference level of {column}: {why}, so the coefficients of its other levels go "
            f"to infinity together; with C({called}, Treatment(reference={better})) in a formula fewer may be infinite."
        )
    return out


def _quoted(level: str) -> str:
    """A level as it is written in a formula."""
    return level if _NUMBER.fullmatch(level) else json.dumps(level, ensure_ascii=False)


def bare(name: Any) -> Any:
    """The name of the column of a coefficient."""
    return name[1] if isinstance(name, tuple) else name


_DROP = (
    "Drop the separated rows, and the columns that are then constant or dependent: the finite estimates do not change "
    "(Correia, Guimaraes and Zylkin 2019)."
)
_PENALISE = (
    "Penalise: Firth's method (Jeffreys prior) or a ridge penalty gives finite estimates for all coefficients; take "
    "intervals from the penalised profile likelihood, not from Wald standard errors."
)
_OF_COX = "where a level without an event is the cause, the finite estimates are those of a fit without its rows"
_PARTLY = (
    "the finite estimates need not be those of a fit of fewer rows: a row that is separated from some classes still "
    "counts for the others"
)


def _report(family: str, has_limits: bool, is_partly: bool, has_finite: bool) -> str:
    """What to report instead of a remedy."""
    limits = ", each with the one limit that its profile likelihood interval has" * has_limits
    rest = "the finite estimates are those of the rows that overlap"
    rest = _PARTLY if is_partly else _OF_COX if family == "cox" else rest
    return f"Or report the infinite estimates as such{limits}{f'; {rest}' * has_finite}."


_SOFTWARE = {  # where firth() has no fit
    "binomial": "brglm of R fits it",
    "logistic": "brglm of R fits it",
    "multinomial": "brglm2 of R fits it (brmultinom), with Wald intervals alone",
    "adjacent": "brglm2 of R fits it (bracl), with Wald intervals alone",
    "cumulative": "ordinalNet of R has a ridge penalty, without intervals",
    "continuation": "ordinalNet of R has a ridge penalty, without intervals",
    "cox": "coxphf of R fits it where there are no strata and no weights, with entry times too",
    "conditional": "fit_regularized(alpha=0.1, L1_wt=0) of ConditionalLogit in statsmodels has a ridge penalty",
}
_TRIED_LEVELS = 6

# Columns, and one that takes their entries over or "" -> the coefficients that are infinite then; None if not tried.
Tried = Callable[[Sequence[str], str], list[Any] | None]


def advice(
    found: Any,
    tried: Tried,
    groups: Sequence[Any] = (),
    surplus: Sequence[str] = (),
    *,
    can_penalise: bool = True,
    has_limits: bool = True,
    is_partly: bool = False,
) -> list[str]:
    """What to do about what was found of a regression: drop, merge levels, penalise; what is removed was `tried`.

    `groups` are the levels and cells that are separated as a whole; `surplus` are columns without which none is a
    combination of the others; `can_penalise` and `has_limits` say that linsep has a fit or limits for it, `is_partly`
    that rows are separated from some classes only.
    """
    family, levels, names = found.family, found.levels, by_estimate(found.coefficients)
    first = _of_references(found, groups)
    out = []
    if names[UNIDENTIFIED]:
        such = f", as without {listed(surplus)}" if surplus else ""
        out.append(
            f"Drop columns until none is a combination of the others{such}: their coefficients mean nothing alone."
        )
    if found.constant_columns and found.fit_intercept:
        instead = {"cox": "the baseline hazard takes its place", "conditional": "strata take its place"}
        instead |= dict.fromkeys(ORDERED, "thresholds take its place")
        without = "so is the intercept; or ask without one (fit_intercept=False, --set fit_intercept=no)"
        reason = instead.get(family, without)
        out.append(f"Leave out {listed(found.constant_columns)}, constant in all rows that count: {reason}.")
    if found.verdict not in ("complete", "quasi-complete"):
        return first + out
    infinite = [name for value in (inf, -inf, UNDETERMINED, UNSIGNED) for name in names[value]]
    plain = list(dict.fromkeys(map(bare, infinite)))
    if found.verdict == "quasi-complete":
        cells = _cells(found, groups, tried)
        out += _merges(found, plain, tried, groups, bool(cells)) + cells
    if family in ("poisson", "negative-binomial"):
        out.append(_DROP)
    else:
        software = "In Python firth() fits it" if can_penalise else _SOFTWARE.get(family, "")
        software += ", once no column is a combination of the others" * bool(can_penalise and names[UNIDENTIFIED])
        out += [f"{_PENALISE} {software}.", _report(family, has_limits, is_partly, bool(names[FINITE]))]
    columns = list(map(bare, found.coefficients))[-found.n_features :]
    alone = [name for name in plain if name in columns and name not in CONSTANTS]
    products = [
        name
        for name in alone
        if any(multiplied(str(name), levels)) or (len(_parts(name, found)) > 1 and _OF_LEVEL.search(str(name)))
    ]
    # Of a factor and of a product a column is not left out alone.
    told = {name for one in groups if _has_products(one, found) for name in _with(one.factors, found) or one.factors}
    told |= {part for name in columns if len(parts := _parts(name, found)) > 1 for part in parts}
    numbers = [name for name in alone if name not in products and name not in told and not _is_contrast(name, found)]
    if numbers:
        out.append(
            f"Drop a column ({listed(numbers)}) only if it should not be in the model, as when it records the outcome "
            f"itself: a separating column is often the strongest predictor{_without(numbers[:SHOWN], tried)}."
        )
    return first + out


def _then(how: str, left: list[Any] | None) -> str:
    """What a trial says."""
    if left is None:
        return ""
    return f"; {how} " + (f"still infinite: {listed(left)}" if left else "no estimate is infinite")


def _without(columns: Sequence[Any], tried: Tried) -> str:
    """What is infinite without each of the columns."""
    left = {name: tried([name], "") for name in columns}
    well, ill = (
        [name for name, some in left.items() if some is not None and bool(some) is is_ill] for is_ill in (False, True)
    )
    out = [f"; without {' or without '.join(map(str, well))} no estimate is infinite"] * bool(well)
    out += [_then(f"without {ill[0]}", left[ill[0]])] if len(ill) == 1 else []
    out += [f"; if only one of {listed(ill)} is dropped, some estimates are still infinite"] * (len(ill) > 1)
    return "".join(out)


def _merges(found: Any, plain: Sequence[Any], tried: Tried, groups: Sequence[Any], has_cells: bool) -> list[str]:
    """Levels to merge, each with what is infinite afterwards."""
    out = []
    merge = dict.fromkeys(found.levels[name][0] for name in plain if name in found.levels)
    contrasts = {_OF_LEVEL.sub("", name): cell_of(name, {}, ())[0] for name in plain if _is_contrast(name, found)}
    for column in merge | contrasts:
        of_column = [one for one in groups if one.factors == contrasts.get(column, (column,))]
        if not of_column:
            continue
        said, what = listed(f"{one.levels[0]!r} ({one.size})" for one in of_column), common_to(found, of_column)
        whole, then = found._levels.get(column, {}), ""
        kept = sum(of == column for of, _ in found.levels.values()) + (column in found.references) - len(whole)
        if whole and kept + len(whole) == 2:
            out.append(
                f"To merge the levels of {column} is to leave it out, which helps only if it should not be in the "
                f"model: {what} at {said}."
            )
            continue
        each, all_of = ("it", "") if len(of_column) == 1 else ("each", "all ")
        if whole and kept > 1:  # joined with one alone all are one level
            then = _joined(found, column, whole, tried).replace("joined with", f"{all_of}joined with")
        out.append(f"Merge levels of {column}: {what} at {said}; join {each} with a similar level{then}.")
    merge |= dict.fromkeys(contrasts)
    if merge and not out and not has_cells and found.family != "cox":
        then = "".join(_then(f"without {column}", tried(_with([column], found), "")) for column in merge)
        out.append(
            f"Merge levels of {listed(merge)}: together with other columns they fix the outcome of some rows{then}."
        )
    return out


def _parts(name: Any, found: Any) -> list[str]:
    """What is multiplied in a column."""
    return [name] if name in found.levels else parts_of(str(name))


def _has_products(group: Any, found: Any) -> bool:
    """Whether it is a cell of several factors, or a value of a column that is multiplied with others."""
    (first, *others), columns = group.factors, list(dict.fromkeys(map(bare, found.coefficients)))
    parts = (_parts(name, found) for name in columns)
    return bool(others) or (first in columns and any(len(every) > 1 and first in every for every in parts))


def _is_contrast(name: Any, found: Any) -> bool:
    """Whether it is a column of a factor that stands for no level, as of sums to 0: alone it means nothing."""
    return name not in found.levels and bool(_OF_LEVEL.search(str(name))) and len(_parts(name, found)) == 1


def _joined(found: Any, column: str, whole: Mapping[str, int], tried: Tried) -> str:
    """What is infinite once the levels are joined with each of the others."""
    own = {level: name for name, (of, level) in found.levels.items() if of == column}
    if not {*_with([column], found)} <= {*own.values()}:
        return ""  # products of them would have to be joined too
    reference = found.references.get(column)
    lost = [own[level] for level in whole if level in own]
    others = [level for level in own if level not in whole][:_TRIED_LEVELS]
    if reference in whole:
        trials = {level: tried([*lost, own[level]], "") for level in others}
    else:
        trials = {} if reference is None else {reference: tried(lost, "")}
        trials |= {level: tried(lost, own[level]) for level in others}
    well = [level for level, left in trials.items() if left == []]
    if well:
        return f"; joined with {' or '.join(map(repr, well))} no estimate is infinite"
    left = next((left for left in trials.values() if left), None)
    return _then(f"joined with {next(iter(trials))!r}", left) if left else ""


def _cells(found: Any, groups: Sequence[Any], tried: Tried) -> list[str]:
    """Cells of interactions that are separated as a whole, and what is infinite without the terms that have them."""
    out = []
    for factors in dict.fromkeys(group.factors for group in groups if _has_products(group, found)):
        cells = [group for group in groups if group.factors == factors]
        lost = _with(factors, found)
        if not lost:
            out += [_other_reference(found, group, tried) for group in cells]
            continue
        terms = listed(dict.fromkeys(_OF_LEVEL.sub("", str(name)) for name in lost))
        # Of a factor that stands in products alone these have columns with the names of other factors.
        has_main = all(any(len(_parts(name, found)) == 1 for name in _with([one], found)) for one in factors)
        left = tried(lost, "")
        then = _then("then", left) if has_main or not left else ""
        what = common_to(found, cells).capitalize()
        how = "merge levels, or " * (len(factors) > 1)
        out.append(f"{what} in {listed(map(str, cells))}: {how}leave out {terms}{then}.")
    return out


def _other_reference(found: Any, group: Any, tried: Tried) -> str:
    """What to do where the columns of a factor are 0 together, by the names of the columns."""
    left = {name: tried([name], "") for name in group.factors[:SHOWN]}
    well = [name for name, some in left.items() if some == []]
    first = next(iter(left))
    then = (
        f"; without {' or without '.join(well)} no estimate is infinite"
        if well
        else _then(f"without {first}", left[first])
    )
    return (
        f"{common_to(found, [group]).capitalize()} in {group}, which may be the reference level of a factor. If so, "
        f"merge it with a similar level, whose column is then left out{then}. Or take another reference level: this "
        "one then has a coefficient of its own, and fewer others may be infinite."
    )


def _with(factors: Sequence[str], found: Any) -> list[Any]:
    """The columns in which all these factors stand."""
    named = [re.compile(rf"(?:^|:)(?:C\()?`?{re.escape(factor)}(?:`?[=,)\[]|:|$)") for factor in factors]
    return [
        name for name in dict.fromkeys(map(bare, found.coefficients)) if all(one.search(str(name)) for one in named)
    ]
