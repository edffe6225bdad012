"""Regressions in a paper: the paragraph on a separation, its references, and the sentences beside a table."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from math import exp, isfinite, isnan
from typing import Any

import numpy as np

from linsep.markup import count
from linsep.theory.separation.families import INTERCEPT, Outcome
from linsep.theory.verify.consequences import FINITE
from linsep.theory.words.of_advice import CONSTANTS, bare
from linsep.theory.words.of_classes import with_mark
from linsep.theory.words.of_regressions import (
    ALBERT,
    CORREIA,
    SHOWN,
    SILVAPULLE,
    cell_of,
    estimates_of,
    left_out_of,
    listed,
    meaning_of,
    model_of,
    n_touched,
    others_of,
    rows_of,
    source_of,
)

_FAR = 500.0  # logarithms of ratios that are not written as such
_GROUPS = 3  # that are named
_PROFILE = "Venzon and Moolgavkar 1988"
_REFERENCES = {
    ALBERT: "A. Albert and J. A. Anderson, On the existence of maximum likelihood estimates in logistic regression "
    "models, Biometrika 71 (1984), 1-10.",
    "Bryson and Johnson 1981": "M. Bryson and M. Johnson, The incidence of monotone likelihood in the Cox model, "
    "Technometrics 23 (1981), 381-383.",
    CORREIA: "S. Correia, P. Guimaraes and T. Zylkin, Verifying the existence of maximum likelihood estimates for "
    "generalized linear models (2019).",
    "Jacobsen 1989": "M. Jacobsen, Existence and unicity of MLEs in discrete exponential family distributions, "
    "Scandinavian Journal of Statistics 16 (1989), 335-349.",
    "Pratt 1981": "J. Pratt, Concavity of the log likelihood, Journal of the American Statistical Association 76 "
    "(1981), 103-106.",
    SILVAPULLE: "M. Silvapulle, On the existence of maximum likelihood estimators for the binomial response models, "
    "Journal of the Royal Statistical Society B 43 (1981), 310-313.",
    _PROFILE: "D. Venzon and S. Moolgavkar, A method for computing profile-likelihood-based confidence intervals, "
    "Applied Statistics 37 (1988), 87-94.",
}


_HIGHEST = {
    "cox": "at every event a combination of columns is highest in the row of the event, alone or tied",
    "conditional": "in every stratum a combination of columns is highest in the cases, alone or tied",
}


def paragraph_of(found: Any, part: Any) -> str:
    """Methods and results for a paper, with the numbers of a `FinitePart` if there is one, and the reference."""
    source, about = source_of(found), [found.formula.strip()] * bool(found.formula) + [*found._question.about]
    response, cited = _response(about), source
    of_model = "; ".join(one for one in about if found.family != "logistic" or one != f"response {response}")
    outcome = found._question.outcome
    if found.family == "conditional":  # a stratum of cases only, or of none, says nothing
        outcome = outcome.take(outcome.compared)
    rows = f"{outcome.kept.sum():,} rows{_having(outcome, found.family)}"
    out = [f"We fitted {model_of(found, response)} to {rows}{f' ({of_model})' if of_model else ''}."]
    if found.n_missing:
        out.append(left_out_of(found.n_missing))
    tool = f"linsep {version('linsep')}"
    out.append(f"Whether maximum likelihood estimates exist was decided in exact arithmetic with {tool} ({source}).")
    if found.verdict == "overlap":
        out.append("No row is separated, so every coefficient that is identified has a finite estimate.")
        out += others_of(found)
    else:
        out += [f"The data are separated ({found.verdict}): {_cause(found, response)}", *estimates_of(found)]
    if part is not None:
        if part.n_rows and FINITE in found.coefficients.values():
            which = {
                "conditional": "cases or are compared with one",
                "multinomial": "not separated from every other class",
            }.get(found.family, "not separated")
            if found.family == "cox":
                ties = outcome.ties.capitalize()
                which = f"at risk at an event that counts (others fall behind or end before; ties by {ties})"
            errors = " (standard errors)" * (not outcome.beyond)
            finite = [
                f"{listed([name])} {one.value:.3g}" + f" ({one.error:.3g})" * bool(errors)
                for name, one in part.estimates.items()
                if found.coefficients[name] == FINITE and isfinite(one.value)  # not where time ended before
            ]
            is_part = part.n_rows < int(outcome.kept.sum())
            of_rows = f" are those of the {part.n_rows:,} rows that are {which}" * is_part
            out += [f"Finite estimates{errors}{of_rows}: {listed(finite)}.", *_of_errors(found)] * bool(finite)
        limits = [_reported(found, part, name) for name in [*part.tests][:SHOWN] if name in part.estimates]
        first = f"Infinite estimates have limits and tests of the profile likelihood ({_PROFILE})."
        out += [first, *limits] * bool(limits)
        cited += _PROFILE * bool(limits)
    references = [_REFERENCES[one] for one in _REFERENCES if one in cited]
    return "\n".join([with_mark(" ".join(out), found.fragile), "", *references])


def _response(about: list[str]) -> str:
    """The name of the response: that before the ~ of a formula, or that of a column."""
    named = (one.partition("~")[0].strip() for one in about if "~" in one)
    return next(named, next((one.removeprefix("response ") for one in about if one.startswith("response ")), ""))


def _cause(found: Any, response: str) -> str:
    """What the groups that are separated have in common, and where they are not all rows, what separates."""
    groups = sorted(found.groups, key=lambda group: -len(group.rows))
    told = [_fact(found, group, response) for group in groups[:_GROUPS]]
    told += [f"likewise {count(len(groups) - _GROUPS, 'more group')}"] * (len(groups) > _GROUPS)
    rows = {row for row, _ in found.pairs} or {*found.separated_rows}
    is_all = found.family in ("cox", "conditional") or rows.issubset(row for group in groups for row in group.rows)
    told += [] if groups and is_all else [_lower_first(meaning_of(found)).removesuffix(".")]
    return f"{'; '.join(told)}."


def _fact(found: Any, group: Any, response: str) -> str:
    """What the rows of a group have in common.

    Examples
    --------
    >>> from linsep import separation
    >>> found = separation("y ~ s", data={"y": [0, 1, 1, 1], "s": list("aabb")})
    >>> _fact(found, found.groups[0], "y")
    'all 2 rows with s = b had y = 1'
    """
    outcome, places = found._question.outcome, found._question.design.places
    n, having = len(group.rows), (f"{response} = {{}}" if response else "the outcome {!r}").format
    values = np.unique(outcome.y[np.isin(places, group.rows)]).tolist()
    none = "an event" if found.family == "cox" else " or ".join(map(having, group.classes))
    some = "no success" if values == [0] else "successes only"
    some = some if found.family == "binomial" else having(values[0])
    rows = f"{'row' if n == 1 else 'rows'} with " + group.named(" = ", " and ")
    rows += " in strata with cases and others" * (found.family == "conditional" and not outcome.compared.all())
    if none:
        return f"the one {rows} did not have {none}" if n == 1 else f"none of the {n:,} {rows} had {none}"
    who = f"the one {rows}" if n == 1 else f"all {n:,} {rows}"
    return f"{who} had {some}" if found.family == "binomial" or len(values) == 1 else f"{who} are separated"


def _having(outcome: Outcome, family: str) -> str:
    """What stands beside the response: numbers of events and strata, weights and an offset."""
    kept, named = outcome.kept, {"weights": "weights", "offset": "an offset", "entry": "entry times"}
    parts = [count(int(outcome.happened[kept].sum()), "event")] * (family == "cox")
    n_strata = len(np.unique(outcome.stratum[kept]))
    parts += [f"{n_strata:,} strata"] * (n_strata > 1)
    parts += [text for name, text in named.items() if getattr(outcome, name) is not None]
    return f" with {', '.join(parts)}" if parts else ""


def _reported(found: Any, part: Any, name: Any) -> str:
    """The limit and the test of an infinite coefficient."""
    is_above = found.coefficients[name] > 0
    end = part.estimates[name].lower if is_above else part.estimates[name].upper
    limit = "the profile likelihood has no limit on either side"
    if isfinite(end):
        side, beyond = ("lower", "above") if is_above else ("upper", "below")
        limit = (
            f"the {side} limit of the two-sided {100 * part.level:g}% interval of the profile likelihood is {end:.3g}"
        )
        ratio = {"logit": "odds ratio", "log": "hazard ratio" if found.family == "cox" else "rate ratio"}.get(
            found.link
        )
        ratio = ratio if abs(end) < _FAR else None
        if ratio and bare(name) in (INTERCEPT, *CONSTANTS):
            ratio = ratio.removesuffix(" ratio")
        limit += f" ({ratio} {beyond} {exp(end):.3g})" if ratio else ""
    return f"For {listed([name])} {limit}; likelihood-ratio test: {part.tests[name]}."


def notes_of(found: Any, part: Any, printed: Mapping[Any, tuple[float, float]]) -> list[str]:
    """What is said beside the table of coefficients, a sentence each."""
    n, some = n_touched(found), " from some class" * bool(found.pairs)
    rows = f"{n:,} of {count(found.n_rows - found.left_out, 'row')} {'is' if n == 1 else 'are'}"
    out = [f"{rows} separated{some} ({found.verdict})."]
    if found.family in _HIGHEST and found.verdict == "quasi-complete":
        said = rows_of(found) or _HIGHEST[found.family]
        out = [f"{said[0].upper()}{said[1:]} (quasi-complete)."]
    if found._question.dropped is not None:
        out.append(_of_dropped(set(found.separated_rows), found._question.dropped))
    if printed and found._question.outcome.thresholds[1:]:
        out.append("The fit prints the logarithms of differences between thresholds; here are the thresholds.")
    if printed:
        kept = unknown = [name for name, said in found.coefficients.items() if said == FINITE and name in printed]
        which = "These printed estimates may be kept if further iterations do not change them"
        if part is not None:
            kept = [name for name, found_here in part.estimates.items() if _agree(found_here, printed.get(name))]
            which = "These printed estimates may be kept"
            unknown = [name for name in unknown if isnan(part.estimates[name].value)]  # time ended before
        out += [f"{which}: {listed(kept) or 'none'}."] * (kept != [] or unknown == [])
        lost = [name for name in printed if name in found.coefficients and name not in [*kept, *unknown]]
        out += [f"These printed numbers are not those of the likelihood's maximum: {listed(lost)}."] * bool(lost)
    if part is not None:
        out += _of_errors(found)
        for name, test in part.tests.items():
            if name not in part.estimates:
                what = "columns" if ":" in name else "levels"
                alone = ", with its interactions as they are" * _interacts(found, name)
                out.append(f"All {what} of {name} together{alone}: {test}.")
        out += [f"Not computed: {listed(part.not_computed)}: {part.reason}."] * bool(part.not_computed)
    return [*out, *[with_mark("", found.fragile)] * found.fragile]


def _of_errors(found: Any) -> list[str]:
    """Where a package has other standard errors of the same estimates."""
    if any(one.endswith("of pyfixest") for one in found._question.about):
        return ["pyfixest multiplies its errors by a factor for small samples; those here are without it."]
    if "GLM of statsmodels" in found._question.about and found.link in ("probit", "cloglog"):
        return [
            "GLM of statsmodels takes its errors from the expected information; those here are from the observed one."
        ]
    return []


def _interacts(found: Any, name: str) -> bool:
    """Whether a column is a product of a level of the factor with others."""
    columns = list(map(str, map(bare, found.coefficients)))
    cells = (cell_of(column, found.levels, columns)[0] for column in columns)
    return any(len(factors) > 1 and name in factors for factors in cells)


def _of_dropped(separated: set[int], dropped: tuple[int, ...]) -> str:
    """What the software left out itself."""
    missed = separated.difference(dropped)
    said = f"The fit left out {count(len(dropped), 'row')}"
    n = len(separated.intersection(dropped))
    of_them = "all of them" if n == len(dropped) > 1 else "which is" if n == len(dropped) else f"{n:,} of them"
    said += f", {of_them} separated" if dropped else ""
    said += f", and missed {count(len(missed), 'row')} that {'is' if len(missed) == 1 else 'are'}" if missed else ""
    return said + (f": {listed(sorted(missed))}." if missed else ".")


def _agree(estimate: Any, printed: tuple[float, float] | None) -> bool:
    """Whether what was printed is the finite estimate, to a hundredth of its standard error."""
    return printed is not None and abs(printed[0] - estimate.value) <= 0.01 * estimate.error


def _lower_first(text: str) -> str:
    return text[0].lower() + text[1:]
