"""Regressions, and what their separation means, in words; who proved that it does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from linsep.theory.separation.families import ORDERED

SEVERAL_MAXIMA = (
    "The likelihood is not concave with this link: which of several maxima is the largest is not proved here."
)


def is_concave(family: str, link: str) -> bool:
    """Whether the logarithm of the likelihood is concave, so that every local maximum is the maximum."""
    return link != "cauchit" and family != "inverse-gaussian"


def model_words(family: str, link: str, classes: Sequence[Any]) -> str:
    """The regression in a sentence."""
    if family == "logistic":
        name = "logistic" if link == "logit" else link
        return f"the {name} regression of {classes[1]!r} against {classes[0]!r}" if classes else ""
    if family == "multinomial":
        return f"the multinomial regression with {len(classes)} classes (reference {classes[0]!r})" if classes else ""
    if family in ORDERED:
        kind = {
            "cumulative": f"cumulative {link}",
            "adjacent": "adjacent-category",
            "continuation": "continuation-ratio",
        }
        told = f"the {kind[family]} regression with {len(classes)} ordered classes"
        return f"{told} ({classes[0]!r} to {classes[-1]!r})" if classes else ""
    if family == "cox":
        return "the Cox regression"
    name = {"poisson": "Poisson", "inverse-gaussian": "inverse Gaussian"}.get(family, family.replace("-", " "))
    return f"the {name} regression with {link} link"


def why(family: str, verdict: str) -> str:
    """What a separation means for the fit; {k} rows are separated, {left} are not."""
    kind = {"negative-binomial": "poisson"} | dict.fromkeys(ORDERED, "ordered")
    return _GAMMA if family == "gamma" else _WHY[kind.get(family, family), verdict]


_GAMMA = (
    "A linear combination of the columns is nowhere below 0 on rows with a positive response, adds up to 0 or less "
    "over all rows, and is not 0 throughout: rows with a response of 0 let the quasi-likelihood rise along it for ever."
)
_CELLS = (
    "In some rows the fitted probability of a class that was not observed tends to 0; in {k} rows that of every such "
    "class does."
)
_WHY = {
    ("logistic", "complete"): (
        "A linear combination of the columns tells the two outcomes apart on every row: fitted probabilities tend "
        "to 0 and 1, and an iterative fit stops only at its limit."
    ),
    ("logistic", "quasi-complete"): (
        "A linear combination of the columns has the sign of the outcome on {k} rows and is exactly 0 on the other "
        "{left}: the fitted probabilities of the {k} rows tend to 0 and 1; the other rows overlap."
    ),
    ("binomial", "complete"): (
        "Every row has successes only or none, and a linear combination of the columns tells these apart on every "
        "row: fitted probabilities tend to 0 and 1, and an iterative fit stops only at its limit."
    ),
    ("binomial", "quasi-complete"): (
        "A linear combination of the columns is above 0 on rows with successes only and below 0 on rows with none, "
        "{k} rows in all, and exactly 0 on the other {left}: the fitted probabilities of the {k} rows tend to 0 and "
        "1; the other rows overlap."
    ),
    ("poisson", "complete"): "Every count can be fitted by a mean that tends to 0.",
    ("poisson", "quasi-complete"): (
        "A linear combination of the columns is below 0 on {k} rows, all with a count of 0, and exactly 0 on the "
        "other {left}: the fitted means of the {k} rows tend to 0."
    ),
    ("multinomial", "complete"): (
        "Linear combinations of the columns tell the classes apart on every row: fitted probabilities tend to 0 and 1."
    ),
    ("multinomial", "quasi-complete"): _CELLS,
    ("ordered", "complete"): (
        "A linear combination of the columns and thresholds for it tell the classes apart on every row: fitted "
        "probabilities tend to 0 and 1."
    ),
    ("ordered", "quasi-complete"): _CELLS,
    ("cox", "complete"): (
        "At every event a linear combination of the columns is higher in the row of the event than in all other rows "
        "at risk: the partial likelihood rises along it for ever."
    ),
    ("cox", "quasi-complete"): (
        "At every event a linear combination of the columns is highest in the row of the event among the rows at risk, "
        "alone or tied, and at some event higher than in another row: the partial likelihood rises along it for ever."
    ),
}


def source(family: str, link: str) -> str:
    """Who proved the condition."""
    if family == "cox":
        return "Jacobsen 1989"
    if family == "binomial" or (family == "logistic" and link != "logit"):
        return "Silvapulle 1981"
    if family in ("poisson", "negative-binomial", "gamma", "inverse-gaussian"):
        return "Correia, Guimaraes and Zylkin 2019"
    if family in ("cumulative", "continuation"):
        return "Pratt 1981 and Albert and Anderson 1984"
    return "Albert and Anderson 1984"
