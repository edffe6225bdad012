"""What a certificate proves, line by line, for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from linsep.theory.separability.certificate import Separability
from linsep.theory.separability.combination import Combination
from linsep.theory.separability.decide import separability
from linsep.theory.separability.words import exists_near
from linsep.types import Array, Hyperplane

_SHOWN = 8  # rows, weights or terms that a line lists
_NOT_PROVED = "whether another direction moves some of them is not proved"
_LONG = 10**9  # integers from here on are not printed whole
_UNREAD = 10**5  # weights from here on are printed as parts of their sum

Lines = list[tuple[str, str]]


def certificate_of(X: Any, codes: Array, names: Array, **asked: Any) -> Separability:
    """The certificate of rows of two classes, of which `names[1]` is the positive one, whatever the order of the names.

    `codes` are 0 and 1, the places of the labels in `names`; `asked` are further arguments of `separability`.
    """
    found = separability(X, codes, **asked)
    return replace(found, classes=tuple(str(name) for name in names), about=(X, names[codes]))


def proof_lines(found: Separability, names: Sequence[str], powers: Sequence[int]) -> tuple[Lines, Lines]:
    """The parts of a proof as (label, text): those that everybody reads, and those for readers who ask for more.

    `names` are those of the columns; column j of the certificate is the one of the table times 10 to `powers[j]`.
    """
    lines, details = [], []
    if len(found.directions) > (found.verdict == "separable"):
        named = [
            (f"direction {k}", f"{_form(plane, names, powers)}: rows on their side, none on the wrong one")
            for k, plane in enumerate(found.directions[:_SHOWN], start=1)
        ]
        lines += named[:1]
        details += named[1:]
    if len(found.directions) > _SHOWN:
        details.append(("...", f"{len(found.directions)} directions, each on the rows that those before it left"))
    if found.hyperplane is not None:
        lines.append(("hyperplane", f"{_form(found.hyperplane, names, powers)} has the sign of the class in every row"))
    if found.margin is not None and not any(powers):
        lines.append(("margin", f"between {found.margin.lower:.6g} and {found.margin.upper:.6g}"))
    if found.verdict == "quasi-separable":
        at_least, unmoved = ("", "no direction moves them") if found.maximal else ("at least ", _NOT_PROVED)
        lines.append(("separated rows", at_least + _rows(found.in_file(found.separated_rows))))
        lines.append(("rows left", f"{_rows(found.in_file(found.rows_left))}: {unmoved}"))
    if found.witness is not None:
        lines.append(("witness", f"{_combination(found.witness, found)} {_adding_up(found.witness)}"))
    if found.overlap is not None and found.overlap != found.witness:
        spanning = f"{_adding_up(found.overlap)}; they span the rows left"
        spanning = spanning if found.overlap.within else "add up to 0 and span the rows left"
        details.append(("overlap", f"{_combination(found.overlap, found)} {spanning}"))
    return lines, details


def _adding_up(part: Combination) -> str:
    """What is proved of a combination."""
    if part.within:
        return f"nearly add up to 0 once signed by label: {exists_near(part)}"
    return "add up to 0 once signed by label"


def _form(plane: Hyperplane, names: Sequence[str], powers: Sequence[int]) -> str:
    """The terms of w.x + b in the units of the table, the largest first; the largest weight is made 1 if need be."""
    used = [j for j, v in enumerate(plane.w.tolist()) if v]
    weights = [Fraction(plane.w[j]) * Fraction(10) ** powers[j] for j in used]
    b, top = Fraction(plane.b), max(map(abs, weights), default=Fraction(1))
    if any(v.denominator > 1 or abs(v) >= _LONG for v in [*weights, b]):
        weights, b = [v / top for v in weights], b / top
    order = sorted(range(len(used)), key=lambda k: -abs(weights[k]))
    terms = [f"{_number(weights[k])} {names[used[k]]}" for k in order[:_SHOWN]]
    if len(used) > _SHOWN:
        terms.append(f"... ({len(used)} columns)")
    return " ".join([*terms, _number(b)] if b else terms)


def _number(value: Fraction) -> str:
    if value.denominator == 1 and abs(value) < _LONG:
        return f"{int(value):+d}"
    return f"{float(value):+.6g}" if abs(value) < _LONG else f"{float(value):+.3e}"


def _rows(rows: Array) -> str:
    shown = ", ".join(map(str, rows[:_SHOWN].tolist()))
    return f"{rows.size:,} ({shown}{', ...' if rows.size > _SHOWN else ''})"


def _combination(part: Combination, found: Separability) -> str:
    weights = weights_in_words(part)
    pairs = zip(found.in_file(part.rows[:_SHOWN]), weights, strict=False)
    shown = ", ".join(f"row {i}" if weight == "1" else f"{weight} x row {i}" for i, weight in pairs)
    more = f", ... ({len(part.rows)} rows)" if len(part.rows) > _SHOWN else ""
    return f"{shown}{more}{' (parts of the whole, rounded)' if is_rounded(part) else ''}"


def is_rounded(part: Combination) -> bool:
    """Whether its weights are too long to be read."""
    return max(part.weights) >= _UNREAD


def weights_in_words(part: Combination) -> list[str]:
    """Weights as people read them: small integers as they are, others as parts of their sum with three digits.

    Examples
    --------
    >>> weights_in_words(Combination((0, 4), (2, 1))), weights_in_words(Combination((0, 4), (2 * 10**30, 10**30)))
    (['2', '1'], ['0.667', '0.333'])
    """
    if not is_rounded(part):
        return list(map(str, part.weights))
    whole = sum(part.weights)
    return [f"{weight / whole:.3g}" for weight in part.weights]
