"""Certificates of which every part is chosen by somebody who wants a lie believed; nothing is left of a search.

Parts are zeros, extremes, numbers at random, empty lists, true parts, or true parts with a few numbers changed. What
follows from the parts (words, hashes, the verdict, estimates) is made as the library makes it, so that only a proof
which is none can give them away.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from fractions import Fraction
from typing import Any
from unittest.mock import patch

import numpy as np

from linsep import Separation
from linsep.regression.design import design_of, outcome_of
from linsep.regression.model import Regression, data_hash
from linsep.theory import NearWeights, Separability
from linsep.theory.explanation.certificate import FewestRows
from linsep.theory.separability.combination import Combination, NearCombination
from linsep.theory.separability.digest import data_digest
from linsep.theory.verify import separation as verifier
from linsep.theory.verify.consequences import SeparationProof
from linsep.types import Array, Hyperplane

LATE = "the time limit of 1 s ended the search"
WITHIN = (1e-300, 2.0**-1074, 1e-9, *[0.5] * 6, *[1.0 - 2.0**-53] * 6, 1.0, 0.0, -0.0, 2.0, -1.0)
FLOATS = (0.0, -0.0, 1.0, -1.0, 0.1, 2.0**-1074, -(2.0**-1074), 1e308, -1e308, 2.0**53)
EXTREMES: list[int] = [2**k for k in (31, 32, 53, 62, 63, 64, 449, 1074, 1700)]


def a_number(rng: np.random.Generator) -> int:
    """A small integer, or one that some way to hold numbers may not hold."""
    if rng.random() < 0.75:
        return int(rng.integers(-3, 4))
    sign, near = int(rng.choice([-1, 1])), int(rng.integers(-1, 2))
    return sign * EXTREMES[int(rng.integers(len(EXTREMES)))] + near


def weights(rng: np.random.Generator, count: int) -> list[int]:
    """Mostly positive ones."""
    way = int(rng.integers(4))
    if way == 0:
        return [1] * count
    if way == 1:
        return [2 ** int(k) for k in rng.choice([0, 1, 2, 40, 449, 1100], count)]
    return [abs(a_number(rng)) or 1 for _ in range(count)] if way == 2 else [a_number(rng) for _ in range(count)]


def rows(rng: np.random.Generator, n: int, most: int | None = None) -> list[int]:
    """Different rows in order, at times all of them, none, or some that are not there or stand twice."""
    count = int(rng.integers(0, (n if most is None else min(n, most)) + 1))
    found = np.sort(rng.choice(n, count, replace=False)).tolist()
    odd = rng.random()
    if odd < 0.02 and found:
        found.append(found[0])
    elif odd < 0.04:
        found.append(n)
    return list(range(n)) if 0.8 < odd < 0.9 and most is None else found


def vector(rng: np.random.Generator, width: int) -> dict[int, int]:
    """Some columns with integers."""
    return {j: a_number(rng) for j in rows(rng, width) if j < width}


def changed(rng: np.random.Generator, values: Sequence[int]) -> list[int]:
    """A few of the numbers are others."""
    out = list(values)
    for k in range(len(out)):
        if rng.random() < 0.15:
            out[k] = [out[k] + 1, out[k] - 1, 2 * out[k], -out[k], 0, a_number(rng)][int(rng.integers(6))]
    return out


def one_of(rng: np.random.Generator, *ways: Callable[[], Any]) -> Any:
    return ways[int(rng.integers(len(ways)))]()


# -------------------------------------------------------------- separability
def combination(rng: np.random.Generator, n: int, true: Combination | None) -> Combination | None:
    """A witness or an overlap."""

    def chosen() -> Combination:
        some = rows(rng, n)
        return Combination(tuple(some), tuple(weights(rng, len(some))))

    def near_truth() -> Combination | None:
        return true and Combination(true.rows, tuple(changed(rng, true.weights)))

    return one_of(rng, lambda: None, lambda: true, near_truth, chosen)  # type: ignore[no-any-return]


def near_weights(rng: np.random.Generator, n: int, width: int, true: NearWeights | None) -> NearWeights:
    """Weights near exact ones, which may be none."""
    if true is not None and rng.random() < 0.5:
        some: dict[str, Any] = {
            "weights": tuple(changed(rng, true.weights)),
            "basis": tuple(rng.permutation(true.basis).tolist()),
            "within": float(rng.choice(WITHIN)),
        }
        return replace(true, **{name: value for name, value in some.items() if rng.random() < 0.4})
    named = rows(rng, n) or [0]
    basis = rng.permutation(named)[: width if rng.random() < 0.8 else int(rng.integers(0, n + 1))].tolist()
    return NearWeights(tuple(named), tuple(weights(rng, len(named))), tuple(basis), float(rng.choice(WITHIN)))


def directions(rng: np.random.Generator, p: int, true: Sequence[Hyperplane]) -> tuple[Hyperplane, ...]:
    """A list of directions."""

    def chosen() -> tuple[Hyperplane, ...]:
        some = [np.array([a_number(rng) for _ in range(p)], dtype=object) for _ in range(int(rng.integers(1, 4)))]
        return tuple(Hyperplane(w, a_number(rng)) for w in some)

    def long() -> tuple[Hyperplane, ...]:
        times = EXTREMES[int(rng.integers(len(EXTREMES)))]
        return tuple(Hyperplane(d.w * times, d.b * times + int(rng.integers(-1, 2))) for d in true)

    def near_truth() -> tuple[Hyperplane, ...]:
        return tuple(Hyperplane(np.array(changed(rng, list(d.w)), dtype=object), d.b) for d in true)

    return one_of(rng, tuple, lambda: tuple(true), long, near_truth, chosen)  # type: ignore[no-any-return]


def left_by(X: Array, s: Array, planes: Sequence[Hyperplane]) -> Array:
    """What directions leave, as they would say: rows with a product that is not above 0."""
    left = np.arange(len(X))
    for plane in planes:
        left = left[[s[i] * (sum(a * b for a, b in zip(X[i].tolist(), plane.w, strict=True)) + plane.b) <= 0
                     for i in left.tolist()]]  # fmt: skip
    return left


def forged_separability(rng: np.random.Generator, design: Any) -> dict[str, Any] | None:
    """A certificate of one question with these parts, and the words and the verdict that follow from them."""
    true = Separability.from_dict(design.plain)
    n, p = design.X.shape
    intercept = true.fit_intercept if rng.random() < 0.8 else not true.fit_intercept
    signs = np.array([1 if str(label) == true.classes[1] else -1 for label in design.y])
    planes = directions(rng, p, true.directions)
    left = left_by(fractions(design.X), signs, planes)
    null = one_of(rng, tuple, lambda: true.null, lambda: tuple(vector(rng, p + 1) for _ in range(int(rng.integers(3)))))
    near, plane = None, None
    if rng.random() < 0.4:
        near = near_weights(rng, n, p + intercept - len(null), true.near_weights)
    overlap = NearCombination.near(near) if near else combination(rng, n, true.overlap)
    witness = overlap if near and rng.random() < 0.8 else combination(rng, n, true.witness)
    if rng.random() < 0.2:
        w = [float(rng.choice(FLOATS)) if rng.random() < 0.5 else float(rng.normal()) for _ in range(p)]
        plane = Hyperplane(np.array(w), float(rng.choice(FLOATS)))
    proved = "undecided"
    if plane is not None or (planes and not left.size):
        proved = "separable"
    elif witness is not None:
        proved = "quasi-separable" if planes else "not-separable" if overlap is None else "inseparable"
    maximal = proved in ("separable", "inseparable") or overlap is not None
    found = Separability(
        proved,  # type: ignore[arg-type]
        n,
        p,
        intercept,
        hyperplane=plane,
        directions=planes,
        rows_left=left if planes else np.zeros(0, dtype=np.int64),
        witness=witness,
        overlap=overlap,
        null=null,
        near_weights=near,
        reason="" if maximal else LATE,
        classes=true.classes,
        digest=data_digest(design.X, signs.astype(float), fit_intercept=intercept, classes=true.classes),
        numbers=true.numbers,
    )
    fragile = found._fragile_of(design.X, signs) if design.X.dtype != object else False
    return replace(found, said_fragile=fragile if rng.random() < 0.95 else not fragile).to_dict()


def fractions(X: Array) -> Array:
    """The entries exactly."""
    return np.array([[Fraction(v) for v in row] for row in X.tolist()], dtype=object).reshape(X.shape)


# ---------------------------------------------------------------- regressions
def forged_regression(rng: np.random.Generator, design: Any) -> dict[str, Any]:
    """A certificate of a regression that says what the proof would show if each of its parts were what it has to be."""
    true = Separation.from_json(json.dumps(design.plain))
    intercept = true.fit_intercept if rng.random() < 0.9 else not true.fit_intercept
    outcome = outcome_of(design.y, true.family, **design.beside)
    asked = Regression.of(design_of(design.X, intercept), outcome, true.family, true.link, intercept)
    proof = a_proof(rng, asked, true.proof)
    digest, numbers = data_hash(true.family, true.link, design.X, outcome, intercept)
    with ExitStack() as blind:
        for name in ("_require", "rank_is_at_least", "verify_near_weights", "_check_vector"):
            blind.enter_context(patch.object(verifier, name, lambda *_, **__: True))
        said = {**asked.described(), **asked.shown(proof)}
    return Separation(proof=proof, digest=digest, numbers=numbers, **said).to_dict()


def a_proof(rng: np.random.Generator, asked: Regression, true: SeparationProof | None) -> SeparationProof:
    """Parts of a proof, each empty, true, nearly true or chosen at random."""
    n, width = asked.rows.Z.shape

    def vectors(known: Sequence[Mapping[int, int]]) -> tuple[dict[int, int], ...]:
        some = [dict(v) for v in known]
        return one_of(  # type: ignore[no-any-return]
            rng,
            tuple,
            lambda: tuple(some),
            lambda: tuple(dict(zip(v, changed(rng, list(v.values())), strict=True)) for v in some),
            lambda: tuple(vector(rng, width) for _ in range(int(rng.integers(1, 4)))),
            lambda: tuple({j: 1} for j in rows(rng, width) if j < width),
        )

    def numbers(known: Sequence[int], count: int) -> tuple[int, ...]:
        return one_of(rng, tuple, lambda: tuple(known), lambda: tuple(rows(rng, count)))  # type: ignore[no-any-return]

    def weighted(known: Mapping[int, int]) -> dict[int, int]:
        some = rows(rng, n)
        return one_of(  # type: ignore[no-any-return]
            rng,
            dict,
            lambda: dict(known),
            lambda: dict(zip(known, changed(rng, list(known.values())), strict=True)),
            lambda: dict(zip(some, weights(rng, len(some)), strict=True)),
        )

    old = true or SeparationProof((), (), {}, (), (), (), ())
    proof = replace(old, directions=vectors(old.directions)) if rng.random() < 0.7 else old
    ahead = [[sum(z * d.get(j, 0) for j, z in enumerate(row)) > 0 for d in proof.directions] for row in table(asked)]
    moved = tuple(i for i, some in enumerate(ahead) if any(some))
    parts: dict[str, Any] = {
        "overlap": weighted(old.overlap),
        "spanning": numbers(old.spanning, n),
        "null": vectors(old.null),
        "spanning_all": numbers(old.spanning_all, n),
        "null_all": vectors(old.null_all),
        "signs": {j: weighted({}) for j in rows(rng, width)},
        "opposite": {j: vectors(old.directions) for j in rows(rng, width)},
        "unsigned": numbers((), width),
        "bases": tuple(numbers((), width) for _ in range(int(rng.integers(4)))),
        "near": near_weights(rng, n, width - len(old.null), old.near),
    }
    least = rng.choice([0.1, 0.3])
    taken = {name: part for name, part in parts.items() if rng.random() < (0.1 if name == "bases" else least)}
    near = taken.get("near")
    if near is not None and rng.random() < 0.7:
        taken |= {"overlap": {}, "spanning": near.basis}
    return replace(proof, separated=moved, **taken)


def table(asked: Regression) -> list[list[Any]]:
    """The rows of the cone."""
    Z = asked.rows.Z
    return fractions(Z.toarray() if hasattr(Z, "toarray") else Z).tolist()  # type: ignore[no-any-return]


# ---------------------------------------------------------------- fewest rows
def forged_fewest(rng: np.random.Generator, design: Any) -> dict[str, Any]:
    """A certificate of how many rows have to go."""
    true = FewestRows.from_dict(design.plain)
    n = len(design.X)

    def a_part(depth: int) -> dict[str, Any]:
        if depth and rng.random() < 0.4:
            k = int(rng.integers(0, len(true.witnesses) + 1))
            size = len(true.witnesses[k].rows) if k < len(true.witnesses) else 2
            return {"witness": k, "without": [a_part(depth - 1) for _ in range(size)]}
        some = rows(rng, len(true.witnesses) + 1)
        return {"unit": abs(a_number(rng)), "weights": dict(zip(some, weights(rng, len(some)), strict=True))}

    witnesses = [combination(rng, n, one) or one for one in true.witnesses if rng.random() < 0.9]
    witnesses += [some for _ in range(int(rng.integers(2))) if (some := combination(rng, n, None)) is not None]
    removed = true.removed if rng.random() < 0.5 else tuple(rows(rng, n))
    parts: dict[str, Any] = {
        "witnesses": tuple(witnesses),
        "proof": a_part(2),
        "removed": removed,
        "lower": int(rng.integers(0, n + 1)) if rng.random() < 0.5 else len(removed),
    }
    return replace(true, **{name: part for name, part in parts.items() if rng.random() < 0.5}).to_dict()


def forged(rng: np.random.Generator, design: Any) -> str | None:
    """The text of a forged certificate about these data; None if these parts make none."""
    make = forged_separability
    if design.of_regression:
        make = forged_regression
    elif "removed" in design.plain:
        make = forged_fewest
    elif "one_against_rest" in design.plain:
        return None
    with suppress(Exception), np.errstate(all="ignore"):  # parts of which no words can be made
        return json.dumps(make(rng, design))
    return None
