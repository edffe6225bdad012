"""Whether what a certificate says is true, recomputed from the rows in plain rationals; no code of the library decides.

The designs are small: which rows are separated, and where coefficients go, is asked of a simplex, one row at a time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, pairwise
from math import inf
from typing import Any

from exact_cone import rank, reaches
from linsep import FewestRows, Separation
from linsep.theory import Separability
from naive_regressions import ORDERED, Asked, inequalities

Rows = list[list[Fraction]]
OUT_OF_TIME = r"(the time limit of [0-9.e+-]+ s|Ctrl-C) ended the search"
UNSIGNED = "sign or limit not decided"


# -------------------------------------------------------------- separability
@dataclass(frozen=True)
class Question:
    """Rows of two classes and what is true of them."""

    rows: Rows
    signs: list[int]
    classes: tuple[str, str]
    fit_intercept: bool
    signed: Rows = field(init=False)
    separated: list[int] = field(init=False)

    def __post_init__(self) -> None:
        """Find the rows that some direction separates."""
        one = [Fraction(1)] * self.fit_intercept
        Z = [[s * v for v in [*row, *one]] for row, s in zip(self.rows, self.signs, strict=True)]
        object.__setattr__(self, "signed", Z)
        apart = [i for i, z in enumerate(Z) if not reaches(Z, [-v for v in z])]
        object.__setattr__(self, "separated", apart)

    def as_stated(self, fit_intercept: bool, classes: Sequence[str]) -> Question:
        """The question that a certificate states: this one, or of the other class first, or of another intercept."""
        if (fit_intercept, tuple(classes)) == (self.fit_intercept, self.classes):
            return self
        negative, positive = classes
        signs = [s if positive == self.classes[1] else -s for s in self.signs]
        return Question(self.rows, signs, (negative, positive), fit_intercept)

    def least(self, keep: int = 0) -> int:
        """How many rows, none of the sign `keep`, have to go before the others, of both classes, are separable."""
        may = [i for i, sign in enumerate(self.signs) if sign != keep]
        ways = (gone for k in range(len(may)) for gone in combinations(may, k) if self.separable_without(gone))
        return len(next(ways))

    def separable_without(self, gone: Sequence[int]) -> bool:
        """Whether the other rows are of both classes and separable."""
        kept = [i for i in range(len(self.rows)) if i not in gone]
        Z = [self.signed[i] for i in kept]
        return len({self.signs[i] for i in kept}) == 2 and not any(reaches(Z, [-v for v in z]) for z in Z)

    @property
    def verdict(self) -> str:
        """What is true."""
        if len(self.separated) == len(self.rows):
            return "separable"
        return "quasi-separable" if self.separated else "inseparable"


def false_claim(found: Separability, asked: Question) -> str:
    """The first thing that a verified certificate says, in a part or in words, and that is not so; "" if nothing."""
    n, p = len(asked.rows), len(asked.rows[0])
    if (found.n_rows, found.n_features) != (n, p):
        return "it is about another table"
    may = {
        "undecided": ("separable", "quasi-separable", "inseparable"),
        "not-separable": ("quasi-separable", "inseparable"),
    }
    if asked.verdict not in may.get(found.verdict, (found.verdict,)):
        return f"{found.verdict}, but it is {asked.verdict}"
    rows = found.separated_rows.tolist()
    if not set(rows) <= set(asked.separated) or (found.maximal and rows != asked.separated):
        return f"the separated rows are {asked.separated}"
    part, basis = found.proof.weights, found.proof.basis
    if found.proof.within:
        if not exact_change(asked.signed, found.proof) <= found.proof.within < 1:
            return "no exact weights are as near as it says"
    elif part and not adds_up(asked.signed, dict(part)):
        return "a combination does not add up to 0"
    if basis is not None:
        left = [z for i, z in enumerate(asked.signed) if i not in rows]
        if not set(basis).isdisjoint(rows) or rank([asked.signed[i] for i in basis]) < rank(left):
            return "the basis does not span the rows left"
    return false_planes(found, asked)


def false_removal(found: FewestRows, asked: Question) -> str:
    """What is wrong with the bounds of the number of rows that have to go."""
    keep, removed = found.kept_class, found.removed
    if not found.lower <= asked.least(keep) <= len(removed) or not asked.separable_without(removed):
        return f"{found.lower} to {len(removed)} rows have to go, but it is {asked.least(keep)}"
    names_it = f"if all of {asked.classes[keep > 0]!r} stay" in str(found)
    if any(asked.signs[i] == keep for i in removed) or names_it != bool(keep and removed):
        return "another class keeps its rows"
    return "" if found.rest.n_rows == len(asked.rows) - len(removed) else "the rest is of other rows"


def false_bounds(lines: Sequence[str], asked: Question) -> str:
    """The first line of the standalone program, about the fewest rows, that is not so."""
    n, stays = len(asked.rows), {None: 0, asked.classes[0]: -1, asked.classes[1]: 1}
    said = rf"proved: (?:exactly|at least) (\d+)(?: and at most (\d+))? of {n} rows must be removed"
    said += "(?:, if all of (.+) stay)?"
    for line in lines:
        found = re.fullmatch(said, line)
        if found is None or not int(found[1]) <= asked.least(stays[found[3]]) <= int(found[2] or found[1]):
            return line
    return "" if lines else "nothing is proved"


def adds_up(signed: Rows, weights: dict[int, int]) -> bool:
    """Whether positive weights bring rows to 0."""
    if not weights or min(weights.values()) <= 0 or min(weights) < 0 or max(weights) >= len(signed):
        return False
    total = [sum((k * signed[i][j] for i, k in weights.items()), Fraction(0)) for j in range(len(signed[0]))]
    return not any(total)


def exact_change(signed: Rows, near: Any) -> Fraction:
    """How far, relative to each, weights of the basis are from those that bring the rows to exactly 0; 1 if never."""
    pairs = list(near.weights.items())
    total = [sum((k * signed[i][j] for i, k in pairs), Fraction(0)) for j in range(len(signed[0]))]
    left = [[*(signed[i][j] for i in near.basis), total[j]] for j in range(len(total))]
    p = len(near.basis)
    for k in range(p):
        pivot = next((i for i in range(k, len(left)) if left[i][k]), None)
        if pivot is None:
            return Fraction(1)
        left[k], left[pivot] = left[pivot], left[k]
        left[k] = [v / left[k][k] for v in left[k]]
        for i in range(len(left)):
            if i != k and left[i][k]:
                left[i] = [a - left[i][k] * b for a, b in zip(left[i], left[k], strict=True)]
    if any(row[-1] for row in left[p:]):
        return Fraction(1)
    weight = dict(pairs)
    worst: Fraction = max(abs(row[-1]) / weight[i] for row, i in zip(left[:p], near.basis, strict=True))
    return worst


def false_planes(found: Separability, asked: Question) -> str:
    """What is wrong with the hyperplane and the directions."""
    left = list(range(len(asked.rows)))
    for plane in found.directions:
        values = {i: value(asked, plane, i) for i in left}
        if min(values.values(), default=0) < 0:
            return "a direction has a negative margin"
        left = [i for i in left if values[i] == 0]
    if found.directions and left != found.rows_left.tolist():
        return f"the directions leave {left}"
    if found.hyperplane is not None and min(value(asked, found.hyperplane, i) for i in range(len(asked.rows))) <= 0:
        return "the hyperplane does not separate"
    return ""


def value(asked: Question, plane: Any, i: int) -> Fraction:
    """The margin of a row, times some positive number."""
    w = [Fraction(v) for v in plane.w.tolist()]
    z = sum(
        (a * b for a, b in zip(asked.rows[i], w, strict=True)),
        Fraction(plane.b) if asked.fit_intercept else Fraction(0),
    )
    return asked.signs[i] * z


def false_line(lines: Sequence[str], asked: Question) -> str:
    """The first line of the standalone program, about one question, that is not so."""
    n, k = len(asked.rows), len(asked.separated)
    for line in lines:
        found = re.fullmatch(rf"proved: ([a-z-]+), (at least )?(\d+) of {n} rows are separated", line)
        if found is None:
            return line
        same = found[1] == asked.verdict or (found[1] == "not-separable" and asked.verdict != "separable")
        if not same or int(found[3]) > k or (not found[2] and int(found[3]) != k):
            return line
    return "" if lines else "nothing is proved"


# ---------------------------------------------------------------- regressions
@dataclass(frozen=True)
class Model:
    """A regression and what is true of it, by the names that a `Separation` has."""

    family: str
    fit_intercept: bool
    n_rows: int
    n_features: int
    classes: tuple[Any, ...]
    verdict: str
    separated_rows: tuple[int, ...]
    pairs: frozenset[tuple[int, Any]]
    coefficients: dict[Any, str | float]
    rank: int


def model_of(X: Any, y: Sequence[Any], family: str, fit_intercept: bool, **beside: Any) -> Model:
    """The truth about a regression on small integers, whose response has columns `beside` it."""
    alone = family in (*ORDERED, "cox")
    rows = [[1, *row] if fit_intercept and not alone else row for row in X.tolist()]
    classes = tuple(sorted(set(y))) if family in ("logistic", "multinomial", *ORDERED) else ()
    heads = [f"{low}|{high}" for low, high in pairwise(classes)] if family in ORDERED else ["(Intercept)"]
    names = [*heads * (fit_intercept and family != "cox"), *(f"x{j + 1}" for j in range(X.shape[1]))]
    Z, equal, about = system(rows, y, family, classes, beside)
    keys = [(label, name) for label in classes[1:] for name in names] if family == "multinomial" else names
    cone = [z for z, same in zip(Z, equal, strict=True) if not same]
    for z, same in zip(Z, equal, strict=True):
        cone += [z, [-v for v in z]] if same else []
    apart = [not same and not reaches(cone, [-v for v in z]) for z, same in zip(Z, equal, strict=True)]
    left = [z for z, out in zip(Z, apart, strict=True) if not out]
    whole = {i for i, _ in about if i >= 0} - {i for (i, _), out in zip(about, apart, strict=True) if not out}
    pairs = frozenset(pair for pair, out in zip(about, apart, strict=True) if out and family == "multinomial")
    said = {key: where(Z, left, cone, j) for j, key in enumerate(keys)}
    if any(out and i < 0 for (i, _), out in zip(about, apart, strict=True)):  # the likelihood has no upper bound
        whole |= {i for i, value in enumerate(y) if value == 0}
        said = {key: value if value == "not identified" else "undetermined sign" for key, value in said.items()}
    verdict = "complete" if all(apart) else "quasi-complete" if any(apart) else "overlap"
    shape = (len(rows), X.shape[1])
    return Model(family, fit_intercept, *shape, classes, verdict, tuple(sorted(whole)), pairs, said, rank(Z))


def system(
    rows: list[list[int]], y: Sequence[Any], family: str, classes: tuple[Any, ...], beside: dict[str, Any]
) -> tuple[Rows, list[bool], list[tuple[int, Any]]]:
    """Rows z of z.d >= 0, which are equalities, and the row and the other class that each is about (-1: all rows)."""
    n = len(rows)
    response = [classes.index(label) for label in y] if family == "logistic" else list(y)
    trials, event = beside.get("trials", [1] * n), beside.get("event", [1] * n)
    before = [min(y) - 1] * n if family == "cox" else []
    weak, equal = inequalities(Asked(family, rows, response, trials, [1] * n, event, [0] * n, before))
    rivals = (
        [rival for own in y for rival in classes if rival != own] if family == "multinomial" else [None] * len(weak)
    )
    about = [*((i, rival) for (_, i), rival in zip(weak, rivals, strict=True)), *((i, None) for _, i in equal)]
    Z = [[Fraction(v) for v in z] for z, _ in (*weak, *equal)]
    return Z, [False] * len(weak) + [True] * len(equal), about


def where(Z: Rows, left: Rows, cone: Rows, j: int) -> str | float:
    """Where the maximum likelihood estimate of a coefficient goes."""
    unit = [Fraction(int(k == j)) for k in range(len(Z[0]))]
    if rank([*Z, unit]) > rank(Z):
        return "not identified"
    if rank([*left, unit]) == rank(left):
        return "finite"
    if reaches(cone, unit):
        return inf
    return -inf if reaches(cone, [-v for v in unit]) else "undetermined sign"


def false_estimate(found: Separation, true: Model) -> str:
    """The first thing that a verified certificate of a regression says and that is not so; "" if there is none."""
    for name in ("n_rows", "n_features", "classes"):
        if getattr(found, name) != getattr(true, name):
            return f"{name} is {getattr(found, name)}"
    if found.levels or found.references or found._levels:
        return "there are levels"
    if found.verdict == "undecided":
        nothing = not (found.separated_rows or found.coefficients or found.pairs or found.rank)
        return (
            "" if nothing and re.fullmatch(rf"Undecided: {OUT_OF_TIME}\.", found.summary()) else "undecided, and more"
        )
    if (found.verdict, found.separated_rows, found.rank) != (true.verdict, true.separated_rows, true.rank):
        return f"{found.verdict}, rows {found.separated_rows}, rank {found.rank}"
    if frozenset(found.pairs) != true.pairs or found.coefficients.keys() != true.coefficients.keys():
        return "other pairs or coefficients"
    for key, said in found.coefficients.items():
        open_sign = said == UNSIGNED and true.coefficients[key] in (inf, -inf, "undetermined sign")
        if said != true.coefficients[key] and not open_sign:
            return f"{key} is {said}"
    return ""


def false_proof(lines: Sequence[str], true: Model) -> str:
    """The first line of the standalone program, about a regression, that is not so."""
    shown = {f"{key[1]} of class {key[0]}" if isinstance(key, tuple) else key: key for key in true.coefficients}
    k = len(true.separated_rows)
    known = [
        r"the question: .*",
        rf"\d+ inequalities and \d+ equalities; the rank is {true.rank} of {len(shown)}",
        rf"proved: {true.verdict}, {k} of {true.n_rows} rows are separated",
        rf"separated rows: {', '.join(map(str, true.separated_rows))}",
    ]
    said: dict[str, str] = {}
    for line in lines:
        kind, _, names = line.partition(": ")
        if kind in (UNSIGNED, "finite", "+inf", "-inf", "undetermined sign", "not identified"):
            said |= dict.fromkeys(names.split(", "), kind)
        elif not any(re.fullmatch(one, line) for one in known):
            return line
    told = {
        name: value if isinstance(value := true.coefficients[key], str) else f"{value:+}" for name, key in shown.items()
    }
    if said.keys() != told.keys():
        return f"coefficients are {sorted(said)}"
    open_sign = ("+inf", "-inf", "undetermined sign")
    wrong = [
        name for name in told if said[name] != told[name] and not (said[name] == UNSIGNED and told[name] in open_sign)
    ]
    return f"{wrong[0]} is {said[wrong[0]]}" if wrong else ""
