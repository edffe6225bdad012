"""Small random regressions of every family: what `separation` says is so, by enumeration of all rays."""

from __future__ import annotations

import warnings
from collections import Counter
from random import Random
from typing import Any

import numpy as np
import scipy.sparse as sp

from linsep import separation
from linsep.types import DataError
from naive_regressions import FAMILIES, ORDERED, Answer, Asked, answer
from trial.row import Outcome

CLAIM = "the verdict, the separated rows, the rank and each coefficient are those of all rays of the cone, enumerated"
TIMES = 1_000 * len(FAMILIES)
LINKS = {
    "logistic": ("logit", "probit", "cloglog", "cauchit"),
    "binomial": ("logit", "probit", "cloglog", "cauchit"),
    "cumulative": ("logit", "probit", "cloglog", "cauchit"),
    "continuation": ("logit", "cloglog"),
}


def run(times: int, seed: int) -> Outcome:
    """Ask about so many designs, one family after the other."""
    failures: list[str] = []
    verdicts: Counter[str] = Counter()
    refused = 0
    for k in range(times):
        rng = Random(f"{seed} {k}")
        family = FAMILIES[k % len(FAMILIES)]
        asked, constant = made_up(rng, family)
        try:
            found = said(rng, asked, constant)
        except DataError:  # one class alone, or no row with a weight
            refused += 1
            continue
        wanted = answer(asked)
        verdicts[wanted.verdict] += 1
        if found != wanted:
            failures.append(f"design {k}, {asked}: {found}, which should be {wanted}")
    note = ", ".join(f"{count:,} {verdict}" for verdict, count in verdicts.most_common())
    return Outcome(times - refused, failures, f"{len(FAMILIES)} families: {note}")


def made_up(rng: Random, family: str) -> tuple[Asked, bool]:
    """A design of two to eight rows and one to three columns, and whether the first is the constant."""
    n, p = rng.randrange(2, 9), rng.randrange(1, 4)
    if family in ("multinomial", "adjacent"):
        n, p = rng.randrange(3, 7), rng.randrange(1, 3)
    size = rng.choice([1, 1, 2])
    X = [[rng.randint(-size, size) for _ in range(p)] for _ in range(n)]
    if p > 1 and rng.random() < 0.2:
        factor = rng.choice([-1, 0, 2])
        X = [[*row[:-1], factor * row[0]] for row in X]
    constant = family not in (*ORDERED, "cox") and rng.random() < 0.7
    if constant:
        X = [[1, *row] for row in X]
    trials = [rng.randrange(4) for _ in range(n)] if family == "binomial" else [1] * n
    responses: dict[str, Any] = {
        "logistic": lambda i: rng.randrange(2),
        "binomial": lambda i: rng.randint(0, trials[i]),
        "multinomial": lambda i: rng.randrange(3),
        "cox": lambda i: rng.randrange(1, 6),
        **dict.fromkeys(("poisson", "negative-binomial"), lambda i: rng.choice([0, 0, 0, 1, 3])),
        **dict.fromkeys(ORDERED, lambda i: rng.randrange(3)),
    }
    y = [responses[family](i) for i in range(n)]
    weights = [rng.choice([0, 1, 1, 2]) for _ in range(n)] if rng.random() < 0.3 else [1] * n
    is_cox = family == "cox"
    event = [rng.randrange(2) for _ in range(n)] if is_cox else [1] * n
    strata = [rng.randrange(2) for _ in range(n)] if is_cox and rng.random() < 0.3 else [0] * n
    entry = [rng.randrange(t) for t in y] if is_cox and rng.random() < 0.3 else [0] * n
    return Asked(family, X, y, trials, weights, event, strata, entry), constant


def said(rng: Random, asked: Asked, constant: bool) -> Answer:
    """What `separation` says, whatever holds the design, after its proof is verified once more."""
    X: Any = np.array([row[1:] if constant else row for row in asked.X], dtype=float).reshape(len(asked.y), -1)
    X = rng.choice([X, X / 4, sp.csr_matrix(X), X.astype(object)])
    beside: dict[str, Any] = {} if set(asked.weights) == {1} else {"weights": asked.weights}
    if asked.family == "binomial":
        beside |= {"trials": asked.trials}
    if asked.family == "cox":
        beside |= {"event": asked.event, "strata": asked.strata, "entry": asked.entry}
    options: dict[str, Any] = {"order": sorted(set(asked.y))} if asked.family in ORDERED else {}
    if asked.family in LINKS:
        options |= {"link": rng.choice(LINKS[asked.family])}
    if asked.family not in (*ORDERED, "cox"):
        options |= {"fit_intercept": constant}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = separation(X, asked.y, family=asked.family, **options, **beside)  # type: ignore[arg-type]
    found.verify(X, asked.y, **beside)
    assert found.rank is not None
    return Answer(found.verdict, list(found.separated_rows), list(found.coefficients.values()), found.rank)
