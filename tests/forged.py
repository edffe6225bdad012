"""Certificates of which every part is chosen by somebody who wants a lie believed.

Each part of a proof is the true one, the true one with a few numbers changed, or one chosen at random: zeros, extremes,
empty lists, numbers that stand twice or are not there. The hash is that of the data and of the question that the
certificate then states, so that only a proof which is none can give it away.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from linsep.regression.design import Design
from linsep.regression.model import Asked, data_hash
from linsep.theory.proof import data_digest
from linsep.theory.rows.json_values import to_plain
from linsep.theory.separation.families import Outcome

WITHIN = (1e-300, 2.0**-1074, 1e-9, *[0.5] * 6, *[1.0 - 2.0**-53] * 6, 1.0, 0.0, -0.0, 2.0, -1.0)
EXTREMES: list[int] = [2**k for k in (31, 32, 53, 62, 63, 64, 449, 1074, 1700)]


def a_number(rng: np.random.Generator) -> int:
    """A small integer, or one that some way to hold numbers may not hold."""
    if rng.random() < 0.75:
        return int(rng.integers(-3, 4))
    sign, near = int(rng.choice([-1, 1])), int(rng.integers(-1, 2))
    return sign * EXTREMES[int(rng.integers(len(EXTREMES)))] + near


def numbers(rng: np.random.Generator, count: int) -> list[int]:
    """Mostly positive ones."""
    way = int(rng.integers(4))
    if way == 0:
        return [1] * count
    if way == 1:
        return [2 ** int(k) for k in rng.choice([0, 1, 2, 40, 449, 1100], count)]
    return [abs(a_number(rng)) or 1 for _ in range(count)] if way == 2 else [a_number(rng) for _ in range(count)]


def some_of(rng: np.random.Generator, n: int) -> list[int]:
    """Different places below n, at times all of them, none, or some that are not there or stand twice."""
    found = np.sort(rng.choice(n, int(rng.integers(0, n + 1)), replace=False)).tolist()
    odd = rng.random()
    if odd < 0.02 and found:
        found.append(found[0])
    elif odd < 0.04:
        found.append(n)
    return list(range(n)) if odd > 0.9 else found


def changed(rng: np.random.Generator, values: Sequence[Any]) -> list[Any]:
    """A few of the numbers are others."""
    out = [int(v, 16) if isinstance(v, str) else v for v in values]
    for k in range(len(out)):
        if rng.random() < 0.15:
            out[k] = [out[k] + 1, out[k] - 1, 2 * out[k], -out[k], 0, a_number(rng)][int(rng.integers(6))]
    return [to_plain(v) for v in out]


def vectors(rng: np.random.Generator, width: int, true: dict[str, Any]) -> dict[str, Any]:
    """Directions or null vectors."""
    if rng.random() < 0.5:
        out = copy.deepcopy(true)
        out["values"] = [changed(rng, values) for values in out["values"]]
        out["units"] = out["units"] if rng.random() < 0.5 else some_of(rng, width)
        return out
    columns = [some_of(rng, width) for _ in range(int(rng.integers(0, 4)))]
    values = [[to_plain(a_number(rng)) for _ in at] for at in columns]
    return {"units": some_of(rng, width) if rng.random() < 0.3 else [], "columns": columns, "values": values}


def weights(rng: np.random.Generator, n: int, true: dict[str, Any]) -> dict[str, Any]:
    """Rows with weights."""
    if rng.random() < 0.5:
        return {"rows": true["rows"], "values": changed(rng, true["values"])}
    ids = some_of(rng, n)
    return {"rows": ids, "values": [to_plain(v) for v in numbers(rng, len(ids))]}


def forged_cone(rng: np.random.Generator, cone: dict[str, Any], width: int) -> None:
    """Choose parts of a proof about a cone anew."""
    n = cone["rows"]

    def rows_left() -> None:
        for name in ("left", "separated"):
            cone.pop(name, None)
        cone[str(rng.choice(["left", "separated"]))] = some_of(rng, n)

    def basis() -> None:
        true = cone["basis"] or []
        some = rng.permutation(cone["weights"]["rows"] or [0])[:width].tolist()
        cone["basis"] = [None, [], some_of(rng, n), some, true[1:], true[::-1], [*true, 0]][int(rng.integers(7))]

    ways: list[Callable[[], Any]] = [
        rows_left,
        basis,
        lambda: cone.update(directions=vectors(rng, width, cone["directions"])),
        lambda: cone.update(null=vectors(rng, width, cone["null"])),
        lambda: cone.update(weights=weights(rng, n, cone["weights"])),
        lambda: cone.update(within=float(rng.choice(WITHIN))),
    ]
    for k in rng.permutation(len(ways))[: int(rng.integers(0, 5))].tolist():
        ways[k]()


def forged_signs(rng: np.random.Generator, proof: dict[str, Any], width: int) -> None:
    """Choose what proves the signs of coefficients anew."""
    n, one = proof["cone"]["rows"], {"rows": [0], "values": [1]}
    column = str(int(rng.integers(width)))
    ways: list[Callable[[], Any]] = [
        lambda: proof.update(basis=some_of(rng, n)),
        lambda: proof.update(null=vectors(rng, width, proof["null"])),
        lambda: proof["signs"].update({column: weights(rng, n, proof["signs"].get(column, one))}),
        lambda: proof["signs"].clear(),
        lambda: proof.update(unsigned=some_of(rng, width)),
        lambda: proof.update(bases=[some_of(rng, width) for _ in range(int(rng.integers(1, 3)))]),
        lambda: proof.update(
            opposite={"directions": [vectors(rng, width, proof["cone"]["directions"])], "columns": {column: 0}}
        ),
    ]
    for k in rng.permutation(len(ways))[: int(rng.integers(0, 3))].tolist():
        ways[k]()


def forged(rng: np.random.Generator, design: Any) -> dict[str, Any] | None:
    """The plain values of a forged certificate of these rows; None where there is no proof to forge."""
    plain: dict[str, Any] = copy.deepcopy(design.plain)
    if "one_against_rest" in plain:
        every = plain["one_against_rest"]
        one = every[str(rng.choice(list(every)))]
    else:
        one = plain.get("rest", plain)
    if design.of_rows and rng.random() < 0.5:
        n = plain["question"]["rows"]
        plain["removed"] = some_of(rng, n)
        plain["witnesses"] = [weights(rng, n, {"rows": [0], "values": [1]}) for _ in range(int(rng.integers(0, 4)))]
        units = numbers(rng, len(plain["witnesses"]))
        plain["proof"] = {"unit": abs(a_number(rng)) or 1, "witnesses": list(range(len(units))), "weights": units}
        return plain
    if one["proof"] is None:
        return None
    question, proof = one["question"], one["proof"]
    if rng.random() < 0.1:
        question["intercept"] = not question["intercept"]
    if rng.random() < 0.1:
        question["classes"] = question["classes"][::-1]
    if design.of_regression:
        width = len(design.truth.coefficients)
        forged_cone(rng, proof["cone"], width)
        forged_signs(rng, proof, width)
        beside: dict[str, Any] = {name: np.array(column) for name, column in design.beside.items()}
        outcome = Outcome(np.array(design.y), **beside)
        asked = Asked(
            Design(design.X, [], {}, {}), outcome, question["intercept"], question["family"], question["link"]
        )
        one["sha256"], one["numbers"] = data_hash(asked)
    else:
        forged_cone(rng, proof, question["columns"] + question["intercept"])
        if "rest" not in plain:
            signs = np.array([1.0 if str(label) == question["classes"][1] else -1.0 for label in design.y])
            classes = question["classes"]
            one["sha256"] = data_digest(design.X, signs, fit_intercept=question["intercept"], classes=classes)[0]
    return plain
