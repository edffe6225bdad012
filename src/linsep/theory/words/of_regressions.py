"""Regressions, what was found about them, in sentences for the methods section of a paper.

Where coefficients go is one table of what is said of each code; `found` is a `Separation`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import inf
from typing import Any, NamedTuple

import numpy as np

from linsep.markup import count, table_html
from linsep.theory.separation.families import link_of
from linsep.theory.verify.consequences import FINITE, UNDETERMINED, UNIDENTIFIED, UNSIGNED
from linsep.theory.words.of_classes import with_mark

UNREAD = "not verified: verify(X, y) checks it against the data and says what it proves"
OTHER_DATA = (
    "this certificate is about other rows, labels or options: their hash differs; decimals count as they are written "
    "(the double 0.1 is not 1/10): give such a table as open_data(path, target=...)"
)


def summary_of(found: Any) -> str:
    """The verdict, what it means for each coefficient, and how it was decided."""
    if found.rank is None:
        return f"Undecided: {found.reason}." if found.verdict == "undecided" else f"{UNREAD}."
    said = [opening_of(found), *estimates_of(found)]
    if found.n_missing:
        said.insert(1, left_out_of(found.n_missing))
    said.append(
        f"Decided in exact arithmetic on the numbers given ({source_of(found)}; maximal separated set "
        "and null space of the remaining rows), with certificates checked on every row; no tolerance is involved."
    )
    if calculated := () if found._question is None else found._question.design.calculated:
        said.append(
            f"The formula calculates {listed(calculated)} in double precision: the answer is about these numbers."
        )
    return with_mark(" ".join(said), found.fragile)


def opening_of(found: Any) -> str:
    """The verdict in a sentence or two."""
    n, model = found.n_rows - found.left_out, model_of(found)
    if found.verdict == "overlap":
        said = (
            f"Overlap: {model} on {n:,} rows is not separated. A maximum likelihood estimate exists, and every "
            "coefficient that is identified has a finite one."
        )
        return f"{said} {_SEVERAL_MAXIMA}" if found.link == "cauchit" else said
    name = found.verdict.capitalize()
    return f"{name} separation: {model} on {n:,} rows has no maximum likelihood estimate. {meaning_of(found)}"


def model_of(found: Any, response: str = "") -> str:
    """The model in words, with the name of the response of a logistic one if that is given."""
    link = "logistic" if (found.family, found.link) == ("logistic", "logit") else found.link
    first, *_, last = found.classes or ("", "")
    order = " < ".join(map(repr, found.classes))
    what = f"{last!r} against {first!r}"
    what = f"{response} ({what})" if response else what
    model = _MODELS[found.family].name.format(link=link, n=len(found.classes), first=first, what=what, order=order)
    return f"{model} without an intercept" if _lacks_intercept(found) else model


def meaning_of(found: Any) -> str:
    """What the separation does to the fit."""
    n, k = found.n_rows - found.left_out, len(found.separated_rows)
    is_quasi = found.verdict == "quasi-complete"
    named = {"k": count(k, "row"), "left": count(n - k, "row")}
    named |= dict(zip(("first", "last"), map(repr, found.classes), strict=False))
    if _MODELS[found.family].separated[is_quasi] == _CELLS:
        every = f"; in {named['k']} that of every such class does" if k else ""
        named |= {"some": count(n_touched(found), "row"), "every": every}
    return _MODELS[found.family].separated[is_quasi].format(**named)


def n_touched(found: Any) -> int:
    """How many rows are separated, of a multinomial or ordered model from some class at least."""
    return int(found._question.owners(found.proof)[0].size)


def rows_of(found: Any) -> str:
    """Which rows are separated, on a line: how many, or groups without an event or a case; empty if that is unknown."""
    is_compared = found.family in ("cox", "conditional")
    if is_compared and found.verdict == "quasi-complete":
        return f"{common_to(found, found.groups)} in {listed(map(str, found.groups))}" if found.groups else ""
    n = len(found.separated_rows) if is_compared else n_touched(found)
    return (
        f"{n:,} of {count(found.n_rows - found.left_out, 'row')}{' from some class' * (n > len(found.separated_rows))}"
    )


def common_to(found: Any, groups: Sequence[Any]) -> str:
    """What the rows of separated groups have in common."""
    if found.family != "conditional":
        return _IN_GROUPS.get(found.family, "every row is separated")
    asked, rows = found._question, [row for group in groups for row in group.rows]
    cases = asked.outcome.y[np.isin(asked.design.places, rows)] > 0
    return (
        "no row is a case"
        if not cases.any()
        else "every row is a case"
        if cases.all()
        else "all rows are cases, or all are others,"
    )


def left_out_of(n: int) -> str:
    return f"{n:,} further {'row was' if n == 1 else 'rows were'} left out for missing values."


def source_of(found: Any) -> str:
    return SILVAPULLE if found.family == "logistic" and found.link != "logit" else _MODELS[found.family].source


def _lacks_intercept(found: Any) -> bool:
    has_constant = found.fit_intercept or found.fixed_effects or found.constant_columns
    return not has_constant and found.family not in ("cox", "conditional")


def _unlike_most(found: Any) -> str:
    """What a model has that others of its family have not, in brief."""
    parts = ["no intercept"] * _lacks_intercept(found)
    parts += [f"link {found.link}"] * (found.link != link_of(found.family, None))
    return "".join(f", {part}" for part in parts)


def estimates_of(found: Any) -> list[str]:
    """Which coefficients are infinite, which finite, which not identified; of fixed effects how many."""
    names = by_estimate(found.coefficients)
    said = [words.names.format(listed(names[value])) for value, words in SAID.items() if words.names and names[value]]
    verb = "estimate is" if len(found.coefficients) == 1 else "estimates are"
    return [f"The maximum likelihood {verb} {'; '.join(said)}."] * bool(said) + others_of(found)


def others_of(found: Any) -> list[str]:
    """What becomes of the coefficients of fixed effects, and which others are not identified."""
    out, names = [], by_estimate(found.coefficients)
    many = {estimate(value): words.many for value, words in SAID.items()}
    for effect, counts in found.fixed_effects.items():
        every = listed(f"{n:,} {many[text]}" for text, n in counts.items())
        out.append(f"Coefficients of the fixed effect {effect}: {every}.")
    width = len(found.coefficients) + sum(sum(counts.values()) for counts in found.fixed_effects.values())
    if found.rank < width:
        which = listed(names[UNIDENTIFIED]) or "some of the fixed effects"
        out.append(
            f"The rank is {found.rank:,} of {width:,} coefficients. Not identified, because they can change together "
            f"without changing the likelihood: {which}."
        )
    return out


def line_of(found: Any) -> str:
    """The same on a line, as for `repr`."""
    if found.rank is None:
        return summary_of(found).removesuffix(".")
    parts = [f"{told(value)}: {listed(names)}" for value, names in by_estimate(found.coefficients).items() if names]
    rows = f", {rows}" if (rows := rows_of(found)) else ""
    family = "" if found.family == "logistic" else f", {found.family}"
    said = f"{found.verdict}{family}{_unlike_most(found)}{rows}; {'; '.join(parts)}"
    return with_mark(said, found.fragile)


def html_of(found: Any) -> str:
    """The same as a table for notebooks."""
    if found.rank is None:
        return table_html(f"Separation {found.verdict}", [("because", found.reason or UNREAD)])
    rows: list[tuple[object, ...]] = [("separated", said)] if (said := rows_of(found)) else []
    rows += [(told(value), listed(names)) for value, names in by_estimate(found.coefficients).items() if names]
    rows += [("but", with_mark("", True))] if found.fragile else []
    rows += [("what to do", text) for text in found.advice]
    return table_html(f"Separation: {found.verdict} ({found.family}{_unlike_most(found)})", rows)


SHOWN = 8
_IN_GROUPS = {"cox": "no row has an event", "multinomial": "every row is separated from a class"}
_LEVEL = re.compile(r"(?:C\()?`?(\w+)`?(?:[,)].*?)?\[(?:[TS]\.)?(.+?)\]")  # as a formula names its column
_BETWEEN = re.compile(r":(?![^\[\]]*\])")  # factors, and not within a level


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
        "without a limit for {}",
        "some directions that separate raise it and others lower it: no limit is determined",
    ),
    UNSIGNED: _Words(
        "limit not decided",
        "not decided",
        "not decided for {}",
        "whether a limit is determined was not decided",
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


def listed(names: Iterable[Any]) -> str:
    """The first names, and the number of the others."""
    every = [_key(name) for name in names]
    more = len(every) - SHOWN
    if more > 0:
        return f"{', '.join(every[:SHOWN])} and {more:,} more"
    return ", ".join(every)


def _key(name: Any) -> str:
    return f"{name[1]} of class {name[0]}" if isinstance(name, tuple) else str(name)


def multiplied(name: str, levels: Mapping[str, tuple[str, str]]) -> Iterator[tuple[str, ...]]:
    """The factors of a product of indicators; names may have a ":" of their own."""
    if name in levels:
        yield (levels[name][0],)
    for cut in (k for k, letter in enumerate(name) if letter == ":"):
        if name[:cut] in levels:
            yield from ((levels[name[:cut]][0], *rest) for rest in multiplied(name[cut + 1 :], levels))


def parts_of(name: str) -> list[str]:
    """What is multiplied in a column of a formula; a ":" within a level stays."""
    return _BETWEEN.split(name)


def cell_of(
    name: str, levels: Mapping[str, tuple[str, str]], columns: Collection[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The factors and levels where a column of 0 and 1 is 1, by its name.

    Examples
    --------
    >>> cell_of("C(s)[a]:old", {}, ["C(s)[a]:old", "old"]), cell_of("x:y", {}, [])
    ((('s', 'old'), ('a', '1')), (('x:y',), ('1',)))
    """
    found = []
    for part in [name] if name in levels else parts_of(name):
        named = (parsed[1], parsed[2]) if (parsed := _LEVEL.fullmatch(part)) else None
        found.append(levels.get(part) or named or ((part, "1") if part in columns else None))
    factors, cell = zip(*(found if None not in found else [(name, "1")]), strict=True)
    return factors, cell


def by_estimate(coefficients: Mapping[Any, str | float]) -> dict[str | float, list[Any]]:
    """What is said about coefficients -> their names."""
    out: dict[str | float, list[Any]] = {value: [] for value in SAID}
    for name, value in coefficients.items():
        out[value].append(name)
    return out


_SEVERAL_MAXIMA = (
    "The likelihood is not concave with this link: which of several maxima is the largest is not proved here."
)
SILVAPULLE, CORREIA = "Silvapulle 1981", "Correia, Guimaraes and Zylkin 2019"
ALBERT, _PRATT = "Albert and Anderson 1984", "Pratt 1981 and Albert and Anderson 1984"
_CELLS = "In {some} the fitted probability of a class that was not observed tends to 0{every}."
_COUNTS = (
    "Every count can be fitted by a mean that tends to 0.",
    "A linear combination of the columns is exactly 0 on {left}, and below 0 on {k} with a count of 0: fitted means "
    "tend to 0 there.",
)
_ORDERED = (
    "A linear combination of the columns and thresholds for it tell the classes apart on every row: fitted "
    "probabilities tend to 0 and 1.",
    _CELLS,
)
_OF_ORDERED = "regression with {n} ordered classes ({order})"


class _Model(NamedTuple):
    """How a family is called, what complete and what quasi-complete separation mean for its fit, and who proved it."""

    name: str
    separated: tuple[str, str]  # {k} are separated, {left} are not
    source: str


_MODELS = {
    "logistic": _Model(
        "the {link} regression of {what}",
        (
            "A linear combination of the columns tells the two outcomes apart on every row: fitted probabilities tend "
            "to 0 and 1, and an iterative fit stops only at its limit of steps.",
            "A linear combination of the columns is exactly 0 on {left}, which overlap; on {k} it is above 0 where the "
            "outcome is {last} and below 0 where it is {first}: fitted probabilities tend to 0 and 1 there.",
        ),
        ALBERT,
    ),
    "binomial": _Model(
        "the binomial regression with {link} link",
        (
            "Every row has successes only or none, and a linear combination of the columns tells these apart on every "
            "row: fitted probabilities tend to 0 and 1, and an iterative fit stops only at its limit of steps.",
            "A linear combination of the columns is exactly 0 on {left}; on {k} it is above 0 where all trials "
            "succeed and below 0 where none does: fitted probabilities tend to 0 and 1 there.",
        ),
        SILVAPULLE,
    ),
    "poisson": _Model("the Poisson regression with {link} link", _COUNTS, CORREIA),
    "negative-binomial": _Model("the negative binomial regression with {link} link", _COUNTS, CORREIA),
    "multinomial": _Model(
        "the multinomial regression with {n} classes (reference {first!r})",
        (
            "Linear combinations of the columns tell the classes apart on every row: fitted probabilities tend to 0 "
            "and 1.",
            _CELLS,
        ),
        ALBERT,
    ),
    "cumulative": _Model(f"the cumulative {{link}} {_OF_ORDERED}", _ORDERED, _PRATT),
    "adjacent": _Model(f"the adjacent-category {_OF_ORDERED}", _ORDERED, ALBERT),
    "continuation": _Model(f"the continuation-ratio {_OF_ORDERED}", _ORDERED, _PRATT),
    "conditional": _Model(
        "the conditional logistic regression",
        (
            "In every stratum a linear combination of the columns is higher in each case than in all other rows: the "
            "likelihood rises along it for ever.",
            "In every stratum a linear combination of the columns is at least as high in each case as in all other "
            "rows, and in some higher than in one: the likelihood rises along it for ever.",
        ),
        "Jacobsen 1989",
    ),
    "cox": _Model(
        "the Cox regression",
        (
            "At every event a linear combination of the columns is higher in the row of the event than in all other "
            "rows at risk: the partial likelihood rises along it for ever.",
            "At every event a linear combination of the columns is highest in the row of the event among the rows at "
            "risk, alone or tied, and at some event higher than in another row: the partial likelihood rises along it "
            "for ever.",
        ),
        "Bryson and Johnson 1981, Jacobsen 1989",
    ),
}
