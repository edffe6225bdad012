"""The options of `linsep separation`."""

from __future__ import annotations

from typing import Any

from linsep.app.arguments.options import (
    CERTIFICATE,
    COLUMN,
    DETAILS,
    EXACT_WEIGHTS,
    JSON,
    LABELLED,
    PROOF_MISSING,
    TABLE,
    TARGET,
    TIME_LIMIT,
    under_set,
    with_kinds,
)
from linsep.app.arguments.parser import Option, listed
from linsep.app.present import finish

FAMILIES = (
    *("logistic", "binomial", "poisson", "negative-binomial", "multinomial"),
    *("cumulative", "adjacent", "continuation", "cox"),
)
LINKS = ("logit", "probit", "cloglog", "cauchit")
BESIDE = (
    under_set("trials", "Binomial: the column of the numbers of trials, of which the target counts the successes."),
    under_set("weights", "The column of weights: rows with a weight of 0 are left out."),
    under_set("event", "Cox: the column that is 1 where the target is the time of an event, 0 where it is censored."),
    under_set("strata", "Cox: the column of strata, which are never at risk together."),
    under_set("entry", "Cox: the column of the times after which rows are at risk."),
    under_set("offset", "The column of offsets, which is no feature and does not matter for the answer."),
)
OPTIONS = (
    TABLE,
    TARGET,
    Option("family", "The family of the regression.", default="logistic", choices=FAMILIES, group=TARGET.group),
    Option(
        "formula",
        "Instead of --target: y ~ x + C(dose) + x:z | firm + year, with fixed effects after the |, as R and "
        "statsmodels have it. It is evaluated as Python. Needs the extra regression.",
        group=TARGET.group,
    ),
    TIME_LIMIT.but(
        help="Give up after this number of seconds (exit status 3); --details searches the fewest columns as long."
    ),
    CERTIFICATE,
    DETAILS.but(help="Also print which rows move each coefficient, and the fewest columns that separate."),
    JSON,
    COLUMN,
    PROOF_MISSING,
    *LABELLED,
    under_set("link", "The link (logistic, binomial, cumulative, continuation); logit unless given.", choices=LINKS),
    under_set(
        "order", "Ordered families: the labels, the lowest first, as in low,mid,high. Numbers need none.", listed
    ),
    under_set("fit_intercept", "Whether the regression has an intercept.", bool, True),
    *BESIDE,
    EXACT_WEIGHTS,
)


def separation(*, details: bool, as_json: bool, **asked: Any) -> None:
    """Prove whether a regression of TABLE's target on its other columns has finite estimates, and which are infinite.

    The outcome of a logistic model is the second label in sorted order. Text columns become indicators without their
    first level. Exit status: 0 overlap (finite estimates), 1 separated, 3 undecided, 2 bad usage or input,
    130 after Ctrl-C (what is known by then is printed).

    What is finite is estimated in Python, and one limit of what is infinite: linsep.separation("y ~ x", data=frame),
    then finite_part(), drop() or firth() of its answer.
    """
    from linsep.app.commands.separation import separation as run
    from linsep.app.searching import until_ctrl_c

    beside = {option.name: asked.pop(option.name) for option in BESIDE}
    shown = details and not as_json
    result = until_ctrl_c(run, asked.pop("table"), beside=beside, details=shown, **with_kinds(asked))
    finish(result, as_json, details)
