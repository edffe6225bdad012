"""Small tables that are hard on doubles: what linsep says of them, beside z3 in exact rationals."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from typing import Any

import numpy as np

from hostile import NotEndedError, Table, limited, strict, table
from linsep import fewest_rows, max_margin, separability, separation
from linsep.types import DataError
from naive_regressions import Asked, inequalities
from trial.row import Outcome

CLAIM = "each question ends in 10 s with the verdict and separated rows of z3 in exact rationals, or with a DataError"
TIMES = 3_000
BAD = ("wrong", "not ended", "exception")
WORDS = {"separable": "complete", "quasi-separable": "quasi-complete", "inseparable": "overlap"}


def run(times: int, seed: int) -> Outcome:
    """Ask three questions about each of so many tables, after all of them once, which compiles what is compiled."""
    for question in (separable, logistic, *OTHERS):
        with suppress(NotEndedError):
            question(Table("plain", np.array([[0.0, 1], [1, 0], [1, 1]]), [0, 1, 1]))
    failures: list[str] = []
    counts: Counter[str] = Counter()
    for k in range(times):
        one = table(f"{seed} {k}")
        for question in (separable, logistic, OTHERS[k % len(OTHERS)]):
            found = ended(question, one)
            counts[found.split(":")[0]] += 1
            if found.startswith(BAD):
                failures.append(f"{one.kind}, table '{seed} {k}', {question.__name__}: {found}")
    return Outcome(times, failures, ", ".join(f"{counts[kind]:,} {kind}" for kind in dict.fromkeys((*BAD, *counts))))


def ended(question: Callable[[Table], str], one: Table) -> str:
    """What a question ends with: its verdict if that is right, or what went wrong."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        try:
            return question(one)
        except NotEndedError:
            return "not ended"
        except DataError:
            return "refused"
        except Exception as error:
            return f"exception: {type(error).__name__}: {error}"


# --------------------------------------------------------------- questions
def separable(one: Table, *, fit_intercept: bool = True) -> str:
    """`separability`."""
    with limited():
        found = separability(one.X, one.y, fit_intercept=fit_intercept)
    said = WORDS.get(found.verdict, found.verdict)
    return judged(one, "logistic", one.y, said, found.separated_rows.tolist(), fit_intercept)


def through_the_origin(one: Table) -> str:
    """The same without an intercept."""
    return separable(one, fit_intercept=False)


def logistic(one: Table) -> str:
    """`separation`."""
    return regression(one, "logistic", one.y)


def poisson(one: Table) -> str:
    """`separation` with counts."""
    return regression(one, "poisson", one.y)


def multinomial(one: Table) -> str:
    """`separation` with three classes, or two where there are two rows."""
    return regression(one, "multinomial", [v if i % 3 else 2 * v for i, v in enumerate(one.y)])


def regression(one: Table, family: Any, y: list[int]) -> str:
    """`separation` of any family."""
    with limited():
        found = separation(one.X, y, family=family)
    return judged(one, family, y, found.verdict, list(found.separated_rows))


def judged(
    one: Table, family: str, y: list[int], verdict: str, separated: list[int], fit_intercept: bool = True
) -> str:
    """The verdict, if z3 says the same, as it does of the separated rows."""
    X: Any = [[*[Fraction(1)] * fit_intercept, *row] for row in one.rows]
    ones = [1] * len(y)
    weak, equal = inequalities(Asked(family, X, y, ones, ones, ones, ones, ones))
    rows: Any = [z for z, _ in weak]
    equalities: Any = [z for z, _ in equal]
    is_strict = strict(rows, equalities) if rows else []
    held = {i for (_, i), so in zip(weak, is_strict, strict=True) if not so} | {i for _, i in equal}
    right = "quasi-complete" if any(is_strict) else "overlap"
    if is_strict and all(is_strict) and not equal:
        right = "complete"
    apart = [i for i in range(len(y)) if i not in held]
    if (verdict, separated) == (right, apart):
        return verdict
    return f"wrong: {verdict}, rows {separated} separated; it is {right}, rows {apart}"


def margin(one: Table) -> str:
    """`max_margin`, which is to doubles: its sides are in order, and it knows a margin well above rounding."""
    with limited():
        found = max_margin(one.X, one.y)
    return "a margin" if found.lower <= found.upper else f"wrong: {found.lower} above {found.upper}"


def fewest(one: Table) -> str:
    """`fewest_rows`: those removed leave rows that can be separated."""
    with limited():
        found = fewest_rows(one.X, one.y)
    kept = [i for i in range(len(one.y)) if i not in found.removed]
    Z = [[Fraction(2 * one.y[i] - 1) * v for v in (Fraction(1), *one.rows[i])] for i in kept]
    return "fewest rows" if all(strict(Z)) and found.lower <= found.upper else f"wrong: rows {found.removed} to remove"


OTHERS = (poisson, multinomial, through_the_origin, margin, fewest)
