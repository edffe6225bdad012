"""The kinds of regression that `separation` knows, their links and their responses."""

from __future__ import annotations

from typing import Literal, get_args

from linsep.types import DataError

Family = Literal[
    "logistic",
    "binomial",
    "poisson",
    "negative-binomial",
    "gamma",
    "inverse-gaussian",
    "multinomial",
    "cumulative",
    "adjacent",
    "continuation",
    "cox",
]
FAMILIES: tuple[Family, ...] = get_args(Family)
_OF_TWO = ("logit", "probit", "cloglog", "cauchit")
# The first is the one that is meant unless another is asked for.
LINKS: dict[Family, tuple[str, ...]] = {
    "logistic": _OF_TWO,
    "binomial": _OF_TWO,
    "poisson": ("log",),
    "negative-binomial": ("log",),
    "gamma": ("log",),
    "inverse-gaussian": ("log",),
    "multinomial": ("logit",),
    "cumulative": _OF_TWO,
    "adjacent": ("logit",),
    "continuation": _OF_TWO,
    "cox": ("log",),
}
INTERCEPT = "(Intercept)"
ORDERED = ("cumulative", "adjacent", "continuation")  # thresholds stand in place of the intercept
LABELLED = ("logistic", "multinomial", *ORDERED)  # the response is labels; elsewhere it is numbers
# What a response is, and of which size.
RESPONSES = {
    "poisson": ("a Poisson response is a count", "of 0 or more"),
    "negative-binomial": ("a negative binomial response is a count", "of 0 or more"),
    "gamma": ("a gamma response is a number", "above 0 (or 0, in a quasi-likelihood)"),
    "inverse-gaussian": ("an inverse Gaussian response is a number", "above 0"),
}


def link_of(family: str, link: str | None) -> str:
    """The link, or that of the family if it is None.

    Raises
    ------
    DataError
        There is no such family, or it has no such link.

    Examples
    --------
    >>> link_of("logistic", None)
    'logit'
    """
    if family not in LINKS:
        raise DataError(f"no family called {family!r}: choose from {', '.join(FAMILIES)}")
    known = LINKS[family]
    if link is not None and link not in known:
        raise DataError(f"the family {family!r} has no link called {link!r}: choose from {', '.join(known)}")
    return known[0] if link is None else link
