"""A checker of proofs in the format of VIPR 1.0, written from its specification in fractions.

Source: Cheung, Gleixner and Steffy 2017, Verifying integer programming results; certificate file format, version 1.0.
"""

from __future__ import annotations

import re
import runpy
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from exact_cone import Row
from linsep.theory.vipr import InVipr

PROGRAM = Path(__file__).parents[1] / "examples" / "compare_vipr.py"
_OWN = runpy.run_path(str(PROGRAM))

Vector = Mapping[int, Fraction]
Judge = Callable[[str], bool]
_VALUE, _INDEX = re.compile(r"[+-]?\d+(\.\d+)?(/\d+)?"), re.compile(r"\d+")


def files_of(found: InVipr) -> dict[str, str]:
    """Statement -> the file that proves it; "" of the only one."""
    with TemporaryDirectory() as folder:
        written = found.to_vipr(Path(folder, "a.vipr"))
        return {path.name.removeprefix("a").removesuffix(".vipr")[1:]: path.read_text("ascii") for path in written}


def questions_of(found: InVipr) -> list[tuple[str, str]]:
    """The answer that each file of SMT-LIB names, and its text."""
    with TemporaryDirectory() as folder:
        texts = [path.read_text("ascii") for path in found.to_smtlib(Path(folder, "a.smt2"))]
    return [(re.findall(r"status (\w+)", text)[0], text) for text in texts]


def _need(holds: Any, what: str) -> None:
    if not holds:
        raise RefusedError(what)


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


def by_program(text: str) -> bool:
    """The same by viprchk, which must be on the path."""
    with TemporaryDirectory() as folder:
        Path(folder, "a.vipr").write_text(text, "ascii")
        done = subprocess.run(["viprchk", f"{folder}/a.vipr"], capture_output=True, check=False, timeout=60)
    possible = b"Successfully" in done.stdout
    _need(done.returncode == 0 and (possible or b"Infeasibility verified" in done.stdout), "viprchk refuses it")
    return possible


def stated(text: str, Z: Sequence[Row], judge: Judge | None = check) -> tuple[list[int], bool, bool] | None:
    """What a file that is accepted says of rows (x, 1) with signs: rows, plane, possible or not; None: nothing.

    Without a judge `compare_vipr.py` is the only one.
    """
    possible = None if judge is None else judge(text)
    X = [{j: Fraction(z[j]) * z[-1] for j in range(len(z) - 1) if z[j]} for z in Z]
    table = _OWN["Table"](len(Z[0]) - 1, dict(enumerate(X)), {})
    try:
        rows, _, is_plane, said = _OWN["compare"](text, table, {i: int(z[-1]) for i, z in enumerate(Z)})
    except (SystemExit, ValueError, LookupError, ZeroDivisionError, StopIteration):
        return None
    agree = possible in (None, said)  # viprchk may find a solution where none was claimed
    return (rows, is_plane, said) if agree else None
