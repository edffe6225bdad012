"""Separation by enumeration: the inequalities of each family written out, and all rays of their cone, in integers.

It shares nothing with the library and knows no cleverness, so it is for designs of a few rows and columns.
"""

from __future__ import annotations

from itertools import combinations
from math import inf, lcm
from typing import Any, NamedTuple

from flint import fmpq_mat, fmpz_mat

Row = list[int]
FAMILIES = (
    "logistic",
    "binomial",
    "poisson",
    "negative-binomial",
    "multinomial",
    "cumulative",
    "adjacent",
    "continuation",
    "cox",
)


ORDERED = ("cumulative", "adjacent", "continuation")


class Asked(NamedTuple):
    """A design of integers, the constant among the columns where there is one, its response, and what is beside it."""

    family: str
    X: list[Row]
    y: list[Any]
    trials: list[int]
    weights: list[int]
    event: list[int]
    strata: list[int]
    entry: list[int]


class Answer(NamedTuple):
    """The verdict, the rows of which every inequality is strict, what is said of each coefficient, and the rank."""

    verdict: str
    separated: list[int]
    coefficients: list[str | float]
    rank: int


def inequalities(asked: Asked) -> tuple[list[tuple[Row, int]], list[tuple[Row, int]]]:
    """Those z.d >= 0, and those z.d = 0, each with the row of the data that it comes from."""
    weak: list[tuple[Row, int]] = []
    equal: list[tuple[Row, int]] = []
    kept = [i for i, w in enumerate(asked.weights) if w and (asked.family != "binomial" or asked.trials[i])]
    classes = sorted({asked.y[i] for i in kept}) if asked.family in ORDERED or asked.family == "multinomial" else []
    for i in kept:
        x, y = asked.X[i], asked.y[i]
        if asked.family in ("logistic", "binomial"):
            most = asked.trials[i]
            if y == most:
                weak.append((x, i))
            elif y == 0:
                weak.append((negative(x), i))
            else:
                equal.append((x, i))
        elif asked.family in ("poisson", "negative-binomial"):
            (equal if y else weak).append((negative(x), i))
        elif asked.family == "multinomial":
            own = classes.index(y)
            weak += [(block(x, own, k, len(classes)), i) for k in range(len(classes)) if k != own]
        elif asked.family in ORDERED:
            weak += [(z, i) for z in ordered(asked.family, x, classes.index(y), len(classes))]
        else:
            weak += [(difference(x, asked.X[j]), i) for j in at_risk(asked, i, kept)]
    return weak, equal


def negative(x: Row) -> Row:
    """-x."""
    return times(x, -1)


def times(x: Row, k: int) -> Row:
    """k x."""
    return [k * v for v in x]


def difference(x: Row, z: Row) -> Row:
    """x - z."""
    return [a - b for a, b in zip(x, z, strict=True)]


def block(x: Row, own: int, rival: int, n_classes: int) -> Row:
    """x in the block of one class, -x in that of another; the first class has no block."""
    parts = {own: x, rival: negative(x)}
    return [v for k in range(1, n_classes) for v in parts.get(k, [0] * len(x))]


def ordered(family: str, x: Row, own: int, n_classes: int) -> list[Row]:
    """The inequalities of a row of the class `own`; thresholds 0, 1, ... stand before the columns."""

    def eta(k: int) -> Row:  # the slope of threshold k less that of x.b
        return [int(m == k) for m in range(n_classes - 1)] + negative(x)

    def added(ks: range) -> Row:
        return [sum(column) for column in zip(*map(eta, ks), strict=True)]

    above, below = range(own + 1, n_classes), range(own)
    if family == "cumulative":
        return ([eta(own)] if above else []) + ([negative(eta(own - 1))] if below else [])
    if family == "adjacent":
        return [added(range(own, k)) for k in above] + [negative(added(range(k, own))) for k in below]
    return [negative(eta(k)) for k in below] + ([eta(own)] if above else [])


def at_risk(asked: Asked, i: int, kept: list[int]) -> list[int]:
    """The other rows at risk at the time of the event of row i."""
    time, stratum = asked.y[i], asked.strata[i]
    if not asked.event[i]:
        return []
    together = (j for j in kept if asked.strata[j] == stratum and j != i)
    return [j for j in together if asked.entry[j] < time <= asked.y[j]]


def answer(asked: Asked) -> Answer:
    """What is so, by enumeration of all rays of the cone."""
    weak, equal = inequalities(asked)
    width = len((weak or equal)[0][0]) if weak or equal else len(asked.X[0])
    every = [z for z, _ in weak + equal]
    null = null_vectors(every, width)
    rays = list(rays_of([z for z, _ in weak], [z for z, _ in equal], width))
    strict = [any(dot(z, ray) > 0 for ray in rays) for z, _ in weak]
    left = [z for (z, _), is_strict in zip(weak, strict, strict=True) if not is_strict] + [z for z, _ in equal]
    free = null_vectors(left, width)
    said = [status(j, null, free, rays) for j in range(width)]
    rows = range(len(asked.X))
    names = {i: [s for (_, k), s in zip(weak, strict, strict=True) if k == i] for i in rows}
    separated = [i for i in rows if names[i] and all(names[i]) and all(k != i for _, k in equal)]
    verdict = "complete" if weak and all(strict) and not equal else "quasi-complete" if any(strict) else "overlap"
    return Answer(verdict, separated, said, width - len(null))


def status(j: int, null: list[Row], free: list[Row], rays: list[Row]) -> str | float:
    """What is to be said of coefficient j."""
    if any(v[j] for v in null):
        return "not identified"
    if not any(v[j] for v in free):
        return "finite"
    ways = {ray[j] > 0 for ray in rays if ray[j]}
    return (inf if ways == {True} else -inf) if len(ways) == 1 else "undetermined sign"


def rays_of(weak: list[Row], equal: list[Row], width: int) -> list[Row]:
    """A vector for each extreme ray of the cone, beside those on which everything is 0."""
    dimension = width - len(null_vectors(weak + equal, width))
    need = dimension - (width - len(null_vectors(equal, width))) - 1
    if need < 0:
        return []
    found: list[Row] = []
    for some in combinations(range(len(weak)), need):
        tight = [weak[k] for k in some] + equal
        vectors = null_vectors(tight, width)
        if width - len(vectors) != dimension - 1:
            continue
        ray = next(v for v in vectors if any(dot(z, v) for z in weak))
        found += [times(ray, way) for way in (1, -1) if all(way * dot(z, ray) >= 0 for z in weak)]
    return found


def null_vectors(rows: list[Row], width: int) -> list[Row]:
    """A basis of the integer vectors orthogonal to all rows."""
    if not rows:
        return [[int(i == j) for j in range(width)] for i in range(width)]
    reduced, rank = fmpq_mat(fmpz_mat(rows)).rref()
    pivots = [next(j for j in range(width) if reduced[i, j] != 0) for i in range(rank)]
    out = []
    for free in (j for j in range(width) if j not in pivots):
        vector = [0] * width
        scale = lcm(*(int(reduced[i, free].q) for i in range(rank)))
        vector[free] = scale
        for i, j in enumerate(pivots):
            vector[j] = -int(reduced[i, free].p) * (scale // int(reduced[i, free].q))
        out.append(vector)
    return out


def dot(z: Row, d: Row) -> int:
    """z.d"""
    return sum(a * b for a, b in zip(z, d, strict=True))
