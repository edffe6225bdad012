"""Proofs in the format of VIPR 1.0, which the checker of the exact SCIP reads, and a checker of our own in fractions.

Rows z_i = s_i (x_i, 1) of a table are the constraints `R<i>`: z_i.d >= 1 for all rows, which asks for a plane; or
z_i.d >= 0 and the sum of all rows, `S`, >= 1, which asks for a direction. A file says that some d fulfils them, or that
none does.
Source: Cheung, Gleixner and Steffy 2017, Verifying integer programming results; certificate file format, version 1.0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from exact_cone import Row

Vector = Mapping[int, Fraction]
_VALUE, _INDEX = re.compile(r"[+-]?\d+(\.\d+)?(/\d+)?"), re.compile(r"\d+")


# ----------------------------------------------------------------------- writing
def problem(Z: Sequence[Row], ids: Sequence[int], strict: bool) -> str:
    """The sections before what is to be proved, from the table alone."""
    lines = ["VER 1.0", f"VAR {len(Z[0])}", " ".join(f"d{j}" for j in range(len(Z[0]))), "INT 0", "OBJ min", "0"]
    lines += [f"CON {len(ids) + (not strict)} 0"]
    lines += [f"R{i} G {int(strict)} {_sparse(dict(enumerate(Z[i])))}" for i in ids]
    sums = {j: sum(Z[i][j] for i in ids) for j in range(len(Z[0]))}
    return "\n".join([*lines, *[f"S G 1 {_sparse(sums)}"] * (not strict), ""])


def fulfilled(Z: Sequence[Row], directions: Sequence[Mapping[int, int]], strict: bool) -> str:
    """That all rows, or some, can be separated: directions taken in turn, added with weights that fall fast enough."""
    d: dict[int, Fraction] = {}
    for ahead in reversed(directions):
        at, sides = [_dot(z, ahead) for z in Z], [_dot(z, d) for z in Z]
        t = max((1 - v / u for v, u in zip(sides, at, strict=True) if u > 0), default=Fraction(1))
        t = max(Fraction(1), t)
        d = {j: t * ahead.get(j, 0) + d.get(j, 0) for j in {*ahead, *d}}
    sides = [_dot(z, d) for z in Z]
    scale = 1 / (min(sides) if strict else sum(sides))
    values = _sparse({j: scale * v for j, v in d.items()})
    return problem(Z, range(len(Z)), strict) + f"RTP range -inf 0\nSOL 1\nd {values}\nDER 0\n"


def refuted(Z: Sequence[Row], ids: Sequence[int], combination: Vector, strict: bool) -> str:
    """That they cannot: a combination of the constraints, in the order of `problem`, is 0 >= 1 or more."""
    least = sum(combination.values()) if strict else combination[len(ids)]
    reason = f"{{ lin {_sparse(combination)} }}"
    return problem(Z, ids, strict) + f"RTP infeas\nSOL 0\nDER 1\nD G {_text(least)} 0 {reason} -1\n"


def files_of(Z: Sequence[Row], proof: Any) -> dict[str, str]:
    """Statement -> the file that proves it, of an exact proof about a cone without equalities."""
    left, weights = list(proof.left), proof.weights
    out = {}
    if not left:
        return {"separable": fulfilled(Z, proof.directions, True)}
    if proof.directions:
        out["a direction"] = fulfilled(Z, proof.directions, False)
    if weights:
        out["no plane"] = refuted(
            Z, sorted(weights), dict(enumerate(Fraction(weights[i]) for i in sorted(weights))), True
        )
    if proof.basis is not None:  # the sum of the rows left is one of rows of the basis: weights outgrow what these take
        total = [sum(column) for column in zip(*(Z[i] for i in left), strict=True)]
        taken = dict(zip(proof.basis, _solved([Z[i] for i in proof.basis], total), strict=True))
        t = max((c / weights[i] for i, c in taken.items()), default=Fraction(0))
        t = max(t, Fraction(0))
        every = [t * weights.get(i, 0) - taken.get(i, Fraction(0)) for i in left]
        out["no more direction"] = refuted(Z, left, {k: v for k, v in enumerate([*every, Fraction(1)]) if v}, False)
    return out


def _solved(rows: Sequence[Row], target: Sequence[Any]) -> list[Fraction]:
    """Numbers c with sum c_k rows_k = target, which there are: by elimination."""
    lines = [[Fraction(row[j]) for row in rows] + [Fraction(target[j])] for j in range(len(target))]
    out, done = [Fraction(0)] * len(rows), []
    for k in range(len(rows)):
        pivot = next((line for line in lines if line[k]), None)
        if pivot is not None:
            rest = [line for line in lines if line is not pivot]
            lines = [[v - line[k] / pivot[k] * u for v, u in zip(line, pivot, strict=True)] for line in rest]
            done.append((k, pivot))
    for k, line in reversed(done):
        out[k] = (line[-1] - sum(v * c for v, c in zip(line, out, strict=False))) / line[k]
    return out


def _dot(z: Row, d: Mapping[int, Any]) -> Fraction:
    return sum((Fraction(z[j]) * v for j, v in d.items()), Fraction(0))


def _text(value: Any) -> str:
    return str(Fraction(value))


def _sparse(vector: Mapping[int, Any]) -> str:
    entries = [f"{j} {_text(v)}" for j, v in sorted(vector.items()) if v]
    return " ".join([str(len(entries)), *entries])


# ---------------------------------------------------------------------- checking
class RefusedError(ValueError):
    """A file that is not of the format, or does not prove what it says."""


class Constraint(NamedTuple):
    """Left side, and G, L or E, and right side."""

    left: Vector
    sense: str
    right: Fraction


class _Words:
    """The words of a file in turn; what is not expected refuses it."""

    def __init__(self, text: str) -> None:
        lines = text.splitlines()
        while lines and lines[0].startswith("%"):
            del lines[0]
        self.words: Iterator[str] = iter(" ".join(lines).split())

    def word(self, *expected: str) -> str:
        found = next(self.words, "")
        _need(found in expected if expected else found, f"{found!r:.40} stands where {expected or 'a name'} should")
        return found

    def index(self, below: int) -> int:
        found = self.word()
        _need(_INDEX.fullmatch(found) and len(found) < 12 and int(found) < below, f"{found!r:.40} is no index")
        return int(found)

    def value(self) -> Fraction:
        found = self.word()
        _need(_VALUE.fullmatch(found) and "/0" not in found, f"{found!r:.40} is no value")
        top, _, bottom = found.partition("/")
        return Fraction(top) / Fraction(bottom or 1)

    def sparse(self, below: int) -> Vector:
        count = self.index(below + 1)
        pairs = [(self.index(below), self.value()) for _ in range(count)]
        _need(len(dict(pairs)) == count, "an index stands twice")
        return dict(pairs)


def _need(holds: Any, what: str) -> None:
    if not holds:
        raise RefusedError(what)


def check(text: str) -> bool:
    """Return whether it is proved that the constraints can be fulfilled, or that they cannot; raise unless either is.

    Of the reasons of derivations only `lin` is known here, and the objective has to be 0: no file above has more.
    """
    words = _Words(text)
    words.word("VER"), words.word("1.0"), words.word("VAR")
    width = words.index(10**6)
    for _ in range(width):
        words.word()
    for expected in ("INT", "0", "OBJ", "min", "0", "CON"):
        words.word(expected)
    count = words.index(10**6)
    words.index(count + 1)
    names, known = set[str](), list[Constraint]()

    def constraint() -> Constraint:
        name, sense, right = words.word(), words.word("G", "L", "E"), words.value()
        _need(name not in names, f"{name} stands twice")
        names.add(name)
        return Constraint(words.sparse(width), sense, right)

    known += [constraint() for _ in range(count)]
    words.word("RTP")
    infeasible = words.word("infeas", "range") == "infeas"
    if not infeasible:
        words.word("-inf"), words.word("0")
    words.word("SOL")
    solutions = words.index(10**6)
    for _ in range(solutions):
        words.word()
        d = words.sparse(width)
        _need(all(_fulfils(one, d) for one in known), "a solution breaks a constraint")
    words.word("DER")
    for _ in range(words.index(10**6)):
        derived = constraint()
        words.word("{"), words.word("lin")
        combination = words.sparse(len(known))
        words.word("}")
        words.word("-1", *map(str, range(count + 10**3)))
        _need(_dominates(_combined(known, combination), derived), "a derived constraint does not follow")
        known.append(derived)
    _need(next(words.words, None) is None, "more follows")
    _need(
        _is_absurd(known[-1]) if infeasible and len(known) > count else solutions and not infeasible,
        "nothing is proved",
    )
    return not infeasible


def _fulfils(one: Constraint, d: Vector) -> bool:
    value = sum((v * d.get(j, Fraction(0)) for j, v in one.left.items()), Fraction(0))
    return {"G": value >= one.right, "L": value <= one.right, "E": value == one.right}[one.sense]


def _combined(known: Sequence[Constraint], combination: Vector) -> Constraint:
    signs = [lam * {"G": 1, "L": -1, "E": 0}[known[k].sense] for k, lam in combination.items()]
    least, most = min(signs, default=Fraction(0)), max(signs, default=Fraction(0))
    _need(least >= 0 or most <= 0, "a combination has both senses")
    left: dict[int, Fraction] = {}
    for k, lam in combination.items():
        for j, v in known[k].left.items():
            left[j] = left.get(j, Fraction(0)) + lam * v
    right = sum((lam * known[k].right for k, lam in combination.items()), Fraction(0))
    return Constraint(left, "G" if most > 0 else "L" if least < 0 else "E", right)


def _is_absurd(one: Constraint) -> bool:
    return not any(one.left.values()) and not _fulfils(one, {})


def _dominates(one: Constraint, other: Constraint) -> bool:
    if _is_absurd(one):
        return True
    same = all(one.left.get(j, 0) == other.left.get(j, 0) for j in {*one.left, *other.left})
    above = {"G": one.right >= other.right, "L": one.right <= other.right, "E": one.right == other.right}[other.sense]
    return same and above and one.sense in (other.sense, "E")


def stated(text: str, Z: Sequence[Row]) -> tuple[list[int], bool, bool] | None:
    """What a file that `check` accepts says of a table: rows, planes or directions, possible or not; None: nothing."""
    possible = check(text)
    ids = [int(name) for name in re.findall(r"^R(\d{1,9}) ", text, re.MULTILINE)]
    for strict in (True, False):
        if all(i < len(Z) for i in ids) and text.partition("RTP")[0] == problem(Z, ids, strict):
            return ids, strict, possible
    return None
