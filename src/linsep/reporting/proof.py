"""What a certificate of separability or of a regression proves, line by line, for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from linsep.markup import count, rounded_down, rounded_up
from linsep.theory.proof import Combination
from linsep.theory.separability.certificate import Separability
from linsep.theory.separability.decide import separability
from linsep.theory.verify.consequences import FINITE, UNIDENTIFIED
from linsep.theory.words.of_classes import exists_near, rows_of_file
from linsep.theory.words.of_regressions import by_estimate, listed, told
from linsep.types import Array, Hyperplane

if TYPE_CHECKING:
    from linsep.regression.found import Separation

_MOST_LINES = 40  # coefficients printed one a line
_FIRST = 5  # rows that are named beside a coefficient
_STAYING = (FINITE, UNIDENTIFIED)
_SHOWN = 8  # rows, weights or terms that a line lists
_NOT_PROVED = "whether all such planes go through them is not proved"
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
    """A verdict and its proof as (label, text): what everybody reads, and what is for readers who ask for more.

    `names` are those of the columns; column j of the certificate is the one of the table times 10 to `powers[j]`.
    """
    lines, details = [("rows x features", f"{found.n_rows:,} x {found.n_features:,}")], []
    if found.classes:
        lines.append(("classes", "{} (-), {} (+)".format(*found.classes)))
    lines += [("verdict", found.verdict), ("why", found.summary(first=1))]
    if len(found.directions) > (found.verdict == "separable"):
        named = [
            (f"direction {k}", f"{form_of(plane, names, powers)}: no row {'left ' * (k > 1)}is on the wrong side")
            for k, plane in enumerate(found.directions[:_SHOWN], start=1)
        ]
        lines += named[:1]
        details += named[1:]
    if len(found.directions) > _SHOWN:
        details.append(("...", f"{len(found.directions)} directions, each for the rows that those before it left"))
    if found.hyperplane is not None:
        form = form_of(found.hyperplane, names, powers)
        lines.append(("hyperplane", f"{form} has the sign of the class in every row"))
    if found.margin is not None and not any(powers):
        lines.append(("margin", f"between {rounded_down(found.margin.lower)} and {rounded_up(found.margin.upper)}"))
    if found.verdict == "quasi-separable":
        at_least, unmoved = ("", "all such planes go through them") if found.maximal else ("at least ", _NOT_PROVED)
        lines.append(("separated rows", at_least + some_rows(found.in_file(found.separated_rows))))
        lines.append(("rows left", f"{some_rows(found.in_file(found.rows_left))}: {unmoved}"))
    if found.witness is not None:
        lines.append(("witness", f"{_combination(found.witness, found)}: {_adding_up(found.witness)}"))
    if found.overlap is not None and found.overlap != found.witness:
        spanning = f"{_adding_up(found.overlap)}; they span the rows left"
        details.append(("overlap", f"{_combination(found.overlap, found)}: {spanning}"))
    return lines, details


def _adding_up(part: Combination) -> str:
    """What is proved of a combination."""
    if part.within:
        return f"multiply each row by its label and its weight; the sum is nearly 0: {exists_near(part.within)}"
    return "multiply each row by its label and its weight; the sum is 0"


def form_of(plane: Hyperplane, names: Sequence[str], powers: Sequence[int]) -> str:
    """The terms of w.x + b in the units of the table, the largest first; the largest weight is made 1 if need be.

    It says so where a number is rounded: the form that is printed then need not have these signs.
    """
    used = [j for j, v in enumerate(plane.w.tolist()) if v]
    weights = [Fraction(plane.w[j]) * Fraction(10) ** powers[j] for j in used]
    b, top = Fraction(plane.b), max(map(abs, weights), default=Fraction(1))
    if any(v.denominator > 1 or abs(v) >= _LONG for v in [*weights, b]):
        weights, b = [v / top for v in weights], b / top
    order = sorted(range(len(used)), key=lambda k: -abs(weights[k]))
    terms = [f"{_number(weights[k])} {names[used[k]]}" for k in order[:_SHOWN]]
    if len(used) > _SHOWN:
        terms.append(f"... ({len(used)} columns)")
    terms += [_number(b)] if b else []
    is_exact = all(abs(v) < _LONG and Fraction(_number(v)) == v for v in [*weights, b])
    return " ".join(terms if is_exact else [*terms, "(rounded)"])


def _number(value: Fraction) -> str:
    if value.denominator == 1 and abs(value) < _LONG:
        return f"{int(value):+d}"
    if abs(value) < _LONG:
        return f"{float(value):+.6g}"
    try:
        return f"{float(value):+.3e}"
    except OverflowError:  # beyond every double
        return f"{Decimal(value.numerator) / Decimal(value.denominator):+.3e}"


def some_rows(rows: Array) -> str:
    """How many rows there are, and the first of them, counted from 1 as people do."""
    shown = ", ".join(map(str, (rows[:_SHOWN] + 1).tolist()))
    return f"{rows.size:,} ({shown}{', ...' if rows.size > _SHOWN else ''}; counted from 1)"


def _combination(part: Combination, found: Separability) -> str:
    weights = weights_in_words(part)
    pairs = zip(found.in_file(part.rows[:_SHOWN]), weights, strict=False)
    shown = ", ".join(f"row {i + 1}" if weight == "1" else f"{weight} x row {i + 1}" for i, weight in pairs)
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


def separation_lines(found: Separation, left_out: Array | None = None) -> list[tuple[str, str]]:
    """The kind, the summary, the rows and the advice, as (label, text).

    Rows are named by their numbers among all rows, from 1, those `left_out` (in ascending order) counted too.
    """
    lines: list[tuple[str, str]] = [("separation", found.verdict)]
    if found.references:
        lines.append(("reference levels", listed(f"{name}={level}" for name, level in found.references.items())))
    lines.append(("summary", found.summary()))
    if found.n_missing:
        lines.append(("left out", f"{count(found.n_missing, 'row')} with missing values"))
    if found.separated_rows:
        own = (rows_of_file(found.separated_rows, left_out) + 1).tolist()
        lines.append(("separated rows", f"{listed(own)} (counted from 1)"))
    if found.pairs:
        own = (rows_of_file([row for row, _ in found.pairs], left_out) + 1).tolist()
        pairs = (f"row {row} from {label}" for row, (_, label) in zip(own, found.pairs, strict=True))
        lines.append(("separated pairs", listed(pairs)))
    if found.verdict in ("complete", "quasi-complete"):
        name = "without an event" if found.family == "cox" else "separated groups"
        lines += [(name, listed(map(str, groups)))] if (groups := found.groups) else []
    lines += coefficient_lines(found)
    for effect, counts in found.fixed_effects.items():
        lines.append((f"  fixed effect {effect}", listed(f"{n:,} {text}" for text, n in counts.items())))
    lines += [("advice", text) for text in found.advice]
    return lines


def separation_details(found: Separation, left_out: Array | None = None) -> list[tuple[str, str]]:
    """The rows that move each infinite coefficient, as (label, text); nothing if no row is separated."""
    if found.verdict not in ("complete", "quasi-complete"):
        return []
    from linsep.regression.drop import rows_that_move

    moved = {name: ways for name, ways in rows_that_move(found).items() if found.coefficients[name] not in _STAYING}
    lines = [_moved(name, ways, found.coefficients[name], found.levels, left_out) for name, ways in moved.items()]
    more = len(lines) - _MOST_LINES
    lines = [*lines[:_MOST_LINES], ("  ...", f"{more:,} more")] if more > 0 else lines
    return [("rows that move", count(len(moved), "coefficient")), *lines]


def _moved(
    name: Any,
    ways: Mapping[int, int],
    estimate: str | float,
    levels: Mapping[str, tuple[str, str]],
    left_out: Array | None,
) -> tuple[str, str]:
    up, down = (sum(way * sign > 0 for way in ways.values()) for sign in (1, -1))
    counts = ", ".join(f"pushed {way} by {count(n, 'row')}" for n, way in ((up, "up"), (down, "down")) if n)
    more = ", ..." if len(ways) > _FIRST else ""
    first = ", ".join(map(str, (rows_of_file([*ways][:_FIRST], left_out) + 1).tolist()))
    column, level = levels.get(name[1] if isinstance(name, tuple) else name, ("", ""))
    said = f"{counts} ({first}{more})" if counts else "no separated row; it only balances others"
    return f"  {listed([name])}", f"{told(estimate)}: {said}{f'; {level} of {column}' if column else ''}"


def coefficient_lines(found: Separation) -> list[tuple[str, str]]:
    """Each coefficient with its estimate, or each estimate with its coefficients where these are many."""
    if len(found.coefficients) <= _MOST_LINES:
        return [(f"  {listed([name])}", told(value)) for name, value in found.coefficients.items()]
    groups = by_estimate(found.coefficients)
    return [(f"  {told(value)}", listed(names)) for value, names in groups.items() if names]
