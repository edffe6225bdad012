"""Many small tables, and some wide or hostile ones or with equalities, beside z3, which reads SMT-LIB text."""

from __future__ import annotations

from collections import Counter
from functools import partial
from random import Random
from typing import Any

import numpy as np

from hostile import Table, plain, table
from trial.row import Outcome
from trial.rows.hostile_tables import BAD, ended, regression, separable

CLAIM = "the verdict and the separated rows are those of z3, which reads each question as SMT-LIB text (QF_LRA)"
TIMES = 4_000  # 10^6 have 10,000 that are not small
SHAPES = {"small": (2, 8, 1, 3), "wide": (2, 6, 10, 40), "equalities": (3, 8, 1, 4)}  # fewest and most rows and columns

HARD = ("hostile", "wide", "hostile", "equalities")


def run(times: int, seed: int) -> Outcome:
    """One of each hundred tables is not small: wide, hostile, or with equalities, in turn."""
    failures: list[str] = []
    counts: Counter[str] = Counter()
    for k in range(times):
        kind = "small" if k % 100 else HARD[k // 100 % len(HARD)]
        one = table(f"judges {seed} {k}") if kind == "hostile" else drawn(kind, Random(f"judges {seed} {k}"))
        question: Any = separable
        if kind == "equalities":  # each row of a count above 0 is one
            question = partial(regression, family="poisson", y=one.y)
        found = ended(question, one)
        counts[found.split(":")[0]] += 1
        if found.startswith(BAD):
            failures.append(f"{one.kind}, table {k}: {found}")
    told = dict.fromkeys((*BAD, "undecided", *counts))
    return Outcome(times, failures, ", ".join(f"{counts[name]:,} {name}" for name in told))


def drawn(kind: str, rng: Random) -> Table:
    """Numbers as of `plain`, or their signs; labels by chance, both of which occur."""
    fewest, most, narrow, wide = SHAPES[kind]
    n, p = rng.randint(fewest, most), rng.randint(narrow, wide)
    X = plain(rng, n, p)
    X = X if rng.random() < 0.5 else np.sign(X)
    y = [0, 1, *(rng.randint(0, 2 if kind == "equalities" else 1) for _ in range(n - 2))]
    return Table(kind, X, y)
